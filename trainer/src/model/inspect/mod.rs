//! What a model file is made of: where every byte goes, what each stage does, what an answer costs.
//!
//! ```
//! use nearmark_train::{Inspection, Method, compile, dataset::synthetic, methods::cmvda::Cmvda};
//!
//! let fitted = Cmvda::default().fit(&synthetic::moons(50, 0.1, 0))?;
//! let file = compile::model(&fitted)?.encode()?;
//! let inspection = Inspection::of(&file);
//! assert_eq!(inspection.parts.iter().map(|part| part.bytes).sum::<usize>(), file.bytes().len());
//! assert_eq!(inspection.features, ["f32", "gaussian"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod parts;
mod stages;

pub use parts::Part;

use crate::model::ModelFile;
use crate::model::cost::{Operations, Shape};
use nearmark::Num;
use nearmark_format::{Info, needs};

/// The facts about a model file.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// Bytes in flash: the core, without provenance.
    pub flash_bytes: usize,
    /// Bytes on disk.
    pub file_bytes: usize,
    /// Bytes of scratch that one classification needs.
    pub ram_bytes: usize,
    /// Bytes of the window that a `Stream` keeps besides, with values of the model's type; none where the model takes no series.
    pub stream_bytes: Option<usize>,
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
    /// Names of the classes; their numbers where the file has none.
    pub class_names: Vec<String>,
    /// Stored items, or points that vote; none where the head has class means.
    pub items: Option<usize>,
    /// Whether samples are time series that lie step by step, all channels of a step side by side.
    pub interleaved: bool,
    /// The profile: `f32` or `int`.
    pub numeric: &'static str,
    /// The type of the training rows as given; what samples of an integer model must have.
    pub input: Num,
    /// The arithmetic of one classification.
    pub operations: Operations,
    /// Cargo features of the runtime that the model needs.
    pub features: Vec<&'static str>,
    /// The line of `Cargo.toml` with exactly these features.
    pub dependency: String,
    /// The model's id, its checksum: `0x` and eight digits.
    pub id: String,
    /// How the model was made, if the file has provenance.
    pub info: Option<Info>,
}

impl Inspection {
    /// Inspects a model file.
    #[must_use]
    pub fn of(file: &ModelFile) -> Self {
        let (model, header) = (file.model(), file.header());
        let layout = model.layout();
        Self {
            flash_bytes: file.core_len(),
            file_bytes: file.bytes().len(),
            ram_bytes: file.scratch_bytes(),
            stream_bytes: model.series().map(|(channels, steps)| channels * steps * file.input().bytes()),
            parts: parts::of(layout, file.bytes().len()),
            stages: stages::of(layout),
            inputs: header.inputs as usize,
            dim: header.dim.into(),
            classes: header.classes.into(),
            class_names: file.class_names().to_vec(),
            items: file.items(),
            interleaved: file.is_interleaved(),
            numeric: if file.is_integer() { "int" } else { "f32" },
            input: file.input(),
            operations: Shape::of(file).operations(),
            features: needs::features(header.needs.into()).collect(),
            dependency: dependency(header.needs.into()),
            id: format!("0x{:08X}", header.crc),
            info: file.info().cloned(),
        }
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
pub(crate) mod tests {
    use super::*;
    use nearmark_format::{FeatureMap, Head, ModelBuf, Projection, Scale, Tensor};
    use std::{error::Error, fs, path::Path};

    pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

    const GOLDENS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden");

    /// Every committed golden model: its path and file.
    pub(crate) fn goldens() -> Outcome<Vec<(String, ModelFile)>> {
        let mut goldens = Vec::new();
        for entry in fs::read_dir(GOLDENS)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "nmk") {
                goldens.push((path.display().to_string(), ModelFile::read(&path)?));
            }
        }
        assert!(goldens.len() > 20, "there are golden models to look at");
        Ok(goldens)
    }

    pub(crate) fn golden(name: &str) -> Outcome<ModelFile> {
        Ok(ModelFile::read(Path::new(GOLDENS).join(name).with_extension("nmk"))?)
    }

    fn bytes_of(tensor: &Tensor) -> usize {
        match tensor {
            Tensor::F32(values) => size_of_val(values.as_slice()),
            Tensor::I16(values) => size_of_val(values.as_slice()),
            Tensor::I8(_) | Tensor::U8(_) => tensor.len(),
        }
    }

    /// The weights of a matrix, of 4 bits each if it is narrow.
    fn weights_of(tensor: &Tensor, narrow: bool) -> usize {
        if narrow { tensor.len().div_ceil(2) } else { bytes_of(tensor) }
    }

    /// What each part must hold, by the arrays of the decoded model.
    fn expected(model: &ModelBuf) -> Outcome<Vec<(&'static str, usize)>> {
        let narrow = model.int.as_ref().map(|int| int.nibbles).unwrap_or_default();
        let mut parts = vec![("header", 28), ("metadata", model.spec()?.preamble_len() - 28)];
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
            add("projection", weights_of(values, narrow.project) + 2 * multipliers);
            add("projection bias", 4 * (bias.len() + int_bias.len()));
        }
        match &model.feature_map {
            FeatureMap::Centers { values, .. } => add("centers", weights_of(values, narrow.centers)),
            FeatureMap::Random { weights, phases, int_phases, .. } => {
                add("random weights", bytes_of(weights));
                add("phases", 4 * phases.len() + 2 * int_phases.len());
            }
            _ => {}
        }
        if let Some(readout) = &model.readout {
            add("readout", weights_of(&readout.weights, narrow.readout) + 2 * readout.int_mul.len());
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
        Ok(parts)
    }

    #[test]
    fn every_byte_of_every_golden_is_listed_once() -> Outcome {
        for (name, file) in goldens()? {
            let inspection = Inspection::of(&file);
            assert_eq!(inspection.parts.iter().map(|part| part.bytes).sum::<usize>(), file.bytes().len(), "{name}");
            assert!(inspection.parts.iter().all(|part| part.bytes > 0), "{name}");
            let model = file.decode();
            let bytes = |name| inspection.parts.iter().find(|part| part.name == name).map(|part| part.bytes);
            for (part, expected) in expected(&model)? {
                assert_eq!(bytes(part), Some(expected), "{name}: {part}");
            }
            let provenance = bytes("provenance").unwrap_or(0);
            assert_eq!(inspection.flash_bytes + provenance, inspection.file_bytes, "{name}");
            assert_eq!(inspection.info, model.info, "{name}");
            assert_eq!(
                (inspection.inputs, inspection.dim, inspection.classes),
                (model.inputs, model.dim, model.classes)
            );
            assert!(!inspection.stages.is_empty() && inspection.operations.multiplications > 0, "{name}");
        }
        Ok(())
    }

    #[test]
    fn the_reference_model_is_described_in_words_and_numbers() -> Outcome {
        let inspection = Inspection::of(&golden("bench-gaussian")?);
        assert!(
            inspection.stages[0].starts_with("100 gaussian centers of 64 values, gamma "),
            "{:?}",
            inspection.stages
        );
        // 100 centers of 64 values and γ, a readout to 9 coordinates, 10 means of 9.
        let expected = Operations { multiplications: 100 * 64 + 100 + 100 * 9 + 10 * 9, exponentials: 100 };
        assert_eq!(inspection.operations, expected);
        assert_eq!(
            inspection.dependency,
            r#"nearmark = { version = "0.1", default-features = false, features = ["f32", "gaussian"] }"#
        );
        Ok(())
    }
}
