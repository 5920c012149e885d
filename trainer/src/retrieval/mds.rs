//! MDS: coordinates whose distances are those of the rows, as well as so few coordinates can.
//!
//! # Idea
//! Classical scaling (Torgerson 1952): the squared distances, centered from both sides, are a matrix of inner products,
//! whose strongest eigenvectors are the coordinates. For Euclidean distances that is PCA without its map.
//!
//! # Steps
//! 1. `B = −½ H D H` with squared distances `D` and `H = I − 11ᵀ/N`.
//! 2. The strongest eigenpairs `B = VΛVᵀ`; the coordinates are `VΛ^½`.
//!
//! # Out of sample
//! None: a new row has distances, but no row of `V`.

use super::{Embedder, Embedding, IN_SAMPLE, Placed, SystemEntry};
use crate::error::FitError;
use crate::kernel::squared_distances;
use crate::linalg::{Mat, center_both, scale_columns, top_eig};
use crate::memory::matrices;
use crate::methods::SettingsParser;
use crate::run::Run;

/// Eigenvalues below this share of the largest are rounding noise.
const NOISE: f64 = 1e-12;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Mds {
    dim: usize,
}

pub(super) const MDS: SystemEntry = SystemEntry {
    name: "mds",
    description: "classical multidimensional scaling, in-sample only",
    no_model: IN_SAMPLE,
    from_settings: |dim, settings| Box::new(Mds::new(dim, settings)),
};

impl Mds {
    fn new(mut dim: usize, settings: &mut SettingsParser) -> Self {
        settings.count("dim", &mut dim);
        Self { dim }
    }
}

impl Embedder for Mds {
    fn in_sample_only(&self) -> bool {
        true
    }

    fn memory(&self, rows: usize) -> u64 {
        matrices(2, rows)
    }

    fn embed(&self, rows: &Mat, _queries: Option<&Mat>, _seed: u64, run: &Run<'_>) -> Result<Embedding, FitError> {
        let threads = run.thread_count();
        run.step("distances", 0, 1)?;
        let mut products = squared_distances(rows, rows, threads) * -0.5;
        center_both(&mut products);
        run.step("eigenvectors", 0, 1)?;
        let eig = top_eig(&products, self.dim.min(rows.nrows()), threads)
            .map_err(FitError::at("eigenvectors of the inner products"))?
            .above(NOISE);
        if eig.len() < self.dim {
            return Err(FitError::DimTooLarge { dim: self.dim, max: eig.len() });
        }
        let z = scale_columns(eig.vectors, |j| eig.values[j].sqrt());
        Ok(Embedding::Real(Placed { rows: z, queries: None }))
    }
}
