//! Exponential and cosine in single precision: additions, multiplications and bit patterns only.
//!
//! Written here rather than taken from libm: without tables or special cases they are short, a
//! batch of them vectorizes, and no double precision comes with them. Their bits are the same on every target: no step depends on a library,
//! a fused multiply-add or a rounding mode.

/// Adding and subtracting 1.5·2²³ rounds to the nearest integer, ties to even.
const ROUND: f32 = 12_582_912.0;

/// `exp(x)` for `x ≤ 0`, to 1 ulp; below −87 the result is zero rather than subnormal.
#[inline(always)]
#[allow(dead_code)] // unused when no exponential kernel is built
pub(crate) fn exp_negative(x: f32) -> f32 {
    // x = k·ln 2 + r with |r| ≤ ln 2 / 2; ln 2 in two parts, so that k·HIGH is exact.
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -2.121_944_4e-4;
    let shifted = x * core::f32::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * HIGH) - k * LOW;
    // Minimax on that interval, relative error 3e-9 before rounding.
    let q = (((1.395_048_9e-3 * r + 8.368_89e-3) * r + 4.166_620_6e-2) * r + 0.166_665_18) * r + 0.5;
    let e = (q * (r * r) + r) + 1.0;
    // The low bits of `shifted` are k: adding the exponent's bias and shifting makes 2^k.
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    if x < -87.0 { 0.0 } else { e * power }
}

/// `cos 2πt`, to 2e-7 absolute; `t` in turns, so that range reduction is one rounding.
///
/// Beyond 2²² turns, where a float has hardly a digit left for the phase, the result means nothing.
#[inline(always)]
#[allow(dead_code)] // unused without random features
pub(crate) fn cos_turns(t: f32) -> f32 {
    let whole = (t + ROUND) - ROUND;
    // cos 2πt = sin 2πu with u = 1/4 − |t − whole| in ±1/4.
    let u = 0.25 - (t - whole).abs();
    let s = u * u;
    u * ((((39.536_72 * s - 76.549_78) * s + 81.601_006) * s - 41.341_656) * s + core::f32::consts::TAU)
}

/// `1/√x` for `x > 0`, to 2 ulp: a guess from the exponent, then Newton's steps.
///
/// 450 bytes of flash less than a correctly rounded square root, which a length does not need.
pub(crate) fn inverse_sqrt(x: f32) -> f32 {
    let mut y = f32::from_bits(0x5F37_59DF_u32.wrapping_sub(x.to_bits() >> 1));
    for _ in 0..4 {
        y *= 1.5 - ((0.5 * x) * y) * y;
    }
    y
}

/// `base^exponent` by multiplications in order, for exponents from 1.
#[allow(dead_code)] // unused without polynomial kernels
pub(crate) fn power(base: f32, exponent: u8) -> f32 {
    let mut power = base;
    for _ in 1..exponent {
        power *= base;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_is_within_one_ulp() {
        let mut worst: f64 = 0.0;
        for i in 0..870_000 {
            let x = -(i as f32) * 1e-4;
            let truth = f64::from(x).exp();
            let ulp = f64::from(f32::EPSILON) * truth.log2().floor().exp2();
            worst = worst.max((f64::from(exp_negative(x)) - truth).abs() / ulp);
        }
        assert!(worst < 1.0, "{worst} ulp");
    }

    #[test]
    fn exponential_of_special_values_is_defined() {
        assert_eq!(exp_negative(0.0), 1.0);
        assert_eq!(exp_negative(-0.0), 1.0);
        assert_eq!(exp_negative(-88.0), 0.0);
        assert_eq!(exp_negative(f32::NEG_INFINITY), 0.0);
        assert!(exp_negative(f32::NAN).is_nan());
    }

    #[test]
    fn inverse_square_root_is_within_two_ulp() {
        for i in 1..200_000u32 {
            let x = f32::from_bits(i.wrapping_mul(10_000) % 0x7F00_0000 + 0x0080_0000);
            let truth = 1.0 / f64::from(x).sqrt();
            let gap = (f64::from(inverse_sqrt(x)) - truth).abs() / truth;
            assert!(gap < 2.0 * f64::from(f32::EPSILON), "{x}: {gap}");
        }
    }

    #[test]
    fn cosine_is_near_the_truth() {
        for i in -400_000..400_000 {
            let t = i as f32 * 1e-4;
            let truth = (f64::from(t) * core::f64::consts::TAU).cos();
            assert!((f64::from(cos_turns(t)) - truth).abs() < 2e-7, "{t}");
        }
    }

    #[test]
    fn cosine_of_special_values_is_defined() {
        assert!((cos_turns(0.0) - 1.0).abs() < 2e-7);
        assert!(cos_turns(f32::INFINITY).is_nan());
        assert!(cos_turns(f32::NAN).is_nan());
    }
}
