//! A batch answers as row by row does, to the bit, whatever its memory held before.

use nearmark::{Error, Model, Prediction};
use nearmark_format::AlignedBuf;
use nearmark_tests::cases::{self, Case};

/// A model with rows for it and the answer to each, given one by one.
struct Rows {
    name: &'static str,
    bytes: AlignedBuf,
    values: Vec<f32>,
    answers: Vec<Prediction>,
}

impl Rows {
    /// The rows of a case, over and over until there are `count`.
    fn of(case: &Case, count: usize) -> Self {
        let bytes = AlignedBuf::from(case.model.encode().unwrap().as_slice());
        let model = Model::from_bytes(&bytes).unwrap();
        let rows: Vec<Vec<f32>> = case.rows.floats().into_iter().cycle().take(count).collect();
        let mut scratch = vec![u32::MAX; model.scratch_words()];
        let answers = rows.iter().map(|row| model.classify(row.as_slice(), &mut scratch).unwrap()).collect();
        Self { name: case.name, values: rows.concat(), answers, bytes }
    }

    fn model(&self) -> Model<'_> {
        Model::from_bytes(&self.bytes).unwrap()
    }
}

/// Every pattern of bits that could give itself away: a NaN in each word.
fn dirty(model: &Model<'_>) -> (Vec<f32>, Vec<u32>) {
    (vec![f32::NAN; model.batch_words()], vec![u32::MAX; model.scratch_words()])
}

fn all_cases() -> impl Iterator<Item = Case> {
    cases::all().into_iter()
}

#[test]
fn batches_of_every_size_give_the_bits_of_row_by_row() {
    for case in all_cases() {
        let rows = Rows::of(&case, 100);
        let model = rows.model();
        let (mut workspace, mut scratch) = dirty(&model);
        for count in (1..=20).chain([100]) {
            let mut out = vec![Prediction::default(); count];
            let values = &rows.values[..count * model.inputs()];
            assert_eq!(model.classify_batch(values, &mut out, &mut workspace, &mut scratch), Ok(()));
            for (at, (batched, alone)) in out.iter().zip(&rows.answers).enumerate() {
                assert_eq!(batched, alone, "{}, row {at} of {count}", rows.name);
            }
            // The next batch finds what this one left behind, or the dirt again.
            if count % 2 == 0 {
                (workspace, scratch) = dirty(&model);
            }
        }
    }
}

#[test]
fn more_memory_than_needed_changes_nothing() {
    for case in all_cases() {
        let rows = Rows::of(&case, 11);
        let model = rows.model();
        let mut out = vec![Prediction::default(); 11];
        let mut workspace = vec![f32::NAN; model.batch_words() + 13];
        let mut scratch = vec![u32::MAX; model.scratch_words() + 13];
        assert_eq!(model.classify_batch(&rows.values, &mut out, &mut workspace, &mut scratch), Ok(()));
        assert_eq!(out, rows.answers, "{}", rows.name);
    }
}

#[test]
fn no_rows_are_no_work() {
    let rows = Rows::of(&cases::cases()[0], 1);
    let (mut workspace, mut scratch) = dirty(&rows.model());
    assert_eq!(rows.model().classify_batch(&[], &mut [], &mut workspace, &mut scratch), Ok(()));
}

#[test]
fn wrong_lengths_are_reported_with_both_numbers() {
    for case in all_cases() {
        let rows = Rows::of(&case, 3);
        let model = rows.model();
        let untouched = [Prediction::default(); 3];
        let try_with = |values: &[f32], less_workspace: usize, less_scratch: usize| {
            let (mut workspace, mut scratch) = dirty(&model);
            workspace.truncate(workspace.len() - less_workspace);
            scratch.truncate(scratch.len() - less_scratch);
            let mut out = untouched;
            let result = model.classify_batch(values, &mut out, &mut workspace, &mut scratch);
            assert_eq!(out, untouched, "{}: nothing is answered", rows.name);
            let error = result.unwrap_err();
            if let Error::InputLen { needed, got } | Error::Scratch { needed, got } = error {
                let text = error.to_string();
                assert!(text.contains(&needed.to_string()) && text.contains(&got.to_string()), "{text}");
            }
            error
        };
        let needed = rows.values.len();
        let (workspace, scratch) = (model.batch_words(), model.scratch_words());
        let longer = [rows.values.as_slice(), &[0.0]].concat();
        assert_eq!(try_with(&rows.values[1..], 0, 0), Error::InputLen { needed, got: needed - 1 });
        assert_eq!(try_with(&longer, 0, 0), Error::InputLen { needed, got: needed + 1 });
        assert_eq!(try_with(&[], 0, 0), Error::InputLen { needed, got: 0 });
        assert_eq!(try_with(&rows.values, 1, 0), Error::Scratch { needed: workspace, got: workspace - 1 });
        assert_eq!(try_with(&rows.values, 0, 1), Error::Scratch { needed: scratch, got: scratch - 1 });
    }
}

#[test]
fn a_row_that_is_not_finite_is_an_error_and_rows_before_it_are_answered() {
    for case in all_cases() {
        let rows = Rows::of(&case, 20);
        let model = rows.model();
        for bad in [0, 5, 8, 15, 19] {
            let mut values = rows.values.clone();
            values[bad * model.inputs()..(bad + 1) * model.inputs()].fill(f32::NAN);
            let (mut workspace, mut scratch) = dirty(&model);
            let mut out = vec![Prediction::default(); 20];
            let result = model.classify_batch(&values, &mut out, &mut workspace, &mut scratch);
            assert_eq!(result, Err(Error::NotFinite), "{}, row {bad}", rows.name);
            assert_eq!(out[..bad], rows.answers[..bad], "{}, rows before {bad}", rows.name);
            assert_eq!(out[bad], Prediction::default(), "{}: row {bad} is not answered", rows.name);
        }
    }
}
