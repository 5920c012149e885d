//! What a search will compare, and about how much work that is: to be stated before it begins, and for the time left.

use super::preprocessing::ROWS;
use super::schedule::Schedule;
use super::space::{self, Space};
use super::splits::{fold_counts, rounds_of_finals};
use super::{Candidate, Dimensions, Inputs, Kinds, Numeric, Options, Task};
use crate::error::FitError;
use crate::run::SearchPlan;

/// Short trainings of one search, about: widths, dimensions and their neighbors, parameters of training, linear models. The
/// search of digits evaluates 45 to 50 candidates.
const SHORT: f64 = 45.0;
/// Finalists of one search, about.
const FINALISTS: f64 = 7.0;
/// The work of smaller budgets relative to that within the limits, about: 0.1 where accuracy rises with size, 1 where it
/// does not.
const SMALLER: f64 = 0.4;

/// The work of a search, in multiplications.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Outlook {
    /// Comparing preprocessings.
    pub(super) survey: f64,
    /// The search within the limits.
    pub(super) own: f64,
    /// Those within smaller budgets.
    pub(super) smaller: f64,
    /// Fitting the winner to all rows.
    pub(super) last: f64,
}

impl Outlook {
    /// An estimate from the dimensions that stand for all.
    pub(super) fn of(task: &Task<'_>, options: &Options) -> Result<Self, FitError> {
        let rows = task.data.len();
        let compared = task.preprocessing.len() > 1;
        let mut outlook = Self::default();
        for preprocessing in 0..task.preprocessing.len() {
            let typical = typical(task, preprocessing, options)?;
            let count = typical.len().max(1) as f64;
            if compared {
                let rows = rows.min(ROWS[0]);
                let schedule = schedule(task, options, rows);
                outlook.survey += schedule.folds as f64 * short(&schedule, &typical);
            }
            let schedule = schedule(task, options, rows);
            let folds = schedule.folds as f64;
            let full = full(&schedule, &typical) / count;
            let finals = folds * rounds_of_finals(rows, options.quick) as f64 * FINALISTS * full;
            // The winner decides how long the search takes; the mean of all stands for it.
            let share = 1.0 / task.preprocessing.len() as f64;
            outlook.own += share * (folds * SHORT * short(&schedule, &typical) / count + finals);
            outlook.last += share * full;
        }
        if options.ladder {
            outlook.smaller = SMALLER * (outlook.survey + outlook.own);
        }
        Ok(outlook)
    }

    /// All of it.
    pub(super) fn total(&self) -> f64 {
        self.survey + self.own + self.smaller + self.last
    }

    /// What to state before the search begins.
    pub(super) fn plan(&self, task: &Task<'_>, options: &Options) -> SearchPlan {
        let preprocessings = task.preprocessing.len();
        let surveyed = if preprocessings > 1 { preprocessings * (space::SPREAD + 1) } else { 0 };
        SearchPlan {
            candidates: surveyed + SHORT as usize + FINALISTS as usize,
            preprocessings,
            rows: task.data.len(),
            folds: fold_counts(task.data),
            smaller_budgets: options.ladder,
            work: self.total(),
        }
    }
}

fn schedule(task: &Task<'_>, options: &Options, rows: usize) -> Schedule {
    let Options { passes: epochs, seed, quick, .. } = *options;
    Schedule { rows, folds: fold_counts(task.data), epochs, seed, quick }
}

/// The dimensions that stand for all, behind one preprocessing.
fn typical(task: &Task<'_>, preprocessing: usize, options: &Options) -> Result<Vec<Dimensions>, FitError> {
    let stages = &task.preprocessing[preprocessing];
    let mut row = task.data.rows().rows(0, 1).into_owned();
    for stage in stages {
        row = stage.apply(&row, 1)?;
    }
    let inputs = Inputs::new(task.data, stages, row.ncols(), task.export.names);
    let (rows, classes, limits) = (task.data.len(), task.data.classes(), options.limits);
    let kinds = if task.method.is_some() { Kinds::All } else { options.kinds };
    let space = Space { rows, classes, dim: classes, unit: true, own_ranges: false, inputs, limits, kinds };
    let numeric = options.numeric.unwrap_or_default();
    Ok(space::spread(&space.kernels(numeric)).into_iter().chain(space.linears(numeric).first().copied()).collect())
}

fn short(schedule: &Schedule, typical: &[Dimensions]) -> f64 {
    let closed = |d: &Dimensions| Candidate::closed_form(*d, Numeric::I8, 0);
    typical.iter().map(|d| schedule.short(closed(d)).work(schedule.rows)).sum()
}

fn full(schedule: &Schedule, typical: &[Dimensions]) -> f64 {
    let closed = |d: &Dimensions| Candidate::closed_form(*d, Numeric::I8, 0);
    typical.iter().map(|d| schedule.full(schedule.short(closed(d))).work(schedule.rows)).sum()
}
