//! Text with measured numbers: the words must be equal, the numbers about equal.
//!
//! Counts of instructions and bytes of code change a little with every version of the compiler.

use anyhow::{Result, bail};

/// Share by which a measured number may differ.
const TOLERANCE: f64 = 0.1;

/// Text, and the numbers that were taken out of it.
#[derive(Debug, PartialEq)]
pub(crate) struct Measured {
    text: String,
    numbers: Vec<u64>,
}

impl Measured {
    /// What a program prints: numbers in front of the word `instructions` are measured.
    pub(crate) fn output(text: &str) -> Self {
        let mut measured = Self { text: String::new(), numbers: Vec::new() };
        for line in text.lines() {
            let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            for at in 1..words.len() {
                if words[at].starts_with("instructions")
                    && let Ok(number) = words[at - 1].parse()
                {
                    measured.numbers.push(number);
                    words[at - 1] = "#".into();
                }
            }
            measured.text += words.join(" ").trim_end();
            measured.text.push('\n');
        }
        measured
    }

    /// A Markdown table: cells that hold nothing but a number, in groups of digits or not, are measured.
    pub(crate) fn table(text: &str) -> Self {
        let mut measured = Self { text: String::new(), numbers: Vec::new() };
        for line in text.lines() {
            for cell in line.split('|').map(str::trim) {
                if let Ok(number) = cell.replace(' ', "").parse() {
                    measured.numbers.push(number);
                    measured.text.push('#');
                } else {
                    measured.text += cell;
                }
                measured.text.push('|');
            }
            measured.text.push('\n');
        }
        measured
    }

    /// Checks that `now` has the same words and about the same numbers.
    pub(crate) fn agrees(&self, now: &Self) -> Result<()> {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (old, new) = (lines(&self.text), lines(&now.text));
        for at in 0..old.len().max(new.len()) {
            let (old, new) = (old.get(at), new.get(at));
            if old != new {
                let quoted = |line: Option<&String>| line.map_or("nothing".to_owned(), |line| format!("'{line}'"));
                bail!("line {}: expected {}, got {}", at + 1, quoted(old), quoted(new));
            }
        }
        for (&old, &new) in self.numbers.iter().zip(&now.numbers) {
            if (new as f64 - old as f64).abs() > TOLERANCE * old as f64 {
                bail!("expected about {old}, got {new}");
            }
        }
        Ok(())
    }
}

/// Digits in groups of three, as tables show them.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_may_move_a_little_and_words_may_not() {
        let old = Measured::output("  Walking  margin 0.5  1000 instructions\n");
        let agrees = |text: &str| old.agrees(&Measured::output(text)).is_ok();
        assert!(agrees("  Walking  margin 0.5  1090 instructions"));
        assert!(!agrees("  Walking  margin 0.5  1200 instructions"));
        assert!(!agrees("  Walking  margin 0.6  1000 instructions"));
        assert!(!agrees(" Walking  margin 0.5  1000 instructions"));
        assert!(!agrees(""));
    }

    #[test]
    fn cells_of_numbers_may_move_a_little() {
        let old = Measured::table("| model | bytes |\n|---|---:|\n| a 1 | 12 345 |");
        let agrees = |text: &str| old.agrees(&Measured::table(text)).is_ok();
        assert!(agrees("| model | bytes |\n|---|---:|\n| a 1  |  12000 |"));
        assert!(!agrees("| model | bytes |\n|---|---:|\n| a 1 | 14 000 |"));
        assert!(!agrees("| model | bytes |\n|---|---:|\n| a 2 | 12 345 |"));
        assert!(!agrees("| model | bytes |\n|---|---:|\n| a 1 | – |"));
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        assert_eq!([7, 1234, 2_635_082].map(grouped), ["7", "1 234", "2 635 082"]);
    }
}
