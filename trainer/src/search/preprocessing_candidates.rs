//! Ways to prepare rows that a budget search chooses among: pooled, as statistics, scaled.

use crate::config::{Common, Input, Series, Size, WindowChoice};
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::preprocess::{Pool, Scaling, Stage};
use crate::run::Run;
use crate::train::TrainError;

/// Blocks of pixels, or of time steps, to try summing.
const BLOCKS: [usize; 4] = [2, 3, 4, 5];
/// Pixels or time steps that must be left of a side: fewer say little of a shape.
const MIN_SIDE: usize = 4;
/// Segments of a window to try taking statistics of.
const SEGMENTS: [usize; 2] = [2, 4];

/// One way to prepare rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Preprocessing {
    /// Fitted stages.
    pub(super) stages: Vec<Stage>,
    /// What to call it.
    pub(super) name: String,
}

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
    let fixed_pool = match common.input {
        Input::Image(given) => given.pooling()?.map(|pool| (pool, given.pool)),
        Input::Table | Input::Series(_) => None,
    };
    let gatherings = match (common.input, fixed_pool) {
        (Input::Series(series), _) => of_series(series)?,
        (_, Some((pool, by))) => vec![(Some(Stage::Pool(pool)), format!("pooled by {by}"))],
        (_, None) => of_image(image)?,
    };
    let prepared = |(first, name): Gathering| -> Result<Preprocessing, TrainError> {
        let gathered = first.as_ref().map(|stage| stage.apply(data.rows(), run.thread_count()));
        let gathered = gathered.transpose().map_err(FitError::from)?;
        let scale = common.scale.fit(gathered.as_ref().unwrap_or(data.rows())).map(Stage::Scale);
        Ok(Preprocessing { stages: first.into_iter().chain(scale).collect(), name })
    };
    let mut found = gatherings.into_iter().map(prepared).collect::<Result<Vec<_>, _>>()?;
    // Values of one kind, like pixels, need no scale each; columns of a table may be of any kind.
    let table = common.input == Input::Table && image.is_none();
    if table && common.scale == Scaling::Auto && Scaling::choose(data.rows()) != Scaling::Standard {
        let stages = Scaling::Standard.fit(data.rows()).map(Stage::Scale).into_iter().collect();
        found.push(Preprocessing { stages, name: "standardized features".to_owned() });
    }
    Ok(found)
}

fn of_series(series: Series) -> Result<Vec<Gathering>, TrainError> {
    let Size(channels, steps) = series.size;
    let mut found = Vec::new();
    if series.window != WindowChoice::None {
        let more = SEGMENTS.into_iter().filter(|&segments| series.segments == 1 && segments <= steps / 2);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Image;
    use crate::linalg::Mat;

    fn names(common: &Common, data: &Dataset, image: Option<(usize, usize)>) -> Result<Vec<String>, TrainError> {
        let found = candidates(common, data, image, &Run::default())?;
        Ok(found.into_iter().map(|candidate| candidate.name).collect())
    }

    fn table() -> Result<Dataset, crate::DataError> {
        let rows = Mat::from_fn(20, 16, |i, j| ((i * 7 + j) % 5 * (1 + j)) as f64);
        Dataset::from_ids(rows, &(0..20).map(|i| i % 2).collect::<Vec<_>>())
    }

    #[test]
    fn columns_of_a_table_are_also_standardized() -> Result<(), Box<dyn std::error::Error>> {
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
    fn windows_and_images_are_tried_in_the_ways_left_open() -> Result<(), Box<dyn std::error::Error>> {
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
}
