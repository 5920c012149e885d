//! Data sets for tests and benches: `.npy` and `.npz` files under `NEARMARK_DATA`.
#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test uses its part")]

use nearmark_train::linalg::Mat;
use nearmark_train::{Dataset, dataset::split::Split};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The folder with the data sets, or `None`, said on stderr, when `NEARMARK_DATA` is unset.
pub fn data_folder(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("NEARMARK_DATA").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("{test}: skipped, NEARMARK_DATA is not set");
    }
    folder
}

/// Rows and labels of two `.npy` files.
pub fn npy(folder: &Path, set: &str, rows: &str, labels: &str) -> Outcome<Dataset> {
    let open = |name: &str| -> Outcome<_> {
        let path = folder.join(set).join(format!("{name}.npy"));
        let file = File::open(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(npyz::NpyFile::new(BufReader::new(file))?)
    };
    dataset(open(rows)?, open(labels)?)
}

/// Rows and labels of two arrays of an `.npz` file.
pub fn npz(folder: &Path, file: &str, rows: &str, labels: &str) -> Outcome<Dataset> {
    let mut archive = npyz::npz::NpzArchive::open(folder.join(file))?;
    let labels = numbers(archive.by_name(labels)?.ok_or("no labels")?)?.1;
    let (shape, values) = numbers(archive.by_name(rows)?.ok_or("no rows")?)?;
    made(&shape, &values, &labels)
}

fn dataset<R: Read, S: Read>(rows: npyz::NpyFile<R>, labels: npyz::NpyFile<S>) -> Outcome<Dataset> {
    let (shape, values) = numbers(rows)?;
    made(&shape, &values, &numbers(labels)?.1)
}

fn made(shape: &[u64], values: &[f64], labels: &[f64]) -> Outcome<Dataset> {
    let rows = shape[0] as usize;
    let labels: Vec<usize> = labels.iter().map(|&v| v as usize).collect();
    Ok(Dataset::from_ids(Mat::from_row_slice(rows, values.len() / rows, values), &labels)?)
}

fn numbers<R: Read>(file: npyz::NpyFile<R>) -> Outcome<(Vec<u64>, Vec<f64>)> {
    let shape = file.shape().to_vec();
    let by_column = file.order() == npyz::Order::Fortran && shape.len() == 2;
    let values: Vec<f64> = match file.try_data::<u8>() {
        Ok(values) => values.map(|v| v.map(f64::from)).collect::<Result<_, _>>()?,
        Err(file) => match file.try_data::<f32>() {
            Ok(values) => values.map(|v| v.map(f64::from)).collect::<Result<_, _>>()?,
            Err(_) => return Err("neither u8 nor f32".into()),
        },
    };
    if by_column {
        let rows = Mat::from_column_slice(shape[0] as usize, shape[1] as usize, &values);
        return Ok((shape, rows.transpose().as_slice().to_vec()));
    }
    Ok((shape, values))
}

/// The first `count` rows of every class, in file order, for training; the rest for testing.
pub fn first_of_each_class(data: &Dataset, count: usize) -> Split {
    let classes = data.class_rows();
    let mut train: Vec<usize> = classes.iter().flat_map(|rows| rows[..count].to_vec()).collect();
    train.sort_unstable();
    Split { test: (0..data.len()).filter(|i| train.binary_search(i).is_err()).collect(), train }
}

/// Mean and standard error.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
}
