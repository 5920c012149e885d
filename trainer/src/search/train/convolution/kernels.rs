//! Convolutions 3×3 and poolings of several images side by side, and their slopes.
//!
//! The sample is the innermost index, so that every step is one of vectors whatever the size of an image.

/// Images side by side: two vectors of AVX2, one of AVX-512.
pub(super) const LANES: usize = 16;
/// One pixel of all of them.
pub(super) type Pixel = [f32; LANES];
/// Filters that share what they read of the images.
const TOGETHER: usize = 4;
pub(super) const TAPS: usize = 9;

/// Channels, rows and columns of planes that lie one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) channels: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

impl Shape {
    pub(super) fn len(self) -> usize {
        self.channels * self.rows * self.cols
    }

    /// Behind a convolution by so many filters.
    pub(super) fn convolved(self, filters: usize) -> Self {
        Self { channels: filters, rows: self.rows.saturating_sub(2), cols: self.cols.saturating_sub(2) }
    }

    /// Behind a pooling of 2×2.
    pub(super) fn pooled(self) -> Self {
        Self { rows: self.rows / 2, cols: self.cols / 2, ..self }
    }

    fn row(self, channel: usize, row: usize) -> std::ops::Range<usize> {
        let start = (channel * self.rows + row) * self.cols;
        start..start + self.cols
    }
}

/// `out = bias + Σ w · image` with weights by channel, tap and filter.
#[inline(always)]
pub(super) fn convolve(images: &[Pixel], shape: Shape, weights: &[f32], bias: &[f32], out: &mut [Pixel]) {
    let filters = bias.len();
    let to = shape.convolved(filters);
    let plane = to.rows * to.cols;
    for first in (0..filters).step_by(TOGETHER) {
        let count = TOGETHER.min(filters - first);
        let mut own = vec![[0.0; TOGETHER]; shape.channels * TAPS];
        for (own, all) in own.iter_mut().zip(weights.chunks(filters)) {
            own[..count].copy_from_slice(&all[first..first + count]);
        }
        let mut start = [0.0; TOGETHER];
        start[..count].copy_from_slice(&bias[first..first + count]);
        for (row, col) in (0..to.rows).flat_map(|row| (0..to.cols).map(move |col| (row, col))) {
            let sums = window(images, shape, &own, start, row, col);
            let at = row * to.cols + col;
            for (i, sum) in sums.iter().take(count).enumerate() {
                out[(first + i) * plane + at] = *sum;
            }
        }
    }
}

/// The sums of a few filters at one place.
#[inline(always)]
fn window(
    images: &[Pixel],
    shape: Shape,
    weights: &[[f32; TOGETHER]],
    start: [f32; TOGETHER],
    row: usize,
    col: usize,
) -> [Pixel; TOGETHER] {
    let mut sums = start.map(|bias| [bias; LANES]);
    for (channel, weights) in weights.chunks_exact(TAPS).enumerate() {
        for (down, weights) in weights.chunks_exact(3).enumerate() {
            let line = &images[shape.row(channel, row + down)][col..col + 3];
            for (pixel, weights) in line.iter().zip(weights) {
                for (sum, w) in sums.iter_mut().zip(weights) {
                    for (s, v) in sum.iter_mut().zip(pixel) {
                        *s += w * v;
                    }
                }
            }
        }
    }
    sums
}

/// Adds the slopes of the weights: `Σ slope · image` over places and samples.
#[inline(always)]
pub(super) fn weight_slopes(images: &[Pixel], shape: Shape, slopes: &[Pixel], filters: usize, out: &mut [f32]) {
    let from = shape.convolved(filters);
    for channel in 0..shape.channels {
        for down in 0..3 {
            for first in (0..filters).step_by(2) {
                // Of an odd number the last filter is its own partner.
                let pair = [first, (first + 1).min(filters - 1)];
                let mut sums = [[[0.0_f32; LANES]; 3]; 2];
                for row in 0..from.rows {
                    let line = &images[shape.row(channel, row + down)];
                    let lines = pair.map(|filter| &slopes[from.row(filter, row)]);
                    for ((pixels, a), b) in line.windows(3).zip(lines[0]).zip(lines[1]) {
                        for (sums, slope) in sums.iter_mut().zip([a, b]) {
                            for (sum, pixel) in sums.iter_mut().zip(pixels) {
                                for ((s, v), slope) in sum.iter_mut().zip(pixel).zip(slope) {
                                    *s += slope * v;
                                }
                            }
                        }
                    }
                }
                for (sums, filter) in sums.iter().zip(pair).take(filters - first) {
                    for (right, sum) in sums.iter().enumerate() {
                        out[(channel * TAPS + down * 3 + right) * filters + filter] += total(sum);
                    }
                }
            }
        }
    }
}

/// The slopes of the images, from those of the convolution: a convolution by turned filters of slopes with an edge of 2.
#[inline(always)]
pub(super) fn image_slopes(slopes: &[Pixel], shape: Shape, weights: &[f32], filters: usize, out: &mut [Pixel]) {
    let from = shape.convolved(filters);
    let wide = Shape { channels: filters, rows: from.rows + 4, cols: from.cols + 4 };
    let mut framed = vec![[0.0; LANES]; wide.len()];
    for filter in 0..filters {
        for row in 0..from.rows {
            framed[wide.row(filter, row + 2)][2..2 + from.cols].copy_from_slice(&slopes[from.row(filter, row)]);
        }
    }
    let mut turned = vec![0.0; weights.len()];
    for (at, w) in turned.iter_mut().enumerate() {
        let (channel, rest) = (at % shape.channels, at / shape.channels);
        let (tap, filter) = (rest % TAPS, rest / TAPS);
        *w = weights[(channel * TAPS + TAPS - 1 - tap) * filters + filter];
    }
    convolve(&framed, wide, &turned, &vec![0.0; shape.channels], out);
}

/// `clip(z, 0, 1)` as a byte of 1/255.
#[inline(always)]
pub(super) fn activate(sums: &[Pixel], out: &mut [Pixel]) {
    for (out, sums) in out.iter_mut().zip(sums) {
        for (a, z) in out.iter_mut().zip(sums) {
            *a = (z.clamp(0.0, 1.0) * 255.0 + 0.5).floor() * (1.0 / 255.0);
        }
    }
}

/// Where a sum was clipped, no slope passes.
#[inline(always)]
pub(super) fn through_activation(sums: &[Pixel], slopes: &mut [Pixel]) {
    for (slopes, sums) in slopes.iter_mut().zip(sums) {
        for (s, z) in slopes.iter_mut().zip(sums) {
            *s = if *z > 0.0 && *z < 1.0 { *s } else { 0.0 };
        }
    }
}

/// The four pixels of every block of 2×2 of some planes, and the block's place.
#[inline(always)]
fn blocks(shape: Shape, mut f: impl FnMut(usize, [usize; 4])) {
    let to = shape.pooled();
    for channel in 0..shape.channels {
        for row in 0..to.rows {
            for col in 0..to.cols {
                let above = (channel * shape.rows + 2 * row) * shape.cols + 2 * col;
                let below = above + shape.cols;
                f((channel * to.rows + row) * to.cols + col, [above, above + 1, below, below + 1]);
            }
        }
    }
}

/// The largest of every block.
#[inline(always)]
pub(super) fn largest(planes: &[Pixel], shape: Shape, out: &mut [Pixel]) {
    blocks(shape, |to, from| {
        let [a, b, c, d] = from.map(|i| &planes[i]);
        for (i, most) in out[to].iter_mut().enumerate() {
            *most = a[i].max(b[i]).max(c[i].max(d[i]));
        }
    });
}

/// The slope of the largest goes to the first of a block that is as large.
#[inline(always)]
pub(super) fn largest_slopes(planes: &[Pixel], shape: Shape, pooled: &[Pixel], slopes: &[Pixel], out: &mut [Pixel]) {
    out.fill([0.0; LANES]);
    blocks(shape, |to, from| {
        let mut left = slopes[to];
        for at in from {
            for (i, slope) in left.iter_mut().enumerate() {
                let is_largest = planes[at][i] >= pooled[to][i];
                out[at][i] = if is_largest { *slope } else { 0.0 };
                *slope = if is_largest { 0.0 } else { *slope };
            }
        }
    });
}

/// The sum over samples, in an order of its own for any vectors.
#[inline(always)]
pub(super) fn total(pixel: &Pixel) -> f32 {
    let mut sums: [f32; 4] = [0.0; 4];
    for part in pixel.chunks_exact(4) {
        sums.iter_mut().zip(part).for_each(|(sum, v)| *sum += v);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const SHAPE: Shape = Shape { channels: 2, rows: 5, cols: 6 };
    const FILTERS: usize = 3;

    fn pixels(count: usize, seed: u64) -> Vec<Pixel> {
        let mut rng = Rng::new(seed);
        (0..count).map(|_| std::array::from_fn(|_| rng.normal() as f32)).collect()
    }

    fn weights() -> Vec<f32> {
        let mut rng = Rng::new(9);
        (0..SHAPE.channels * TAPS * FILTERS).map(|_| rng.normal() as f32).collect()
    }

    fn convolved(images: &[Pixel], weights: &[f32]) -> Vec<Pixel> {
        let mut out = vec![[0.0; LANES]; SHAPE.convolved(FILTERS).len()];
        convolve(images, SHAPE, weights, &[0.5, 0.0, -1.0], &mut out);
        out
    }

    fn dot(a: &[Pixel], b: &[Pixel]) -> f64 {
        let products = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| f64::from(*a) * f64::from(*b));
        products.sum()
    }

    #[test]
    fn a_convolution_is_its_definition() {
        let (images, weights) = (pixels(SHAPE.len(), 1), weights());
        let out = convolved(&images, &weights);
        let to = SHAPE.convolved(FILTERS);
        for (filter, row, col) in [(0, 0, 0), (1, 2, 3), (2, 1, 0)] {
            let mut sum = [0.5, 0.0, -1.0][filter];
            for channel in 0..2 {
                for (down, right) in (0..3).flat_map(|d| (0..3).map(move |r| (d, r))) {
                    let pixel = images[SHAPE.row(channel, row + down)][col + right][7];
                    sum += weights[(channel * TAPS + down * 3 + right) * FILTERS + filter] * pixel;
                }
            }
            assert!((out[to.row(filter, row)][col][7] - sum).abs() < 1e-5);
        }
    }

    /// A convolution is linear in images and in weights, so that slopes are the transposed maps.
    #[test]
    fn slopes_are_those_of_a_linear_map() {
        let (images, weights) = (pixels(SHAPE.len(), 1), weights());
        let slopes = pixels(SHAPE.convolved(FILTERS).len(), 2);
        let value = |images: &[Pixel], weights: &[f32]| dot(&convolved(images, weights), &slopes);
        let mut by_weight = vec![0.0; weights.len()];
        weight_slopes(&images, SHAPE, &slopes, FILTERS, &mut by_weight);
        for i in [0, 7, 26, 53] {
            let mut moved = weights.clone();
            moved[i] += 1.0;
            let expected = value(&images, &moved) - value(&images, &weights);
            assert!((f64::from(by_weight[i]) - expected).abs() < 1e-3, "{i}: {} {expected}", by_weight[i]);
        }
        let mut by_pixel = vec![[0.0; LANES]; SHAPE.len()];
        image_slopes(&slopes, SHAPE, &weights, FILTERS, &mut by_pixel);
        let other = pixels(SHAPE.len(), 3);
        let sum: Vec<Pixel> = images.iter().zip(&other).map(|(a, b)| std::array::from_fn(|i| a[i] + b[i])).collect();
        let expected = value(&sum, &weights) - value(&images, &weights);
        assert!((dot(&by_pixel, &other) - expected).abs() < 1e-3 * expected.abs().max(1.0));
    }

    #[test]
    fn the_first_of_the_largest_pixels_takes_the_slope() {
        let shape = Shape { channels: 1, rows: 3, cols: 2 };
        let planes: Vec<Pixel> = [0.2, 0.9, 0.9, 0.1, 7.0, 8.0].map(|v| [v; LANES]).to_vec();
        let (mut pooled, mut slopes) = (vec![[0.0; LANES]], vec![[1.0; LANES]; 6]);
        largest(&planes, shape, &mut pooled);
        largest_slopes(&planes, shape, &pooled, &[[2.0; LANES]], &mut slopes);
        assert_eq!(pooled[0][3], 0.9, "the third row has no partner");
        assert_eq!(slopes.iter().map(|p| p[3]).collect::<Vec<_>>(), [0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn activations_are_bytes_and_clipped_sums_have_no_slope() {
        let sums = [[-0.3; LANES], [0.5; LANES], [1.2; LANES]];
        let (mut out, mut slopes) = ([[0.0; LANES]; 3], [[3.0; LANES]; 3]);
        activate(&sums, &mut out);
        through_activation(&sums, &mut slopes);
        assert_eq!(out.map(|p| (p[0] * 255.0).round()), [0.0, 128.0, 255.0]);
        assert_eq!(slopes.map(|p| p[0]), [0.0, 3.0, 0.0]);
    }
}
