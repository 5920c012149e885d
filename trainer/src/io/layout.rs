//! What each column of a table is for.

use super::error::{ReadError, shorten};
use super::options::{Known, Missing};
use super::prepare::{Book, Coded, Prepared};
use super::windows::{Cut, channel_names};
use super::{Column, Options, Raw, Shape, Want};
use crate::dataset::Coding;
use crate::linalg::Mat;

/// What a column of a table is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A number that a model takes.
    Feature,
    /// A word that becomes numbers.
    Category,
    /// The row's class.
    Label,
    /// The row's group, which no split divides.
    Group,
    /// The row's id.
    Id,
    /// When the row was taken.
    Time,
    /// Nothing: the column is left out.
    Dropped,
}

/// The text columns of a table.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) labels: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) ids: Vec<String>,
    /// The words of each column of words.
    pub(super) books: Vec<Book>,
    /// Rows left out because something is missing.
    pub(super) left_out: usize,
    /// Rows that were read.
    pub(super) rows: usize,
    /// When each row was taken, if there is a clock.
    pub(super) times: Vec<f64>,
    /// Rows that do not follow the row before.
    pub(super) breaks: Vec<usize>,
}

impl Words {
    /// Where the words of a role go; labels unless it is another one.
    pub(super) fn of(&mut self, role: Role) -> &mut Vec<String> {
        match role {
            Role::Group => &mut self.groups,
            Role::Id => &mut self.ids,
            Role::Label | Role::Feature | Role::Category | Role::Time | Role::Dropped => &mut self.labels,
        }
    }
}

impl Words {
    /// Leaves out all but these of `rows` rows.
    pub(super) fn keep(&mut self, kept: &[usize], rows: usize) {
        for words in [&mut self.labels, &mut self.groups, &mut self.ids].into_iter().filter(|words| !words.is_empty()) {
            *words = kept.iter().map(|&row| std::mem::take(&mut words[row])).collect();
        }
        if !self.times.is_empty() {
            self.times = kept.iter().map(|&row| self.times[row]).collect();
        }
        self.breaks.extend((1..kept.len()).filter(|&place| kept[place] != kept[place - 1] + 1));
        self.left_out += rows - kept.len();
    }
}

/// A role for each column.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) roles: Vec<Role>,
    names: Option<Vec<String>>,
    /// The columns of words in their order.
    pub(super) coded: Vec<Coded>,
    pub(super) missing: Missing,
    /// What stands for missing cells by the model that the rows are for.
    pub(super) known: Option<Known>,
    pub(super) decimal_comma: bool,
    /// Whether a label may say that it is missing: it is a class, or an existing model does not look at it.
    pub(super) any_label: bool,
    /// How the rows are cut into windows, if they are.
    cut: Option<Cut>,
}

impl Layout {
    /// Gives `count` columns their roles; `names` is the header, if there is one.
    pub(super) fn new(
        names: Option<&Vec<String>>,
        count: usize,
        options: &Options,
        want: Want,
    ) -> Result<Self, ReadError> {
        let is_filled = options.known.as_ref().is_some_and(|known| !known.preparation.fill.is_empty());
        let is_for_model = options.known.is_some() || matches!(want, Want::Inputs(_));
        let missing = options.missing.unwrap_or(if is_filled { Missing::Median } else { Missing::Error });
        let mut layout = Self {
            roles: vec![Role::Feature; count],
            names: names.cloned(),
            coded: Vec::new(),
            missing,
            known: options.known.clone().filter(|_| is_filled),
            decimal_comma: options.decimal_comma,
            any_label: options.label_na || matches!(want, Want::Inputs(_)),
            cut: Cut::of(options)?,
        };
        let want = match (want, &layout.cut) {
            (Want::Inputs(inputs), Some(cut)) => Want::Inputs(cut.channels(inputs)?),
            _ => want,
        };
        if let (Some(known), true) = (&mut layout.known, layout.cut.is_some()) {
            known.features = channel_names(&known.features);
        }
        let names = names.map(Vec::as_slice);
        layout.leave_out(names, options)?;
        layout.find_coded(names, options, is_for_model)?;
        let kept = layout.width();
        match want {
            _ if is_for_model && missing == Missing::Median && !is_filled => {
                let message = "option `missing` median: the model was not trained with it and has no values to fill in";
                return Err(ReadError::Invalid(message.to_owned()));
            }
            Want::Labelled if kept < 2 => {
                let message = format!("{kept} column, but a label and at least one number are needed");
                return Err(ReadError::Invalid(message));
            }
            Want::Unlabelled if kept == 0 => {
                return Err(ReadError::Invalid("no column is left, but at least one number is needed".to_owned()));
            }
            Want::Unlabelled => return Ok(layout),
            Want::Inputs(inputs) if kept == inputs => return Ok(layout),
            Want::Inputs(inputs) if kept != inputs + 1 => {
                return Err(ReadError::Invalid(format!(
                    "model takes {inputs} input values, but there are {kept} columns ({inputs}, or {} with a label)",
                    inputs + 1
                )));
            }
            Want::Labelled | Want::Inputs(_) => {}
        }
        let label = match &options.label {
            Some(column) => column.find(names, count)?,
            None => layout.roles.iter().rposition(|role| *role == Role::Feature).unwrap_or_default(),
        };
        match layout.roles[label] {
            Role::Dropped => return Err(layout.two_roles(label, "the label", "dropped")),
            Role::Group => return Err(layout.two_roles(label, "the group", "the label")),
            Role::Id => return Err(layout.two_roles(label, "the id", "the label")),
            Role::Category => return Err(layout.two_roles(label, "a column of words", "the label")),
            Role::Time => return Err(layout.two_roles(label, "the time", "the label")),
            Role::Feature | Role::Label => {}
        }
        layout.roles[label] = Role::Label;
        Ok(layout)
    }

    /// Finds the columns that are no features.
    fn leave_out(&mut self, names: Option<&[String]>, options: &Options) -> Result<(), ReadError> {
        let count = self.roles.len();
        for column in &options.drop {
            self.roles[column.find(names, count)?] = Role::Dropped;
        }
        if let Some(column) = &options.group {
            let group = column.find(names, count)?;
            if self.roles[group] == Role::Dropped {
                return Err(self.two_roles(group, "the group", "dropped"));
            }
            self.roles[group] = Role::Group;
        }
        if let Some(column) = &options.time {
            let time = column.find(names, count)?;
            match self.roles[time] {
                Role::Feature => self.roles[time] = Role::Time,
                _ => return Err(self.two_roles(time, "the time", "the group or dropped")),
            }
        }
        if let Some(column) = &options.id {
            let id = column.find(names, count)?;
            match self.roles[id] {
                Role::Dropped => return Err(self.two_roles(id, "the id", "dropped")),
                Role::Group => return Err(self.two_roles(id, "the id", "the group")),
                _ => self.roles[id] = Role::Id,
            }
        }
        Ok(())
    }

    /// Finds the columns of words; a model that exists names them itself.
    fn find_coded(&mut self, names: Option<&[String]>, options: &Options, is_for_model: bool) -> Result<(), ReadError> {
        let count = self.roles.len();
        let mut found: Vec<(usize, Coding, Option<Vec<String>>)> = Vec::new();
        if let Some(known) = &options.known {
            for categories in &known.preparation.categories {
                let column = Column::Written(categories.column.clone()).find(names, count)?;
                found.push((column, categories.coding, Some(categories.values.clone())));
            }
        } else {
            for (columns, coding) in [(&options.onehot, Coding::OneHot), (&options.codes, Coding::Codes)] {
                for column in columns {
                    found.push((column.find(names, count)?, coding, None));
                }
            }
        }
        if is_for_model {
            for column in options.onehot.iter().chain(&options.codes) {
                let number = column.find(names, count)?;
                let is_known =
                    |(column, _, values): &(usize, Coding, Option<Vec<String>>)| *column == number && values.is_some();
                if !found.iter().any(is_known) {
                    let message = format!("the model has no words of column {}", self.position(number));
                    return Err(ReadError::Invalid(message));
                }
            }
        }
        found.sort_by_key(|(column, ..)| *column);
        for (column, coding, values) in found {
            match self.roles[column] {
                Role::Feature => self.roles[column] = Role::Category,
                Role::Category => return Err(self.two_roles(column, "option `onehot`", "option `codes`")),
                Role::Dropped => return Err(self.two_roles(column, "a column of words", "dropped")),
                _ => return Err(self.two_roles(column, "a column of words", "the group or the id")),
            }
            let name = names.and_then(|names| names.get(column)).filter(|name| !name.is_empty());
            let name = name.cloned().unwrap_or_else(|| column.to_string());
            self.coded.push(Coded { name, coding, values });
        }
        Ok(())
    }

    fn two_roles(&self, column: usize, one: &str, other: &str) -> ReadError {
        ReadError::Invalid(format!("column {} is both {one} and {other}", self.position(column)))
    }

    /// The header, if there is one.
    pub(super) fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// The numbers of the columns that are features.
    pub(super) fn columns(&self) -> Vec<usize> {
        (0..self.roles.len()).filter(|&column| self.is_cell(column)).collect()
    }

    fn is_cell(&self, column: usize) -> bool {
        matches!(self.roles[column], Role::Feature | Role::Category)
    }

    pub(super) fn label(&self) -> Option<usize> {
        self.roles.iter().position(|role| *role == Role::Label)
    }

    /// Cells of a row that are features, a word counting as one.
    pub(super) fn cells(&self) -> usize {
        self.columns().len()
    }

    /// Values of a row, as far as the words are known.
    pub(super) fn width(&self) -> usize {
        let numbers = self.roles.iter().filter(|role| **role == Role::Feature).count();
        numbers + self.coded.iter().map(Coded::width).sum::<usize>()
    }

    /// The number of each column among the columns of words, if it is one.
    pub(super) fn places_of_words(&self) -> Vec<Option<usize>> {
        let mut next = 0;
        let place = |role: &Role| {
            next += usize::from(*role == Role::Category);
            (*role == Role::Category).then(|| next - 1)
        };
        self.roles.iter().map(place).collect()
    }

    /// A column's own name.
    pub(super) fn name(&self, column: usize) -> Option<&String> {
        self.names.iter().flatten().nth(column)
    }

    /// Room for the words of rows.
    pub(super) fn words(&self) -> Words {
        Words { books: self.coded.iter().map(Coded::book).collect(), ..Words::default() }
    }

    /// Rows of a table with their labels, groups and ids, where it has such columns; a word is its number in its book, a
    /// missing cell NaN.
    pub(super) fn raw(&self, cells: Mat, mut words: Words) -> Result<Raw, ReadError> {
        let prepared = self.prepare(cells, &mut words.books)?;
        // Folders give labels and groups to tables that have no such column.
        let groups = (self.roles.contains(&Role::Group) || !words.groups.is_empty()).then_some(words.groups);
        let ids = self.roles.contains(&Role::Id).then_some(words.ids);
        let labels = (self.label().is_some() || !words.labels.is_empty()).then_some(words.labels);
        let mut notes = prepared.notes;
        if words.left_out > 0 {
            notes.push(format!("{} rows with missing cells are left out", words.left_out));
        }
        let Prepared { rows, features, columns, preparation, .. } = prepared;
        let raw = Raw { groups, ids, features, columns, preparation, notes, ..Raw::plain(rows, labels, Shape::Flat) };
        match self.cut {
            Some(cut) => cut.windows(raw, &words.times, &words.breaks),
            None => Ok(raw),
        }
    }

    /// A column for a message: its number, and its name where it has one.
    pub(super) fn position(&self, column: usize) -> String {
        match self.names.iter().flatten().nth(column).filter(|name| !name.is_empty()) {
            Some(name) => format!("{column} ({})", shorten(name)),
            None => column.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(options: &Options, want: Want) -> Result<Vec<Role>, String> {
        let names = ["id", "a", "b", "kind"].map(String::from).to_vec();
        Layout::new(Some(&names), 4, options, want).map(|layout| layout.roles).map_err(|e| e.to_string())
    }

    #[test]
    fn the_label_is_the_last_column_that_is_kept() {
        use Role::{Dropped, Feature, Label};
        let drop = vec![Column::Name("kind".into()), Column::Index(0)];
        let dropping = Options { drop, ..Options::default() };
        assert_eq!(layout(&Options::default(), Want::Labelled), Ok(vec![Feature, Feature, Feature, Label]));
        assert_eq!(layout(&dropping, Want::Labelled), Ok(vec![Dropped, Feature, Label, Dropped]));
    }

    #[test]
    fn a_table_as_wide_as_the_model_has_no_label() {
        use Role::{Feature, Label};
        let first = Options { label: Some(Column::Index(0)), ..Options::default() };
        assert_eq!(layout(&first, Want::Inputs(4)), Ok(vec![Feature; 4]));
        assert_eq!(layout(&first, Want::Inputs(3)), Ok(vec![Label, Feature, Feature, Feature]));
        let message = "model takes 7 input values, but there are 4 columns (7, or 8 with a label)";
        assert_eq!(layout(&first, Want::Inputs(7)), Err(message.into()));
    }

    #[test]
    fn a_group_is_neither_feature_nor_label_nor_dropped() {
        use Role::{Feature, Group, Label};
        let group = |column| Options { group: Some(Column::Index(column)), ..Options::default() };
        assert_eq!(layout(&group(0), Want::Labelled), Ok(vec![Group, Feature, Feature, Label]));
        // The label is then the last of the others.
        assert_eq!(layout(&group(3), Want::Labelled), Ok(vec![Feature, Feature, Label, Group]));
        assert_eq!(layout(&group(0), Want::Inputs(3)), Ok(vec![Group, Feature, Feature, Feature]));
        let label = Options { label: Some(Column::Index(0)), ..group(0) };
        assert_eq!(layout(&label, Want::Labelled), Err("column 0 (id) is both the group and the label".into()));
        let drop = Options { drop: vec![Column::Index(0)], ..group(0) };
        assert_eq!(layout(&drop, Want::Labelled), Err("column 0 (id) is both the group and dropped".into()));
    }

    #[test]
    fn an_id_is_no_feature_and_without_labels_every_other_column_is_one() {
        use Role::{Feature, Id, Label};
        let id = Options { id: Some(Column::Name("id".into())), ..Options::default() };
        assert_eq!(layout(&id, Want::Labelled), Ok(vec![Id, Feature, Feature, Label]));
        assert_eq!(layout(&id, Want::Unlabelled), Ok(vec![Id, Feature, Feature, Feature]));
        assert_eq!(layout(&Options::default(), Want::Unlabelled), Ok(vec![Feature; 4]));
        let label = Options { label: Some(Column::Index(0)), ..id.clone() };
        assert_eq!(layout(&label, Want::Labelled), Err("column 0 (id) is both the id and the label".into()));
        let drop = Options { drop: vec![Column::Index(0)], ..id.clone() };
        assert_eq!(layout(&drop, Want::Unlabelled), Err("column 0 (id) is both the id and dropped".into()));
        let group = Options { group: Some(Column::Index(0)), ..id };
        assert_eq!(layout(&group, Want::Unlabelled), Err("column 0 (id) is both the id and the group".into()));
    }

    #[test]
    fn a_label_cannot_be_dropped() {
        let both = Options { label: Some(Column::Index(0)), drop: vec![Column::Index(0)], ..Options::default() };
        assert_eq!(layout(&both, Want::Labelled), Err("column 0 (id) is both the label and dropped".into()));
    }
}
