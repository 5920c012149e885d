//! What a model file is made of: where every byte goes, what each stage does, what an answer costs.
//!
//! ```
//! use nearmark_train::{Method, compile, dataset::synthetic, methods::cmvda::Cmvda, model::inspect::Anatomy};
//!
//! let fitted = Cmvda::default().fit(&synthetic::moons(50, 0.1, 0))?;
//! let bytes = compile::model(&fitted)?.encode()?;
//! let anatomy = Anatomy::of(&bytes)?;
//! assert_eq!(anatomy.parts.iter().map(|part| part.bytes).sum::<usize>(), bytes.len());
//! assert_eq!(anatomy.features, ["f32", "gaussian"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cost;
mod parts;
mod stages;

pub use parts::Part;

use crate::evaluate;
use nearmark::{LoadError, Model, Num};
use nearmark_format::{AlignedBuf, Info, needs};

/// A model file taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Anatomy {
    /// Bytes in flash: the core, without provenance.
    pub flash_bytes: usize,
    /// Bytes on disk.
    pub file_bytes: usize,
    /// Bytes of scratch that one classification needs.
    pub ram_bytes: usize,
    /// Where every byte of the file goes, in the order of the file, padding last; they sum to `file_bytes`.
    pub parts: Vec<Part>,
    /// What happens to a sample, a line per stage.
    pub stages: Vec<String>,
    /// Values per sample.
    pub inputs: usize,
    /// Length of the embedding.
    pub dim: usize,
    /// Number of classes.
    pub classes: usize,
    /// Names of the classes; those that the model does not store are their numbers.
    pub class_names: Vec<String>,
    /// The profile: `f32` or `int`.
    pub numeric: &'static str,
    /// The type of the training rows as given; what samples of an integer model must have.
    pub input: Num,
    /// Multiplications and divisions of one classification.
    ///
    /// From the dimensions alone: per stage, a multiplication per value scaled, per weight of the projection
    /// (stored ones, if it is sparse), per coordinate of a center or random weight, per readout weight and per
    /// coordinate of a mean or prototype, plus γ once per center. Exponentials and cosines are counted apart.
    pub multiplications: u64,
    /// Exponentials or cosines of one classification, of about ten multiplications each.
    pub exponentials: u64,
    /// Cargo features of the runtime that the model needs.
    pub features: Vec<&'static str>,
    /// The line of `Cargo.toml` with exactly these features.
    pub dependency: String,
    /// The model's id, its checksum: `0x` and eight digits.
    pub id: String,
    /// How the model was made, if the file tells.
    pub info: Option<Info>,
}

impl Anatomy {
    /// Takes a model file apart.
    ///
    /// # Errors
    /// [`LoadError`] when the bytes are not a model.
    pub fn of(bytes: &[u8]) -> Result<Self, LoadError> {
        let aligned = AlignedBuf::from(bytes);
        let model = Model::from_bytes(&aligned)?;
        let layout = model.layout();
        let header = layout.header();
        let (multiplications, exponentials) = cost::of(layout);
        Ok(Self {
            flash_bytes: header.core_len as usize,
            file_bytes: bytes.len(),
            ram_bytes: 4 * model.scratch_words(),
            parts: parts::of(layout, bytes.len()),
            stages: stages::of(layout),
            inputs: model.inputs(),
            dim: model.dim(),
            classes: model.classes(),
            class_names: evaluate::class_names(&model),
            numeric: if layout.int() { "int" } else { "f32" },
            input: layout.meta().input(),
            multiplications,
            exponentials,
            features: needs::features(header.needs.into()).collect(),
            dependency: dependency(header.needs.into()),
            id: format!("0x{:08X}", header.crc),
            info: Info::from_model(&aligned)?,
        })
    }
}

/// The line of `Cargo.toml` for a model with these needs.
pub(crate) fn dependency(needs: u32) -> String {
    let features: Vec<String> = needs::features(needs).map(|name| format!("{name:?}")).collect();
    let version = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
    let features = features.join(", ");
    format!("nearmark = {{ version = \"{version}\", default-features = false, features = [{features}] }}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_format::{FeatureMap, Head, ModelBuf, Projection, Scale, Tensor};
    use std::{error::Error, fs, path::Path};

    type Outcome<T = ()> = Result<T, Box<dyn Error>>;

    /// Every committed golden model: its name and bytes.
    fn goldens() -> Outcome<Vec<(String, Vec<u8>)>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
        let mut goldens = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "nmk") {
                goldens.push((path.display().to_string(), fs::read(&path)?));
            }
        }
        assert!(goldens.len() > 10, "there are golden models to look at");
        Ok(goldens)
    }

    fn bytes_of(tensor: &Tensor) -> usize {
        let size = match tensor.num() {
            Num::F32 => 4,
            Num::I16 => 2,
            Num::I8 | Num::U8 => 1,
        };
        tensor.len() * size
    }

    /// What each part must hold, by the arrays of the decoded model.
    fn expected(model: &ModelBuf) -> Vec<(&'static str, usize)> {
        let mut parts = vec![("header", 32), ("metadata", 104)];
        let mut add = |name, bytes| parts.push((name, bytes));
        if let Some(mask) = &model.select {
            add("selection", mask.len().div_ceil(8));
        }
        match &model.scale {
            Scale::Features { mul, add: offset } => add("scaling", 4 * (mul.len() + offset.len())),
            Scale::IntFeatures { zero, mul } => add("scaling", 2 * (zero.len() + mul.len())),
            _ => {}
        }
        if let Some(Projection { values, sparse: false, bias, int_bias, outputs }) = &model.project {
            // A 16-bit multiplier per output goes with integer weights.
            let multipliers = if model.int.is_some() { *outputs } else { 0 };
            add("projection", bytes_of(values) + 2 * multipliers);
            add("projection bias", 4 * (bias.len() + int_bias.len()));
        }
        match &model.feature_map {
            FeatureMap::Centers { values, .. } => add("centers", bytes_of(values)),
            FeatureMap::Random { weights, phases, int_phases, .. } => {
                add("random weights", bytes_of(weights));
                add("phases", 4 * phases.len() + 2 * int_phases.len());
            }
            _ => {}
        }
        if let Some(readout) = &model.readout {
            add("readout", bytes_of(&readout.weights) + 2 * readout.int_mul.len());
            add("readout bias", 4 * (readout.bias.len() + readout.int_bias.len()));
        }
        match &model.head {
            Head::Means(values) => add("class means", bytes_of(values)),
            Head::Prototypes { values, counts, .. } => {
                add("prototypes", bytes_of(values));
                add("prototype counts", 2 * counts.len());
            }
            Head::Unit => {}
        }
        if !model.names.is_empty() {
            add("extra: class names", 8 + model.names.iter().map(|name| 1 + name.len()).sum::<usize>());
        }
        parts.retain(|(_, bytes)| *bytes > 0);
        parts
    }

    #[test]
    fn every_byte_of_every_golden_is_told_once() -> Outcome {
        for (name, bytes) in goldens()? {
            let anatomy = Anatomy::of(&bytes).map_err(|why| format!("{name}: {why}"))?;
            assert_eq!(anatomy.parts.iter().map(|part| part.bytes).sum::<usize>(), bytes.len(), "{name}");
            assert!(anatomy.parts.iter().all(|part| part.bytes > 0), "{name}");
            let model = ModelBuf::decode(&AlignedBuf::from(bytes.as_slice()))?;
            for (part, expected) in expected(&model) {
                let found = anatomy.parts.iter().find(|found| found.name == part).map(|found| found.bytes);
                assert_eq!(found, Some(expected), "{name}: {part}");
            }
            let provenance = anatomy.parts.iter().find(|part| part.name == "provenance").map_or(0, |part| part.bytes);
            assert_eq!(anatomy.flash_bytes + provenance, anatomy.file_bytes, "{name}");
            assert_eq!(anatomy.info, model.info, "{name}");
            assert_eq!((anatomy.inputs, anatomy.dim, anatomy.classes), (model.inputs, model.dim, model.classes));
            assert!(!anatomy.stages.is_empty() && anatomy.multiplications > 0, "{name}");
        }
        Ok(())
    }

    #[test]
    fn the_reference_model_is_described_in_words_and_numbers() -> Outcome {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
        let anatomy = Anatomy::of(&fs::read(folder.join("bench-gaussian.nmk"))?)?;
        assert!(anatomy.stages[0].starts_with("100 gaussian centers of 64 values, gamma "), "{:?}", anatomy.stages);
        // 100 centers of 64 values and γ, a readout to 9 coordinates, 10 means of 9.
        assert_eq!(anatomy.multiplications, 100 * 64 + 100 + 100 * 9 + 10 * 9);
        assert_eq!(anatomy.exponentials, 100);
        assert_eq!(
            anatomy.dependency,
            r#"nearmark = { version = "0.1", default-features = false, features = ["f32", "gaussian"] }"#
        );
        Ok(())
    }

    #[test]
    fn what_is_no_model_is_refused() {
        assert_eq!(Anatomy::of(b"not a model"), Err(LoadError::TooShort));
    }
}
