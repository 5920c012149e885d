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
    // Of the kernels that begin with tap a there is one for each pair of later taps, of those that go on with b one for
    // each tap behind b. (Plain words, and wrapping: fewer instructions, and any number ends.)
    let (mut left, mut behind) = (kernel as u32, 8u32);
    while left >= behind * (behind - 1) / 2 && behind > 2 {
        left -= behind * (behind - 1) / 2;
        behind -= 1;
    }
    let a = 8 - behind;
    while left >= behind - 1 && behind > 2 {
        left -= behind - 1;
        behind -= 1;
    }
    let b = 9 - behind;
    [a as u8, b as u8, (b + 1 + left) as u8]
}

/// The dilation with this index in a series of so many steps; 0 where there is none.
///
/// Dilations are the powers of two up to an eighth of the steps before the last one, then that eighth itself.
#[must_use]
pub const fn dilation(steps: u32, index: u8) -> u32 {
    if index != 0 && limited_dilation(steps, index - 1) == limited_dilation(steps, u8::MAX) {
        return 0;
    }
    limited_dilation(steps, index)
}

/// The same for indices that are known to exist: of others, the last dilation.
const fn limited_dilation(steps: u32, index: u8) -> u32 {
    let most = steps.saturating_sub(1) / 8;
    let most = if most == 0 { 1 } else { most };
    let power = if index < 16 { 1 << index } else { most };
    if power < most { power } else { most }
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
    let (halvings, at) = match part {
        0 => (0, 0),
        1 | 2 => (1, part as u32 - 1),
        _ => (2, part as u32 - 3),
    };
    let start = outputs.wrapping_mul(at) >> halvings;
    (start, (outputs.wrapping_mul(at + 1) >> halvings).wrapping_sub(start))
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

    /// The outputs that it describes in a series of so many steps.
    #[must_use]
    #[inline(never)] // asked for on load and for every sample
    pub const fn span(self, steps: u32) -> Span {
        let operator = self.operator();
        let dilation = if is_dilated(operator) { limited_dilation(steps, self.dilation()) } else { 0 };
        let (start, len) = part(outputs(steps, operator, dilation), self.part());
        Span { dilation, start, len: if operator > LAST || self.part() > LAST_PART { 0 } else { len } }
    }
}

/// Outputs of an operator over a series.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Steps from one tap to the next; 0 for operators without a dilation.
    pub dilation: u32,
    /// The first output.
    pub start: u32,
    /// How many; 0 where the operator or the part does not exist.
    pub len: u32,
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
    fn entries_that_do_not_fit_the_series_have_no_outputs() {
        let word = |operator: u8, part: u32, dilation: u32| Word(u32::from(operator) | part << 7 | dilation << 10);
        let len = |word: Word, steps| word.span(steps).len;
        assert_eq!((len(word(0, 0, 0), 9), len(word(0, 0, 0), 8)), (1, 0));
        assert_eq!(word(SUM, 6, 4).span(128), Span { dilation: 15, start: 6, len: 2 });
        assert_eq!(word(DIFFERENCE, 1, 1).span(20), Span { dilation: 2, start: 0, len: 9 });
        assert_eq!((len(word(SUM, 7, 0), 128), len(word(LAST + 1, 0, 0), 128)), (0, 0));
        assert_eq!(len(word(0, 1, 0), 9), 0, "the first half of one output has none");
        assert_eq!(word(MEAN, 0, 63).span(1), Span { dilation: 0, start: 0, len: 1 });
    }
}
