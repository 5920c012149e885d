//! The folded stages in the format's terms, narrowed from f64 to f32 last of all: what f32 cannot hold is refused.

use super::fold::Affine;
use super::map::{self, FeatureMap};
use super::{ExportError, Similarity, limited};
use crate::kernel::Kernel;
use crate::linalg::Mat;
use crate::model::head::Head;
use nearmark_format::{Projection, Scale, Tensor};

pub(super) fn scale(affine: &Affine) -> Result<Scale, ExportError> {
    Ok(match affine {
        Affine::Identity | Affine::Dense(_) => Scale::None,
        Affine::Uniform { mul, add } => Scale::Uniform { mul: number("scale", *mul)?, add: number("scale", *add)? },
        Affine::Features { mul, add } => Scale::Features { mul: values("scale", mul)?, add: values("scale", add)? },
    })
}

pub(super) fn project(p: &crate::preprocess::Projection) -> Result<Projection, ExportError> {
    Ok(Projection {
        outputs: p.weights.nrows(),
        values: matrix("projection", &p.weights)?,
        bias: unless_zero("projection bias", &p.bias)?,
        int_bias: Vec::new(),
        sparse: false,
    })
}

pub(super) fn feature_map(feature_map: &FeatureMap) -> Result<nearmark_format::FeatureMap, ExportError> {
    Ok(match feature_map {
        FeatureMap::None => nearmark_format::FeatureMap::None,
        FeatureMap::Centers { kernel, centers } => {
            nearmark_format::FeatureMap::Centers { kernel: kernel_of(*kernel)?, values: matrix("centers", centers)? }
        }
        FeatureMap::Random { weights, phases } => nearmark_format::FeatureMap::Random {
            gamma: 1.0,
            weights: matrix("random weights", weights)?,
            phases: values("phases", phases)?,
            int_phases: Vec::new(),
        },
        FeatureMap::Seeded { gamma, count, seeded } => nearmark_format::FeatureMap::Seeded {
            gamma: positive("gamma", *gamma)?,
            count: *count as u32,
            seed: seeded.seed,
            law: seeded.law,
        },
    })
}

fn kernel_of(kernel: Kernel) -> Result<nearmark_format::Kernel, ExportError> {
    let gamma = |gamma| positive("gamma", gamma);
    Ok(match kernel {
        Kernel::Gaussian { gamma: g } => nearmark_format::Kernel::Gaussian { gamma: gamma(g)? },
        Kernel::Laplacian { gamma: g } => nearmark_format::Kernel::Laplacian { gamma: gamma(g)? },
        Kernel::Polynomial { gamma: g, offset, degree } => nearmark_format::Kernel::Polynomial {
            gamma: gamma(g)?,
            offset: number("offset", offset)?,
            degree: degree as u8,
        },
        // Both fold into a linear map before they come here.
        Kernel::Linear | Kernel::Given => nearmark_format::Kernel::Polynomial { gamma: 1.0, offset: 0.0, degree: 1 },
    })
}

pub(super) fn head(head: &Head, similarity: &Similarity) -> Result<nearmark_format::Head, ExportError> {
    let moved = |points: &Mat| similarity.to_model(points);
    Ok(match head {
        Head::Means(means) if map::unit_scale(&Head::Means(moved(means))) == Some(1.0) => nearmark_format::Head::Unit,
        Head::Means(means) => nearmark_format::Head::Means(matrix("class means", &moved(means))?),
        Head::Prototypes { values, counts, k, .. } => {
            let counts = counts.iter().map(|&count| limited("prototypes of a class", 65535, count));
            nearmark_format::Head::Prototypes {
                k: limited("neighbors that vote", 255, *k)?,
                values: matrix("prototypes", &moved(values))?,
                counts: counts.collect::<Result<_, _>>()?,
            }
        }
    })
}

/// Ids of the items; none where they are the numbers from zero, in their order, which a reader takes without.
pub(super) fn ids(head: &Head) -> Option<Vec<u8>> {
    let Head::Prototypes { ids, .. } = head else { return None };
    let counted = ids.iter().copied().eq(0..ids.len() as u32);
    (!counted).then(|| ids.iter().flat_map(|id| id.to_le_bytes()).collect())
}

fn number(section: &'static str, value: f64) -> Result<f32, ExportError> {
    let narrow = value as f32;
    if narrow.is_finite() { Ok(narrow) } else { Err(ExportError::Overflow { section, value }) }
}

/// A constant that must not vanish.
fn positive(section: &'static str, value: f64) -> Result<f32, ExportError> {
    let narrow = number(section, value)?;
    if narrow > 0.0 { Ok(narrow) } else { Err(ExportError::Overflow { section, value }) }
}

pub(super) fn values(section: &'static str, values: &[f64]) -> Result<Vec<f32>, ExportError> {
    values.iter().map(|v| number(section, *v)).collect()
}

/// A list that need not be stored if it is all zeros.
pub(super) fn unless_zero(section: &'static str, list: &[f64]) -> Result<Vec<f32>, ExportError> {
    if list.iter().all(|v| *v == 0.0) { Ok(Vec::new()) } else { values(section, list) }
}

/// A matrix, row by row.
pub(super) fn matrix(section: &'static str, m: &Mat) -> Result<Tensor, ExportError> {
    // The transpose's columns are the rows, in one piece each.
    values(section, m.transpose().as_slice()).map(Tensor::F32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_f32_cannot_hold_is_refused_by_section() {
        assert_eq!(number("gamma", 0.5), Ok(0.5));
        assert_eq!(number("centers", 1e39), Err(ExportError::Overflow { section: "centers", value: 1e39 }));
        assert_eq!(positive("gamma", 1e-60), Err(ExportError::Overflow { section: "gamma", value: 1e-60 }));
    }

    #[test]
    fn matrices_are_written_row_by_row() {
        let m = Mat::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(matrix("readout", &m), Ok(Tensor::F32(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])));
    }
}
