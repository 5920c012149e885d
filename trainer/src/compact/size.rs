//! What a compact model takes in flash, to the byte.

use nearmark_format::{HEADER_LEN, Meta};

/// How a model's numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numeric {
    /// Floats.
    F32,
    /// Projection, centers and readout of 8 bits each.
    #[default]
    I8,
}

/// The sizes that a compact model's bytes follow from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Features behind window statistics and pooling.
    pub features: usize,
    /// Features that the projection looks at.
    pub kept: usize,
    /// Projected values.
    pub projected: usize,
    /// Kernel centers.
    pub centers: usize,
    /// Length of the embedding.
    pub dim: usize,
    /// Classes.
    pub classes: usize,
    /// Whether class points are the unit vectors, which cost nothing.
    pub unit: bool,
}

impl Shape {
    /// Bytes of the model's core without class names. Float samples whose features have ranges of their own may take
    /// four bytes more per feature in the integer form.
    #[must_use]
    pub fn bytes(&self, numeric: Numeric) -> usize {
        let with = |kept: usize| Self { kept, ..*self }.stored(numeric);
        if self.drops(numeric) { with(self.kept) + self.mask() } else { with(self.features) }
    }

    /// Whether it saves bytes to leave out the features that are not kept: which ones has to be stored.
    #[must_use]
    pub fn drops(&self, numeric: Numeric) -> bool {
        let with = |kept: usize| Self { kept, ..*self }.stored(numeric);
        with(self.kept) + self.mask() < with(self.features)
    }

    /// A bit per feature.
    fn mask(&self) -> usize {
        self.features.div_ceil(32) * 4
    }

    /// Bytes but for the mask.
    fn stored(&self, numeric: Numeric) -> usize {
        let four = |count: usize| count.next_multiple_of(4);
        let (p, m, d) = (four(self.projected), four(self.centers), self.dim);
        HEADER_LEN
            + four(size_of::<Meta>())
            + match numeric {
                Numeric::F32 => {
                    // Unit vectors need the readout's bias; class points take it in.
                    let head = if self.unit { d } else { self.classes * d };
                    4 * (p * self.kept + m * self.projected + m * d + head)
                }
                Numeric::I8 => {
                    // Weights, a multiplier and a bias per output.
                    let head = if self.unit { 4 * d } else { four(2 * self.classes * d) };
                    p * four(self.kept) + 6 * p + m * p + m * d + four(2 * d) + head
                }
            }
    }

    /// The same with as many centers as fit; none if not even four do.
    #[must_use]
    pub fn fill(self, bytes: usize, numeric: Numeric) -> Option<Self> {
        let with = |centers: usize| Self { centers, ..self };
        // Four centers lie side by side: a number between costs as much as the next multiple of four.
        let bare = with(0).bytes(numeric);
        let each = with(4).bytes(numeric) - bare;
        let quads = bytes.checked_sub(bare)? / each;
        (quads > 0).then(|| with(4 * quads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_group_of_centers_would_not_fit() {
        for numeric in [Numeric::F32, Numeric::I8] {
            let shape = Shape { features: 64, kept: 50, projected: 10, centers: 0, dim: 6, classes: 10, unit: false };
            let full = shape.fill(8192, numeric).unwrap_or(shape);
            let more = Shape { centers: full.centers + 4, ..full };
            assert!(full.bytes(numeric) <= 8192 && more.bytes(numeric) > 8192, "{full:?}");
        }
    }

    #[test]
    fn what_cannot_fit_is_told() {
        let shape = Shape { features: 64, kept: 64, projected: 32, centers: 0, dim: 10, classes: 10, unit: true };
        assert_eq!(shape.fill(2048, Numeric::I8), None);
    }
}
