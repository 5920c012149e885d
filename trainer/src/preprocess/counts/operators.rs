//! The fixed operators: what they make of one channel, in integers and in single precision with the device's order of sums.

use nearmark_format::series::{DIFFERENCE, DISTANCE, SUM, TAPS, VALUE, outputs, taps};
use std::ops::{Add, Mul, Sub};

/// A sample as an operator computes with it.
pub(crate) trait Value:
    Copy + Default + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Send + Sync
{
    /// The weight of three taps.
    const THREE: Self;

    fn magnitude(self) -> Self;
}

impl Value for i32 {
    const THREE: Self = 3;

    fn magnitude(self) -> Self {
        self.wrapping_abs()
    }
}

impl Value for f32 {
    const THREE: Self = 3.0;

    fn magnitude(self) -> Self {
        self.abs()
    }
}

/// How many outputs an operator has over a channel.
fn len<V>(operator: u8, x: &[V], dilation: usize) -> usize {
    outputs(x.len() as u32, operator, dilation as u32) as usize
}

/// The sums of nine taps, added in their order.
#[inline(always)]
pub(crate) fn sums<V: Value>(x: &[V], dilation: usize, out: &mut Vec<V>) {
    let len = len(SUM, x, dilation);
    out.clear();
    out.extend_from_slice(&x[..len]);
    if len == 0 {
        return;
    }
    for tap in 1..TAPS as usize {
        for (sum, v) in out.iter_mut().zip(&x[tap * dilation..]) {
            *sum = *sum + *v;
        }
    }
}

/// What a counting operator makes of a channel. `sums` are those of the same dilation.
#[inline(always)]
pub(crate) fn apply<V: Value>(operator: u8, x: &[V], dilation: usize, sums: &[V], out: &mut Vec<V>) {
    let len = len(operator, x, dilation);
    out.clear();
    match operator {
        VALUE => out.extend_from_slice(x),
        SUM => out.extend_from_slice(&sums[..len]),
        DIFFERENCE => out.extend(x.iter().zip(&x[dilation.min(x.len())..]).map(|(now, then)| *then - *now)),
        DISTANCE => {
            out.extend(x.iter().zip(&x[dilation.min(x.len())..]).map(|(now, then)| (*then - *now).magnitude()));
        }
        kernel if len > 0 => {
            let [a, b, c] = taps(kernel).map(|tap| &x[usize::from(tap) * dilation..][..len]);
            let taps = a.iter().zip(b).zip(c).zip(&sums[..len]);
            out.extend(taps.map(|(((a, b), c), sum)| V::THREE * (*a + *b + *c) - *sum));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_done_by_hand() {
        let x: Vec<i32> = (0..10).map(|t| t * t).collect();
        let (mut sum, mut out) = (Vec::new(), Vec::new());
        sums(&x, 1, &mut sum);
        assert_eq!(sum, [204, 285]);
        let mut of = |operator| {
            apply(operator, &x, 1, &sum, &mut out);
            out.clone()
        };
        assert_eq!(of(0), [3 * (1 + 4) - 204, 3 * (1 + 4 + 9) - 285]);
        assert_eq!(of(83), [3 * (36 + 49 + 64) - 204, 3 * (49 + 64 + 81) - 285]);
        assert_eq!((of(VALUE), of(SUM)), (x.clone(), sum.clone()));
        assert_eq!(of(DIFFERENCE), [1, 3, 5, 7, 9, 11, 13, 15, 17]);
        apply(DISTANCE, &[3, 1, 2], 2, &[], &mut out);
        assert_eq!(out, [1]);
    }

    #[test]
    fn windows_too_short_have_no_outputs() {
        let mut out = vec![1.0_f32];
        sums(&[1.0; 8], 1, &mut out);
        assert!(out.is_empty());
        for operator in [0, SUM, DIFFERENCE] {
            apply(operator, &[1.0; 8], 9, &[], &mut out);
            assert!(out.is_empty(), "{operator}");
        }
    }
}
