//! Candidates for the features of a counts stage: every operator with thresholds at quantiles of its outputs.

use super::operators::{apply, sums};
use super::statistics::of_integers;
use super::{Counts, Samples, Shape, rounded, scale};
use crate::dataset::Dataset;
use crate::parallel;
use crate::rng::Rng;
use nearmark_format::series::{self, DISTANCE, KERNELS, MEAN, MEAN_STEP, VALUE};
use nearmark_format::{Level, SeriesEntry};

/// Thresholds of a kernel. One and three were worse: 91.6 and 92.9 instead of 93.2 % (mean of four sets of sensor windows).
const KERNEL_THRESHOLDS: usize = 5;
/// Thresholds of the other operators, which are few and matter more: without them HAR's windows lose 20 points at 2 kB.
const OTHER_THRESHOLDS: usize = 7;
/// Rows whose outputs thresholds are quantiles of, about; every class has at least [`CLASS_ROWS`].
const ROWS: usize = 40;
const CLASS_ROWS: usize = 2;
/// Candidates at most, counts of one choice of parts; operators beyond that are left out at random.
const CAP: usize = 20_000;
/// Parts that counts are tried on beside the whole, and statistics: halves; statistics of quarters too.
const HALVES: [u8; 2] = [1, 2];
const STATISTIC_PARTS: [u8; 7] = [0, 1, 2, 3, 4, 5, 6];

/// Candidates over integers, and which of them belong to which choice.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    pub(crate) counts: Counts,
    /// By feature: counts of operators drawn first have the lowest number.
    rank: Vec<usize>,
}

/// Which candidates to choose among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds {
    /// Counts over halves of the window beside those over all of it.
    pub(crate) halves: bool,
    /// Statistics of the window and its parts.
    pub(crate) statistics: bool,
}

/// An operator on a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Job {
    channel: u16,
    dilation: u8,
    operator: u8,
}

impl Pool {
    /// Candidates for windows like these; none where single precision cannot express their range.
    pub(crate) fn new(window: Shape, data: &Dataset, seed: u64, threads: usize) -> Option<Self> {
        let (low, high) = (data.rows().min(), data.rows().max());
        let samples = Samples::integers(data.number(), low, high)?;
        let jobs = drawn(window, seed);
        let rows = some_of_each_class(data, seed);
        let counts = |i: usize| {
            let halves = (i + 1) * KERNEL_THRESHOLDS * (1 + HALVES.len()) <= CAP;
            jobs[i].counts(window, samples, data, &rows, if halves { &HALVES } else { &[] })
        };
        let mut found: Vec<(usize, SeriesEntry)> = Vec::new();
        for (i, own) in parallel::map(threads, jobs.len(), counts).into_iter().enumerate() {
            found.extend(own.into_iter().map(|entry| (i, entry)));
        }
        let channels = parallel::map(threads, window.channels, |c| statistics(window, samples, data, c));
        found.extend(channels.into_iter().flatten().map(|entry| (0, entry)));
        found.sort_by_key(|(_, entry)| super::place(entry));
        let (rank, entries) = found.into_iter().unzip();
        Some(Self { counts: Counts::new(window, samples, entries), rank })
    }

    /// The candidates of these kinds, by their numbers.
    pub(crate) fn of(&self, kinds: Kinds) -> Vec<usize> {
        let each = KERNEL_THRESHOLDS * if kinds.halves { 1 + HALVES.len() } else { 1 };
        let wanted = |entry: &SeriesEntry, rank: usize| {
            if series::is_counted(entry.operator) {
                (kinds.halves || entry.part == 0) && (rank + 1) * each <= CAP
            } else {
                kinds.statistics
            }
        };
        let all = self.counts.entries().iter().zip(&self.rank).enumerate();
        all.filter(|(_, (entry, rank))| wanted(entry, **rank)).map(|(i, _)| i).collect()
    }

    /// A stage of some candidates.
    pub(crate) fn stage(&self, kept: &[usize]) -> Counts {
        let entries = kept.iter().map(|&i| self.counts.entries()[i]).collect();
        Counts::new(self.counts.window(), self.counts.samples(), entries)
    }
}

/// Operators on channels in the order in which they are drawn, as many as the cap allows; all in their own order where it
/// allows all.
fn drawn(window: Shape, seed: u64) -> Vec<Job> {
    let steps = window.steps as u32;
    let mut jobs = Vec::new();
    for channel in 0..window.channels as u16 {
        for dilation in (0..).take_while(|&index| series::dilation(steps, index) != 0) {
            let fits = |operator: &u8| series::outputs(steps, *operator, series::dilation(steps, dilation)) > 1;
            let operators = (0..=DISTANCE).filter(|&operator| operator != VALUE || dilation == 0).filter(fits);
            jobs.extend(operators.map(|operator| Job { channel, dilation, operator }));
        }
    }
    Rng::new(seed).shuffle(&mut jobs);
    jobs.truncate(CAP / KERNEL_THRESHOLDS);
    jobs
}

/// Some random rows of every class.
fn some_of_each_class(data: &Dataset, seed: u64) -> Vec<usize> {
    let each = (ROWS / data.classes().max(1)).max(CLASS_ROWS);
    let classes = crate::dataset::split::shuffled_classes(data, seed);
    classes.into_iter().flat_map(|rows| rows.into_iter().take(each)).collect()
}

impl Job {
    /// Counts of this operator over the whole window and other parts.
    fn counts(self, window: Shape, samples: Samples, data: &Dataset, rows: &[usize], parts: &[u8]) -> Vec<SeriesEntry> {
        let Self { channel, dilation, operator } = self;
        let step = series::dilation(window.steps as u32, dilation) as usize;
        let (mut x, mut sum, mut outputs, mut all) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &row in rows {
            gather(window, samples, data, row, channel.into(), &mut x);
            if operator < KERNELS || operator == series::SUM {
                sums(&x, step, &mut sum);
            }
            apply(operator, &x, step, &sum, &mut outputs);
            all.extend_from_slice(&outputs);
        }
        all.sort_unstable();
        let count = if operator < KERNELS { KERNEL_THRESHOLDS } else { OTHER_THRESHOLDS };
        let at = |k: usize| all[((k as f64 + 0.5) / count as f64 * (all.len() - 1) as f64) as usize];
        let mut levels: Vec<Level> = (0..count).map(|k| rounded(at(k))).collect();
        levels.dedup();
        let len = series::outputs(window.steps as u32, operator, step as u32);
        let parts = [0].into_iter().chain(parts.iter().copied()).filter(|&part| series::part(len, part).1 > 0);
        let entry = |part: u8, level: Level| SeriesEntry { channel, operator, part, dilation, level };
        parts.flat_map(|part| levels.iter().map(move |&level| entry(part, level))).collect()
    }
}

/// Statistics of a channel with the scales that their range asks for; those that never vary are left out.
fn statistics(window: Shape, samples: Samples, data: &Dataset, channel: usize) -> Vec<SeriesEntry> {
    let parts = STATISTIC_PARTS.into_iter().map(|part| (part, series::part(window.steps as u32, part)));
    let parts: Vec<(u8, usize, usize)> =
        parts.filter(|(_, (_, len))| *len > 1).map(|(part, (from, len))| (part, from as usize, len as usize)).collect();
    let features: Vec<(u8, u8, usize, usize)> = parts
        .into_iter()
        .flat_map(|(part, from, len)| (MEAN..=MEAN_STEP).map(move |operator| (operator, part, from, len)))
        .collect();
    let mut ranges = vec![(i32::MAX, i32::MIN); features.len()];
    let mut x = Vec::new();
    for row in 0..data.len() {
        gather(window, samples, data, row, channel, &mut x);
        for (&(operator, _, from, len), range) in features.iter().zip(&mut ranges) {
            let value = of_integers(operator, &x[from..from + len], samples);
            *range = (range.0.min(value), range.1.max(value));
        }
    }
    let varying = features.into_iter().zip(ranges).filter(|(_, (low, high))| low < high);
    varying
        .map(|((operator, part, ..), (low, high))| SeriesEntry {
            channel: channel as u16,
            operator,
            part,
            dilation: 0,
            level: scale(low.into(), high.into()),
        })
        .collect()
}

fn gather(window: Shape, samples: Samples, data: &Dataset, row: usize, channel: usize, x: &mut Vec<i32>) {
    x.clear();
    x.extend(window.channel(channel, |j| data.rows()[(row, j)]).map(|v| samples.integer(v)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use nearmark_format::series::SUM;

    fn data(rows: usize, steps: usize) -> Result<Dataset, crate::DataError> {
        let rows = Mat::from_fn(rows, steps, |i, t| (((i + 1) * t * t) % 97) as f64);
        let labels: Vec<usize> = (0..rows.nrows()).map(|i| i % 2).collect();
        Dataset::from_ids(rows, &labels)
    }

    fn window(steps: usize) -> Shape {
        Shape { channels: 1, steps, interleaved: false }
    }

    #[test]
    fn every_operator_has_thresholds_of_its_own() -> Result<(), crate::DataError> {
        let Some(pool) = Pool::new(window(40), &data(30, 40)?, 0, 1) else { panic!("no pool") };
        let whole = pool.of(Kinds { halves: false, statistics: false });
        let of = |operator: u8, dilation: u8| {
            let own = whole.iter().map(|&i| pool.counts.entries()[i]);
            own.filter(|e| (e.operator, e.dilation, e.part) == (operator, dilation, 0)).count()
        };
        // Dilations 1, 2 and 4; the value has none.
        assert_eq!((of(5, 0), of(5, 2), of(SUM, 1), of(VALUE, 0), of(VALUE, 1)), (5, 5, 7, 7, 0));
        assert_eq!(whole.len(), 3 * (84 * 5 + 3 * 7) + 7);
        let halves = pool.of(Kinds { halves: true, statistics: true });
        assert_eq!(halves.len(), 3 * whole.len() + 7 * 5);
        assert_eq!(pool.stage(&halves), pool.counts);
        Ok(())
    }

    #[test]
    fn thresholds_split_the_outputs_evenly() -> Result<(), crate::DataError> {
        let data = data(40, 64)?;
        let Some(pool) = Pool::new(window(64), &data, 0, 1) else { panic!("no pool") };
        let features = pool.counts.apply(data.rows(), 1)?;
        let kernel: Vec<f64> = (0..pool.counts.entries().len())
            .filter(|&i| (pool.counts.entries()[i].operator, pool.counts.entries()[i].part) == (7, 0))
            .map(|i| features.column(i).mean())
            .collect();
        for (mean, expected) in kernel.iter().zip([0.9, 0.7, 0.5, 0.3, 0.1]) {
            assert!((mean - expected).abs() < 0.05, "{kernel:?}");
        }
        Ok(())
    }

    #[test]
    fn a_pool_of_many_channels_is_capped_by_drawing_operators() -> Result<(), crate::DataError> {
        let data = data(8, 20 * 130)?;
        let window = Shape { channels: 20, steps: 130, interleaved: true };
        let Some(pool) = Pool::new(window, &data, 3, 2) else { panic!("no pool") };
        for halves in [false, true] {
            let found = pool.of(Kinds { halves, statistics: false });
            assert!((CAP / 2..=CAP + CAP / 10).contains(&found.len()), "{halves}: {}", found.len());
        }
        let again = Pool::new(window, &data, 3, 1).map(|pool| pool.counts);
        assert_eq!(Some(pool.counts), again, "any number of threads");
        Ok(())
    }
}
