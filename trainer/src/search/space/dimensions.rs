//! The dimensions of a candidate, and what they cost.
//!
//! Bytes and scratch are those of [`nearmark_format::Spec`], by which the encoder lays out files; instructions are those
//! of [`cost`], from the same description.

use super::inputs::Inputs;
use crate::emulator::board::Board;
use crate::model::cost;
use nearmark_format::meta::code;
use nearmark_format::{Profile, Section, Spec};
use serde::Serialize;

/// How a model's numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Numeric {
    /// 32-bit floats.
    F32,
    /// Projection, centers and readout with 8 bits per weight.
    #[default]
    I8,
}

impl Numeric {
    /// The arithmetic of the model file.
    #[must_use]
    pub fn profile(self) -> Profile {
        match self {
            Self::F32 => Profile::F32,
            Self::I8 => Profile::Int,
        }
    }
}

/// The dimensions of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Dimensions {
    /// Features after window statistics and pooling.
    pub features: usize,
    /// Features that the projection uses.
    pub kept: usize,
    /// Weights that the projection stores, if it is sparse.
    pub nonzeros: Option<usize>,
    /// Projected values.
    pub projected: usize,
    /// Kernel centers.
    pub centers: usize,
    /// Length of the embedding.
    pub dim: usize,
    /// Classes.
    pub classes: usize,
    /// Whether class points are the unit vectors, which take no bytes.
    pub unit: bool,
    /// Whether the input quantization of the integer form has a range per feature.
    pub own_ranges: bool,
}

impl Dimensions {
    /// Whether there are no centers: the projection is the embedding.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        self.centers == 0
    }

    /// Whether the projection uses all features and stores all weights, as a closed form does.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.kept == self.features && self.nonzeros.is_none()
    }

    /// The description of a model file of these dimensions.
    #[must_use]
    pub fn spec(&self, inputs: &Inputs, numeric: Numeric) -> Spec {
        let bare = self.without_mask(inputs, numeric);
        let masked = bare.select(self.kept);
        // A mask costs a bit per feature and saves the weights of those dropped.
        if masked.core_len() < bare.core_len() { masked } else { bare }
    }

    /// The same with all features.
    fn without_mask(&self, inputs: &Inputs, numeric: Numeric) -> Spec {
        let int = numeric == Numeric::I8;
        let mut spec = inputs.spec(numeric, self.dim, self.classes);
        spec = match (int, self.own_ranges) {
            (true, true) => spec.scale(code::SCALE_FEATURES),
            (true, false) if !inputs.is_bytes() => spec.scale(code::SCALE_UNIFORM),
            // Bytes need no scaling, and floats have it in their weights.
            _ => spec,
        };
        if !self.is_linear() {
            // Integers need a bias for their zero point; floats have it in the centers.
            spec = match self.entries() {
                Some(entries) => spec.project_sparse(self.projected, entries, int),
                None => spec.project(self.projected, int),
            };
            spec = spec.centers(self.centers, code::KERNEL_GAUSSIAN);
        }
        // Class points other than the unit vectors absorb the bias, except for the zero point of integer features.
        spec = spec.readout(self.unit || int && self.is_linear());
        if self.unit { spec } else { spec.means() }
    }

    /// Bytes of flash without class names, at most.
    #[must_use]
    pub fn bytes(&self, numeric: Numeric) -> usize {
        self.spec(&Inputs::plain(self.features), numeric).core_len()
    }

    /// Bytes of scratch.
    #[must_use]
    pub fn scratch_bytes(&self, inputs: &Inputs, numeric: Numeric) -> usize {
        4 * self.spec(inputs, numeric).scratch_words() as usize
    }

    /// Instructions of one classification on a board, without its DSP instructions.
    #[must_use]
    pub fn instructions(&self, inputs: &Inputs, numeric: Numeric, board: Board) -> u64 {
        cost::instructions(&cost::Shape::from(&self.spec(inputs, numeric)), board, false)
    }

    /// Whether a mask of the kept features saves bytes.
    #[must_use]
    pub fn drops_features(&self, numeric: Numeric) -> bool {
        self.spec(&Inputs::plain(self.features), numeric).meta().has_select()
    }

    /// Entries of a sparse projection, at most: gaps of more than 255 features are bridged by zeros.
    fn entries(&self) -> Option<usize> {
        Some(self.nonzeros? + self.projected * bridges(self.features))
    }

    /// Bytes of the projection's weights: of all kept ones, or of the nonzeros and their positions.
    pub(in crate::search) fn projection_bytes(&self, numeric: Numeric) -> usize {
        let spec = self.without_mask(&Inputs::plain(self.features), numeric).select(self.kept);
        let sparse = [Section::SparseCounts, Section::SparseGaps].map(|s| spec.section_bytes(s)).iter().sum::<usize>();
        // The integer multipliers of the outputs lie in the same section as the weights.
        let without = spec.project_sparse(self.projected, 0, true).section_bytes(Section::Project);
        sparse + spec.section_bytes(Section::Project) - without
    }
}

/// Zeros that a sparse output may need to bridge gaps: a gap is stored in one byte.
pub(in crate::search) fn bridges(features: usize) -> usize {
    features / 256
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Dimensions = Dimensions {
        features: 64,
        kept: 64,
        nonzeros: None,
        projected: 10,
        centers: 40,
        dim: 9,
        classes: 9,
        unit: true,
        own_ranges: false,
    };

    #[test]
    fn sections_are_those_that_one_can_count() {
        let spec = PLAIN.spec(&Inputs::plain(64), Numeric::F32);
        assert_eq!(spec.section_bytes(Section::Project), 4 * 12 * 64, "outputs in groups of four");
        assert_eq!(spec.section_bytes(Section::Centers), 4 * 40 * 10);
        assert_eq!(spec.section_bytes(Section::Readout) + spec.section_bytes(Section::ReadoutBias), 4 * (40 * 9 + 9));
        assert_eq!((spec.section_bytes(Section::Mask), spec.section_bytes(Section::Head)), (0, 0));
        let int = PLAIN.spec(&Inputs::plain(64), Numeric::I8);
        assert_eq!(int.section_bytes(Section::Centers), 40 * 12);
        assert!(Dimensions { own_ranges: true, ..PLAIN }.bytes(Numeric::I8) == PLAIN.bytes(Numeric::I8) + 4 * 64);
    }

    #[test]
    fn a_mask_is_stored_where_it_saves_bytes() {
        // Four of 64 features less: 4·10 weights saved (in groups of four outputs), 8 bytes of mask.
        assert!(Dimensions { kept: 60, ..PLAIN }.drops_features(Numeric::I8));
        assert!(!PLAIN.drops_features(Numeric::I8));
        // One feature of a linear model with one output saves at most four bytes.
        let line = Dimensions { centers: 0, projected: 1, dim: 1, classes: 2, unit: false, ..PLAIN };
        assert!(!Dimensions { kept: 63, ..line }.drops_features(Numeric::I8));
    }
}
