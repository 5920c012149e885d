//! Training rows and held-out rows: cross-validation where rows are few, a hold-out where they are many.

use super::candidate::{Memo, TargetEmbedding};
use super::train::Samples;
use super::train::images::Shifts;
use crate::dataset::split::Split;
use crate::dataset::{Dataset, split};
use crate::error::FitError;
use crate::methods::Method;
use crate::model::map::Map;
use crate::preprocess::Stage;
use crate::run::Run;
use std::borrow::Cow;

/// Below so many rows, candidates are compared after a larger share of their training, and finalists are evaluated on two rounds of splits:
/// choices among a few hundred rows were luck. Measured together with [`REPEATED`] on 15 public tables (KEEL, two seeds
/// each): 91.7 to 92.5 % at 2 kB.
pub(super) const FEW: usize = 2000;
/// Below so many rows, the simpler preprocessing and the smaller model are taken, within a standard error of the best:
/// cross-validation of so few rows chooses badly (around 50 windows, the choice cost more than it gained).
pub(super) const VERY_FEW: usize = 200;
/// Below so many rows, cross-validation instead of one hold-out. It costs as many fits as there are folds, which still
/// take seconds at this size.
const FOLDED: usize = 6000;
/// Rows that a method with a kernel matrix is fitted to; its map then embeds all of them. Memory and time grow with the
/// square and the cube of it.
const TARGET_ROWS: usize = 2000;
/// Folds of cross-validation. Rows in groups are always folded: people differ more than rows do, and one hold-out of
/// three of sixteen subjects (UCI HAR) chose badly.
const FOLDS: usize = 5;
/// On very few rows, cross-validation is repeated until about so many rows were held out, at most [`REPEATS`] times.
const REPEATED: usize = 2000;
/// Repetitions of cross-validation at most: 20 fits of a candidate, which still take seconds on such few rows.
const REPEATS: usize = 4;
/// Rounds of splits that finalists are evaluated on, on fewer rows than [`FEW`]: the second halves the variance of a
/// choice among a few hundred rows.
const ROUNDS_OF_FEW: u64 = 2;
/// The share held out of many rows: of 6000 rows, 1200 have a standard error of at most 1.4 points.
const HOLD_OUT: f64 = 0.2;

/// Preprocessed rows, as a matrix and as samples.
pub(super) struct Prepared {
    pub(super) data: Dataset,
    pub(super) samples: Samples,
}

/// Rows behind a preprocessing.
pub(super) fn prepare(
    data: &Dataset,
    preprocessing: &[Stage],
    image: Option<(usize, usize)>,
    run: &Run<'_>,
) -> Result<Prepared, FitError> {
    let mut rows = Cow::Borrowed(data.rows());
    for stage in preprocessing {
        rows = Cow::Owned(stage.apply(&rows, run.thread_count())?);
    }
    let prepared = data.with_rows(rows.into_owned())?;
    let mut samples = Samples::new(&prepared);
    samples.shifts = image.and_then(|image| Shifts::new(data, image, preprocessing));
    Ok(Prepared { samples, data: prepared })
}

/// One split of them.
pub(super) struct Fold {
    pub(super) train: Vec<usize>,
    pub(super) held_out: Vec<usize>,
    pub(super) data: Dataset,
    /// Seed of the split and of samples for target embeddings.
    pub(super) seed: u64,
    /// Each method's target embedding of the training rows.
    pub(super) targets: Vec<TargetEmbedding>,
    pub(super) memo: Memo,
}

/// Fits of every candidate: how many splits [`splits`] makes.
pub(super) fn fold_counts(data: &Dataset) -> usize {
    if is_folded(data) { FOLDS * repeats(data) } else { 1 }
}

/// Whether rows are folded. Groups are, unless they are fewer than folds.
fn is_folded(data: &Dataset) -> bool {
    let grouped = data.group_count().is_some_and(|groups| groups >= FOLDS);
    // A class of one row is in no training set of some fold.
    grouped || data.len() < FOLDED && data.class_counts().iter().all(|&rows| rows != 1)
}

fn repeats(data: &Dataset) -> usize {
    (REPEATED / data.len().max(1)).clamp(1, REPEATS)
}

/// Rounds of splits that finalists are evaluated on.
pub(super) fn rounds_of_finals(rows: usize, quick: bool) -> u64 {
    if rows < FEW && !quick { ROUNDS_OF_FEW } else { 1 }
}

/// Repeated cross-validation, or one stratified hold-out.
pub(super) fn splits(data: &Dataset, seed: u64) -> Result<Vec<Split>, FitError> {
    if !is_folded(data) {
        return Ok(vec![split::stratified(data, HOLD_OUT, seed)]);
    }
    let rounds = (0..repeats(data) as u64).map(|round| split::folds(data, FOLDS, seed.wrapping_add(round << 32)));
    Ok(rounds.collect::<Result<Vec<_>, _>>()?.concat())
}

/// A method's target embedding of rows; class indicators without a method.
pub(super) fn embedding(
    method: Option<&dyn Method>,
    data: &Dataset,
    seed: u64,
    run: &Run<'_>,
) -> Result<TargetEmbedding, FitError> {
    let Some(method) = method else { return Ok(TargetEmbedding::Classes) };
    let sample = sample(data, TARGET_ROWS, seed);
    let fitted = method.fit_with(sample.as_ref().unwrap_or(data), run)?;
    match fitted.map() {
        Map::Linear(map) => Ok(TargetEmbedding::Linear(map.clone())),
        map => Ok(TargetEmbedding::Rows(map.apply(data.rows(), run.thread_count()))),
    }
}

/// At most so many rows, every class in proportion, and within a class every group; none if there are no more.
///
/// A sample has rows of as many groups as possible, since people differ more than rows do. Splits of it keep together what
/// is left of each group.
pub(crate) fn sample(data: &Dataset, most: usize, seed: u64) -> Option<Dataset> {
    if data.len() <= most {
        return None;
    }
    let share = most as f64 / data.len() as f64;
    Some(data.select(&split::thinned(data, share, seed)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;

    #[test]
    fn the_fewer_rows_the_more_often_each_is_held_out() -> Result<(), FitError> {
        for (each, times) in [(50, 4), (400, 2), (1000, 1)] {
            let splits = splits(&blobs(2, each, 3, 1.0, 0), 0)?;
            assert_eq!(splits.len(), FOLDS * times, "{each} rows per class");
            let mut held_out = vec![0; 2 * each];
            splits.iter().flat_map(|split| &split.test).for_each(|&row| held_out[row] += 1);
            assert!(held_out.iter().all(|&count| count == times));
            assert!(splits.windows(2).all(|pair| pair[0].test != pair[1].test));
        }
        let one = splits(&blobs(2, FOLDED / 2, 3, 1.0, 0), 0)?;
        assert_eq!((one.len(), one[0].test.len()), (1, FOLDED / 5));
        Ok(())
    }

    #[test]
    fn training_and_held_out_rows_are_all_rows_once() -> Result<(), FitError> {
        for split in splits(&blobs(3, 7, 2, 1.0, 0), 5)? {
            let mut all = [split.train, split.test].concat();
            all.sort_unstable();
            assert_eq!(all, (0..21).collect::<Vec<_>>());
        }
        Ok(())
    }

    #[test]
    fn a_sample_has_every_group_and_its_splits_divide_none() -> Result<(), Box<dyn std::error::Error>> {
        // Forty people of very different numbers of rows; class 2 is known from two of them only.
        let person = |i: usize| (i * i / 2500) % 40;
        let labels: Vec<usize> =
            (0..10_000).map(|i| if [7, 31].contains(&person(i)) && i % 3 == 0 { 2 } else { i % 2 }).collect();
        let rows = crate::linalg::Mat::from_fn(10_000, 1, |i, _| i as f64);
        let names: Vec<String> = (0..10_000).map(|i| person(i).to_string()).collect();
        let data = Dataset::from_ids(rows, &labels)?.with_groups(&names)?;
        for (most, seed) in [(2000, 0), (500, 1), (300, 2)] {
            let some = sample(&data, most, seed).ok_or("no sample")?;
            assert!(some.len().abs_diff(most) <= 2, "{} of {most} rows", some.len());
            assert_eq!(some.group_count(), Some(40), "{most} rows");
            for fold in split::folds(&some, 5, seed)?.iter().chain(&[split::stratified(&some, 0.3, seed)]) {
                let groups = some.groups().unwrap_or_default();
                let held: Vec<usize> = fold.test.iter().map(|&row| groups[row]).collect();
                assert!(fold.train.iter().all(|&row| !held.contains(&groups[row])));
            }
        }
        Ok(())
    }

    #[test]
    fn a_sample_has_every_class_in_proportion() {
        let data = blobs(4, 25, 2, 1.0, 0);
        assert_eq!(sample(&data, 100, 0), None);
        assert_eq!(sample(&data, 40, 0).map(|some| some.class_counts()), Some(vec![10; 4]));
    }
}
