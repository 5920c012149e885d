//! Where kernel centers are placed.

use super::{Allot, Origin, Params};
use crate::dataset::Dataset;
use crate::kernel::Kernel;
use crate::kmeans::kmeans;
use crate::linalg::{Mat, evenly, evenly_rows};
use crate::methods::ebek;
use crate::parallel;
use crate::rng::Rng;
use crate::run::Run;

/// Rows of a class that k-means sees, evenly spread, and that exemplars are chosen from: time grows with rows times
/// centers, and more rows move no center by much.
const ROWS: usize = 4000;

/// K-means within every class, or random rows of it, each with a random stream of its own.
pub(super) fn centers(data: &Dataset, rows: &Mat, params: &Params, run: &Run<'_>) -> Mat {
    let classes = data.class_rows();
    let shares = shares(&data.class_counts(), params);
    let parts = parallel::map(run.thread_count(), classes.len(), |class| {
        let own = &classes[class];
        let mut rng = Rng::new(params.seed.wrapping_mul(0x9e37_79b9).wrapping_add(class as u64));
        if own.is_empty() || shares[class] == 0 {
            return Mat::zeros(0, rows.ncols());
        }
        if params.origin == Origin::Landmarks {
            let mut drawn = own.clone();
            rng.shuffle(&mut drawn);
            return rows.select_rows(&drawn[..shares[class].min(own.len())]);
        }
        kmeans(&rows.select_rows(&evenly(own, ROWS)), shares[class], &mut rng)
    });
    let mut all = Mat::zeros(parts.iter().map(Mat::nrows).sum(), rows.ncols());
    let mut at = 0;
    for part in parts {
        all.rows_mut(at, part.nrows()).copy_from(&part);
        at += part.nrows();
    }
    all
}

/// EBEK's exemplars of at most [`ROWS`] rows: those that approximate the kernel matrix best.
pub(super) fn exemplars(rows: &Mat, gamma: f64, params: &Params) -> Mat {
    let looked = evenly_rows(rows, ROWS);
    // Fewer than asked for where more would be linearly dependent.
    let chosen = ebek::exemplars(Kernel::Gaussian { gamma }, &looked, params.centers.min(looked.nrows()));
    looked.select_rows(&chosen)
}

/// Centers per class, which add up to the number asked for: the largest remainders take what rounding leaves.
fn shares(counts: &[usize], params: &Params) -> Vec<usize> {
    let total: usize = counts.iter().sum();
    let exact = |n: usize| match params.allot {
        Allot::Equal => params.centers as f64 / counts.len() as f64,
        Allot::Proportional => params.centers as f64 * n as f64 / total as f64,
    };
    let mut shares: Vec<usize> = counts.iter().map(|&n| exact(n) as usize).collect();
    let left = params.centers - shares.iter().sum::<usize>();
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by(|&a, &b| exact(counts[b]).fract().total_cmp(&exact(counts[a]).fract()));
    order.into_iter().cycle().take(left).for_each(|class| shares[class] += 1);
    shares
}

#[cfg(test)]
mod tests {
    use super::super::{Directions, tests::PARAMS};
    use super::*;

    #[test]
    fn shares_add_up_and_follow_the_allotment() {
        let with = |centers, allot| shares(&[10, 30], &Params { centers, allot, ..PARAMS });
        assert_eq!(with(4, Allot::Equal), [2, 2]);
        assert_eq!(with(4, Allot::Proportional), [1, 3]);
        assert_eq!(with(5, Allot::Equal), [3, 2], "the first of equal remainders");
        assert_eq!(with(5, Allot::Proportional), [1, 4], "1.25 and 3.75");
    }

    /// Two pairs of points on a line: k-means puts a center into the middle of each.
    #[test]
    fn centers_are_the_means_of_clusters_within_classes() -> Result<(), crate::DataError> {
        let rows = Mat::from_column_slice(6, 1, &[0.0, 0.2, 10.0, 10.2, 5.0, 5.4]);
        let data = Dataset::from_ids(rows.clone(), &[0, 0, 0, 0, 1, 1])?;
        let params = Params { centers: 3, allot: Allot::Proportional, directions: Directions::Pca, ..PARAMS };
        let found = centers(&data, &rows, &params, &Run::default());
        let mut values: Vec<f64> = found.iter().copied().collect();
        values[..2].sort_by(f64::total_cmp);
        let expected = [0.1, 10.1, 5.2];
        assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{values:?}");
        Ok(())
    }
}
