//! Sums of filters of convolutions: words hold two pixels as halves, and a multiplication by a weight gives both products.

use crate::instructions::{STEP, add_pairs, sums_of_bytes};

/// What keeps the lower half of a sum of pairs positive: sums of up to 16 products of a byte and a signed nibble
/// lie within ± 2¹⁵.
const MIDDLE: u32 = 0x8000;

/// As [`portable::filter_i4`](crate::portable::filter_i4).
#[inline(never)]
pub fn filter_i4(weights: &[u8], columns: &[[u32; 3]], channels: usize, sums: &mut [[i32; 4]]) {
    let (steps, last) = weights.as_chunks();
    for (at, out) in sums.iter_mut().enumerate() {
        let Some([left, right]) = windows(columns, channels, at) else { return };
        let (lefts, last_left) = left.as_chunks();
        let (rights, last_right) = right.as_chunks();
        let mut sums = Sums::default();
        for ((weights, left), right) in steps.iter().zip(lefts).zip(rights) {
            sums.add(add_pairs(weights, left, right, MIDDLE));
        }
        if !last_left.is_empty() {
            sums.add(add_last(last, last_left, last_right));
        }
        *out = sums.finish();
    }
}

/// Fewer than twelve weights, filled up with zeros, which have no part in a sum.
#[inline(never)] // rare: it would take registers from the loop
fn add_last(weights: &[u8], left: &[[u32; 3]], right: &[[u32; 3]]) -> [u32; 2] {
    let (mut w, mut l, mut r) = ([0; 6], [[0; 3]; STEP], [[0; 3]; STEP]);
    w.iter_mut().zip(weights).for_each(|(to, &from)| *to = from);
    l.iter_mut().zip(left).for_each(|(to, &from)| *to = from);
    r.iter_mut().zip(right).for_each(|(to, &from)| *to = from);
    add_pairs(&w, &l, &r, MIDDLE)
}

/// As [`portable::filter_i8`](crate::portable::filter_i8).
#[inline(never)]
pub fn filter_i8(weights: &[u8], columns: &[[u32; 3]], channels: usize, sums: &mut [[i32; 4]]) {
    let (weights, _) = weights.as_chunks();
    for (at, sums) in sums.iter_mut().enumerate() {
        let Some([left, right]) = windows(columns, channels, at) else { return };
        *sums = sums_of_bytes(weights, left, right);
    }
}

/// The columns of input of two columns of output.
#[inline(always)]
fn windows(columns: &[[u32; 3]], channels: usize, at: usize) -> Option<[&[[u32; 3]]; 2]> {
    // One check for both.
    let four = columns.get(at.wrapping_mul(channels).wrapping_mul(2)..)?.get(..channels.wrapping_mul(4))?;
    let (left, _) = four.split_at_checked(channels.wrapping_mul(3))?;
    Some([left, four.get(channels..)?])
}

/// Sums of pairs and of their upper halves, whose difference is the lower halves: two additions for each.
#[derive(Default)]
struct Sums {
    pairs: [u32; 2],
    upper: [u32; 2],
    /// What [`MIDDLE`] has added to the lower halves.
    excess: u32,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, [left, right]: [u32; 2]) {
        let upper = |pair: u32| (pair as i32 >> 16) as u32;
        self.pairs = [self.pairs[0].wrapping_add(left), self.pairs[1].wrapping_add(right)];
        self.upper = [self.upper[0].wrapping_add(upper(left)), self.upper[1].wrapping_add(upper(right))];
        self.excess = self.excess.wrapping_add(MIDDLE);
    }

    #[inline(always)]
    fn finish(self) -> [i32; 4] {
        let lower = |at: usize| self.pairs[at].wrapping_sub(self.upper[at] << 16).wrapping_sub(self.excess);
        [lower(0) as i32, self.upper[0] as i32, lower(1) as i32, self.upper[1] as i32]
    }
}
