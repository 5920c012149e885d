//! What the format leaves open, chosen by what it does to the embedding of calibration rows.

use super::build::{Calibration, Source};
use super::readout::Refit::{self, Near, No, Small};
use super::{Options, QuantizeError, ReadoutWidth, Rounding};
use nearmark_format::Num;

/// Shares of values to cut at either end.
const TAILS: [f64; 4] = [1e-3, 3e-3, 1e-2, 3e-2];
/// Ridges to try from the middle on: first down to where the rounding of kernel values sets in, else up.
const DOWN: [Refit; 4] = [Small(1e-7), Small(1e-8), Small(1e-9), Small(1e-10)];
const UP: [Refit; 3] = [Small(1e-5), Small(1e-4), Small(1e-2)];
/// What is better with few rows for many centers.
const STAY: [Refit; 3] = [Near(1e-5), Near(1e-3), No];
/// Beyond this many mapped values a fit takes longer than it is worth.
const LARGEST: usize = 1500;
/// Four bytes per feature have to make the error this much smaller.
const WORTH: f64 = 0.8;
/// How much larger the error of 8-bit weights may be, if all labels stay.
const NOTHING: f64 = 1.25;

/// What is chosen by measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    /// A zero and a multiplier for every feature of the input, at four bytes each.
    pub(super) per_feature: bool,
    /// Share of the features cut at either end of their range in the input.
    pub(super) input: f64,
    /// Share of the projected features cut at either end of theirs.
    pub(super) projected: f64,
    /// The type of the readout's weights: [`Num::I16`] or [`Num::I8`].
    pub(super) num: Num,
    pub(super) refit: Refit,
    pub(super) rounding: Rounding,
}

impl Plan {
    /// For a model that was trained with fake quantization: as training rounded it.
    pub(super) fn as_trained(options: Options) -> Self {
        let rounding = Rounding::AsTrained;
        Self { per_feature: !options.one_range, input: 0.0, projected: 0.0, num: Num::I8, refit: No, rounding }
    }

    /// The best plan found: one choice after the other, each by the rows that the model was not built with.
    pub(super) fn best(source: &Source, rows: &Calibration, options: Options) -> Result<Self, QuantizeError> {
        let count = rows.real.labels.len();
        let (even, odd): (Vec<usize>, Vec<usize>) = (0..count).partition(|i| i % 2 == 0);
        // Too few rows to hold any back: then they judge themselves.
        let (build, judge) =
            if count < 32 { (rows.clone(), rows.clone()) } else { (rows.select(&even), rows.select(&odd)) };
        // The mean distance between embeddings, in which rows far out, which only a cut moves, count no more than
        // others; and the rows that change their class.
        let measure = |plan: Self| -> Result<(f64, usize), QuantizeError> {
            let (z, labels) = source.build(&build, plan)?.embed(&judge)?;
            let gaps = z.row_iter().zip(judge.real.z.row_iter()).map(|(a, b)| (a - b).norm());
            let moved = labels.iter().zip(&judge.real.labels).filter(|(a, b)| a != b).count();
            Ok((gaps.sum::<f64>() / z.nrows() as f64, moved))
        };
        let num = if options.readout == ReadoutWidth::I8 { Num::I8 } else { Num::I16 };
        let model = &source.model;
        let large = model.readout.as_ref().is_some_and(|readout| readout.weights.len() / model.dim.max(1) > LARGEST);
        let refit = if large { No } else { Small(1e-6) };
        let mut best = Self { per_feature: false, num, refit, rounding: options.rounding, ..Self::as_trained(options) };
        let mut loss = measure(best)?.0;
        // Along a list the error falls, then rises.
        let mut advance = |best: &mut Self, plans: Vec<Self>, worth: f64| -> Result<bool, QuantizeError> {
            let mut better = false;
            for plan in plans {
                let found = measure(plan)?.0;
                if found >= loss * worth {
                    break;
                }
                (*best, loss, better) = (plan, found, true);
            }
            Ok(better)
        };
        let refits = |plan: Self, list: &[Refit]| list.iter().map(|&refit| Self { refit, ..plan }).collect::<Vec<_>>();
        let plan = best;
        if !large {
            if !advance(&mut best, refits(plan, &DOWN), 1.0)? {
                advance(&mut best, refits(plan, &UP), 1.0)?;
            }
            for stay in refits(best, &STAY) {
                advance(&mut best, vec![stay], 1.0)?;
            }
        }
        let plan = best;
        if source.model.project.is_some() {
            advance(&mut best, TAILS.map(|projected| Self { projected, ..plan }).into(), 1.0)?;
        }
        let plan = best;
        advance(&mut best, TAILS.map(|input| Self { input, ..plan }).into(), 1.0)?;
        if !options.one_range {
            let plan = Self { per_feature: true, ..best };
            advance(&mut best, vec![plan], WORTH)?;
        }
        if options.readout == ReadoutWidth::Auto {
            let narrow = Self { num: Num::I8, ..best };
            let ((gap, moved), (wide_gap, wide_moved)) = (measure(narrow)?, measure(best)?);
            if moved <= wide_moved && gap <= NOTHING * wide_gap {
                best = narrow;
            }
        }
        Ok(best)
    }
}
