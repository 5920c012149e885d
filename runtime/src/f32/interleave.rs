//! Sums over four rows at once: the one inner loop behind projections and kernels.
//!
//! Rows lie interleaved by four, so flash is read once, front to back, and each of the four sums
//! still adds its features in order. `B` samples lie side by side the same way: `classify` takes
//! one, a batch several, and every sum has the same order, hence the same bits.

use crate::sample::Element;

/// `Σⱼ term(xⱼ, rowⱼ)` for four rows and `B` samples.
///
/// The four sums are written out: at `opt-level = "s"` a loop over them would keep them in memory.
#[inline(always)]
pub(crate) fn sums<const B: usize, T: Element>(
    rows: &[[f32; 4]],
    x: &[[T; B]],
    term: impl Fn(f32, f32) -> f32,
) -> [[f32; B]; 4] {
    let [mut s0, mut s1, mut s2, mut s3] = [[0.0; B]; 4];
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

/// Inner products with four rows: the sums that a projection and most maps share.
#[inline(always)]
pub(crate) fn products<const B: usize, T: Element>(rows: &[[f32; 4]], x: &[[T; B]]) -> [[f32; B]; 4] {
    if B == 1 { products_alone(rows, x) } else { sums(rows, x, |x, w| x * w) }
}

#[inline(never)] // one copy in flash
fn products_alone<const B: usize, T: Element>(rows: &[[f32; 4]], x: &[[T; B]]) -> [[f32; B]; 4] {
    sums(rows, x, |x, w| x * w)
}

/// Squared distances to four rows, two features a turn: 30 instructions for eight terms on a
/// Cortex-M4F, where one feature a turn takes 32.
#[inline(always)]
pub(crate) fn squared_distances<const B: usize, T: Element>(rows: &[[f32; 4]], x: &[[T; B]]) -> [[f32; B]; 4] {
    if B != 1 {
        // Samples side by side fill the vectors already.
        return sums(rows, x, |x, c| (x - c) * (x - c));
    }
    let [mut s0, mut s1, mut s2, mut s3] = [[0.0; B]; 4];
    let mut add = |&[w0, w1, w2, w3]: &[f32; 4], values: &[T; B]| {
        for (b, &value) in values.iter().enumerate() {
            let value = value.into();
            let [g0, g1, g2, g3] = [value - w0, value - w1, value - w2, value - w3];
            s0[b] += g0 * g0;
            s1[b] += g1 * g1;
            s2[b] += g2 * g2;
            s3[b] += g3 * g3;
        }
    };
    let (row_pairs, last_row) = rows.as_chunks::<2>();
    let (pairs, last) = x.as_chunks::<2>();
    for ([r0, r1], [x0, x1]) in row_pairs.iter().zip(pairs) {
        add(r0, x0);
        add(r1, x1);
    }
    if let (Some(row), Some(x)) = (last_row.first(), last.first()) {
        add(row, x);
    }
    [s0, s1, s2, s3]
}

/// A term of an L1 distance.
#[inline(always)]
pub(crate) fn absolute_difference(x: f32, c: f32) -> f32 {
    (x - c).abs()
}
