//! Counts instructions: QEMU's `-icount` gives each the same share of the board's time, and a loop of known
//! length tells how many ticks of the board's timer that share is.

use core::hint::black_box;

/// Loop iterations between the two calibration runs; each is two instructions.
const ITERATIONS: u32 = 100_000;

/// A calibrated counter.
pub struct Counter {
    /// Ticks of [`ITERATIONS`] loop rounds.
    ticks: u64,
    /// Ticks of measuring nothing.
    overhead: u64,
}

impl Counter {
    /// Starts the board's timer and calibrates it.
    ///
    /// Returns `None` if the timer stands still.
    #[must_use]
    pub fn new() -> Option<Self> {
        timer::start();
        let overhead = ticks(|| black_box(()));
        // The difference of two loops is free of the call's own instructions.
        let short = ticks(|| spin(1));
        let long = ticks(|| spin(1 + ITERATIONS));
        let ticks = long.checked_sub(short).filter(|&ticks| ticks > 0)?;
        Some(Self { ticks, overhead })
    }

    /// Instructions that `work` takes.
    pub fn instructions<T>(&self, work: impl FnOnce() -> T) -> u64 {
        let ticks = ticks(work).saturating_sub(self.overhead);
        (ticks * u64::from(2 * ITERATIONS) + self.ticks / 2) / self.ticks
    }

    /// Timer ticks per thousand instructions, for the record.
    #[must_use]
    pub fn ticks_per_thousand(&self) -> u64 {
        self.ticks * 1000 / u64::from(2 * ITERATIONS)
    }
}

/// Executes exactly `2 * iterations` instructions, and the call.
#[inline(never)]
fn spin(iterations: u32) {
    // SAFETY: the loop changes its own register and the flags, nothing else.
    #[allow(unsafe_code, reason = "only assembly has a known number of instructions")]
    unsafe {
        #[cfg(target_arch = "arm")]
        core::arch::asm!("2:", "subs {n}, #1", "bne 2b", n = inout(reg) iterations => _, options(nomem, nostack));
        #[cfg(target_arch = "riscv32")]
        core::arch::asm!("2:", "addi {n}, {n}, -1", "bnez {n}, 2b", n = inout(reg) iterations => _, options(nomem, nostack));
    }
}

fn ticks<T>(work: impl FnOnce() -> T) -> u64 {
    let before = timer::now();
    black_box(work());
    timer::now() - before
}

/// `SysTick` on the processor's clock.
#[cfg(target_arch = "arm")]
mod timer {
    use core::sync::atomic::{AtomicU32, Ordering};

    use cortex_m::{
        Peripherals,
        peripheral::{SYST, syst::SystClkSource},
    };

    const RELOAD: u32 = 0x00ff_ffff;

    /// Times that the 24-bit counter has passed zero.
    static WRAPS: AtomicU32 = AtomicU32::new(0);

    #[cortex_m_rt::exception]
    fn SysTick() {
        // Load and store instead of `fetch_add`: Cortex-M0 has no atomic addition, and nothing else writes.
        WRAPS.store(WRAPS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(super) fn start() {
        // Taken before means started before.
        if let Some(Peripherals { SYST: mut systick, .. }) = Peripherals::take() {
            systick.set_clock_source(SystClkSource::Core);
            systick.set_reload(RELOAD);
            systick.clear_current();
            systick.enable_interrupt();
            systick.enable_counter();
        }
    }

    pub(super) fn now() -> u64 {
        loop {
            let wraps = WRAPS.load(Ordering::Relaxed);
            let ticks = RELOAD - SYST::get_current();
            if wraps == WRAPS.load(Ordering::Relaxed) {
                return (u64::from(wraps) << 24) + u64::from(ticks);
            }
        }
    }
}

/// The processor's own count of retired instructions, which QEMU scales like time.
#[cfg(target_arch = "riscv32")]
mod timer {
    pub(super) fn start() {}

    pub(super) fn now() -> u64 {
        riscv::register::minstret::read64()
    }
}
