//! A method by name, with its parameters by name.

use super::desk::{Desk, Settings};
use super::words::WordError;
use crate::error::ParamError;
use crate::methods::{Dim, Method, cmvca, cmvda, dple, ebek, kda, knn, lda, lde, lfda, lpp, nsse, pca, suplap};
use crate::preprocess::Components;

/// Every name that [`build`] knows, the methods of the papers first.
pub const NAMES: [&str; 19] = [
    "nsse", "cmvca", "cmvda", "cmvda-r", "ebek", "dple", "kdple", "knn", "pca", "lda", "kpca", "keca", "kda", "lpp",
    "lfda", "lde", "klfda", "klde", "suplap",
];

/// A setting that a method cannot take.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// No such method.
    #[error("there is no method {name:?}; there are {}", NAMES.join(", "))]
    Method {
        /// The name given.
        name: String,
    },
    /// The method has no such parameter.
    #[error("{method} takes no {key}{}", takes(known))]
    Unknown {
        /// The method.
        method: String,
        /// The parameter.
        key: String,
        /// Those it has.
        known: Vec<&'static str>,
    },
    /// A value that cannot be read.
    #[error("{key}: {source}")]
    Value {
        /// The parameter.
        key: String,
        /// What was expected.
        source: WordError,
    },
    /// A value out of range.
    #[error(transparent)]
    Range(#[from] ParamError),
}

fn takes(known: &[&str]) -> String {
    if known.is_empty() { String::new() } else { format!("; it takes {}", known.join(", ")) }
}

/// The method of this name with these settings.
pub(super) fn build(name: &str, said: Settings) -> Result<Box<dyn Method>, SettingError> {
    let seed = said.seed;
    let mut desk = Desk::new(said);
    let method: Box<dyn Method> = match name {
        "nsse" => Box::new(nsse(&mut desk)?),
        "cmvca" | "kpca" | "keca" => {
            let score = match name {
                "kpca" => cmvca::Score::Variance,
                "keca" => cmvca::Score::Entropy,
                _ => cmvca::Score::ClassMeans,
            };
            let mut p = cmvca::Params { score, seed, ..cmvca::Params::default() };
            desk.dim(&mut p.dim);
            desk.kernel(&mut p.kernel)?;
            desk.features(&mut p.features);
            Box::new(cmvca::Cmvca::new(p)?)
        }
        "cmvda" | "cmvda-r" => {
            let mut p = cmvda::Params { random_basis: name == "cmvda-r", seed, ..cmvda::Params::default() };
            desk.dim(&mut p.dim);
            desk.kernel(&mut p.kernel)?;
            desk.features(&mut p.features);
            desk.number("ridge", &mut p.ridge)?;
            Box::new(cmvda::Cmvda::new(p)?)
        }
        "kda" => {
            let mut p = kda::Params { seed, ..kda::Params::default() };
            desk.dim(&mut p.dim);
            desk.kernel(&mut p.kernel)?;
            desk.features(&mut p.features);
            desk.number("ridge", &mut p.ridge)?;
            Box::new(kda::Kda::new(p)?)
        }
        "ebek" => Box::new(ebek(&mut desk, seed)?),
        "dple" | "kdple" => Box::new(dple(&mut desk, name == "kdple")?),
        "lda" => {
            let mut p = lda::Params::default();
            desk.dim(&mut p.dim);
            desk.number("ridge", &mut p.ridge)?;
            Box::new(lda::Lda::new(p)?)
        }
        "lpp" => {
            let mut p = lpp::Params::default();
            desk.dim(&mut p.dim);
            desk.neighbors(&mut p.neighbors)?;
            desk.number("ridge", &mut p.ridge)?;
            Box::new(lpp::Lpp::new(p)?)
        }
        "lfda" | "klfda" => {
            let mut p = if name == "klfda" { lfda::Params::kernel() } else { lfda::Params::default() };
            desk.dim(&mut p.dim);
            desk.optional_kernel(&mut p.kernel)?;
            desk.count("k", &mut p.neighbors)?;
            desk.number("ridge", &mut p.ridge)?;
            Box::new(lfda::Lfda::new(p)?)
        }
        "lde" | "klde" => {
            let mut p = if name == "klde" { lde::Params::kernel() } else { lde::Params::default() };
            desk.dim(&mut p.dim);
            desk.optional_kernel(&mut p.kernel)?;
            desk.count("same", &mut p.same)?;
            desk.count("different", &mut p.different)?;
            desk.number("ridge", &mut p.ridge)?;
            Box::new(lde::Lde::new(p)?)
        }
        "suplap" => {
            let mut p = suplap::Params::default();
            desk.dim(&mut p.dim);
            desk.kernel(&mut p.kernel)?;
            desk.number("balance", &mut p.balance)?;
            desk.number("ridge", &mut p.ridge)?;
            Box::new(suplap::Suplap::new(p)?)
        }
        "knn" => {
            let k = desk.take("k", "a count")?;
            Box::new(k.map_or_else(|| Ok(knn::Knn::default()), knn::Knn::new)?)
        }
        "pca" => {
            let mut dim = Dim::Auto;
            desk.dim(&mut dim);
            Box::new(match dim {
                Dim::Auto => pca::Pca::default(),
                Dim::All => pca::Pca::new(Components::Variance(1.0))?,
                Dim::Count(count) => pca::Pca::new(Components::Count(count))?,
            })
        }
        _ => return Err(SettingError::Method { name: name.to_owned() }),
    };
    desk.close(name)?;
    Ok(method)
}

fn nsse(desk: &mut Desk) -> Result<nsse::Nsse, SettingError> {
    let mut p = nsse::Params::default();
    desk.dim(&mut p.dim);
    desk.sigma(&mut p.sigma);
    desk.number("mu1", &mut p.mu1)?;
    desk.number("mu2", &mut p.mu2)?;
    desk.number("mu3", &mut p.mu3)?;
    desk.neighbors(&mut p.neighbors)?;
    desk.flag("unit_free", &mut p.unit_free)?;
    desk.flag("fixed_sigma", &mut p.fixed_sigma)?;
    desk.number("ridge", &mut p.ridge)?;
    Ok(nsse::Nsse::new(p)?)
}

fn ebek(desk: &mut Desk, seed: u64) -> Result<ebek::Ebek, SettingError> {
    use ebek::{Extension, Order};
    let mut p = ebek::Params { seed, ..ebek::Params::default() };
    let orders = [("pivot", Order::Pivot), ("random", Order::Random), ("scan", Order::Scan)];
    desk.word("order", "pivot, random or scan", &orders, &mut p.order)?;
    let extensions = [("nystrom", Extension::Nystrom), ("ls", Extension::LeastSquares), ("full", Extension::Full)];
    desk.word("extension", "nystrom, ls or full", &extensions, &mut p.extension)?;
    desk.kernel(&mut p.kernel)?;
    desk.number("epsilon", &mut p.epsilon)?;
    desk.count("exemplars", &mut p.exemplars)?;
    // The embedding is as long as there are exemplars.
    let mut dim = Dim::Count(p.exemplars);
    desk.dim(&mut dim);
    if let Dim::Count(count) = dim {
        p.exemplars = count;
    }
    Ok(ebek::Ebek::new(p)?)
}

fn dple(desk: &mut Desk, kernel: bool) -> Result<dple::Dple, SettingError> {
    use dple::AxisScale;
    let mut p = if kernel { dple::Params::kernel() } else { dple::Params::default() };
    desk.dim(&mut p.dim);
    desk.optional_kernel(&mut p.kernel)?;
    desk.neighbors(&mut p.neighbors)?;
    desk.number("balance", &mut p.balance)?;
    desk.number("ridge", &mut p.ridge)?;
    if let Some(heat) = desk.take::<String>("heat", "")? {
        let read = |source| SettingError::Value { key: "heat".to_owned(), source };
        p.heat = if heat == "binary" { None } else { Some(heat.parse().map_err(read)?) };
    }
    let scales = [("none", AxisScale::None), ("shifted", AxisScale::Shifted)];
    desk.word("axis_scale", "none or shifted", &scales, &mut p.axis_scale)?;
    Ok(dple::Dple::new(p)?)
}

#[cfg(test)]
mod tests {
    use super::super::words::KernelName;
    use super::*;
    use crate::methods::features::FeatureChoice;

    fn with(set: &[(&str, &str)]) -> Settings {
        let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Settings { set, ..Settings::default() }
    }

    #[test]
    fn every_name_builds_the_method_of_that_name_with_its_defaults() -> Result<(), SettingError> {
        let defaults = crate::methods::with_defaults();
        assert_eq!(defaults.len(), NAMES.len());
        for method in defaults {
            let built = build(method.name(), Settings::default())?;
            assert_eq!((built.name(), built.params()), (method.name(), method.params()));
        }
        Ok(())
    }

    #[test]
    fn a_parameter_is_set_by_the_name_that_provenance_prints() -> Result<(), SettingError> {
        // `kernel` and `dim` have flags of their own.
        for method in crate::methods::with_defaults() {
            for (key, value) in method.params() {
                if ["kernel", "dim", "features", "sigma", "seed"].contains(&key) {
                    continue;
                }
                build(method.name(), with(&[(key, &value)]))?;
            }
        }
        Ok(())
    }

    #[test]
    fn an_unknown_setting_is_refused_with_those_that_exist() {
        let error = build("cmvda", with(&[("mu1", "3")])).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(error, Err("cmvda takes no mu1; it takes ridge".to_owned()));
        let said = Settings { features: Some(FeatureChoice::Exact), ..Settings::default() };
        let error = build("lda", said).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(error, Err("lda takes no --features".to_owned()));
        let error = build("cmvda", with(&[("ridge", "x")])).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(error, Err("ridge: expected a number, got \"x\"".to_owned()));
    }

    #[test]
    fn a_kernel_keeps_the_methods_relative_width() -> Result<(), SettingError> {
        let said = Settings { kernel: Some(KernelName::Laplacian), ..Settings::default() };
        let params = build("cmvda", said)?.params();
        assert!(params.contains(&("kernel", "laplacian, sigma 0.71x".to_owned())), "{params:?}");
        Ok(())
    }
}
