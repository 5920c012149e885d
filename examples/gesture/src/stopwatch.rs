//! Counts instructions under QEMU, whose `-icount shift=6` gives each of them 64 ns of the board's time.
//!
//! On a real board the ticks measure time, and `DWT::cycle_count` counts cycles.

use core::hint::black_box;

use cortex_m::peripheral::{SYST, syst::SystClkSource};

/// The timer's last value, of 24 bits: 16 million ticks are the longest time.
const LAST: u32 = 0x00ff_ffff;
const NS_PER_SECOND: u64 = 1_000_000_000;
const NS_PER_INSTRUCTION: u64 = 64;

/// `SysTick`, running.
pub struct Stopwatch {
    hz: u32,
}

impl Stopwatch {
    /// Takes the timer and starts it; it ticks with the processor's clock.
    pub fn new(mut timer: SYST, hz: u32) -> Self {
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(LAST);
        timer.clear_current();
        timer.enable_counter();
        Self { hz }
    }

    /// What `work` returns, and how many instructions it took.
    pub fn time<T>(&self, work: impl FnOnce() -> T) -> (T, u64) {
        let before = SYST::get_current();
        let result = black_box(work());
        // It counts down.
        let ticks = before.wrapping_sub(SYST::get_current()) & LAST;
        (result, u64::from(ticks) * NS_PER_SECOND / (u64::from(self.hz) * NS_PER_INSTRUCTION))
    }
}
