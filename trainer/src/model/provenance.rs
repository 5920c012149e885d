//! Where a model came from: never the time, the host, a path or the number of threads.

use crate::dataset::Dataset;
use crate::kernel::Kernel;
use crate::model::Fitted;
use crate::model::head::{Head, HeadChoice};
use crate::model::map::{Basis, Map};
use crate::pipeline::Pipeline;
use nearmark_format::Info;
use std::iter;

/// What is known of a fit: method, every parameter by name, seed, hash of the data, number of rows, exemplars.
///
/// Scores, names and the order of channels are the caller's to add. The seed is the method's own, 0 where it has none.
#[must_use]
pub fn info(pipeline: &Pipeline<'_>, data: &Dataset, fitted: &Fitted) -> Info {
    let mut params: Vec<(&str, String)> = pipeline.method.params();
    params.push(("head", head(pipeline.head, fitted.head())));
    params.push(("scale", pipeline.scaling.to_string()));
    if !data.is_labelled() {
        params.push(("labels", "none".to_owned()));
    }
    if let Some(window) = pipeline.window {
        let order = if window.is_interleaved() { ", interleaved" } else { "" };
        let text = format!("{}x{}, {} segments{order}", window.channels(), window.steps(), window.segments());
        params.push(("window", text));
    }
    if let Some(pool) = pipeline.pool {
        let (channels, rows, cols) = pool.shape();
        let (tall, wide) = pool.block();
        params.push(("pool", format!("{tall}x{wide} of {channels}x{rows}x{cols}")));
    }
    if let Some(pca) = pipeline.pca {
        params.push(("pca", pca.to_string()));
    }
    if let Map::Mapped { basis: Basis::Centers { kernel, .. }, .. } = fitted.map()
        && let Kernel::Gaussian { gamma } | Kernel::Laplacian { gamma } | Kernel::Polynomial { gamma, .. } = kernel
    {
        params.push(("gamma", gamma.to_string()));
    }
    let class = |row: usize| (row as u64, fitted.labels()[row] as u16);
    let exemplars = fitted.exemplars().iter().map(|&row| class(row)).collect();
    let similarities = fitted.takes_similarities();
    Info {
        exemplars,
        similarities,
        ..record(pipeline.method.name(), params, pipeline.method.seed().unwrap_or(0), data)
    }
}

/// Whether gradient descent changed the model after its closed form, so that it is no longer the method's own.
#[must_use]
pub fn is_trained(info: &Info) -> bool {
    info.params.iter().any(|(name, value)| name == TRAINING && value != UNTRAINED)
}

/// The method, or what training started from: the targets of the method.
#[must_use]
pub fn made_with(info: &Info) -> String {
    if is_trained(info) { format!("trained from {} targets", info.method) } else { info.method.clone() }
}

/// The parameter by which the budget search records its training, and its value where there was none.
pub(crate) const TRAINING: &str = "training";
pub(crate) const UNTRAINED: &str = "none";

/// The parameter that has a field of its own.
const SEED: &str = "seed";

/// A record of a method with these parameters on these rows, whatever made the model.
///
/// Of parameters with the same name the least in the alphabet is kept.
pub(crate) fn record<'a>(
    method: &str,
    params: impl IntoIterator<Item = (&'a str, String)>,
    seed: u64,
    data: &Dataset,
) -> Info {
    let named = params.into_iter().filter(|(name, _)| *name != SEED);
    let mut params: Vec<(String, String)> = named.map(|(name, value)| (name.to_owned(), value)).collect();
    params.sort();
    params.dedup_by(|a, b| a.0 == b.0);
    Info {
        tool: concat!("nearmark ", env!("CARGO_PKG_VERSION")).to_owned(),
        method: method.to_owned(),
        params,
        seed,
        data_hash: data_hash(data),
        rows: data.len() as u64,
        ..Info::default()
    }
}

/// The head asked for, else the method's own.
fn head(choice: Option<HeadChoice>, fitted: &Head) -> String {
    match (choice, fitted) {
        (Some(HeadChoice::Prototypes(count)), _) => format!("prototypes:{count}"),
        (Some(HeadChoice::Items), _) => "items".to_owned(),
        (_, Head::Means(_)) => "mean".to_owned(),
        (_, Head::Prototypes { k, .. }) => format!("knn:{k}"),
    }
}

/// 128 bits that distinguish data sets: shape, values row by row, and labels by name.
///
/// FNV-1a over 64-bit words with its high half folded down after each, since the low bits of round floats
/// are all alike. It identifies data; it is no protection against forgery.
#[must_use]
pub fn data_hash(data: &Dataset) -> [u8; 16] {
    let shape = [data.len() as u64, data.width() as u64];
    // −0 and 0 are the same number.
    let dense = data.rows();
    let values = (0..data.len()).flat_map(|i| (0..dense.ncols()).map(move |j| (dense[(i, j)] + 0.0).to_bits()));
    // Of sparse rows, what is not zero and where: filling them in would take longer than the fit.
    let sparse = data.sparse_rows().into_iter().flat_map(|rows| (0..rows.nrows()).map(|i| rows.row(i)));
    let sparse = sparse.flat_map(|(indices, values)| {
        let pairs = indices.iter().zip(values).flat_map(|(&index, &value)| [index.into(), (value + 0.0).to_bits()]);
        iter::once(indices.len() as u64).chain(pairs)
    });
    let labels = data.labels().iter().flat_map(|&label| {
        let name = &data.class_names()[label];
        iter::once(name.len() as u64).chain(name.bytes().map(u64::from))
    });
    hash(shape.into_iter().chain(values).chain(sparse).chain(labels))
}

/// 128 bits that distinguish byte strings, by the same function as [`data_hash`]; the same with every compiler.
pub(crate) fn bytes_hash(bytes: &[u8]) -> [u8; 16] {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    hash(iter::once(bytes.len() as u64).chain(bytes.chunks(8).map(word)))
}

fn hash(words: impl Iterator<Item = u64>) -> [u8; 16] {
    let hash = words.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |hash, word| {
        let hash = (hash ^ u128::from(word)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        hash ^ (hash >> 64)
    });
    hash.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;
    use crate::linalg::Mat;
    use crate::methods::cmvda::{Cmvda, Params};
    use crate::preprocess::Components;

    #[test]
    fn the_hash_sees_values_shape_and_labels() -> Result<(), crate::DataError> {
        let data = |values: &[f64], labels: &[&str]| {
            Dataset::new(Mat::from_row_slice(2, values.len() / 2, values), labels).map(|d| data_hash(&d))
        };
        let base = data(&[1.0, 2.0, 3.0, 4.0], &["a", "b"])?;
        assert_eq!(base, data(&[1.0, 2.0, 3.0, 4.0], &["a", "b"])?);
        assert_ne!(base, data(&[1.0, 2.0, 4.0, 3.0], &["a", "b"])?);
        assert_ne!(base, data(&[1.0, 2.0, 3.0, 4.0], &["a", "c"])?);
        assert_ne!(base, data(&[1.0, 2.0, 3.0, 4.0], &["b", "a"])?);
        assert_eq!(data(&[0.0, 1.0], &["a", "b"])?, data(&[-0.0, 1.0], &["a", "b"])?);
        Ok(())
    }

    #[test]
    fn parameters_come_sorted_with_the_constant_of_the_kernel() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 10, 4, 1.0, 0);
        let method = Cmvda::new(Params { seed: u64::MAX, ..Params::default() })?;
        let pipeline = Pipeline { pca: Some(Components::Count(2)), ..Pipeline::new(&method) };
        let info = info(&pipeline, &data, &pipeline.fit(&data)?);
        let names: Vec<&str> = info.params.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["dim", "features", "gamma", "head", "kernel", "pca", "ridge", "scale"]);
        assert_eq!((info.method.as_str(), info.rows, info.seed), ("cmvda", 30, u64::MAX));
        Ok(())
    }

    #[test]
    fn a_trained_model_is_no_longer_the_methods_own() {
        let with = |training: &str| record("nsse", [(TRAINING, training.to_owned())], 0, &blobs(2, 3, 2, 1.0, 0));
        assert_eq!(made_with(&with(UNTRAINED)), "nsse");
        assert_eq!(made_with(&with("900 steps of 64 rows")), "trained from nsse targets");
        assert_eq!(made_with(&Info { method: "lda".to_owned(), ..Info::default() }), "lda");
    }

    #[test]
    fn every_parameter_is_recorded_once_and_the_seed_in_its_own_field() {
        let params = [("seed", "7"), ("sigma", "2"), ("dim", "3"), ("sigma", "1")];
        let info = record("nsse", params.map(|(name, value)| (name, value.to_owned())), 7, &blobs(2, 3, 2, 1.0, 0));
        let kept: Vec<(&str, &str)> = info.params.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!((kept.as_slice(), info.seed, info.rows), (&[("dim", "3"), ("sigma", "1")][..], 7, 6));
    }
}
