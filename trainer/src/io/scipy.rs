//! Sparse matrices of `SciPy`: what `scipy.sparse.save_npz` writes.

use super::arrays::with_member;
use super::error::{ReadError, listed};
use super::{Column, Options, Raw, Want, labels};
use crate::linalg::Csr;
use npyz::npz::NpzArchive;
use std::io::{Read, Seek};

/// The arrays of a compressed matrix.
const ARRAYS: [&str; 5] = ["data", "indices", "indptr", "shape", "format"];

/// Whether an archive with these arrays is a sparse matrix.
pub(super) fn is_sparse(present: &[String]) -> bool {
    present.iter().any(|name| name == "format") && present.iter().any(|name| name == "shape")
}

/// Rows of a matrix in CSR or CSC format, labels from the options or from an array `y` beside it, groups and ids from the
/// arrays that the options name.
pub(super) fn read<R: Read + Seek>(
    archive: &mut NpzArchive<R>,
    present: &[String],
    packed: u64,
    options: &Options,
    want: Want,
) -> Result<Raw, ReadError> {
    let format = with_member(archive, "format", packed, |header, input| header.text("format", input))?;
    if !["csr", "csc"].contains(&format.as_str()) {
        return Err(ReadError::Invalid(format!(
            "a sparse matrix of format {format}, expected csr: save it with .tocsr()"
        )));
    }
    if let Some(name) = ARRAYS.iter().find(|name| !present.iter().any(|other| other == *name)) {
        return Err(missing(name, present));
    }
    let mut numbers = |name: &str| with_member(archive, name, packed, |header, input| header.numbers(name, input));
    let shape = counts("shape", &numbers("shape")?)?;
    let [rows, columns] = shape[..] else {
        return Err(ReadError::Invalid(format!("`shape` has {} numbers, expected rows and columns", shape.len())));
    };
    let starts = counts("indptr", &numbers("indptr")?)?;
    let indices = counts("indices", &numbers("indices")?)?;
    let values = numbers("data")?;
    let (outer, inner) = if format == "csr" { (rows, columns) } else { (columns, rows) };
    if outer.checked_add(1) != Some(starts.len()) {
        return Err(ReadError::damaged("`indptr`", format!("{} numbers, but {outer} rows or columns", starts.len())));
    }
    let matrix = compressed(inner, starts, &indices, values)?;
    let matrix = if format == "csr" { matrix } else { matrix.transposed() };
    // Exchanged twice, a matrix has its columns checked as well as its rows.
    let matrix = matrix.with_columns(columns).map_err(|error| ReadError::damaged("sparse matrix", error))?;
    let mut words = |name: &str| with_member(archive, name, packed, |header, input| header.labels(name, input));
    let is_present = |name: &str| present.iter().any(|other| other == name);
    let labels = match &options.labels {
        Some(file) => Some(labels::read(file)?),
        None if want != Want::Unlabelled && is_present("y") => Some(words("y")?),
        None => None,
    };
    if labels.is_none() && want == Want::Labelled {
        return Err(ReadError::no_labels(
            "name their file with option `labels`, such as y.npy, or save them as array `y`",
        ));
    }
    // A model that exists has no use for them.
    let wanted = |_: &&Column| !matches!(want, Want::Inputs(_));
    let mut beside = |column: &Option<Column>| -> Result<_, ReadError> {
        let Some(name) = column.as_ref().filter(wanted).map(ToString::to_string) else { return Ok(None) };
        if is_present(&name) { words(&name).map(Some) } else { Err(missing(&name, present)) }
    };
    Ok(Raw { groups: beside(&options.group)?, ids: beside(&options.id)?, ..Raw::sparse(matrix, labels) })
}

fn missing(name: &str, present: &[String]) -> ReadError {
    ReadError::Invalid(format!("no array `{name}`: there are {}", listed(present)))
}

/// Numbers that are counts.
fn counts(name: &str, numbers: &[f64]) -> Result<Vec<usize>, ReadError> {
    // Beyond 2⁵³ it is not known which number was meant.
    let count = |&value: &f64| {
        (value.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&value)).then_some(value as usize)
    };
    let wrong = |at: usize| ReadError::damaged(format!("`{name}`"), format!("{} at {at} is no count", numbers[at]));
    numbers.iter().enumerate().map(|(at, value)| count(value).ok_or_else(|| wrong(at))).collect()
}

/// The matrix, each row's columns in order: `SciPy` may leave them as they came.
fn compressed(columns: usize, starts: Vec<usize>, indices: &[usize], mut values: Vec<f64>) -> Result<Csr, ReadError> {
    let damaged = |why: String| ReadError::damaged("sparse matrix", why);
    let mut sorted = Vec::with_capacity(indices.len());
    for (at, &index) in indices.iter().enumerate() {
        let index = u32::try_from(index).ok().filter(|index| (*index as usize) < columns);
        sorted.push(index.ok_or_else(|| {
            damaged(format!("`indices` has {} at {at}, but there are {columns} columns", indices[at]))
        })?);
    }
    for pair in starts.windows(2) {
        // What contradicts itself is left to the check below.
        let (Some(row), Some(entries)) = (sorted.get_mut(pair[0]..pair[1]), values.get_mut(pair[0]..pair[1])) else {
            break;
        };
        if !row.is_sorted() {
            let mut both: Vec<(u32, f64)> = row.iter().copied().zip(entries.iter().copied()).collect();
            both.sort_by_key(|(index, _)| *index);
            for ((to, value), (index, entry)) in row.iter_mut().zip(entries).zip(both) {
                (*to, *value) = (index, entry);
            }
        }
    }
    Csr::new(columns, starts, sorted, values).map_err(|error| damaged(error.to_string()))
}
