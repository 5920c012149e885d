//! Whatever a label holds, quoting carries it through a text table.

use super::write::{Checked, load};
use nearmark_train::io::Options;
use std::fs;

/// Small numbers from a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

#[test]
fn quoted_labels_and_printed_numbers_come_back() -> Checked {
    const LETTERS: [&str; 10] = ["a", "\"", ",", ";", "\t", "\n", "é", " ", "7", "'"];
    let folder = tempfile::tempdir()?;
    let mut dice = Dice(1);
    for round in 0..300 {
        let delimiter = [",", ";", "\t"][dice.roll(3)];
        let width = 1 + dice.roll(4);
        let (mut rows, mut labels, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..=dice.roll(6) {
            let label: String = (0..=dice.roll(5)).map(|_| LETTERS[dice.roll(LETTERS.len())]).collect();
            // Spaces around a label do not count, and a label must not be empty.
            let label = format!("x{label}x");
            let row: Vec<f64> =
                (0..width).map(|_| (dice.roll(2001) as f64 - 1000.0) / [1.0, 7.0, 64.0][dice.roll(3)]).collect();
            let mut cells: Vec<String> = Vec::new();
            for value in &row {
                cells.push(match dice.roll(3) {
                    0 => value.to_string(),
                    1 => format!("\"{value}\" "),
                    _ => format!("{value:e}"),
                });
            }
            cells.push(format!("\"{}\"", label.replace('"', "\"\"")));
            lines.push(cells.join(delimiter));
            rows.push(row);
            labels.push(label);
        }
        let text = lines.join("\n");
        // The ending tells the delimiter where a label may hold any of them.
        let path = folder.path().join(if delimiter == "\t" { "x.tsv" } else { "x.csv" });
        fs::write(&path, &text)?;
        let loaded = load(&path, &Options::default()).map_err(|error| format!("round {round}: {error}\n{text}"))?;
        assert_eq!(loaded.data, nearmark_train::Dataset::from_rows(&rows, &labels)?, "round {round}:\n{text}");
    }
    Ok(())
}
