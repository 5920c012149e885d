//! Pooling: sums over blocks of pixels, as the device takes them (no division; scaling comes after).

use crate::error::{DataError, ParamError};
use crate::linalg::Mat;

/// How a row is an image, and the blocks that are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    rows: usize,
    cols: usize,
    channels: usize,
    block: (usize, usize),
}

impl Pool {
    /// `channels` planes of `rows` × `cols` pixels, one after the other, pooled by `block` × `block`.
    ///
    /// # Errors
    /// [`ParamError`] when a count is zero or the block does not divide the image.
    pub fn new(channels: usize, rows: usize, cols: usize, block: usize) -> Result<Self, ParamError> {
        Self::by(channels, rows, cols, (block, block))
    }

    /// The same, pooled by blocks of so many rows and columns: a sensor window is a plane of one row per channel, or of
    /// one column per channel if channels lie side by side.
    pub(crate) fn by(channels: usize, rows: usize, cols: usize, block: (usize, usize)) -> Result<Self, ParamError> {
        ParamError::at_least_one("channels", channels)?;
        ParamError::at_least_one("rows", rows)?;
        ParamError::at_least_one("cols", cols)?;
        for side in [block.0, block.1] {
            ParamError::check((1..=255).contains(&side), "pool", "1 to 255", side as f64)?;
        }
        let divides = rows.is_multiple_of(block.0) && cols.is_multiple_of(block.1);
        let odd = if rows.is_multiple_of(block.0) { block.1 } else { block.0 };
        ParamError::check(divides, "pool", "a divisor of the image's rows and columns", odd as f64)?;
        Ok(Self { rows, cols, channels, block })
    }

    /// Planes, rows and columns of an image.
    pub(crate) fn shape(&self) -> (usize, usize, usize) {
        (self.channels, self.rows, self.cols)
    }

    /// Rows and columns of a block.
    pub(crate) fn block(&self) -> (usize, usize) {
        self.block
    }

    /// The block sums of every row.
    pub(crate) fn apply(&self, images: &Mat) -> Result<Mat, DataError> {
        let expected = self.channels * self.rows * self.cols;
        if images.ncols() != expected {
            return Err(DataError::Shape { what: "image", expected, got: images.ncols() });
        }
        let (tall, wide) = (self.rows / self.block.0, self.cols / self.block.1);
        let mut out = Mat::zeros(images.nrows(), self.channels * tall * wide);
        for (pixel, column) in images.column_iter().enumerate() {
            let mut sums = out.column_mut(self.block_of(pixel));
            sums += column;
        }
        Ok(out)
    }

    /// The block to which a pixel belongs.
    fn block_of(&self, pixel: usize) -> usize {
        let (tall, wide) = (self.rows / self.block.0, self.cols / self.block.1);
        let (plane, row, col) = (pixel / (self.rows * self.cols), pixel / self.cols % self.rows, pixel % self.cols);
        (plane * tall + row / self.block.0) * wide + col / self.block.1
    }

    /// An image with these block sums: each is shared evenly by the pixels of its block.
    pub(crate) fn spread(&self, sums: &[f64]) -> Vec<f64> {
        let pixels = (self.block.0 * self.block.1) as f64;
        (0..self.channels * self.rows * self.cols).map(|pixel| sums[self.block_of(pixel)] / pixels).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_summed() -> Result<(), Box<dyn std::error::Error>> {
        let image = Mat::from_row_slice(1, 8, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let pooled = Pool::new(1, 2, 4, 2)?.apply(&image)?;
        assert_eq!(pooled, Mat::from_row_slice(1, 2, &[14.0, 22.0]));
        let planes = Pool::new(2, 2, 2, 2)?.apply(&image)?;
        assert_eq!(planes, Mat::from_row_slice(1, 2, &[10.0, 26.0]));
        assert!(Pool::new(1, 3, 4, 2).is_err());
        let across = Pool::by(1, 2, 4, (1, 4))?.apply(&image)?;
        assert_eq!(across, Mat::from_row_slice(1, 2, &[10.0, 26.0]));
        Ok(())
    }
}
