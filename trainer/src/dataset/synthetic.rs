//! Seeded toy sets shared by docs, examples and tests.

use super::Dataset;
use crate::linalg::Mat;
use crate::rng::Rng;

/// Round clouds, one per class, `spread` wide, around random centers one unit apart on average.
///
/// # Panics
/// When there are no classes, rows or columns.
#[must_use]
pub fn blobs(classes: usize, rows_per_class: usize, width: usize, spread: f64, seed: u64) -> Dataset {
    let mut rng = Rng::new(seed);
    let scale = 1.0 / (2.0 * width as f64).sqrt();
    let centers = Mat::from_fn(classes, width, |_, _| rng.normal() * scale);
    let labels: Vec<usize> = (0..classes * rows_per_class).map(|i| i % classes).collect();
    let rows = Mat::from_fn(labels.len(), width, |i, j| centers[(labels[i], j)] + spread * scale * rng.normal());
    made(rows, &labels)
}

/// Two interleaved half moons in the plane: no line separates them, every kernel method does.
///
/// # Panics
/// When `rows_per_class` is zero.
#[must_use]
pub fn moons(rows_per_class: usize, noise: f64, seed: u64) -> Dataset {
    let mut rng = Rng::new(seed);
    let labels: Vec<usize> = (0..2 * rows_per_class).map(|i| i % 2).collect();
    let mut rows = Mat::zeros(labels.len(), 2);
    for (i, &label) in labels.iter().enumerate() {
        let (sin, cos) = libm::sincos(std::f64::consts::PI * rng.uniform());
        let (x, y) = if label == 0 { (cos, sin) } else { (1.0 - cos, 0.5 - sin) };
        rows[(i, 0)] = x + noise * rng.normal();
        rows[(i, 1)] = y + noise * rng.normal();
    }
    made(rows, &labels)
}

fn made(rows: Mat, labels: &[usize]) -> Dataset {
    match Dataset::from_ids(rows, labels) {
        Ok(data) => data,
        Err(error) => panic!("a toy set must have classes, rows and columns: {error}"),
    }
}
