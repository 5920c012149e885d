//! The dimensions of a candidate, what they cost, and the budget that they have to keep.
//!
//! Bytes and scratch are those of [`nearmark_format::Spec`], by which the encoder lays out files; instructions are those
//! of [`cost`], from the same description.

use super::inputs::Inputs;
use crate::compile::quantize::learned::Widths;
use crate::emulator::board::Board;
use crate::model::cost;
use nearmark_format::meta::code;
use nearmark_format::{Section, Spec};
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
    /// Bits of the weights of integer models with centers.
    pub widths: Widths,
}

impl Dimensions {
    /// All features, all weights, one input range, and unit vectors as class points where there are as many coordinates.
    #[must_use]
    pub const fn dense(features: usize, projected: usize, centers: usize, dim: usize, classes: usize) -> Self {
        let (kept, nonzeros, unit, own_ranges, widths) = (features, None, dim == classes, false, Widths::WIDE);
        Self { features, kept, nonzeros, projected, centers, dim, classes, unit, own_ranges, widths }
    }

    /// Whether there are no centers: the projection is the embedding.
    pub(in crate::search) fn is_linear(&self) -> bool {
        self.centers == 0
    }

    /// Whether the projection uses all features and stores all weights, as a closed form does.
    pub(in crate::search) fn is_dense(&self) -> bool {
        self.kept == self.features && self.nonzeros.is_none()
    }

    /// The description of a model file of these dimensions.
    pub(in crate::search) fn spec(&self, inputs: &Inputs, numeric: Numeric) -> Spec {
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
        spec = if self.unit { spec } else { spec.means() };
        if int && !self.is_linear() { spec.nibbles(self.widths.nibbles()) } else { spec }
    }

    /// Bytes of flash; fewer where sparse weights lie close together.
    #[must_use]
    pub fn bytes(&self, inputs: &Inputs, numeric: Numeric) -> usize {
        self.spec(inputs, numeric).core_len()
    }

    /// Bytes of scratch.
    #[must_use]
    pub fn scratch_bytes(&self, inputs: &Inputs, numeric: Numeric) -> usize {
        4 * self.spec(inputs, numeric).scratch_words() as usize
    }

    /// Instructions of one classification on a board, without its DSP instructions.
    pub(in crate::search) fn instructions(&self, inputs: &Inputs, numeric: Numeric, board: Board) -> u64 {
        let shape = cost::Shape::of_spec(&self.spec(inputs, numeric)).with_series(inputs.work);
        cost::instructions(&shape, board, false)
    }

    /// Whether a mask of the kept features saves bytes.
    #[must_use]
    pub fn drops_features(&self, inputs: &Inputs, numeric: Numeric) -> bool {
        self.spec(inputs, numeric).meta().has_select()
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
fn bridges(features: usize) -> usize {
    features / 256
}

/// Limits that a model has to keep; none is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Bytes of flash, class names included.
    pub flash: Option<usize>,
    /// Bytes of scratch RAM.
    pub ram: Option<usize>,
    /// Instructions of one classification on a board, without its DSP instructions, by [`cost`](crate::model::cost).
    pub instructions: Option<(u64, Board)>,
}

/// Centers are stored in groups of so many.
pub(in crate::search) const GROUP: usize = 4;

impl Limits {
    /// Whether a model of these dimensions keeps them.
    pub(in crate::search) fn admit(&self, dimensions: &Dimensions, inputs: &Inputs, numeric: Numeric) -> bool {
        let within = |most: Option<usize>, need: usize| most.is_none_or(|most| need <= most);
        let spec = dimensions.spec(inputs, numeric);
        within(self.flash, spec.core_len())
            && within(self.ram, 4 * spec.scratch_words() as usize)
            && self.instructions.is_none_or(|(most, board)| dimensions.instructions(inputs, numeric, board) <= most)
    }

    /// The dimensions with as many centers as the limits allow, at most `most`; none if not even one group fits.
    pub(in crate::search) fn fill(
        &self,
        dimensions: Dimensions,
        inputs: &Inputs,
        numeric: Numeric,
        most: usize,
    ) -> Option<Dimensions> {
        let with = |groups: usize| Dimensions { centers: GROUP * groups, ..dimensions };
        let admits = |groups: usize| self.admit(&with(groups), inputs, numeric);
        if !admits(1) {
            return None;
        }
        // Bisection: more centers cost more of everything.
        let (mut low, mut high) = (1, most.div_ceil(GROUP).max(1) + 1);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if admits(middle) { low = middle } else { high = middle }
        }
        Some(Dimensions { centers: (GROUP * low).min(most.max(GROUP)), ..dimensions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Dimensions = Dimensions::dense(64, 10, 40, 9, 9);

    #[test]
    fn sections_are_those_that_one_can_count() {
        let spec = PLAIN.spec(&Inputs::plain(64), Numeric::F32);
        assert_eq!(spec.section_bytes(Section::Project), 4 * 12 * 64, "outputs in groups of four");
        assert_eq!(spec.section_bytes(Section::Centers), 4 * 40 * 10);
        assert_eq!(spec.section_bytes(Section::Readout) + spec.section_bytes(Section::ReadoutBias), 4 * (40 * 9 + 9));
        assert_eq!((spec.section_bytes(Section::Mask), spec.section_bytes(Section::Head)), (0, 0));
        let int = PLAIN.spec(&Inputs::plain(64), Numeric::I8);
        assert_eq!(int.section_bytes(Section::Centers), 40 * 12);
        let ranges = Dimensions { own_ranges: true, ..PLAIN }.spec(&Inputs::plain(64), Numeric::I8);
        assert_eq!(ranges.core_len(), int.core_len() + 4 * 64);
    }

    #[test]
    fn a_mask_is_stored_where_it_saves_bytes() {
        // Four of 64 features less: 4·10 weights saved (in groups of four outputs), 8 bytes of mask.
        let drops = |dimensions: Dimensions| dimensions.drops_features(&Inputs::plain(64), Numeric::I8);
        assert!(drops(Dimensions { kept: 60, ..PLAIN }) && !drops(PLAIN));
        // One feature of a linear model with one output saves at most four bytes.
        assert!(!drops(Dimensions { kept: 63, ..Dimensions::dense(64, 1, 0, 1, 2) }));
    }

    #[test]
    fn one_more_group_of_centers_would_not_fit() {
        let inputs = Inputs::plain(64);
        let m4f = crate::emulator::board::BOARDS.into_iter().find(|board| board.name == "m4f");
        let flash = Limits { flash: Some(8192), ..Limits::default() };
        let work = Limits { instructions: m4f.map(|board| (20_000, board)), ..Limits::default() };
        let dimensions = Dimensions { kept: 50, ..Dimensions::dense(64, 10, 4, 6, 10) };
        for numeric in [Numeric::F32, Numeric::I8] {
            for limits in [flash, Limits { flash: Some(9000), ram: Some(400), ..flash }, work] {
                let full = limits.fill(dimensions, &inputs, numeric, 10_000).unwrap_or(dimensions);
                let more = Dimensions { centers: full.centers + GROUP, ..full };
                assert!(limits.admit(&full, &inputs, numeric) && !limits.admit(&more, &inputs, numeric), "{full:?}");
                assert_eq!(limits.fill(dimensions, &inputs, numeric, 30).map(|d| d.centers), Some(30));
            }
        }
    }

    #[test]
    fn limits_that_not_even_one_group_keeps_give_nothing() {
        let dimensions = Dimensions::dense(64, 32, 4, 10, 10);
        let limits = |flash, ram| Limits { flash, ram, ..Limits::default() };
        let fill = |limits: Limits| limits.fill(dimensions, &Inputs::plain(64), Numeric::I8, 100);
        assert_eq!(fill(limits(Some(2048), None)), None, "64 · 32 weights alone");
        assert_eq!(fill(limits(Some(8192), Some(64))), None);
    }
}
