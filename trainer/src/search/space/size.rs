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
    /// Weights that the projection stores, where it stores only those that are not zero.
    pub nonzeros: Option<usize>,
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
    /// Whether every feature has a range of its own at the door of the integer form.
    pub door: bool,
}

impl Shape {
    /// Whether there are no centers: the projection is the embedding.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        self.centers == 0
    }

    /// Whether the projection has all of its weights, as a closed form does.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.kept == self.features && self.nonzeros.is_none()
    }

    /// Bytes of the model's core without class names, at most.
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

    /// Entries of a sparse projection at most: gaps of more than 255 features are bridged by zeros.
    pub(in crate::search) fn entries(&self) -> Option<usize> {
        Some(self.nonzeros? + self.projected * (self.features / 256))
    }

    /// Bytes of the projection's weights: of all, or of those that are not zero and of their places.
    pub(in crate::search) fn weights(&self, numeric: Numeric) -> usize {
        let four = |count: usize| count.next_multiple_of(4);
        let each = if numeric == Numeric::F32 { 4 } else { 1 };
        let Some(nonzeros) = self.entries() else {
            let kept = if numeric == Numeric::F32 { self.kept } else { four(self.kept) };
            return each * four(self.projected) * kept;
        };
        four(2 * self.projected) + four(nonzeros) + four(each * nonzeros)
    }

    /// Bytes but for the mask.
    fn stored(&self, numeric: Numeric) -> usize {
        let four = |count: usize| count.next_multiple_of(4);
        let (p, m, d) = (four(self.projected), four(self.centers), self.dim);
        let fixed = HEADER_LEN + four(size_of::<Meta>());
        let door = if self.door && numeric == Numeric::I8 { 4 * self.kept } else { 0 };
        // Unit vectors need the readout's bias; class points take it in.
        let float_head = if self.unit { d } else { self.classes * d };
        // A bias per output, and class points of 16 bits.
        let points = if self.unit { 0 } else { four(2 * self.classes * d) };
        let sizes = match (numeric, self.is_linear()) {
            (Numeric::F32, true) => 4 * (four(self.kept) * d + float_head),
            (Numeric::F32, false) => self.weights(numeric) + 4 * (m * self.projected + m * d + float_head),
            (Numeric::I8, true) => four(self.kept) * d + four(2 * d) + 4 * d + points,
            (Numeric::I8, false) => {
                // Weights, a multiplier and a bias per output.
                let bias = if self.unit { 4 * d } else { 0 };
                self.weights(numeric) + 6 * p + m * p + m * d + four(2 * d) + bias + points
            }
        };
        fixed + door + sizes
    }

    /// Bytes of scratch; features that are `gathered` by window statistics or pooling are in RAM all at once.
    #[must_use]
    pub fn ram(&self, numeric: Numeric, gathered: bool) -> usize {
        let projected = if self.is_linear() { 0 } else { self.projected.next_multiple_of(4) };
        let dropped = self.drops(numeric);
        let kept = if dropped { self.kept } else { self.features };
        let words = match numeric {
            Numeric::I8 if gathered => self.features.div_ceil(2) + projected / 4,
            Numeric::I8 => kept.div_ceil(4) + projected / 4,
            Numeric::F32 if gathered => self.features + projected,
            Numeric::F32 if dropped => kept + projected,
            Numeric::F32 => projected,
        };
        4 * (words + self.dim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::space::limits::{Fixed, Limits};

    fn fixed() -> Fixed {
        let front = crate::model::cost::Shape { inputs: 64, pooled: 64, ..Default::default() };
        Fixed { features: 64, gathered: false, names: 0, floats: false, bytes: true, front }
    }

    #[test]
    fn one_more_group_of_centers_would_not_fit() {
        for numeric in [Numeric::F32, Numeric::I8] {
            let m4f = crate::emulator::board::BOARDS.into_iter().find(|board| board.name == "m4f");
            let flash = Limits { flash: Some(8192), ..Limits::default() };
            let work = Limits { instructions: m4f.map(|board| (20_000, board)), ..Limits::default() };
            for limits in [flash, Limits { flash: Some(9000), ram: Some(400), ..flash }, work] {
                let shape = Shape {
                    features: 64,
                    kept: 50,
                    nonzeros: None,
                    projected: 10,
                    centers: 4,
                    dim: 6,
                    classes: 10,
                    unit: false,
                    door: false,
                };
                let full = limits.fill(shape, &fixed(), numeric, 10_000).unwrap_or(shape);
                let more = Shape { centers: full.centers + 4, ..full };
                assert!(limits.admit(&full, &fixed(), numeric) && !limits.admit(&more, &fixed(), numeric), "{full:?}");
                assert_eq!(limits.fill(shape, &fixed(), numeric, 30).map(|s| s.centers), Some(30));
            }
        }
    }

    #[test]
    fn what_cannot_fit_is_told() {
        let (features, classes) = (64, 10);
        let (kept, projected, centers, dim) = (features, 32, 4, classes);
        let shape = Shape { features, kept, nonzeros: None, projected, centers, dim, classes, unit: true, door: false };
        let limits = |flash, ram| Limits { flash, ram, ..Limits::default() };
        assert_eq!(limits(Some(2048), None).fill(shape, &fixed(), Numeric::I8, 100), None);
        assert_eq!(limits(Some(8192), Some(64)).fill(shape, &fixed(), Numeric::I8, 100), None);
    }
}
