//! Counts of fixed convolutions: a feature is how often a fixed filter of a raw sensor window exceeds a threshold.
//!
//! Nothing of a filter is stored but its number: kernels of length 9 with three taps of weight 2 and six of −1, dilated
//! (MiniRocket's, Dempster, Schmidt and Webb 2021), and the value, the sum of nine taps, the step and its magnitude.
//! Statistics of the window and its parts stand beside them. The stage computes with the device's own integers, so that
//! a threshold means on the host what it means there.

mod entry;
pub(crate) mod operators;
mod plan;
pub(crate) mod pool;
mod samples;
mod statistics;

pub(crate) use entry::{BYTES, in_integers, rounded, scale};
pub(crate) use plan::Plan;
pub(crate) use samples::Samples;

use crate::error::DataError;
use crate::linalg::Mat;
use nearmark_format::series::is_counted;
use nearmark_format::{Level, Series, SeriesEntry};

/// How a row is a sensor window, and the features that are computed of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    window: Shape,
    samples: Samples,
    entries: Vec<SeriesEntry>,
}

/// How a row is a sensor window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) channels: usize,
    pub(crate) steps: usize,
    /// Whether a row runs through the channels at each step, rather than through time channel by channel.
    pub(crate) interleaved: bool,
}

impl Shape {
    /// The values of one channel of a row.
    pub(crate) fn channel<'a>(
        &'a self,
        channel: usize,
        row: impl Fn(usize) -> f64 + 'a,
    ) -> impl Iterator<Item = f64> + 'a {
        (0..self.steps)
            .map(move |t| row(if self.interleaved { t * self.channels + channel } else { channel * self.steps + t }))
    }
}

impl Counts {
    /// These features in the order in which they are stored.
    pub(crate) fn new(window: Shape, samples: Samples, mut entries: Vec<SeriesEntry>) -> Self {
        entries.sort_by_key(place);
        Self { window, samples, entries }
    }

    /// The stage of a model file.
    pub(crate) fn of(shape: nearmark_format::Shape, series: &Series, samples: Samples) -> Self {
        let (channels, steps) = (shape.channels as usize, shape.cols as usize);
        let window = Shape { channels, steps, interleaved: series.interleaved };
        Self { window, samples, entries: series.entries.clone() }
    }

    pub(crate) fn window(&self) -> Shape {
        self.window
    }

    pub(crate) fn samples(&self) -> Samples {
        self.samples
    }

    pub(crate) fn entries(&self) -> &[SeriesEntry] {
        &self.entries
    }

    /// The same features over floats.
    pub(crate) fn in_floats(&self) -> Self {
        let entries = self.entries.iter().map(|entry| entry::in_floats(*entry, self.samples)).collect();
        Self { window: self.window, samples: Samples::Floats, entries }
    }

    /// Every number that the stage depends on, in a fixed order.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let Shape { channels, steps, interleaved } = self.window;
        let mut all = vec![channels as f64, steps as f64, f64::from(u8::from(interleaved))];
        all.extend(match self.samples {
            Samples::Integers { number, mul, add } => [f64::from(number as u8), mul.into(), add.into()],
            Samples::Floats => [-1.0, 0.0, 0.0],
        });
        for entry in &self.entries {
            all.extend([f64::from(entry.channel), entry.operator.into(), entry.part.into(), entry.dilation.into()]);
            all.extend(match entry.level {
                Level::Threshold(value) => [f64::from(value), 0.0, 0.0],
                Level::RealThreshold(value) => [value.into(), 0.0, 0.0],
                Level::Scale { zero, mantissa, shift } => [zero.into(), mantissa.into(), shift.into()],
                Level::RealScale { zero, multiplier } => [zero.into(), multiplier.into(), 0.0],
            });
        }
        all
    }

    /// The features of every row, in 0..=1.
    pub(crate) fn apply(&self, rows: &Mat, threads: usize) -> Result<Mat, DataError> {
        if self.samples != Samples::Floats {
            return Ok(self.bytes(rows, threads)?.map(|byte| byte / BYTES));
        }
        self.check(rows)?;
        let (features, width) = (Plan::new(self).floats(rows, threads), self.entries.len());
        Ok(Mat::from_fn(rows.nrows(), width, |i, j| features[i * width + j].into()))
    }

    /// The features of every row as the bytes of the integer form.
    pub(crate) fn bytes(&self, rows: &Mat, threads: usize) -> Result<Mat, DataError> {
        self.check(rows)?;
        let (bytes, width) = (Plan::new(self).bytes(rows, threads), self.entries.len());
        Ok(Mat::from_fn(rows.nrows(), width, |i, j| bytes[i * width + j].into()))
    }

    fn check(&self, rows: &Mat) -> Result<(), DataError> {
        let (expected, got) = (self.window.channels * self.window.steps, rows.ncols());
        if got == expected { Ok(()) } else { Err(DataError::Shape { what: "window", expected, got }) }
    }
}

/// The order in which features are stored: neighbors share as much of the device's work as they can. Statistics are taken of
/// one part in one pass, counts of one operator and part by two thresholds at a time.
fn place(entry: &SeriesEntry) -> (u16, bool, u8, u8, u8, i32) {
    let SeriesEntry { channel, operator, part, dilation, level } = *entry;
    if !is_counted(operator) {
        return (channel, true, part, operator, 0, 0);
    }
    let threshold = if let Level::Threshold(value) = level { value } else { 0 };
    (channel, false, dilation, operator, part, threshold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_format::Num;
    use nearmark_format::series::{MEAN, SUM, VALUE};

    const INTEGERS: Samples = Samples::Integers { number: Num::I16, mul: 1.0, add: 0.0 };

    fn entry(channel: u16, operator: u8, part: u8, level: Level) -> SeriesEntry {
        SeriesEntry { channel, operator, dilation: 0, part, level }
    }

    /// A ramp and a constant of 12 steps, and the stage of a few features of them.
    fn example(interleaved: bool) -> (Mat, Counts) {
        let value = |channel: usize, t: usize| if channel == 0 { t as f64 } else { 5.0 };
        let row: Vec<f64> =
            (0..24).map(|i| if interleaved { value(i % 2, i / 2) } else { value(i / 12, i % 12) }).collect();
        let entries = vec![
            entry(1, VALUE, 0, rounded(4)),
            entry(0, VALUE, 0, rounded(8)),
            entry(0, VALUE, 2, rounded(8)),
            entry(0, SUM, 0, rounded(45)),
            entry(0, 0, 0, rounded(-30)),
            entry(0, MEAN, 1, Level::Scale { zero: 0, mantissa: 0, shift: 0 }),
        ];
        (
            Mat::from_row_slice(1, 24, &row),
            Counts::new(Shape { channels: 2, steps: 12, interleaved }, INTEGERS, entries),
        )
    }

    #[test]
    fn features_done_by_hand_in_both_layouts() -> Result<(), DataError> {
        for interleaved in [false, true] {
            let (rows, counts) = example(interleaved);
            let bytes: Vec<f64> = (counts.apply(&rows, 1)? * BYTES).iter().map(|v| v.round()).collect();
            // In stored order: the kernel is 3·(3t + 3) − (9t + 36) = −27 everywhere; three of twelve values exceed 8, three of
            // six in the second half; two of the sums 36, 45, 54, 63 exceed 45; the mean of 0..=5 is 2.5, rounded up; the
            // constant exceeds 4 always.
            assert_eq!(bytes, [255.0, 64.0, 128.0, 128.0, 3.0, 255.0]);
        }
        Ok(())
    }

    #[test]
    fn floats_count_as_integers_do() -> Result<(), DataError> {
        let (rows, counts) = example(false);
        let (exact, bytes) = (counts.in_floats().apply(&rows, 1)?, counts.apply(&rows, 1)?);
        assert!((&exact - &bytes).amax() < 0.5 / BYTES + 0.01, "{exact} {bytes}");
        assert_eq!(exact[(0, 1)], 0.25);
        Ok(())
    }

    #[test]
    fn any_number_of_threads_gives_the_same() -> Result<(), DataError> {
        let (rows, counts) = example(false);
        let many = Mat::from_fn(100, 24, |i, j| rows[(0, j)] + ((i * 7 + j * j) % 11) as f64);
        assert_eq!(counts.apply(&many, 1)?, counts.apply(&many, 3)?);
        assert_eq!(counts.in_floats().apply(&many, 1)?, counts.in_floats().apply(&many, 3)?);
        Ok(())
    }

    #[test]
    fn rows_of_another_length_are_refused() {
        let error = example(false).1.apply(&Mat::zeros(1, 5), 1);
        assert_eq!(error, Err(DataError::Shape { what: "window", expected: 24, got: 5 }));
    }
}
