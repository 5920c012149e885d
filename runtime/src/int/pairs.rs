//! Sums of filters over words that hold two pixels of a column as halves: the inner loops of convolutions.
//!
//! A column of one channel is three words, of rows (0, 1), (1, 2) and (2, 3). Each function gives the sums of one filter for
//! two columns of its output at a time: above and below of the left one, then of the right one. Three columns of all
//! `channels` belong to a column of output.

/// Pairs of rows of one column and channel.
pub(crate) type Column = [u32; 3];

#[cfg(feature = "dsp")]
pub(crate) use nearmark_dsp::{filter_i4 as nibbles, filter_i8 as bytes};

#[cfg(not(feature = "dsp"))]
pub(crate) use self::portable::{bytes, nibbles};

#[cfg(not(feature = "dsp"))]
mod portable {
    use super::Column;

    /// What keeps the lower half of a sum of pairs positive: sums of up to 16 products of a byte and a signed nibble
    /// lie within ± 2¹⁵.
    const MIDDLE: u32 = 0x8000;

    /// With weights of 4 bits, the low nibble of a byte first: both pixels of a word in one multiplication.
    #[inline(never)]
    pub(crate) fn nibbles(weights: &[u8], columns: &[Column], channels: usize, sums: &mut [[i32; 4]]) {
        let mut rest = columns;
        for sums in sums.as_flattened_mut().as_chunks_mut::<2>().0 {
            let Some(columns) = rest.get(..channels.wrapping_mul(3)) else { return };
            *sums = column(weights, columns.as_flattened());
            rest = rest.get(channels..).unwrap_or_default();
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

    /// With weights of 8 bits, whose sums do not fit halves: every pixel by itself.
    #[inline(never)]
    pub(crate) fn bytes(weights: &[u8], columns: &[Column], channels: usize, sums: &mut [[i32; 4]]) {
        let (weights, _) = weights.as_chunks::<3>();
        let mut rest = columns;
        for sums in sums.as_flattened_mut().as_chunks_mut::<2>().0 {
            let [mut above, mut below] = [0i32; 2];
            for (&[w0, w1, w2], [first, _, last]) in weights.iter().zip(rest) {
                // Written out: at `opt-level = "s"` a loop over three would go through memory.
                let mut add = |weight: u8, x: i32, next: i32| {
                    above = above.wrapping_add(x.wrapping_mul((weight as i8).into()));
                    below = below.wrapping_add(next.wrapping_mul((weight as i8).into()));
                };
                let (x0, x1) = (*first as i16 as i32, *first as i32 >> 16);
                add(w0, x0, x1);
                let (x2, x3) = (*last as i16 as i32, *last as i32 >> 16);
                add(w1, x1, x2);
                add(w2, x2, x3);
            }
            *sums = [above, below];
            rest = rest.get(channels..).unwrap_or_default();
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_a_few_weights_can_be_checked_by_hand() {
        // Rows 1, 2, 3, 4 of the first column, 255, 0, 0, 255 of the second, zeros beyond.
        let columns = [[0x0002_0001, 0x0003_0002, 0x0004_0003], [0x0000_00FF, 0, 0x00FF_0000], [0; 3], [0; 3]];
        let mut sums = [[9; 4]];
        bytes(&[1, 0xFE, 0x80, 0, 0, 1, 5, 5, 5], &columns, 1, &mut sums);
        assert_eq!(sums, [[1 - 4 - 3 * 128, 2 - 6 - 4 * 128 + 255, 255, -255 * 128]]);
        nibbles(&[0xE1, 0x08, 0x10, 0x55, 0x05], &columns, 1, &mut sums);
        assert_eq!(sums, [[1 - 4 - 3 * 8, 2 - 6 - 4 * 8 + 255, 255, -255 * 8]]);
    }

    #[test]
    fn the_largest_sums_fit_halves() {
        let all = [[0x00FF_00FF; 3]; 12];
        let mut sums = [[0; 4]];
        nibbles(&[0x88; 14], &all, 3, &mut sums);
        assert_eq!(sums, [[-8 * 255 * 27; 4]]);
        nibbles(&[0x77; 14], &all, 3, &mut sums);
        assert_eq!(sums, [[7 * 255 * 27; 4]]);
    }
}
