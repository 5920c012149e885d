//! Random weights from a seed: the device makes them again instead of storing them.
//!
//! Every row has a generator of its own, so rows can be made in any order. Only 32-bit operations
//! are used: a Cortex-M0 has no wider multiply.

use crate::meta::code;

/// The weights and the phase of one random feature.
#[derive(Clone, Debug)]
pub struct Row {
    state: u32,
    word: u32,
    left: u32,
    law: u8,
}

impl Row {
    /// Row number `row` of the matrix that the seed stands for.
    #[must_use]
    pub const fn new(seed_lo: u32, seed_hi: u32, row: u32, law: u8) -> Self {
        let state = mix((seed_lo ^ row.wrapping_mul(0x9E37_79B9)).wrapping_add(seed_hi));
        // Zero is the one state that xorshift never leaves.
        Self { state: if state == 0 { 0x6D2B_79F5 } else { state }, word: 0, left: 0, law }
    }

    /// The next weight: ±1, or the sum of four bytes less 510, by the law.
    #[inline]
    pub fn weight(&mut self) -> i32 {
        if self.law != code::LAW_SIGNS {
            let w = self.step();
            return ((w & 0xFF) + (w >> 8 & 0xFF) + (w >> 16 & 0xFF) + (w >> 24)) as i32 - 510;
        }
        if self.left == 0 {
            self.word = self.step();
            self.left = 32;
        }
        let sign = (self.word & 1) as i32 * 2 - 1;
        self.word >>= 1;
        self.left -= 1;
        sign
    }

    /// The next word as it is: 32 signs, the lowest bit first, for who takes them all at once.
    #[inline]
    pub fn word(&mut self) -> u32 {
        self.step()
    }

    /// The phase, once all weights are taken: a word in 2⁻³² turns.
    #[must_use]
    pub fn phase(mut self) -> u32 {
        self.step()
    }

    /// One step of xorshift32.
    fn step(&mut self) -> u32 {
        let mut x = self.state;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.state = x;
        x
    }
}

/// The finalizer of `MurmurHash3`: every bit of the argument reaches every bit of the result.
const fn mix(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x85EB_CA6B);
    x = (x ^ x >> 13).wrapping_mul(0xC2B2_AE35);
    x ^ x >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vector of FORMAT.md.
    #[test]
    fn published_vector_is_met() {
        let mut signs = Row::new(1, 2, 3, code::LAW_SIGNS);
        let first: [i32; 8] = core::array::from_fn(|_| signs.weight());
        assert_eq!(first, [1, -1, 1, 1, 1, -1, 1, 1]);
        let mut bytes = Row::new(1, 2, 3, code::LAW_BYTES);
        let first: [i32; 4] = core::array::from_fn(|_| bytes.weight());
        assert_eq!(first, [106, 108, 169, 40]);
        assert_eq!(bytes.phase(), 0x2CD6_0EB0);
    }

    #[test]
    fn weights_have_mean_zero_and_the_stated_variance() {
        for (law, variance) in [(code::LAW_SIGNS, 1.0), (code::LAW_BYTES, 21_845.0)] {
            let (mut sum, mut squares, n) = (0.0, 0.0, 200 * 100);
            for row in 0..200 {
                let mut weights = Row::new(7, 0, row, law);
                for _ in 0..100 {
                    let w = f64::from(weights.weight());
                    sum += w;
                    squares += w * w;
                }
            }
            let (mean, seen) = (sum / f64::from(n), squares / f64::from(n));
            assert!(mean.abs() < 4.0 * f64::sqrt(variance / f64::from(n)), "law {law}: mean {mean}");
            assert!((seen / variance - 1.0).abs() < 0.05, "law {law}: variance {seen}");
        }
    }

    #[test]
    fn rows_and_seeds_differ() {
        let word = |lo, hi, row| Row::new(lo, hi, row, code::LAW_BYTES).phase();
        assert_ne!(word(1, 2, 3), word(1, 2, 4));
        assert_ne!(word(1, 2, 3), word(2, 2, 3));
        assert_ne!(word(1, 2, 3), word(1, 3, 3));
    }
}
