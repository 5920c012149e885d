//! The file answers as training did, and convolutions find what no table of pixels shows.

use super::*;
use crate::compile::Export;
use crate::dataset::Dataset;
use crate::linalg::Mat;
use crate::rng::Rng;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Images of 12×12 with a bright line, upright or level, anywhere.
fn lines(count: usize) -> Result<Dataset, crate::DataError> {
    let mut rng = Rng::new(5);
    let labels: Vec<usize> = (0..count).map(|i| i % 2).collect();
    let at: Vec<usize> = (0..count).map(|_| 2 + rng.below(8)).collect();
    let rows = Mat::from_fn(count, 144, |i, j| {
        let across = if labels[i] == 0 { j / 12 } else { j % 12 };
        let noise = 60.0 * rng.uniform();
        if across == at[i] { (160.0 + noise).round() } else { noise.round() }
    });
    let data = Dataset::from_ids(rows, &labels)?;
    Ok(data)
}

fn found(layers: Layers, flash: usize) -> Result<SearchResult, Box<dyn std::error::Error>> {
    let (data, export) = (lines(400)?, Export::default());
    assert_eq!(data.number(), Number::U8);
    let of = ConvolutionTask { images: (1, 12, 12), layers, only: true };
    let stages = [Vec::new()];
    let task = Task { convolution: Some(of), ..Task::new(&data, &stages, &export) };
    let limits = Limits { flash: Some(flash), ..Limits::default() };
    let options = Options { passes: Some(40), ..Options::within(limits) };
    let run = Run::default();
    let Some(best) = best(&task, of, &options, &run)? else { return Err("no plan".into()) };
    Ok(finish(&task, of, &options, &best, Vec::new(), &run)?)
}

#[test]
fn the_file_answers_as_the_convolutions_were_trained() -> Outcome {
    for layers in [Layers::One, Layers::Two] {
        let result = found(layers, 2048)?;
        let report = result.file.report.ok_or("no report")?;
        assert!(result.evaluation.trial.accuracy > 0.97, "{layers:?}: {:?}", result.evaluation);
        assert!(report.agreement > 0.97 && report.bytes.1 <= 2048, "{layers:?}: {report}");
        // The runtime on the file, beside the same numbers in f64.
        let data = lines(400)?;
        let predicted = predict(&ModelFile::encode(&result.file.model)?, data.rows())?;
        let classes: Vec<usize> = predicted.iter().map(|found| usize::from(found.class().0)).collect();
        let exact = result.fitted.classify(data.rows())?;
        let same = classes.iter().zip(&exact).filter(|(a, b)| a == b).count();
        assert!(same >= 396, "{layers:?}: {same} of 400 rows");
    }
    Ok(())
}

#[test]
fn convolutions_beyond_the_budget_are_no_candidates() {
    assert!(found(Layers::Two, 200).is_err_and(|error| error.to_string() == "no plan"));
}
