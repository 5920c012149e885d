//! Images as training reads them: bytes behind the mean of blocks, in copies that augmentation moved.

use super::kernels::{LANES, Pixel, Shape};

/// Bytes of every image, in one or several copies.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::search) struct Images {
    copies: Vec<Vec<u8>>,
    pub(super) shape: Shape,
}

impl Images {
    /// Images whose bytes lie one image after the other, channel planes row by row. The first copy is the images
    /// themselves.
    pub(in crate::search) fn new(copies: Vec<Vec<u8>>, channels: usize, (rows, cols): (usize, usize)) -> Self {
        Self { copies, shape: Shape { channels, rows, cols } }
    }

    /// Images of some rows side by side; lanes without a row are black.
    pub(super) fn gather(&self, copy: usize, rows: &[usize]) -> Vec<Pixel> {
        let len = self.shape.len();
        let copy = &self.copies[copy % self.copies.len()];
        let mut pixels = vec![[0.0; LANES]; len];
        for (lane, &row) in rows.iter().enumerate() {
            for (pixel, byte) in pixels.iter_mut().zip(&copy[row * len..(row + 1) * len]) {
                pixel[lane] = f32::from(*byte) * (1.0 / 255.0);
            }
        }
        pixels
    }
}
