//! What can go wrong, and where: every message names the row, column, class or parameter.

use crate::linalg::LinalgError;

/// A table that cannot be a [`Dataset`](crate::Dataset), or rows that do not fit a model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A value is NaN or infinite.
    #[error("row {row}, column {column}: {value} is not a finite number")]
    NotFinite {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// A value whose square a device cannot hold.
    #[error(
        "row {row}, column {column}: {value:e} is too large, at most {:e} can be computed with",
        crate::dataset::LARGEST
    )]
    TooLarge {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// A row is longer or shorter than the first.
    #[error("row {row}: {got} values, but the first row has {expected}")]
    Ragged {
        /// Row, counted from 0.
        row: usize,
        /// Length of the first row.
        expected: usize,
        /// Length of this row.
        got: usize,
    },
    /// Rows and labels differ in number.
    #[error("{rows} rows, but {labels} labels")]
    LabelCount {
        /// Number of rows.
        rows: usize,
        /// Number of labels.
        labels: usize,
    },
    /// Rows and groups differ in number.
    #[error("{rows} rows, but {groups} groups")]
    GroupCount {
        /// Number of rows.
        rows: usize,
        /// Number of groups given.
        groups: usize,
    },
    /// Rows and ids differ in number.
    #[error("{rows} rows, but {ids} ids")]
    IdCount {
        /// Number of rows.
        rows: usize,
        /// Number of ids given.
        ids: usize,
    },
    /// Too few groups to hold one out.
    #[error("{groups} group{}, at least {needed} are needed: a group is never split", if *.groups == 1 { "" } else { "s" })]
    TooFewGroups {
        /// Groups there are.
        groups: usize,
        /// Groups needed.
        needed: usize,
    },
    /// A class that is gone when its group is held out.
    #[error("class {class} occurs in too few groups: with those held out nothing of it is left to learn from")]
    ClassInFewGroups {
        /// The class's name.
        class: String,
    },
    /// A protocol that takes rows one by one.
    #[error("rows drawn per class would split groups: use folds, or leave the groups out")]
    GroupsSplit,
    /// A kernel matrix has a row and a column for every training row.
    #[error("a kernel matrix is square, got {rows} rows of {columns} values")]
    NotSquare {
        /// Rows given.
        rows: usize,
        /// Values per row.
        columns: usize,
    },
    /// A kernel matrix is its own transpose.
    #[error("row {row}, column {column}: a kernel matrix is symmetric, got {value} and {mirrored}")]
    NotSymmetric {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The value there.
        value: f64,
        /// The value at the mirrored place.
        mirrored: f64,
    },
    /// Nothing to learn from.
    #[error("no rows")]
    NoRows,
    /// Rows without values.
    #[error("rows have no columns")]
    NoColumns,
    /// Rows of another width than the model was trained on.
    #[error("model takes {expected} input values, got {got}")]
    Width {
        /// Width of the training rows.
        expected: usize,
        /// Width of the rows given.
        got: usize,
    },
    /// A window or image shape that does not multiply up to the row's length.
    #[error("{what} needs {expected} values per row, got {got}")]
    Shape {
        /// The stage that asked.
        what: &'static str,
        /// Values its shape asks for.
        expected: usize,
        /// Values per row.
        got: usize,
    },
    /// A split asked for more rows than a class has.
    #[error("class {class} has {rows} rows, {needed} are needed")]
    ClassTooSmall {
        /// The class's name.
        class: String,
        /// Rows it has.
        rows: usize,
        /// Rows asked for.
        needed: usize,
    },
}

/// A parameter outside its range, refused before any work is done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{name} must be {rule}, got {got}")]
pub struct ParamError {
    /// The parameter's name.
    pub name: &'static str,
    /// What it must be.
    pub rule: &'static str,
    /// What it was.
    pub got: f64,
}

impl ParamError {
    /// Passes when `ok`, else names the parameter and the rule.
    pub(crate) fn check(ok: bool, name: &'static str, rule: &'static str, got: f64) -> Result<(), Self> {
        if ok { Ok(()) } else { Err(Self { name, rule, got }) }
    }

    /// A count of at least one.
    pub(crate) fn at_least_one(name: &'static str, got: usize) -> Result<(), Self> {
        Self::check(got >= 1, name, "at least 1", got as f64)
    }

    /// A finite number, zero or more; NaN is refused here too.
    pub(crate) fn not_negative(name: &'static str, got: f64) -> Result<(), Self> {
        Self::check((0.0..f64::INFINITY).contains(&got), name, "zero or more", got)
    }

    /// A finite number above zero.
    pub(crate) fn positive(name: &'static str, got: f64) -> Result<(), Self> {
        Self::check(got > 0.0 && got.is_finite(), name, "more than zero", got)
    }
}

/// A fit that cannot succeed on these rows.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The rows themselves are at fault.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A parameter is at fault.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// Classification needs two classes.
    #[error("only one class ({class}), at least two are needed")]
    OneClass {
        /// The lonely class.
        class: String,
    },
    /// Classes are needed, and the rows have no labels.
    #[error("the rows have no labels, and the method needs classes")]
    NoLabels,
    /// A method that needs classes, and those that do not.
    #[error("{method} needs labels; these take rows without: {others}")]
    NeedsLabels {
        /// The method.
        method: &'static str,
        /// Methods that would do.
        others: String,
    },
    /// More classes than a model can name.
    #[error("{classes} classes, but a model takes at most 65532: is the label column the right one?")]
    TooManyClasses {
        /// Their number.
        classes: usize,
    },
    /// A class is smaller than the method can use.
    #[error("class {class} has {rows} rows, the method needs {needed}")]
    SmallClass {
        /// The class's name.
        class: String,
        /// Rows it has.
        rows: usize,
        /// Rows needed.
        needed: usize,
    },
    /// Every row is the same point.
    #[error("all {rows} rows are equal")]
    AllRowsEqual {
        /// Number of rows.
        rows: usize,
    },
    /// More dimensions asked for than the data can give.
    #[error("dim is {dim}, but these rows give at most {max}")]
    DimTooLarge {
        /// Dimensions asked for.
        dim: usize,
        /// Dimensions available.
        max: usize,
    },
    /// Fewer rows than neighbors, landmarks or exemplars asked for.
    #[error("{name} is {needed}, but there are only {rows} rows")]
    TooFewRows {
        /// The parameter.
        name: &'static str,
        /// Its value.
        needed: usize,
        /// Rows given.
        rows: usize,
    },
    /// A factorization failed although everything looked sound.
    #[error("{step}: {source}")]
    Numeric {
        /// What was being computed.
        step: &'static str,
        /// What the solver said.
        source: LinalgError,
    },
    /// More memory is needed than there is.
    #[error("{method} on {rows} rows needs {needed} of memory, but {free} are free: {advice}")]
    Memory {
        /// The method.
        method: &'static str,
        /// Rows given.
        rows: usize,
        /// What the fit needs.
        needed: String,
        /// What is free.
        free: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// Rows to be embedded that the method was not made from.
    #[error("{method} is in-sample only: it has no map for other rows")]
    InSampleOnly {
        /// The method.
        method: String,
    },
    /// The method would have to fill in the zeros of sparse rows.
    #[error(
        "{method} with these settings would fill in the zeros of {rows} sparse rows of {columns} values; pca, lda, ebek \
         with kernel linear, and cmvda, cmvda-r, cmvca, kpca, keca, kda with features random:M or signs:M do not, nor \
         does any method behind pca"
    )]
    Sparse {
        /// The method.
        method: &'static str,
        /// Rows given.
        rows: usize,
        /// Values per row.
        columns: usize,
    },
    /// A scaling that would turn zeros into other values.
    #[error(
        "scale {scaling} would fill in the zeros of sparse rows; none and unit do not, nor does minmax or range where no value is negative"
    )]
    SparseScale {
        /// The scaling.
        scaling: String,
    },
    /// A given kernel without its matrix, or a matrix that the method cannot take.
    #[error(
        "{method} with these settings and a kernel matrix as rows do not go together; with kernel precomputed, ebek, cmvda, \
         cmvda-r, cmvca, kpca, keca and kda take one, with features exact or nystrom:M"
    )]
    Similarities {
        /// The method.
        method: &'static str,
    },
    /// A stage before the method that would change kernel values.
    #[error("{stage} would change the values of a kernel matrix; leave it out")]
    SimilaritiesChanged {
        /// The stage.
        stage: &'static str,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl FitError {
    /// Names the step in which a solver failed.
    pub(crate) fn at(step: &'static str) -> impl Fn(LinalgError) -> Self {
        move |source| Self::Numeric { step, source }
    }
}
