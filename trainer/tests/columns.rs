//! Columns that carry nothing new, or nothing at all, must not matter: every method, with and without scaling.
#![allow(missing_docs)]

mod support;

use nearmark_train::dataset::split::{self, Split};
use nearmark_train::dataset::synthetic::blobs;
use nearmark_train::linalg::Mat;
use nearmark_train::methods::{Method, Registry, Settings, ebek, knn, with_defaults};
use nearmark_train::preprocess::Scaling;
use nearmark_train::{Dataset, HeadChoice, Pipeline, Rng, Run, io};
use std::fmt::Write;
use support::{Outcome, data_folder, npy};

/// Points by which accuracy may move.
const TOLERANCE: f64 = 1.0;
/// The same for copies of columns of different units, unscaled. There a few columns of the largest unit make up all
/// distances, and a copy of one of them moves the rest: 1.9 points were the most seen (NSSE on wine); most methods
/// stay below one.
const UNSCALED_COPIES: f64 = 2.0;
/// The same for `IsoKRR`, whose paths change by whole edges: 1.8 points were the most seen.
const CHANGED_PATHS: f64 = 2.0;

/// Columns to append: one for every twenty, since a copy doubles the weight of a column in every distance; eight
/// constants.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Appended {
    Constant,
    /// Noise with a thousandth of the spread of the median column.
    NearConstant,
    Duplicate,
    Rescaled(f64),
}

const ALL: [Appended; 5] = [
    Appended::Constant,
    Appended::NearConstant,
    Appended::Duplicate,
    Appended::Rescaled(1e-3),
    Appended::Rescaled(1e3),
];

impl Appended {
    fn to(self, data: &Dataset) -> Outcome<Dataset> {
        let (rows, width) = (data.rows(), data.width());
        let count = if self == Self::Constant { 8 } else { width.div_ceil(20) };
        let mut spreads: Vec<f64> = rows.column_iter().map(|column| column.variance().sqrt()).collect();
        spreads.retain(|&spread| spread > 0.0);
        spreads.sort_unstable_by(f64::total_cmp);
        let typical = spreads[spreads.len() / 2];
        let mut rng = Rng::new(7);
        // Copies are taken from the middle, where pixels vary.
        let first = (width - count.min(width)) / 2;
        let wide = Mat::from_fn(data.len(), width + count, |i, j| match self {
            _ if j < width => rows[(i, j)],
            Self::Constant => 3.0,
            Self::NearConstant => 0.5 + 1e-3 * typical * rng.normal(),
            Self::Duplicate => rows[(i, first + j - width)],
            Self::Rescaled(factor) => factor * rows[(i, first + j - width)],
        });
        Ok(data.with_rows(wide)?)
    }

    /// Whether a method can be asked not to be moved by it.
    ///
    /// Kernel ECA keeps the axes along which the mean of all rows is long. On centered clouds all but the first have none,
    /// and which come next is decided by rounding's larger siblings: only constants leave the kernel matrix as it is.
    ///
    /// SPE has a polynomial kernel, which sees a constant in every inner product.
    ///
    /// Without scaling, a column a thousand times as wide as the others *is* the distance between rows, and with it every
    /// neighbor, Gaussian kernel and principal axis; no method of distances can tell it from one that should count. LDA
    /// looks at no distance: its axes do not depend on the units of columns.
    fn applies(self, method: &str, scaling: Scaling) -> bool {
        if self == Self::Constant && method == "spe" {
            return false;
        }
        let possible = self != Self::Rescaled(1e3) || scaling == Scaling::Auto || method == "lda";
        possible && (method != "keca" || self == Self::Constant)
    }

    fn tolerance(self, set: &Set, method: &str, scaling: Scaling) -> f64 {
        if method == "isokrr" {
            return CHANGED_PATHS;
        }
        let unscaled = set.mixed_units && scaling == Scaling::None;
        if unscaled && self == Self::Duplicate { UNSCALED_COPIES } else { TOLERANCE }
    }
}

struct Set {
    name: &'static str,
    data: Dataset,
    splits: Vec<Split>,
    mixed_units: bool,
}

impl Set {
    fn new(name: &'static str, data: Dataset, per_class: usize, repeats: u64) -> Outcome<Self> {
        let splits = (0..repeats).map(|seed| split::per_class(&data, per_class, seed)).collect::<Result<_, _>>()?;
        Ok(Self { name, data, splits, mixed_units: ["mixed", "wine", "cancer"].contains(&name) })
    }

    /// Mean accuracy over the splits in percent.
    fn accuracy(&self, data: &Dataset, method: &dyn Method, scaling: Scaling) -> Outcome<f64> {
        let mut sum = 0.0;
        for split in &self.splits {
            let (train, test) = split.apply(data);
            let pipeline = Pipeline { scaling, ..Pipeline::new(method) };
            let fitted = pipeline.fit(&train).map_err(|e| format!("{} on {}: {e}", method.name(), self.name))?;
            sum += 100.0 * fitted.accuracy(&test)?;
        }
        Ok(sum / self.splits.len() as f64)
    }
}

/// Prints the table and refuses every move beyond the tolerance.
fn check(sets: &[Set]) -> Outcome {
    let mut moved = Vec::new();
    for set in sets {
        let wide: Vec<(Appended, Dataset)> =
            ALL.iter().map(|&kind| Ok((kind, kind.to(&set.data)?))).collect::<Outcome<_>>()?;
        for scaling in [Scaling::Auto, Scaling::None] {
            for method in with_defaults()? {
                let name = method.name();
                let base = set.accuracy(&set.data, &*method, scaling)?;
                let mut line = format!("{:<8} {:<5} {name:<8} {base:6.2}", set.name, scaling.to_string());
                for (kind, data) in wide.iter().filter(|(kind, _)| kind.applies(name, scaling)) {
                    let difference = set.accuracy(data, &*method, scaling)? - base;
                    let _ = write!(line, "  {kind:?} {difference:+.2}");
                    if difference.abs() > kind.tolerance(set, name, scaling) {
                        moved.push(format!("{} {scaling} {name} {kind:?} {base:.2} {difference:+.2}", set.name));
                    }
                }
                eprintln!("{line}");
            }
        }
    }
    assert!(moved.is_empty(), "moved too far:\n{}", moved.join("\n"));
    Ok(())
}

fn digits() -> Outcome<Dataset> {
    Ok(io::load("builtin:digits", &io::Options::default(), &Run::default())?.data)
}

/// Columns in units from a tenth to ten.
fn mixed_units() -> Outcome<Dataset> {
    let data = blobs(4, 250, 30, 1.4, 2);
    let rows = Mat::from_fn(data.len(), 30, |i, j| data.rows()[(i, j)] * [0.1, 1.0, 10.0][j % 3] + 3.0);
    Ok(data.with_rows(rows)?)
}

/// Values that all lie in −1..=1.
fn small_values() -> Outcome<Dataset> {
    let data = blobs(4, 250, 60, 1.2, 5);
    Ok(data.with_rows(data.rows() / data.rows().amax())?)
}

#[test]
fn built_in_sets_keep_their_accuracy_whatever_is_appended() -> Outcome {
    check(&[
        Set::new("digits", digits()?, 20, 1)?,
        Set::new("mixed", mixed_units()?, 40, 2)?,
        Set::new("small", small_values()?, 40, 2)?,
    ])
}

#[test]
fn real_tables_keep_their_accuracy_whatever_is_appended() -> Outcome {
    let Some(folder) = data_folder("real_tables_keep_their_accuracy_whatever_is_appended") else { return Ok(()) };
    check(&[
        Set::new("wine", npy(&folder, "wine", "X", "y")?, 24, 20)?,
        Set::new("cancer", npy(&folder, "breast_cancer", "X", "y")?, 60, 2)?,
        Set::new("isolet", npy(&folder, "isolet1", "X", "y")?, 5, 3)?,
    ])
}

/// With one axis a method tells at least two of three classes apart, or it has no such setting.
#[test]
fn every_method_works_with_one_axis() -> Outcome {
    let data = blobs(3, 30, 6, 0.5, 3);
    for entry in Registry::default().entries() {
        let settings: Settings = [("dim".to_owned(), "1".to_owned())].into();
        let method = match entry.build(&settings, 0) {
            Ok(method) => method,
            Err(error) => {
                assert!(error.to_string().starts_with(&format!("{} takes no dim", entry.name)), "{error}");
                continue;
            }
        };
        let fitted = Pipeline::new(&*method).fit(&data).map_err(|e| format!("{}: {e}", entry.name))?;
        assert_eq!(fitted.dim(), 1, "{}", entry.name);
        let mut found = fitted.classify(data.rows())?;
        found.sort_unstable();
        found.dedup();
        assert!(found.len() > 1, "{}: every row is of class {found:?}", entry.name);
    }
    Ok(())
}

/// Sets at the edge of what a table can be.
fn odd_sets() -> Outcome<Vec<(&'static str, Dataset)>> {
    let blobs4 = blobs(3, 100, 4, 0.25, 1);
    let one = Mat::from_fn(300, 1, |i, _| (i % 3) as f64 * 4.0 + Rng::new(i as u64).normal());
    let labels: Vec<usize> = (0..300).map(|i| i % 3).collect();
    let five = Mat::from_fn(300, 20, |i, j| blobs4.rows()[(i, j % 4)]);
    Ok(vec![
        ("one feature", Dataset::from_ids(one, &labels)?),
        ("every column five times", blobs4.with_rows(five)?),
        ("three blobs", blobs4),
    ])
}

#[test]
fn odd_sets_are_learned_about_as_well_as_by_one_neighbor() -> Outcome {
    let mut below = Vec::new();
    let ebek = ebek::Ebek::new(ebek::Params { exemplars: 6, ..ebek::Params::default() })?;
    for (name, data) in odd_sets()? {
        let set = Set::new(name, data, 50, 1)?;
        let one_neighbor = set.accuracy(&set.data, &knn::Knn::default(), Scaling::Auto)?;
        for method in with_defaults()? {
            let (train, test) = set.splits[0].apply(&set.data);
            // A single column has a kernel matrix of low rank: EBEK finds no 20 exemplars.
            let method = if method.name() == "ebek" { Box::new(ebek.clone()) } else { method };
            let pipeline = Pipeline { head: Some(HeadChoice::Neighbors(3)), ..Pipeline::new(&*method) };
            let fitted = pipeline.fit(&train).map_err(|e| format!("{} on {name}: {e}", method.name()))?;
            let accuracy = 100.0 * fitted.accuracy(&test)?;
            eprintln!("{name:<24} {:<8} {:+.2}", method.name(), accuracy - one_neighbor);
            // KDPLE stays 3.3 points below on blobs; a polynomial of two terms, SPE's, 5.3.
            let least = one_neighbor - if method.name() == "spe" { 6.0 } else { 4.0 };
            if accuracy < least {
                below.push(format!("{name}: {} {accuracy:.2} below {least:.2}", method.name()));
            }
        }
    }
    assert!(below.is_empty(), "{}", below.join("\n"));
    Ok(())
}
