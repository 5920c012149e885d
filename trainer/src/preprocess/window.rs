//! Window statistics: a raw sensor window becomes five numbers per channel and segment.
//!
//! Mean, mean absolute deviation, minimum, maximum, mean absolute step: all of them cheap in integers, and
//! together they describe level, spread, range and roughness of a signal (`BasicMotions`: 70 % on raw windows,
//! 100 % on these).

use crate::error::{DataError, ParamError};
use crate::linalg::Mat;

/// Numbers per channel and segment.
const STATISTICS: usize = 5;

/// How a row is a sensor window, and into how many parts its time axis is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    channels: usize,
    steps: usize,
    segments: usize,
    interleaved: bool,
}

impl Window {
    /// A window of `channels` × `steps` values; `interleaved` when a row runs through the channels at each
    /// time step, as a sensor driver delivers it, rather than through time channel by channel.
    ///
    /// # Errors
    /// [`ParamError`] when a count is zero or there are more segments than steps.
    pub fn new(channels: usize, steps: usize, segments: usize, interleaved: bool) -> Result<Self, ParamError> {
        ParamError::at_least_one("channels", channels)?;
        ParamError::at_least_one("steps", steps)?;
        let fits = (1..=steps.min(255)).contains(&segments);
        ParamError::check(fits, "segments", "at least 1, at most the number of steps and 255", segments as f64)?;
        Ok(Self { channels, steps, segments, interleaved })
    }

    pub(crate) fn channels(&self) -> usize {
        self.channels
    }

    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    pub(crate) fn segments(&self) -> usize {
        self.segments
    }

    pub(crate) fn is_interleaved(&self) -> bool {
        self.interleaved
    }

    /// The statistics of every row: channel by channel, segment by segment.
    pub(crate) fn apply(&self, rows: &Mat) -> Result<Mat, DataError> {
        let expected = self.channels * self.steps;
        if rows.ncols() != expected {
            return Err(DataError::Shape { what: "window", expected, got: rows.ncols() });
        }
        let mut out = Mat::zeros(rows.nrows(), self.channels * self.segments * STATISTICS);
        let mut signal = Vec::with_capacity(self.steps);
        for i in 0..rows.nrows() {
            for channel in 0..self.channels {
                for segment in 0..self.segments {
                    let (from, to) = (self.start(segment), self.start(segment + 1));
                    signal.clear();
                    signal.extend((from..to).map(|t| rows[(i, self.column(channel, t))]));
                    let first = (channel * self.segments + segment) * STATISTICS;
                    for (k, value) in statistics(&signal).into_iter().enumerate() {
                        out[(i, first + k)] = value;
                    }
                }
            }
        }
        Ok(out)
    }

    /// Where a segment starts: the first `steps mod segments` of them are one step longer, as on the device.
    fn start(&self, segment: usize) -> usize {
        segment * (self.steps / self.segments) + segment.min(self.steps % self.segments)
    }

    fn column(&self, channel: usize, step: usize) -> usize {
        if self.interleaved { step * self.channels + channel } else { channel * self.steps + step }
    }
}

/// Windows stored channel by channel, as an interleaving driver delivers them: step by step.
///
/// # Panics
/// When rows are not `channels · steps` long, which is a bug of the caller.
#[must_use]
pub fn interleave(rows: &Mat, channels: usize, steps: usize) -> Mat {
    let order: Vec<usize> = (0..channels * steps).map(|i| i % channels * steps + i / channels).collect();
    rows.select_columns(&order)
}

/// Mean, mean absolute deviation, minimum, maximum, mean absolute step.
fn statistics(signal: &[f64]) -> [f64; STATISTICS] {
    let count = signal.len() as f64;
    let mean = signal.iter().sum::<f64>() / count;
    let deviation = signal.iter().map(|v| (v - mean).abs()).sum::<f64>() / count;
    let low = signal.iter().copied().fold(f64::INFINITY, f64::min);
    let high = signal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let steps = signal.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum::<f64>();
    [mean, deviation, low, high, steps / (count - 1.0).max(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_a_signal_done_by_hand() {
        assert_eq!(statistics(&[1.0, 3.0, 2.0, 6.0]), [3.0, 1.5, 1.0, 6.0, 7.0 / 3.0]);
        assert_eq!(statistics(&[4.0]), [4.0, 0.0, 4.0, 4.0, 0.0]);
    }

    #[test]
    fn both_layouts_give_the_same_numbers() -> Result<(), Box<dyn std::error::Error>> {
        let by_channel = Mat::from_row_slice(1, 6, &[1.0, 2.0, 3.0, 10.0, 20.0, 30.0]);
        let by_time = Mat::from_row_slice(1, 6, &[1.0, 10.0, 2.0, 20.0, 3.0, 30.0]);
        let a = Window::new(2, 3, 2, false)?.apply(&by_channel)?;
        assert_eq!(a, Window::new(2, 3, 2, true)?.apply(&by_time)?);
        assert_eq!(a.ncols(), 20);
        Ok(())
    }

    #[test]
    fn rows_of_another_length_are_refused() -> Result<(), ParamError> {
        let error = Window::new(2, 3, 1, false)?.apply(&Mat::zeros(1, 5));
        assert_eq!(error, Err(DataError::Shape { what: "window", expected: 6, got: 5 }));
        Ok(())
    }
}
