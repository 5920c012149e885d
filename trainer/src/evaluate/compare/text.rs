//! A comparison as text: Markdown, or an HTML page of its own.

use super::{Comparison, Row};
use crate::escape::xml;
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:52em;padding:0 1em}\
table{border-collapse:collapse}th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #8884}\
th:first-child,td:first-child{text-align:left}td:nth-child(2),th:nth-child(2){text-align:left}";

impl Row {
    /// The columns of a table for this method: accuracy in percent, mean rank, seconds, bytes in flash. A failed
    /// one has its reason instead of the accuracy.
    #[must_use]
    pub fn cells(&self) -> [String; 4] {
        let accuracy = match (&self.accuracy, &self.failure) {
            (Some(accuracy), _) => {
                let spread = accuracy.std.map(|std| format!(" ± {:.2}", 100.0 * std));
                format!("{:.2}{}", 100.0 * accuracy.mean, spread.unwrap_or_default())
            }
            (None, failure) => format!("failed: {}", failure.as_deref().unwrap_or("unknown")),
        };
        let rank = self.rank.map(|rank| format!("{rank:.2}"));
        let seconds = self.fit_seconds.map(|seconds| format!("{seconds:.3}"));
        let bytes = self.flash_bytes.map(|bytes| bytes.to_string());
        [accuracy, rank.unwrap_or_default(), seconds.unwrap_or_default(), bytes.unwrap_or_default()]
    }
}

impl Comparison {
    /// What was compared, in a line.
    #[must_use]
    pub fn headline(&self) -> String {
        format!("{} rows, {} classes; {}, seed {}", self.rows, self.classes, self.protocol, self.seed)
    }

    /// The table as Markdown, best first, with its caveat.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = format!("{}.\n\n", self.headline());
        text += "| method | accuracy % | mean rank | fit s | flash B |\n| --- | --- | ---: | ---: | ---: |\n";
        for row in self.ranking() {
            let [accuracy, rank, seconds, bytes] = row.cells().map(|cell| markdown(&cell));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {} | {accuracy} | {rank} | {seconds} | {bytes} |", markdown(&row.method));
        }
        if let Some(caveat) = self.caveat() {
            let _ = write!(text, "\n{caveat}.\n");
        }
        text
    }

    /// The table as one HTML page that needs nothing else, best first, with its caveat.
    #[must_use]
    pub fn to_html(&self, title: &str) -> String {
        let title = xml(title);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n"
        );
        // Writing to a string cannot fail.
        let _ = write!(page, "<h1>{title}</h1>\n<p>{}.</p>\n<table>\n", xml(&self.headline()));
        page += "<tr><th>method<th>accuracy %<th>mean rank<th>fit s<th>flash B\n";
        for row in self.ranking() {
            let _ = write!(page, "<tr><td>{}", xml(&row.method));
            for cell in row.cells() {
                let _ = write!(page, "<td>{}", xml(&cell));
            }
            page.push('\n');
        }
        page += "</table>\n";
        if let Some(caveat) = self.caveat() {
            let _ = writeln!(page, "<p>{}.</p>", xml(&caveat));
        }
        page
    }
}

/// A bar would end the cell, a line break the table.
fn markdown(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::evaluate::compare::{Entry, Outcome};

    /// Accuracies and bytes of one method, split by split.
    fn outcomes(values: &[(f64, usize)]) -> Vec<Result<Outcome, String>> {
        values
            .iter()
            .map(|&(accuracy, flash_bytes)| Ok(Outcome { accuracy, seconds: 0.25, flash_bytes, tuned: None }))
            .collect()
    }

    fn comparison(outcomes: Vec<(&str, Vec<Result<Outcome, String>>)>) -> Comparison {
        let entry = |name: &str| Entry { name: name.to_owned(), config: Config::default() };
        Comparison {
            entries: outcomes.iter().map(|(name, _)| entry(name)).collect(),
            outcomes: outcomes.into_iter().map(|(_, outcomes)| outcomes).collect(),
            protocol: "3-fold cross-validation".to_owned(),
            seed: 0,
            rows: 60,
            classes: 2,
            test_rows: 60,
        }
    }

    #[test]
    fn markdown_has_the_best_first_and_says_how_sure_it_is() {
        let mut broken = outcomes(&[(0.9, 10)]);
        broken.extend([Err("a | b".to_owned()), Err("another".to_owned())]);
        let found = comparison(vec![
            ("broken", broken),
            ("lda", outcomes(&[(0.5, 100), (0.5, 100), (0.5, 100)])),
            ("knn", outcomes(&[(0.9, 900), (0.8, 904), (0.9, 900)])),
            ("nsse", outcomes(&[(0.8, 500), (1.0, 500), (0.9, 500)])),
        ]);
        // NSSE − k-NN is −10, 20 and 0 points: 3.33 on average with an error of 15.28/√3.
        let expected = "\
60 rows, 2 classes; 3-fold cross-validation, seed 0.

| method | accuracy % | mean rank | fit s | flash B |
| --- | --- | ---: | ---: | ---: |
| nsse | 90.00 ± 10.00 | 1.50 | 0.250 | 500 |
| knn | 86.67 ± 5.77 | 1.50 | 0.250 | 904 |
| lda | 50.00 ± 0.00 | 3.00 | 0.250 | 100 |
| broken | failed: a \\| b (2 of 3 splits) |  |  |  |

nsse leads knn by 3.33 points, but the standard error over 3 splits is 8.82.
";
        assert_eq!(found.to_markdown(), expected);
    }

    #[test]
    fn equals_are_called_equal_and_the_smaller_comes_first() {
        let found = comparison(vec![
            ("knn", outcomes(&[(0.9, 900), (0.8, 900)])),
            ("lda", outcomes(&[(0.9, 100), (0.8, 100)])),
            ("pca", outcomes(&[(0.8, 100), (0.9, 100)])),
        ]);
        assert_eq!(found.ranking().iter().map(|row| row.method.as_str()).collect::<Vec<_>>(), ["lda", "pca", "knn"]);
        let caveat = "lda and pca are equally accurate over 2 splits; as close: knn";
        assert_eq!(found.caveat().as_deref(), Some(caveat));
    }

    #[test]
    fn one_test_set_is_judged_by_the_number_of_its_rows() {
        let of = |better| comparison(vec![("knn", outcomes(&[(better, 9)])), ("lda", outcomes(&[(0.5, 9)]))]).caveat();
        // Of 60 rows two shares near one half have a standard error of 9 points.
        let caveat = "knn leads lda by 5.00 points, but the standard error over 60 rows is 9.11";
        assert_eq!(of(0.55).as_deref(), Some(caveat));
        assert_eq!(of(0.75), None);
    }

    #[test]
    fn a_page_shows_every_method_and_no_foreign_markup() {
        let broken = vec![Err("a < b & c".to_owned())];
        let page = comparison(vec![("lda", outcomes(&[(0.75, 1234)])), ("knn", broken)]).to_html("<script>");
        assert!(page.contains("<tr><td>lda<td>75.00<td>1.00<td>0.250<td>1234\n"), "{page}");
        assert!(page.contains("<td>failed: a &lt; b &amp; c"), "{page}");
        assert!(!page.contains("<script>"), "{page}");
    }
}
