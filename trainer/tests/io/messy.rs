//! Tables as people have them: decimal commas, missing cells, words.

use super::write::{Checked, load};
use nearmark_train::dataset::Coding;
use nearmark_train::io::{self, Column, Known, Loaded, Missing, Options};
use std::fs;
use std::path::Path;

const TEXT: &str = "size;color;weight;kind\n1,5;red;3;ok\n;blue;4;bad\n2,5;;5;ok\n4;blue;6;NA\n9;blue;7;bad\n";

fn column(name: &str) -> Column {
    Column::Written(name.to_owned())
}

fn german() -> Options {
    Options { decimal_comma: true, onehot: vec![column("color")], ..Options::default() }
}

fn row(loaded: &Loaded, row: usize) -> Vec<f64> {
    loaded.data.rows().row(row).iter().copied().collect()
}

fn refusal(path: &Path, options: &Options) -> String {
    load(path, options).err().unwrap_or_default()
}

#[test]
fn every_refusal_names_the_option_that_helps() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.csv");
    fs::write(&path, TEXT)?;
    let plain = Options::default();
    assert!(refusal(&path, &plain).ends_with("not a comma; option `decimal` , reads them"));
    let comma = Options { decimal_comma: true, ..plain.clone() };
    assert!(refusal(&path, &comma).starts_with("line 2, column 1 (color): `red` is not a number; option `onehot`"));
    assert!(refusal(&path, &german()).contains("the cell is empty, expected a number; option `missing` drop"));
    let filled = Options { missing: Some(Missing::Median), ..german() };
    let message = "line 5, column 3 (kind): the label `NA` says that it is missing; option `label_na` keep makes it a class, \
                   option `missing` drop leaves such rows out";
    assert_eq!(refusal(&path, &filled), message);
    fs::write(&path, "a;kind\n1.5;x\n")?;
    assert!(
        refusal(&path, &comma).ends_with("a decimal comma is expected, not a point; option `decimal` . reads them")
    );
    fs::write(&path, "when,a,kind\n2024-05-01 12:00,1,x\n")?;
    let message = "line 2, column 0 (when): `2024-05-01 12:00` is a date or a time, not a number; option `drop` leaves the \
                   column out; option `time` names the clock of a log to be cut into windows";
    assert_eq!(refusal(&path, &plain), message);
    fs::write(&path, "a,b,kind\nNA,1,x\nNA,2,y\n")?;
    let filled = Options { missing: Some(Missing::Median), ..plain };
    assert_eq!(refusal(&path, &filled), "column 0 (a) is empty: option `drop` leaves it out");
    Ok(())
}

#[test]
fn rows_with_missing_cells_are_left_out() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.csv");
    fs::write(&path, TEXT)?;
    let loaded = load(&path, &Options { missing: Some(Missing::Drop), ..german() })?;
    assert_eq!(loaded.features, ["size", "color=blue", "color=red", "weight"]);
    assert_eq!(loaded.columns, [0, 1, 1, 2]);
    assert_eq!(
        (loaded.data.len(), row(&loaded, 0), row(&loaded, 1)),
        (2, vec![1.5, 0.0, 1.0, 3.0], vec![9.0, 1.0, 0.0, 7.0])
    );
    assert_eq!(loaded.notes, ["3 rows with missing cells are left out"]);
    // A class called NA is kept where it is asked for.
    let kept = load(&path, &Options { missing: Some(Missing::Drop), label_na: true, ..german() })?;
    assert_eq!(kept.data.class_names(), ["NA", "bad", "ok"]);
    fs::write(&path, "a,kind\nNA,x\n,y\n")?;
    let message = refusal(&path, &Options { missing: Some(Missing::Drop), header: Some(true), ..Options::default() });
    assert_eq!(message, "no rows: something is missing in every one");
    Ok(())
}

#[test]
fn missing_cells_are_filled_in_and_the_model_keeps_what_with() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.csv");
    fs::write(&path, TEXT)?;
    let options = Options { missing: Some(Missing::Median), label_na: true, ..german() };
    let loaded = load(&path, &options)?;
    // The lower of the two in the middle, and the most frequent word.
    assert_eq!(row(&loaded, 1), [2.5, 1.0, 0.0, 4.0]);
    assert_eq!(row(&loaded, 2), [2.5, 1.0, 0.0, 5.0]);
    assert_eq!(loaded.preparation.fill, [2.5, 1.0, 0.0, 5.0]);
    assert_eq!(loaded.preparation.categories[0].values, ["blue", "red"]);
    assert_eq!(loaded.preparation.categories[0].coding, Coding::OneHot);
    let notes = ["missing cells filled in by the median of all rows: 1 in column 0 (size), 1 in column 1 (color)"];
    assert_eq!(loaded.notes, notes);
    // Rows to come are read alike, in any order of columns, by the model's words and medians.
    fs::write(&path, "weight,color,size\n8,red,\n,,1\n")?;
    let known = Known { features: loaded.features.clone(), preparation: loaded.preparation.clone() };
    let like = Options { known: Some(known), ..Options::default() };
    let name = path.to_string_lossy().into_owned();
    let blocks = io::stream(&name, &like, 4)?;
    assert_eq!(blocks.features(), ["weight", "color=blue", "color=red", "size"]);
    let blocks = blocks.collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<f64> = blocks[0].rows.transpose().iter().copied().collect();
    assert_eq!(rows, [8.0, 0.0, 1.0, 2.5, 5.0, 1.0, 0.0, 1.0]);
    fs::write(&path, "weight,color,size\n8,green,1\n")?;
    let message = io::stream(&name, &like, 4)?.next().and_then(Result::err).map(|error| error.to_string());
    let expected = "line 2, column 1 (color): `green` is none of the words of the training rows: blue, red";
    assert_eq!(message.as_deref(), Some(expected));
    // A model that was trained on complete rows has nothing to fill in.
    let known = Some(Known { features: loaded.features, ..Known::default() });
    let message = load(&path, &Options { known, missing: Some(Missing::Median), ..Options::default() }).err();
    assert!(message.is_some_and(|message| message.starts_with("option `missing` median: the model was not trained")));
    Ok(())
}

#[test]
fn words_may_become_numbers() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.csv");
    fs::write(&path, "step,kind\n10,x\n9,y\n10,y\n")?;
    let loaded = load(&path, &Options { codes: vec![column("step")], ..Options::default() })?;
    // Words that are all integers are in the order of their values.
    assert_eq!(loaded.preparation.categories[0].values, ["9", "10"]);
    assert_eq!(
        (loaded.features.clone(), row(&loaded, 0), row(&loaded, 1)),
        (vec!["step".to_owned()], vec![1.0], vec![0.0])
    );
    let both = Options { codes: vec![column("step")], onehot: vec![column("step")], ..Options::default() };
    assert_eq!(refusal(&path, &both), "column 0 (step) is both option `onehot` and option `codes`");
    Ok(())
}
