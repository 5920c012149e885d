//! Every form gives the same data set.

use super::write::{Checked, LABELS, ROWS, gzip, idx, images, load, npy, npz, parquet, plainly, text, x_npy, y_npy};
use nearmark_train::Dataset;
use nearmark_train::io::{self, Column, Loaded, Options, Shape};
use std::fs;
use std::path::Path;

fn expected() -> Result<Dataset, nearmark_train::DataError> {
    let rows: Vec<Vec<f64>> = ROWS.iter().map(|row| row.iter().map(|&value| f64::from(value)).collect()).collect();
    Dataset::from_rows(&rows, &LABELS)
}

fn check(loaded: Result<Loaded, String>, form: &str) -> Checked {
    let loaded = loaded.map_err(|error| format!("{form}: {error}"))?;
    assert_eq!(loaded.data, expected()?, "{form}");
    Ok(())
}

#[test]
fn text_tables_with_any_delimiter_line_end_and_packing_are_the_same() -> Checked {
    let folder = tempfile::tempdir()?;
    let write =
        |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).map(|()| folder.path().join(name));
    for header in [false, true] {
        for (name, delimiter) in [("a.csv", ','), ("b.csv", ';'), ("c.csv", '\t'), ("d.tsv", '\t')] {
            let text = text(delimiter, header);
            let windows = format!("\u{FEFF}{}\r\n", text.replace('\n', "\r\n"));
            let spaced = text.replace(delimiter, &format!(" {delimiter} "));
            for text in [text.as_str(), text.trim_end(), &windows, &spaced] {
                let loaded = plainly(&write(name, text.as_bytes())?);
                let names = loaded.as_ref().map_or(0, |loaded| loaded.features.len());
                assert_eq!(names, if header { 6 } else { 0 }, "{name}");
                check(loaded, name)?;
                check(plainly(&write(&format!("{name}.gz"), &gzip(text.as_bytes())?)?), "gzipped")?;
            }
        }
    }
    Ok(())
}

#[test]
fn the_label_may_lie_anywhere_and_columns_may_be_dropped() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.csv");
    let lines = ROWS.iter().zip(LABELS).enumerate().map(|(i, (row, label))| {
        format!("2026-01-0{i},{},{label},\"{}\",{},{},{},{}", row[0], row[1], row[2], row[3], row[4], row[5])
    });
    fs::write(&path, format!("time,a,kind,b,c,d,e,f\n{}\n", lines.collect::<Vec<_>>().join("\n")))?;
    let by_name = Options {
        label: Some(Column::Name("kind".into())),
        drop: vec![Column::Name("time".into())],
        ..Options::default()
    };
    let loaded = load(&path, &by_name)?;
    assert_eq!(loaded.features, ["a", "b", "c", "d", "e", "f"]);
    check(Ok(loaded), "by name")?;
    let by_number = Options { label: Some("2".parse()?), drop: vec!["-8".parse()?], ..Options::default() };
    check(load(&path, &by_number), "by number")
}

#[test]
fn parquet_columns_of_every_type_are_the_same() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.parquet");
    for label in ["binary", "int64"] {
        parquet(&path, label, false)?;
        let loaded = plainly(&path)?;
        assert_eq!(loaded.features, ["p0", "p1", "p2", "p3", "p4", "p5"]);
        check(Ok(loaded), label)?;
    }
    parquet(&path, "boolean", false)?;
    assert_eq!(plainly(&path)?.data.labels(), [0, 0, 1, 1]);
    let other = Options { label: Some(Column::Name("p4".into())), drop: vec!["label".parse()?], ..Options::default() };
    assert_eq!(load(&path, &other)?.data.class_names(), ["0", "2", "4", "255"]);
    Ok(())
}

#[test]
fn arrays_in_an_archive_in_a_folder_and_alone_are_the_same() -> Checked {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    for packed in [false, true] {
        npz(&at("a.npz"), &[("X", x_npy()), ("y", y_npy())], packed)?;
        check(plainly(&at("a.npz")), "npz")?;
        npz(&at("b.npz"), &[("X_dev", x_npy()), ("y_dev", y_npy()), ("X", vec![])], packed)?;
        check(plainly(&at("b.npz:dev")), "part of npz")?;
    }
    fs::create_dir(at("folder"))?;
    for (name, bytes) in [("X", x_npy()), ("y", y_npy()), ("X_train", x_npy()), ("y_train", y_npy())] {
        fs::write(at(&format!("folder/{name}.npy")), bytes)?;
    }
    check(plainly(&at("folder")), "folder")?;
    check(plainly(&at("folder:train")), "part of folder")?;
    fs::write(at("labels.txt"), LABELS.join("\n"))?;
    for labels in [at("folder/y.npy"), at("labels.txt")] {
        let options = Options { labels: Some(labels), ..Options::default() };
        check(load(&at("folder/X.npy"), &options), "npy with labels")?;
    }
    Ok(())
}

#[test]
fn arrays_of_every_type_are_the_same() -> Checked {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let wide = |bytes: &dyn Fn(u8) -> Vec<u8>| ROWS.as_flattened().iter().flat_map(|&v| bytes(v)).collect::<Vec<u8>>();
    let types: [(&str, Vec<u8>); 8] = [
        ("<u2", wide(&|v| u16::from(v).to_le_bytes().to_vec())),
        (">u4", wide(&|v| u32::from(v).to_be_bytes().to_vec())),
        ("<u8", wide(&|v| u64::from(v).to_le_bytes().to_vec())),
        (">i2", wide(&|v| i16::from(v).to_be_bytes().to_vec())),
        ("<i4", wide(&|v| i32::from(v).to_le_bytes().to_vec())),
        ("<i8", wide(&|v| i64::from(v).to_le_bytes().to_vec())),
        (">f4", wide(&|v| f32::from(v).to_be_bytes().to_vec())),
        ("<f8", wide(&|v| f64::from(v).to_le_bytes().to_vec())),
    ];
    let labels: Vec<u8> = LABELS.iter().flat_map(|label| label.parse::<f64>().unwrap_or(0.0).to_le_bytes()).collect();
    for (dtype, bytes) in types {
        let arrays = [("X", npy(dtype, "(4, 6)", &bytes)), ("y", npy("<f8", "(4, 1)", &labels))];
        npz(&at("a.npz"), &arrays, true)?;
        check(plainly(&at("a.npz")), dtype)?;
    }
    Ok(())
}

#[test]
fn an_array_of_three_axes_is_series_unless_called_images() -> Checked {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.npz");
    npz(&path, &[("X", npy("|u1", "(4, 2, 3)", ROWS.as_flattened())), ("y", y_npy())], false)?;
    let series = plainly(&path)?;
    assert_eq!(series.shape, Shape::Series { channels: 2, steps: 3 });
    check(Ok(series), "series")?;
    let images = load(&path, &Options { image: Some((2, 3)), ..Options::default() })?;
    assert_eq!(images.shape, Shape::Image { rows: 2, cols: 3 });
    Ok(())
}

#[test]
fn idx_pairs_are_the_same_packed_or_not() -> Checked {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let (rows, labels) = (idx(&[4, 2, 3], ROWS.as_flattened()), idx(&[4], &[1, 1, 2, 3]));
    fs::write(at("train-images-idx3-ubyte"), &rows)?;
    fs::write(at("train-labels-idx1-ubyte.gz"), gzip(&labels)?)?;
    fs::write(at("t.idx3-ubyte.gz"), gzip(&rows)?)?;
    fs::write(at("t.idx1-ubyte"), &labels)?;
    for name in ["train-images-idx3-ubyte", "t.idx3-ubyte.gz"] {
        let loaded = plainly(&at(name))?;
        assert_eq!(loaded.shape, Shape::Image { rows: 2, cols: 3 });
        check(Ok(loaded), name)?;
    }
    Ok(())
}

#[test]
fn folders_of_images_are_the_same() -> Checked {
    for ending in ["png", "pgm"] {
        let folder = tempfile::tempdir()?;
        images(folder.path(), ending)?;
        let loaded = plainly(folder.path())?;
        assert_eq!(loaded.shape, Shape::Image { rows: 2, cols: 3 });
        check(Ok(loaded), ending)?;
    }
    Ok(())
}

#[test]
fn streams_hand_out_the_same_rows() -> Checked {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    fs::write(at("x.csv"), text(',', true))?;
    npz(&at("x.npz"), &[("X", x_npy()), ("y", y_npy())], true)?;
    npz(&at("bare.npz"), &[("X", x_npy())], true)?;
    parquet(&at("x.parquet"), "binary", false)?;
    images(&at("folder"), "png")?;
    fs::write(at("X.npy"), x_npy())?;
    let stream = |path: &Path| -> Result<io::Block, Box<dyn std::error::Error>> {
        let blocks = io::stream(&path.to_string_lossy(), &Options::default(), 6)?.collect::<Result<Vec<_>, _>>()?;
        assert_eq!(blocks.len(), 1, "{}", path.display());
        Ok(blocks.into_iter().next().ok_or("no block")?)
    };
    let labels = Some(LABELS.map(String::from).to_vec());
    for (name, labels) in [
        ("x.csv", &labels),
        ("x.npz", &labels),
        ("x.parquet", &labels),
        ("folder", &labels),
        ("folder/1", &None),
        ("bare.npz", &None),
        ("X.npy", &None),
    ] {
        let block = stream(&at(name))?;
        assert_eq!(block.labels, *labels, "{name}");
        assert_eq!(block.rows.row(0).iter().copied().collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "{name}");
    }
    Ok(())
}
