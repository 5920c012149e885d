//! What narrowing cost, on rows of the caller's choice.

use super::{ExportError, Exported};
use crate::evaluate;
use crate::linalg::Mat;
use crate::model::Fitted;

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

impl Exported {
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

#[cfg(test)]
mod tests {
    use crate::compile;
    use crate::dataset::synthetic::blobs;
    use crate::methods::{Method, cmvda::Cmvda};

    #[test]
    fn a_small_model_loses_nothing_worth_telling() -> Result<(), Box<dyn std::error::Error>> {
        let (data, new) = (blobs(3, 20, 4, 0.5, 0), blobs(3, 50, 4, 0.5, 0));
        let fitted = Cmvda::default().fit(&data)?;
        let cost = compile::model(&fitted)?.narrowing(&fitted, new.rows())?;
        assert_eq!((cost.rows, cost.moved.len()), (150, 0));
        assert!(cost.embedding < 1e-4, "{cost:?}");
        Ok(())
    }
}
