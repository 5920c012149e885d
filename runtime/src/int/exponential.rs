//! `exp(−γs)` of an integer `s`, from a table: no float, no product wider than 32 bits.

use nearmark_format::Meta;

use super::{blocks::TILES, lanes::Features};

/// `T[k] = round(32767 · 2^(−k/64))`.
const TABLE: [u16; 65] = [
    32767, 32414, 32065, 31719, 31378, 31040, 30705, 30375, 30047, 29724, 29404, 29087, 28774, 28464, 28157, 27854,
    27554, 27257, 26963, 26673, 26385, 26101, 25820, 25542, 25267, 24995, 24725, 24459, 24196, 23935, 23677, 23422,
    23170, 22920, 22673, 22429, 22187, 21948, 21712, 21478, 21247, 21018, 20791, 20568, 20346, 20127, 19910, 19696,
    19483, 19274, 19066, 18861, 18657, 18456, 18258, 18061, 17866, 17674, 17483, 17295, 17109, 16925, 16742, 16562,
    16384,
];

/// The kernel's width, as the model stores it.
#[derive(Copy, Clone)]
pub(crate) struct Decay {
    mul: u32,
    shift: u32,
    /// The largest argument whose product with the multiplier is sure to fit 32 bits.
    most: u32,
}

impl Decay {
    pub(crate) fn new(meta: &Meta) -> Self {
        // A multiplier is never zero: setting a bit spares the code for it.
        let most = (u32::MAX >> 1).wrapping_shr(31 ^ (meta.k_mul | 1).leading_zeros());
        Self { mul: meta.k_mul, shift: meta.k_shift.into(), most }
    }

    /// A kernel value of each sum.
    #[inline(always)]
    pub(crate) fn map<const B: usize, F: Features<B>>(self, sums: &[[[i32; B]; 4]], values: &mut [F::Values]) {
        // A batch is compiled into its caller, whose instruction set may be wider.
        // Alone, a loop over one tile is better off in its caller.
        if B == 1 && TILES > 1 { self.map_alone::<B, F>(sums, values) } else { F::map(sums, values, |s| self.of(s)) }
    }

    #[inline(never)] // the loop has the registers to itself
    fn map_alone<const B: usize, F: Features<B>>(self, sums: &[[[i32; B]; 4]], values: &mut [F::Values]) {
        F::map(sums, values, |s| self.of(s));
    }

    /// `32767 · exp(−γs)` to within 2 units.
    ///
    /// The exponent `q` counts 2⁻²⁷ octaves: five bits of whole octaves shift, six choose a place in
    /// the table, ten more interpolate.
    #[inline(always)]
    pub(crate) fn of(self, s: u32) -> u32 {
        let u = s.wrapping_shr(self.shift);
        // From here on the product would not fit 32 bits, and the value is below 2⁻¹⁶.
        if u > self.most {
            return 0;
        }
        let q = u.wrapping_mul(self.mul);
        ((2 * interpolate(&TABLE, q >> 21, q >> 11)) >> (q >> 27)).wrapping_add(1) >> 1
    }
}

/// Between entry `k mod 64` and the next one, `r mod 1024` parts of the way.
#[inline(always)]
pub(crate) fn interpolate(table: &[u16; 65], k: u32, r: u32) -> u32 {
    let at = (k & 63) as usize;
    // Both indices are below 65, and the compiler sees it.
    let (here, next) = (u32::from(table[at]), u32::from(table[at + 1]));
    here - (((here - next).wrapping_mul(r & 1023).wrapping_add(512)) >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decay(mul: u32, shift: u8) -> Decay {
        Decay::new(&Meta { k_mul: mul, k_shift: shift, ..Meta::default() })
    }

    #[test]
    fn the_table_is_its_formula() {
        for (k, &entry) in TABLE.iter().enumerate() {
            assert_eq!(f64::from(entry), (32_767.0 * (-(k as f64) / 64.0).exp2()).round(), "{k}");
        }
    }

    #[test]
    fn values_are_within_two_units_and_never_rise() {
        for (mul, shift) in [(1, 0), (5000, 0), (77_777, 3), (1 << 20, 9), (3 << 29, 0), (u32::MAX, 31)] {
            let decay = decay(mul, shift);
            let octaves = f64::from(mul) / f64::from(1 << 27) / f64::from(1u32 << shift);
            let mut last = 32_767;
            for i in 0..200_000u32 {
                let s = (f64::from(i) / 200_000.0 * 20.0 / octaves).min(4e9) as u32;
                // A shift drops the low bits of the argument; the exponential of the rest is met.
                let kept = s >> shift << shift;
                let (seen, truth) = (decay.of(s), 32_767.0 * (-f64::from(kept) * octaves).exp2());
                assert!((f64::from(seen) - truth).abs() < 2.0, "{mul} {shift} {s}: {seen}, {truth}");
                assert!(seen <= last, "{mul} {shift} {s}");
                last = seen;
            }
        }
    }

    #[test]
    fn nothing_is_far_enough_to_overflow() {
        for (mul, shift) in [(1, 0), (5000, 0), (u32::MAX, 0), (u32::MAX, 31)] {
            assert_eq!(decay(mul, shift).of(0), 32_767);
            assert!(decay(mul, shift).of(u32::MAX) <= 32_767);
        }
        assert_eq!(decay(5000, 0).of(u32::MAX), 0);
    }
}
