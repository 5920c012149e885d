//! The paper's search for NSSE's three weights.
//!
//! One weight after the other, `μ₁` in 100..=1000, `μ₂` in 1e-4..=1e-3, `μ₃` in 1..=5: each is set to the value with
//! the least 1-NN error on held-out rows while the others stay (Örnek and Vural 2018). Rows to hold out come from the
//! training rows; test rows have no way in. With the default number of axes the weights hardly matter.

use super::{Nsse, Params};
use crate::dataset::{Dataset, split};
use crate::error::{DataError, FitError};
use crate::methods::Method;
use crate::model::head::HeadChoice;
use crate::run::Run;

const MU1: [f64; 4] = [100.0, 200.0, 500.0, 1000.0];
const MU2: [f64; 4] = [1e-4, 2e-4, 5e-4, 1e-3];
const MU3: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];
/// Share of every class that is held out.
const HELD_OUT: f64 = 0.3;

/// Where a weight stands in the parameters.
type Weight = fn(&mut Params) -> &mut f64;

/// What [`search`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The defaults with the best weights, to be fitted on all training rows.
    pub params: Params,
    /// Every candidate evaluated, in order, with the share of the held-out rows that 1-NN in the embedding gets wrong.
    pub evaluated: Vec<(Params, f64)>,
}

/// Searches the weights on training rows alone, of which `seed` chooses those to hold out.
///
/// Of candidates that do equally well the first wins, and the defaults come first.
///
/// # Errors
/// [`DataError::ClassTooSmall`] when no class has a row to spare; else as a fit.
pub fn search(train: &Dataset, seed: u64, run: &Run<'_>) -> Result<Found, FitError> {
    let split = split::stratified(train, HELD_OUT, seed);
    if split.test.is_empty() {
        let class = train.class_names()[0].clone();
        return Err(DataError::ClassTooSmall { class, rows: 1, needed: 2 }.into());
    }
    let (kept, held) = split.apply(train);
    let mut evaluated = Vec::new();
    let mut evaluate = |params: &Params| -> Result<f64, FitError> {
        run.step("weights", evaluated.len(), 1 + MU1.len() + MU2.len() + MU3.len() - 3)?;
        let fitted = Nsse::new(params.clone())?.fit_with(&kept, run)?.with_head(HeadChoice::Neighbors(1))?;
        let error = 1.0 - fitted.accuracy(&held)?;
        evaluated.push((params.clone(), error));
        Ok(error)
    };
    let mut best = Params::default();
    let mut least = evaluate(&best)?;
    let weights: [(Weight, &[f64]); 3] = [(|p| &mut p.mu1, &MU1), (|p| &mut p.mu2, &MU2), (|p| &mut p.mu3, &MU3)];
    for (weight, values) in weights {
        let start = best.clone();
        for &value in values {
            let mut params = start.clone();
            *weight(&mut params) = value;
            if params == start {
                continue;
            }
            let error = evaluate(&params)?;
            if error < least {
                (best, least) = (params, error);
            }
        }
    }
    Ok(Found { params: best, evaluated })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;

    #[test]
    fn the_answer_depends_on_the_rows_given_and_the_seed_alone() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(4, 24, 5, 3.0, 0);
        let split = split::stratified(&data, 0.5, 1);
        // The same training rows amid other test rows, on another number of threads: the same search.
        let mut rows = data.rows().clone();
        for &i in &split.test {
            rows.row_mut(i).fill(1e6);
        }
        let altered = data.with_rows(rows)?;
        let found = search(&split.apply(&data).0, 7, &Run::default().threads(1))?;
        assert_eq!(found, search(&split.apply(&altered).0, 7, &Run::default().threads(3))?);
        assert_ne!(found.evaluated, search(&split.apply(&data).0, 8, &Run::default())?.evaluated);
        Ok(())
    }

    #[test]
    fn the_best_candidate_is_chosen() -> Result<(), Box<dyn std::error::Error>> {
        let found = search(&blobs(4, 20, 5, 3.0, 2), 0, &Run::default())?;
        let chosen = found.evaluated.iter().find(|(params, _)| *params == found.params);
        let (_, least) = chosen.ok_or("never evaluated")?;
        assert!(found.evaluated.iter().all(|(_, error)| least <= error), "{:?}", found.evaluated);
        assert_eq!(found.evaluated.len(), 11);
        Ok(())
    }

    #[test]
    fn rows_too_few_to_hold_out_are_refused() {
        let error = search(&blobs(3, 1, 2, 1.0, 0), 0, &Run::default());
        assert!(matches!(error, Err(FitError::Data(DataError::ClassTooSmall { rows: 1, .. }))), "{error:?}");
    }
}
