//! Windows cut from a log with one row per time step: its columns are channels.
//!
//! A window never contains a change of group, the end of a recording, a row that was left out or a gap in time.

use super::error::ReadError;
use super::{Options, Raw, Shape};
use crate::linalg::Mat;
use std::collections::BTreeMap;

/// A step in time that is longer than this many median steps is a gap: one lost sample makes a step of two.
const GAP: f64 = 1.5;

/// How windows are cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    rows: usize,
    step: usize,
    label_at_end: bool,
}

impl Cut {
    /// As the options say; none if rows are samples by themselves.
    pub(super) fn of(options: &Options) -> Result<Option<Self>, ReadError> {
        let given =
            [("step", options.step.is_some()), ("time", options.time.is_some()), ("label_at", options.label_at_end)];
        match (options.window_rows, given.into_iter().find(|(_, given)| *given)) {
            (None, Some((name, _))) => {
                let message = format!("option `{name}` is about windows: give their length with option `window_rows`");
                Err(ReadError::Invalid(message))
            }
            (None, None) => Ok(None),
            (Some(rows), _) => {
                let step = options.step.unwrap_or(rows);
                if rows == 0 || step == 0 {
                    return Err(ReadError::Invalid("windows and their steps have at least one row".to_owned()));
                }
                if options.id.is_some() {
                    return Err(ReadError::Invalid("option `id` names rows, but samples are windows".to_owned()));
                }
                Ok(Some(Self { rows, step, label_at_end: options.label_at_end }))
            }
        }
    }

    /// Channels of a model that takes so many values.
    pub(super) fn channels(&self, inputs: usize) -> Result<usize, ReadError> {
        if inputs.is_multiple_of(self.rows) {
            return Ok(inputs / self.rows);
        }
        let rows = self.rows;
        Err(ReadError::Invalid(format!("model takes {inputs} input values, which are no windows of {rows} rows")))
    }

    /// The windows of a log, channels one after the other. `breaks` are rows that do not follow the row before.
    pub(super) fn windows(&self, log: Raw, times: &[f64], breaks: &[usize]) -> Result<Raw, ReadError> {
        let (steps, channels) = (self.rows, log.rows.ncols());
        let (pieces, gaps) = pieces(log.rows.nrows(), log.groups.as_deref(), times, breaks);
        let windows = |piece: &(usize, usize)| {
            let (first, end) = *piece;
            (first..).step_by(self.step).take_while(move |start| start + steps <= end)
        };
        let starts: Vec<usize> = pieces.iter().flat_map(windows).collect();
        if starts.is_empty() {
            let longest = pieces.iter().map(|(first, end)| end - first).max().unwrap_or(0);
            let message = format!("no window of {steps} rows: the longest piece of the log has {longest}");
            return Err(ReadError::Invalid(message));
        }
        let mut rows = Mat::zeros(starts.len(), channels * steps);
        for channel in 0..channels {
            for step in 0..steps {
                let mut column = rows.column_mut(channel * steps + step);
                column.iter_mut().zip(&starts).for_each(|(to, start)| *to = log.rows[(start + step, channel)]);
            }
        }
        let short = pieces.iter().filter(|(first, end)| end - first < steps).count();
        let mut notes = log.notes;
        notes.push(format!(
            "{} windows of {channels} channels × {steps} steps, every {} rows, from {} pieces of {} rows{}{}",
            starts.len(),
            self.step,
            pieces.len(),
            log.rows.nrows(),
            if gaps > 0 { format!("; {gaps} gaps in time") } else { String::new() },
            if short > 0 { format!("; {short} pieces are shorter than a window") } else { String::new() },
        ));
        let labels =
            log.labels.map(|labels| starts.iter().map(|&start| self.label(&labels[start..start + steps])).collect());
        let groups = log.groups.map(|groups| starts.iter().map(|&start| groups[start].clone()).collect());
        let named = |name: &String| (0..steps).map(|step| format!("{name}[{step}]")).collect::<Vec<_>>();
        let features = log.features.iter().flat_map(named).collect();
        let shape = Shape::Series { channels, steps };
        Ok(Raw { groups, features, notes, preparation: log.preparation, ..Raw::plain(rows, labels, shape) })
    }

    /// The label of a window: that of its last row, or the most frequent one, of equally frequent ones the later.
    fn label(&self, labels: &[String]) -> String {
        let mut counts: BTreeMap<&String, (usize, usize)> = BTreeMap::new();
        for (row, label) in labels.iter().enumerate() {
            let count = counts.entry(label).or_default();
            *count = (count.0 + 1, row);
        }
        let frequent = || counts.iter().max_by_key(|(_, count)| **count).map(|(label, _)| (*label).clone());
        if self.label_at_end { labels.last().cloned() } else { frequent() }.unwrap_or_default()
    }
}

/// The names of channels, of a model's names of windows.
pub(super) fn channel_names(features: &[String]) -> Vec<String> {
    features.iter().filter_map(|name| name.strip_suffix("[0]")).map(str::to_owned).collect()
}

/// First row and end of every piece in which rows follow each other, and the number of gaps in time.
fn pieces(rows: usize, groups: Option<&[String]>, times: &[f64], breaks: &[usize]) -> (Vec<(usize, usize)>, usize) {
    let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    let longest = steps.get(steps.len() / 2).map_or(f64::INFINITY, |median| GAP * median);
    let mut breaks = breaks.iter().copied().peekable();
    let (mut pieces, mut first, mut gaps) = (Vec::new(), 0, 0);
    for row in 1..rows {
        let is_new = groups.is_some_and(|groups| groups[row] != groups[row - 1]);
        let mut is_broken = false;
        while breaks.next_if(|at| *at <= row).is_some_and(|at| at == row) {
            is_broken = true;
        }
        let step = if times.is_empty() { None } else { Some(times[row] - times[row - 1]) };
        let is_gap = !is_new && !is_broken && step.is_some_and(|step| step <= 0.0 || step > longest);
        gaps += usize::from(is_gap);
        if is_new || is_broken || is_gap {
            pieces.push((first, row));
            first = row;
        }
    }
    pieces.push((first, rows));
    (pieces, gaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_at_groups_gaps_and_breaks() {
        let groups = ["a", "a", "a", "b", "b", "b", "b", "b", "b"].map(str::to_owned);
        assert_eq!(pieces(9, Some(&groups), &[], &[5]), (vec![(0, 3), (3, 5), (5, 9)], 0));
        let times = [0.0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.1, 0.2, 0.3];
        assert_eq!(pieces(9, None, &times, &[]), (vec![(0, 3), (3, 6), (6, 9)], 2));
        assert_eq!(pieces(3, None, &[], &[0]), (vec![(0, 3)], 0));
    }

    #[test]
    fn a_label_is_the_most_frequent_or_the_last() {
        let cut = |label_at_end| Cut { rows: 4, step: 4, label_at_end };
        let labels = ["x", "x", "x", "y"].map(str::to_owned);
        assert_eq!((cut(false).label(&labels), cut(true).label(&labels)), ("x".to_owned(), "y".to_owned()));
        assert_eq!(cut(false).label(&["y", "x", "y", "x"].map(str::to_owned)), "x");
    }
}
