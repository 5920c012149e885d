//! A fit in words: what the command line and a configuration file can say, and how it becomes a model.
//!
//! ```
//! use nearmark_train::{Run, config::Recipe, dataset::synthetic, evaluate};
//!
//! let data = synthetic::moons(50, 0.1, 0);
//! let recipe = Recipe { method: "kdple".into(), ..Recipe::default() };
//! let trained = recipe.train(&data, &Run::default())?;
//! assert!(evaluate::evaluate(&trained.model, &data)?.accuracy() > 0.95);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod amounts;
mod budget;
mod choose;
mod desk;
mod error;
mod explored;
mod fronts;
mod method;
mod numeric;
mod scalars;
mod train;
mod words;

pub use amounts::{Bytes, Count, Size};
#[cfg(feature = "tune")]
pub(crate) use budget::Exploration;
pub use choose::{CANDIDATES, Candidate};
pub use error::RecipeError;
pub use explored::Budgeted;
pub use method::{NAMES, SettingError};
pub use numeric::Numeric;
pub use train::{Cost, Holdout, Trained};
pub use words::{KernelName, WindowChoice, WordError};

use crate::kernel::Sigma;
use crate::methods::features::FeatureChoice;
use crate::methods::{Dim, Method};
use crate::model::head::HeadChoice;
use crate::preprocess::{Components, Pool, Scaling, Window};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that determines a model, apart from the rows. What is left out keeps its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// The method's name, or `auto`.
    pub method: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Length of the embedding.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dim: Option<Dim>,
    /// What names the class.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<HeadChoice>,
    /// Scaling of the inputs.
    #[serde(deserialize_with = "scalars::read", serialize_with = "scalars::write")]
    pub scale: Scaling,
    /// Principal axes before the method.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pca: Option<Components>,
    /// The kernel.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelName>,
    /// Its width.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sigma: Option<Sigma>,
    /// Exact, Nyström or random features.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<FeatureChoice>,
    /// Channels and time steps, where a row is a sensor window.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Size>,
    /// Whether windows become statistics.
    #[serde(deserialize_with = "scalars::read", serialize_with = "scalars::write")]
    pub window: WindowChoice,
    /// Segments per window.
    pub segments: usize,
    /// Whether a row holds its channels side by side, as a driver delivers them.
    pub interleaved: bool,
    /// Rows and columns, where a row is an image.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<Size>,
    /// Side of the blocks of pixels that are summed; 1 is none.
    pub pool: usize,
    /// In what numbers the device computes.
    #[serde(deserialize_with = "scalars::read", serialize_with = "scalars::write")]
    pub numeric: Numeric,
    /// Whether class names are stored.
    pub names: bool,
    /// Whether the model embeds exactly as the fit does, at the price of some bytes.
    pub keep_embedding: bool,
    /// Bytes of flash that the model may take, class names included: then it is searched for within the limits.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flash: Option<Bytes>,
    /// Bytes of scratch that it may take.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ram: Option<Bytes>,
    /// Instructions that one classification may take on `board`.
    #[serde(deserialize_with = "scalars::read_some", serialize_with = "scalars::write_some")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insns: Option<Count>,
    /// The board that instructions are counted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// The method's own parameters by name.
    #[serde(deserialize_with = "scalars::read_table")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
}

impl Default for Recipe {
    /// CMVDA behind automatic scaling: good on everything tried, in closed form.
    fn default() -> Self {
        Self {
            method: "cmvda".to_owned(),
            seed: 0,
            dim: None,
            head: None,
            scale: Scaling::Auto,
            pca: None,
            kernel: None,
            sigma: None,
            features: None,
            series: None,
            window: WindowChoice::Auto,
            segments: 1,
            interleaved: false,
            image: None,
            pool: 1,
            numeric: Numeric::F32,
            names: true,
            keep_embedding: false,
            flash: None,
            ram: None,
            insns: None,
            board: None,
            set: BTreeMap::new(),
        }
    }
}

impl Recipe {
    /// The method with its parameters.
    ///
    /// # Errors
    /// [`SettingError`] naming the method or parameter that does not exist or cannot be had.
    pub fn method(&self) -> Result<Box<dyn Method>, SettingError> {
        method::build(&self.method, self.settings())
    }

    /// The same recipe for another method, less the settings which that one does not know: one set of them serves
    /// many methods.
    ///
    /// # Errors
    /// [`SettingError`] when there is no such method, or a setting that it knows cannot be had.
    pub fn adapted(&self, method: &str) -> Result<Self, SettingError> {
        let mut recipe = Self { method: method.to_owned(), ..self.clone() };
        loop {
            match recipe.method() {
                Err(SettingError::Unknown { key, .. }) => match key.as_str() {
                    "--dim" => recipe.dim = None,
                    "--kernel" => recipe.kernel = None,
                    "--sigma" => recipe.sigma = None,
                    "--features" => recipe.features = None,
                    _ => drop(recipe.set.remove(&key)),
                },
                other => return other.map(|_| recipe),
            }
        }
    }

    fn settings(&self) -> desk::Settings {
        desk::Settings {
            dim: self.dim,
            kernel: self.kernel,
            sigma: self.sigma,
            features: self.features,
            set: self.set.clone(),
            seed: self.seed,
        }
    }

    /// The window statistics that this recipe would take, if rows are windows.
    fn window(&self) -> Result<Option<Window>, SettingError> {
        let of = |Size(channels, steps)| Window::new(channels, steps, self.segments, self.interleaved);
        Ok(self.series.map(of).transpose()?)
    }

    fn pool(&self) -> Result<Option<Pool>, SettingError> {
        match self.image {
            Some(Size(rows, cols)) if self.pool != 1 => Ok(Some(Pool::new(1, rows, cols, self.pool)?)),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_sheds_what_another_method_does_not_know() -> Result<(), SettingError> {
        let set = [("ridge", "0.1"), ("mu1", "200")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let recipe =
            Recipe { sigma: Some(Sigma::Mean), features: Some(FeatureChoice::Exact), set, ..Recipe::default() };
        let lda = recipe.adapted("lda")?;
        assert_eq!((lda.sigma, lda.features), (None, None));
        assert_eq!(lda.set.keys().collect::<Vec<_>>(), ["ridge"]);
        assert!(recipe.adapted("no-such").is_err());
        Ok(())
    }
}
