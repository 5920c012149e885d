//! Data sets inside this crate, gzipped, so that the first fit needs no download.

use super::error::ReadError;
use super::table::Table;
use super::{Options, Raw, Shape, Want};
use crate::run::Run;
use flate2::read::MultiGzDecoder;
use std::io::Read;

const DIGITS: &[u8] = include_bytes!("../../data/digits/digits.csv.gz");
const DIGITS_TEST_ROWS: &str = include_str!("../../data/digits/split.txt");
const OPTDIGITS_TRAIN: &[u8] = include_bytes!("../../data/optdigits/train.csv.gz");
const GESTURES_TRAIN: &[u8] = include_bytes!("../../data/gestures/train.csv.gz");
const GESTURES_TEST: &[u8] = include_bytes!("../../data/gestures/test.csv.gz");

const IMAGE: Shape = Shape::Image { rows: 8, cols: 8 };

/// Name, training file, test file and the shape of a row.
type Set = (&'static str, &'static [u8], &'static [u8], Shape);
const SETS: [Set; 3] = [
    // One file; the numbers of its test rows are in another.
    ("digits", DIGITS, &[], IMAGE),
    // The test part is scikit-learn's digits, row by row.
    ("optdigits", OPTDIGITS_TRAIN, DIGITS, IMAGE),
    ("gestures", GESTURES_TRAIN, GESTURES_TEST, Shape::Series { channels: 6, steps: 100 }),
];

/// A data set and the requested part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Builtin {
    set: Set,
    part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Train,
    Test,
}

impl Builtin {
    /// `digits`, `digits:train` and so on.
    pub(super) fn named(name: &str) -> Result<Self, ReadError> {
        let (set, part) = name.split_once(':').map_or((name, None), |(set, part)| (set, Some(part)));
        let set = SETS.into_iter().find(|(known, ..)| *known == set);
        let part = match part {
            None => Some(Part::All),
            Some("train") => Some(Part::Train),
            Some("test") => Some(Part::Test),
            Some(_) => None,
        };
        set.zip(part).map(|(set, part)| Self { set, part }).ok_or_else(|| {
            let known = SETS.map(|(known, ..)| known).join(", ");
            ReadError::Invalid(format!(
                "no built-in data set `{name}`: there are {known}, each also with :train or :test"
            ))
        })
    }

    /// Unpacks the rows.
    pub(super) fn read(self, run: &Run<'_>) -> Result<Raw, ReadError> {
        let Self { set: (name, train, test, shape), part } = self;
        let packed: Box<dyn Read + Send> = match part {
            Part::Test if name != "digits" => Box::new(test),
            // Gzipped files one after the other are a gzipped file.
            Part::All => Box::new(train.chain(test)),
            _ => Box::new(train),
        };
        let text = Box::new(MultiGzDecoder::new(packed));
        let mut raw = Table::open(text, Some(b','), &Options::default(), Want::Labelled)?.into_raw(run, || (0, 1))?;
        if name == "digits" && part != Part::All {
            raw = digits(part, &raw);
        } else if name == "gestures" {
            // What a sensor delivers, and what the device takes.
            raw.rows.iter_mut().for_each(|value| *value = f64::from(*value as f32));
        }
        Ok(Raw { shape, ..raw })
    }
}

/// One part of the digits, in their original order.
fn digits(part: Part, all: &Raw) -> Raw {
    let test: Vec<usize> = DIGITS_TEST_ROWS.lines().filter_map(|line| line.trim().parse().ok()).collect();
    let in_part = |row: &usize| test.binary_search(row).is_ok() == (part == Part::Test);
    let rows: Vec<usize> = (0..all.rows.nrows()).filter(in_part).collect();
    let labels = all.labels.as_ref().map(|labels| rows.iter().map(|&row| labels[row].clone()).collect());
    Raw::plain(all.rows.select_rows(&rows), labels, all.shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str) -> Result<Raw, ReadError> {
        Builtin::named(name)?.read(&Run::default())
    }

    #[test]
    fn every_part_has_its_known_number_of_rows() -> Result<(), ReadError> {
        let counts = [("digits", 1797, 1257, 540), ("optdigits", 5620, 3823, 1797), ("gestures", 80, 40, 40)];
        for (name, all, train, test) in counts {
            assert_eq!(read(name)?.rows.nrows(), all);
            assert_eq!(read(&format!("{name}:train"))?.rows.nrows(), train);
            assert_eq!(read(&format!("{name}:test"))?.rows.nrows(), test);
        }
        Ok(())
    }

    #[test]
    fn digits_keep_the_order_of_scikit_learn_and_its_split() -> Result<(), ReadError> {
        let (all, test) = (read("digits")?, read("digits:test")?);
        let labels = all.labels.clone().unwrap_or_default();
        assert_eq!(labels[..10], ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        assert_eq!(all.rows.sum(), 561_718.0);
        let first: usize = DIGITS_TEST_ROWS.lines().next().and_then(|line| line.parse().ok()).unwrap_or_default();
        assert_eq!(test.rows.row(0), all.rows.row(first));
        assert_eq!(all.shape, Shape::Image { rows: 8, cols: 8 });
        Ok(())
    }

    #[test]
    fn the_test_part_of_optdigits_is_the_digits() -> Result<(), ReadError> {
        assert_eq!(read("optdigits:test")?.rows, read("digits")?.rows);
        Ok(())
    }

    #[test]
    fn gestures_are_series_of_f32_with_named_classes() -> Result<(), ReadError> {
        let raw = read("gestures:train")?;
        assert_eq!(raw.shape, Shape::Series { channels: 6, steps: 100 });
        assert_eq!(raw.rows.ncols(), 600);
        assert_eq!(raw.rows[(0, 0)], f64::from(0.079_106_f32));
        let labels = raw.labels.unwrap_or_default();
        assert_eq!(
            [&labels[0], &labels[10], &labels[20], &labels[30]],
            ["Standing", "Running", "Walking", "Badminton"]
        );
        Ok(())
    }

    #[test]
    fn unknown_parts_are_refused() {
        assert!(Builtin::named("digits:dev").is_err());
    }
}
