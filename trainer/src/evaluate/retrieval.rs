//! Retrieval by the runtime crate: the stored items nearest to every row, as the board finds them.

use super::EvalError;
use super::accuracy::{check_width, to_f32};
use crate::linalg::Mat;
use crate::model::ModelFile;
use crate::parallel;
use crate::run::Run;
use nearmark::Item;

/// Rows per piece of work: long enough to hide what a thread costs.
const BLOCK: usize = 256;

/// The `k` stored items nearest to every row, nearest first; of equal distances the lower id. Fewer where the model
/// holds fewer.
///
/// ```
/// use nearmark_train::{HeadChoice, Pipeline, compile, dataset::synthetic, evaluate, methods::ebek::Ebek};
///
/// let data = synthetic::moons(50, 0.1, 0);
/// let method = Ebek::default();
/// let pipeline = Pipeline { head: Some(HeadChoice::Items), ..Pipeline::new(&method) };
/// let file = compile::model(&pipeline.fit(&data)?)?.encode()?;
/// let found = evaluate::nearest(&file, data.rows(), 3, &Default::default())?;
/// assert_eq!((found[7].len(), found[7][0].id()), (3, 7)); // a training row is its own nearest item
/// assert!(found[7][0].distance_sq() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`EvalError`] when the model holds no items, when the caller asks to stop, or as [`predict`](super::predict).
pub fn nearest(file: &ModelFile, rows: &Mat, k: usize, run: &Run<'_>) -> Result<Vec<Vec<Item>>, EvalError> {
    let model = file.model();
    check_width(&model, rows)?;
    let k = k.min(file.items().ok_or(EvalError::NoItems)?);
    let blocks: Vec<(usize, usize)> = parallel::blocks(rows.nrows(), BLOCK).collect();
    let found = parallel::map(run.thread_count(), blocks.len(), |block| {
        run.quiet().step("nearest items", block, blocks.len()).map_err(|_| EvalError::Cancelled)?;
        let (first, count) = blocks[block];
        let mut scratch = vec![0; model.scratch_words()];
        let xs = to_f32(rows, first, count);
        let one = |(row, x): (usize, &[f32])| {
            let mut items = vec![Item::default(); k];
            let refused = |source| EvalError::Row { first: row, end: row + 1, source };
            model.nearest_into(x, &mut scratch, &mut items).map_err(refused)?;
            Ok(items)
        };
        (first..).zip(xs.chunks_exact(rows.ncols().max(1))).map(one).collect::<Result<Vec<_>, _>>()
    });
    Ok(found.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;
    use crate::compile::quantize::{Options, quantize};
    use crate::dataset::{Dataset, synthetic::blobs};
    use crate::methods::{Method, pca::Pca};
    use crate::model::HeadChoice;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    fn items(data: &Dataset) -> Result<ModelFile, Box<dyn std::error::Error>> {
        Ok(compile::model(&Pca::default().fit(data)?.with_head(HeadChoice::Items)?)?.encode()?)
    }

    #[test]
    fn items_are_found_by_row_number_and_sorted_by_true_distance() -> Outcome {
        let data = blobs(3, 20, 5, 1.0, 0);
        let file = items(&data)?;
        let fitted = Pca::default().fit(&data)?;
        let truth = crate::neighbors::nearest(fitted.embedding(), fitted.embedding(), 6, 1);
        let found = nearest(&file, data.rows(), 6, &Run::default())?;
        for (row, (found, truth)) in found.iter().zip(&truth).enumerate() {
            assert!(found.iter().map(|item| item.id() as usize).eq(truth.iter().map(|n| n.row)), "row {row}");
            for item in found {
                assert_eq!(usize::from(item.class().0), data.labels()[item.id() as usize], "row {row}");
            }
            let (far, exact) = (
                f64::from(found[5].distance_sq()).sqrt(),
                (fitted.embedding().row(row) - fitted.embedding().row(truth[5].row)).norm(),
            );
            assert!((far - exact).abs() < 1e-4 * (1.0 + exact), "row {row}: {far} {exact}");
        }
        Ok(())
    }

    #[test]
    fn ids_of_the_data_are_stored_and_row_numbers_only_where_they_need_be() -> Outcome {
        let data = blobs(2, 10, 4, 0.5, 0);
        let plain = items(&data)?;
        let ids: Vec<u32> = (0..20).map(|row| 5000 - row).collect();
        let named = items(&data.clone().with_ids(ids)?)?;
        let first = |file: &ModelFile| nearest(file, data.rows(), 1, &Run::default()).map(|found| found[3][0].id());
        assert_eq!((first(&plain)?, first(&named)?), (3, 4997));
        // Rows without classes are stored in their order, so that their numbers need not be.
        let bare = items(&Dataset::unlabelled(data.rows().clone())?)?;
        assert_eq!(first(&bare)?, 3);
        assert_eq!(bare.core_len() + nearmark_format::extras::stored_len(4 * 20), named.core_len());
        Ok(())
    }

    #[test]
    fn integers_find_nearly_the_same_items() -> Outcome {
        let data = blobs(3, 30, 6, 1.0, 0);
        let float = compile::model(&Pca::default().fit(&data)?.with_head(HeadChoice::Items)?)?.model;
        let integer = ModelFile::encode(&quantize(&float, data.rows(), Options::default())?.model)?;
        let float = ModelFile::encode(&float)?;
        let list = |file: &ModelFile| nearest(file, data.rows(), 5, &Run::default());
        let (float, integer) = (list(&float)?, list(&integer)?);
        let ids = |items: &[Item]| items.iter().map(Item::id).collect::<Vec<_>>();
        let shared: usize = float
            .iter()
            .zip(&integer)
            .map(|(a, b)| {
                let b = ids(b);
                ids(a).iter().filter(|id| b.contains(id)).count()
            })
            .sum();
        assert!(shared * 100 > 95 * 5 * data.len(), "{shared} of {}", 5 * data.len());
        Ok(())
    }

    #[test]
    fn a_request_to_stop_is_met_between_blocks() -> Outcome {
        let data = blobs(2, 10, 4, 0.5, 0);
        let stop = std::sync::atomic::AtomicBool::new(true);
        let found = nearest(&items(&data)?, data.rows(), 1, &Run::default().stop_when(&stop));
        assert_eq!(found, Err(EvalError::Cancelled));
        Ok(())
    }

    #[test]
    fn a_model_without_items_says_so() -> Outcome {
        let data = blobs(2, 10, 4, 0.5, 0);
        let file = compile::model(&Pca::default().fit(&data)?)?.encode()?;
        assert_eq!(nearest(&file, data.rows(), 1, &Run::default()), Err(EvalError::NoItems));
        let other = nearest(&items(&data)?, &Mat::zeros(1, 3), 1, &Run::default());
        assert_eq!(other, Err(EvalError::Width { expected: 4, got: 3 }));
        Ok(())
    }
}
