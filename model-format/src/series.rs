//! Features of a series: what their numbers mean. Device and trainer share these functions.
//!
//! A feature describes one part of the outputs of one operator over one channel: for most operators how many outputs
//! exceed a threshold, for the others a statistic. `FORMAT.md` has the rules.

/// Kernels of length 9 with three taps of weight 2 and six of −1, numbered 0 to 83: operators below this number.
pub const KERNELS: u8 = 84;
/// Taps of a kernel.
pub const TAPS: u32 = 9;
/// Operator: the value itself.
pub const VALUE: u8 = 84;
/// Operator: the sum of nine taps.
pub const SUM: u8 = 85;
/// Operator: the difference to an earlier value.
pub const DIFFERENCE: u8 = 86;
/// Operator: its absolute value.
pub const DISTANCE: u8 = 87;
/// Statistic: mean.
pub const MEAN: u8 = 88;
/// Statistic: mean absolute deviation from the mean.
pub const DEVIATION: u8 = 89;
/// Statistic: minimum.
pub const MIN: u8 = 90;
/// Statistic: maximum.
pub const MAX: u8 = 91;
/// Statistic: mean absolute step from one value to the next.
pub const MEAN_STEP: u8 = 92;
/// The last operator.
pub const LAST: u8 = MEAN_STEP;
/// The last part: 0 is the whole, 1 and 2 are halves, 3 to 6 quarters.
pub const LAST_PART: u8 = 6;

/// The three taps of weight 2 of a kernel: the kernels follow the lexicographic order of their taps.
#[must_use]
pub const fn taps(kernel: u8) -> [u8; 3] {
    let (mut a, mut b, mut left) = (0, 1, kernel);
    // Kernels that begin with taps a and b: one for each third tap behind b.
    while b < 8 && left >= 8 - b {
        left -= 8 - b;
        b += 1;
        if b == 8 {
            a += 1;
            b = a + 1;
        }
    }
    [a, b, b + 1 + left]
}

/// The dilation with this index in a series of so many steps; 0 where there is none.
///
/// Dilations are the powers of two up to an eighth of the steps before the last one, then that eighth itself.
#[must_use]
pub const fn dilation(steps: u32, index: u8) -> u32 {
    let most = steps.saturating_sub(1) / 8;
    let most = if most == 0 { 1 } else { most };
    let power = 1u32.unbounded_shl(index as u32);
    if power != 0 && power <= most {
        power
    } else if index != 0 && 1u32.unbounded_shl(index as u32 - 1) < most && index < 32 {
        most
    } else {
        0
    }
}

/// How many outputs an operator has over so many steps; 0 where it does not fit.
#[must_use]
pub const fn outputs(steps: u32, operator: u8, dilation: u32) -> u32 {
    match operator {
        DIFFERENCE | DISTANCE => steps.saturating_sub(dilation),
        SUM => steps.saturating_sub(dilation.saturating_mul(TAPS - 1)),
        _ if operator < KERNELS => steps.saturating_sub(dilation.saturating_mul(TAPS - 1)),
        _ => steps,
    }
}

/// Whether outputs of this operator are counted; else it is a statistic.
#[must_use]
pub const fn is_counted(operator: u8) -> bool {
    operator <= DISTANCE
}

/// Whether the operator has a dilation.
#[must_use]
pub const fn is_dilated(operator: u8) -> bool {
    is_counted(operator) && operator != VALUE
}

/// First output and number of outputs of a part.
#[must_use]
pub const fn part(outputs: u32, part: u8) -> (u32, u32) {
    let (parts, at) = match part {
        0 => (1, 0),
        1 | 2 => (2, part as u32 - 1),
        _ => (4, part as u32 - 3),
    };
    let start = outputs.wrapping_mul(at) / parts;
    (start, outputs.wrapping_mul(at + 1) / parts - start)
}

/// What turns a count of so many outputs into a byte: `(count · reciprocal + 2¹⁵) >> 16`.
#[must_use]
pub const fn reciprocal(outputs: u32) -> u32 {
    match (255 * 65_536 + outputs / 2).checked_div(outputs) {
        Some(reciprocal) => reciprocal,
        None => 0,
    }
}

/// The threshold that is stored as these 16 bits: 13 bits, signed, and how far they are shifted.
#[must_use]
pub const fn threshold(stored: u16) -> i32 {
    ((stored as i16 >> 3) as i32) << (stored & 7)
}

/// The 16 bits of the stored threshold nearest to `value`; of two, the larger. Beyond the largest ones those.
#[must_use]
pub const fn stored_threshold(value: i32) -> u16 {
    let mut shift = 0;
    loop {
        let half = if shift == 0 { 0 } else { 1 << (shift - 1) };
        let mantissa = value.saturating_add(half) >> shift;
        if mantissa >= -4096 && mantissa <= 4095 {
            return (mantissa as u16) << 3 | shift;
        }
        if shift == 7 {
            return if value < 0 { 0x8007 } else { 0x7FFF };
        }
        shift += 1;
    }
}

/// Bits of the first word of an entry.
pub(crate) mod bits {
    pub(crate) const OPERATOR: u32 = 0x7F;
    pub(crate) const PART: u32 = 7;
    pub(crate) const DILATION: u32 = 10;
    pub(crate) const SHIFT: u32 = 12;
}

/// The first word of an entry: what to compute. (An F32 entry has a second word, a float.)
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Word(pub u32);

impl Word {
    /// Which operator.
    #[must_use]
    #[inline]
    pub const fn operator(self) -> u8 {
        (self.0 & bits::OPERATOR) as u8
    }

    /// Which part of its outputs.
    #[must_use]
    #[inline]
    pub const fn part(self) -> u8 {
        (self.0 >> bits::PART & 7) as u8
    }

    /// The index of its dilation.
    #[must_use]
    #[inline]
    pub const fn dilation(self) -> u8 {
        (self.0 >> bits::DILATION & 15) as u8
    }

    /// Of an INT statistic: its multiplier in quarters, 4 to 7.
    #[must_use]
    #[inline]
    pub const fn quarters(self) -> i32 {
        (4 + (self.0 >> bits::DILATION & 3)) as i32
    }

    /// Of an INT statistic: how far it is shifted to the right.
    #[must_use]
    #[inline]
    pub const fn shift(self) -> u8 {
        (self.0 >> bits::SHIFT & 15) as u8
    }

    /// The upper 16 bits: the threshold or zero of an INT entry, the multiplier of an F32 one.
    #[must_use]
    #[inline]
    pub const fn value(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// The multiplier of an F32 statistic.
    #[must_use]
    #[inline]
    pub const fn multiplier(self) -> f32 {
        f32::from_bits(self.0 & 0xFFFF_0000)
    }

    /// Whether the operator and the part exist in a series of so many steps, and bits without a meaning are zero.
    #[must_use]
    pub(crate) const fn is_valid(self, steps: u32, int: bool) -> bool {
        let operator = self.operator();
        let dilation = if is_dilated(operator) { dilation(steps, self.dilation()) } else { 1 };
        // Bits 10 to 15: a dilation of 14 bits, the scale of an INT statistic, or nothing.
        let spare = if is_dilated(operator) {
            0xC000
        } else if is_counted(operator) || !int {
            0xFC00
        } else {
            0
        };
        operator <= LAST
            && self.part() <= LAST_PART
            && dilation != 0
            && part(outputs(steps, operator, dilation), self.part()).1 != 0
            && self.0 & spare == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_follow_the_order_of_their_taps() {
        let mut number = 0;
        for a in 0..9 {
            for b in a + 1..9 {
                for c in b + 1..9 {
                    assert_eq!(taps(number), [a, b, c]);
                    number += 1;
                }
            }
        }
        assert_eq!(number, KERNELS);
        assert_eq!((taps(0), taps(83)), ([0, 1, 2], [6, 7, 8]));
    }

    #[test]
    fn dilations_are_powers_of_two_and_the_largest() {
        let of = |steps, dilations: &[u32]| {
            let found = (0..16).map(|index| dilation(steps, index)).take_while(|&d| d != 0);
            assert!(found.eq(dilations.iter().copied()), "{steps} steps");
        };
        of(128, &[1, 2, 4, 8, 15]);
        of(129, &[1, 2, 4, 8, 16]);
        of(251, &[1, 2, 4, 8, 16, 31]);
        of(1, &[1]);
        of(65_535, &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8191]);
        assert_eq!((dilation(128, 5), dilation(128, 255)), (0, 0));
    }

    #[test]
    fn parts_cover_all_outputs() {
        for outputs in [1, 7, 120] {
            for parts in [0..=0, 1..=2, 3..=6] {
                let mut next = 0;
                for at in parts {
                    let (start, len) = part(outputs, at);
                    assert_eq!(start, next);
                    next += len;
                }
                assert_eq!(next, outputs);
            }
        }
        assert_eq!((part(7, 1), part(7, 2), part(7, 4)), ((0, 3), (3, 4), (1, 2)));
    }

    #[test]
    fn a_count_of_all_outputs_is_255() {
        for outputs in 1..=65_535 {
            assert_eq!((outputs * reciprocal(outputs) + 0x8000) >> 16, 255, "{outputs}");
        }
    }

    #[test]
    fn thresholds_are_stored_as_near_as_possible() {
        for value in [0, 1, -1, 4095, -4096] {
            assert_eq!(threshold(stored_threshold(value)), value);
        }
        for (value, stored) in [(4096, 4096), (4097, 4098), (-4097, -4096), (-4099, -4098), (100_003, 100_000)] {
            assert_eq!(threshold(stored_threshold(value)), stored, "{value}");
        }
        assert_eq!([i32::MAX, i32::MIN].map(|v| threshold(stored_threshold(v))), [4095 << 7, -4096 << 7]);
        for stored in 0..=u16::MAX {
            let value = threshold(stored);
            assert_eq!(threshold(stored_threshold(value)), value);
        }
    }

    #[test]
    fn entries_that_do_not_fit_the_series_are_refused() {
        let word = |operator: u8, part: u32, dilation: u32| Word(u32::from(operator) | part << 7 | dilation << 10);
        assert!(word(0, 0, 0).is_valid(9, true) && !word(0, 0, 0).is_valid(8, true));
        assert!(word(SUM, 6, 4).is_valid(128, true) && !word(SUM, 6, 5).is_valid(128, true));
        assert!(!word(SUM, 7, 0).is_valid(128, true) && !word(LAST + 1, 0, 0).is_valid(128, true));
        assert!(!word(0, 2, 0).is_valid(8, true), "no output");
        assert!(!word(0, 1, 0).is_valid(9, true), "the first half of one output has none");
        assert!(!word(VALUE, 0, 1).is_valid(128, true) && !word(SUM, 0, 16).is_valid(128, true));
        assert!(word(MEAN, 0, 63).is_valid(1, true) && !word(MEAN, 0, 1).is_valid(1, false));
    }
}
