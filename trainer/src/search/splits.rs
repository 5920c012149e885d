//! Rows to fit and rows to judge by.

use super::candidate::{Ground, Guide};
use super::memo::Memo;
use super::train::InputGrids;
use super::train::samples::Samples;
use crate::dataset::{Dataset, split};
use crate::error::FitError;
use crate::methods::Method;
use crate::model::map::Map;
use crate::run::Run;

/// Rows that are few: a descent takes more passes over them, and the last word is spoken twice.
pub(super) const FEW: usize = 2000;
/// Rows below which five folds judge instead of one hold-out.
const FOLDED: usize = 6000;
/// Rows that a method with a kernel matrix is fitted to; it then embeds all of them.
const GUIDES: usize = 2000;
/// Folds of few rows, or of rows in groups: groups differ more than rows do.
const FOLDS: usize = 5;
/// Rows to judge by that very few rows should come to, by folding them again.
const REPEATED: usize = 2000;
/// The share held out where one hold-out judges.
const SHARE: f64 = 0.2;

/// Prepared rows, as matrix and as samples.
pub(super) struct Prepared {
    pub(super) data: Dataset,
    pub(super) samples: Samples,
}

/// One split of them.
pub(super) struct Part {
    pub(super) train: Vec<usize>,
    pub(super) held: Vec<usize>,
    /// The rows to fit.
    pub(super) data: Dataset,
    /// What each method says of them.
    guides: Vec<Guide>,
    memo: Memo,
}

impl Part {
    /// The rows to fit with what one method says of them.
    pub(super) fn ground<'a>(&'a self, samples: &'a Samples, method: usize, grids: &'a InputGrids<'a>) -> Ground<'a> {
        Ground { data: &self.data, samples, rows: &self.train, guide: self.guide(method), memo: &self.memo, grids }
    }

    /// Keeps what a method says of the rows to fit.
    pub(super) fn learn(&mut self, method: usize, guide: Guide) {
        self.guides[method] = guide;
    }

    /// What a method says of the rows to fit.
    pub(super) fn guide(&self, method: usize) -> &Guide {
        self.guides.get(method).unwrap_or(&Guide::Classes)
    }
}

/// Splits for one round of comparisons, with what the `wanted` of the methods say.
pub(super) fn parts(
    prepared: &Prepared,
    methods: &[Option<&dyn Method>],
    wanted: &[usize],
    seed: u64,
    run: &Run<'_>,
) -> Result<Vec<Part>, FitError> {
    let data = &prepared.data;
    let grouped = data.group_count().is_some_and(|groups| groups >= FOLDS);
    let splits = if grouped || data.len() < FOLDED && data.class_counts().iter().all(|&rows| rows != 1) {
        let again = (REPEATED / data.len().max(1)).clamp(1, 4) as u64;
        let rounds = (0..again).map(|round| split::folds(data, FOLDS, seed.wrapping_add(round << 32)));
        rounds.collect::<Result<Vec<_>, _>>()?.concat()
    } else {
        vec![split::stratified(data, SHARE, seed)]
    };
    splits
        .into_iter()
        .map(|split| {
            let train = data.select(&split.train);
            let known = |i: usize| {
                if wanted.contains(&i) { guide(methods[i], &train, seed, run) } else { Ok(Guide::Classes) }
            };
            let guides = (0..methods.len()).map(known).collect::<Result<_, _>>()?;
            Ok(Part { train: split.train, held: split.test, data: train, guides, memo: Memo::default() })
        })
        .collect()
}

/// What a method says about these rows.
pub(super) fn guide(method: Option<&dyn Method>, data: &Dataset, seed: u64, run: &Run<'_>) -> Result<Guide, FitError> {
    let Some(method) = method else { return Ok(Guide::Classes) };
    let sample = sample(data, GUIDES, seed);
    let fitted = method.fit_with(sample.as_ref().unwrap_or(data), run)?;
    match fitted.map() {
        Map::Linear(map) => Ok(Guide::Map(map.clone())),
        map => Ok(Guide::Embedding(map.apply(data.rows(), run.thread_count()))),
    }
}

/// At most so many rows, every class in proportion; none if there are no more.
pub(super) fn sample(data: &Dataset, most: usize, seed: u64) -> Option<Dataset> {
    if data.len() <= most {
        return None;
    }
    let share = most as f64 / data.len() as f64;
    Some(data.select(&split::sample(data, share, seed).test))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;

    fn splits(classes: usize, each: usize) -> Result<Vec<Part>, FitError> {
        let data = blobs(classes, each, 3, 1.0, 0);
        let prepared = Prepared { samples: Samples::new(&data), data };
        parts(&prepared, &[None], &[0], 0, &Run::default())
    }

    #[test]
    fn the_fewer_rows_the_more_often_each_of_them_judges() -> Result<(), FitError> {
        for (each, times) in [(50, 4), (400, 2), (1000, 1)] {
            let parts = splits(2, each)?;
            assert_eq!(parts.len(), FOLDS * times, "{each} rows per class");
            let mut judged = vec![0; 2 * each];
            parts.iter().flat_map(|part| &part.held).for_each(|&row| judged[row] += 1);
            assert!(judged.iter().all(|&count| count == times));
            assert!(parts.windows(2).all(|pair| pair[0].held != pair[1].held));
        }
        let parts = splits(2, FOLDED / 2)?;
        assert_eq!((parts.len(), parts[0].held.len()), (1, FOLDED / 5));
        Ok(())
    }
}
