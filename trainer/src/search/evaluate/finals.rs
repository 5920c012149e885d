//! The final evaluation: finalists are compared as encoded model files, run by the runtime, on splits that chose nothing
//! before.

use super::{Evaluator, evaluate, held_out};
use crate::search::cache::Evaluation;
use crate::search::candidate::standard_error;
use crate::search::splits::{VERY_FEW, rounds_of_finals};
use crate::search::{Candidate, Inputs, TrainError, Trial};

/// How a finalist did as a model file on held-out rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FinalEvaluation {
    /// The candidate and the accuracy of its files.
    pub trial: Trial,
    /// Accuracy of the same numbers in f64.
    pub accuracy_f64: f64,
    /// Held-out rows; a row counts as often as it was held out.
    pub rows: usize,
    /// Rows of the data.
    pub distinct: usize,
}

impl FinalEvaluation {
    /// Standard error of the accuracy.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        standard_error(self.accuracy_f64, self.rows.max(1) as f64)
    }

    /// Whether storing the numbers costs no more accuracy than a standard error.
    pub(in crate::search) fn is_lossless(&self) -> bool {
        self.accuracy_f64 - self.trial.accuracy <= self.standard_error()
    }

    /// This one, unless the other is better; a larger model has to be clearly better, on very few rows by a standard error
    /// of these.
    pub(in crate::search) fn or_better(self, other: Self) -> Self {
        let larger = other.bytes() > self.bytes();
        let (own, other_trial) = (self.trial, other.trial);
        let better = match larger {
            true if self.distinct < VERY_FEW => other_trial.accuracy > own.accuracy + self.error_of_rows(),
            true => own.or_clearly_better(other_trial, self.rows as f64) != own,
            false => other_trial.accuracy > own.accuracy,
        };
        if better { other } else { self }
    }

    /// The best of these, the first among equals; on very few rows, the smallest within a standard error of the best.
    fn best(all: Vec<Self>) -> Option<Self> {
        let best = all.iter().copied().reduce(Self::or_better)?;
        if best.distinct >= VERY_FEW {
            return Some(best);
        }
        let highest = all.iter().copied().reduce(|a, b| if b.trial.accuracy > a.trial.accuracy { b } else { a })?;
        let least = highest.trial.accuracy - highest.error_of_rows();
        all.into_iter().filter(|one| one.trial.accuracy >= least).min_by_key(Self::bytes)
    }

    fn bytes(&self) -> usize {
        let Candidate { dimensions, numeric, .. } = self.trial.candidate;
        dimensions.bytes(&Inputs::plain(dimensions.features), numeric)
    }

    /// Standard error of an accuracy on the rows of the data, however often each was held out.
    fn error_of_rows(&self) -> f64 {
        standard_error(self.trial.accuracy, self.distinct.max(1) as f64)
    }
}

impl Evaluator<'_> {
    /// The best of the finalists, the first among equals, on other splits than those that they were chosen by: these favor
    /// what was chosen.
    pub(in crate::search) fn best_of(&mut self, finalists: &[Candidate]) -> Result<FinalEvaluation, TrainError> {
        let wanted: Vec<usize> = finalists.iter().map(|finalist| finalist.target).collect();
        let rounds = rounds_of_finals(self.prepared.data.len(), self.options.quick);
        let mut folds = Vec::new();
        for round in 1..=rounds {
            let seed = self.options.seed.wrapping_add(round);
            folds.extend(self.split(&wanted, seed)?);
        }
        self.run.step("comparing finalists", 0, finalists.len())?;
        let found = evaluate(self, &folds, finalists, Evaluation::File)?;
        let rows = held_out(&folds);
        let (mut evaluations, mut failure) = (Vec::new(), None);
        for (&candidate, counts) in finalists.iter().zip(found) {
            match counts {
                Ok(counts) => evaluations.push(FinalEvaluation {
                    trial: Trial { candidate, accuracy: counts.stored as f64 / rows },
                    accuracy_f64: counts.exact as f64 / rows,
                    rows: rows as usize,
                    distinct: self.prepared.data.len(),
                }),
                Err(error) => failure = Some(error),
            }
        }
        self.trials.extend(evaluations.iter().map(|evaluation| evaluation.trial));
        FinalEvaluation::best(evaluations).ok_or_else(|| failure.unwrap_or_else(TrainError::no_candidates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::candidate::tests::SMALL;
    use crate::search::{Dimensions, Numeric};

    fn evaluation(centers: usize, accuracy: f64) -> FinalEvaluation {
        let candidate = Candidate::closed_form(Dimensions { centers, ..SMALL }, Numeric::I8, 0);
        FinalEvaluation { trial: Trial { candidate, accuracy }, accuracy_f64: accuracy, rows: 10_000, distinct: 10_000 }
    }

    #[test]
    fn a_larger_model_has_to_be_clearly_better() {
        // The standard error is 0.3 points, of which a quarter is asked for.
        let small = evaluation(8, 0.9);
        assert_eq!(small.or_better(evaluation(16, 0.9005)), small);
        assert_eq!(small.or_better(evaluation(16, 0.901)), evaluation(16, 0.901));
        assert_eq!(small.or_better(evaluation(8, 0.9005)), evaluation(8, 0.9005));
        assert_eq!(evaluation(16, 0.9).or_better(evaluation(8, 0.9005)), evaluation(8, 0.9005));
        assert_eq!(small.or_better(evaluation(8, 0.9)), small, "the first of equals");
    }

    #[test]
    fn of_very_few_rows_the_smallest_within_a_standard_error_is_taken() {
        // Four rounds of 100 rows at 0.9: a standard error is 3 points of 100 rows, not 1.5 of 400.
        let few = |centers, accuracy| FinalEvaluation { rows: 400, distinct: 100, ..evaluation(centers, accuracy) };
        let all = [few(16, 0.9), few(8, 0.88), few(4, 0.86)];
        assert_eq!(FinalEvaluation::best(all.to_vec()), Some(all[1]));
        assert_eq!(few(8, 0.9).or_better(few(16, 0.925)), few(8, 0.9));
        assert_eq!(few(8, 0.9).or_better(few(16, 0.935)), few(16, 0.935));
        assert_eq!(few(16, 0.9).or_better(few(8, 0.9)), few(16, 0.9), "never less than before");
        let many = all.map(|one| FinalEvaluation { distinct: VERY_FEW, ..one });
        assert_eq!(FinalEvaluation::best(many.to_vec()), Some(many[0]));
    }

    #[test]
    fn integers_are_lossless_within_a_standard_error() {
        let stored = |accuracy| FinalEvaluation { accuracy_f64: 0.9, ..evaluation(8, accuracy) };
        assert!(stored(0.8975).is_lossless() && stored(0.95).is_lossless());
        assert!(!stored(0.8965).is_lossless());
    }
}
