//! What the format leaves open, chosen by what it does to the embedding of calibration rows.

use super::build::{Built, Calibration, Plan, Source};
use super::readout::Refit::{self, Near, No, Small};
use super::{Options, QuantizeError, ReadoutWidth, Rounding, readout};
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

/// How far a built model is from the original on rows that it was not built with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loss {
    /// Mean distance between embeddings: rows far out, which only a cut moves, count no more than others.
    pub(super) distance: f64,
    /// Rows that change their class.
    pub(super) moved: usize,
}

impl Loss {
    pub(super) fn of(built: &Built, rows: &Calibration) -> Result<Self, QuantizeError> {
        let (z, labels) = built.embed(rows)?;
        let gaps = z.row_iter().zip(rows.real.z.row_iter()).map(|(a, b)| (a - b).norm());
        let moved = labels.iter().zip(&rows.real.labels).filter(|(a, b)| a != b).count();
        Ok(Self { distance: gaps.sum::<f64>() / z.nrows() as f64, moved })
    }
}

/// The plan of a model that was trained with fake quantization: as training rounded it.
pub(super) fn as_trained(options: Options) -> Plan {
    let readout = readout::Plan { num: Num::I8, refit: No };
    Plan { per_feature: !options.one_range, input: 0.0, projected: 0.0, readout, rounding: Rounding::AsTrained }
}

/// The best plan found: one choice after the other, each by the rows that the model was not built with.
pub(super) fn plan(source: &Source, rows: &Calibration, options: Options) -> Result<Plan, QuantizeError> {
    let count = rows.real.labels.len();
    let (even, odd): (Vec<usize>, Vec<usize>) = (0..count).partition(|i| i % 2 == 0);
    // Too few rows to hold any back: then they judge themselves.
    let (build, judge) =
        if count < 32 { (rows.clone(), rows.clone()) } else { (rows.select(&even), rows.select(&odd)) };
    let measure = |plan: Plan| Loss::of(&source.build(&build, plan)?, &judge);

    let num = if options.readout == ReadoutWidth::I8 { Num::I8 } else { Num::I16 };
    let large = source.mapped() > LARGEST;
    let readout = readout::Plan { num, refit: if large { No } else { Small(1e-6) } };
    let mut best = Plan { per_feature: false, input: 0.0, projected: 0.0, readout, rounding: Rounding::PostTraining };
    let mut loss = measure(best)?;
    // Along a list the error falls, then rises.
    let mut descend = |best: &mut Plan, plans: Vec<Plan>, worth: f64| -> Result<bool, QuantizeError> {
        let mut better = false;
        for plan in plans {
            let found = measure(plan)?;
            if found.distance >= loss.distance * worth {
                break;
            }
            (*best, loss, better) = (plan, found, true);
        }
        Ok(better)
    };
    let refits = |plan: Plan, list: &[Refit]| -> Vec<Plan> {
        list.iter().map(|&refit| Plan { readout: readout::Plan { refit, ..plan.readout }, ..plan }).collect()
    };
    let plan = best;
    if !large && !descend(&mut best, refits(plan, &DOWN), 1.0)? {
        descend(&mut best, refits(plan, &UP), 1.0)?;
    }
    let plan = best;
    if !large {
        for stay in refits(plan, &STAY) {
            descend(&mut best, vec![stay], 1.0)?;
        }
    }
    let plan = best;
    if source.projects() {
        descend(&mut best, TAILS.iter().map(|&projected| Plan { projected, ..plan }).collect(), 1.0)?;
    }
    let plan = best;
    descend(&mut best, TAILS.iter().map(|&input| Plan { input, ..plan }).collect(), 1.0)?;
    let plan = best;
    if !options.one_range {
        descend(&mut best, vec![Plan { per_feature: true, ..plan }], WORTH)?;
    }

    if options.readout == ReadoutWidth::Auto {
        let narrow = Plan { readout: readout::Plan { num: Num::I8, ..best.readout }, ..best };
        let (narrow_loss, wide_loss) = (measure(narrow)?, measure(best)?);
        if narrow_loss.moved <= wide_loss.moved && narrow_loss.distance <= NOTHING * wide_loss.distance {
            best = narrow;
        }
    }
    Ok(best)
}
