//! Copies of images that were moved a little, so that filters see more than the rows there are.

use crate::parallel;
use crate::rng::Rng;
use serde::Serialize;

/// Knots of the elastic field, in both directions.
const KNOTS: usize = 5;
/// Side of the images that the sizes in pixels are meant for.
const SIDE: f64 = 28.0;

/// How far copies may be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Augmentation {
    /// The images as they are.
    #[default]
    None,
    /// By up to a pixel.
    Shift,
    /// By up to a pixel, turned by 0.12 radians, scaled by 8 %, sheared by 0.1, and bent by 0.4 pixels.
    Mild,
}

impl Augmentation {
    pub(super) const ALL: [Self; 3] = [Self::None, Self::Shift, Self::Mild];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Shift => "shifts",
            Self::Mild => "mild",
        }
    }
}

/// Planes of images, one image after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Planes<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) channels: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

/// Where a pixel of a copy comes from, relative to the middle.
struct Warp {
    turn: [f64; 4],
    shift: [f64; 2],
    bends: Vec<[f64; 2]>,
}

impl Warp {
    fn draw(augmentation: Augmentation, side: f64, rng: &mut Rng) -> Self {
        let mut within = |reach: f64| (2.0 * rng.uniform() - 1.0) * reach;
        // A shift by whole pixels would leave a third of the copies as they are.
        let shift = [within(side / SIDE), within(side / SIDE)];
        if augmentation == Augmentation::Shift {
            return Self { turn: [1.0, 0.0, 0.0, 1.0], shift, bends: Vec::new() };
        }
        let (angle, shear) = (within(0.12), within(0.1));
        let (high, wide) = (1.0 + within(0.08), 1.0 + within(0.08));
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let turn = [cos * high, sin * high, (shear - sin) * wide, cos * wide];
        let mut bend = || 0.4 * side / SIDE * rng.normal();
        let bends = (0..KNOTS * KNOTS).map(|_| [bend(), bend()]).collect();
        Self { turn, shift, bends }
    }

    /// The place in the image that a pixel of the copy shows.
    fn source(&self, row: f64, col: f64, (rows, cols): (f64, f64)) -> (f64, f64) {
        let (y, x) = (row - rows / 2.0, col - cols / 2.0);
        let [bend_y, bend_x] = self.bend(row / rows, col / cols);
        let down = self.turn[0] * y + self.turn[1] * x + self.shift[0] + bend_y + rows / 2.0;
        let right = self.turn[2] * y + self.turn[3] * x + self.shift[1] + bend_x + cols / 2.0;
        (down, right)
    }

    /// The elastic field between its knots.
    fn bend(&self, down: f64, right: f64) -> [f64; 2] {
        if self.bends.is_empty() {
            return [0.0; 2];
        }
        let last = (KNOTS - 1) as f64;
        let (y, x) = (down.clamp(0.0, 1.0) * last, right.clamp(0.0, 1.0) * last);
        let (i, j) = ((y as usize).min(KNOTS - 2), (x as usize).min(KNOTS - 2));
        let (v, u) = (y - i as f64, x - j as f64);
        let at = |i: usize, j: usize, k: usize| self.bends[i * KNOTS + j][k];
        [0, 1].map(|k| {
            let above = at(i, j, k) * (1.0 - u) + at(i, j + 1, k) * u;
            let below = at(i + 1, j, k) * (1.0 - u) + at(i + 1, j + 1, k) * u;
            above * (1.0 - v) + below * v
        })
    }
}

/// All images moved, each by its own random numbers.
pub(super) fn copy(planes: Planes<'_>, augmentation: Augmentation, seed: u64, threads: usize) -> Vec<u8> {
    let Planes { bytes, channels, rows, cols } = planes;
    if augmentation == Augmentation::None {
        return bytes.to_vec();
    }
    let len = channels * rows * cols;
    let images: Vec<&[u8]> = bytes.chunks(64 * len).collect();
    let parts = parallel::map(threads, images.len(), |block| {
        let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(block as u64));
        let moved = images[block].chunks(len).flat_map(|image| {
            let warp = Warp::draw(augmentation, rows.min(cols) as f64, &mut rng);
            moved(image, &warp, (channels, rows, cols))
        });
        moved.collect::<Vec<u8>>()
    });
    parts.concat()
}

/// One image moved; what comes from outside is black.
fn moved(image: &[u8], warp: &Warp, (channels, rows, cols): (usize, usize, usize)) -> Vec<u8> {
    let area = ((rows - 1) as f64, (cols - 1) as f64);
    let mut out = vec![0; image.len()];
    for (row, col) in (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))) {
        let (y, x) = warp.source(row as f64, col as f64, area);
        let (top, left) = (y.floor(), x.floor());
        let (v, u) = (y - top, x - left);
        for channel in 0..channels {
            let plane = &image[channel * rows * cols..][..rows * cols];
            let at = |y: f64, x: f64| {
                let inside = y >= 0.0 && x >= 0.0 && y < rows as f64 && x < cols as f64;
                if inside { f64::from(plane[y as usize * cols + x as usize]) } else { 0.0 }
            };
            let above = at(top, left) * (1.0 - u) + at(top, left + 1.0) * u;
            let below = at(top + 1.0, left) * (1.0 - u) + at(top + 1.0, left + 1.0) * u;
            out[channel * rows * cols + row * cols + col] = (above * (1.0 - v) + below * v + 0.5) as u8;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIXELS: [u8; 9] = [0, 0, 0, 0, 200, 0, 0, 0, 0];

    #[test]
    fn a_shift_by_half_a_pixel_spreads_a_point_over_two() {
        let warp = Warp { turn: [1.0, 0.0, 0.0, 1.0], shift: [0.0, 0.5], bends: Vec::new() };
        assert_eq!(moved(&PIXELS, &warp, (1, 3, 3)), [0, 0, 0, 100, 100, 0, 0, 0, 0]);
        let none = Warp { shift: [0.0, 0.0], bends: vec![[0.0; 2]; KNOTS * KNOTS], ..warp };
        assert_eq!(moved(&PIXELS, &none, (1, 3, 3)), PIXELS);
    }

    #[test]
    fn copies_depend_on_the_seed_and_not_on_the_threads() {
        let bytes: Vec<u8> = (0..200 * 64).map(|i| (i * 37 % 251) as u8).collect();
        let planes = Planes { bytes: &bytes, channels: 1, rows: 8, cols: 8 };
        let made = |seed, threads| copy(planes, Augmentation::Mild, seed, threads);
        assert_eq!(made(1, 1), made(1, 3));
        assert_ne!(made(1, 1), made(2, 1));
        assert_eq!(copy(planes, Augmentation::None, 1, 1), bytes);
    }
}
