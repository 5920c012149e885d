//! The writers of test files: one small table in every form.

use nearmark_train::Run;
use nearmark_train::io::{self, Loaded, Options};
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What a test may fail with.
pub(crate) type Checked = Result<(), Box<dyn Error>>;

/// Four small pictures of 2×3 pixels.
pub(crate) const ROWS: [[u8; 6]; 4] =
    [[0, 1, 2, 3, 4, 5], [6, 5, 4, 3, 2, 1], [9, 9, 9, 0, 0, 0], [255, 0, 255, 0, 255, 0]];
/// Their classes, in the order in which class folders are read.
pub(crate) const LABELS: [&str; 4] = ["1", "1", "2", "3"];

/// Reads a file.
pub(crate) fn load(path: &Path, options: &Options) -> Result<Loaded, String> {
    io::load(&path.to_string_lossy(), options, &Run::default()).map_err(|error| error.to_string())
}

/// Reads a file as it is.
pub(crate) fn plainly(path: &Path) -> Result<Loaded, String> {
    load(path, &Options::default())
}

/// The table as text.
pub(crate) fn text(delimiter: char, header: bool) -> String {
    let delimiter = delimiter.to_string();
    let mut lines = Vec::new();
    if header {
        lines.push(["p0", "p1", "p2", "p3", "p4", "p5", "label"].join(&delimiter));
    }
    for (row, label) in ROWS.iter().zip(LABELS) {
        let cells = row.iter().map(ToString::to_string).chain([label.to_owned()]);
        lines.push(cells.collect::<Vec<_>>().join(&delimiter));
    }
    lines.join("\n") + "\n"
}

/// Gzipped bytes.
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes)?;
    Ok(packer.finish()?)
}

/// An array as numpy would save it.
pub(crate) fn npy(dtype: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// The table's rows as an array.
pub(crate) fn x_npy() -> Vec<u8> {
    npy("|u1", "(4, 6)", ROWS.as_flattened())
}

/// The table's labels as an array of text.
pub(crate) fn y_npy() -> Vec<u8> {
    npy("|S1", "(4,)", LABELS.concat().as_bytes())
}

/// An NPZ file of arrays that were made before.
pub(crate) fn npz(path: &Path, arrays: &[(&str, Vec<u8>)], packed: bool) -> Checked {
    use npyz::zip::{CompressionMethod, ZipWriter, write::FileOptions};
    let method = if packed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    let mut zip = ZipWriter::new(fs::File::create(path)?);
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), FileOptions::default().compression_method(method))?;
        zip.write_all(bytes)?;
    }
    zip.finish()?;
    Ok(())
}

/// Bytes of an IDX file.
pub(crate) fn idx(axes: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, axes.len() as u8];
    bytes.extend(axes.iter().flat_map(|axis| axis.to_be_bytes()));
    bytes.extend(data);
    bytes
}

/// The table as class folders of images.
pub(crate) fn images(folder: &Path, ending: &str) -> Checked {
    for (i, (row, label)) in ROWS.iter().zip(LABELS).enumerate() {
        fs::create_dir_all(folder.join(label))?;
        let image = image::GrayImage::from_raw(3, 2, row.to_vec()).ok_or("wrong size")?;
        image.save(folder.join(format!("{label}/{i}.{ending}")))?;
    }
    Ok(())
}

/// A Parquet file of one group of rows; `label` is the type of the label column and `null` leaves one pixel out.
pub(crate) fn parquet(path: &Path, label: &str, null: bool) -> Checked {
    use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
    use parquet::file::{properties::WriterProperties, writer::SerializedFileWriter};
    let schema = format!(
        "message table {{
            required int32 p0 (INTEGER(8, false)); required int64 p1; required float p2; required double p3;
            required int32 p4; optional double p5; required {label} label;
        }}"
    );
    let schema = Arc::new(parquet::schema::parser::parse_message_type(&schema)?);
    let compression = parquet::basic::Compression::SNAPPY;
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut file = SerializedFileWriter::new(fs::File::create(path)?, schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    let mut number = 0;
    while let Some(mut column) = group.next_column()? {
        let values: Vec<u8> = ROWS.iter().map(|row| row.get(number).copied().unwrap_or_default()).collect();
        let reals: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
        match number {
            0 | 4 => {
                let values: Vec<i32> = values.iter().map(|&value| i32::from(value)).collect();
                column.typed::<Int32Type>().write_batch(&values, None, None)?;
            }
            1 => {
                let values: Vec<i64> = values.iter().map(|&value| i64::from(value)).collect();
                column.typed::<Int64Type>().write_batch(&values, None, None)?;
            }
            2 => {
                let values: Vec<f32> = values.iter().map(|&value| f32::from(value)).collect();
                column.typed::<FloatType>().write_batch(&values, None, None)?;
            }
            3 => drop(column.typed::<DoubleType>().write_batch(&reals, None, None)?),
            5 if null => drop(column.typed::<DoubleType>().write_batch(&reals[..3], Some(&[1, 1, 0, 1]), None)?),
            5 => drop(column.typed::<DoubleType>().write_batch(&reals, Some(&[1; 4]), None)?),
            _ if label.starts_with("binary") => {
                let labels: Vec<ByteArray> = LABELS.iter().map(|&label| label.into()).collect();
                column.typed::<ByteArrayType>().write_batch(&labels, None, None)?;
            }
            _ if label == "boolean" => {
                column.typed::<BoolType>().write_batch(&[false, false, true, true], None, None)?;
            }
            _ => {
                let labels: Vec<i64> = LABELS.iter().map(|label| label.parse()).collect::<Result<_, _>>()?;
                column.typed::<Int64Type>().write_batch(&labels, None, None)?;
            }
        }
        column.close()?;
        number += 1;
    }
    group.close()?;
    file.close()?;
    Ok(())
}
