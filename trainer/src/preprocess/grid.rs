//! What 8 bits can hold of a real value: the grid that quantization and fake quantization share.

use crate::linalg::Mat;

/// Values of a byte, less one.
const SPAN: f64 = 255.0;

/// A byte per feature: `real = step · byte + shift`, with bytes from `low` to `low + 255`.
///
/// A step of zero is that of a feature which never varied: it has one value, `shift`.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// One step per feature.
    pub step: Vec<f64>,
    /// The real value of byte 0, per feature.
    pub shift: Vec<f64>,
    /// The smallest byte: 0 or −128.
    pub low: f64,
}

impl Grid {
    /// The byte next to a real value of feature `j`, cut to the range of a byte; halves go up, as on the device.
    pub(crate) fn byte(&self, value: f64, j: usize) -> f64 {
        let step = self.step[j];
        if step == 0.0 {
            return 0.0;
        }
        ((value - self.shift[j]) / step + 0.5).floor().clamp(self.low, self.low + SPAN)
    }

    /// The real value that the byte next to `value` stands for.
    pub(crate) fn round(&self, value: f64, j: usize) -> f64 {
        self.step[j] * self.byte(value, j) + self.shift[j]
    }

    /// Every value as the byte next to it stands for it.
    pub(crate) fn apply(&self, rows: &Mat) -> Mat {
        Mat::from_fn(rows.nrows(), rows.ncols(), |i, j| self.round(rows[(i, j)], j))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_becomes_that_of_the_nearest_byte_within_the_range() {
        let grid = Grid { step: vec![0.5, 0.0], shift: vec![1.0, 7.0], low: -128.0 };
        assert_eq!([1.0, 1.2, 1.3, 1e9, -1e9].map(|v| grid.round(v, 0)), [1.0, 1.0, 1.5, 64.5, -63.0]);
        assert_eq!((grid.round(3.0, 1), grid.byte(3.0, 1)), (7.0, 0.0));
    }
}
