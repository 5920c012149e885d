//! Exponential and cosine of the INT profile: 64 steps per octave or quarter turn, straight lines between.

use std::f64::consts::{LOG2_E, TAU};

/// The tables of the exponential and of the cosine.
pub(super) struct Tables {
    exp: [i64; 65],
    cos: [i64; 65],
}

impl Tables {
    pub(super) fn new() -> Self {
        let exp = |k: f64| 32767.0 * libm::exp2(-k / 64.0);
        let cos = |k: f64| 32767.0 * libm::cos(TAU * k / 256.0);
        let table = |f: &dyn Fn(f64) -> f64| std::array::from_fn(|k| (f(k as f64) + 0.5).floor() as i64);
        Self { exp: table(&exp), cos: table(&cos) }
    }

    /// `32767 · 2^(−distance · mul · 2^(−27 − shift))`.
    pub(super) fn exp(&self, distance: i64, mul: u32, shift: u8) -> i32 {
        let u = distance >> shift;
        if u >= 1 << mul.leading_zeros() {
            return 0;
        }
        let q = u * i64::from(mul);
        let y = between(&self.exp, (q >> 21 & 63) as usize, q >> 11 & 1023);
        ((((2 * y) >> (q >> 27)) + 1) >> 1) as i32
    }

    /// `32767 · cos 2πt`, t in 2⁻³² turns.
    pub(super) fn cos(&self, t: u32) -> i32 {
        let u = i64::from(if t >> 30 & 1 == 1 { !t } else { t });
        let y = between(&self.cos, (u >> 24 & 63) as usize, u >> 14 & 1023) as i32;
        if t >> 31 == t >> 30 & 1 { y } else { -y }
    }
}

/// A point on the line between two entries.
fn between(table: &[i64; 65], k: usize, r: i64) -> i64 {
    table[k] - (((table[k] - table[k + 1]) * r + 512) >> 10)
}

/// `log₂ e` in units of the exponent's 2⁻²⁷ octaves.
pub(super) fn octaves() -> f64 {
    LOG2_E * f64::from(1 << 27)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_those_of_the_format() {
        let tables = Tables::new();
        assert_eq!([0, 1, 63, 64].map(|k| tables.exp[k]), [32767, 32414, 16562, 16384]);
        assert_eq!([0, 1, 63, 64].map(|k| tables.cos[k]), [32767, 32757, 804, 0]);
    }

    #[test]
    fn values_lie_within_two_units_of_the_truth() {
        let tables = Tables::new();
        for distance in 0..4000 {
            let truth = 32767.0 * f64::exp2(-(distance as f64) * 5000.0 * f64::exp2(-21.0));
            assert!((f64::from(tables.exp(distance, 5000 << 6, 0)) - truth).abs() <= 2.0, "{distance}");
            let turns = distance as u32 * 1_073_700;
            let truth = 32767.0 * libm::cos(TAU * f64::from(turns) * f64::exp2(-32.0));
            assert!((f64::from(tables.cos(turns)) - truth).abs() <= 6.0, "{distance}");
        }
    }
}
