//! What an embedding is made of, as images: exemplars, or the axes of a linear map.

use crate::chart::{Gallery, Picture};
use crate::dataset::Dataset;
use crate::error::DataError;
use crate::linalg::{Mat, column_means};
use crate::model::Fitted;
use crate::model::map::Map;

/// Images side by side.
const COLUMNS: usize = 5;

/// Why there are no images.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BasisError {
    /// Rows are not images of this size.
    #[error("{rows}x{cols} makes {} pixels, but rows have {width} values", rows * cols)]
    Size {
        /// Rows of an image.
        rows: usize,
        /// Columns of an image.
        cols: usize,
        /// Values per row.
        width: usize,
    },
    /// The model is made of neither.
    #[error("the model has neither exemplars nor a linear map: there is nothing to show as images")]
    Nothing,
    /// Rows could not be embedded.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// The exemplars among the training rows, or the axes of a linear map in the space of the rows; at most `most` of them.
///
/// # Errors
/// [`BasisError`] if the rows are not images of this size, or the model has neither exemplars nor a linear map.
pub fn basis(
    title: &str,
    fitted: &Fitted,
    data: &Dataset,
    size: (usize, usize),
    most: usize,
) -> Result<Gallery, BasisError> {
    let (rows, cols) = size;
    if rows * cols != data.width() {
        return Err(BasisError::Size { rows, cols, width: data.width() });
    }
    let pictures = if !fitted.exemplars().is_empty() {
        let exemplars = fitted.exemplars().iter().take(most);
        exemplars.map(|&row| exemplar(data, row)).collect()
    } else if matches!(fitted.map(), Map::Linear(_)) {
        axes(fitted, data, most)?
    } else {
        return Err(BasisError::Nothing);
    };
    Ok(Gallery { title: title.to_owned(), size, columns: COLUMNS, pictures })
}

fn exemplar(data: &Dataset, row: usize) -> Picture {
    let class = data.is_labelled().then(|| format!(", class {}", data.class_names()[data.labels()[row]]));
    Picture {
        caption: format!("row {row}{}", class.unwrap_or_default()),
        pixels: data.rows().row(row).iter().copied().collect(),
    }
}

/// Every coordinate's change with every pixel: for stages that scale and project, the axes themselves.
fn axes(fitted: &Fitted, data: &Dataset, most: usize) -> Result<Vec<Picture>, BasisError> {
    let mean = column_means(data.rows());
    let width = data.width();
    // The map is affine, so any step gives the same slope; that of the data's own size rounds least.
    let step = data.rows().amax().max(f64::MIN_POSITIVE);
    let moved = Mat::from_fn(width + 1, width, |i, j| mean[j] + if i == j { step } else { 0.0 });
    let z = fitted.embed(&moved)?;
    let slope = |axis: usize| (0..width).map(|pixel| (z[(pixel, axis)] - z[(width, axis)]) / step).collect();
    let picture = |axis: usize| Picture { caption: format!("axis {}", axis + 1), pixels: slope(axis) };
    Ok((0..z.ncols().min(most)).map(picture).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pipeline;
    use crate::dataset::synthetic::blobs;
    use crate::methods::{Method, cmvda, ebek, pca};
    use crate::preprocess::{Components, Scaling};

    #[test]
    fn exemplars_are_rows_and_axes_are_those_of_the_map() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 10, 6, 1.0, 0);
        let ebek = ebek::Ebek::new(ebek::Params { exemplars: 4, ..ebek::Params::default() })?.fit(&data)?;
        let shown = basis("exemplars", &ebek, &data, (2, 3), 3)?;
        assert_eq!(shown.pictures.len(), 3);
        let row = ebek.exemplars()[0];
        assert_eq!(shown.pictures[0].pixels, data.rows().row(row).iter().copied().collect::<Vec<_>>());
        assert!(shown.pictures[0].caption.starts_with(&format!("row {row}, ")));

        let unlabelled = basis("exemplars", &ebek, &Dataset::unlabelled(data.rows().clone())?, (2, 3), 3)?;
        assert_eq!(unlabelled.pictures[0].caption, format!("row {row}"));

        let method = pca::Pca::new(pca::Params { components: Components::Count(2) })?;
        let fitted = Pipeline { scaling: Scaling::None, ..Pipeline::new(&method) }.fit(&data)?;
        let Map::Linear(map) = fitted.map() else { return Err("PCA is linear".into()) };
        let shown = basis("axes", &fitted, &data, (3, 2), 10)?;
        assert_eq!(shown.pictures.len(), 2);
        for (pixel, weight) in shown.pictures[1].pixels.iter().zip(map.weights.row(1).iter()) {
            assert!((pixel - weight).abs() < 1e-12);
        }
        Ok(())
    }

    #[test]
    fn what_has_no_images_is_refused() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(3, 10, 6, 1.0, 0);
        let fitted = cmvda::Cmvda::default().fit(&data)?;
        assert_eq!(basis("", &fitted, &data, (2, 3), 5), Err(BasisError::Nothing));
        let error = basis("", &fitted, &data, (2, 2), 5).map_err(|error| error.to_string());
        assert_eq!(error, Err("2x2 makes 4 pixels, but rows have 6 values".to_owned()));
        Ok(())
    }
}
