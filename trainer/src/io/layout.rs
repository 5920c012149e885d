//! What each column of a table is for.

use super::error::{ReadError, shorten};
use super::{Options, Raw, Shape, Want};
use crate::linalg::Mat;

/// What a column of a table is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A number that a model takes.
    Feature,
    /// The row's class.
    Label,
    /// The row's group, which no split divides.
    Group,
    /// The row's id.
    Id,
    /// Nothing: the column is left out.
    Dropped,
}

/// The text columns of a table.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) labels: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) ids: Vec<String>,
}

impl Words {
    /// Where the words of a role go; labels unless it is another one.
    pub(super) fn of(&mut self, role: Role) -> &mut Vec<String> {
        match role {
            Role::Group => &mut self.groups,
            Role::Id => &mut self.ids,
            Role::Label | Role::Feature | Role::Dropped => &mut self.labels,
        }
    }
}

/// A role for each column.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) roles: Vec<Role>,
    names: Option<Vec<String>>,
}

impl Layout {
    /// Gives `count` columns their roles; `names` is the header, if there is one.
    pub(super) fn new(
        names: Option<&Vec<String>>,
        count: usize,
        options: &Options,
        want: Want,
    ) -> Result<Self, ReadError> {
        let mut layout = Self { roles: vec![Role::Feature; count], names: names.cloned() };
        let names = names.map(Vec::as_slice);
        for column in &options.drop {
            layout.roles[column.find(names, count)?] = Role::Dropped;
        }
        if let Some(column) = &options.group {
            let group = column.find(names, count)?;
            if layout.roles[group] == Role::Dropped {
                return Err(layout.two_roles(group, "the group", "dropped"));
            }
            layout.roles[group] = Role::Group;
        }
        if let Some(column) = &options.id {
            let id = column.find(names, count)?;
            match layout.roles[id] {
                Role::Dropped => return Err(layout.two_roles(id, "the id", "dropped")),
                Role::Group => return Err(layout.two_roles(id, "the id", "the group")),
                _ => layout.roles[id] = Role::Id,
            }
        }
        let kept = layout.width();
        match want {
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
            Role::Feature | Role::Label => {}
        }
        layout.roles[label] = Role::Label;
        Ok(layout)
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
        (0..self.roles.len()).filter(|&column| self.roles[column] == Role::Feature).collect()
    }

    pub(super) fn label(&self) -> Option<usize> {
        self.roles.iter().position(|role| *role == Role::Label)
    }

    pub(super) fn width(&self) -> usize {
        self.roles.iter().filter(|role| **role == Role::Feature).count()
    }

    /// The features' names, none if there is no header.
    pub(super) fn features(&self) -> Vec<String> {
        let named = self.names.iter().flatten().zip(&self.roles);
        named.filter(|(_, role)| **role == Role::Feature).map(|(name, _)| name.clone()).collect()
    }

    /// Rows of a table with their labels, groups and ids, where it has such columns.
    pub(super) fn raw(&self, rows: Mat, words: Words) -> Raw {
        let groups = self.roles.contains(&Role::Group).then_some(words.groups);
        let ids = self.roles.contains(&Role::Id).then_some(words.ids);
        let labels = self.label().is_some().then_some(words.labels);
        Raw { groups, ids, features: self.features(), columns: self.columns(), ..Raw::plain(rows, labels, Shape::Flat) }
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
    use super::super::Column;
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
