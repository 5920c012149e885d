//! Sums over four rows at once: the one inner loop behind projections and kernels.
//!
//! Rows lie interleaved by four, so flash is read once, front to back, and each of the four sums
//! still adds its features in order. `B` samples lie side by side the same way: `classify` takes
//! one, a batch several, and every sum has the same order, hence the same bits.

use crate::sample::Element;

/// `start + Σⱼ term(xⱼ, rowⱼ)` for four rows and `B` samples.
///
/// The four sums are written out: at `opt-level = "s"` a loop over them would keep them in memory.
#[inline(always)]
pub(crate) fn sums<const B: usize, T: Element>(
    rows: &[[f32; 4]],
    x: &[[T; B]],
    start: &[f32; 4],
    term: impl Fn(f32, f32) -> f32,
) -> [[f32; B]; 4] {
    let [mut s0, mut s1, mut s2, mut s3] = [[start[0]; B], [start[1]; B], [start[2]; B], [start[3]; B]];
    for (&[w0, w1, w2, w3], values) in rows.iter().zip(x) {
        for (b, &value) in values.iter().enumerate() {
            let value = value.into();
            s0[b] += term(value, w0);
            s1[b] += term(value, w1);
            s2[b] += term(value, w2);
            s3[b] += term(value, w3);
        }
    }
    [s0, s1, s2, s3]
}

/// Inner products with four rows: the sums that a projection and most lifts share.
#[inline(never)] // one copy in flash
pub(crate) fn products<const B: usize, T: Element>(rows: &[[f32; 4]], x: &[[T; B]], start: &[f32; 4]) -> [[f32; B]; 4] {
    sums(rows, x, start, |x, w| x * w)
}

/// The first four values as floats, zeros where there are fewer.
#[inline(always)]
pub(crate) fn four<const B: usize, T: Element>(values: &[[T; B]]) -> [[f32; B]; 4] {
    let at = |i: usize| values.get(i).map_or([0.0; B], |v| v.map(Into::into));
    [at(0), at(1), at(2), at(3)]
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
