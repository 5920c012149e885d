//! What is measured: a method of the registry, or a system that only retrieves.

use crate::config::{Common, Config, FixedFit, Parameters};
use crate::dataset::Dataset;
use crate::error::{DataError, FitError};
use crate::evaluate::compare::{Entry, EntryError};
use crate::linalg::Mat;
use crate::memory;
use crate::methods::{Dim, KernelName, Registry, SettingError, Settings, ValueError};
use crate::model::Fitted;
use crate::pipeline::Pipeline;
use crate::preprocess::Scaling;
use crate::retrieval::{self, Embedder, Embedding, Placed, SYSTEMS};
use crate::run::Run;
use crate::train::TrainError;
use std::sync::Arc;

/// The default list: EBEK, real coordinates, and the binary codes of its paper.
pub const DEFAULT_SYSTEMS: &str = "ebek,pca,pca-rr,itq,lsh,sklsh";

/// One of the systems compared.
#[derive(Debug, Clone)]
pub struct System {
    name: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// The coordinates of a method.
    Method(FixedFit),
    /// A system that only retrieves, and its name without settings.
    Retrieval(&'static str, Arc<dyn Embedder>),
}

impl System {
    /// Reads `NAME[:KEY=VALUE]...`: a method of the registry with its settings as in a comparison of methods, or one of
    /// [`SYSTEMS`]. Real coordinates are `dim` long and codes `bits`, unless the entry states another length.
    ///
    /// Rows are not scaled unless the entry asks for it (`scale=standard`): the true neighbors are those of the rows as
    /// they are. `ebek` is the embedding of its paper, with a linear kernel and the coordinates of all rows
    /// (`kernel=linear:extension=full`), unless the entry states otherwise.
    ///
    /// # Errors
    /// [`EntryError`] naming the entry, and the method, parameter or value at fault.
    pub fn parse(text: &str, dim: usize, bits: usize) -> Result<Self, EntryError> {
        let name = text.trim();
        let kind = kind(name, dim, bits)?;
        Ok(Self { name: name.to_owned(), kind })
    }

    /// Reads systems separated by commas.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn list(text: &str, dim: usize, bits: usize) -> Result<Vec<Self>, EntryError> {
        text.split(',').map(|entry| Self::parse(entry, dim, bits)).collect()
    }

    /// What it is called in the table.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it embeds the rows it was made from and no others.
    #[must_use]
    pub fn in_sample_only(&self) -> bool {
        matches!(&self.kind, Kind::Retrieval(_, embedder) if embedder.in_sample_only())
    }

    /// Whether another seed may give another embedding of so many rows.
    pub(super) fn is_random(&self, rows: usize) -> bool {
        match &self.kind {
            Kind::Method(fit) => fit.common.build_method().is_ok_and(|method| method.is_random(rows)),
            // What has no map for new rows are eigenvectors here; the others draw.
            Kind::Retrieval(_, embedder) => !embedder.in_sample_only(),
        }
    }

    /// Bytes for matrices of all pairs of rows.
    pub(super) fn memory(&self, rows: usize) -> u64 {
        match &self.kind {
            Kind::Method(fit) => fit.common.build_method().map_or(0, |method| method.memory(rows)),
            Kind::Retrieval(_, embedder) => embedder.memory(rows),
        }
    }

    /// Embeds the rows, and queries by what was learned from them.
    pub(super) fn embed(
        &self,
        data: &Dataset,
        queries: Option<&Dataset>,
        seed: u64,
        run: &Run<'_>,
    ) -> Result<Embedding, TrainError> {
        match &self.kind {
            Kind::Retrieval(_, embedder) if queries.is_some() && embedder.in_sample_only() => {
                Err(FitError::InSampleOnly { method: self.name.clone() }.into())
            }
            Kind::Retrieval(name, embedder) => {
                let (rows, needed) = (data.len(), embedder.memory(data.len()));
                memory::check_bytes(name, rows, needed, memory::available(), "use fewer rows, or pca")?;
                if data.sparse_rows().is_some() {
                    return Err(FitError::Sparse { method: name, rows, columns: data.width() }.into());
                }
                Ok(embedder.embed(data.rows(), queries.map(Dataset::rows), seed, run)?)
            }
            Kind::Method(fit) => {
                let common = Common { seed, ..fit.common.clone() };
                let method = common.build_method()?;
                let pipeline = Pipeline { scaling: fit.common.scale, pca: fit.pca, ..Pipeline::new(method.as_ref()) };
                let fitted = pipeline.fit_with(data, run)?;
                let queries = queries.map(|queries| embedded(&fitted, queries)).transpose().map_err(FitError::from)?;
                Ok(Embedding::Real(Placed { rows: fitted.embedding().clone(), queries }))
            }
        }
    }
}

/// The embedding of rows that may be sparse.
fn embedded(fitted: &Fitted, rows: &Dataset) -> Result<Mat, DataError> {
    let mut z = Mat::zeros(rows.len(), fitted.dim());
    for (first, block) in rows.blocks() {
        z.rows_mut(first, block.nrows()).copy_from(&fitted.embed(&block)?);
    }
    Ok(z)
}

fn kind(text: &str, dim: usize, bits: usize) -> Result<Kind, EntryError> {
    let refused = |why: SettingError| EntryError { entry: text.to_owned(), why: why.into() };
    let name = text.split(':').next().unwrap_or_default();
    if let Some(system) = retrieval::find(name) {
        let settings: Settings =
            Entry::pairs(text).map_err(refused)?.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let length = if system.is_code() { bits } else { dim };
        let embedder = system.build(length, &settings).map_err(refused)?;
        return Ok(Kind::Retrieval(system.name, embedder.into()));
    }
    let registry = Registry::default();
    if registry.find(name).is_err() {
        let known = registry.names().chain(SYSTEMS.iter().map(|system| system.name)).collect();
        return Err(refused(SettingError::Method { name: name.to_owned(), known }));
    }
    let mut shared = Parameters { dim: Some(Dim::Count(dim)), scale: Some(Scaling::None), ..Parameters::default() };
    if name == "ebek" {
        shared.kernel = Some(KernelName::Linear);
        shared.set.insert("extension".to_owned(), "full".to_owned());
    }
    match Entry::parse(text, &shared)?.config {
        Config::Fixed(fit) => Ok(Kind::Method(fit)),
        Config::Budget(_) => {
            Err(refused(SettingError::value("flash", ValueError::new("no budget: nothing is compiled here", text))))
        }
    }
}
