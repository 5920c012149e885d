//! Splits that never divide a group between training and test rows.
//!
//! Which groups to hold out so that every class has its share is a subset-sum problem. Greedy solutions
//! for a few shuffles, the best of them taken, are within a row or two of the optimum where groups are many, and cost
//! time linear in the rows even where every row is a group of its own.

use super::Dataset;
use super::split::Split;
use crate::error::DataError;
use crate::rng::Rng;

/// Shuffles that are tried.
const TRIES: usize = 16;
/// What a fold costs that holds all rows of a class: more than any sum of squared shares, so that it is the last resort.
const WHOLE_CLASS: f64 = 1e6;

/// The groups of a data set, and how many rows of each class they hold.
struct Groups<'a> {
    data: &'a Dataset,
    /// Row numbers of each group.
    rows: Vec<Vec<usize>>,
    /// Classes and their rows in each group.
    classes: Vec<Vec<(usize, usize)>>,
    /// Rows per class in all.
    totals: Vec<usize>,
}

impl<'a> Groups<'a> {
    fn of(data: &'a Dataset) -> Option<Self> {
        let mut rows = vec![Vec::new(); data.group_names().len()];
        for (row, &group) in data.groups()?.iter().enumerate() {
            rows[group].push(row);
        }
        // Groups in the order of their first rows; a selection may have left some without rows.
        rows.retain(|rows| !rows.is_empty());
        rows.sort_by_key(|rows| rows[0]);
        let classes = rows.iter().map(|rows| {
            let mut labels: Vec<usize> = rows.iter().map(|&row| data.labels()[row]).collect();
            labels.sort_unstable();
            labels.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len())).collect()
        });
        Some(Self { data, classes: classes.collect(), rows, totals: data.class_counts() })
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    /// Tests on the groups that are held out and trains on the others.
    fn split(&self, held: impl Fn(usize) -> bool) -> Split {
        let of = |test: bool| {
            let groups = (0..self.len()).filter(|&group| held(group) == test);
            groups.flat_map(|group| self.rows[group].iter().copied()).collect()
        };
        Split::sorted(of(false), of(true))
    }

    fn shuffled(&self, rng: &mut Rng) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        rng.shuffle(&mut order);
        order
    }

    /// Goes through the groups in this order and takes each that brings the share of the classes nearer to `fraction`
    /// and leaves something of every class; with it, how far off the shares end.
    fn take(&self, order: &[usize], fraction: f64) -> (Vec<bool>, f64) {
        let mut taken = vec![false; self.len()];
        let mut held = vec![0_usize; self.totals.len()];
        let off = |class: usize, held: usize| (held as f64 / self.totals[class] as f64 - fraction).powi(2);
        for &group in order {
            let leaves_some = |(class, count): &(usize, usize)| held[*class] + count < self.totals[*class];
            let change =
                |(class, count): &(usize, usize)| off(*class, held[*class] + count) - off(*class, held[*class]);
            let counts = &self.classes[group];
            if counts.iter().all(leaves_some) && counts.iter().map(change).sum::<f64>() < 0.0 {
                taken[group] = true;
                for (class, count) in counts {
                    held[*class] += count;
                }
            }
        }
        let classes = held.iter().enumerate().filter(|(class, _)| self.totals[*class] > 0);
        let cost = classes.map(|(class, held)| off(class, *held)).sum();
        (taken, cost)
    }

    /// Deals the groups, the largest first, each to the fold that has least of its classes: the fold of each group, and
    /// how unevenly the classes ended.
    fn deal(&self, mut order: Vec<usize>, k: usize) -> (Vec<usize>, f64) {
        order.sort_by_key(|&group| std::cmp::Reverse(self.rows[group].len()));
        let mut fold_of = vec![0; self.len()];
        let mut folds = vec![vec![0_usize; self.totals.len()]; k];
        let mut sizes = vec![0_usize; k];
        let (total, share) =
            (self.data.len() as f64, |count: usize, class: usize| count as f64 / self.totals[class] as f64);
        for group in order {
            let size = self.rows[group].len();
            // What the sum of squared shares grows by. An empty fold costs nothing, so none stays empty.
            let cost = |fold: usize| {
                let classes = self.classes[group]
                    .iter()
                    .map(|&(class, count)| share(folds[fold][class], class) * share(count, class));
                classes.sum::<f64>() + (sizes[fold] as f64 / total) * (size as f64 / total)
            };
            let best = (0..k).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or_default();
            fold_of[group] = best;
            sizes[best] += size;
            for &(class, count) in &self.classes[group] {
                folds[best][class] += count;
            }
        }
        // A class that lies in one fold alone is missing from that fold's training rows.
        let cost = |(class, &count): (usize, &usize)| {
            if count == self.totals[class] { WHOLE_CLASS } else { share(count, class).powi(2) }
        };
        let present = |(class, _): &(usize, &usize)| self.totals[*class] > 0;
        let uneven = |counts: &Vec<usize>| counts.iter().enumerate().filter(present).map(cost).sum::<f64>();
        (fold_of, folds.iter().map(uneven).sum())
    }
}

/// Holds out whole groups, the classes as near to `fraction` as they allow, never a whole class. Nothing where the data
/// have no groups, or none that can be held out.
pub(super) fn stratified(data: &Dataset, fraction: f64, seed: u64) -> Option<Split> {
    let groups = Groups::of(data)?;
    let mut rng = Rng::new(seed);
    let tries = (0..TRIES).map(|_| groups.take(&groups.shuffled(&mut rng), fraction));
    let (taken, _) = tries.filter(|(taken, _)| taken.contains(&true)).min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(groups.split(|group| taken[group]))
}

/// Folds of whole groups, as many as there are groups if those are fewer than `k`. Nothing where the data have less
/// than two groups.
pub(super) fn folds(data: &Dataset, k: usize, seed: u64) -> Option<Result<Vec<Split>, DataError>> {
    let groups = Groups::of(data).filter(|groups| groups.len() > 1)?;
    let k = k.min(groups.len());
    let mut rng = Rng::new(seed);
    let tries = (0..TRIES).map(|_| groups.deal(groups.shuffled(&mut rng), k));
    let (fold_of, _) = tries.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let splits: Vec<Split> = (0..k).map(|fold| groups.split(|group| fold_of[group] == fold)).collect();
    for split in &splits {
        let mut left = vec![0_usize; groups.totals.len()];
        split.train.iter().for_each(|&row| left[data.labels()[row]] += 1);
        if let Some(class) = (0..left.len()).find(|&class| left[class] == 0 && groups.totals[class] > 0) {
            return Some(Err(DataError::ClassInFewGroups { class: data.class_names()[class].clone() }));
        }
    }
    Some(Ok(splits))
}

impl Dataset {
    /// Number of groups, if groups are known.
    #[must_use]
    pub fn group_count(&self) -> Option<usize> {
        Groups::of(self).map(|groups| groups.len())
    }

    /// Refuses groups of which none can be held out: a single one, or each the only one of some class.
    ///
    /// # Errors
    /// [`DataError::TooFewGroups`] or [`DataError::ClassInFewGroups`].
    pub fn require_groups(&self) -> Result<(), DataError> {
        let Some(groups) = Groups::of(self) else { return Ok(()) };
        if groups.len() < 2 {
            return Err(DataError::TooFewGroups { groups: groups.len(), needed: 2 });
        }
        let whole = |counts: &Vec<(usize, usize)>| {
            counts.iter().find(|(class, count)| *count == groups.totals[*class]).map(|(class, _)| *class)
        };
        match groups.classes.iter().map(whole).collect::<Option<Vec<usize>>>().as_deref() {
            Some([class, ..]) => Err(DataError::ClassInFewGroups { class: self.class_names()[*class].clone() }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
