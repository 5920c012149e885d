//! Arrays `X` and `y` of numpy: in an NPZ file, as files of a folder, or a single file with labels named apart.

use super::error::ReadError;
use super::npy::Header;
use super::position::listed;
use super::{Options, Raw, Shape, Want, labels};
use crate::linalg::Mat;
use crate::run::Run;
use npyz::npz::NpzArchive;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Deflate never compresses better than this: a larger declared size is wrong.
const BEST_RATIO: u64 = 1032;

/// Rows and labels of an NPZ file, or of its part `X_part` and `y_part`.
pub(super) fn read_npz(
    path: &Path,
    part: Option<&str>,
    options: &Options,
    want: Want,
    run: &Run<'_>,
) -> Result<Raw, ReadError> {
    let packed = path.metadata()?.len();
    let file = BufReader::with_capacity(1 << 17, File::open(path)?);
    let mut archive = NpzArchive::new(file).map_err(|e| ReadError::damaged("not a complete NPZ file", e))?;
    let mut present: Vec<String> = archive.array_names().map(str::to_owned).collect();
    present.sort_unstable();
    let (x, y) = names(part);
    require(&x, part, &present, path)?;
    let (rows, shape) = with_member(&mut archive, &x, packed, |header, input| {
        Ok((header.matrix(&x, input, run)?, shape_of(&header.shape, options)))
    })?;
    let labels = if let Some(file) = &options.labels {
        Some(labels::read(file)?)
    } else if want == Want::Labelled || present.contains(&y) {
        require(&y, part, &present, path)?;
        Some(with_member(&mut archive, &y, packed, |header, input| header.labels(&y, input))?)
    } else {
        None
    };
    let groups = match group(part, &present, path, options, want)? {
        Some(name) => Some(with_member(&mut archive, &name, packed, |header, input| header.labels(&name, input))?),
        None => None,
    };
    Ok(Raw { groups, ..Raw::plain(rows, labels, shape) })
}

fn with_member<R: Read + std::io::Seek, T>(
    archive: &mut NpzArchive<R>,
    name: &str,
    packed: u64,
    read: impl FnOnce(Header, &mut dyn Read) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let broken = |error: &dyn std::fmt::Display| ReadError::damaged(format!("array `{name}`"), error);
    let file_name = npyz::npz::file_name_from_array_name(name);
    let mut member = archive.zip_archive().by_name(&file_name).map_err(|e| broken(&e))?;
    let available = member.size().min(packed.saturating_mul(BEST_RATIO));
    let value =
        Header::read(&mut member, available).and_then(|header| read(header, &mut member)).map_err(
            |error| match error {
                ReadError::Io(error) => broken(&error),
                ReadError::Damaged { what, why } if !what.starts_with('`') => broken(&format!("{what}: {why}")),
                other => other,
            },
        )?;
    // The checksum is compared where the data end, and only if someone reads up to there.
    std::io::copy(&mut member.take(1 << 20), &mut std::io::sink()).map_err(|e| broken(&e))?;
    Ok(value)
}

/// Rows and labels of a folder of NPY files.
pub(super) fn read_folder(
    path: &Path,
    part: Option<&str>,
    options: &Options,
    want: Want,
    run: &Run<'_>,
) -> Result<Raw, ReadError> {
    let mut present = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        present.extend(name.strip_suffix(".npy").map(str::to_owned));
    }
    present.sort_unstable();
    let (x, y) = names(part);
    let file = |name: &str| path.join(format!("{name}.npy"));
    require(&x, part, &present, path)?;
    let (rows, shape) = read_rows(&file(&x), &x, options, run).map_err(|e| e.within(format!("{x}.npy")))?;
    let labels = if let Some(file) = &options.labels {
        Some(labels::read(file)?)
    } else if want == Want::Labelled || present.contains(&y) {
        require(&y, part, &present, path)?;
        Some(labels::read_npy(&file(&y), &y).map_err(|e| e.within(format!("{y}.npy")))?)
    } else {
        None
    };
    let groups = match group(part, &present, path, options, want)? {
        Some(name) => Some(labels::read_npy(&file(&name), &name).map_err(|error| error.within(format!("{name}.npy")))?),
        None => None,
    };
    Ok(Raw { groups, ..Raw::plain(rows, labels, shape) })
}

/// Rows of one NPY file, labels from the file that the options name.
pub(super) fn read_npy(path: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    if options.labels.is_none() && want == Want::Labelled {
        return Err(ReadError::NoLabels { hint: "name their file with option `labels`, such as y.npy".into() });
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let (rows, shape) = read_rows(path, &name, options, run)?;
    let labels = options.labels.as_deref().map(labels::read).transpose()?;
    Ok(Raw::plain(rows, labels, shape))
}

fn read_rows(path: &Path, name: &str, options: &Options, run: &Run<'_>) -> Result<(Mat, Shape), ReadError> {
    let available = path.metadata()?.len();
    let mut input = BufReader::with_capacity(1 << 17, File::open(path)?);
    let header = Header::read(&mut input, available)?;
    Ok((header.matrix(name, &mut input, run)?, shape_of(&header.shape, options)))
}

/// Three axes are rows, channels and time, unless the caller has called them images of that size.
fn shape_of(shape: &[usize], options: &Options) -> Shape {
    match *shape {
        [_, rows, cols] if options.image == Some((rows, cols)) => Shape::Image { rows, cols },
        [_, channels, steps] => Shape::Series { channels, steps },
        _ => Shape::Flat,
    }
}

fn names(part: Option<&str>) -> (String, String) {
    match part {
        Some(part) => (format!("X_{part}"), format!("y_{part}")),
        None => ("X".into(), "y".into()),
    }
}

/// The array of groups: `NAME_part` where there is one, else `NAME`. A model that exists has no use for it.
fn group(
    part: Option<&str>,
    present: &[String],
    path: &Path,
    options: &Options,
    want: Want,
) -> Result<Option<String>, ReadError> {
    let (Some(group), Want::Labelled) = (&options.group, want) else { return Ok(None) };
    let name = group.to_string();
    let of_part = part.map(|part| format!("{name}_{part}")).filter(|name| present.contains(name));
    let name = of_part.unwrap_or(name);
    require(&name, part, present, path)?;
    Ok(Some(name))
}

/// Refuses a missing array, pointing to the part that may have been meant.
fn require(name: &str, part: Option<&str>, present: &[String], path: &Path) -> Result<(), ReadError> {
    if present.iter().any(|other| other == name) {
        return Ok(());
    }
    let parts: Vec<&str> = present.iter().filter_map(|other| other.strip_prefix("X_")).collect();
    let hint = match parts.iter().find(|p| **p == "train").or(parts.first()) {
        Some(other) if part.is_none() => {
            format!("; did you mean {}:{other}?", path.file_name().unwrap_or_default().to_string_lossy())
        }
        _ => String::new(),
    };
    let present = if present.is_empty() { "is none at all".into() } else { format!("are {}", listed(present)) };
    Err(ReadError::NoArray { name: name.to_owned(), present, hint })
}
