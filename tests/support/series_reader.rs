//! Outputs of a series, written from FORMAT.md alone: no line of the crates under test.

use std::ops::{Add, Sub};

/// The outputs of an entry over the values of its channel, as FORMAT.md has them: both readers written from it use this.
///
/// `kernel` makes an output of a kernel from its three taps of weight 2 and all nine.
///
/// # Panics
/// If the entry does not fit the series.
#[must_use]
pub fn outputs<T: Copy + Add<Output = T> + Sub<Output = T> + PartialOrd + Default>(
    word: u32,
    x: &[T],
    kernel: impl Fn([T; 3], &[T]) -> T,
) -> Vec<T> {
    let (operator, part, index) = (word % 128, word >> 7 & 7, word >> 10 & 15);
    let most = ((x.len() - 1) / 8).max(1);
    let d = (1 << index).min(most);
    let nine = |t: usize| (0..9).map(|k| x[t + k * d]).collect::<Vec<T>>();
    let sum = |values: &[T]| values.iter().fold(T::default(), |sum, &v| sum + v);
    let count = match operator {
        0..=83 | 85 => x.len() - 8 * d,
        86 | 87 => x.len() - d,
        _ => x.len(),
    };
    let output = |t: usize| match operator {
        0..=83 => {
            let all = (0..9).flat_map(|a| (a + 1..9).flat_map(move |b| (b + 1..9).map(move |c| [a, b, c])));
            let taps = all.into_iter().nth(operator as usize).unwrap();
            kernel(taps.map(|tap| x[t + tap * d]), &nine(t))
        }
        85 => sum(&nine(t)),
        86 => x[t + d] - x[t],
        87 => {
            let difference = x[t + d] - x[t];
            if difference < T::default() { T::default() - difference } else { difference }
        }
        _ => x[t],
    };
    let (parts, i) = match part {
        0 => (1, 0),
        1 | 2 => (2, part as usize - 1),
        _ => (4, part as usize - 3),
    };
    (count * i / parts..count * (i + 1) / parts).map(output).collect()
}
