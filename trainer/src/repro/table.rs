//! Tables of classification: methods by protocols, ours beside the paper's.

use super::ReproError;
use super::bench::Bench;
use super::report::{Figure, Report, Row};
use crate::chart::stacked;
use crate::config::{Config, FixedFit, Parameters};
use crate::dataset::Dataset;
use crate::evaluate::compare::curves::{Curves, Dims, Quantity, curves, mean_and_error};
use crate::evaluate::compare::{Comparison, Entry, EntryError, Protocol, compare};
use crate::evaluate::figures::{Rows, STARTS, scatter, traces, traces_charts, traces_csv};
use crate::methods::{SettingError, ValueError};

/// A method of a table.
pub(super) struct Line {
    /// What the paper calls it.
    pub(super) what: &'static str,
    /// The entry that `compare` would take.
    pub(super) entry: &'static str,
    /// What the paper reports, one number per protocol; empty where it is not known to us.
    pub(super) paper: &'static [f64],
}

/// Methods by protocols.
pub(super) struct Table<'a> {
    pub(super) lines: &'a [Line],
    /// What is set for every method, like `head=knn:1:scale=range`.
    pub(super) shared: &'static str,
    /// Errors or accuracies, in percent.
    pub(super) quantity: Quantity,
    /// Seed of the first repeat.
    pub(super) seed: u64,
}

impl Table<'_> {
    /// The entry of a line with what is set for all.
    fn entry(&self, line: &Line) -> Result<Entry, ReproError> {
        let separator = if self.shared.is_empty() { "" } else { ":" };
        let text = format!("{}{separator}{}", line.entry, self.shared);
        let mut entry = Entry::parse(&text, &Parameters::default())?;
        line.what.clone_into(&mut entry.name);
        Ok(entry)
    }

    fn entries(&self) -> Result<Vec<(&Line, Entry)>, ReproError> {
        self.lines.iter().map(|line| Ok((line, self.entry(line)?))).collect()
    }

    /// The rows of one protocol, the `column`th of the table; `setting` names it.
    pub(super) fn rows(
        &self,
        bench: &Bench<'_>,
        data: &Dataset,
        (column, setting, protocol): (usize, &str, &Protocol),
        report: &mut Report,
    ) -> Result<(), ReproError> {
        let (lines, entries): (Vec<&Line>, Vec<Entry>) = self.entries()?.into_iter().unzip();
        let found = compare(&entries, data, protocol, self.seed, bench.run)?;
        for (i, line) in lines.iter().enumerate() {
            match self.row(&found, i, line, column, setting) {
                Ok(row) => report.rows.push(row),
                Err(why) => report.notes.push(format!("{}{setting} failed: {why}", line.what)),
            }
        }
        Ok(())
    }

    fn row(&self, found: &Comparison, i: usize, line: &Line, column: usize, setting: &str) -> Result<Row, String> {
        let values: Vec<f64> = found.outcomes[i]
            .iter()
            .map(|outcome| outcome.as_ref().map(|outcome| outcome.accuracy).map_err(Clone::clone))
            .collect::<Result<_, _>>()?;
        let (mean, error) = mean_and_error(&values);
        let lower_is_better = self.quantity == Quantity::Error;
        // One split has no spread; its share of so many test rows has that of independent draws.
        let se = error.unwrap_or_else(|| (mean * (1.0 - mean) / found.test_rows as f64).sqrt());
        Ok(Row {
            what: format!("{}{setting}: {}", line.what, self.quantity.label().replace(", %", " %")),
            paper: line.paper.get(column).copied(),
            ours: 100.0 * if lower_is_better { 1.0 - mean } else { mean },
            se: Some(100.0 * se),
            n: values.len(),
            lower_is_better,
        })
    }

    /// Curves of the lines with these names against the number of dimensions.
    pub(super) fn curves(
        &self,
        bench: &Bench<'_>,
        data: &Dataset,
        names: &[&str],
        dims: impl IntoIterator<Item = usize>,
        protocol: &Protocol,
    ) -> Result<Curves, ReproError> {
        let entries = self.entries()?.into_iter().filter(|(line, _)| names.contains(&line.what));
        let entries: Vec<Entry> = entries.map(|(_, entry)| without_dim(entry)).collect();
        let Some(dims) = Dims::new(dims) else {
            return Err(crate::evaluate::compare::CompareError::NoMethods.into());
        };
        Ok(curves(&entries, data, protocol, &dims, self.seed, bench.run)?)
    }
}

/// A curve chooses the dimensions itself.
fn without_dim(mut entry: Entry) -> Entry {
    if let Config::Fixed(fit) = &mut entry.config {
        fit.common.method.settings.remove("dim");
    }
    entry
}

/// A figure of curves.
pub(super) fn curve_figure(
    name: &'static str,
    caption: &str,
    found: &Curves,
    quantity: Quantity,
) -> Result<Figure, ReproError> {
    let svg = found.chart(caption, quantity).svg()?;
    Ok(Figure { name, caption: format!("{caption}. {}", found.headline()), csv: found.to_csv(), svg })
}

/// NSSE's objective, width and validation error per round, from a low and a high start; the test rows of a split serve
/// for validation, as in the paper's figure.
pub(super) fn trace_figure(
    bench: &Bench<'_>,
    caption: &str,
    entry: &str,
    (train, test): (&Dataset, &Dataset),
) -> Result<Figure, ReproError> {
    let found = traces(&fixed(entry)?, train, test, &STARTS, bench.run)?;
    let svg = stacked(&traces_charts(caption, &found))?;
    Ok(Figure { name: "trace", caption: caption.to_owned(), csv: traces_csv(&found), svg })
}

/// Training and test rows embedded in the plane.
pub(super) fn embedding_figure(
    bench: &Bench<'_>,
    caption: &str,
    entry: &str,
    (train, test): (&Dataset, &Dataset),
) -> Result<Figure, ReproError> {
    let fit = fixed(entry)?;
    let method = fit.common.build_method().map_err(crate::train::TrainError::from)?;
    let fitted = fit.pipeline(method.as_ref())?.fit_with(train, bench.run)?;
    let names = |data: &Dataset| -> Vec<String> {
        data.labels().iter().map(|&label| data.class_names()[label].clone()).collect()
    };
    let (own, new) = (names(train), names(test));
    let embedded = fitted.embed(test.rows())?;
    let groups = [
        Rows { kind: "training", embedding: fitted.embedding(), classes: Some(&own) },
        Rows { kind: "test", embedding: &embedded, classes: Some(&new) },
    ];
    let chart = scatter(caption, &groups)?;
    Ok(Figure { name: "embedding", caption: caption.to_owned(), csv: chart.csv(), svg: chart.svg()? })
}

/// The fit that an entry describes.
pub(super) fn fixed(entry: &str) -> Result<FixedFit, ReproError> {
    match Entry::parse(entry, &Parameters::default())?.config {
        Config::Fixed(fit) => Ok(fit),
        Config::Budget(_) => {
            let why = SettingError::value("flash", ValueError::new("no budget: a figure shows one fit", entry));
            Err(EntryError { entry: entry.to_owned(), why: why.into() }.into())
        }
    }
}
