//! What came of an experiment.

/// One number of a paper, and ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What is measured, with its unit.
    pub what: String,
    /// The paper's number, where it gives one.
    pub paper: Option<f64>,
    /// Ours: the mean over the repeats.
    pub ours: f64,
    /// Its standard error: over the repeats, or of a share of the test rows where there is a single split.
    pub se: Option<f64>,
    /// Splits that the mean is over.
    pub n: usize,
    /// Whether less is better.
    pub lower_is_better: bool,
}

/// A picture and its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of its files, without an ending.
    pub name: &'static str,
    /// What it shows.
    pub caption: String,
    /// The numbers.
    pub csv: String,
    /// The picture.
    pub svg: String,
}

/// Everything that an experiment found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The numbers.
    pub rows: Vec<Row>,
    /// The figures.
    pub figures: Vec<Figure>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// A paper's number counts as met within so many standard errors of ours: chance alone exceeds two in one of twenty.
const SLACK: f64 = 2.0;

impl Row {
    /// Whether our number is as good as the paper's, or within two standard errors of it; `None` without the paper's.
    #[must_use]
    pub fn met(&self) -> Option<bool> {
        let behind = if self.lower_is_better { self.ours - self.paper? } else { self.paper? - self.ours };
        // Papers print two digits.
        Some(behind <= SLACK * self.se.unwrap_or(0.0) + 0.005)
    }
}

impl Report {
    /// A note for every number that is behind the paper's by more than chance.
    pub(super) fn add_notes_on_what_is_not_met(&mut self) {
        let note = |row: &Row| {
            let (paper, ours, what) = (row.paper.filter(|_| row.met() == Some(false))?, row.ours, &row.what);
            let se = row.se.map(|se| format!(" ± {se:.2}")).unwrap_or_default();
            Some(format!("{what}: not met; the paper has {paper:.2}, ours is {ours:.2}{se}"))
        };
        self.notes.splice(0..0, self.rows.iter().filter_map(note).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(paper: Option<f64>, ours: f64, lower_is_better: bool) -> Row {
        Row { what: "error %".to_owned(), paper, ours, se: Some(0.2), n: 30, lower_is_better }
    }

    #[test]
    fn what_is_behind_by_more_than_two_standard_errors_is_not_met() {
        assert_eq!(row(Some(5.0), 5.3, true).met(), Some(true));
        assert_eq!(row(Some(5.0), 5.5, true).met(), Some(false));
        assert_eq!(row(Some(5.0), 4.0, true).met(), Some(true));
        assert_eq!(row(Some(99.0), 98.5, false).met(), Some(false));
        assert_eq!(row(None, 98.5, false).met(), None);
        let mut report =
            Report { rows: vec![row(Some(5.0), 5.5, true), row(Some(5.0), 5.0, true)], ..Report::default() };
        report.add_notes_on_what_is_not_met();
        assert_eq!(report.notes, ["error %: not met; the paper has 5.00, ours is 5.50 ± 0.20"]);
    }
}
