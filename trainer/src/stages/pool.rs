//! Pooling: sums over blocks of pixels, as the device takes them (no division; scaling comes after).

use crate::error::{DataError, ParamError};
use crate::linalg::Mat;

/// How a row is an image, and the blocks that are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    rows: usize,
    cols: usize,
    channels: usize,
    block: usize,
}

impl Pool {
    /// `channels` planes of `rows` × `cols` pixels, one after the other, pooled by `block` × `block`.
    ///
    /// # Errors
    /// [`ParamError`] when a count is zero or the block does not divide the image.
    pub fn new(channels: usize, rows: usize, cols: usize, block: usize) -> Result<Self, ParamError> {
        ParamError::at_least_one("channels", channels)?;
        ParamError::at_least_one("rows", rows)?;
        ParamError::at_least_one("cols", cols)?;
        ParamError::check((1..=255).contains(&block), "pool", "1 to 255", block as f64)?;
        let divides = rows.is_multiple_of(block) && cols.is_multiple_of(block);
        ParamError::check(divides, "pool", "a divisor of the image's rows and columns", block as f64)?;
        Ok(Self { rows, cols, channels, block })
    }

    /// Planes, rows and columns of an image.
    #[must_use]
    pub fn shape(&self) -> (usize, usize, usize) {
        (self.channels, self.rows, self.cols)
    }

    /// Side of a block.
    #[must_use]
    pub fn block(&self) -> usize {
        self.block
    }

    /// The block sums of every row.
    ///
    /// # Errors
    /// [`DataError::Shape`] when rows are not of the image's size.
    pub fn apply(&self, images: &Mat) -> Result<Mat, DataError> {
        let expected = self.channels * self.rows * self.cols;
        if images.ncols() != expected {
            return Err(DataError::Shape { what: "image", expected, got: images.ncols() });
        }
        let (tall, wide) = (self.rows / self.block, self.cols / self.block);
        let mut out = Mat::zeros(images.nrows(), self.channels * tall * wide);
        for (pixel, column) in images.column_iter().enumerate() {
            let (plane, row, col) = (pixel / (self.rows * self.cols), pixel / self.cols % self.rows, pixel % self.cols);
            let target = (plane * tall + row / self.block) * wide + col / self.block;
            let mut sums = out.column_mut(target);
            sums += column;
        }
        Ok(out)
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
        Ok(())
    }
}
