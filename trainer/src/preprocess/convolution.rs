//! Convolutions of images: learned filters 3×3 in one or two layers, clipped to 0..1, and pooling of 2×2.

use super::check_width;
use crate::compile::quantize::learned::Width;
use crate::error::DataError;
use crate::linalg::Mat;
use crate::parallel;
use nearmark_format::Pooling;

/// Rows per unit of parallel work.
const BLOCK: usize = 64;
/// Weights of a filter on one channel.
pub(crate) const TAPS: usize = 9;
/// The largest pixel, which is 1.0 to the filters.
pub(crate) const WHITE: f64 = 255.0;

/// The filters of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Filters {
    /// One filter per row: channel after channel, row after row of the 3×3.
    pub weights: Mat,
    /// One value per filter.
    pub bias: Vec<f64>,
    /// The unit of every filter's integers, and their bits.
    pub steps: Vec<f64>,
    /// Bits of the weights.
    pub width: Width,
}

/// Filters over images of bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Convolution {
    pub(crate) geometry: Geometry,
    pub(crate) layers: Vec<Filters>,
}

/// How rows are images, and what is done with them beside filtering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Channels, rows and columns.
    pub(crate) images: (usize, usize, usize),
    /// Rows and columns of the blocks whose mean is taken first.
    pub(crate) block: (usize, usize),
    /// Whether the channels of a pixel lie side by side.
    pub(crate) interleaved: bool,
    pub(crate) pooling: Pooling,
}

/// Planes of one image.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planes {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) values: Vec<f64>,
}

impl Geometry {
    /// Values of a row.
    pub(crate) fn inputs(&self) -> usize {
        let (channels, rows, cols) = self.images;
        channels * rows * cols
    }

    /// Rows and columns behind the mean of blocks.
    pub(crate) fn area(&self) -> (usize, usize) {
        let ((_, rows, cols), (high, wide)) = (self.images, self.block);
        (rows / high, cols / wide)
    }

    /// Features behind so many layers, of which the last has so many filters.
    pub(crate) fn features(&self, layers: usize, filters: usize) -> usize {
        let (rows, cols) = self.area();
        let by = if self.pooling == Pooling::None { 1 } else { 2 };
        let left = |side: usize| side.saturating_sub(2 * layers) / by;
        filters * left(rows) * left(cols)
    }

    /// Sums over blocks, plane by plane.
    pub(crate) fn sums(&self, row: impl Fn(usize) -> f64) -> Planes {
        let (channels, _, cols) = self.images;
        let ((rows_left, cols_left), (high, wide)) = (self.area(), self.block);
        let plane = self.images.1 * cols;
        let mut values = Vec::with_capacity(channels * rows_left * cols_left);
        for channel in 0..channels {
            let at = |pixel: usize| if self.interleaved { pixel * channels + channel } else { channel * plane + pixel };
            for (y, x) in (0..rows_left).flat_map(|y| (0..cols_left).map(move |x| (y, x))) {
                let pixels = (0..high).flat_map(|i| (0..wide).map(move |j| (y * high + i) * cols + x * wide + j));
                values.push(pixels.map(|pixel| row(at(pixel))).sum());
            }
        }
        Planes { rows: rows_left, cols: cols_left, values }
    }

    /// Pools planes by `f` of the four values of a block.
    pub(crate) fn pool(&self, planes: &Planes, mean: impl Fn(f64) -> f64) -> Vec<f64> {
        if self.pooling == Pooling::None {
            return planes.values.clone();
        }
        let mut pooled = Vec::new();
        for plane in planes.values.chunks(planes.rows * planes.cols) {
            for (y, x) in (0..planes.rows / 2).flat_map(|y| (0..planes.cols / 2).map(move |x| (y, x))) {
                let first = 2 * y * planes.cols + 2 * x;
                let four = [first, first + 1, first + planes.cols, first + planes.cols + 1].map(|i| plane[i]);
                pooled.push(match self.pooling {
                    Pooling::Mean => mean(four.iter().sum()),
                    _ => four.into_iter().fold(f64::NEG_INFINITY, f64::max),
                });
            }
        }
        pooled
    }
}

impl Planes {
    /// Sums of filters that lie inside the image; one filter per row of `weights`.
    pub(crate) fn filtered(&self, weights: &Mat, bias: impl Fn(usize) -> f64) -> Self {
        let (rows, cols) = (self.rows.saturating_sub(2), self.cols.saturating_sub(2));
        let plane = self.rows * self.cols;
        let mut values = Vec::with_capacity(weights.nrows() * rows * cols);
        for (filter, own) in weights.row_iter().enumerate() {
            for (y, x) in (0..rows).flat_map(|y| (0..cols).map(move |x| (y, x))) {
                let mut sum = 0.0;
                for (i, w) in own.iter().enumerate() {
                    let (channel, tap) = (i / TAPS, i % TAPS);
                    sum += w * self.values[channel * plane + (y + tap / 3) * self.cols + x + tap % 3];
                }
                values.push(sum + bias(filter));
            }
        }
        Self { rows, cols, values }
    }
}

impl Convolution {
    pub(crate) fn new(geometry: Geometry, layers: Vec<Filters>) -> Self {
        Self { geometry, layers }
    }

    /// Features that leave the pooling.
    #[must_use]
    pub fn features(&self) -> usize {
        self.geometry.features(self.layers.len(), self.layers.last().map_or(0, |filters| filters.bias.len()))
    }

    /// Features of images, a row each.
    ///
    /// # Errors
    /// [`DataError::Width`] when rows are no such images.
    pub fn apply(&self, rows: &Mat, threads: usize) -> Result<Mat, DataError> {
        check_width(rows, self.geometry.inputs())?;
        let starts: Vec<(usize, usize)> = parallel::blocks(rows.nrows(), BLOCK).collect();
        let parts = parallel::map(threads, starts.len(), |i| {
            let (at, count) = starts[i];
            (at..at + count).flat_map(|row| self.image(|j| rows[(row, j)])).collect::<Vec<f64>>()
        });
        Ok(Mat::from_row_iterator(rows.nrows(), self.features(), parts.into_iter().flatten()))
    }

    fn image(&self, row: impl Fn(usize) -> f64) -> Vec<f64> {
        let (high, wide) = self.geometry.block;
        let mut planes = self.geometry.sums(row);
        planes.values.iter_mut().for_each(|v| *v /= WHITE * (high * wide) as f64);
        for filters in &self.layers {
            planes = planes.filtered(&filters.weights, |i| filters.bias[i]);
            planes.values.iter_mut().for_each(|z| *z = z.clamp(0.0, 1.0));
        }
        self.geometry.pool(&planes, |sum| sum / 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two channels of 4×4 of which blocks of 1×2 are taken: images of 4×2 are too narrow, so blocks of 1×1 here.
    fn geometry(interleaved: bool, pooling: Pooling) -> Geometry {
        Geometry { images: (2, 4, 5), block: (1, 1), interleaved, pooling }
    }

    /// The middle of the first channel less a tenth of the sum of the second.
    fn filters() -> Filters {
        let weights = Mat::from_fn(1, 18, |_, i| {
            if i == 4 {
                1.0
            } else if i >= 9 {
                -0.1
            } else {
                0.0
            }
        });
        Filters { weights, bias: vec![0.25], steps: vec![0.01], width: Width::I8 }
    }

    #[test]
    fn a_filter_lies_inside_the_image_and_is_clipped() -> Result<(), DataError> {
        let row = Mat::from_fn(1, 40, |_, j| if j < 20 { 10.0 * j as f64 } else { 255.0 / 9.0 });
        let none = Convolution::new(geometry(false, Pooling::None), vec![filters()]);
        let found = none.apply(&row, 1)?;
        assert_eq!(found.ncols(), 6);
        for (at, pixel) in [6, 7, 8, 11, 12, 13].into_iter().enumerate() {
            let z: f64 = 10.0 * f64::from(pixel) / 255.0 - 0.1 + 0.25;
            assert!((found[(0, at)] - z.clamp(0.0, 1.0)).abs() < 1e-12);
        }
        let pooled = Convolution::new(geometry(false, Pooling::Max), vec![filters()]).apply(&row, 1)?;
        assert_eq!(pooled.as_slice(), [found[(0, 4)]], "the third column has no partner");
        let mean = Convolution::new(geometry(false, Pooling::Mean), vec![filters()]).apply(&row, 1)?;
        assert!((mean[(0, 0)] - [0, 1, 3, 4].map(|i| found[(0, i)]).iter().sum::<f64>() / 4.0).abs() < 1e-12);
        let side_by_side = Mat::from_fn(1, 40, |_, j| row[(0, j % 2 * 20 + j / 2)]);
        let interleaved = Convolution::new(geometry(true, Pooling::Max), vec![filters()]);
        assert_eq!(interleaved.apply(&side_by_side, 1)?, pooled);
        assert!(none.apply(&Mat::zeros(1, 39), 1).is_err());
        Ok(())
    }

    #[test]
    fn features_follow_from_blocks_layers_and_pooling() {
        let digits = Geometry { images: (1, 28, 28), block: (2, 2), interleaved: false, pooling: Pooling::Max };
        assert_eq!([digits.features(2, 8), digits.features(1, 16), digits.area().0], [200, 576, 14]);
        assert_eq!(Geometry { pooling: Pooling::None, ..digits }.features(2, 8), 800);
        let sums = Geometry { images: (1, 2, 4), block: (2, 2), ..digits }.sums(|j| j as f64);
        assert_eq!(sums.values, [0.0 + 1.0 + 4.0 + 5.0, 2.0 + 3.0 + 6.0 + 7.0]);
    }
}
