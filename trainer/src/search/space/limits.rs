//! What the device can spare.

use crate::emulator::board::Board;
use crate::model::cost;
use crate::search::space::size::{Numeric, Shape};
use nearmark_format::meta::code;

/// Limits that a model has to keep; none is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Bytes of the core in flash, class names included.
    pub flash: Option<usize>,
    /// Bytes of scratch.
    pub ram: Option<usize>,
    /// Instructions of one classification on a board, without its DSP instructions, as [`cost`] tells them.
    pub instructions: Option<(u64, Board)>,
}

/// What all shapes of one front have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixed {
    /// Features behind the front.
    pub features: usize,
    /// Whether window statistics or pooling gather them, so that all of them are in RAM at once.
    pub gathered: bool,
    /// Bytes of class names.
    pub names: usize,
    /// Whether samples are floats.
    pub floats: bool,
    /// Whether features are bytes as they come, so that integers need no scaling.
    pub bytes: bool,
    /// What the front costs.
    pub front: cost::Shape,
}

impl Fixed {
    /// Instructions of a model of this shape.
    #[must_use]
    pub fn instructions(&self, shape: &Shape, numeric: Numeric, board: Board) -> u64 {
        let (int, linear, drops) = (numeric == Numeric::I8, shape.is_linear(), shape.drops(numeric));
        let kept = if drops { shape.kept } else { shape.features } as u32;
        let when = |has: bool, code: u8| if has { code } else { 0 };
        let shape = cost::Shape {
            int,
            float_samples: int && self.floats,
            select: drops,
            kept,
            scale: match (int, shape.door) {
                (true, true) => code::SCALE_FEATURES,
                (true, false) => when(!self.bytes, code::SCALE_UNIFORM),
                // Floats take their scaling into the weights.
                (false, _) => 0,
            },
            project: when(!linear, shape.nonzeros.map_or(code::PROJECT_DENSE, |_| code::PROJECT_SPARSE)),
            nonzeros: shape.entries().unwrap_or(0) as u32,
            projected: if linear { kept } else { shape.projected as u32 },
            feature_map: when(!linear, code::MAP_CENTERS),
            kernel: code::KERNEL_GAUSSIAN,
            centers: if linear { kept } else { shape.centers as u32 },
            readout: true,
            head: if shape.unit { code::HEAD_UNIT } else { code::HEAD_MEANS },
            dim: shape.dim as u32,
            classes: shape.classes as u32,
            ..self.front
        };
        cost::instructions(&shape, board, false)
    }
}

impl Limits {
    /// Whether a model of this shape keeps them.
    #[must_use]
    pub fn admit(&self, shape: &Shape, fixed: &Fixed, numeric: Numeric) -> bool {
        let within = |most: Option<usize>, need: usize| most.is_none_or(|most| need <= most);
        within(self.flash, shape.bytes(numeric) + fixed.names)
            && within(self.ram, shape.ram(numeric, fixed.gathered))
            && self.instructions.is_none_or(|(most, board)| fixed.instructions(shape, numeric, board) <= most)
    }

    /// The shape with as many centers as may be, at most `most`; none if not even four are.
    #[must_use]
    pub fn fill(&self, shape: Shape, fixed: &Fixed, numeric: Numeric, most: usize) -> Option<Shape> {
        let with = |quads: usize| Shape { centers: 4 * quads, ..shape };
        let admits = |quads: usize| self.admit(&with(quads), fixed, numeric);
        if !admits(1) {
            return None;
        }
        // More centers cost more of everything.
        let (mut low, mut high) = (1, most.div_ceil(4).max(1) + 1);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if admits(middle) { low = middle } else { high = middle }
        }
        Some(Shape { centers: (4 * low).min(most.max(4)), ..shape })
    }
}
