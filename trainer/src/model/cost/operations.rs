//! The arithmetic of one classification, whatever the board.

use super::Shape;
use super::stages::Stages;
use nearmark_format::meta::code;

/// Multiplications per coordinate at unit length: its square, and the factor.
const UNIT_EACH: u64 = 2;
/// Multiplications of an inverse square root: half the sum, and four Newton steps of three.
const INVERSE_ROOT: u64 = 13;
/// Divisions per segment of a window: mean, mean deviation and mean step; sums and extremes need none.
const SEGMENT: u64 = 3;

/// Operations of one classification that a processor without a float unit feels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operations {
    /// Multiplications and divisions: one per value scaled, per weight of the projection (stored ones, if it is sparse),
    /// per coordinate of a center or random weight, per readout weight and per coordinate of a mean or prototype, and γ
    /// once per center. Rows that only fill up a block of four do not count.
    pub multiplications: u64,
    /// Exponentials or cosines, of about ten multiplications each; the multiplications do not include them.
    pub exponentials: u64,
}

impl Shape {
    /// The operations of one classification.
    #[must_use]
    pub fn operations(&self) -> Operations {
        let has = Stages::of(self);
        let [kept, projected, mapped, dim] = [self.kept, self.projected, self.centers, self.dim].map(u64::from);
        let when = |on: bool, count: u64| if on { count } else { 0 };
        let cosines = has.stored || has.signs || has.weights;
        let exponentials = when(has.gaussian || has.laplacian || cosines, mapped);
        let scaling = match self.scale {
            code::SCALE_UNIFORM | code::SCALE_FEATURES => kept,
            code::SCALE_UNIT => UNIT_EACH * kept + INVERSE_ROOT,
            _ => 0,
        };
        let head = if has.unit {
            // ‖z‖² once, then twice a coordinate per class.
            dim + u64::from(self.classes)
        } else {
            u64::from(has.means) * dim
        };
        let multiplications = SEGMENT * u64::from(self.segments)
            + u64::from(self.filter_products)
            // Convolutions and comparisons need none.
            + u64::from(self.series_features)
            + scaling
            + when(has.dense, projected * kept)
            + when(has.sparse, self.nonzeros.into())
            // The differences of a Laplacian kernel are summed as they are.
            + when(has.gaussian || has.polynomial || cosines, mapped * projected)
            + exponentials
            + when(has.polynomial, mapped * u64::from(self.degree.max(1)))
            + when(self.readout, mapped * dim)
            + head;
        Operations { multiplications, exponentials }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_those_counted_by_hand() {
        let base = Shape { kept: 6, projected: 3, centers: 5, dim: 2, classes: 4, readout: true, ..Shape::default() };
        let count = |shape: Shape| {
            let Operations { multiplications, exponentials } = shape.operations();
            (multiplications, exponentials)
        };
        // A projection of 6 × 3, 5 centers of 3 with γ, a readout of 5 × 2, 4 means of 2.
        let gaussian = Shape {
            project: code::PROJECT_DENSE,
            feature_map: code::MAP_CENTERS,
            kernel: code::KERNEL_GAUSSIAN,
            head: code::HEAD_MEANS,
            ..base
        };
        assert_eq!(count(gaussian), (18 + 15 + 5 + 10 + 8, 5));
        assert_eq!(count(Shape { kernel: code::KERNEL_LAPLACIAN, ..gaussian }), (18 + 5 + 10 + 8, 5));
        let cubic = Shape { kernel: code::KERNEL_POLYNOMIAL, degree: 3, ..gaussian };
        assert_eq!(count(cubic), (18 + 15 + 15 + 10 + 8, 0));
        let sparse = Shape { project: code::PROJECT_SPARSE, nonzeros: 7, ..gaussian };
        assert_eq!(count(sparse), (7 + 15 + 5 + 10 + 8, 5));
        // Without a feature map the three values go to the readout; four prototypes of a class would count as means do.
        let linear = Shape { feature_map: 0, centers: 3, head: code::HEAD_UNIT, ..gaussian };
        assert_eq!(count(linear), (18 + 6 + 2 + 4, 0));
        let neighbors = Shape { head: code::HEAD_PROTOTYPES, prototypes: 9, ..gaussian };
        assert_eq!(count(neighbors), (18 + 15 + 5 + 10 + 18, 5));
        let unit = Shape { scale: code::SCALE_UNIT, segments: 2, ..gaussian };
        assert_eq!(count(unit), (6 + 12 + 13 + 18 + 15 + 5 + 10 + 8, 5));
    }
}
