//! Which form of data a name stands for: by the path's ending or, for a folder, by what it holds.

use super::builtin::Builtin;
use super::error::ReadError;
use std::path::{Path, PathBuf};

/// A form of data, with its path and the requested part; the table of the [module](super) describes the forms.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text(PathBuf),
    Svmlight(PathBuf),
    Parquet(PathBuf),
    Npz(PathBuf, Option<String>),
    Npy(PathBuf),
    NpyFolder(PathBuf, Option<String>),
    Idx(PathBuf),
    Images(PathBuf),
    Tables(PathBuf),
    Builtin(Builtin),
}

impl Form {
    /// Parses a name. If all of it is an existing path, a colon in it means nothing; otherwise what follows the last colon
    /// is a part.
    pub(super) fn of(text: &str) -> Result<Self, ReadError> {
        if let Some(name) = text.strip_prefix("builtin:") {
            return Builtin::named(name).map(Self::Builtin);
        }
        let (path, part) = match text.rsplit_once(':') {
            Some((path, part)) if !Path::new(text).exists() && Path::new(path).exists() => {
                (Path::new(path), Some(part))
            }
            _ => (Path::new(text), None),
        };
        if !path.exists() {
            return Err(ReadError::NoSuchFile);
        }
        let form = if path.is_dir() { Self::of_folder(path, part)? } else { Self::of_file(path, part)? };
        match (&form, part) {
            (Self::Npz(..) | Self::NpyFolder(..), _) | (_, None) => Ok(form),
            (_, Some(part)) => Err(ReadError::Invalid(format!(
                "no part `{part}` here: only .npz files, folders of .npy files and built-in sets have parts"
            ))),
        }
    }

    fn of_file(path: &Path, part: Option<&str>) -> Result<Self, ReadError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let unpacked = name.strip_suffix(".gz").unwrap_or(&name);
        let ending = unpacked.rsplit_once('.').map_or("", |(_, ending)| ending);
        let path = path.to_owned();
        match ending {
            "csv" | "tsv" => Ok(Self::Text(path)),
            "svm" | "svmlight" | "libsvm" => Ok(Self::Svmlight(path)),
            "parquet" if unpacked == name => Ok(Self::Parquet(path)),
            "npz" if unpacked == name => Ok(Self::Npz(path, part.map(str::to_owned))),
            "npy" if unpacked == name => Ok(Self::Npy(path)),
            _ if unpacked.ends_with("-ubyte") || unpacked.contains("idx3") => Ok(Self::Idx(path)),
            "" => Err(unknown("a file without an ending")),
            _ if unpacked != name => Err(unknown(&format!("`.{ending}.gz`"))),
            _ => Err(unknown(&format!("`.{ending}`"))),
        }
    }

    fn of_folder(path: &Path, part: Option<&str>) -> Result<Self, ReadError> {
        let (mut arrays, mut folders, mut images, mut tables) = (false, false, false, false);
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            if super::images::is_hidden(&entry.file_name()) {
                continue;
            }
            arrays |= entry.path().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
            folders |= entry.path().is_dir();
            images |= super::images::is_image(&entry.path());
            tables |= super::recordings::holds_tables(&entry.path())?;
        }
        if arrays {
            return Ok(Self::NpyFolder(path.to_owned(), part.map(str::to_owned)));
        }
        if tables && !images {
            return Ok(Self::Tables(path.to_owned()));
        }
        if folders || images {
            return Ok(Self::Images(path.to_owned()));
        }
        Err(unknown("a folder without .npy files, tables, class folders or images"))
    }
}

/// Neither the name nor the contents identify a form of data.
fn unknown(found: &str) -> ReadError {
    ReadError::Invalid(format!(
        "{found} is no known form of data: expected .csv, .tsv, .svm (also .gz), .parquet, .npz, .npy, an IDX file \
         (…-idx3-ubyte), a folder of .npy files, of tables or of class folders of images, or builtin:NAME"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_colon_names_a_part_only_where_the_name_is_no_path() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.npz"), "")?;
        fs::write(at("b:train.csv"), "")?;
        let of = |name: &str| Form::of(&at(name).to_string_lossy());
        assert_eq!(of("a.npz")?, Form::Npz(at("a.npz"), None));
        assert_eq!(of("a.npz:train")?, Form::Npz(at("a.npz"), Some("train".into())));
        assert_eq!(of("b:train.csv")?, Form::Text(at("b:train.csv")));
        let parts = of("b:train.csv:test").map_err(|e| e.to_string());
        let message = "no part `test` here: only .npz files, folders of .npy files and built-in sets have parts";
        assert_eq!(parts, Err(message.into()));
        assert_eq!(of("c.csv").map_err(|e| e.to_string()), Err("no such file".into()));
        Ok(())
    }

    #[test]
    fn endings_determine_the_form_and_unknown_ones_are_named() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let of = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, "")?;
            Form::of(&path.to_string_lossy())
        };
        assert!(matches!(of("a.CSV.gz")?, Form::Text(_)));
        assert!(matches!(of("t10k-images-idx3-ubyte.gz")?, Form::Idx(_)));
        assert!(matches!(of("train-images.idx3-ubyte")?, Form::Idx(_)));
        assert!(matches!(of("a.parquet")?, Form::Parquet(_)));
        assert!(matches!(of("a.npy")?, Form::Npy(_)));
        for name in ["a.svm", "a.svmlight.gz", "a.libsvm"] {
            assert!(matches!(of(name)?, Form::Svmlight(_)), "{name}");
        }
        for (name, found) in
            [("a.xlsx", "`.xlsx` is no"), ("a.npz.gz", "`.npz.gz` is"), ("data", "a file without an ending")]
        {
            let message = of(name).map_err(|e| e.to_string()).err().unwrap_or_default();
            assert!(message.starts_with(found), "{message}");
        }
        Ok(())
    }
}
