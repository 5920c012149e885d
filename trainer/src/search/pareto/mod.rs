//! The Pareto front of accuracy and size.

mod plot;
mod report;

use crate::config::Bytes;
use crate::train::Trained;

/// The best model of one size.
#[derive(Debug, Clone)]
pub struct Point {
    /// Bytes of flash that it may take.
    pub limit: Bytes,
    /// The model, and how it was found.
    pub trained: Trained,
    /// The method whose embedding it learned.
    pub method: String,
    /// Bytes of flash that it takes.
    pub flash_bytes: usize,
    /// Bytes of scratch.
    pub ram_bytes: usize,
    /// Accuracy of its candidate on held-out rows, as a model file.
    pub accuracy: f64,
    /// Standard error of the accuracy.
    pub error: f64,
    /// Seconds that the search took.
    pub seconds: f64,
}

/// The best models of several sizes, from the smallest to the largest.
#[derive(Debug, Clone)]
pub struct ParetoFront {
    /// The best model of every size that has one.
    pub points: Vec<Point>,
    /// The most accurate of them; the smallest among equals.
    pub best: usize,
    /// Sizes that no model keeps, with the reason.
    pub missing: Vec<(Bytes, String)>,
    /// Sizes that were not begun when time was over, or whose search was cut short.
    pub late: Vec<Bytes>,
}

impl ParetoFront {
    /// From the smallest model to the largest.
    pub(super) fn new(points: Vec<Point>, missing: Vec<(Bytes, String)>, late: Vec<Bytes>) -> Self {
        let accuracies: Vec<f64> = points.iter().map(|point| point.accuracy).collect();
        Self { best: most_accurate(&accuracies), points, missing, late }
    }

    /// Indices of the points that no smaller or equally large point is as accurate as.
    #[must_use]
    pub fn efficient(&self) -> Vec<usize> {
        let sizes: Vec<(usize, f64)> = self.points.iter().map(|point| (point.flash_bytes, point.accuracy)).collect();
        undominated(&sizes)
    }
}

/// The place of the highest accuracy; the first of equals.
fn most_accurate(accuracies: &[f64]) -> usize {
    (0..accuracies.len()).rev().max_by(|a, b| accuracies[*a].total_cmp(&accuracies[*b])).unwrap_or(0)
}

/// Places of the pairs of bytes and accuracy that no other pair dominates: as good in both and better in one. Of equal
/// pairs the first stays.
fn undominated(points: &[(usize, f64)]) -> Vec<usize> {
    let dominates = |a: usize, b: usize| {
        let ((bytes, accuracy), (own_bytes, own_accuracy)) = (points[a], points[b]);
        let as_good = bytes <= own_bytes && accuracy >= own_accuracy;
        as_good && (bytes < own_bytes || accuracy > own_accuracy || a < b)
    };
    (0..points.len()).filter(|&b| !(0..points.len()).any(|a| a != b && dominates(a, b))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_most_accurate_is_the_best() {
        assert_eq!(most_accurate(&[0.5, 0.9, 0.9, 0.7]), 1);
        assert_eq!(most_accurate(&[]), 0);
    }

    #[test]
    fn dominated_points_are_not_efficient() {
        assert_eq!(undominated(&[(100, 0.8), (200, 0.7), (300, 0.9)]), [0, 2], "larger and worse");
        assert_eq!(undominated(&[(100, 0.8), (100, 0.8), (100, 0.9)]), [2], "as large and better");
        assert_eq!(undominated(&[(100, 0.8), (100, 0.8)]), [0], "the first of equals");
        assert_eq!(undominated(&[(200, 0.8), (100, 0.8)]), [1], "smaller and as good");
    }
}
