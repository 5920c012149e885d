//! What all candidates behind one preprocessing have in common: the input side of their model files.

use crate::dataset::{Dataset, Number};
use crate::model::cost::Work;
use crate::preprocess::convolution::Geometry;
use crate::preprocess::{Scale, Stage};
use crate::search::Numeric;
use nearmark_format::meta::code;
use nearmark_format::{Num, Pool, Pooling, Profile, Shape, Spec, Window, extras};

/// A feature range this many times wider than another's (90th to 10th percentile) makes one range for all lose the
/// narrow features in 8 bits, so that each gets its own. Part of the change that raised the mean over 15 public tables
/// (KEEL, two seeds each) from 91.7 to 92.5 % at 2 kB; the factor itself was not tuned.
const UNEVEN: f64 = 4.0;

/// The input side of a model file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inputs {
    /// Features after preprocessing.
    pub(super) features: usize,
    /// Values per sample.
    samples: usize,
    number: Num,
    shape: Option<Shape>,
    window: Option<Window>,
    /// Features of a counts stage, and whether windows are interleaved.
    counts: Option<(usize, bool)>,
    /// What a counts stage costs.
    pub(super) work: Work,
    pool: Option<Pool>,
    convolution: Option<Convolved>,
    /// Bytes of the class names' payload.
    names: Option<usize>,
}

/// The sizes of a convolution.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Convolved {
    block: Pool,
    filters: [usize; 2],
    pooling: Pooling,
}

impl Inputs {
    /// Samples of so many bytes, which are the features.
    #[must_use]
    pub fn plain(features: usize) -> Self {
        let (shape, window, counts, pool, convolution, names) = (None, None, None, None, None, None);
        let work = Work::default();
        Self { features, samples: features, number: Num::U8, shape, window, counts, work, pool, convolution, names }
    }

    /// Rows of `data` behind fitted stages, as they make `features` of them; `names` says whether a model file stores
    /// the class names.
    #[must_use]
    pub fn new(data: &Dataset, preprocessing: &[Stage], features: usize, names: bool) -> Self {
        let number = data.number();
        let known = data.class_names();
        // Names that are the numbers of the classes are not stored.
        let numbers = known.iter().enumerate().all(|(i, name)| *name == i.to_string());
        let names = (names && !numbers).then(|| extras::names_len(known));
        let mut found = Self { features, number, names, ..Self::plain(data.width()) };
        // Sizes beyond the format's limits saturate; the exporter refuses them.
        let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        let byte = |size: usize| u8::try_from(size).unwrap_or(u8::MAX);
        let shape = |channels, rows, cols| Shape { channels: size(channels), rows: size(rows), cols: size(cols) };
        for stage in preprocessing {
            match stage {
                Stage::Window(window) => {
                    found.shape = Some(shape(window.channels(), 1, window.steps()));
                    let (segments, interleaved) = (byte(window.segments()), window.is_interleaved());
                    found.window = Some(Window { segments, stats: code::STAT_ALL, interleaved });
                }
                Stage::Convolution(own) => {
                    let Geometry { images, block, pooling, .. } = own.geometry;
                    let filters = |layer: usize| own.layers.get(layer).map_or(0, |filters| filters.bias.len());
                    found.shape = Some(shape(images.0, images.1, images.2));
                    let block = Pool { rows: byte(block.0), cols: byte(block.1) };
                    found.convolution = Some(Convolved { block, filters: [filters(0), filters(1)], pooling });
                }
                Stage::Pool(pool) => {
                    let ((channels, rows, cols), block) = (pool.shape(), pool.block());
                    found.shape = Some(shape(channels, rows, cols));
                    found.pool = (block != (1, 1)).then_some(Pool { rows: byte(block.0), cols: byte(block.1) });
                }
                Stage::Counts(counts) => {
                    let window = counts.window();
                    found.shape = Some(shape(window.channels, 1, window.steps));
                    found.work = Work::of(size(window.steps), counts.entries());
                    found.counts = Some((counts.entries().len(), window.interleaved));
                }
                Stage::Select(_) | Stage::Scale(_) | Stage::Project(_) | Stage::Round(_) => {}
            }
        }
        found
    }

    /// Whether features are bytes as they come, so that integer models need no input scaling.
    pub(super) fn is_bytes(&self) -> bool {
        self.convolution.is_some()
            || self.counts.is_some()
            || self.window.is_none() && self.pool.is_none() && matches!(self.number, Num::U8 | Num::I8)
    }

    /// The model file's description as far as the inputs decide it.
    pub(super) fn spec(&self, numeric: Numeric, dim: usize, classes: usize) -> Spec {
        let profile = if numeric == Numeric::F32 { Profile::F32 } else { Profile::Int };
        let mut spec = Spec::new(profile, self.samples, dim, classes).input(self.number);
        spec = self.shape.map_or(spec, |shape| spec.shape(shape));
        spec = self.window.map_or(spec, |window| spec.window(window));
        spec = self.counts.map_or(spec, |(entries, interleaved)| spec.counts(entries, interleaved));
        spec = self.pool.map_or(spec, |pool| spec.pool(pool));
        if let Some(Convolved { block, filters, pooling }) = self.convolution {
            spec = spec.convolution(block, filters[0], filters[1], pooling);
        }
        self.names.map_or(spec, |payload| spec.extra(payload))
    }
}

/// Whether features of float samples differ so much in width that each needs a range of its own.
pub(in crate::search) fn needs_own_ranges(number: Number, prepared: &Dataset, preprocessing: &[Stage]) -> bool {
    if number != Number::F32 {
        return false;
    }
    let unscale = |j: usize| match preprocessing.last() {
        Some(Stage::Scale(Scale::Features { mul, .. })) if mul[j] != 0.0 => 1.0 / mul[j].abs(),
        _ => 1.0,
    };
    let columns = prepared.rows().column_iter().enumerate();
    let mut widths: Vec<f64> = columns.map(|(j, c)| (c.max() - c.min()) * unscale(j)).filter(|w| *w > 0.0).collect();
    widths.sort_unstable_by(f64::total_cmp);
    let (Some(narrow), Some(wide)) = (widths.get(widths.len() / 10), widths.get(widths.len() * 9 / 10)) else {
        return false;
    };
    wide / narrow > UNEVEN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use crate::search::Dimensions;

    #[test]
    fn widths_four_times_apart_need_ranges_of_their_own() -> Result<(), crate::DataError> {
        let data = |wide: f64| Dataset::from_ids(Mat::from_row_slice(2, 2, &[0.0, 0.0, 0.5, wide]), &[0, 1]);
        assert!(!needs_own_ranges(Number::F32, &data(2.0)?, &[]));
        assert!(needs_own_ranges(Number::F32, &data(2.5)?, &[]));
        assert!(!needs_own_ranges(Number::U8, &data(2.5)?, &[]));
        // Scaling by features is undone: before it, 0.5 was 0.5/0.1.
        let scale = Stage::Scale(Scale::Features { mul: vec![0.1, 1.0], add: vec![0.0; 2] });
        assert!(!needs_own_ranges(Number::F32, &data(2.5)?, &[scale]));
        Ok(())
    }

    #[test]
    fn class_names_count_unless_they_are_numbers() -> Result<(), crate::DataError> {
        let data = |names: [&str; 2]| Dataset::new(Mat::zeros(2, 3), &names);
        let dimensions = Dimensions::dense(3, 2, 0, 2, 2);
        let bytes = |data: &Dataset, names| dimensions.spec(&Inputs::new(data, &[], 3, names), Numeric::F32).core_len();
        let numbered = bytes(&data(["0", "1"])?, true);
        assert_eq!(bytes(&data(["up", "down"])?, false), numbered);
        assert!(bytes(&data(["up", "down"])?, true) > numbered);
        Ok(())
    }
}
