//! The folded stages in the format's terms, narrowed.

use super::fold::Affine;
use super::map::{self, FeatureMap};
use super::{ExportError, Similarity, narrow};
use crate::dataset::Number;
use crate::kernel::Kernel;
use crate::linalg::Mat;
use crate::model::head::Head;
use nearmark_format::{Num, Projection, Scale};

pub(super) fn num(number: Number) -> Num {
    match number {
        Number::F32 => Num::F32,
        Number::I16 => Num::I16,
        Number::I8 => Num::I8,
        Number::U8 => Num::U8,
    }
}

pub(super) fn scale(affine: &Affine) -> Result<Scale, ExportError> {
    Ok(match affine {
        Affine::Identity | Affine::Dense(_) => Scale::None,
        Affine::Uniform { mul, add } => {
            Scale::Uniform { mul: narrow::number("scale", *mul)?, add: narrow::number("scale", *add)? }
        }
        Affine::Features { mul, add } => {
            Scale::Features { mul: narrow::values("scale", mul)?, add: narrow::values("scale", add)? }
        }
    })
}

pub(super) fn project(p: &crate::preprocess::Projection) -> Result<Projection, ExportError> {
    Ok(Projection {
        outputs: p.weights.nrows(),
        values: narrow::matrix("projection", &p.weights)?,
        bias: narrow::unless_zero("projection bias", &p.bias)?,
        int_bias: Vec::new(),
        sparse: false,
    })
}

pub(super) fn feature_map(feature_map: &FeatureMap) -> Result<nearmark_format::FeatureMap, ExportError> {
    Ok(match feature_map {
        FeatureMap::None => nearmark_format::FeatureMap::None,
        FeatureMap::Centers { kernel, centers } => nearmark_format::FeatureMap::Centers {
            kernel: kernel_of(*kernel)?,
            values: narrow::matrix("centers", centers)?,
        },
        FeatureMap::Random { weights, phases } => nearmark_format::FeatureMap::Random {
            gamma: 1.0,
            weights: narrow::matrix("random weights", weights)?,
            phases: narrow::values("phases", phases)?,
            int_phases: Vec::new(),
        },
        FeatureMap::Seeded { gamma, count, seeded } => nearmark_format::FeatureMap::Seeded {
            gamma: narrow::positive("gamma", *gamma)?,
            count: *count as u32,
            seed: seeded.seed,
            law: seeded.law,
        },
    })
}

fn kernel_of(kernel: Kernel) -> Result<nearmark_format::Kernel, ExportError> {
    let gamma = |gamma| narrow::positive("gamma", gamma);
    Ok(match kernel {
        Kernel::Gaussian { gamma: g } => nearmark_format::Kernel::Gaussian { gamma: gamma(g)? },
        Kernel::Laplacian { gamma: g } => nearmark_format::Kernel::Laplacian { gamma: gamma(g)? },
        Kernel::Polynomial { gamma: g, offset, degree } => nearmark_format::Kernel::Polynomial {
            gamma: gamma(g)?,
            offset: narrow::number("offset", offset)?,
            degree: degree as u8,
        },
        Kernel::Linear => nearmark_format::Kernel::Polynomial { gamma: 1.0, offset: 0.0, degree: 1 },
    })
}

pub(super) fn head(head: &Head, similarity: &Similarity) -> Result<nearmark_format::Head, ExportError> {
    let moved = |points: &Mat| similarity.to_model(points);
    Ok(match head {
        Head::Means(means) if map::unit_scale(&Head::Means(moved(means))) == Some(1.0) => nearmark_format::Head::Unit,
        Head::Means(means) => nearmark_format::Head::Means(narrow::matrix("class means", &moved(means))?),
        Head::Prototypes { values, counts, k } => {
            let limit = |what, max: usize| {
                move |&got: &usize| {
                    if got <= max { Ok(got) } else { Err(ExportError::TooMany { what, max, got }) }
                }
            };
            let counts = counts.iter().map(limit("prototypes of a class", 65535));
            nearmark_format::Head::Prototypes {
                k: limit("neighbors that vote", 255)(k)? as u8,
                values: narrow::matrix("prototypes", &moved(values))?,
                counts: counts.map(|count| count.map(|c| c as u16)).collect::<Result<_, _>>()?,
            }
        }
    })
}
