//! Sums over four rows at once: the one inner loop behind projections and kernels.
//!
//! Rows lie interleaved by four, so flash is read once, front to back, and each of the four sums
//! still adds its features in order. `B` samples lie side by side the same way: `classify` takes
//! one, a batch several, and every sum has the same order, hence the same bits.

use crate::sample::Element;

/// `start + Σⱼ term(xⱼ, rowⱼ)` for four rows and `B` samples.
#[inline(always)]
pub(crate) fn sums<const B: usize, T: Element>(
    rows: &[[f32; 4]],
    x: &[[T; B]],
    start: [f32; 4],
    term: impl Fn(f32, f32) -> f32,
) -> [[f32; B]; 4] {
    let mut sums = start.map(|s| [s; B]);
    for (weights, values) in rows.iter().zip(x) {
        for (sums, &weight) in sums.iter_mut().zip(weights) {
            for (sum, &value) in sums.iter_mut().zip(values) {
                *sum += term(value.into(), weight);
            }
        }
    }
    sums
}

/// A term of an inner product.
#[inline(always)]
pub(crate) fn product(x: f32, w: f32) -> f32 {
    x * w
}

/// A term of a squared distance.
#[inline(always)]
pub(crate) fn squared_gap(x: f32, c: f32) -> f32 {
    (x - c) * (x - c)
}

/// A term of a city-block distance.
#[inline(always)]
pub(crate) fn gap(x: f32, c: f32) -> f32 {
    (x - c).abs()
}
