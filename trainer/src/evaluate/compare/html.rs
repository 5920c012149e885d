//! A comparison as a page of its own.

use super::Comparison;
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:52em;padding:0 1em}\
table{border-collapse:collapse}th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #8884}\
th:first-child,td:first-child{text-align:left}td:nth-child(2),th:nth-child(2){text-align:left}";

impl Comparison {
    /// The table as one HTML page that needs nothing else, best first, with its caveat.
    #[must_use]
    pub fn to_html(&self, title: &str) -> String {
        let title = escaped(title);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n"
        );
        // Writing to a string cannot fail.
        let _ = write!(page, "<h1>{title}</h1>\n<p>{}.</p>\n<table>\n", escaped(&self.headline()));
        page += "<tr><th>method<th>accuracy %<th>mean rank<th>fit s<th>flash B\n";
        for row in self.ranking() {
            let _ = write!(page, "<tr><td>{}", escaped(&row.method));
            for cell in row.cells() {
                let _ = write!(page, "<td>{}", escaped(&cell));
            }
            page.push('\n');
        }
        page += "</table>\n";
        if let Some(caveat) = self.caveat() {
            let _ = writeln!(page, "<p>{}.</p>", escaped(&caveat));
        }
        page
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::evaluate::compare::{Comparison, Entry, Outcome};

    #[test]
    fn a_page_shows_every_method_and_no_foreign_markup() {
        let entry = |name: &str| Entry { name: name.to_owned(), config: Config::default() };
        let right = Ok(Outcome { accuracy: 0.75, seconds: 0.5, flash_bytes: 1234 });
        let found = Comparison {
            entries: vec![entry("lda"), entry("knn")],
            outcomes: vec![vec![right], vec![Err("a < b & c".to_owned())]],
            protocol: "a test set".to_owned(),
            seed: 0,
            rows: 8,
            classes: 2,
            test_rows: 8,
        };
        let page = found.to_html("<script>");
        assert!(page.contains("<tr><td>lda<td>75.00<td>1.00<td>0.500<td>1234\n"), "{page}");
        assert!(page.contains("<td>failed: a &lt; b &amp; c"), "{page}");
        assert!(!page.contains("<script>"), "{page}");
    }
}
