//! The final evaluation: finalists are compared as encoded model files, run by the runtime, on splits that chose nothing
//! before.

use super::{Evaluator, evaluate, held_out};
use crate::search::cache::Evaluation;
use crate::search::candidate::standard_error;
use crate::search::splits::FEW;
use crate::search::{Candidate, Inputs, TrainError, Trial};

/// Rounds of splits that finalists are evaluated on, on fewer rows than [`FEW`]: the second halves the variance of a
/// choice among a few hundred rows.
const ROUNDS_OF_FEW: u64 = 2;

/// How a finalist did as a model file on held-out rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FinalEvaluation {
    /// The candidate and the accuracy of its files.
    pub trial: Trial,
    /// Accuracy of the same numbers in f64.
    pub accuracy_f64: f64,
    /// Held-out rows.
    pub rows: usize,
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

    /// This one, unless the other is better; a larger model has to be clearly better.
    pub(in crate::search) fn or_better(self, other: Self) -> Self {
        let bytes = |e: &Self| {
            let Candidate { dimensions, numeric, .. } = e.trial.candidate;
            dimensions.bytes(&Inputs::plain(dimensions.features), numeric)
        };
        let larger = bytes(&other) > bytes(&self);
        let (own, other_trial) = (self.trial, other.trial);
        let better =
            if larger { own.or_clearly_better(other_trial, self.rows as f64) } else { own.or_better(other_trial) };
        if better == own { self } else { other }
    }
}

impl Evaluator<'_> {
    /// The best of the finalists, the first among equals, on other splits than those that they were chosen by: these favor
    /// what was chosen.
    pub(in crate::search) fn best_of(&mut self, finalists: &[Candidate]) -> Result<FinalEvaluation, TrainError> {
        let wanted: Vec<usize> = finalists.iter().map(|finalist| finalist.target).collect();
        let rounds = if self.prepared.data.len() < FEW { ROUNDS_OF_FEW } else { 1 };
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
                }),
                Err(error) => failure = Some(error),
            }
        }
        self.trials.extend(evaluations.iter().map(|evaluation| evaluation.trial));
        let best = evaluations.into_iter().reduce(FinalEvaluation::or_better);
        best.ok_or_else(|| failure.unwrap_or_else(TrainError::no_candidates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::candidate::tests::SMALL;
    use crate::search::{Dimensions, Numeric};

    fn evaluation(centers: usize, accuracy: f64) -> FinalEvaluation {
        let candidate = Candidate::closed_form(Dimensions { centers, ..SMALL }, Numeric::I8, 0);
        FinalEvaluation { trial: Trial { candidate, accuracy }, accuracy_f64: accuracy, rows: 10_000 }
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
    fn integers_are_lossless_within_a_standard_error() {
        let stored = |accuracy| FinalEvaluation { accuracy_f64: 0.9, ..evaluation(8, accuracy) };
        assert!(stored(0.8975).is_lossless() && stored(0.95).is_lossless());
        assert!(!stored(0.8965).is_lossless());
    }
}
