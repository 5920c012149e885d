//! Flags that say how DATA is to be read are refused where they would be ignored; files that are skipped are counted.

use crate::sandbox::{Outcome, Sandbox, clouds};
use std::fs;

/// An array as numpy would save it.
fn npy(dtype: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// Grey pixels as a PGM file.
fn pgm(pixels: [u8; 4]) -> Vec<u8> {
    [b"P5 2 2 255\n".as_slice(), &pixels].concat()
}

const PIXELS: [[u8; 4]; 4] = [[0, 1, 2, 3], [1, 1, 2, 4], [200, 210, 220, 230], [201, 212, 220, 235]];

/// The same four rows in every form that needs no library to be written.
fn forms() -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(6))?;
    sandbox.write("X.npy", npy("|u1", "(4, 4)", PIXELS.as_flattened()))?;
    sandbox.write("y.npy", npy("|u1", "(4,)", &[0, 0, 1, 1]))?;
    let mut npz = npyz::zip::ZipWriter::new(fs::File::create(sandbox.path("x.npz"))?);
    for name in ["X.npy", "y.npy"] {
        let stored = npyz::zip::write::FileOptions::default().compression_method(npyz::zip::CompressionMethod::Stored);
        npz.start_file(name, stored)?;
        std::io::Write::write_all(&mut npz, &fs::read(sandbox.path(name))?)?;
    }
    npz.finish()?;
    fs::create_dir(sandbox.path("arrays"))?;
    for name in ["X.npy", "y.npy"] {
        fs::copy(sandbox.path(name), sandbox.path("arrays").join(name))?;
    }
    sandbox.write(
        "a-images-idx3-ubyte",
        [&[0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 2], PIXELS.as_flattened()].concat(),
    )?;
    sandbox.write("a-labels-idx1-ubyte", [0, 0, 8, 1, 0, 0, 0, 4, 0, 0, 1, 1])?;
    for (i, pixels) in PIXELS.into_iter().enumerate() {
        let class = ["dark", "light"][i / 2];
        fs::create_dir_all(sandbox.path("images").join(class))?;
        sandbox.write(&format!("images/{class}/{i}.pgm"), pgm(pixels))?;
    }
    Ok(sandbox)
}

#[test]
fn a_flag_that_does_not_apply_to_the_form_of_data_is_refused() -> Outcome {
    let sandbox = forms()?;
    let refused = [
        ("x.npz", "--drop 0", ".npz files"),
        ("x.npz", "--label y", ".npz files"),
        ("arrays", "--drop 0", "folders of .npy files"),
        ("arrays", "--label 0", "folders of .npy files"),
        ("arrays", "--header no", "folders of .npy files"),
        ("X.npy", "--labels y.npy --drop 0", "single .npy files"),
        ("X.npy", "--labels y.npy --group who", "single .npy files"),
        ("rows.csv", "--labels y.npy", "text tables (.csv, .tsv)"),
        ("a-images-idx3-ubyte", "--label digit", "IDX files"),
        ("a-images-idx3-ubyte", "--drop 0", "IDX files"),
        ("images", "--label class", "folders of images"),
        ("images", "--labels y.npy", "folders of images"),
        ("images", "--group who", "folders of images"),
        ("builtin:digits:train", "--drop 0", "built-in data sets"),
        ("builtin:digits:train", "--header yes", "built-in data sets"),
    ];
    for (data, flags, form) in refused {
        let flag = format!(" {flags}")
            .rsplit(" --")
            .next()
            .and_then(|flag| flag.split(' ').next())
            .map(|flag| format!("--{flag}"));
        let told = format!("{} does not apply to {form}, only to ", flag.unwrap_or_default());
        sandbox.fails(&format!("fit {data} -o new.nmk {flags}"), 2, &["reading", data, &told])?;
    }
    sandbox.fails(
        "fit arrays -o new.nmk --drop 0",
        2,
        &["only to text tables (.csv, .tsv), Parquet files and folders of tables"],
    )?;
    sandbox.fails(
        "fit images -o new.nmk --group a",
        2,
        &["only to text tables (.csv, .tsv), Parquet files, .npz files, folders of .npy files and folders of tables"],
    )?;
    Ok(())
}

#[test]
fn commands_that_use_a_model_refuse_the_same_flags() -> Outcome {
    let sandbox = forms()?;
    sandbox.ok("fit rows.csv -o m.nmk --label class")?;
    sandbox.ok("fit arrays -o pixels.nmk --image 2x2")?;
    for command in ["eval", "predict", "embed"] {
        sandbox.fails(
            &format!("{command} m.nmk rows.csv --labels y.npy"),
            2,
            &["--labels does not apply to text tables"],
        )?;
        sandbox.fails(
            &format!("{command} pixels.nmk images --drop 0"),
            2,
            &["--drop does not apply to folders of images"],
        )?;
    }
    Ok(())
}

#[test]
fn flags_that_apply_are_taken() -> Outcome {
    let sandbox = forms()?;
    for line in [
        "rows.csv --label class --drop a --header yes --image 1x1",
        "x.npz",
        "arrays --labels y.npy",
        "X.npy --labels y.npy --image 2x2",
        "a-images-idx3-ubyte --labels a-labels-idx1-ubyte",
        "images --image 3x3",
        "builtin:digits:train --image 8x8",
    ] {
        sandbox.ok(&format!("fit {line} -o new.nmk --method lda"))?;
    }
    Ok(())
}

#[test]
fn skipped_files_are_counted_by_their_ending() -> Outcome {
    let sandbox = forms()?;
    for name in
        ["dark/a.gif", "dark/b.GIF", "light/c.gif", "light/notes.txt", "light/plain", "light/.hidden", "top.pgm"]
    {
        sandbox.write(&format!("images/{name}"), "")?;
    }
    fs::create_dir(sandbox.path("images/dark/more"))?;
    let note = "note: 6 files skipped: 3 .gif, 1 .pgm outside of the class folders, 1 .txt, 1 without an ending; \
                1 folder inside a class folder skipped";
    let fit = sandbox.ok("fit images -o m.nmk --method lda")?.stderr;
    assert!(fit.lines().any(|line| line == note), "{fit}");
    for command in ["eval", "predict", "embed"] {
        let told = sandbox.ok(&format!("{command} m.nmk images"))?.stderr;
        assert!(told.lines().any(|line| line == note), "{command}\n{told}");
    }
    // Nothing skipped, nothing said.
    let quiet = forms()?.ok("fit images -o m.nmk --method lda")?.stderr;
    assert!(!quiet.contains("skipped"), "{quiet}");
    Ok(())
}

#[test]
fn a_folder_without_readable_images_is_refused_with_the_endings_that_are_read() -> Outcome {
    let sandbox = Sandbox::new()?;
    for class in ["a", "b"] {
        fs::create_dir_all(sandbox.path("photos").join(class))?;
        sandbox.write(&format!("photos/{class}/1.webp"), "")?;
    }
    let endings = ["reading photos", ".png, .jpg, .jpeg, .pgm and .pnm files are read", "2 files skipped: 2 .webp"];
    sandbox.fails("fit photos -o m.nmk", 1, &endings)?;
    fs::create_dir(sandbox.path("flat"))?;
    sandbox.write("flat/1.pgm", pgm([1, 2, 3, 4]))?;
    sandbox.fails("fit flat -o m.nmk", 1, &["no labels", "a folder per class"])?;
    Ok(())
}
