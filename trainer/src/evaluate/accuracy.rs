//! Accuracy and confusion matrix, measured by the runtime crate: the code that the board runs.

use crate::dataset::Dataset;
use crate::linalg::Mat;
use crate::model::ModelFile;
use crate::parallel;
use nearmark::{Model, Prediction};

/// Rows classified at a time: bounds the memory for their copy in f32.
const BLOCK: usize = 1024;

/// Why a model could not be measured.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The rows do not fit the model.
    #[error("model takes {expected} input values, got {got}")]
    Width {
        /// Values per row that the model takes.
        expected: usize,
        /// Values per row given.
        got: usize,
    },
    /// The model refused a row.
    #[error("rows {first}..{end}: {source}")]
    Row {
        /// First row of the block in which it lies.
        first: usize,
        /// The row after its last.
        end: usize,
        /// The runtime's error.
        source: nearmark::Error,
    },
    /// Rows carry a label that the model has never seen.
    #[error("label '{class}' is not a class of the model")]
    UnknownClass {
        /// The label.
        class: String,
    },
    /// The model stores class means, not rows.
    #[error("the model holds no items: `nearmark fit --head items` makes one that does")]
    NoItems,
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl EvalError {
    /// The same, where the rows given were not the first: `rows` came before them.
    #[must_use]
    pub fn after(self, rows: usize) -> Self {
        match self {
            Self::Row { first, end, source } => Self::Row { first: first + rows, end: end + rows, source },
            other => other,
        }
    }
}

/// How well a model does on labelled rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The model's class names, in its order.
    pub class_names: Vec<String>,
    /// Rows by true class, then by class found.
    pub confusion: Vec<Vec<usize>>,
    /// Rows that the model rejects as unknown, by its reject radii; the confusion matrix counts them too.
    pub rejected: usize,
}

/// The counts of one class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassScore {
    /// Its name.
    pub name: String,
    /// Rows of this class.
    pub rows: usize,
    /// The share of them that is found; none if there are no rows.
    pub recall: Option<f64>,
    /// The share of rows given this name that bear it; none if the name was never given.
    pub precision: Option<f64>,
}

impl Evaluation {
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.confusion.iter().flatten().sum()
    }

    /// Rows whose class is found.
    #[must_use]
    pub fn correct(&self) -> usize {
        self.confusion.iter().enumerate().map(|(class, row)| row[class]).sum()
    }

    /// The share of rows whose class is found, in 0..=1.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        self.correct() as f64 / self.rows() as f64
    }

    /// The mean recall of the classes that have rows, in 0..=1.
    #[must_use]
    pub fn balanced_accuracy(&self) -> f64 {
        let recalls: Vec<f64> = self.per_class().iter().filter_map(|class| class.recall).collect();
        recalls.iter().sum::<f64>() / recalls.len() as f64
    }

    /// Recall and precision of every class.
    #[must_use]
    pub fn per_class(&self) -> Vec<ClassScore> {
        let share = |part: usize, of: usize| (of > 0).then(|| part as f64 / of as f64);
        let score = |(class, name): (usize, &String)| {
            let rows = self.confusion[class].iter().sum();
            let named = self.confusion.iter().map(|row| row[class]).sum();
            let right = self.confusion[class][class];
            ClassScore { name: name.clone(), rows, recall: share(right, rows), precision: share(right, named) }
        };
        self.class_names.iter().enumerate().map(score).collect()
    }
}

/// Classifies labelled rows and counts; labels are compared by name.
///
/// # Errors
/// [`EvalError`] when the rows do not fit the model, or a label is not one of its classes.
pub fn evaluate(file: &ModelFile, data: &Dataset) -> Result<Evaluation, EvalError> {
    let class_names = file.class_names();
    let class_of = data.class_names().iter().map(|name| class_names.iter().position(|known| known == name));
    let class_of: Vec<Option<usize>> = class_of.collect();
    let predictions = predict_all(file, data)?;
    let mut confusion = vec![vec![0; class_names.len()]; class_names.len()];
    for (prediction, &label) in predictions.iter().zip(data.labels()) {
        let Some(truth) = class_of[label] else {
            return Err(EvalError::UnknownClass { class: data.class_names()[label].clone() });
        };
        confusion[truth][usize::from(prediction.class().0)] += 1;
    }
    let rejected = predictions.iter().filter(|prediction| !prediction.is_known()).count();
    Ok(Evaluation { class_names: class_names.to_vec(), confusion, rejected })
}

/// The runtime's answer to every row of a data set, sparse rows filled in a block at a time.
pub(crate) fn predict_all(file: &ModelFile, data: &Dataset) -> Result<Vec<Prediction>, EvalError> {
    let mut predictions = Vec::with_capacity(data.len());
    for (first, rows) in data.blocks() {
        predictions.extend(predict(file, &rows).map_err(|error| error.after(first))?);
    }
    Ok(predictions)
}

/// The runtime's answer to every row.
///
/// # Errors
/// [`EvalError`] when rows do not fit the model or an answer is not finite.
pub fn predict(file: &ModelFile, rows: &Mat) -> Result<Vec<Prediction>, EvalError> {
    let model = file.model();
    let rows = &*file.inputs_of(rows);
    check_width(&model, rows)?;
    let mut answers = vec![Prediction::default(); rows.nrows()];
    let mut scratch = vec![0; model.scratch_words()];
    let mut pack = vec![0.0; model.batch_words()];
    for (block, answers) in answers.chunks_mut(BLOCK).enumerate() {
        let (first, end) = (block * BLOCK, block * BLOCK + answers.len());
        let xs = to_f32(rows, first, answers.len());
        let refused = |source| EvalError::Row { first, end, source };
        model.classify_batch(&xs, answers, &mut pack, &mut scratch).map_err(refused)?;
    }
    Ok(answers)
}

/// The runtime's embedding of every row.
///
/// # Errors
/// As [`predict`].
pub fn embed(file: &ModelFile, rows: &Mat) -> Result<Mat, EvalError> {
    let model = file.model();
    let rows = &*file.inputs_of(rows);
    check_width(&model, rows)?;
    let mut scratch = vec![0; model.scratch_words()];
    let mut z = vec![0.0; model.dim()];
    let mut out = Mat::zeros(rows.nrows(), model.dim());
    for (first, count) in parallel::blocks(rows.nrows(), BLOCK) {
        // A block at once: taking one row out of a matrix of columns touches memory all over.
        let xs = to_f32(rows, first, count);
        for (i, x) in (first..).zip(xs.chunks_exact(rows.ncols())) {
            let refused = |source| EvalError::Row { first: i, end: i + 1, source };
            model.embed(x, &mut z, &mut scratch).map_err(refused)?;
            out.row_mut(i).iter_mut().zip(&z).for_each(|(target, z)| *target = f64::from(*z));
        }
    }
    Ok(out)
}

pub(super) fn check_width(model: &Model<'_>, rows: &Mat) -> Result<(), EvalError> {
    let (expected, got) = (model.inputs(), rows.ncols());
    if expected == got { Ok(()) } else { Err(EvalError::Width { expected, got }) }
}

/// Some rows one after the other, as a device would get them.
pub(super) fn to_f32(rows: &Mat, first: usize, count: usize) -> Vec<f32> {
    let mut xs = vec![0.0; count * rows.ncols()];
    for (j, column) in rows.column_iter().enumerate() {
        for (i, value) in column.iter().skip(first).take(count).enumerate() {
            xs[i * rows.ncols() + j] = *value as f32;
        }
    }
    xs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;
    use crate::methods::{Method, cmvda::Cmvda};
    use nearmark_format::extras;

    /// Points near −1 and 1 on a line, under the names of their sides.
    fn line(values: &[f64], names: &[&str]) -> Result<Dataset, crate::DataError> {
        Dataset::new(Mat::from_column_slice(values.len(), 1, values), names)
    }

    fn left_and_right() -> Result<ModelFile, Box<dyn std::error::Error>> {
        let data = line(&[-1.1, -0.9, 0.9, 1.1], &["left", "left", "right", "right"])?;
        Ok(compile::model(&Cmvda::default().fit(&data)?)?.encode()?)
    }

    #[test]
    fn counts_are_those_done_by_hand() -> Result<(), Box<dyn std::error::Error>> {
        // One of three on the left is called right; the one on the right is found.
        let data = line(&[-1.0, -1.2, 1.0, 1.1], &["left", "left", "left", "right"])?;
        let found = evaluate(&left_and_right()?, &data)?;
        assert_eq!(found.confusion, [[2, 1], [0, 1]]);
        assert_eq!((found.rows(), found.correct(), found.rejected), (4, 3, 0));
        assert_eq!(found.accuracy(), 0.75);
        assert!((found.balanced_accuracy() - 5.0 / 6.0).abs() < 1e-15);
        let right = ClassScore { name: "right".into(), rows: 1, recall: Some(1.0), precision: Some(0.5) };
        assert_eq!(found.per_class()[1], right);
        Ok(())
    }

    #[test]
    fn classes_are_compared_by_name_and_may_be_missing() -> Result<(), Box<dyn std::error::Error>> {
        let found = evaluate(&left_and_right()?, &line(&[1.0, 1.1], &["right", "right"])?)?;
        assert_eq!(found.confusion, [[0, 0], [0, 2]]);
        assert_eq!(found.balanced_accuracy(), 1.0);
        assert_eq!((found.per_class()[0].recall, found.per_class()[0].precision), (None, None));
        Ok(())
    }

    #[test]
    fn rows_and_labels_that_do_not_fit_are_refused() -> Result<(), Box<dyn std::error::Error>> {
        let file = left_and_right()?;
        let unknown = evaluate(&file, &line(&[1.0], &["up"])?);
        assert_eq!(unknown, Err(EvalError::UnknownClass { class: "up".into() }));
        let wide = Dataset::new(Mat::zeros(1, 2), &["left"])?;
        assert_eq!(evaluate(&file, &wide), Err(EvalError::Width { expected: 1, got: 2 }));
        Ok(())
    }

    #[test]
    fn rows_beyond_the_reject_radius_are_counted() -> Result<(), Box<dyn std::error::Error>> {
        let data = line(&[-1.1, -0.9, 0.9, 1.1], &["0", "0", "1", "1"])?;
        let mut exported = compile::model(&Cmvda::default().fit(&data)?)?;
        let radii = [0.01_f32; 2].iter().flat_map(|r| r.to_le_bytes()).collect();
        exported.model.extras.insert(extras::RADII, (false, radii));
        let found = evaluate(&exported.encode()?, &line(&[-1.0, 40.0], &["0", "1"])?)?;
        assert_eq!(found.rejected, 1);
        Ok(())
    }
}
