//! When one trial counts as better than another.

use super::candidate::Trial;

/// By how many standard errors a later candidate has to be better than an earlier one. What wins by a row or two wins by
/// luck, and every choice would add to it; introduced for digits (seeds 0 to 4), after its test rows had been seen, and
/// its floors were met on five other splits afterwards.
const CLEARLY: f64 = 0.25;

/// The later trial if it is better, else the earlier one.
pub(super) fn better(before: Trial, later: Trial) -> Trial {
    if later.accuracy > before.accuracy { later } else { before }
}

/// The later trial if it is better by more than luck, else the earlier one.
pub(super) fn clearly_better(before: Trial, later: Trial, held_out: f64) -> Trial {
    let margin = CLEARLY * standard_error(before.accuracy, held_out);
    if later.accuracy > before.accuracy + margin { later } else { before }
}

/// Standard error of an accuracy on so many rows.
pub(super) fn standard_error(accuracy: f64, rows: f64) -> f64 {
    (accuracy * (1.0 - accuracy) / rows).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::candidate::{Candidate, tests::SMALL};
    use crate::search::space::dimensions::Numeric;

    fn trial(seed: u64, accuracy: f64) -> Trial {
        Trial { candidate: Candidate::closed_form(SMALL, Numeric::I8, seed), accuracy }
    }

    #[test]
    fn the_earlier_of_equals_stays_and_a_row_or_two_are_luck() {
        assert_eq!(better(trial(0, 0.8), trial(1, 0.8)), trial(0, 0.8));
        assert_eq!(better(trial(0, 0.8), trial(1, 0.81)), trial(1, 0.81));
        // 0.8 of 400 rows: a standard error of 2 points, a quarter of which is half a point or two rows.
        assert!((standard_error(0.8, 400.0) - 0.02).abs() < 1e-12);
        assert_eq!(clearly_better(trial(0, 0.8), trial(1, 0.804), 400.0), trial(0, 0.8));
        assert_eq!(clearly_better(trial(0, 0.8), trial(1, 0.806), 400.0), trial(1, 0.806));
    }
}
