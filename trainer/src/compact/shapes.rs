//! Shapes that fill a budget.

use super::fit::Options;
use super::size::Shape;
use crate::data::Dataset;
use crate::error::{FitError, ParamError};

/// Projected values to try: integers lie in groups of four.
const PROJECTED: [usize; 8] = [4, 8, 12, 16, 20, 24, 32, 48];
/// Shares of the budget that a projection may take.
const SHARE: (f64, f64) = (0.08, 0.62);
/// Shapes at most.
const MOST: usize = 8;

/// Shapes from few projected values to many, each with as many centers as fit.
pub(super) fn candidates(data: &Dataset, options: &Options) -> Result<Vec<Shape>, FitError> {
    let (features, classes) = (data.width(), data.classes());
    let mut all = Vec::new();
    // With many classes, fewer coordinates leave room for more centers.
    let dims: Vec<usize> = if classes > 12 { vec![classes, classes / 2, classes / 3] } else { vec![classes] };
    for dim in dims {
        for projected in PROJECTED.into_iter().filter(|&p| p < features + 4) {
            let projected = projected.min(features);
            for part in [1, 2, 4, 8] {
                let kept = (features / part).next_multiple_of(4).min(features);
                let bare = Shape { features, kept, projected, centers: 0, dim, classes, unit: dim == classes };
                let share = (projected * kept) as f64 * bytes_each(options) / options.bytes as f64;
                let enough = kept >= 2 * projected || kept == features;
                let Some(shape) = bare.fill(options.bytes, options.numeric) else { continue };
                // A center is worth its bytes up to one for every four rows, and a class needs one.
                let centers = shape.centers.min(data.len() / 4);
                if enough && centers >= classes && share <= SHARE.1 && (share >= SHARE.0 || kept == features) {
                    all.push(Shape { centers, ..shape });
                }
            }
        }
    }
    if all.is_empty() {
        let got = options.bytes as f64;
        return Err(ParamError { name: "bytes", rule: "enough for a center per class", got }.into());
    }
    // Evenly over the list, so that a long one does not take forever.
    let count = all.len().min(MOST);
    Ok((0..count).map(|i| all[i * all.len() / count]).collect())
}

fn bytes_each(options: &Options) -> f64 {
    if options.numeric == super::size::Numeric::F32 { 4.0 } else { 1.0 }
}
