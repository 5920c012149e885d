//! Sparse files: the same data set as their dense form, and a clear word for every contradiction.

use super::write::{Checked, LABELS, ROWS, gzip, load, npy, npz, plainly, y_npy};
use nearmark_train::io::{self, Options};
use nearmark_train::{Dataset, Run};
use std::fs;

fn expected() -> Result<Dataset, nearmark_train::DataError> {
    let rows: Vec<Vec<f64>> = ROWS.iter().map(|row| row.iter().map(|&value| f64::from(value)).collect()).collect();
    Dataset::from_rows(&rows, &LABELS)
}

/// The table as an svmlight file whose first column has this number.
fn svmlight(base: usize) -> String {
    let line = |(row, label): (&[u8; 6], &str)| {
        let cells = row.iter().enumerate().filter(|(_, value)| **value != 0);
        let cells: Vec<String> = cells.map(|(j, value)| format!("{}:{value}", j + base)).collect();
        format!("{label} {}\n", cells.join(" "))
    };
    ROWS.iter().zip(LABELS).map(line).collect()
}

/// The arrays that `SciPy` saves of the table; columns of a row in reverse, as `SciPy` may leave them.
fn scipy(format: &str) -> Vec<(&'static str, Vec<u8>)> {
    let (rows, columns) = (ROWS.len(), ROWS[0].len());
    let (outer, inner) = if format == "csr" { (rows, columns) } else { (columns, rows) };
    let value = |o: usize, i: usize| if format == "csr" { ROWS[o][i] } else { ROWS[i][o] };
    let (mut starts, mut indices, mut data) = (vec![0_i32], Vec::new(), Vec::new());
    for o in 0..outer {
        for i in (0..inner).rev().filter(|&i| value(o, i) != 0) {
            indices.push(i as i32);
            data.push(f64::from(value(o, i)));
        }
        starts.push(data.len() as i32);
    }
    let bytes = |values: &[i32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let shape = [rows as u64, columns as u64].iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let values: Vec<u8> = data.iter().flat_map(|value: &f64| value.to_le_bytes()).collect();
    vec![
        ("indices", npy("<i4", &format!("({},)", indices.len()), &bytes(&indices))),
        ("indptr", npy("<i4", &format!("({},)", starts.len()), &bytes(&starts))),
        ("format", npy(&format!("|S{}", format.len()), "()", format.as_bytes())),
        ("shape", npy("<i8", "(2,)", &shape)),
        ("data", npy("<f8", &format!("({},)", data.len()), &values)),
    ]
}

#[test]
fn small_sparse_files_are_the_table_they_stand_for() -> Checked {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    for name in ["a.svm", "b.svmlight", "c.libsvm"] {
        fs::write(at(name), svmlight(1))?;
        assert_eq!(plainly(&at(name))?.data, expected()?, "{name}");
    }
    fs::write(at("packed.svm.gz"), gzip(svmlight(0).as_bytes())?)?;
    assert_eq!(plainly(&at("packed.svm.gz"))?.data, expected()?);
    fs::write(at("y.npy"), y_npy())?;
    for format in ["csr", "csc"] {
        let mut arrays = scipy(format);
        npz(&at("x.npz"), &arrays, true)?;
        let beside = Options { labels: Some(at("y.npy")), ..Options::default() };
        assert_eq!(load(&at("x.npz"), &beside)?.data, expected()?, "{format}");
        let message = plainly(&at("x.npz")).err().unwrap_or_default();
        assert!(message.starts_with("no labels: name their file with option `labels`"), "{message}");
        arrays.push(("y", y_npy()));
        npz(&at("x.npz"), &arrays, false)?;
        assert_eq!(plainly(&at("x.npz"))?.data, expected()?, "{format}");
    }
    Ok(())
}

#[test]
fn groups_and_ids_are_arrays_beside_a_sparse_matrix() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.npz");
    let count = ROWS.len();
    let (person, own): (Vec<u8>, Vec<u32>) = (0..count).map(|i| (b'a' + (i % 2) as u8, 70 + i as u32)).unzip();
    let ids: Vec<u8> = own.iter().flat_map(|id| id.to_le_bytes()).collect();
    let mut arrays = scipy("csr");
    arrays.push(("y", y_npy()));
    arrays.push(("person", npy("|S1", &format!("({count},)"), &person)));
    arrays.push(("number", npy("<u4", &format!("({count},)"), &ids)));
    npz(&path, &arrays, true)?;
    for unlabelled in [false, true] {
        let named = |group: &str, id: &str| -> Result<Options, Box<dyn std::error::Error>> {
            Ok(Options { group: Some(group.parse()?), id: Some(id.parse()?), unlabelled, ..Options::default() })
        };
        let data = load(&path, &named("person", "number")?)?.data;
        assert_eq!(data.ids(), Some(&own[..]));
        assert!(data.group_count() == Some(2) && data.is_labelled() != unlabelled);
        for (group, id, missing) in [("nobody", "number", "nobody"), ("person", "none", "none")] {
            let message = load(&path, &named(group, id)?).err().unwrap_or_default();
            assert!(message.starts_with(&format!("no array `{missing}`: there are ")), "{message}");
        }
    }
    Ok(())
}

#[test]
fn large_sparse_files_stay_sparse_and_stream_in_blocks() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("wide.svm");
    // 2000 rows of 16 million columns would take 256 GB.
    let lines: Vec<String> = (0..2000).map(|i| format!("{} {}:1.5 16000000:2", i % 2, i + 1)).collect();
    fs::write(&path, lines.join("\n"))?;
    let loaded = plainly(&path)?;
    assert_eq!((loaded.data.len(), loaded.data.width()), (2000, 16_000_000));
    assert!(loaded.data.sparse_rows().is_some() && loaded.notes[0].ends_with("rows stay sparse"), "{:?}", loaded.notes);
    let mut blocks = io::stream(&path.to_string_lossy(), &Options::default(), 16_000_000)?;
    let block = blocks.next().ok_or("no block")??;
    assert_eq!((block.rows.nrows(), block.rows[(0, 0)], block.rows[(0, 15_999_999)]), (1, 1.5, 2.0));
    let wrong = Options { index_base: Some(1), ..Options::default() };
    assert!(load(&folder.path().join("wide.svm"), &wrong).is_ok());
    Ok(())
}

#[test]
fn contradicting_arrays_are_refused_by_name() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.npz");
    let four = |values: [i32; 4]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let shape = |rows: i64, columns: i64| npy("<i8", "(2,)", &[rows.to_le_bytes(), columns.to_le_bytes()].concat());
    let data = |value: f64| {
        npy("<f8", "(4,)", &[1.0, 2.0, value, 4.0].iter().flat_map(|v: &f64| v.to_le_bytes()).collect::<Vec<u8>>())
    };
    // Three rows: two values, one, one.
    let base = || {
        vec![
            ("indices", npy("<i4", "(4,)", &four([0, 2, 1, 0]))),
            ("indptr", npy("<i4", "(4,)", &four([0, 2, 3, 4]))),
            ("format", npy("|S3", "()", b"csr")),
            ("shape", shape(3, 3)),
            ("data", data(3.0)),
            ("y", npy("|S1", "(3,)", b"aba")),
        ]
    };
    let read = |name: &str, array: Vec<u8>| -> Result<String, Box<dyn std::error::Error>> {
        let mut arrays = base();
        arrays.iter_mut().filter(|(other, _)| *other == name).for_each(|(_, bytes)| bytes.clone_from(&array));
        npz(&path, &arrays, false)?;
        Ok(plainly(&path).err().unwrap_or_default())
    };
    assert_eq!(read("none", Vec::new())?, "");
    for (name, array, part) in [
        ("indices", npy("<i4", "(4,)", &four([0, 9, 1, 0])), "`indices` has 9 at 1, but there are 3 columns"),
        ("indices", npy("<i4", "(4,)", &four([0, -1, 1, 0])), "-1 at 1 is no count"),
        ("indices", npy("<i4", "(4,)", &four([2, 2, 1, 0])), "row 0: column 2 comes twice"),
        ("indptr", npy("<i4", "(4,)", &four([0, 3, 2, 4])), "row 1: it does not begin where"),
        ("indptr", npy("<i4", "(4,)", &four([0, 2, 3, 9])), "rows that end at 9"),
        ("indptr", npy("<i4", "(3,)", &four([0, 2, 4, 4])[..12]), "3 numbers, but 3 rows"),
        ("shape", shape(3, 1 << 40), "columns, expected 1 to 16777216"),
        ("shape", shape(1 << 40, 3), "but 1099511627776 rows"),
        ("data", data(f64::NAN), "row 1, column 1: NaN is not a finite number"),
        ("format", npy("|S3", "()", b"coo"), "format coo, expected csr"),
        ("y", npy("|S1", "(2,)", b"ab"), "3 rows, but 2 labels"),
    ] {
        let message = read(name, array)?;
        assert!(message.contains(part), "{name}: {message}");
    }
    Ok(())
}

#[test]
fn damaged_archives_never_panic() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.npz");
    let mut arrays = scipy("csr");
    arrays.push(("y", y_npy()));
    npz(&path, &arrays, true)?;
    let whole = fs::read(&path)?;
    for at in (0..whole.len()).step_by(3) {
        for byte in [!whole[at], 0, 0x7F] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            fs::remove_file(&path)?;
            fs::write(&path, &bytes)?;
            drop(io::load(&path.to_string_lossy(), &Options::default(), &Run::default()));
        }
        fs::remove_file(&path)?;
        fs::write(&path, &whole[..at])?;
        assert!(io::load(&path.to_string_lossy(), &Options::default(), &Run::default()).is_err(), "{at} bytes");
    }
    Ok(())
}
