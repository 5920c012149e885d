//! Heads: what names the class of an embedded row.

use crate::dataset::class_means;
use crate::error::FitError;
use crate::kmeans::kmeans;
use crate::linalg::Mat;
use crate::neighbors::{Neighbor, nearest};
use crate::rng::Rng;
use crate::run::Run;

/// Which head to learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeadChoice {
    /// The nearest class mean.
    #[default]
    Means,
    /// The vote of this many nearest training rows; all of them are kept.
    Neighbors(usize),
    /// The nearest of this many k-means prototypes per class.
    Prototypes(usize),
    /// The nearest training row; all of them are kept, with their ids.
    Items,
}

/// A fitted head.
#[derive(Debug, Clone, PartialEq)]
pub enum Head {
    /// One row per class.
    Means(Mat),
    /// Labelled points, sorted by class.
    Prototypes {
        /// One row per prototype.
        values: Mat,
        /// Prototypes per class.
        counts: Vec<usize>,
        /// How many of them vote.
        k: usize,
        /// The id of each, where they are items; else empty.
        ids: Vec<u32>,
    },
}

impl Head {
    /// Learns a head from embedded rows. Ids of items are the rows' numbers.
    ///
    /// # Errors
    /// [`FitError::TooFewRows`] when there are fewer rows than neighbors; [`FitError::Param`] for a zero.
    pub fn fit(choice: HeadChoice, z: &Mat, labels: &[usize], classes: usize) -> Result<Self, FitError> {
        let mut by_class = vec![Vec::new(); classes];
        labels.iter().enumerate().for_each(|(i, &label)| by_class[label].push(i));
        match choice {
            HeadChoice::Means => Ok(Self::Means(class_means(z, labels, classes))),
            HeadChoice::Neighbors(k) => {
                crate::ParamError::at_least_one("knn", k)?;
                if k > z.nrows() {
                    return Err(FitError::TooFewRows { name: "knn", needed: k, rows: z.nrows() });
                }
                let counts = by_class.iter().map(Vec::len).collect();
                Ok(Self::Prototypes { values: z.select_rows(&by_class.concat()), counts, k, ids: Vec::new() })
            }
            HeadChoice::Items => {
                let counts = by_class.iter().map(Vec::len).collect();
                let order = by_class.concat();
                let ids = order.iter().map(|&row| row as u32).collect();
                Ok(Self::Prototypes { values: z.select_rows(&order), counts, k: 1, ids })
            }
            HeadChoice::Prototypes(per_class) => {
                crate::ParamError::at_least_one("prototypes", per_class)?;
                let mut rng = Rng::new(0);
                let mut prototypes = |rows: &Vec<usize>| {
                    let own = z.select_rows(rows);
                    if rows.is_empty() { own } else { kmeans(&own, per_class, &mut rng) }
                };
                let parts: Vec<Mat> = by_class.iter().map(&mut prototypes).collect();
                let counts = parts.iter().map(Mat::nrows).collect();
                let rows: Vec<_> = parts.iter().flat_map(|part| part.row_iter()).collect();
                Ok(Self::Prototypes { values: Mat::from_rows(&rows), counts, k: 1, ids: Vec::new() })
            }
        }
    }

    /// The class of every embedded row.
    #[must_use]
    pub fn classify(&self, z: &Mat) -> Vec<usize> {
        let threads = Run::default().thread_count();
        match self {
            Self::Means(means) => nearest(z, means, 1, threads).iter().map(|found| found[0].row).collect(),
            Self::Prototypes { values, counts, k, .. } => {
                let classes: Vec<usize> =
                    counts.iter().enumerate().flat_map(|(class, &n)| std::iter::repeat_n(class, n)).collect();
                nearest(z, values, *k, threads).iter().map(|found| vote(found, &classes, counts.len())).collect()
            }
        }
    }
}

/// The class with most of the neighbors, which come nearest first; of equals the one seen first, the nearer.
fn vote(found: &[Neighbor], classes: &[usize], count: usize) -> usize {
    let mut votes = vec![0_usize; count];
    for n in found {
        votes[classes[n.row]] += 1;
    }
    let most = votes.iter().copied().max().unwrap_or(0);
    found.iter().map(|n| classes[n.row]).find(|&class| votes[class] == most).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> (Mat, Vec<usize>) {
        (Mat::from_row_slice(6, 1, &[0.0, 5.0, 1.0, 6.0, 2.0, 9.0]), vec![0, 1, 0, 1, 0, 1])
    }

    #[test]
    fn every_head_names_the_obvious_class() -> Result<(), FitError> {
        let (z, labels) = line();
        let queries = Mat::from_row_slice(2, 1, &[0.5, 7.0]);
        for choice in [HeadChoice::Means, HeadChoice::Neighbors(3), HeadChoice::Prototypes(2), HeadChoice::Items] {
            assert_eq!(Head::fit(choice, &z, &labels, 2)?.classify(&queries), [0, 1], "{choice:?}");
        }
        Ok(())
    }

    #[test]
    fn a_tied_vote_goes_to_the_nearer_class() -> Result<(), FitError> {
        let (z, labels) = line();
        let head = Head::fit(HeadChoice::Neighbors(2), &z, &labels, 2)?;
        assert_eq!(head.classify(&Mat::from_row_slice(2, 1, &[3.4, 3.6])), [0, 1]);
        Ok(())
    }

    #[test]
    fn items_are_every_row_by_its_number_sorted_by_class() -> Result<(), FitError> {
        let (z, labels) = line();
        let Head::Prototypes { values, counts, k, ids } = Head::fit(HeadChoice::Items, &z, &labels, 2)? else {
            return Err(FitError::Cancelled);
        };
        assert_eq!((counts, k, ids), (vec![3, 3], 1, vec![0, 2, 4, 1, 3, 5]));
        assert_eq!(values.as_slice(), [0.0, 1.0, 2.0, 5.0, 6.0, 9.0]);
        Ok(())
    }

    #[test]
    fn more_neighbors_than_rows_are_refused() {
        let (z, labels) = line();
        let error = Head::fit(HeadChoice::Neighbors(7), &z, &labels, 2);
        assert_eq!(error, Err(FitError::TooFewRows { name: "knn", needed: 7, rows: 6 }));
    }
}
