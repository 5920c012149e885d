//! Where kernel centers are placed.

use super::{Allot, Origin, Params};
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::kernel::Kernel;
use crate::kmeans::kmeans;
use crate::linalg::Mat;
use crate::methods::ebek;
use crate::parallel;
use crate::rng::Rng;
use crate::run::Run;

/// Rows of a class that k-means looks at; more move no center by much.
const ROWS: usize = 4000;

/// K-means within every class, each with a stream of its own.
pub(in crate::search) fn centers(data: &Dataset, rows: &Mat, params: &Params, run: &Run<'_>) -> Mat {
    let classes = data.class_rows();
    let shares = shares(&data.class_counts(), params);
    let parts = parallel::map(run.thread_count(), classes.len(), |class| {
        let own = &classes[class];
        let count = own.len().min(ROWS);
        let evenly: Vec<usize> = (0..count).map(|i| own[i * own.len() / count]).collect();
        let mut rng = Rng::new(params.seed.wrapping_mul(0x9e37_79b9).wrapping_add(class as u64));
        if evenly.is_empty() || shares[class] == 0 {
            return Mat::zeros(0, rows.ncols());
        }
        if params.origin == Origin::Landmarks {
            let mut drawn = own.clone();
            rng.shuffle(&mut drawn);
            return rows.select_rows(&drawn[..shares[class].min(own.len())]);
        }
        kmeans(&rows.select_rows(&evenly), shares[class], &mut rng)
    });
    let mut all = Mat::zeros(parts.iter().map(Mat::nrows).sum(), rows.ncols());
    let mut at = 0;
    for part in parts {
        all.rows_mut(at, part.nrows()).copy_from(&part);
        at += part.nrows();
    }
    all
}

/// The rows that a kernel matrix is best told by, of at most [`ROWS`].
pub(in crate::search) fn exemplars(rows: &Mat, gamma: f64, params: &Params) -> Result<Mat, FitError> {
    let count = rows.nrows().min(ROWS);
    let evenly: Vec<usize> = (0..count).map(|i| i * rows.nrows() / count).collect();
    let looked = rows.select_rows(&evenly);
    let kernel = Kernel::Gaussian { gamma };
    let choose = |exemplars: usize| {
        let params = ebek::Params { exemplars, ..ebek::Params::default() };
        ebek::choose_exemplars(kernel, &looked, &params, &mut Vec::new())
    };
    let chosen = match choose(params.centers.min(count)) {
        // The others say nothing new.
        Err(FitError::DimTooLarge { max, .. }) => choose(max)?,
        found => found?,
    };
    Ok(looked.select_rows(&chosen))
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
