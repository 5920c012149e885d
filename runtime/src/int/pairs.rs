//! Sums of filters over words that hold two pixels of a column as halves: the inner loops of convolutions.
//!
//! Each gives the sums of one filter for two columns of its output at a time: above and below of the left one, then of the
//! right one. Three columns of `words`, of `stride` words each, belong to a column of output.

#[cfg(feature = "dsp")]
pub(crate) use nearmark_dsp::pair_sums as nibbles;

#[cfg(not(feature = "dsp"))]
pub(crate) use self::portable::nibbles;

#[cfg(not(feature = "dsp"))]
mod portable {
    /// What keeps the lower half of a sum of pairs positive: sums of up to 16 products of a byte and a signed nibble
    /// lie within ± 2¹⁵.
    const MIDDLE: u32 = 0x8000;

    /// With weights of 4 bits, the low nibble of a byte first: both pixels of a word in one multiplication.
    #[inline(never)]
    pub(crate) fn nibbles(weights: &[u8], words: &[u32], stride: usize, sums: &mut [[i32; 4]]) {
        let mut rest = words;
        for sums in sums.as_flattened_mut().as_chunks_mut::<2>().0 {
            let Some(words) = rest.get(..stride.wrapping_mul(3)) else { return };
            *sums = column(weights, words);
            rest = rest.get(stride..).unwrap_or_default();
        }
    }

    /// One column at a time: sums of two, and their weights, do not fit the registers of small cores.
    #[inline(always)]
    fn column(weights: &[u8], words: &[u32]) -> [i32; 2] {
        let mut sums = Sums::default();
        let (chunks, rest) = words.as_chunks::<8>();
        for (bytes, words) in weights.as_chunks::<4>().0.iter().zip(chunks) {
            let mut pair = MIDDLE;
            let mut step = |at: usize| {
                let (low, high) = (low(bytes[at]), (bytes[at] as i8 >> 4) as u32);
                pair = pair.wrapping_add(words[2 * at].wrapping_mul(low));
                pair = pair.wrapping_add(words[2 * at + 1].wrapping_mul(high));
            };
            // Written out: at `opt-level = "s"` it would stay a loop.
            step(0);
            step(1);
            step(2);
            step(3);
            sums.add(pair);
        }
        if !rest.is_empty() {
            let mut bytes = weights.get(4 * chunks.len()..).unwrap_or_default().iter();
            let mut pair = MIDDLE;
            for words in rest.chunks(2) {
                let byte = bytes.next().map_or(0, |byte| *byte);
                for (&word, weight) in words.iter().zip([low(byte), (byte as i8 >> 4) as u32]) {
                    pair = pair.wrapping_add(word.wrapping_mul(weight));
                }
            }
            sums.add(pair);
        }
        sums.finish()
    }

    /// The low nibble of a byte, signed.
    #[inline(always)]
    fn low(byte: u8) -> u32 {
        ((u32::from(byte) << 28) as i32 >> 28) as u32
    }

    /// Sums of pairs and of their upper halves, whose difference is the lower halves.
    #[derive(Default)]
    struct Sums {
        pairs: u32,
        upper: u32,
        /// What [`MIDDLE`] has added to the lower halves.
        excess: u32,
    }

    impl Sums {
        #[inline(always)]
        fn add(&mut self, pair: u32) {
            self.pairs = self.pairs.wrapping_add(pair);
            self.upper = self.upper.wrapping_add((pair as i32 >> 16) as u32);
            self.excess = self.excess.wrapping_add(MIDDLE);
        }

        #[inline(always)]
        fn finish(self) -> [i32; 2] {
            [self.pairs.wrapping_sub(self.upper << 16).wrapping_sub(self.excess) as i32, self.upper as i32]
        }
    }
}

/// With weights of 8 bits, whose sums do not fit halves: every pixel by itself.
#[inline(never)]
pub(crate) fn bytes(weights: &[u8], words: &[u32], stride: usize, sums: &mut [[i32; 4]]) {
    let mut rest = words;
    for sums in sums.as_flattened_mut().as_chunks_mut::<2>().0 {
        let [mut above, mut below] = [0i32; 2];
        for (&weight, &word) in weights.iter().zip(rest) {
            let weight = i32::from(weight as i8);
            above = above.wrapping_add((word as i16 as i32).wrapping_mul(weight));
            below = below.wrapping_add((word as i32 >> 16).wrapping_mul(weight));
        }
        *sums = [above, below];
        rest = rest.get(stride..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_a_few_weights_can_be_checked_by_hand() {
        let words = [0x0002_0001, 0x0004_0003, 0x00FF_00FF, 0x0000_00FF];
        let mut sums = [[0; 4]];
        bytes(&[1, 0xFE, 0x80], &words, 1, &mut sums);
        let first = [1 - 6 - 128 * 255, 2 - 8 - 128 * 255];
        assert_eq!(sums, [[first[0], first[1], 3 - 510 - 128 * 255, 4 - 510]]);
        nibbles(&[0xE1, 0x08], &words, 1, &mut sums);
        assert_eq!(sums, [[1 - 6 - 8 * 255, 2 - 8 - 8 * 255, 3 - 510 - 8 * 255, 4 - 510]]);
    }

    #[test]
    fn the_largest_sums_fit_halves() {
        let all = [0x00FF_00FF; 40];
        let mut sums = [[0; 4]];
        nibbles(&[0x88; 15], &all, 10, &mut sums);
        assert_eq!(sums, [[-8 * 255 * 30; 4]]);
        nibbles(&[0x77; 15], &all, 10, &mut sums);
        assert_eq!(sums, [[7 * 255 * 30; 4]]);
    }
}
