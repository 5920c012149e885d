use super::*;
use crate::compile::Export;
use crate::evaluate::{embed, evaluate};
use crate::rng::Rng;
use crate::search::fit;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const WINDOW: Shape = Shape { channels: 2, steps: 48, interleaved: true };

/// Windows of three frequencies at a random phase, which no mean tells apart; the second channel is noise.
fn windows(rows: usize, seed: u64) -> Result<Dataset, crate::DataError> {
    let mut rng = Rng::new(seed);
    let mut all = Vec::new();
    for i in 0..rows {
        let (phase, step) = (6.3 * rng.uniform(), 0.25 * (1 + i % 3) as f64);
        for t in 0..WINDOW.steps {
            all.push(libm::sin(step * t as f64 + phase) + 0.2 * rng.normal());
            all.push(rng.normal());
        }
    }
    let labels: Vec<usize> = (0..rows).map(|i| i % 3).collect();
    Dataset::from_ids(Mat::from_row_slice(rows, 2 * WINDOW.steps, &all), &labels)
}

fn options(flash: usize, numeric: Numeric) -> Options {
    let limits = Limits { flash: Some(flash), ..Limits::default() };
    Options { numeric: Some(numeric), ..Options::within(limits) }
}

fn searched(data: &Dataset, options: &Options, threads: usize) -> Result<SearchResult, TrainError> {
    let export = Export::default();
    let counts = Some(CountsTask { window: WINDOW, only: true });
    fit(&Task { counts, ..Task::new(data, &[], &export) }, options, &Run::default().threads(threads))
}

#[test]
fn counts_tell_frequencies_apart_within_the_budget_in_both_profiles() -> Outcome {
    let (data, new) = (windows(90, 1)?, windows(60, 2)?);
    for (numeric, flash) in [(Numeric::I8, 600), (Numeric::F32, 1400)] {
        let found = searched(&data, &options(flash, numeric), 2)?;
        let file = ModelFile::encode(&found.file.model)?;
        assert!(file.core_len() <= flash && file.core_len() > flash - 100, "{numeric:?}: {}", file.core_len());
        assert!(evaluate(&file, &new)?.accuracy() > 0.9, "{numeric:?}");
        // The host's numbers and the runtime's, which has no bias where class points can take it.
        let (host, device) = (found.fitted.embed(new.rows())?, embed(&file, new.rows())?);
        let differences = |z: &Mat| Mat::from_fn(z.nrows() - 1, z.ncols(), |i, j| z[(i + 1, j)] - z[(i, j)]);
        let gap = (differences(&host) - differences(&device)).amax();
        assert!(gap < if numeric == Numeric::F32 { 1e-4 } else { 0.1 }, "{numeric:?}: {gap}");
    }
    Ok(())
}

#[test]
fn the_same_rows_give_the_same_file_for_any_number_of_threads() -> Outcome {
    let data = windows(60, 3)?;
    let bytes = |threads| -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        let found = searched(&data, &options(700, Numeric::I8), threads)?;
        Ok(ModelFile::encode(&found.file.model)?.bytes().to_vec())
    };
    assert_eq!(bytes(1)?, bytes(3)?);
    Ok(())
}

#[test]
fn a_budget_that_holds_no_counts_is_refused_with_the_smallest() -> Outcome {
    let found = searched(&windows(60, 4)?, &options(100, Numeric::I8), 2);
    let Err(TrainError::Budget { smallest, .. }) = found else { panic!("{found:?}") };
    assert!((101..300).contains(&smallest.flash), "{}", smallest.flash);
    Ok(())
}

#[test]
fn limits_on_instructions_leave_fewer_features() -> Outcome {
    let data = windows(60, 5)?;
    let board = crate::emulator::board::BOARDS[1];
    let limits = Limits { flash: Some(2000), instructions: Some((30_000, board)), ..Limits::default() };
    let found = searched(&data, &Options { numeric: Some(Numeric::I8), ..Options::within(limits) }, 2)?;
    let file = ModelFile::encode(&found.file.model)?;
    let instructions = crate::model::cost::instructions(&crate::model::cost::Shape::of(&file), board, false);
    assert!(instructions <= 30_000, "{instructions}");
    assert!(file.core_len() < 1900, "{}", file.core_len());
    Ok(())
}

#[test]
fn corners_of_a_simplex_are_as_far_apart_as_unit_vectors() {
    for classes in [2, 3, 7] {
        let corners = simplex(classes);
        for (a, b) in (0..classes).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let gap = (corners.row(a) - corners.row(b)).norm_squared();
            assert!((gap - 2.0).abs() < 1e-12, "{classes}: {gap}");
        }
        assert!(corners.row_sum().amax() < 1e-12);
    }
}
