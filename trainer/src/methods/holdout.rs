//! A choice among a method's own candidates, made on held-out training rows.
//!
//! Some constants of a method (the width of its kernel, its ridge) ruin it where they do not suit the rows, and no formula
//! finds them on every set. A few candidates are then fitted on a part of the training rows and compared on the rest, in
//! repeated stratified hold-outs that keep groups whole. Candidates come in the order of preference: a later one has to be
//! better than those before it by more than noise.

use crate::dataset::{Dataset, split};
use crate::error::FitError;
use crate::linalg::Mat;
use crate::model::Choice;
use crate::model::head::{Head, HeadChoice};

/// The share of every class that is held out; of two or three rows of a class, one.
const HELD_OUT: f64 = 0.4;
/// Held-out rows that the repetitions should add up to. With 200, a difference of two points is one standard error; a fit
/// of a few hundred rows then takes less than three times as long as one without hold-outs.
const ROWS: usize = 200;
/// Fewest and most repetitions; the latter only where there are so few rows that they cost nothing.
const REPEATS: std::ops::RangeInclusive<usize> = 3..=12;
/// Standard errors that a difference has to exceed: rows are held out more than once and share the rows they are compared
/// with, so that one is too few. Measured on 14 settings of 8 sets, 130 splits: with 2, NSSE is at most 0.5 points behind
/// CMVDA on any by either head; with 1.5, 1.1 points (letters by class means); with 1, 0.9 on illuminated digits.
const NOISE: f64 = 2.0;
/// Rows that candidates are fitted to at most. A fit costs the cube of them, and which candidate is best hardly
/// depends on their number.
const MOST: usize = 600;

/// Training rows to fit candidates to, and the rows held out.
pub(super) struct HoldOut {
    pub(super) kept: Dataset,
    pub(super) held: Dataset,
}

/// Repeated hold-outs of these rows; none where no class has a row to spare, or where the rows left are all equal.
///
/// Which rows are held out does not depend on the order of the classes' names.
pub(super) fn hold_outs(data: &Dataset, seed: u64) -> Vec<HoldOut> {
    let data = &data.with_classes_as_they_appear();
    let first = split::stratified(data, HELD_OUT, seed);
    if first.test.is_empty() {
        return Vec::new();
    }
    let repeats = ROWS.div_ceil(first.test.len()).clamp(*REPEATS.start(), *REPEATS.end());
    let others = (1..repeats as u64).map(|round| split::stratified(data, HELD_OUT, seed.wrapping_add(round << 32)));
    let parts = std::iter::once(first).chain(others).map(|split| split.apply(data));
    let parts = parts.map(|(kept, held)| HoldOut { kept: at_most(kept, seed), held });
    // Rows that are all equal have no kernel width.
    parts.filter(|part| part.kept.rows().row_iter().any(|row| row != part.kept.rows().row(0))).collect()
}

/// These rows, or [`MOST`] of them with something of every class.
fn at_most(data: Dataset, seed: u64) -> Dataset {
    if data.len() <= MOST {
        return data;
    }
    let dropped = 1.0 - MOST as f64 / data.len() as f64;
    data.select(&split::sample(&data, dropped, seed).train)
}

impl HoldOut {
    /// For every held-out row, embedded as `held`, how often it is named wrong: by its nearest neighbor among the rows
    /// kept, embedded as `kept`, and by the nearest of their class means. The head is chosen after the method.
    pub(super) fn mistakes(&self, kept: &Mat, held: &Mat) -> Result<Vec<u8>, FitError> {
        let mut mistakes = vec![0; self.held.len()];
        for head in [HeadChoice::Neighbors(1), HeadChoice::Means] {
            let found = Head::fit(head, kept, self.kept.labels(), self.kept.classes())?.classify(held);
            for ((count, found), label) in mistakes.iter_mut().zip(found).zip(self.held.labels()) {
                *count += u8::from(found != *label);
            }
        }
        Ok(mistakes)
    }
}

/// The candidate to take, given every candidate's mistakes on all held-out rows, in the same order of rows; `None` for
/// one that could not be fitted.
///
/// It is the first whose errors exceed the fewest by no more than noise: [`NOISE`] standard errors of the difference, row by
/// row. With the plain minimum, luck among a hundred rows cost up to 1.2 points on small sets.
pub(super) fn best(mistakes: &[Option<Vec<u8>>]) -> usize {
    let total = |found: &Option<Vec<u8>>| found.as_ref().map_or(u64::MAX, |m| m.iter().map(|&m| u64::from(m)).sum());
    let least = (0..mistakes.len()).min_by_key(|&i| total(&mistakes[i])).unwrap_or(0);
    let Some(Some(least_mistakes)) = mistakes.get(least) else { return 0 };
    let is_close = |found: &Option<Vec<u8>>| {
        let Some(found) = found else { return false };
        let differences = || found.iter().zip(least_mistakes).map(|(a, b)| f64::from(*a) - f64::from(*b));
        let (excess, noise) = (differences().sum::<f64>(), differences().map(|d| d * d).sum::<f64>().sqrt());
        excess <= NOISE * noise
    };
    mistakes.iter().position(is_close).unwrap_or(least)
}

/// The candidates with their errors, for people.
pub(super) fn choices(names: &[String], mistakes: &[Option<Vec<u8>>], chosen: usize) -> Vec<Choice> {
    let error = |found: &Vec<u8>| {
        let wrong: f64 = found.iter().map(|&m| f64::from(m)).sum();
        // Two heads named every row.
        wrong / (2 * found.len()) as f64
    };
    let choice = |(i, (name, found)): (usize, (&String, &Option<Vec<u8>>))| Choice {
        what: name.clone(),
        error: found.as_ref().map(error),
        chosen: i == chosen,
    };
    names.iter().zip(mistakes).enumerate().map(choice).collect()
}

/// One sentence on a choice.
pub(super) fn note(choices: &[Choice]) -> String {
    let error = |choice: &Choice| choice.error.map_or("failed".to_owned(), |error| format!("{:.1} %", 100.0 * error));
    let text = |choice: &Choice| format!("{} {}", choice.what, error(choice));
    let chosen: Vec<String> = choices.iter().filter(|choice| choice.chosen).map(text).collect();
    let others: Vec<String> = choices.iter().filter(|choice| !choice.chosen).map(text).collect();
    format!("chosen by hold-out error: {}; others: {}", chosen.join(", "), others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;

    #[test]
    fn classes_of_two_rows_leave_one_of_each() {
        let data = blobs(5, 2, 3, 1.0, 0);
        let found = hold_outs(&data, 0);
        assert_eq!(found.len(), *REPEATS.end());
        for part in &found {
            assert_eq!((part.kept.class_counts(), part.held.class_counts()), (vec![1; 5], vec![1; 5]));
        }
        assert!(found.windows(2).any(|pair| pair[0].held != pair[1].held));
        assert!(hold_outs(&blobs(5, 1, 3, 1.0, 0), 0).is_empty());
        let equal = data.with_rows(Mat::from_element(10, 3, 2.0));
        assert!(equal.is_ok_and(|equal| hold_outs(&equal, 0).is_empty()));
    }

    #[test]
    fn many_rows_are_thinned_but_no_class_is_lost() {
        let mut rows: Vec<usize> = (0..1000).map(|i| 2 * i).collect();
        rows.extend([1, 3]);
        let found = hold_outs(&blobs(2, 1000, 2, 1.0, 0).select(&rows), 0);
        assert_eq!(found.len(), *REPEATS.start());
        assert!(found.iter().all(|part| part.kept.len() <= MOST + 1 && part.kept.class_counts()[1] == 1));
    }

    #[test]
    fn the_favorite_gives_way_to_what_is_clearly_better() {
        let row = |wrong: usize| Some((0..100).map(|i| u8::from(i < wrong)).collect::<Vec<u8>>());
        assert_eq!(best(&[row(20), row(18), row(20)]), 0, "two rows are luck");
        assert_eq!(best(&[row(20), row(17), row(12)]), 2);
        assert_eq!(best(&[row(20), row(13), row(12)]), 1, "the first of those that come close");
        assert_eq!(best(&[row(20), row(20), row(20)]), 0);
        assert_eq!(best(&[None, row(30), row(30)]), 1, "what cannot be fitted is no favorite");
        assert_eq!(best(&[row(20), None]), 0);
        assert_eq!(best(&[None, None]), 0);
    }

    #[test]
    fn a_note_names_the_choice_first() {
        let mistakes = [Some(vec![2, 2, 1, 0]), Some(vec![0, 0, 1, 0]), None];
        let names = ["1x", "2x", "4x"].map(str::to_owned);
        let text = note(&choices(&names, &mistakes, 1));
        assert_eq!(text, "chosen by hold-out error: 2x 12.5 %; others: 1x 62.5 %, 4x failed");
    }
}
