//! One way to quantize, from the input to the head: each stage sees calibration rows through the stages before it.

use super::input::{After, InputScales};
use super::learned::Learned;
use super::readout::Coordinates;
use super::reference::Reference;
use super::report::{Bound, Cut};
use super::rotate::rotate;
use super::{Options, Plan, QuantizeError, Rounding, feature_map, head, integers, project, readout};
use crate::linalg::Mat;
use nearmark_format::{FeatureMap, Head, ModelBuf};

/// A model built by a plan.
#[derive(Debug, Clone)]
pub(super) struct Built {
    pub(super) model: ModelBuf,
    pub(super) coordinates: Coordinates,
    pub(super) cut: Vec<Cut>,
    pub(super) bounds: Vec<Bound>,
}

/// Calibration rows, real and raw.
#[derive(Debug, Clone)]
pub(super) struct Calibration {
    pub(super) real: Reference,
    /// Behind window, pool and selection.
    pub(super) raw: Mat,
    /// Of samples and of what is gathered from them.
    cut: [Cut; 2],
}

/// A float model and the way of its samples to 16 bits.
pub(super) struct Source {
    pub(super) model: ModelBuf,
    input: InputScales,
    keep_embedding: bool,
    learned: Option<Learned>,
}

impl Source {
    pub(super) fn new(
        original: &ModelBuf,
        rows: &Mat,
        options: Options,
        learned: Option<Learned>,
    ) -> Result<(Self, Calibration), QuantizeError> {
        let mut real = Reference::new(original, rows)?;
        let input = InputScales::new(original, rows, options.samples)?;
        let mut model = input.in_integers(original, learned.as_ref())?;
        if options.rounding == Rounding::PostTraining {
            rotate(&mut model, &mut real);
        }
        let samples = integers::samples(&model, rows);
        let (raw, gathered) = integers::geometry(&model, &samples)?;
        let cut = [("samples", samples.1), ("preprocessing", gathered)].map(|(stage, share)| Cut { stage, share });
        Ok((Self { model, input, keep_embedding: options.keep_embedding, learned }, Calibration { real, raw, cut }))
    }

    pub(super) fn build(&self, rows: &Calibration, plan: Plan) -> Result<Built, QuantizeError> {
        let mut model = self.model.clone();
        let learned = self.learned.as_ref();
        let last = match (&model.feature_map, &model.readout, &model.head) {
            (FeatureMap::Seeded { .. }, ..) => After::Anchored,
            (FeatureMap::Random { .. }, ..) | (FeatureMap::None, Some(_), _) => After::Absorbs,
            // The features are the embedding itself.
            (FeatureMap::None, None, head) if *head == Head::Unit || self.keep_embedding => After::Anchored,
            (FeatureMap::Centers { .. }, ..) | (FeatureMap::None, None, _) => After::Distances,
        };
        let first = if model.project.is_some() { After::Absorbs } else { last };
        let mut cut = rows.cut.to_vec();
        let mut note = |stage, share| cut.push(Cut { stage, share });

        let bytes = self.input.quantize(&mut model, &rows.raw, first, plan.per_feature, plan.input)?;
        let (x, share) = integers::input(&model, &rows.raw);
        note("input quantization", share);
        let (bytes, projected) = project::quantize(&mut model, &rows.real, &x, &bytes, last, &plan, learned)?;
        let (x, share) = integers::project(&model, &x)?;
        if model.project.is_some() {
            note("projection", share);
        }
        feature_map::quantize(&mut model, &bytes, learned)?;
        let values = integers::feature_map(&model, &x);
        let (coordinates, sums) =
            readout::quantize(&mut model, &rows.real, &values, &bytes, &plan, self.keep_embedding, learned)?;
        head::quantize(&mut model, &coordinates)?;
        if let (Some(learned), Some(int)) = (learned, &mut model.int) {
            int.nibbles = learned.steps.widths.nibbles();
        }
        note("embedding", integers::readout(&model, &values)?.1);
        Ok(Built { model, coordinates, cut, bounds: projected.into_iter().chain(sums).collect() })
    }
}

impl Calibration {
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        Self { real: self.real.select(rows), raw: self.raw.select_rows(rows), cut: self.cut }
    }
}

impl Built {
    /// The embedding of the integers in real coordinates, and its classes.
    pub(super) fn embed(&self, rows: &Calibration) -> Result<(Mat, Vec<usize>), QuantizeError> {
        let z = integers::embed(&self.model, &rows.raw)?;
        let one = self.model.int.as_ref().map_or(0.0, |int| f64::from(int.z_one));
        let labels = crate::model::host::head(&self.model, one).classify(&z);
        let Coordinates { unit, shift } = &self.coordinates;
        Ok((Mat::from_fn(z.nrows(), z.ncols(), |i, j| z[(i, j)] * unit + shift[j]), labels))
    }
}
