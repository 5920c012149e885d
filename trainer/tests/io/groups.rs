//! Groups come from a column or from an array of their own.

use super::write::{Checked, LABELS, ROWS, load, npy, npz, parquet, plainly, x_npy, y_npy};
use nearmark_train::io::{self, Options};
use std::fs;

fn group(name: &str) -> Options {
    Options { group: name.parse().ok(), ..Options::default() }
}

/// The table with the groups ann, bob, ann, bob in its second column.
fn with_people() -> String {
    let lines = ROWS.iter().zip(LABELS).enumerate().map(|(i, (row, label))| {
        let person = if i % 2 == 0 { "ann" } else { "bob" };
        format!("{},{person},{},{},{},{},{},{label}", row[0], row[1], row[2], row[3], row[4], row[5])
    });
    format!("a,person,b,c,d,e,f,kind\n{}\n", lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_column_of_groups_is_no_feature() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.csv");
    fs::write(&path, with_people())?;
    for name in ["person", "1", "-7"] {
        let loaded = load(&path, &group(name))?;
        assert_eq!(loaded.data.groups(), Some(&[0, 1, 0, 1][..]), "{name}");
        assert_eq!(loaded.features, ["a", "b", "c", "d", "e", "f"]);
        assert_eq!(loaded.data.width(), 6);
    }
    let blocks = io::stream(&path.to_string_lossy(), &group("person"), 6)?.collect::<Result<Vec<_>, _>>()?;
    assert_eq!(blocks[0].rows.ncols(), 6);
    assert_eq!(
        load(&path, &group("subject")).err().unwrap_or_default(),
        "no column `subject`: there are a, person, b, c, d, e, f, kind"
    );
    fs::write(&path, with_people().replacen("bob", "", 1))?;
    assert_eq!(
        load(&path, &group("person")).err().unwrap_or_default(),
        "line 3, column 1 (person): the group is empty"
    );
    Ok(())
}

#[test]
fn parquet_columns_may_be_groups() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.parquet");
    parquet(&path, "binary", false)?;
    let loaded = load(&path, &group("p5"))?;
    let expected: Vec<usize> = [5, 1, 0, 0]
        .iter()
        .map(|v| match v {
            5 => 0,
            1 => 1,
            _ => 2,
        })
        .collect();
    assert_eq!(loaded.data.groups(), Some(expected.as_slice()));
    assert_eq!(loaded.features, ["p0", "p1", "p2", "p3", "p4"]);
    Ok(())
}

#[test]
fn an_array_of_groups_is_found_by_its_name_or_that_of_the_part() -> Checked {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let people = || npy("|u1", "(4,)", &[7, 7, 9, 9]);
    let arrays = [
        ("X_train", x_npy()),
        ("y_train", y_npy()),
        ("subject_train", people()),
        ("short", npy("|u1", "(3,)", &[1, 2, 3])),
    ];
    npz(&at("a.npz"), &arrays, true)?;
    fs::create_dir(at("folder"))?;
    for (name, bytes) in &arrays {
        fs::write(at(&format!("folder/{name}.npy")), bytes)?;
    }
    for source in ["a.npz:train", "folder:train"] {
        for name in ["subject", "subject_train"] {
            let loaded = load(&at(source), &group(name))?;
            assert_eq!(loaded.data.groups(), Some(&[0, 0, 1, 1][..]), "{source} {name}");
            assert_eq!(loaded.data.rows(), plainly(&at(source))?.data.rows());
        }
        let missing = load(&at(source), &group("person")).err().unwrap_or_default();
        assert_eq!(missing, "no array `person`: there are X_train, short, subject_train, y_train", "{source}");
        assert_eq!(load(&at(source), &group("short")).err().unwrap_or_default(), "4 rows, but 3 groups", "{source}");
    }
    let none = load("builtin:digits".as_ref(), &group("writer")).err().unwrap_or_default();
    let message = "option `group` does not apply to built-in data sets, only to text tables (.csv, .tsv), Parquet files, .npz files, \
                    folders of .npy files and folders of tables";
    assert_eq!(none, message);
    Ok(())
}
