//! What a caller may say about how data are read, and to which forms of data each option applies.

use super::Column;
use super::error::{ReadError, enumerated};
use super::form::Form;
use crate::dataset::Preparation;
use std::path::PathBuf;

/// What the name of the data leaves open.
///
/// An option that does not apply to a form of data is refused by [`load`](super::load) and [`stream`](super::stream):
/// ignoring it would read something else than was asked for.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Options {
    /// The label column of a table; by default the last one that is not dropped.
    pub label: Option<Column>,
    /// A file of labels: NPY, IDX, or text with one label per line.
    pub labels: Option<PathBuf>,
    /// Groups that must not be split between training and hold-out rows, such as persons: a column of a table, which is
    /// then no feature, or the name of an array beside `X` and `y` (`NAME_part` where a part is read).
    pub group: Option<Column>,
    /// Columns of a table that are no features, such as row numbers or times of day.
    pub drop: Vec<Column>,
    /// Whether the first line of a text table names its columns; detected automatically by default.
    pub header: Option<bool>,
    /// The rows' ids: a column of a table, which is then no feature, or the name of an array beside `X`, of whole numbers
    /// below 2³². By default a row's id is its number.
    pub id: Option<Column>,
    /// Whether there are no labels: every column of a table is a feature, and labels that lie beside rows are left alone.
    pub unlabelled: bool,
    /// Rows and columns to which images are resized; in an array of three axes, it distinguishes images from series.
    pub image: Option<(usize, usize)>,
    /// The number of the first column of an svmlight file, 0 or 1; by default 0 if that occurs, else 1.
    pub index_base: Option<u8>,
    /// Whether decimals follow a comma.
    pub decimal_comma: bool,
    /// What becomes of rows with missing cells: empty, or `NA`, `N/A`, `NaN`, `null`, `none`, `?`, `-`. By default an error,
    /// unless a model states what stands for them.
    pub missing: Option<Missing>,
    /// Whether `NA`, `N/A`, `NaN` and `null` are classes where they are labels.
    pub label_na: bool,
    /// Columns of words that become a column for each word.
    pub onehot: Vec<Column>,
    /// Columns of words that become the numbers of the words.
    pub codes: Vec<Column>,
    /// Rows of a window: the table is a log with one row per time step, its columns are channels.
    pub window_rows: Option<usize>,
    /// Rows from one window to the next; by default windows do not overlap.
    pub step: Option<usize>,
    /// The clock of a log: seconds or dates. A window contains no gap.
    pub time: Option<Column>,
    /// Whether a window's label is that of its last row, not the most frequent one.
    pub label_at_end: bool,
    /// Whether an array of three axes is rows, time, channels; by default it is rows, channels, time.
    pub time_first: bool,
    /// What an existing model states about its rows; not an option that can fail to apply.
    pub known: Option<Known>,
    /// Columns of rows that do not state their number, such as those of an svmlight file for an existing model; not an
    /// option that can fail to apply.
    pub inputs: Option<usize>,
}

/// What becomes of rows with missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// They are an error.
    Error,
    /// They are left out.
    Drop,
    /// A missing number becomes the median of its column (the lower of two), a missing word the most frequent one.
    Median,
}

/// What a model says about the rows that it was trained on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// The names of the features; empty if they had none.
    pub features: Vec<String>,
    /// The words of columns of words, and what stands for missing cells.
    pub preparation: Preparation,
}

/// The forms of data, in the order of the columns of [`APPLIES`], as messages name them.
const FORMS: [&str; 10] = [
    "text tables (.csv, .tsv)",
    "Parquet files",
    ".npz files",
    "folders of .npy files",
    "single .npy files",
    "IDX files",
    "folders of images",
    "built-in data sets",
    "svmlight files",
    "folders of tables",
];

const Y: bool = true;
const N: bool = false;

/// Which option applies to which form of data. `image` applies to all: where nothing is resized, it is the shape of a row.
#[rustfmt::skip]
const APPLIES: [(&str, [bool; FORMS.len()]); 19] = [
    //              text parquet npz folder npy idx images built-in svmlight tables
    ("label",      [Y,  Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("labels",     [N,  N,      Y,  Y,     Y,  Y,  N,     N,       N,       N]),
    ("group",      [Y,  Y,      Y,  Y,     N,  N,  N,     N,       N,       Y]),
    ("header",     [Y,  N,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("drop",       [Y,  Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("id",         [Y,  Y,      Y,  Y,     N,  N,  N,     N,       N,       N]),
    ("unlabelled", [Y,  Y,      Y,  Y,     Y,  Y,  Y,     Y,       Y,       Y]),
    ("image",      [Y,  Y,      Y,  Y,     Y,  Y,  Y,     Y,       Y,       N]),
    ("index_base", [N,  N,      N,  N,     N,  N,  N,     N,       Y,       N]),
    ("decimal",    [Y,  N,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("missing",    [Y,  Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("label_na",   [Y,  Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("onehot",     [Y,  Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("codes",      [Y,  Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("window_rows", [Y, Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("step",       [Y,  Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("time",       [Y,  Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("label_at",   [Y,  Y,      N,  N,     N,  N,  N,     N,       N,       Y]),
    ("layout",     [N,  N,      Y,  Y,     Y,  N,  N,     N,       N,       N]),
];

impl Options {
    /// Refuses the first option that was given and does not apply to `form`.
    pub(super) fn check(&self, form: &Form) -> Result<(), ReadError> {
        let labels = [("label", self.label.is_some()), ("labels", self.labels.is_some())];
        if let Some((option, _)) = labels.into_iter().find(|(_, given)| self.unlabelled && *given) {
            let message = format!("option `{option}` names labels, but the rows are to be read without");
            return Err(ReadError::Inapplicable(option, message));
        }
        let form = column(form);
        for ((option, applies), given) in APPLIES.iter().zip(self.given()) {
            if given && !applies[form] {
                let forms: Vec<&str> = FORMS.iter().zip(applies).filter(|(_, y)| **y).map(|(form, _)| *form).collect();
                let (form, forms) = (FORMS[form], enumerated(&forms));
                let message = format!("option `{option}` does not apply to {form}, only to {forms}");
                return Err(ReadError::Inapplicable(option, message));
            }
        }
        Ok(())
    }

    /// Which options were given, in the order of [`APPLIES`].
    fn given(&self) -> [bool; APPLIES.len()] {
        let Self { label, labels, group, drop, header, id, unlabelled, image, index_base, .. } = self;
        [
            label.is_some(),
            labels.is_some(),
            group.is_some(),
            header.is_some(),
            !drop.is_empty(),
            id.is_some(),
            *unlabelled,
            image.is_some(),
            index_base.is_some(),
            self.decimal_comma,
            self.missing.is_some(),
            self.label_na,
            !self.onehot.is_empty(),
            !self.codes.is_empty(),
            self.window_rows.is_some(),
            self.step.is_some(),
            self.time.is_some(),
            self.label_at_end,
            self.time_first,
        ]
    }
}

/// The column of [`APPLIES`] for a form.
fn column(form: &Form) -> usize {
    match form {
        Form::Text(_) => 0,
        Form::Parquet(_) => 1,
        Form::Npz(..) => 2,
        Form::NpyFolder(..) => 3,
        Form::Npy(_) => 4,
        Form::Idx(_) => 5,
        Form::Images(_) => 6,
        Form::Builtin(_) => 7,
        Form::Svmlight(_) => 8,
        Form::Tables(_) => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(options: &Options, form: &Form) -> Option<String> {
        options.check(form).err().map(|error| error.to_string())
    }

    #[test]
    fn every_option_is_checked_against_its_own_line_of_the_table() {
        let column = || Some(Column::Index(0));
        let each = [
            Options { label: column(), ..Options::default() },
            Options { labels: Some("y.npy".into()), ..Options::default() },
            Options { group: column(), ..Options::default() },
            Options { header: Some(true), ..Options::default() },
            Options { drop: vec![Column::Index(0)], ..Options::default() },
            Options { id: column(), ..Options::default() },
            Options { unlabelled: true, ..Options::default() },
            Options { image: Some((2, 2)), ..Options::default() },
            Options { index_base: Some(1), ..Options::default() },
            Options { decimal_comma: true, ..Options::default() },
            Options { missing: Some(Missing::Drop), ..Options::default() },
            Options { label_na: true, ..Options::default() },
            Options { onehot: vec![Column::Index(0)], ..Options::default() },
            Options { codes: vec![Column::Index(0)], ..Options::default() },
            Options { window_rows: Some(2), ..Options::default() },
            Options { step: Some(2), ..Options::default() },
            Options { time: column(), ..Options::default() },
            Options { label_at_end: true, ..Options::default() },
            Options { time_first: true, ..Options::default() },
        ];
        for ((name, applies), options) in APPLIES.iter().zip(&each) {
            let npz = refusal(options, &Form::Npz("x.npz".into(), None));
            assert_eq!(npz.is_none(), applies[2], "{name}");
            assert!(npz.is_none_or(|message| message.starts_with(&format!("option `{name}` "))), "{name}");
        }
        assert_eq!(refusal(&Options::default(), &Form::Images("folder".into())), None);
    }

    #[test]
    fn a_refusal_names_the_form_and_the_forms_that_would_do() {
        let drop = Options { drop: vec![Column::Index(0)], ..Options::default() };
        let message = "option `drop` does not apply to .npz files, only to text tables (.csv, .tsv), Parquet files and \
                       folders of tables";
        assert_eq!(refusal(&drop, &Form::Npz("x.npz".into(), None)).as_deref(), Some(message));
        let header = Options { header: Some(true), ..Options::default() };
        let message =
            "option `header` does not apply to Parquet files, only to text tables (.csv, .tsv) and folders of tables";
        assert_eq!(refusal(&header, &Form::Parquet("x.parquet".into())).as_deref(), Some(message));
    }
}
