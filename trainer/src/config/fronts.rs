//! Ways to prepare rows within limits: pooled, as statistics, scaled.

use super::error::RecipeError;
use super::words::WindowChoice;
use super::{Recipe, Size};
use crate::dataset::Dataset;
use crate::preprocess::{Pool, Scaling, Stage, Window};
use crate::run::Run;

/// Blocks of pixels, or of time steps, to try summing.
const BLOCKS: [usize; 4] = [2, 3, 4, 5];
/// Pixels that must be left of a side.
const SIDE: usize = 4;
/// Parts of a window to try taking statistics of.
const SEGMENTS: [usize; 2] = [2, 4];

/// A way to prepare rows, with what to say of it.
pub(super) struct Front {
    pub(super) stages: Vec<Stage>,
    pub(super) name: String,
}

impl Recipe {
    /// The ways to prepare rows that are worth a try, the plainest first.
    pub(super) fn fronts(
        &self,
        data: &Dataset,
        image: Option<(usize, usize)>,
        run: &Run<'_>,
    ) -> Result<Vec<Front>, RecipeError> {
        let mut firsts: Vec<(Option<Stage>, String)> = Vec::new();
        if let Some(Size(channels, steps)) = self.series {
            let stats = |segments: usize| -> Result<(Option<Stage>, String), RecipeError> {
                let window = Window::new(channels, steps, segments, self.interleaved)?;
                Ok((Some(Stage::Window(window)), format!("statistics of {segments} segments")))
            };
            if self.window != WindowChoice::None {
                firsts.push(stats(self.segments)?);
                let more = SEGMENTS.into_iter().filter(|&s| self.segments == 1 && s <= steps / 2);
                firsts.extend(more.map(stats).collect::<Result<Vec<_>, _>>()?);
            }
            if self.window != WindowChoice::Stats {
                firsts.push((None, "raw windows".to_owned()));
                let (rows, cols) = if self.interleaved { (steps, channels) } else { (channels, steps) };
                for by in BLOCKS.into_iter().filter(|by| steps.is_multiple_of(*by) && steps / by >= SIDE) {
                    let block = if self.interleaved { (by, 1) } else { (1, by) };
                    let pool = Stage::Pool(Pool::by(1, rows, cols, block)?);
                    firsts.push((Some(pool), format!("windows pooled by {by} steps")));
                }
            }
        } else if let (Some(pool), true) = (self.pool()?, self.pool != 1) {
            firsts.push((Some(Stage::Pool(pool)), format!("pooled by {}", self.pool)));
        } else {
            firsts.push((None, "rows as they are".to_owned()));
            if let Some((rows, cols)) = image {
                let divides = |by: &usize| rows.is_multiple_of(*by) && cols.is_multiple_of(*by);
                for by in BLOCKS.into_iter().filter(|by| divides(by) && rows.min(cols) / by >= SIDE) {
                    firsts.push((Some(Stage::Pool(Pool::new(1, rows, cols, by)?)), format!("pooled by {by}")));
                }
            }
        }
        // Values that are alike need no scaling of their own, like pixels; columns of a table may be of any kind.
        let table = self.scale == Scaling::Auto && self.series.is_none() && image.is_none();
        let standard = table && Scaling::choose(data.rows()) != Scaling::Standard;
        let front = |(first, name): (Option<Stage>, String)| -> Result<Front, RecipeError> {
            let gathered = first.as_ref().map(|stage| stage.apply(data.rows(), run.thread_count()));
            let gathered = gathered.transpose().map_err(crate::FitError::from)?;
            let scale = self.scale.fit(gathered.as_ref().unwrap_or(data.rows())).map(Stage::Scale);
            Ok(Front { stages: first.into_iter().chain(scale).collect(), name })
        };
        let mut fronts: Vec<Front> = firsts.into_iter().map(front).collect::<Result<_, _>>()?;
        if standard {
            let stages = Scaling::Standard.fit(data.rows()).map(Stage::Scale).into_iter().collect();
            fronts.push(Front { stages, name: "columns of variance 1".to_owned() });
        }
        Ok(fronts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;

    #[test]
    fn columns_of_a_table_are_also_tried_at_one_variance() -> Result<(), Box<dyn std::error::Error>> {
        let rows = Mat::from_fn(20, 16, |i, j| ((i * 7 + j) % 5 * (1 + j)) as f64);
        let labels: Vec<usize> = (0..20).map(|i| i % 2).collect();
        let data = Dataset::from_ids(rows.clone(), &labels)?;
        let names = |recipe: &Recipe, data: &Dataset, image| -> Result<Vec<String>, RecipeError> {
            Ok(recipe.fronts(data, image, &Run::default())?.into_iter().map(|front| front.name).collect())
        };
        let auto = Recipe::default();
        assert_eq!(names(&auto, &data, None)?, ["rows as they are", "columns of variance 1"]);
        // Pixels are alike, a scaling that was said is kept, and fractions have got it already.
        assert_eq!(names(&auto, &data, Some((4, 4)))?, ["rows as they are"]);
        let said = Recipe { scale: Scaling::Range, ..Recipe::default() };
        assert_eq!(names(&said, &data, None)?, ["rows as they are"]);
        let fractions = Dataset::from_ids(rows * 0.3, &labels)?;
        assert_eq!(names(&auto, &fractions, None)?, ["rows as they are"]);
        Ok(())
    }
}
