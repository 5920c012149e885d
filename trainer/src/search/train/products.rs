//! Products of small f32 matrices stored column by column, one sample per column.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// A matrix over a slice, column by column.
fn view(values: &[f32], rows: usize) -> MatRef<'_, f32> {
    MatRef::from_column_major_slice(values, rows, values.len() / rows)
}

/// `out = a · b` for `a` of `rows` rows and `b` of `inner` rows.
pub(super) fn mul(a: &[f32], rows: usize, b: &[f32], inner: usize) -> Vec<f32> {
    product(view(a, rows), view(b, inner))
}

/// `out = aᵀ · b`, both of `inner` rows.
pub(super) fn mul_tn(a: &[f32], b: &[f32], inner: usize) -> Vec<f32> {
    product(view(a, inner).transpose(), view(b, inner))
}

/// `out = a · bᵀ` for `a` of `rows` and `b` of `others` rows.
pub(super) fn mul_nt(a: &[f32], rows: usize, b: &[f32], others: usize) -> Vec<f32> {
    product(view(a, rows), view(b, others).transpose())
}

fn product(a: MatRef<'_, f32>, b: MatRef<'_, f32>) -> Vec<f32> {
    let (rows, cols) = (a.nrows(), b.ncols());
    let mut out = vec![0.0; rows * cols];
    matmul(MatMut::from_column_major_slice_mut(&mut out, rows, cols), Accum::Replace, a, b, 1.0, Par::Seq);
    out
}

/// `exp(x)` for `x` up to 80, in plain arithmetic that the compiler vectorizes; zero for every purpose below −87.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    /// Adding it rounds to an integer, whose bits then stand at the low end of the mantissa.
    const ROUND: f32 = 12_582_912.0;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 80.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    // x = n ln 2 + r with |r| ≤ ln 2 / 2; Taylor's series to r⁷ is exact to rounding there.
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let mut p = 1.0 / 5040.0;
    for factorial in [720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        p = p * r + 1.0 / factorial;
    }
    p * f32::from_bits(rounded.to_bits().wrapping_add(127) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_exact_to_single_precision() {
        for i in 0..16_000 {
            let x = -85.0 + i as f32 * 0.01;
            let expected = libm::exp(f64::from(x));
            assert!((f64::from(exp(x)) / expected - 1.0).abs() < 4e-7, "exp({x})");
        }
        assert!(exp(-1e9) < 1e-37);
    }

    #[test]
    fn products_are_those_of_their_definitions() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, -1.0, 0.5, 2.0, 0.0, 1.0]);
        assert_eq!(mul(&a, 2, &b, 3), [0.5, 1.0, 7.0, 10.0]);
        assert_eq!(mul_tn(&a, &b, 2), [-1.0, -1.0, -1.0, 4.5, 9.5, 14.5, 2.0, 4.0, 6.0]);
        assert_eq!(mul_nt(&a, 2, &b, 2), [2.5, 4.0, 10.0, 12.0]);
    }
}
