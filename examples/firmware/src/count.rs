//! Counts instructions: QEMU's `-icount` gives each the same share of the board's time, and a loop of known
//! length tells how many ticks of the board's timer that share is.

use core::hint::black_box;

/// Loop iterations between the two calibration runs; each is two instructions.
const ITERATIONS: u32 = 100_000;

/// A calibrated counter.
pub struct Counter {
    timer: Timer,
    /// Ticks of [`ITERATIONS`] loop rounds.
    ticks: u64,
    /// Ticks of measuring nothing.
    overhead: u64,
}

impl Counter {
    /// Takes the board's timer and calibrates it.
    ///
    /// Returns `None` if the timer is taken or stands still.
    #[must_use]
    pub fn new() -> Option<Self> {
        let timer = Timer::start()?;
        let overhead = timer.ticks(|| black_box(()));
        // The difference of two loops is free of the call's own instructions.
        let short = timer.ticks(|| spin(1));
        let long = timer.ticks(|| spin(1 + ITERATIONS));
        let ticks = long.checked_sub(short).filter(|&ticks| ticks > 0)?;
        Some(Self { timer, ticks, overhead })
    }

    /// Instructions that `work` takes.
    pub fn instructions<T>(&self, work: impl FnOnce() -> T) -> u64 {
        let ticks = self.timer.ticks(work).saturating_sub(self.overhead);
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

#[cfg(target_arch = "arm")]
use arm::Timer;
#[cfg(target_arch = "riscv32")]
use riscv32::Timer;

impl Timer {
    fn ticks<T>(&self, work: impl FnOnce() -> T) -> u64 {
        let before = self.now();
        black_box(work());
        self.now() - before
    }
}

#[cfg(target_arch = "arm")]
mod arm {
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

    /// `SysTick` on the processor's clock.
    pub(super) struct Timer;

    impl Timer {
        pub(super) fn start() -> Option<Self> {
            let mut syst = Peripherals::take()?.SYST;
            syst.set_clock_source(SystClkSource::Core);
            syst.set_reload(RELOAD);
            syst.clear_current();
            syst.enable_interrupt();
            syst.enable_counter();
            Some(Self)
        }

        pub(super) fn now(&self) -> u64 {
            loop {
                let wraps = WRAPS.load(Ordering::Relaxed);
                let ticks = RELOAD - SYST::get_current();
                if wraps == WRAPS.load(Ordering::Relaxed) {
                    return (u64::from(wraps) << 24) + u64::from(ticks);
                }
            }
        }
    }
}

#[cfg(target_arch = "riscv32")]
mod riscv32 {
    use riscv::register::minstret;

    /// The processor's own count of retired instructions, which QEMU scales like time.
    pub(super) struct Timer;

    impl Timer {
        #[allow(clippy::unnecessary_wraps, reason = "a board's timer may be taken, this one cannot be")]
        pub(super) fn start() -> Option<Self> {
            Some(Self)
        }

        pub(super) fn now(&self) -> u64 {
            minstret::read64()
        }
    }
}
