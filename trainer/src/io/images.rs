//! A folder of class folders of images: grey, all of one size, in the order of their names.

use super::error::SourceError;
use super::gather::{BLOCK, Gather};
use super::{Options, Raw, Shape, Want};
use crate::error::DataError;
use crate::run::Run;
use image::imageops::FilterType;
use image::{GrayImage, ImageReader, Limits};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The largest side of an image that is read: beyond it, a header lies or the picture is no sample.
const LARGEST_SIDE: u32 = 1 << 14;

/// Files and folders that are not meant to be seen.
pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with('.')
}

/// Files that look like images by their names.
pub(super) fn is_image(path: &Path) -> bool {
    const ENDINGS: [&str; 5] = ["png", "jpg", "jpeg", "pgm", "pnm"];
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// An image file and its class.
struct Sample {
    path: PathBuf,
    /// Path from the folder that was asked for.
    name: String,
    class: Option<String>,
}

/// Reads every image; classes are the folders' names. Images that lie in the folder itself have no class.
pub(super) fn read(folder: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, SourceError> {
    let samples = samples(folder, want)?;
    let first = samples.first().ok_or(SourceError::NoRows { why: "there are no .png, .jpg or .pgm files" })?;
    let (rows, cols) = if let Some(size) = options.image {
        size
    } else {
        let image = decode(&first.path).map_err(|error| error.within(&first.name))?;
        (image.height() as usize, image.width() as usize)
    };
    if rows == 0 || cols == 0 {
        return Err(DataError::NoColumns.into());
    }
    let mut gather = Gather::new(samples.len(), rows.saturating_mul(cols))?;
    let mut block = Vec::new();
    for (done, sample) in samples.iter().enumerate() {
        let image = decode(&sample.path).and_then(|image| match options.image {
            Some((rows, cols)) => Ok(resize(&image, rows, cols)),
            None if (image.height() as usize, image.width() as usize) == (rows, cols) => Ok(image),
            None => Err(SourceError::ImageSize {
                first: first.name.clone(),
                rows,
                cols,
                got_rows: image.height() as usize,
                got_cols: image.width() as usize,
            }),
        });
        block.extend_from_slice(image.map_err(|error| error.within(&sample.name))?.as_raw());
        if (done + 1) % BLOCK == 0 || done + 1 == samples.len() {
            gather.push(&block, f64::from);
            block.clear();
        }
        if done % 64 == 0 {
            run.step("reading", done, samples.len())?;
        }
    }
    let labels: Option<Vec<String>> = samples.into_iter().map(|sample| sample.class).collect();
    Ok(Raw { rows: gather.finish(), labels, groups: None, features: Vec::new(), shape: Shape::Image { rows, cols } })
}

/// Images in the order of class and file name, so that every machine sees the same rows.
fn samples(folder: &Path, want: Want) -> Result<Vec<Sample>, SourceError> {
    let mut samples = Vec::new();
    for (path, class) in entries(folder)?.into_iter().filter(|(path, _)| path.is_dir()) {
        for (path, file) in entries(&path)?.into_iter().filter(|(path, _)| is_image(path)) {
            samples.push(Sample { path, name: format!("{class}/{file}"), class: Some(class.clone()) });
        }
    }
    if samples.is_empty() && want != Want::Labelled {
        let images = entries(folder)?.into_iter().filter(|(path, _)| is_image(path));
        samples.extend(images.map(|(path, name)| Sample { path, name, class: None }));
    }
    Ok(samples)
}

/// What a folder shows, by name.
fn entries(folder: &Path) -> Result<Vec<(PathBuf, String)>, SourceError> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !is_hidden(&entry.file_name()) {
            entries.push((entry.path(), entry.file_name().to_string_lossy().into_owned()));
        }
    }
    entries.sort();
    Ok(entries)
}

/// Reads an image as grey values; colours weigh as in ITU-R BT.709.
fn decode(path: &Path) -> Result<GrayImage, SourceError> {
    let broken = |error: &dyn std::fmt::Display| SourceError::damaged("not a whole image", error);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LARGEST_SIDE);
    limits.max_image_height = Some(LARGEST_SIDE);
    let mut reader = ImageReader::open(path)?.with_guessed_format()?;
    reader.limits(limits);
    Ok(reader.decode().map_err(|e| broken(&e))?.into_luma8())
}

/// A triangle filter as wide as the shrinkage: every pixel counts and nothing flickers.
fn resize(image: &GrayImage, rows: usize, cols: usize) -> GrayImage {
    if (image.height() as usize, image.width() as usize) == (rows, cols) {
        return image.clone();
    }
    image::imageops::resize(image, cols as u32, rows as u32, FilterType::Triangle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn write(path: &Path, rows: u32, cols: u32) -> Result<(), Box<dyn std::error::Error>> {
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        Ok(GrayImage::from_fn(cols, rows, |x, y| image::Luma([(10 * y + x) as u8])).save(path)?)
    }

    #[test]
    fn class_folders_are_read_in_order_and_hidden_files_ignored() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        for name in ["b/2.png", "b/1.pgm", "a/x.png"] {
            write(&folder.path().join(name), 2, 3)?;
        }
        fs::create_dir(folder.path().join(".cache"))?;
        fs::write(folder.path().join("a/.DS_Store"), "")?;
        fs::write(folder.path().join("a/notes.txt"), "")?;
        let raw = read(folder.path(), &Options::default(), Want::Labelled, &Run::default())?;
        assert_eq!(raw.labels, Some(vec!["a".into(), "b".into(), "b".into()]));
        assert_eq!(raw.shape, Shape::Image { rows: 2, cols: 3 });
        assert_eq!(raw.rows.row(0).iter().copied().collect::<Vec<_>>(), [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        Ok(())
    }

    #[test]
    fn several_sizes_need_a_word_about_the_size() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        write(&folder.path().join("a/1.png"), 4, 4)?;
        write(&folder.path().join("b/2.png"), 2, 6)?;
        let read = |options| read(folder.path(), &options, Want::Labelled, &Run::default());
        let message = read(Options::default()).map_err(|e| e.to_string()).err();
        let expected = "b/2.png: 2x6 pixels, but a/1.png has 4x4: give one size with --image HxW, such as 4x4";
        assert_eq!(message.as_deref(), Some(expected));
        let raw = read(Options { image: Some((2, 2)), ..Options::default() })?;
        assert_eq!((raw.rows.nrows(), raw.rows.ncols()), (2, 4));
        Ok(())
    }

    #[test]
    fn a_broken_image_is_named() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        write(&folder.path().join("a/1.png"), 4, 4)?;
        fs::write(folder.path().join("a/2.png"), "no image")?;
        let message = read(folder.path(), &Options::default(), Want::Labelled, &Run::default());
        let message = message.map_err(|e| e.to_string()).err().unwrap_or_default();
        assert!(message.starts_with("a/2.png: not a whole image: "), "{message}");
        Ok(())
    }
}
