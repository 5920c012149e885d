//! Padding that a loop of the INT profile takes into its sums must be zero.
//!
//! Integer loops read whole groups of four rows, and whole blocks of four inputs where those are bytes. What else is
//! padded is never looked at, and so not checked. Nor is the F32 profile: one loop answers for rows and batches alike,
//! and the check would take 3 % of its flash.

use crate::{
    Meta, Num, Section,
    sections::{COUNT, Sizes},
};

/// Whether the padding in the sections of an integer model changes no answer.
pub(crate) fn is_harmless(m: &Meta, sizes: Sizes, body: &[u32], ends: &[u32; COUNT]) -> bool {
    let Sizes { projected, mapped, dim, .. } = sizes;
    // The words `behind` the end of a section, and `len` before them.
    let last = |section: Section, behind: u32, len: u32| {
        let end = ends.get(section as usize).map_or(0, |end| end.wrapping_sub(behind));
        body.get(end.wrapping_sub(len) as usize..end as usize).unwrap_or_default()
    };
    let mut good = true;
    if m.readout != 0 {
        // Rows beyond the last value; multipliers lie behind the weights.
        let group = if m.readout_num == Num::I16 as u8 { 2 } else { 1 };
        let weights = last(Section::Readout, dim.div_ceil(2), group * dim);
        good = if m.has_nibble_readout() { is_zero_nibble(weights, mapped) } else { is_zero(weights, group, mapped) };
    }
    // A multiplier of zero makes the outputs beyond the last one zero, whatever their weights.
    if m.has_projection() {
        good &= is_zero(last(Section::Project, 0, 2), 2, projected);
    }
    // Inputs beyond the last one are zero in a sample: only distances to centers would count them.
    if m.has_centers() {
        let (mut rows, mut behind) = (0, 0);
        while rows < mapped {
            let row_ends = last(Section::Centers, behind, 4);
            let (zero, words) = if m.has_nibble_centers() {
                (is_zero_nibble(row_ends, projected), projected.div_ceil(8))
            } else {
                (is_zero(row_ends, 1, projected), projected.div_ceil(4))
            };
            good &= zero;
            behind = behind.wrapping_add(words * 4);
            rows += 4;
        }
    }
    good
}

/// Whether of the four values in every `group` words (1 or 2) those beyond the last of `count` are zero.
fn is_zero(words: &[u32], group: u32, count: u32) -> bool {
    let used = ((count.wrapping_sub(1) & 3) + 1) * 8 * group;
    let mut at = 0;
    words.iter().all(|word| {
        let spare = word.unbounded_shr(used.saturating_sub(at));
        at = (at + 32) & (32 * group - 1);
        spare == 0
    })
}

/// Whether of the eight nibbles in every word those beyond the last of `count` are zero.
fn is_zero_nibble(words: &[u32], count: u32) -> bool {
    const LOWER: u32 = 0x0F0F_0F0F;
    let used = (count.wrapping_sub(1) & 7) + 1;
    // The first four lie in the lower halves of the bytes.
    let beyond = |first: u32| LOWER.unbounded_shl(used.saturating_sub(first) * 8);
    let spare = beyond(0) | beyond(4) << 4;
    words.iter().all(|word| word & spare == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nibbles_beyond_the_last_are_zero() {
        for (count, spare) in
            [(1, 0xFFFF_FFF0), (3, 0xFFF0_F0F0), (4, 0xF0F0_F0F0), (5, 0xF0F0_F000), (15, 0xF000_0000), (16, 0)]
        {
            assert!(is_zero_nibble(&[!spare, 0], count), "{count}");
            let wrong = (0..32).map(|bit| 1 << bit).filter(|bit| spare & bit != 0);
            assert!(wrong.into_iter().all(|bit: u32| !is_zero_nibble(&[0, bit], count)), "{count}");
        }
    }

    #[test]
    fn values_beyond_the_last_are_zero_in_every_width() {
        // Five values: one in the last group of four.
        assert!(is_zero(&[0xFF, 0x01], 1, 5) && !is_zero(&[0xFF, 0x100], 1, 5));
        assert!(is_zero(&[0xFFFF, 0, 1, 0], 2, 5) && !is_zero(&[0xFFFF, 0, 1, 1], 2, 5));
        // Seven values: three.
        assert!(is_zero(&[0xFF_FFFF], 1, 7) && !is_zero(&[0x100_0000], 1, 7));
        assert!(is_zero(&[u32::MAX, 0xFFFF], 2, 7) && !is_zero(&[u32::MAX, 0x1_0000], 2, 7));
        // Eight values: nothing is padded.
        assert!(is_zero(&[u32::MAX; 4], 1, 8) && is_zero(&[u32::MAX; 4], 2, 8));
    }
}
