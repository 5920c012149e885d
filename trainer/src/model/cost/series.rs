//! How much work the features of a series share: the walk of the runtime over them, counted.

use nearmark_format::SeriesEntry;
use nearmark_format::series::{self, KERNELS, SUM, is_counted};

/// What the loops over a series turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Channels with features, and values gathered of them.
    pub(crate) channels: u32,
    pub(crate) values: u32,
    /// Sums of nine values.
    pub(crate) sums: u32,
    /// Outputs of kernels that are compared with one threshold, and with two at a time.
    pub(crate) kernels: [u32; 2],
    /// The same of the other operators.
    pub(crate) others: [u32; 2],
    /// Passes over outputs.
    pub(crate) passes: u32,
    /// Values that statistics are taken of, and passes over them.
    pub(crate) described: u32,
    pub(crate) parts: u32,
    pub(crate) features: u32,
}

impl Work {
    /// The work of features in their stored order, over so many steps.
    pub(crate) fn of(steps: u32, entries: &[SeriesEntry]) -> Self {
        let mut work = Self { features: entries.len() as u32, ..Self::default() };
        let mut channel = None;
        let mut summed = 0;
        let mut rest = entries;
        while let Some(first) = rest.first() {
            if channel != Some(first.channel) {
                (channel, summed) = (Some(first.channel), 0);
                work.channels += 1;
                work.values += steps;
            }
            let taken = if is_counted(first.operator) {
                work.count(steps, rest, &mut summed)
            } else {
                work.describe(steps, rest)
            };
            rest = &rest[taken..];
        }
        work
    }

    /// One pass over the outputs of an operator; how many features it gives.
    fn count(&mut self, steps: u32, entries: &[SeriesEntry], summed: &mut u32) -> usize {
        let SeriesEntry { operator, dilation, part, channel, .. } = entries[0];
        let dilated = if series::is_dilated(operator) { series::dilation(steps, dilation) } else { 0 };
        let outputs = series::outputs(steps, operator, dilated);
        if (operator < KERNELS || operator == SUM) && *summed != dilated {
            *summed = dilated;
            self.sums += outputs;
        }
        let (_, len) = series::part(outputs, part);
        let shared = |next: &SeriesEntry| {
            (next.channel, next.operator, next.dilation, next.part) == (channel, operator, dilation, part)
        };
        let two = usize::from(entries.get(1).is_some_and(shared));
        let turns = if operator < KERNELS { &mut self.kernels } else { &mut self.others };
        turns[two] += len;
        self.passes += 1;
        1 + two
    }

    /// One pass over a part for statistics, in the order of their operators; how many features it gives.
    fn describe(&mut self, steps: u32, entries: &[SeriesEntry]) -> usize {
        let SeriesEntry { channel, part, .. } = entries[0];
        let same = |pair: &&[SeriesEntry]| {
            (pair[1].channel, pair[1].part) == (channel, part) && pair[1].operator > pair[0].operator
        };
        let taken = 1 + entries.windows(2).take_while(same).count();
        self.described += series::part(steps, part).1;
        self.parts += 1;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_format::Level;
    use nearmark_format::series::{DEVIATION, MEAN, VALUE};

    #[test]
    fn neighbors_share_sums_outputs_and_passes() {
        let entry = |channel, operator, dilation, part| SeriesEntry {
            channel,
            operator,
            part,
            dilation,
            level: Level::Threshold(0),
        };
        let entries = [
            entry(0, 3, 0, 0),
            entry(0, 3, 0, 0),
            entry(0, 3, 0, 0),
            entry(0, 9, 0, 1),
            entry(0, VALUE, 0, 0),
            entry(0, 4, 1, 0),
            entry(0, MEAN, 0, 0),
            entry(0, DEVIATION, 0, 0),
            entry(0, MEAN, 0, 1),
            entry(2, VALUE, 0, 0),
        ];
        let work = Work::of(48, &entries);
        assert_eq!((work.channels, work.values, work.sums), (2, 96, 40 + 32));
        assert_eq!((work.kernels, work.others, work.passes), ([40 + 20 + 32, 40], [48 + 48, 0], 6));
        assert_eq!((work.described, work.parts), (48 + 24, 2));
    }
}
