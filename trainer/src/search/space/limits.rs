//! The budget of a device.

use super::dimensions::{Dimensions, Numeric};
use super::inputs::Inputs;
use crate::emulator::board::Board;

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
    #[must_use]
    pub fn admit(&self, dimensions: &Dimensions, inputs: &Inputs, numeric: Numeric) -> bool {
        let within = |most: Option<usize>, need: usize| most.is_none_or(|most| need <= most);
        let spec = dimensions.spec(inputs, numeric);
        within(self.flash, spec.core_len())
            && within(self.ram, 4 * spec.scratch_words() as usize)
            && self.instructions.is_none_or(|(most, board)| dimensions.instructions(inputs, numeric, board) <= most)
    }

    /// The dimensions with as many centers as the limits allow, at most `most`; none if not even one group fits.
    #[must_use]
    pub fn fill(&self, dimensions: Dimensions, inputs: &Inputs, numeric: Numeric, most: usize) -> Option<Dimensions> {
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

    #[test]
    fn one_more_group_of_centers_would_not_fit() {
        let inputs = Inputs::plain(64);
        let m4f = crate::emulator::board::BOARDS.into_iter().find(|board| board.name == "m4f");
        let flash = Limits { flash: Some(8192), ..Limits::default() };
        let work = Limits { instructions: m4f.map(|board| (20_000, board)), ..Limits::default() };
        let dimensions = Dimensions {
            features: 64,
            kept: 50,
            nonzeros: None,
            projected: 10,
            centers: 4,
            dim: 6,
            classes: 10,
            unit: false,
            own_ranges: false,
        };
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
        let dimensions = Dimensions {
            features: 64,
            kept: 64,
            nonzeros: None,
            projected: 32,
            centers: 4,
            dim: 10,
            classes: 10,
            unit: true,
            own_ranges: false,
        };
        let limits = |flash, ram| Limits { flash, ram, ..Limits::default() };
        let fill = |limits: Limits| limits.fill(dimensions, &Inputs::plain(64), Numeric::I8, 100);
        assert_eq!(fill(limits(Some(2048), None)), None, "64 · 32 weights alone");
        assert_eq!(fill(limits(Some(8192), Some(64))), None);
    }
}
