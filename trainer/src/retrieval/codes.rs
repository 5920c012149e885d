//! Binary codes, packed, and their Hamming distances.

use crate::linalg::Mat;

/// One code per row, all of the same number of bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    bits: usize,
    /// Words per code.
    stride: usize,
    words: Vec<u64>,
}

impl Codes {
    /// Bit `j` of row `i` is set where the value there is above zero.
    #[must_use]
    pub fn positive(values: &Mat) -> Self {
        let (bits, stride) = (values.ncols(), values.ncols().div_ceil(64));
        let mut words = vec![0; values.nrows() * stride];
        for (j, column) in values.column_iter().enumerate() {
            for (i, value) in column.iter().enumerate() {
                words[i * stride + j / 64] |= u64::from(*value > 0.0) << (j % 64);
            }
        }
        Self { bits, stride, words }
    }

    /// Number of bits of a code.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Number of codes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether there is no code.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The Hamming distance of every code from code `index` of `others`.
    pub(crate) fn distances<'a>(&'a self, others: &'a Self, index: usize) -> impl Iterator<Item = f64> + 'a {
        let other = &others.words[index * others.stride..(index + 1) * others.stride];
        let distance = move |code: &[u64]| code.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        self.words.chunks_exact(self.stride.max(1)).map(move |code| f64::from(distance(code)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_the_signs_that_differ() {
        // 70 bits: two words per code.
        let values = Mat::from_fn(3, 70, |i, j| if j % (i + 1) == 0 { 1.0 } else { -1.0 });
        let codes = Codes::positive(&values);
        assert_eq!((codes.bits(), codes.len()), (70, 3));
        let expected: Vec<f64> = (0..3)
            .map(|i| (0..70).filter(|&j| (values[(i, j)] > 0.0) != (values[(1, j)] > 0.0)).count() as f64)
            .collect();
        assert_eq!(codes.distances(&codes, 1).collect::<Vec<_>>(), expected);
        assert_eq!(expected[1], 0.0);
    }
}
