//! Step sizes that training learned: export and quantization-aware training round by these very functions.

use crate::preprocess::Grid;
use nearmark_format::Nibbles;
use serde::Serialize;

/// Bits of the weights of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Width {
    /// −127 to 127.
    #[default]
    I8,
    /// −8 to 7, two weights in a byte.
    I4,
}

impl Width {
    /// The smallest and the largest integer.
    #[must_use]
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::I8 => (-127.0, 127.0),
            Self::I4 => (-8.0, 7.0),
        }
    }

    /// Bytes from one integer to the next: 4 bits are stored as the upper half of a byte.
    #[must_use]
    pub const fn stride(self) -> f64 {
        match self {
            Self::I8 => 1.0,
            Self::I4 => 16.0,
        }
    }

    /// The byte next to a value in this unit of a byte.
    pub(crate) fn byte(self, value: f64, unit: f64) -> f64 {
        let (low, high) = self.range();
        if unit > 0.0 { (value / (unit * self.stride())).round().clamp(low, high) * self.stride() } else { 0.0 }
    }
}

/// Bits of the matrices of a compact model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Widths {
    /// Of the projection.
    pub projection: Width,
    /// Of the kernel centers.
    pub centers: Width,
    /// Of the readout.
    pub readout: Width,
}

impl Widths {
    /// 8 bits throughout.
    pub const WIDE: Self = Self { projection: Width::I8, centers: Width::I8, readout: Width::I8 };
    /// Which matrices are stored by halves of bytes.
    pub(crate) fn nibbles(self) -> Nibbles {
        let narrow = |width| width == Width::I4;
        let Self { projection, centers, readout } = self;
        Nibbles { project: narrow(projection), centers: narrow(centers), readout: narrow(readout) }
    }

    /// 4 bits throughout.
    pub const NARROW: Self = Self { projection: Width::I4, centers: Width::I4, readout: Width::I4 };
}

/// The units of a compact model's integers, as training learned them.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedSteps {
    /// Bits of every matrix.
    pub widths: Widths,
    /// Per projected value: of the sums of bytes of weights and of the input.
    pub projection: Vec<f64>,
    /// Of the bytes of projected values and centers, whose middle is zero.
    pub projected: f64,
    /// Of the bytes of the readout's weights, per coordinate.
    pub readout: Vec<f64>,
}

/// The byte that stands for the middle of projected values.
pub(crate) const MIDDLE: f64 = 128.0;

/// Learned steps of a folded model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Learned {
    pub(crate) steps: LearnedSteps,
    /// Where folding moved the middle of the projected values, which training has at zero.
    pub(crate) middle: Vec<f64>,
    /// Projected values, from that middle, where all input bytes are zero.
    pub(crate) constants: Vec<f64>,
    /// The units of every filter's weights, by layer, where convolutions come first.
    pub(crate) filters: Option<Vec<Vec<f64>>>,
}

impl Learned {
    /// The bytes of projected values from 0 on, of which [`MIDDLE`] stands for the middle.
    pub(super) fn grid(&self) -> Grid {
        let step = self.steps.projected;
        let shift = self.middle.iter().map(|middle| middle - MIDDLE * step).collect();
        Grid { step: vec![step; self.middle.len()], shift, low: 0.0 }
    }

    /// The byte of a coordinate of a center.
    pub(super) fn center(&self, value: f64, i: usize) -> f64 {
        let Widths { centers, .. } = self.steps.widths;
        centers.byte(value - self.middle[i], self.steps.projected) + MIDDLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bits_are_every_sixteenth_byte_from_minus_128_to_112() {
        let byte = |w| Width::I4.byte(w, 0.25);
        assert_eq!([-99.0, -8.0, 1.9, 2.1, 99.0].map(byte), [-128.0, -32.0, 0.0, 16.0, 112.0]);
        assert_eq!([-99.0, 0.7].map(|w| Width::I8.byte(w, 0.5)), [-127.0, 1.0]);
        assert_eq!(Width::I4.byte(3.0, 0.0), 0.0);
    }
}
