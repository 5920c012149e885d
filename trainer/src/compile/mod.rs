//! A fitted model becomes a model file: stages fold in f64, numbers narrow to f32 last of all.
//!
//! ```
//! use nearmark_train::{Pipeline, compile, dataset::synthetic, evaluate, methods::cmvda::Cmvda, model::provenance};
//!
//! let data = synthetic::moons(50, 0.1, 0);
//! let method = Cmvda::default();
//! let pipeline = Pipeline::new(&method);
//! let fitted = pipeline.fit(&data)?;
//! let info = provenance::info(&pipeline, &data, &fitted);
//! let file = compile::Export { info: Some(info), ..Default::default() }.model(&fitted)?.encode()?;
//! assert!(evaluate::evaluate(&file, &data)?.accuracy() > 0.95); // by the runtime crate, as on the board
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What folds, and into what
//! | stage | folds into |
//! |---|---|
//! | scaling, PCA before a linear map | the readout: `z = W x + b` |
//! | uniform scaling before a Gaussian or Laplacian kernel | centers pulled back, factor into gamma |
//! | scaling per feature before PCA | the projection, whose bias shifts the centers |
//! | scaling before stored random features | weights and phases; PCA too, where that is smaller |
//! | a common factor before random features from a seed | gamma; a device makes the weights, so nothing else can |
//! | multipliers before a polynomial kernel | the centers |
//! | the readout's bias | class means or prototypes, shifted the other way |
//!
//! The last line changes the embedding by a constant and no decision; a uniform scaling before plain k-NN, and
//! class means that are unit vectors but for one common factor, change it by that factor as well. Ask for
//! [`Export::keep_embedding`] where coordinates matter; [`Exported::similarity`] states what was given up, and
//! [`Exported::narrowing`] what single precision cost.

mod fold;
mod map;
pub mod quantize;
mod write;

pub use crate::model::map::seeded::Seeded;

use crate::error::DataError;
use crate::evaluate::{self, EvalError};
use crate::linalg::Mat;
use crate::model::{Fitted, ModelFile};
use fold::{Affine, Preprocessing};
use map::{FeatureMap, Folded};
use nearmark_format::{EncodeError, Info, ModelBuf, Readout, Scale, extras};

/// A fitted model that the device cannot run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// Stages come in another order than the device's.
    #[error("{0} comes after a stage that the device runs later")]
    Order(&'static str),
    /// A count that the format cannot express.
    #[error("{what}: {got}, but a model takes at most {max}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// The format's limit.
        max: usize,
        /// How many there are.
        got: usize,
    },
    /// A number that f32 cannot hold.
    #[error("{section}: {value:e} is out of range in single precision")]
    Overflow {
        /// Where the number belongs.
        section: &'static str,
        /// The number.
        value: f64,
    },
    /// Random features said to come from a seed do not.
    #[error("the random features were not made from seed {0}")]
    NotFromSeed(u64),
    /// Rows do not fit the fitted model.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The finished model could not be run.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The format refused the model.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// How to write a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Embed exactly as the fit does, at the price of a bias, a scaling or means that could be left out.
    pub keep_embedding: bool,
    /// Store class names, unless they are just the numbers from zero.
    pub names: bool,
    /// Store the row numbers of the centers, where the method chose them: four bytes per center.
    pub exemplars: bool,
    /// Provenance, behind the part that goes to flash.
    pub info: Option<Info>,
}

impl Default for Export {
    /// The same decisions in as few bytes as possible, with names and exemplars.
    fn default() -> Self {
        Self { keep_embedding: false, names: true, exemplars: true, info: None }
    }
}

/// How the fit's embedding follows from the model's: `z_fitted = scale · z_model + shift`.
#[derive(Debug, Clone, PartialEq)]
pub struct Similarity {
    /// The factor; distances grow by it, squared distances by its square.
    pub scale: f64,
    /// One value per axis.
    pub shift: Vec<f64>,
}

impl Similarity {
    /// Rows of the model's embedding in the fit's coordinates.
    #[must_use]
    pub fn to_fitted(&self, z: &Mat) -> Mat {
        Mat::from_fn(z.nrows(), z.ncols(), |i, j| z[(i, j)] * self.scale + self.shift[j])
    }

    /// Rows of the fit's embedding in the model's coordinates.
    fn to_model(&self, z: &Mat) -> Mat {
        Mat::from_fn(z.nrows(), z.ncols(), |i, j| (z[(i, j)] - self.shift[j]) / self.scale)
    }
}

/// A model ready to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The model.
    pub model: ModelBuf,
    /// What became of the embedding.
    pub similarity: Similarity,
}

impl Exported {
    /// The model file.
    ///
    /// # Errors
    /// [`ExportError::Encode`] when a size is more than the format can express.
    pub fn encode(&self) -> Result<ModelFile, ExportError> {
        Ok(ModelFile::encode(&self.model)?)
    }

    /// Embeds and classifies rows both ways.
    ///
    /// # Errors
    /// [`ExportError`] when the model cannot be written or the rows do not fit it.
    pub fn narrowing(&self, fitted: &Fitted, rows: &Mat) -> Result<Narrowing, ExportError> {
        let file = self.encode()?;
        let truth = fitted.embed(rows)?;
        let gap = (self.similarity.to_fitted(&evaluate::embed(&file, rows)?) - &truth).amax();
        let found = evaluate::predict(&file, rows)?;
        let moved = fitted.head().classify(&truth).into_iter().zip(found).enumerate();
        let moved = moved.filter(|(_, (class, found))| *class != usize::from(found.class().0));
        let largest = truth.amax();
        let embedding = if largest > 0.0 { gap / largest } else { gap };
        Ok(Narrowing { rows: rows.nrows(), embedding, moved: moved.map(|(row, _)| row).collect() })
    }
}

/// The gap between the fit in f64 and the runtime on the finished bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Narrowing {
    /// Rows compared.
    pub rows: usize,
    /// Largest gap of a coordinate, relative to the largest coordinate.
    pub embedding: f64,
    /// Rows that the runtime puts in another class than the fit, in ascending order.
    pub moved: Vec<usize>,
}

/// Writes with the defaults of [`Export`].
///
/// # Errors
/// As [`Export::model`].
pub fn model(fitted: &Fitted) -> Result<Exported, ExportError> {
    Export::default().model(fitted)
}

impl Export {
    /// Folds and narrows a fitted model.
    ///
    /// # Errors
    /// [`ExportError`] naming the stage, count or section that the device cannot have.
    pub fn model(&self, fitted: &Fitted) -> Result<Exported, ExportError> {
        let before = Preprocessing::fold(fitted.stages())?;
        let mut folded = Folded::new(before.affine, fitted.map())?;
        if !self.keep_embedding {
            folded.keep_decisions_only(fitted.head());
        }
        let mut model = ModelBuf::new(fitted.inputs(), fitted.dim(), fitted.class_names().len());
        model.input = fitted.number();
        (model.shape, model.window, model.pool, model.select) =
            (before.shape, before.window, before.pool, before.select);
        model.convolution = before.convolution;
        model.series = before.series;
        model.scale = write::scale(&folded.scale)?;
        if before.unit {
            // The device scales once; what follows unit length goes through a projection instead.
            let width = fitted.map().inputs();
            if let Affine::Uniform { .. } | Affine::Features { .. } = folded.scale {
                let (mul, add) = folded.scale.per_feature(width);
                let diagonal = Mat::from_diagonal(&nalgebra::DVector::from_vec(mul));
                folded.project = Some(crate::preprocess::Projection { weights: diagonal, bias: add });
            }
            model.scale = Scale::Unit;
        }
        model.project = folded.project.as_ref().map(write::project).transpose()?;
        model.feature_map = write::feature_map(&folded.feature_map)?;
        if let Some(weights) = &folded.readout {
            let bias = write::unless_zero("readout bias", &folded.bias)?;
            model.readout = Some(Readout { weights: write::matrix("readout", weights)?, bias, ..Readout::default() });
        }
        model.head = write::head(fitted.head(), &folded.similarity)?;
        if self.names && !are_numbers(fitted.class_names()) {
            model.names = fitted.class_names().to_vec();
        }
        let centers = if let FeatureMap::Centers { centers, .. } = &folded.feature_map { centers.nrows() } else { 0 };
        if self.exemplars && centers > 0 && fitted.exemplars().len() == centers {
            let payload = fitted.exemplars().iter().flat_map(|&row| (row as u32).to_le_bytes()).collect();
            model.extras.insert(extras::EXEMPLARS, (false, payload));
        }
        if let Some(payload) = write::ids(fitted.head()) {
            model.extras.insert(extras::ITEMS, (false, payload));
        }
        model.info.clone_from(&self.info);
        Ok(Exported { model, similarity: folded.similarity })
    }
}

/// A count in the type that the format has for it.
fn limited<T: TryFrom<usize>>(what: &'static str, max: usize, got: usize) -> Result<T, ExportError> {
    T::try_from(got).map_err(|_| ExportError::TooMany { what, max, got })
}

/// Whether the names are `0`, `1`, … and so on.
fn are_numbers(names: &[String]) -> bool {
    names.iter().enumerate().all(|(i, name)| *name == i.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;
    use crate::dataset::synthetic::blobs;
    use crate::methods::cmvda::{self, Cmvda};
    use crate::methods::ebek::Ebek;
    use crate::methods::{Method, dple::Dple};
    use crate::{HeadChoice, Pipeline};
    use nearmark_format::Head;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn the_same_fit_gives_the_same_bytes() -> Outcome {
        let data = blobs(3, 20, 5, 1.0, 0);
        let bytes = || -> Result<_, Box<dyn std::error::Error>> {
            let method = Cmvda::default();
            let pipeline = Pipeline::new(&method);
            let fitted = pipeline.fit(&data)?;
            let info = Some(crate::model::provenance::info(&pipeline, &data, &fitted));
            Ok(Export { info, ..Export::default() }.model(&fitted)?.encode()?)
        };
        assert_eq!(bytes()?, bytes()?);
        Ok(())
    }

    #[test]
    fn names_are_stored_unless_they_are_the_numbers_from_zero() -> Outcome {
        let numbers = blobs(3, 10, 4, 1.0, 0);
        let names: Vec<&str> = numbers.labels().iter().map(|&label| ["a", "b", "c"][label]).collect();
        let named = Dataset::new(numbers.rows().clone(), &names)?;
        assert!(model(&Cmvda::default().fit(&numbers)?)?.model.names.is_empty());
        let fitted = Cmvda::default().fit(&named)?;
        assert_eq!(model(&fitted)?.model.names, ["a", "b", "c"]);
        assert!(Export { names: false, ..Export::default() }.model(&fitted)?.model.names.is_empty());
        Ok(())
    }

    #[test]
    fn exemplars_keep_their_row_numbers() -> Outcome {
        let fitted = Ebek::default().fit(&blobs(3, 20, 5, 1.0, 0))?;
        let exported = model(&fitted)?;
        let expected: Vec<u8> = fitted.exemplars().iter().flat_map(|&row| (row as u32).to_le_bytes()).collect();
        assert_eq!(exported.model.extras[&extras::EXEMPLARS], (false, expected));
        exported.encode()?;
        Ok(())
    }

    #[test]
    fn means_that_are_unit_vectors_cost_nothing() -> Outcome {
        let (data, new) = (blobs(3, 20, 5, 0.8, 0), blobs(3, 60, 5, 0.8, 0));
        let exact = Cmvda::new(cmvda::Params { ridge: 0.0, ..cmvda::Params::default() })?;
        let fitted = exact.fit(&data)?;
        let exported = model(&fitted)?;
        assert_eq!(exported.model.head, Head::Unit);
        let narrowing = exported.narrowing(&fitted, new.rows())?;
        assert_eq!((narrowing.rows, narrowing.moved), (180, Vec::new()));
        // Classes of different sizes have means of different lengths: the flag would change answers.
        let uneven: Vec<usize> = (0..data.len()).filter(|i| data.labels()[*i] > 0 || i % 2 == 0).collect();
        let exported = model(&exact.fit(&data.select(&uneven))?)?;
        assert!(matches!(exported.model.head, Head::Means(_)));
        Ok(())
    }

    #[test]
    fn the_embedding_is_kept_on_demand() -> Outcome {
        let data = blobs(3, 20, 5, 1.0, 0);
        let method = Dple::default();
        let pipeline = Pipeline { head: Some(HeadChoice::Neighbors(1)), ..Pipeline::new(&method) };
        let fitted = pipeline.fit(&data)?;
        let (small, kept) = (model(&fitted)?, Export { keep_embedding: true, ..Export::default() }.model(&fitted)?);
        let bias = |exported: &Exported| exported.model.readout.as_ref().map(|readout| readout.bias.len());
        assert_eq!((bias(&small), bias(&kept)), (Some(0), Some(fitted.dim())));
        assert_eq!(kept.similarity, Similarity { scale: 1.0, shift: vec![0.0; fitted.dim()] });
        assert!(small.narrowing(&fitted, data.rows())?.embedding < 1e-5);
        assert!(kept.narrowing(&fitted, data.rows())?.embedding < 1e-5);
        Ok(())
    }

    #[test]
    fn more_neighbors_than_a_byte_can_count_are_refused() -> Outcome {
        let fitted = Cmvda::default().fit(&blobs(2, 150, 3, 1.0, 0))?.with_head(HeadChoice::Neighbors(256))?;
        let error = ExportError::TooMany { what: "neighbors that vote", max: 255, got: 256 };
        assert_eq!(model(&fitted), Err(error));
        Ok(())
    }
}
