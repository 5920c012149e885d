//! What the device can spare.

use super::size::{Numeric, Shape};

/// Limits that a model has to keep; none is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Bytes of the core in flash, class names included.
    pub flash: Option<usize>,
    /// Bytes of scratch.
    pub ram: Option<usize>,
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
}

impl Limits {
    /// Whether a model of this shape keeps them.
    #[must_use]
    pub fn admit(&self, shape: &Shape, fixed: &Fixed, numeric: Numeric) -> bool {
        let within = |most: Option<usize>, need: usize| most.is_none_or(|most| need <= most);
        within(self.flash, shape.bytes(numeric) + fixed.names) && within(self.ram, shape.ram(numeric, fixed.gathered))
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
