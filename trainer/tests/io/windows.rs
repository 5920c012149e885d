//! Windows cut from logs: one table, or a folder of recordings.

use super::write::{Checked, load, npy, npz, y_npy};
use nearmark_train::io::{self, Column, Loaded, Missing, Options, Shape};
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn column(name: &str) -> Column {
    Column::Written(name.to_owned())
}

/// A log of two channels: `a` counts the rows, `b` counts down; a gap of one second after row 7.
fn log(rows: usize) -> String {
    let mut text = "t,a,b,who,kind\n".to_owned();
    for i in 0..rows {
        let time = 0.1 * i as f64 + if i > 7 { 1.0 } else { 0.0 };
        let _ = writeln!(text, "{time:.1},{i},{},p{},{}", 100 - i, i / 15, ["rest", "walk"][i / 6 % 2]);
    }
    text
}

fn windows(rows: usize, step: usize) -> Options {
    Options {
        window_rows: Some(rows),
        step: Some(step),
        time: Some(column("t")),
        group: Some(column("who")),
        ..Options::default()
    }
}

fn row(loaded: &Loaded, row: usize) -> Vec<f64> {
    loaded.data.rows().row(row).iter().copied().collect()
}

fn labels(loaded: &Loaded) -> Vec<&str> {
    loaded.data.labels().iter().map(|&label| loaded.data.class_names()[label].as_str()).collect()
}

#[test]
fn windows_contain_no_gap_and_no_change_of_group() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("log.csv");
    fs::write(&path, log(20))?;
    let loaded = load(&path, &windows(4, 2))?;
    // Pieces: rows 0 to 7, 8 to 14 (the gap), 15 to 19 (another person).
    let starts: Vec<f64> = loaded.data.rows().column(0).iter().copied().collect();
    assert_eq!(starts, [0.0, 2.0, 4.0, 8.0, 10.0, 15.0]);
    assert_eq!(row(&loaded, 1), [2.0, 3.0, 4.0, 5.0, 98.0, 97.0, 96.0, 95.0]);
    assert_eq!(loaded.shape, Shape::Series { channels: 2, steps: 4 });
    assert_eq!((loaded.features[0].as_str(), loaded.features[7].as_str()), ("a[0]", "b[3]"));
    assert_eq!(loaded.data.group_names(), ["p0", "p1"]);
    // Of equally frequent labels the later one.
    assert_eq!(labels(&loaded), ["rest", "rest", "walk", "walk", "rest", "rest"]);
    let at_end = load(&path, &Options { label_at_end: true, ..windows(4, 2) })?;
    assert_eq!(labels(&at_end), ["rest", "rest", "walk", "walk", "rest", "walk"]);
    let note = "6 windows of 2 channels × 4 steps, every 2 rows, from 3 pieces of 20 rows; 1 gaps in time";
    assert_eq!(loaded.notes, [note]);
    assert_eq!(load(&path, &windows(9, 1)), Err("no window of 9 rows: the longest piece of the log has 8".to_owned()));
    let alone = Options { time: Some(column("t")), ..Options::default() };
    let message = "option `time` is about windows: give their length with option `window_rows`";
    assert_eq!(load(&path, &alone), Err(message.to_owned()));
    Ok(())
}

#[test]
fn a_row_that_is_left_out_ends_a_piece() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("log.csv");
    fs::write(&path, log(20).replace("0.3,3,", "0.3,NA,"))?;
    let loaded = load(&path, &Options { missing: Some(Missing::Drop), ..windows(3, 3) })?;
    let starts: Vec<f64> = loaded.data.rows().column(0).iter().copied().collect();
    assert_eq!(starts, [0.0, 4.0, 8.0, 11.0, 15.0]);
    Ok(())
}

#[test]
fn a_model_takes_windows_of_its_own_length() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("log.csv");
    fs::write(&path, log(20))?;
    let name = path.to_string_lossy().into_owned();
    let blocks = io::stream(&name, &windows(4, 2), 8)?.collect::<Result<Vec<_>, _>>()?;
    assert_eq!((blocks.len(), blocks[0].rows.nrows(), blocks[0].labels.as_ref().map(Vec::len)), (1, 6, Some(6)));
    let message = io::stream(&name, &windows(4, 2), 9).map_err(|error| error.to_string()).err();
    assert_eq!(message.as_deref(), Some("model takes 9 input values, which are no windows of 4 rows"));
    Ok(())
}

fn write_all(folder: &Path, files: &[(&str, &str)]) -> Checked {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)?;
    }
    Ok(())
}

#[test]
fn recordings_in_class_folders_need_no_labels() -> Checked {
    let folder = tempfile::tempdir()?;
    let table = "x,y\n1,2\n3,4\n5,6\n";
    let files = [("run/1.csv", table), ("run/2.csv", table), ("walk/1.csv", table), ("walk/2.csv", "x,y\n7,8\n9,9\n")];
    write_all(folder.path(), &files)?;
    let loaded = load(folder.path(), &Options { window_rows: Some(2), step: Some(1), ..Options::default() })?;
    assert_eq!(labels(&loaded), ["run", "run", "run", "run", "walk", "walk", "walk"]);
    assert_eq!(row(&loaded, 6), [7.0, 9.0, 8.0, 9.0]);
    assert_eq!(loaded.data.group_names(), ["run/1.csv", "run/2.csv", "walk/1.csv", "walk/2.csv"]);
    // Without windows every row is a sample.
    assert_eq!(load(folder.path(), &Options::default())?.data.len(), 11);
    write_all(folder.path(), &[("walk/3.csv", "x,z\n1,2\n")])?;
    let message = load(folder.path(), &Options::default()).err().unwrap_or_default();
    assert_eq!(message, "walk/3.csv: its columns are not those of run/1.csv");
    Ok(())
}

#[test]
fn recordings_in_one_folder_have_a_label_column() -> Checked {
    let folder = tempfile::tempdir()?;
    write_all(
        folder.path(),
        &[("a.csv", "x,kind\n1,up\n2,up\n"), ("b.csv", "x,kind\n1,down\n2,down\n"), ("note.txt", "")],
    )?;
    let loaded = load(folder.path(), &Options::default())?;
    assert_eq!(labels(&loaded), ["up", "up", "down", "down"]);
    assert_eq!(loaded.data.groups(), None);
    let notes = [
        "some class has one recording only: hold-outs divide recordings, and flatter",
        "1 files skipped, which are no tables",
    ];
    assert_eq!(loaded.notes, notes);
    write_all(folder.path(), &[("up/c.csv", "x,kind\n1,up\n")])?;
    let message = load(folder.path(), &Options::default()).err().unwrap_or_default();
    assert!(message.starts_with("a.csv lies beside class folders"), "{message}");
    Ok(())
}

#[test]
fn an_array_may_have_time_first() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.npz");
    let values: Vec<u8> = (0..24).collect();
    npz(&path, &[("X", npy("|u1", "(4, 3, 2)", &values)), ("y", y_npy())], true)?;
    let loaded = load(&path, &Options { time_first: true, ..Options::default() })?;
    assert_eq!(loaded.shape, Shape::Series { channels: 2, steps: 3 });
    assert_eq!(row(&loaded, 0), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    npz(&path, &[("X", npy("|u1", "(4, 6)", &values)), ("y", y_npy())], true)?;
    let message = load(&path, &Options { time_first: true, ..Options::default() }).err().unwrap_or_default();
    assert_eq!(message, "option `layout` is for arrays of three axes, `X` has 2");
    Ok(())
}
