//! Arrays `X` and `y` of numpy: in an NPZ file, as files of a folder, or a single file with labels named apart.

use super::error::{ReadError, listed};
use super::npy::Header;
use super::{Options, Raw, Shape, Want, labels, scipy};
use crate::linalg::Mat;
use crate::run::Run;
use npyz::npz::NpzArchive;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Deflate never compresses better than this: a larger declared size is wrong.
pub(super) const BEST_RATIO: u64 = 1032;

/// Where arrays are, and what of them is wanted: `X` and `y`, or `X_part` and `y_part`.
pub(super) struct Arrays<'a> {
    pub(super) path: &'a Path,
    pub(super) part: Option<&'a str>,
    pub(super) options: &'a Options,
    pub(super) want: Want,
}

/// Rows and labels of an NPZ file.
pub(super) fn read_npz(arrays: &Arrays<'_>, run: &Run<'_>) -> Result<Raw, ReadError> {
    let Arrays { path, options, .. } = *arrays;
    let packed = path.metadata()?.len();
    let file = BufReader::with_capacity(1 << 17, File::open(path)?);
    let mut archive = NpzArchive::new(file).map_err(|e| ReadError::damaged("not a complete NPZ file", e))?;
    let present: Vec<String> = archive.array_names().map(str::to_owned).collect();
    let members = archive.zip_archive();
    if members.len() > members.file_names().count() {
        return Err(ReadError::damaged("NPZ file", "two arrays have the same name"));
    }
    if arrays.part.is_none() && scipy::is_sparse(&present) {
        return scipy::read(&mut archive, &present, packed, options, arrays.want);
    }
    let Names { x, y, groups, ids } = arrays.names(present)?;
    let (rows, shape) =
        with_member(&mut archive, &x, packed, |header, input| rows_of(&header, &x, input, options, run))?;
    let mut words = |name: Option<String>| {
        name.map(|name| with_member(&mut archive, &name, packed, |header, input| header.labels(&name, input)))
            .transpose()
    };
    let labels = options.labels.as_deref().map_or_else(|| words(y), |file| labels::read(file).map(Some))?;
    Ok(Raw { groups: words(groups)?, ids: words(ids)?, ..Raw::plain(rows, labels, shape) })
}

pub(super) fn with_member<R: Read + std::io::Seek, T>(
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
                ReadError::Damaged(what, why) if !what.starts_with('`') => broken(&format!("{what}: {why}")),
                other => other,
            },
        )?;
    // The checksum is compared where the data end, and only if someone reads up to there.
    std::io::copy(&mut member.take(1 << 20), &mut std::io::sink()).map_err(|e| broken(&e))?;
    Ok(value)
}

/// Rows and labels of a folder of NPY files.
pub(super) fn read_folder(arrays: &Arrays<'_>, run: &Run<'_>) -> Result<Raw, ReadError> {
    let Arrays { path, options, .. } = *arrays;
    let mut present = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        present.extend(name.strip_suffix(".npy").map(str::to_owned));
    }
    let Names { x, y, groups, ids } = arrays.names(present)?;
    let file = |name: &str| format!("{name}.npy");
    let (rows, shape) = read_rows(&path.join(file(&x)), &x, options, run).map_err(|e| e.within(file(&x)))?;
    let words = |name: Option<String>| {
        let read = |name: String| labels::read_npy(&path.join(file(&name)), &name).map_err(|e| e.within(file(&name)));
        name.map(read).transpose()
    };
    let labels = options.labels.as_deref().map_or_else(|| words(y), |file| labels::read(file).map(Some))?;
    Ok(Raw { groups: words(groups)?, ids: words(ids)?, ..Raw::plain(rows, labels, shape) })
}

/// Rows of one NPY file, labels from the file that the options name.
pub(super) fn read_npy(path: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    if options.labels.is_none() && want == Want::Labelled {
        return Err(ReadError::no_labels("name their file with option `labels`, such as y.npy"));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let (rows, shape) = read_rows(path, &name, options, run)?;
    let labels = options.labels.as_deref().map(labels::read).transpose()?;
    Ok(Raw::plain(rows, labels, shape))
}

fn read_rows(path: &Path, name: &str, options: &Options, run: &Run<'_>) -> Result<(Mat, Shape), ReadError> {
    let (header, mut input) = Header::open(path)?;
    rows_of(&header, name, &mut input, options, run)
}

/// The rows of an array with their shape, channels one after the other.
fn rows_of(
    header: &Header,
    name: &str,
    input: &mut dyn Read,
    options: &Options,
    run: &Run<'_>,
) -> Result<(Mat, Shape), ReadError> {
    let rows = header.matrix(name, input, run)?;
    match (header.shape.as_slice(), options.time_first) {
        (&[_, steps, channels], true) => {
            let places: Vec<usize> = (0..channels).flat_map(|c| (0..steps).map(move |t| t * channels + c)).collect();
            Ok((rows.select_columns(&places), Shape::Series { channels, steps }))
        }
        (shape, true) => {
            let message = format!("option `layout` is for arrays of three axes, `{name}` has {}", shape.len());
            Err(ReadError::Invalid(message))
        }
        (shape, false) => Ok((rows, shape_of(shape, options))),
    }
}

/// Three axes are rows, channels and time, unless the caller has called them images of that size.
fn shape_of(shape: &[usize], options: &Options) -> Shape {
    match *shape {
        [_, rows, cols] if options.image == Some((rows, cols)) => Shape::Image { rows, cols },
        [_, channels, steps] => Shape::Series { channels, steps },
        _ => Shape::Flat,
    }
}

/// The arrays to read.
struct Names {
    x: String,
    /// Unless the options name a file of labels, or a model that exists can do without.
    y: Option<String>,
    groups: Option<String>,
    ids: Option<String>,
}

impl Arrays<'_> {
    /// The names of the arrays to read, among those that are present.
    fn names(&self, mut present: Vec<String>) -> Result<Names, ReadError> {
        let Self { part, options, want, .. } = *self;
        present.sort_unstable();
        let of_part = |name: &str| part.map_or_else(|| name.to_owned(), |part| format!("{name}_{part}"));
        let (x, y) = (of_part("X"), of_part("y"));
        let labelled = want == Want::Labelled;
        let found = labelled || want != Want::Unlabelled && present.contains(&y);
        let y = (options.labels.is_none() && found).then_some(y);
        // Those of the part where there are such, else those of all; a model that exists has no use for them.
        let beside = |column: &Option<super::Column>| {
            column.as_ref().filter(|_| labelled || want == Want::Unlabelled).map(|column| {
                let name = column.to_string();
                Some(of_part(&name)).filter(|name| present.contains(name)).unwrap_or(name)
            })
        };
        let (groups, ids) = (beside(&options.group), beside(&options.id));
        for name in [&x].into_iter().chain(&y).chain(&groups).chain(&ids) {
            if !present.contains(name) {
                return Err(self.missing(name, &present));
            }
        }
        Ok(Names { x, y, groups, ids })
    }

    /// Names a missing array, and the part that may have been meant.
    fn missing(&self, name: &str, present: &[String]) -> ReadError {
        let parts: Vec<&str> = present.iter().filter_map(|other| other.strip_prefix("X_")).collect();
        let hint = match parts.iter().find(|p| **p == "train").or(parts.first()) {
            Some(other) if self.part.is_none() => {
                format!("; did you mean {}:{other}?", self.path.file_name().unwrap_or_default().to_string_lossy())
            }
            _ => String::new(),
        };
        let present = if present.is_empty() { "is none at all".into() } else { format!("are {}", listed(present)) };
        ReadError::Invalid(format!("no array `{name}`: there {present}{hint}"))
    }
}
