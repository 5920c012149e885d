//! Which kernel width an embedding is carried to new rows with, by a hold-out of training rows.
//!
//! The σ step minimizes the roughness of the interpolant on training rows, not its error on others. Where a class is spread
//! along a few strong directions (faces under extreme illumination), the smallest kernels are the smoothest to it, and
//! more rows make it worse. So the alternation's end has to stand beside wider kernels, on rows that were not embedded.

use super::super::holdout::{self, HoldOut, hold_outs};
use super::problem::Problem;
use super::{Params, Width};
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::kernel::{Kernel, cross};
use crate::model::Choice;
use crate::parallel;
use crate::run::Run;

/// Multiples of the mean distance beside the alternation's start and end.
const WIDER: [f64; 3] = [1.0, 2.0, 4.0];
/// Ridge of an interpolant that smooths: CMVDA's, with which the map at the mean distance decides as CMVDA does. It comes
/// first: on eight sets of nine it is as good as interpolation, on noisy ones (wine, letter) up to two points better.
const RIDGES: [f64; 2] = [0.01, super::INTERPOLATING];
/// Splits by widths that are decomposed at a time: each holds about five matrices of all pairs of kept rows.
const AT_ONCE: usize = 4;

/// What the hold-out chose.
pub(super) struct Chosen {
    pub(super) width: Width,
    pub(super) choices: Vec<Choice>,
    pub(super) note: String,
}

/// Compares the alternation's end with its start and with wider kernels; `(start, end, mean)` are widths.
pub(super) fn choose(
    params: &Params,
    data: &Dataset,
    (start, end, mean): (f64, f64, f64),
    run: &Run<'_>,
) -> Result<Chosen, FitError> {
    run.step("hold-out", 0, 1)?;
    let parts = hold_outs(data, params.seed);
    if parts.is_empty() {
        // With one row a class, the start is within 0.1 point of the end on faces, and never collapses.
        let width = Width { sigma: start, ridge: params.ridge.unwrap_or(RIDGES[0]) };
        let note = format!("no class has a row to hold out: kept the starting width {}", times(start, mean));
        return Ok(Chosen { width, choices: Vec::new(), note });
    }
    let mut sigmas = vec![end];
    for sigma in std::iter::once(start).chain(WIDER.map(|factor| factor * mean)) {
        if !sigmas.contains(&sigma) {
            sigmas.push(sigma);
        }
    }
    let ridges = params.ridge.map_or(RIDGES.to_vec(), |ridge| vec![ridge]);
    let mistakes = compare(params, &parts, &sigmas, &ridges, run)?;
    let widths: Vec<Width> =
        sigmas.iter().flat_map(|&sigma| ridges.iter().map(move |&ridge| Width { sigma, ridge })).collect();
    let name = |width: &Width| {
        let origin = if width.sigma == end { "end of the alternation, " } else { "" };
        format!("{origin}width {} ridge {:e}", times(width.sigma, mean), width.ridge)
    };
    let names: Vec<String> = widths.iter().map(name).collect();
    let best = holdout::best(&mistakes);
    let choices = holdout::choices(&names, &mistakes, best);
    Ok(Chosen { width: widths[best], note: holdout::note(&choices), choices })
}

/// A width as a multiple of the mean distance.
fn times(sigma: f64, mean: f64) -> String {
    format!("{:.2}x", sigma / mean)
}

/// Every candidate's mistakes on all held-out rows, ridge by ridge within width by width.
fn compare(
    params: &Params,
    parts: &[HoldOut],
    sigmas: &[f64],
    ridges: &[f64],
    run: &Run<'_>,
) -> Result<Vec<Option<Vec<u8>>>, FitError> {
    // Decompositions run on one thread each, side by side.
    let alone = run.quiet().threads(1);
    let threads = run.thread_count().min(AT_ONCE);
    let problem = |i: usize| Problem::new(params, &parts[i].kept, &alone);
    let problems = parallel::map(threads, parts.len(), problem).into_iter().collect::<Result<Vec<_>, _>>()?;
    let tasks = parts.len() * sigmas.len();
    let found = parallel::map(threads, tasks, |task| -> Result<_, FitError> {
        let (part, sigma) = (task % parts.len(), sigmas[task / parts.len()]);
        alone.step("hold-out", task, tasks)?;
        Ok(at_width(&problems[part], &parts[part], sigma, ridges))
    });
    let mut mistakes = vec![Some(Vec::new()); sigmas.len() * ridges.len()];
    for (task, result) in found.into_iter().enumerate() {
        let first = task / parts.len() * ridges.len();
        match result? {
            Ok(of_ridges) => {
                for (all, own) in mistakes[first..].iter_mut().zip(of_ridges) {
                    if let Some(all) = all {
                        all.extend(own);
                    }
                }
            }
            // A width that cannot be fitted to these rows is no candidate.
            Err(_) => mistakes[first..first + ridges.len()].fill(None),
        }
    }
    Ok(mistakes)
}

/// The mistakes on one hold-out with every ridge: distances and spectrum are computed once.
fn at_width(problem: &Problem<'_>, part: &HoldOut, sigma: f64, ridges: &[f64]) -> Result<Vec<Vec<u8>>, FitError> {
    let coordinates = problem.coordinates(sigma)?;
    let kernel = Kernel::Gaussian { gamma: 1.0 / (sigma * sigma) };
    let kernel = cross(kernel, part.held.rows(), part.kept.rows(), 1);
    let with = |ridge: &f64| {
        let (kept, held) = problem.extend(&coordinates, &kernel, *ridge)?;
        part.mistakes(&kept, &held)
    };
    ridges.iter().map(with).collect()
}
