//! The fixed operators: what they make of one channel, in integers and in single precision with the device's order of sums.

use std::ops::{Add, Mul, Sub};

/// Kernels of length 9 with three taps of weight 2 and six of −1 (Dempster, Schmidt and Webb 2021): operators 0 to 83.
pub(crate) const KERNELS: u8 = 84;
/// The value itself.
pub(crate) const VALUE: u8 = 84;
/// The sum of nine taps.
pub(crate) const SUM: u8 = 85;
/// The step over the dilation.
pub(crate) const STEP: u8 = 86;
/// Its magnitude.
pub(crate) const MAGNITUDE: u8 = 87;
/// Mean of the part; the other statistics follow in the order of window statistics.
pub(crate) const MEAN: u8 = 88;
/// Mean absolute deviation.
pub(crate) const DEVIATION: u8 = 89;
/// Mean absolute step.
pub(crate) const ROUGHNESS: u8 = 92;
/// Taps of a kernel.
const TAPS: usize = 9;

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

/// Whether the operator is a statistic of a part rather than a count.
pub(crate) const fn is_statistic(operator: u8) -> bool {
    operator >= MEAN
}

/// Whether the operator needs the sum of nine taps.
pub(crate) const fn needs_sum(operator: u8) -> bool {
    operator < KERNELS || operator == SUM
}

/// The dilations of a window of so many steps: powers of two up to an eighth of it, and that eighth.
pub(crate) fn dilations(steps: usize) -> Vec<usize> {
    let most = (steps.saturating_sub(1) / 8).max(1);
    let mut all: Vec<usize> = std::iter::successors(Some(1), |d| Some(2 * d)).take_while(|d| *d <= most).collect();
    if all.last() != Some(&most) {
        all.push(most);
    }
    all
}

/// How many outputs an operator has in a window of so many steps; none if the window is too short for it.
pub(crate) const fn outputs(operator: u8, steps: usize, dilation: usize) -> usize {
    let reach = match operator {
        STEP | MAGNITUDE => dilation,
        0..KERNELS | SUM => (TAPS - 1) * dilation,
        _ => 0,
    };
    steps.saturating_sub(reach)
}

/// The taps of weight 2, in the lexicographic order of the kernels.
pub(crate) fn taps(kernel: u8) -> [usize; 3] {
    let mut left = kernel;
    for a in 0..TAPS {
        for b in a + 1..TAPS {
            for c in b + 1..TAPS {
                if left == 0 {
                    return [a, b, c];
                }
                left -= 1;
            }
        }
    }
    [0, 1, 2]
}

/// The sums of nine taps, added in their order.
#[inline(always)]
pub(crate) fn sums<V: Value>(x: &[V], dilation: usize, out: &mut Vec<V>) {
    let len = outputs(SUM, x.len(), dilation);
    out.clear();
    out.extend_from_slice(&x[..len]);
    for tap in 1..TAPS {
        for (sum, v) in out.iter_mut().zip(&x[tap * dilation..]) {
            *sum = *sum + *v;
        }
    }
}

/// What a counting operator makes of a channel. `sums` are those of the same dilation.
#[inline(always)]
pub(crate) fn apply<V: Value>(operator: u8, x: &[V], dilation: usize, sums: &[V], out: &mut Vec<V>) {
    let len = outputs(operator, x.len(), dilation);
    out.clear();
    match operator {
        VALUE => out.extend_from_slice(x),
        SUM => out.extend_from_slice(&sums[..len]),
        STEP => out.extend(x.iter().zip(&x[dilation.min(x.len())..]).map(|(now, then)| *then - *now)),
        MAGNITUDE => {
            out.extend(x.iter().zip(&x[dilation.min(x.len())..]).map(|(now, then)| (*then - *now).magnitude()));
        }
        kernel if len > 0 => {
            let [a, b, c] = taps(kernel).map(|tap| &x[tap * dilation..][..len]);
            let taps = a.iter().zip(b).zip(c).zip(&sums[..len]);
            out.extend(taps.map(|(((a, b), c), sum)| V::THREE * (*a + *b + *c) - *sum));
        }
        _ => {}
    }
}

/// Where a part of `outputs` outputs lies: 0 is all of them, 1 and 2 are halves, 3 to 6 quarters.
pub(crate) const fn part_of_outputs(part: u8, outputs: usize) -> (usize, usize) {
    let part = part as usize;
    match part {
        0 => (0, outputs),
        1 | 2 => (outputs * (part - 1) / 2, outputs * part / 2),
        _ => (outputs * (part - 3) / 4, outputs * (part - 2) / 4),
    }
}

/// Where a part of a window lies, cut as segments of window statistics are: the first are one step longer.
pub(crate) fn part_of_window(part: u8, steps: usize) -> (usize, usize) {
    let (parts, nth) = match part {
        0 => (1, 0),
        1 | 2 => (2, usize::from(part) - 1),
        _ => (4, usize::from(part) - 3),
    };
    let start = |nth: usize| nth * (steps / parts) + nth.min(steps % parts);
    (start(nth), start(nth + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_in_lexicographic_order() {
        assert_eq!([0, 1, 6, 7, 83].map(taps), [[0, 1, 2], [0, 1, 3], [0, 1, 8], [0, 2, 3], [6, 7, 8]]);
    }

    #[test]
    fn dilations_are_powers_of_two_and_the_longest() {
        assert_eq!(dilations(100), [1, 2, 4, 8, 12]);
        assert_eq!(dilations(129), [1, 2, 4, 8, 16]);
        assert_eq!((dilations(5), dilations(17)), (vec![1], vec![1, 2]));
    }

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
        assert_eq!(of(STEP), [1, 3, 5, 7, 9, 11, 13, 15, 17]);
        apply(MAGNITUDE, &[3, 1, 2], 2, &[], &mut out);
        assert_eq!(out, [1]);
    }

    #[test]
    fn windows_too_short_have_no_outputs() {
        let mut out = vec![1.0_f32];
        sums(&[1.0; 8], 1, &mut out);
        assert!(out.is_empty());
        for operator in [0, SUM, STEP] {
            apply(operator, &[1.0; 8], 9, &[], &mut out);
            assert!(out.is_empty(), "{operator}");
        }
    }

    #[test]
    fn parts_of_outputs_and_of_windows() {
        assert_eq!([0, 1, 2, 3, 6].map(|p| part_of_outputs(p, 7)), [(0, 7), (0, 3), (3, 7), (0, 1), (5, 7)]);
        assert_eq!([0, 1, 2, 3, 6].map(|p| part_of_window(p, 7)), [(0, 7), (0, 4), (4, 7), (0, 2), (6, 7)]);
    }
}
