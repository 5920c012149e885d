//! A counts stage made ready to run over many rows: operators in their order, each once for all of its thresholds.

use super::operators::{self, Value};
use super::{Counts, Samples, Shape, statistics};
use crate::linalg::Mat;
use crate::parallel;
use nearmark_format::Level;
use nearmark_format::series::{self, is_counted};
use pulp::Arch;

/// Rows that one piece of work computes.
const BLOCK: usize = 16;

/// The stage, ready to run.
pub(crate) struct Plan {
    window: Shape,
    samples: Samples,
    groups: Vec<Group>,
    features: Vec<Feature>,
}

/// Features of one operator on one channel.
struct Group {
    channel: usize,
    operator: u8,
    dilation: usize,
    features: std::ops::Range<usize>,
}

/// Where a feature counts, above what, and the reciprocal that makes a byte of it.
struct Feature {
    from: usize,
    to: usize,
    threshold: i32,
    reciprocal: u32,
    level: Level,
}

/// Memory of one row.
#[derive(Default)]
struct Scratch<V> {
    channel: Vec<V>,
    sums: Vec<V>,
    outputs: Vec<V>,
}

impl Plan {
    pub(crate) fn new(counts: &Counts) -> Self {
        let Counts { window, samples, entries } = counts;
        let steps = window.steps as u32;
        let mut groups: Vec<Group> = Vec::new();
        let mut features = Vec::new();
        for (i, entry) in entries.iter().enumerate() {
            let (channel, operator) = (usize::from(entry.channel), entry.operator);
            let dilation = series::dilation(steps, entry.dilation);
            let (from, len) = series::part(series::outputs(steps, operator, dilation), entry.part);
            let threshold = if let Level::Threshold(value) = entry.level { value } else { 0 };
            let (from, to, reciprocal) = (from as usize, (from + len) as usize, series::reciprocal(len));
            features.push(Feature { from, to, threshold, reciprocal, level: entry.level });
            let dilation = dilation as usize;
            match groups.last_mut() {
                Some(last) if (last.channel, last.operator, last.dilation) == (channel, operator, dilation) => {
                    last.features.end = i + 1;
                }
                _ => groups.push(Group { channel, operator, dilation, features: i..i + 1 }),
            }
        }
        Self { window: *window, samples: *samples, groups, features }
    }

    /// The bytes of every row, row by row.
    pub(crate) fn bytes(&self, rows: &Mat, threads: usize) -> Vec<u8> {
        self.rows(rows.nrows(), threads, |i, scratch, out| {
            self.row(
                scratch,
                |channel, x| x.extend(self.window.channel(channel, |j| rows[(i, j)]).map(|v| self.samples.integer(v))),
                |outputs, feature| {
                    let count = count(&outputs[feature.from..feature.to], feature.threshold);
                    ((count * feature.reciprocal + 32768) >> 16).min(255) as u8
                },
                |operator, part, feature| {
                    let Level::Scale { zero, mantissa, shift } = feature.level else { return 0 };
                    statistics::byte(statistics::of_integers(operator, part, self.samples), zero, mantissa, shift)
                },
                out,
            );
        })
    }

    /// The features of every row in single precision, row by row.
    pub(crate) fn floats(&self, rows: &Mat, threads: usize) -> Vec<f32> {
        self.rows(rows.nrows(), threads, |i, scratch, out| {
            self.row(
                scratch,
                |channel, x| x.extend(self.window.channel(channel, |j| rows[(i, j)]).map(|v| v as f32)),
                |outputs, feature| {
                    let Level::RealThreshold(value) = feature.level else { return 0.0 };
                    count(&outputs[feature.from..feature.to], value) as f32 / (feature.to - feature.from).max(1) as f32
                },
                |operator, part, feature| {
                    let Level::RealScale { zero, multiplier } = feature.level else { return 0.0 };
                    (statistics::of_floats(operator, part) - zero) * multiplier
                },
                out,
            );
        })
    }

    /// Calls `row` for every row, in parallel.
    fn rows<V: Value, T: Copy + Default + Send>(
        &self,
        count: usize,
        threads: usize,
        row: impl Fn(usize, &mut Scratch<V>, &mut [T]) + Sync,
    ) -> Vec<T> {
        let width = self.features.len();
        let mut all = vec![T::default(); count * width];
        if width == 0 {
            return all;
        }
        let arch = Arch::new();
        parallel::each(threads, all.chunks_mut(width * BLOCK).collect(), |block, chunk| {
            let mut scratch = Scratch::default();
            for (i, out) in chunk.chunks_mut(width).enumerate() {
                arch.dispatch(|| row(block * BLOCK + i, &mut scratch, out));
            }
        });
        all
    }

    /// One row: `gather` appends a channel, `count` and `statistic` make features of an operator's outputs or of a part.
    #[inline(always)]
    fn row<V: Value, T>(
        &self,
        scratch: &mut Scratch<V>,
        gather: impl Fn(usize, &mut Vec<V>),
        count: impl Fn(&[V], &Feature) -> T,
        statistic: impl Fn(u8, &[V], &Feature) -> T,
        out: &mut [T],
    ) {
        let Scratch { channel, sums, outputs } = scratch;
        let (mut gathered, mut summed) = (None, None);
        for group in &self.groups {
            if gathered != Some(group.channel) {
                channel.clear();
                gather(group.channel, channel);
                (gathered, summed) = (Some(group.channel), None);
            }
            let own = self.features[group.features.clone()].iter().zip(&mut out[group.features.clone()]);
            if !is_counted(group.operator) {
                for (feature, out) in own {
                    *out = statistic(group.operator, &channel[feature.from..feature.to], feature);
                }
                continue;
            }
            let needs_sum = group.operator < series::KERNELS || group.operator == series::SUM;
            if needs_sum && summed != Some(group.dilation) {
                operators::sums(channel, group.dilation, sums);
                summed = Some(group.dilation);
            }
            operators::apply(group.operator, channel, group.dilation, sums, outputs);
            for (feature, out) in own {
                *out = count(outputs, feature);
            }
        }
    }
}

/// How many values exceed a threshold.
#[inline(always)]
fn count<V: Value>(values: &[V], threshold: V) -> u32 {
    values.iter().map(|v| u32::from(*v > threshold)).sum()
}
