//! Seeded splits: the same seed gives the same rows on every machine. Groups, where the data have them, are never divided.

use super::{Dataset, groups};
use crate::error::DataError;
use crate::rng::Rng;

/// Row numbers to train on and to test on, each in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows to train on.
    pub train: Vec<usize>,
    /// Rows to test on.
    pub test: Vec<usize>,
}

impl Split {
    /// The two data sets.
    #[must_use]
    pub fn apply(&self, data: &Dataset) -> (Dataset, Dataset) {
        (data.select(&self.train), data.select_beside(&self.test, &self.train))
    }

    pub(super) fn sorted(mut train: Vec<usize>, mut test: Vec<usize>) -> Self {
        train.sort_unstable();
        test.sort_unstable();
        Self { train, test }
    }
}

/// Takes `count` random rows of every class for training and tests on the rest.
///
/// # Errors
/// [`DataError::ClassTooSmall`] naming a class with no more than `count` rows; [`DataError::GroupsSplit`] where the data
/// have groups, which so many rows would split.
pub fn per_class(data: &Dataset, count: usize, seed: u64) -> Result<Split, DataError> {
    if data.groups().is_some() {
        return Err(DataError::GroupsSplit);
    }
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (class, rows) in shuffled_classes(data, seed).into_iter().enumerate() {
        if rows.len() <= count {
            let class = data.class_names()[class].clone();
            return Err(DataError::ClassTooSmall { class, rows: rows.len(), needed: count + 1 });
        }
        train.extend_from_slice(&rows[..count]);
        test.extend_from_slice(&rows[count..]);
    }
    Ok(Split::sorted(train, test))
}

/// Holds out the given fraction of every class, rounded, but never a whole class.
///
/// Where the data have groups, whole groups are held out, the classes as near to the fraction as those allow. If none can
/// be held out (see [`Dataset::require_groups`]), rows are.
#[must_use]
pub fn stratified(data: &Dataset, test_fraction: f64, seed: u64) -> Split {
    groups::stratified(data, test_fraction, seed).unwrap_or_else(|| sample(data, test_fraction, seed))
}

/// A fraction of every class as the test part, rounded, whatever the groups: a smaller data set, not a hold-out.
pub(crate) fn sample(data: &Dataset, test_fraction: f64, seed: u64) -> Split {
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for rows in shuffled_classes(data, seed) {
        let held = ((rows.len() as f64 * test_fraction).round() as usize).min(rows.len().saturating_sub(1));
        test.extend_from_slice(&rows[..held]);
        train.extend_from_slice(&rows[held..]);
    }
    Split::sorted(train, test)
}

/// A fraction of every class as a smaller data set, at least two rows of classes that have them; where the data have
/// groups, within each class also of every group, so that a class of several groups stays one.
pub(crate) fn thinned(data: &Dataset, fraction: f64, seed: u64) -> Vec<usize> {
    let Some(groups) = data.groups() else { return sample(data, fraction, seed).test };
    let mut rank: Vec<usize> = (0..data.group_names().len()).collect();
    Rng::new(seed).shuffle(&mut rank);
    let mut kept = Vec::new();
    for mut rows in shuffled_classes(data, seed) {
        let count = ((rows.len() as f64 * fraction).round() as usize).max(2).min(rows.len());
        // Group by group and evenly: every group has its share, the first and the last at least one row.
        rows.sort_by_key(|&row| rank[groups[row]]);
        let place = |i: usize| i * (rows.len() - 1) / (count - 1).max(1);
        kept.extend((0..count).map(|i| rows[place(i)]));
    }
    kept.sort_unstable();
    kept
}

/// `k` splits whose test parts cover every row once, with each class spread evenly over them.
///
/// Where the data have groups, none is split; if they are fewer than `k`, there are as many folds as groups.
///
/// # Errors
/// [`DataError::ClassTooSmall`] when a class has a single row: it would vanish from a training part.
/// [`DataError::ClassInFewGroups`] when it would vanish with a group.
pub fn folds(data: &Dataset, k: usize, seed: u64) -> Result<Vec<Split>, DataError> {
    let k = k.max(2);
    if let Some(folds) = groups::folds(data, k, seed) {
        return folds;
    }
    let mut parts = vec![Vec::new(); k];
    // Dealing goes on where the last class ended, so that folds differ by at most one row in size.
    let mut next = 0;
    for (class, rows) in shuffled_classes(data, seed).into_iter().enumerate() {
        if rows.len() == 1 {
            return Err(DataError::ClassTooSmall { class: data.class_names()[class].clone(), rows: 1, needed: 2 });
        }
        for row in rows {
            parts[next % k].push(row);
            next += 1;
        }
    }
    Ok((0..k)
        .map(|fold| {
            let others = (0..k).filter(|&other| other != fold);
            Split::sorted(others.flat_map(|other| parts[other].iter().copied()).collect(), parts[fold].clone())
        })
        .collect())
}

/// Row numbers of each class in a random order.
pub(crate) fn shuffled_classes(data: &Dataset, seed: u64) -> Vec<Vec<usize>> {
    let mut rng = Rng::new(seed);
    let mut classes = data.class_rows();
    for rows in &mut classes {
        rng.shuffle(rows);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;

    fn data() -> Result<Dataset, DataError> {
        let labels: Vec<usize> = (0..30).map(|i| i % 3).collect();
        Dataset::from_ids(Mat::from_fn(30, 1, |i, _| i as f64), &labels)
    }

    #[test]
    fn per_class_takes_exactly_that_many() -> Result<(), DataError> {
        let data = data()?;
        let (train, test) = per_class(&data, 4, 7)?.apply(&data);
        assert_eq!(train.class_counts(), [4, 4, 4]);
        assert_eq!(test.class_counts(), [6, 6, 6]);
        assert_ne!(per_class(&data, 4, 7)?, per_class(&data, 4, 8)?);
        assert!(matches!(per_class(&data, 10, 0), Err(DataError::ClassTooSmall { .. })));
        Ok(())
    }

    #[test]
    fn folds_cover_every_row_once() -> Result<(), DataError> {
        let data = data()?;
        let folds = folds(&data, 4, 1)?;
        let mut all: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..30).collect::<Vec<_>>());
        assert!(folds.iter().all(|f| f.train.len() + f.test.len() == 30));
        Ok(())
    }

    #[test]
    fn stratified_keeps_the_proportions() -> Result<(), DataError> {
        let data = data()?;
        assert_eq!(stratified(&data, 0.2, 0).apply(&data).1.class_counts(), [2, 2, 2]);
        Ok(())
    }
}
