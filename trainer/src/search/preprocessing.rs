//! Ways to prepare rows (pooled, as statistics, scaled), and which of them pays.

use super::candidate::standard_error;
use super::splits::{VERY_FEW, sample};
use super::strategy::Strategy;
use super::{Dimensions, Options, Task, TrainError, Trial};
use crate::config::{Common, Input, Series, Size, WindowChoice};
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::preprocess::{Pool, Scaling, Stage};
use crate::run::Run;

/// Blocks of pixels, or of time steps, to try summing. The list was not tuned; on MNIST, 2 and
/// 4 are the best (see [`ROWS`]).
const BLOCKS: [usize; 4] = [2, 3, 4, 5];
/// Pixels or time steps that must be left of a side: fewer say little of a shape.
const MIN_SIDE: usize = 4;
/// Segments of a window to try taking statistics of, beside the one asked for: a single segment has no order in time. The
/// list was not tuned.
const SEGMENTS: [usize; 2] = [2, 4];
/// Steps of a segment at least: the deviation of a single step is zero.
const SEGMENT_STEPS: usize = 2;
/// Rows that preprocessings are compared on: at first, and where several are [`CLOSE`]. Features pay for themselves late:
/// on 10 000 rows MNIST at 2 kB prefers images pooled by 4 (95.4 % held out) to those pooled by 2 (96.0 % in the end).
pub(super) const ROWS: [usize; 2] = [10_000, 30_000];
/// By how much less accuracy a preprocessing is compared again on more rows: more than the 0.6 points of that case.
const CLOSE: f64 = 0.02;
/// The best dimensions of each that are compared again.
const AGAIN: usize = 3;

/// Fitted stages, with their name.
pub(super) type Preprocessing = (Vec<Stage>, String);

/// What gathers the values of a row before they are scaled, with its name; `None` leaves the row as it is.
type Gathering = (Option<Stage>, String);

/// The ways to prepare rows that are worth a try, the simplest first. `image` is what rows are taken for, given or
/// guessed.
pub(super) fn candidates(
    common: &Common,
    data: &Dataset,
    image: Option<(usize, usize)>,
    run: &Run<'_>,
) -> Result<Vec<Preprocessing>, TrainError> {
    let gatherings = match common.input {
        Input::Table => of_image(image)?,
        Input::Series(series) => of_series(series)?,
        Input::Image(given) => match given.pooling()? {
            Some(pool) => vec![(Some(Stage::Pool(pool)), format!("pooled by {}", given.pool))],
            None => of_image(image)?,
        },
    };
    let prepared = |(first, name): Gathering| -> Result<Preprocessing, TrainError> {
        let gathered = first.as_ref().map(|stage| stage.apply(data.rows(), run.thread_count()));
        let gathered = gathered.transpose().map_err(FitError::from)?;
        let scale = common.scale.fit(gathered.as_ref().unwrap_or(data.rows()), data.labels()).map(Stage::Scale);
        Ok((first.into_iter().chain(scale).collect(), name))
    };
    let mut found = gatherings.into_iter().map(prepared).collect::<Result<Vec<_>, _>>()?;
    // Values of one kind, like pixels, need no scale each; columns of a table may be of any kind.
    let table = common.input == Input::Table && image.is_none();
    if table && common.scale == Scaling::Auto && Scaling::choose(data.rows()) != Scaling::Standard {
        let stages = Scaling::Standard.fit(data.rows(), data.labels()).map(Stage::Scale).into_iter().collect();
        found.push((stages, "standardized features".to_owned()));
    }
    Ok(found)
}

fn of_series(series: Series) -> Result<Vec<Gathering>, TrainError> {
    let Size(channels, steps) = series.size;
    let mut found = Vec::new();
    if series.window == WindowChoice::Counts {
        return Ok(found);
    }
    if series.window != WindowChoice::None {
        let more = SEGMENTS.into_iter().filter(|&segments| series.segments == 1 && segments <= steps / SEGMENT_STEPS);
        for segments in [series.segments].into_iter().chain(more) {
            let window = Stage::Window(series.statistics(segments)?);
            found.push((Some(window), format!("statistics of {segments} segments")));
        }
    }
    if series.window != WindowChoice::Stats {
        found.push((None, "raw windows".to_owned()));
        let (rows, cols) = if series.interleaved { (steps, channels) } else { (channels, steps) };
        for by in BLOCKS.into_iter().filter(|by| steps.is_multiple_of(*by) && steps / by >= MIN_SIDE) {
            let block = if series.interleaved { (by, 1) } else { (1, by) };
            let pool = Stage::Pool(Pool::by(1, rows, cols, block)?);
            found.push((Some(pool), format!("windows pooled by {by} steps")));
        }
    }
    Ok(found)
}

fn of_image(image: Option<(usize, usize)>) -> Result<Vec<Gathering>, TrainError> {
    let mut found = vec![(None, "rows as they are".to_owned())];
    if let Some((rows, cols)) = image {
        let divides = |by: &usize| rows.is_multiple_of(*by) && cols.is_multiple_of(*by);
        for by in BLOCKS.into_iter().filter(|by| divides(by) && rows.min(cols) / by >= MIN_SIDE) {
            found.push((Some(Stage::Pool(Pool::new(1, rows, cols, by)?)), format!("pooled by {by}")));
        }
    }
    Ok(found)
}

/// The preprocessings that the search goes on with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    /// For models of all kinds.
    pub(super) best: usize,
    /// Those with which linear models come within a standard error of the best: they take little time, so that the
    /// final evaluation compares all. Found on UCI HAR at 4 kB, where six of 5475 held-out rows had chosen the
    /// preprocessing with the worse linear model (held out 92.93 instead of 93.19 %).
    pub(super) linear: Vec<usize>,
}

/// Quick evaluations with one preprocessing, the best first.
struct Survey {
    preprocessing: usize,
    best: Trial,
    trials: Vec<Trial>,
    held_out: f64,
}

/// Whether the later preprocessing is better by more than luck; on very few rows, by a standard error of these: it chose
/// among 36 outlines by one row of them.
fn clearly_better(earlier: &Survey, later: &Survey, rows: usize) -> bool {
    let (own, other) = (earlier.best, later.best);
    if rows < VERY_FEW {
        return other.accuracy > own.accuracy + standard_error(own.accuracy, rows as f64);
    }
    own.or_clearly_better(other, earlier.held_out) != own
}

/// The preprocessing with which the best of a few models does best after short training; the earlier, unless a later one
/// is clearly better. Where some rows leave it open, more rows decide between the best dimensions of each.
pub(super) fn choose(
    task: &Task<'_>,
    options: &Options,
    run: &Run<'_>,
    trials: &mut Vec<Trial>,
) -> Result<Chosen, TrainError> {
    let mut left: Vec<(usize, Vec<Dimensions>)> = (0..task.preprocessing.len()).map(|i| (i, Vec::new())).collect();
    let mut chosen = Chosen::default();
    for (round, rows) in ROWS.into_iter().enumerate() {
        if left.len() < 2 {
            break;
        }
        let some = sample(task.data, rows, options.seed);
        let task = quick_task(task, some.as_ref());
        let mut surveys = Vec::new();
        for (i, (preprocessing, dimensions)) in left.iter().enumerate() {
            run.step("comparing preprocessing", i, left.len())?;
            let mut strategy = Strategy::new(&task, *preprocessing, options, &run.without_steps())?;
            let dimensions = if dimensions.is_empty() { &strategy.typical() } else { dimensions };
            let (trials, held_out) = (strategy.survey(dimensions)?, strategy.evaluator.held_out());
            // Where nothing can be fitted, there is no survey.
            let preprocessing = *preprocessing;
            surveys.extend(trials.first().copied().map(|best| Survey { preprocessing, best, trials, held_out }));
        }
        trials.extend(surveys.iter().flat_map(|survey| &survey.trials));
        let better = |a: &Survey, b: &Survey| clearly_better(a, b, task.data.len());
        let Some(best) = surveys.iter().reduce(|a, b| if better(a, b) { b } else { a }) else { break };
        chosen.best = best.preprocessing;
        if round == 0 {
            chosen.linear = close_linear(&surveys, best.best.accuracy);
        }
        if some.is_none() {
            break;
        }
        let least = best.best.accuracy - CLOSE;
        let close = |survey: &&Survey| survey.best.accuracy > least;
        let again = |survey: &Survey| survey.trials.iter().take(AGAIN).map(|t| t.candidate.dimensions).collect();
        left = surveys.iter().filter(close).map(|survey| (survey.preprocessing, again(survey))).collect();
    }
    Ok(chosen)
}

/// The rows that preprocessings are compared on at first; none if these are all.
pub(super) fn sample_to_compare(task: &Task<'_>, seed: u64) -> Option<Dataset> {
    sample(task.data, ROWS[0], seed)
}

/// The task of comparing a few models on some of the rows, without shifts of images and other targets.
pub(super) fn quick_task<'a>(task: &Task<'a>, some: Option<&'a Dataset>) -> Task<'a> {
    Task { data: some.unwrap_or(task.data), image: None, alternatives: &[], ..*task }
}

/// Preprocessings with a linear model within a standard error of the best accuracy.
fn close_linear(surveys: &[Survey], accuracy: f64) -> Vec<usize> {
    let close = |survey: &&Survey| {
        let linear = survey.trials.iter().find(|trial| trial.candidate.dimensions.is_linear());
        linear.is_some_and(|own| own.accuracy > accuracy - standard_error(accuracy, survey.held_out))
    };
    surveys.iter().filter(close).map(|survey| survey.preprocessing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::Export;
    use crate::config::Image;
    use crate::dataset::synthetic::blobs;
    use crate::linalg::Mat;
    use crate::preprocess::Scale;
    use crate::search::{Kinds, Limits};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    fn names(common: &Common, data: &Dataset, image: Option<(usize, usize)>) -> Result<Vec<String>, TrainError> {
        let found = candidates(common, data, image, &Run::default())?;
        Ok(found.into_iter().map(|(_, name)| name).collect())
    }

    fn table() -> Result<Dataset, crate::DataError> {
        let rows = Mat::from_fn(20, 16, |i, j| ((i * 7 + j) % 5 * (1 + j)) as f64);
        Dataset::from_ids(rows, &(0..20).map(|i| i % 2).collect::<Vec<_>>())
    }

    #[test]
    fn columns_of_a_table_are_also_standardized() -> Outcome {
        let (data, auto) = (table()?, Common::default());
        assert_eq!(names(&auto, &data, None)?, ["rows as they are", "standardized features"]);
        // Pixels are of one kind, a scaling that is given is kept, and fractions are standardized already.
        assert_eq!(names(&auto, &data, Some((4, 4)))?, ["rows as they are"]);
        let given = Common { scale: Scaling::Range, ..Common::default() };
        assert_eq!(names(&given, &data, None)?, ["rows as they are"]);
        let fractions = data.with_rows(data.rows() * 0.3)?;
        assert_eq!(names(&auto, &fractions, None)?, ["rows as they are"]);
        Ok(())
    }

    #[test]
    fn windows_and_images_are_tried_in_the_ways_left_open() -> Outcome {
        let data = table()?;
        let of = |input| names(&Common { input, ..Common::default() }, &data, None);
        let open = Series { size: Size(2, 8), interleaved: false, window: WindowChoice::Auto, segments: 1 };
        let expected = [
            "statistics of 1 segments",
            "statistics of 2 segments",
            "statistics of 4 segments",
            "raw windows",
            "windows pooled by 2 steps",
        ];
        assert_eq!(of(Input::Series(open))?, expected);
        let fixed = Series { window: WindowChoice::Stats, segments: 2, ..open };
        assert_eq!(of(Input::Series(fixed))?, ["statistics of 2 segments"]);
        assert_eq!(of(Input::Image(Image { size: Size(4, 4), pool: 2 }))?, ["pooled by 2"]);
        Ok(())
    }

    fn scaled(mul: [f64; 3]) -> Vec<Stage> {
        vec![Stage::Scale(Scale::Features { mul: mul.to_vec(), add: vec![0.0; 3] })]
    }

    /// The choice between rows as they are, rows without two of their three features and rows with wider features, for
    /// linear models, and how many were tried for it.
    fn chosen(rows: usize) -> Result<(Chosen, usize), TrainError> {
        let (data, export) = (blobs(2, rows / 2, 3, 0.8, 4), Export::default());
        let preprocessing = [Vec::new(), scaled([0.0, 0.0, 1.0]), scaled([2.0, 3.0, 4.0])];
        let limits = Limits { flash: Some(2048), ..Limits::default() };
        let options = Options { kinds: Kinds::Linear, train: false, ..Options::within(limits) };
        let mut trials = Vec::new();
        let chosen = choose(&Task::new(&data, &preprocessing, &export), &options, &Run::default(), &mut trials)?;
        Ok((chosen, trials.len()))
    }

    #[test]
    fn preprocessings_that_come_close_are_compared_again_on_more_rows() -> Outcome {
        let (few, many) = (chosen(ROWS[0])?, chosen(ROWS[0] + 1000)?);
        assert_eq!((few.0.best, many.0.best), (0, 0), "the first of equals");
        assert_eq!((few.1, many.1), (3, 5), "one linear model with each, then with the two that are close");
        Ok(())
    }

    #[test]
    fn every_preprocessing_with_a_close_linear_model_is_kept() -> Outcome {
        assert_eq!(chosen(600)?.0.linear, [0, 2]);
        Ok(())
    }
}
