//! Sums of filters of convolutions: words hold two pixels as halves, and a multiplication by a weight gives both products.

use crate::instructions::add_pairs;

/// What keeps the lower half of a sum of pairs positive: sums of up to 16 products of a byte and a signed nibble
/// lie within ± 2¹⁵.
const MIDDLE: u32 = 0x8000;

/// As [`portable::pair_sums`](crate::portable::pair_sums).
#[must_use]
#[inline(never)]
pub fn pair_sums(weights: &[u8], left: &[u32], right: &[u32]) -> [i32; 4] {
    let right = right.get(..left.len()).unwrap_or_default();
    let ((lefts, left), (rights, right)) = (left.as_chunks(), right.as_chunks());
    let chunks = weights.as_chunks().0;
    let mut sums = Sums::default();
    for ((bytes, left), right) in chunks.iter().zip(lefts).zip(rights) {
        sums.add(add_pairs(bytes, left, right, [MIDDLE; 2]));
    }
    if !left.is_empty() {
        // Zeros have no part in a sum.
        let (mut bytes, mut l, mut r) = ([0; 6], [0; 12], [0; 12]);
        let weights = weights.get(6 * lefts.len()..).unwrap_or_default();
        bytes.iter_mut().zip(weights).for_each(|(to, &from)| *to = from);
        l.iter_mut().zip(left).for_each(|(to, &from)| *to = from);
        r.iter_mut().zip(right).for_each(|(to, &from)| *to = from);
        sums.add(add_pairs(&bytes, &l, &r, [MIDDLE; 2]));
    }
    sums.finish()
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
