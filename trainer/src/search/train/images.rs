//! Rows that are images: how they are detected, and how they look when shifted.

use crate::dataset::Dataset;
use crate::linalg::Mat;
use crate::linalg::evenly_rows;
use crate::preprocess::{Scale, Stage};
use crate::search::train::samples::row_by_row;

/// Rows for detecting images, evenly spread: enough for mean correlations, and little time.
const ROWS: usize = 500;
/// Mean correlation of neighboring pixels of an image, at least, in both directions. Not tuned: neighbors in photographs
/// and scanned characters are above it, shuffled features near zero.
const ALIKE: f64 = 0.5;
/// By how much the correlation of neighbors exceeds that of pixels half an image apart: features that are all alike are
/// not an image.
const MORE: f64 = 0.25;
/// Side of the smallest image that is detected: fewer pixels are as likely a table.
const LEAST_SIDE: usize = 8;

/// Height and width, if rows look like square images: neighbors are correlated in both directions, and much more so than
/// pixels far from each other.
pub(in crate::search) fn guess(data: &Dataset) -> Option<(usize, usize)> {
    let side = (data.width() as f64).sqrt().round() as usize;
    if side * side != data.width() || side < LEAST_SIDE {
        return None;
    }
    let rows = evenly_rows(data.rows(), ROWS);
    let (across, down) = (mean_correlation(&rows, side, 0, 1), mean_correlation(&rows, side, 1, 0));
    let far = mean_correlation(&rows, side, side / 2, side / 2);
    (across.min(down) > ALIKE && across.min(down) > far + MORE).then_some((side, side))
}

/// Mean correlation between each pixel and the one so far below and to the right.
fn mean_correlation(rows: &Mat, side: usize, below: usize, right: usize) -> f64 {
    let center = |j: usize| {
        let column = rows.column(j);
        let mean = column.mean();
        column.map(|v| v - mean)
    };
    let columns: Vec<_> = (0..side * side).map(center).collect();
    let norms: Vec<f64> = columns.iter().map(nalgebra::Matrix::norm).collect();
    let (mut sum, mut pairs) = (0.0, 0);
    for row in 0..side - below {
        for col in 0..side - right {
            let (a, b) = (row * side + col, (row + below) * side + col + right);
            if norms[a] > 0.0 && norms[b] > 0.0 {
                sum += columns[a].dot(&columns[b]) / (norms[a] * norms[b]);
                pairs += 1;
            }
        }
    }
    if pairs == 0 { 0.0 } else { sum / f64::from(pairs) }
}

/// Images before pooling and scaling, which are computed again for every shift.
#[derive(Debug, Clone)]
pub(in crate::search) struct Shifts {
    pixels: Vec<f32>,
    rows: usize,
    cols: usize,
    block: (usize, usize),
    mul: Vec<f32>,
    add: Vec<f32>,
}

impl Shifts {
    /// Images of `rows` by `cols` pixels with pooling and scaling; none with other preprocessing.
    pub(in crate::search) fn new(data: &Dataset, (rows, cols): (usize, usize), stages: &[Stage]) -> Option<Self> {
        let mut block = (1, 1);
        let mut affine = None;
        for stage in stages {
            match stage {
                Stage::Pool(pool) if pool.shape() == (1, rows, cols) => block = pool.block(),
                Stage::Scale(Scale::Uniform { mul, add }) => affine = Some((vec![*mul], vec![*add])),
                Stage::Scale(Scale::Features { mul, add }) => affine = Some((mul.clone(), add.clone())),
                _ => return None,
            }
        }
        if rows * cols != data.width() {
            return None;
        }
        let width = (rows / block.0) * (cols / block.1);
        let (mul, add) = affine.unwrap_or((vec![1.0], vec![0.0]));
        let spread = |values: Vec<f64>| (0..width).map(|j| values[j % values.len()] as f32).collect();
        Some(Self { pixels: row_by_row(data.rows()), rows, cols, block, mul: spread(mul), add: spread(add) })
    }

    /// Image `i` shifted down and to the right; the edge is repeated.
    pub(in crate::search) fn write(&self, i: usize, down: isize, right: isize, out: &mut [f32]) {
        let image = &self.pixels[i * self.rows * self.cols..(i + 1) * self.rows * self.cols];
        let inside =
            |at: usize, shift: isize, count: usize| (at as isize - shift).clamp(0, count as isize - 1) as usize;
        let from: Vec<usize> = (0..self.cols).map(|col| inside(col, right, self.cols)).collect();
        let mut line = vec![0.0; self.cols];
        let (high, wide) = self.block;
        for (block, sums) in out.chunks_mut(self.cols / wide).enumerate() {
            line.fill(0.0);
            for row in block * high..(block + 1) * high {
                let pixels = &image[inside(row, down, self.rows) * self.cols..][..self.cols];
                line.iter_mut().zip(pixels).for_each(|(sum, v)| *sum += v);
            }
            for (sum, from) in sums.iter_mut().zip(from.chunks(wide)) {
                *sum = from.iter().map(|&col| line[col]).sum();
            }
        }
        out.iter_mut().zip(&self.mul).zip(&self.add).for_each(|((v, mul), add)| *v = *v * mul + add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::preprocess::Pool;
    use crate::rng::Rng;

    #[test]
    fn smooth_squares_are_images_and_noise_is_not() -> Result<(), crate::DataError> {
        let mut rng = Rng::new(0);
        let bumps = Mat::from_fn(60, 4, |_, _| 8.0 * rng.uniform());
        let images = Mat::from_fn(60, 64, |i, j| {
            let (y, x) = ((j / 8) as f64, (j % 8) as f64);
            libm::exp(-0.2 * ((y - bumps[(i, 0)]).powi(2) + (x - bumps[(i, 1)]).powi(2)))
        });
        let labels: Vec<usize> = (0..60).map(|i| i % 2).collect();
        assert_eq!(guess(&Dataset::from_ids(images, &labels)?), Some((8, 8)));
        assert_eq!(guess(&blobs(2, 30, 64, 1.0, 0)), None);
        assert_eq!(guess(&blobs(2, 30, 63, 1.0, 0)), None);
        Ok(())
    }

    #[test]
    fn an_image_that_is_not_shifted_is_preprocessed_as_usual() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(2, 4, 16, 1.0, 0);
        let stages = [Stage::Pool(Pool::new(1, 4, 4, 2)?), Stage::Scale(Scale::Uniform { mul: 0.5, add: -1.0 })];
        let expected = stages[1].apply(&stages[0].apply(data.rows(), 1)?, 1)?;
        let shifts = Shifts::new(&data, (4, 4), &stages).ok_or("no images")?;
        let mut out = [0.0; 4];
        shifts.write(3, 0, 0, &mut out);
        assert!(out.iter().zip(expected.row(3).iter()).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5));
        // One to the right: the first column is repeated.
        shifts.write(3, 0, 1, &mut out);
        let pixel = |row: usize, col: usize| data.rows()[(3, row * 4 + col)];
        let first = 2.0 * (pixel(0, 0) + pixel(1, 0)) * 0.5 - 1.0;
        assert!((f64::from(out[0]) - first).abs() < 1e-5);
        Ok(())
    }
}
