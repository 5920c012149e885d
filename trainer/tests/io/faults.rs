//! Every fault has its word, with the place where it lies.

use super::write::{Checked, ROWS, gzip, idx, images, load, npy, npz, parquet, plainly, text, x_npy, y_npy};
use nearmark_train::io::{Column, Options};
use std::fs;
use std::path::Path;

/// What a file is refused with; empty if it is not.
fn fault(path: &Path, options: &Options) -> String {
    load(path, options).err().unwrap_or_default()
}

#[test]
fn text_tables() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.csv");
    let faults = [
        ("", "no rows: the file is empty"),
        ("\n\n", "no rows: the file is empty"),
        ("a,b,label\n", "no rows: there is only a header"),
        (
            "1,2,a\n3,x,b\n",
            "line 2, column 1: `x` is not a number; option `onehot` or option `codes` reads words, option `drop` leaves a column out",
        ),
        (
            "acc,gyr,k\n1,2,a\n\n3,x,b\n",
            "line 4, column 1 (gyr): `x` is not a number; option `onehot` or option `codes` reads words, option `drop` leaves a column out",
        ),
        (
            "1,2,a\n3,NaN,b\n",
            "line 2, column 1: `NaN` is not a finite number; option `missing` drop leaves such rows out, option `missing` median fills in",
        ),
        ("1,2,a\n-inf,4,b\n", "line 2, column 0: `-inf` is not a finite number"),
        ("1,2,a\n1e400,4,b\n", "line 2, column 0: `1e400` is not a finite number"),
        (
            "1,2,a\n3,,b\n",
            "line 2, column 1: the cell is empty, expected a number; option `missing` drop leaves such rows out, option `missing` median fills in",
        ),
        ("1,2,a\n3,4, \n", "line 2, column 2: the label is empty; option `missing` drop leaves such rows out"),
        (
            "1;2;a\n3,5;4;b\n",
            "line 2, column 0: `3,5` is not a number: a decimal point is expected, not a comma; option `decimal` , reads them",
        ),
        ("1,2,a\n3,4\n", "line 2: 2 columns, but line 1 has 3"),
        ("\r\na,b,label\r\n1,2,x\r\n3,4,y,z\r\n", "line 4: 4 columns, but line 2 has 3"),
        ("1,2,a\n3,\"4,b\n", "line 2: a quote opens here and is never closed"),
        ("a\nb\n", "1 column, but a label and at least one number are needed"),
    ];
    for (text, message) in faults {
        fs::write(&path, text)?;
        assert_eq!(fault(&path, &Options::default()), message, "{text:?}");
    }
    fs::write(&path, b"1,2,a\n3,4,\xE4\n")?;
    assert_eq!(fault(&path, &Options::default()), "line 2, column 2: not UTF-8 text");
    Ok(())
}

#[test]
fn columns_that_are_not_there() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.csv");
    let label = |name: &str| Options { label: Some(Column::Written(name.into())), ..Options::default() };
    fs::write(&path, "a,b,b,label\n1,2,3,x\n4,5,6,y\n")?;
    assert_eq!(fault(&path, &label("kind")), "no column `kind`: there are a, b, b, label");
    assert_eq!(fault(&path, &label("4")), "no column `4`: there are a, b, b, label");
    let message = "column name `b` is ambiguous: columns 1 and 2 have it, use the number";
    assert_eq!(fault(&path, &label("b")), message);
    let message = fault(&path, &label("1"));
    assert!(message.starts_with("line 2, column 3 (label): `x` is not a number; "), "{message}");
    fs::write(&path, "1,2,x\n4,5,y\n")?;
    let message = "no column `kind`: there is no header, columns are numbered 0 to 2";
    assert_eq!(fault(&path, &label("kind")), message);
    let both = Options { drop: vec!["-1".parse()?], ..label("2") };
    assert_eq!(fault(&path, &both), "column 2 is both the label and dropped");
    Ok(())
}

#[test]
fn truncated_files() -> Checked {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let half = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let cut = |name: &str| -> Checked { Ok(fs::write(at(name), half(&fs::read(at(name))?))?) };
    fs::write(at("x.csv.gz"), half(&gzip(text(',', true).as_bytes())?))?;
    assert_eq!(fault(&at("x.csv.gz"), &Options::default()), "truncated: the file ends too early");
    npz(&at("x.npz"), &[("X", x_npy()), ("y", y_npy())], true)?;
    cut("x.npz")?;
    assert!(fault(&at("x.npz"), &Options::default()).starts_with("not a complete NPZ file: "));
    parquet(&at("x.parquet"), "binary", false)?;
    cut("x.parquet")?;
    assert!(fault(&at("x.parquet"), &Options::default()).starts_with("not a complete Parquet file: "));
    images(&at("folder"), "png")?;
    cut("folder/2/2.png")?;
    assert!(fault(&at("folder"), &Options::default()).starts_with("2/2.png: not a complete image: "));
    fs::write(at("a-images-idx3-ubyte"), idx(&[4, 2, 3], &ROWS.as_flattened()[..20]))?;
    assert!(fault(&at("a-images-idx3-ubyte"), &Options::default()).starts_with("truncated: "));
    let options = Options { labels: Some(at("y.npy")), ..Options::default() };
    fs::write(at("X.npy"), npy("|u1", "(4, 6)", &ROWS.as_flattened()[..5]))?;
    fs::write(at("y.npy"), y_npy())?;
    assert_eq!(fault(&at("X.npy"), &options), "truncated: shape (4, 6) needs more bytes than there are");
    Ok(())
}

#[test]
fn arrays() -> Checked {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let of = |arrays: &[(&str, Vec<u8>)]| -> Result<String, Box<dyn std::error::Error>> {
        npz(&at("x.npz"), arrays, true)?;
        Ok(fault(&at("x.npz"), &Options::default()))
    };
    let message = "no array `X`: there are X_test, X_train; did you mean x.npz:train?";
    assert_eq!(of(&[("X_train", x_npy()), ("X_test", x_npy())])?, message);
    assert_eq!(of(&[("X", x_npy()), ("labels", y_npy())])?, "no array `y`: there are X, labels");
    assert_eq!(of(&[])?, "no array `X`: there is none at all");
    assert_eq!(of(&[("X", x_npy()), ("y", npy("|u1", "(3,)", &[1, 2, 3]))])?, "4 rows, but 3 labels");
    let flat = npy("|u1", "(24,)", ROWS.as_flattened());
    let message = "`X` has shape (24,), expected (rows, features) or (rows, channels, time)";
    assert_eq!(of(&[("X", flat), ("y", y_npy())])?, message);
    let nan: Vec<u8> = [0.0, 1.0, 2.0, f32::NAN].iter().flat_map(|v| v.to_le_bytes()).collect();
    let y = npy("|u1", "(2,)", &[1, 2]);
    let message = "row 1, column 1: NaN is not a finite number";
    assert_eq!(of(&[("X", npy("<f4", "(2, 2)", &nan)), ("y", y.clone())])?, message);
    assert_eq!(of(&[("X", npy("|u1", "(0, 6)", &[])), ("y", y)])?, "no rows");
    let message = "array `X`: not a NumPy array: it does not begin with \\x93NUMPY";
    assert_eq!(of(&[("X", b"text".to_vec()), ("y", y_npy())])?, message);
    let message = "`X` is of type text (|S1), expected numbers";
    assert_eq!(of(&[("X", npy("|S1", "(2, 1)", b"ab")), ("y", y_npy())])?, message);
    fs::write(at("X.npy"), x_npy())?;
    assert_eq!(
        fault(&at("X.npy"), &Options::default()),
        "no labels: name their file with option `labels`, such as y.npy"
    );
    Ok(())
}

#[test]
fn arrays_of_the_same_name() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.npz");
    npz(&path, &[("X", x_npy()), ("y", y_npy()), ("Z", x_npy())], false)?;
    assert_eq!(fault(&path, &Options::default()), "");
    // Writers refuse to make such a file: the name of another array is overwritten where it stands.
    let mut bytes = fs::read(&path)?;
    for at in 0..bytes.len() - 5 {
        if bytes[at..].starts_with(b"Z.npy") {
            bytes[at] = b'X';
        }
    }
    fs::write(&path, bytes)?;
    assert_eq!(fault(&path, &Options::default()), "NPZ file: two arrays have the same name");
    Ok(())
}

#[test]
fn parquet_columns() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.parquet");
    parquet(&path, "binary", true)?;
    assert_eq!(
        fault(&path, &Options::default()),
        "row 2, column 5 (p5): null, expected a value; option `missing` drop leaves such rows out, option `missing` median fills in"
    );
    parquet(&path, "binary", false)?;
    let first = Options { label: Some(Column::Index(0)), ..Options::default() };
    assert_eq!(
        fault(&path, &first),
        "column 6 (label) is of type text, expected numbers; option `onehot` or option `codes` reads words, option `drop` leaves a column out"
    );
    let missing = Options { label: Some(Column::Name("kind".into())), ..Options::default() };
    assert_eq!(fault(&path, &missing), "no column `kind`: there are p0, p1, p2, p3, p4, p5, label");
    Ok(())
}

#[test]
fn forms_that_are_none() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.xlsx");
    assert_eq!(fault(&path, &Options::default()), "no such file");
    fs::write(&path, "")?;
    let message = fault(&path, &Options::default());
    assert!(message.starts_with("`.xlsx` is no known form of data: expected .csv, "), "{message}");
    let message = fault(folder.path(), &Options::default());
    assert!(
        message.starts_with("a folder without .npy files, tables, class folders or images is no known"),
        "{message}"
    );
    let message = plainly(Path::new("builtin:iris")).err();
    let expected = "no built-in data set `iris`: there are digits, optdigits, gestures, each also with :train or :test";
    assert_eq!(message.as_deref(), Some(expected));
    Ok(())
}

#[test]
fn a_stopped_run_reads_no_further() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    let run = nearmark_train::Run::default().stop_when(&stop);
    let loaded = nearmark_train::io::load("builtin:digits", &Options::default(), &run);
    assert_eq!(loaded.map_err(|error| error.to_string()).err().as_deref(), Some("cancelled"));
}
