//! A folder of class folders of images: grey, all of one size, in the order of their names.

use super::error::{ReadError, enumerated};
use super::gather::{BLOCK, Gather};
use super::{Options, Raw, Shape, Want};
use crate::error::DataError;
use crate::run::Run;
use image::imageops::FilterType;
use image::{GrayImage, ImageReader, Limits};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The largest side of an image that is read. Beyond it, the header is damaged or the image is no training sample.
const LARGEST_SIDE: u32 = 1 << 14;

/// Pixels of an image that takes more than a moment to read.
const LARGE: usize = 1 << 20;

const ENDINGS: [&str; 5] = ["png", "jpg", "jpeg", "pgm", "pnm"];

/// Whether a file or folder is hidden by the Unix convention.
pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with('.')
}

pub(super) fn is_image(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

struct Sample {
    path: PathBuf,
    /// Path relative to the requested folder.
    name: String,
    class: Option<String>,
}

/// Reads every image; its class is the name of its folder. Images in the requested folder itself have no class.
pub(super) fn read(folder: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    let (samples, skipped) = find(folder, want)?;
    let first = samples.first().ok_or_else(|| no_images(&skipped))?;
    let (rows, cols) = match options.image {
        Some(size) => size,
        None => size(&decode(&first.path).map_err(|error| error.within(&first.name))?.0),
    };
    if rows == 0 || cols == 0 {
        return Err(DataError::NoColumns.into());
    }
    let mut gather = Gather::new(samples.len(), rows.saturating_mul(cols))?;
    let mut block = Vec::new();
    let mut transparent = 0;
    for (done, sample) in samples.iter().enumerate() {
        let image = decode(&sample.path).and_then(|(image, is_transparent)| {
            transparent += usize::from(is_transparent);
            match options.image {
                Some((rows, cols)) => Ok(resize(&image, rows, cols)),
                None if size(&image) == (rows, cols) => Ok(image),
                None => {
                    let ((high, wide), first) = (size(&image), &first.name);
                    let hint = format!("give one size with option `image`, such as {rows}x{cols}");
                    let message = format!("{high}x{wide} pixels, but {first} has {rows}x{cols}: {hint}");
                    Err(ReadError::Needed("image", message))
                }
            }
        });
        block.extend_from_slice(image.map_err(|error| error.within(&sample.name))?.as_raw());
        if (done + 1) % BLOCK == 0 || done + 1 == samples.len() {
            gather.push(&block, f64::from);
            block.clear();
        }
        // Large images take seconds each.
        if done % 64 == 0 || rows.saturating_mul(cols) > LARGE || options.image.is_some() {
            run.step("reading", done, samples.len())?;
        }
    }
    let labels: Option<Vec<String>> = samples.into_iter().map(|sample| sample.class).collect();
    let alpha = (transparent > 0)
        .then(|| format!("{} with transparent pixels: transparency is dropped", counted(transparent, "image")));
    let notes = skipped.note().into_iter().chain(alpha).collect();
    Ok(Raw { notes, ..Raw::plain(gather.finish(), labels, Shape::Image { rows, cols }) })
}

/// The images of a folder, in the order of class and file name, so that every machine reads the same rows.
fn find(folder: &Path, want: Want) -> Result<(Vec<Sample>, Skipped), ReadError> {
    let (mut samples, mut skipped) = (Vec::new(), Skipped::default());
    let (folders, files): (Vec<_>, Vec<_>) = entries(folder)?.into_iter().partition(|(path, _)| path.is_dir());
    for (path, class) in folders {
        for (path, file) in entries(&path)? {
            if path.is_dir() {
                skipped.folders += 1;
            } else if !path.is_file() {
                // A pipe would wait for its writer for ever.
                skipped.special += 1;
            } else if is_image(&path) {
                samples.push(Sample { path, name: format!("{class}/{file}"), class: Some(class.clone()) });
            } else {
                skipped.file(&path);
            }
        }
    }
    let without_classes = samples.is_empty();
    for (path, name) in files {
        if !path.is_file() {
            skipped.special += 1;
        } else if !is_image(&path) {
            skipped.file(&path);
        } else if !without_classes {
            // It lies beside the class folders and so has no class.
            *skipped.files.entry(format!("{} outside of the class folders", ending(&path))).or_default() += 1;
        } else if want == Want::Labelled {
            return Err(ReadError::no_labels("the images lie in the folder itself, expected a folder per class"));
        } else {
            samples.push(Sample { path, name, class: None });
        }
    }
    Ok((samples, skipped))
}

/// What was skipped in a folder: counted, so that a missing image type does not go unnoticed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Skipped {
    /// By their ending.
    files: BTreeMap<String, usize>,
    /// Folders inside class folders.
    folders: usize,
    /// Pipes, sockets, devices and links to nothing.
    special: usize,
}

impl Skipped {
    fn file(&mut self, path: &Path) {
        *self.files.entry(ending(path)).or_default() += 1;
    }

    /// `12 files skipped: 10 .gif, 2 .txt`, the most frequent first; nothing if there were none.
    fn note(&self) -> Option<String> {
        let mut kinds: Vec<(&String, &usize)> = self.files.iter().collect();
        // Stable, so that equal counts stay in the order of their names.
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let files = match self.files.values().sum() {
            0 => None,
            count => Some(format!("{} skipped: {}", counted(count, "file"), kinds.join(", "))),
        };
        let folders =
            (self.folders > 0).then(|| format!("{} inside a class folder skipped", counted(self.folders, "folder")));
        let special =
            (self.special > 0).then(|| format!("{} skipped: not a regular file", counted(self.special, "entry")));
        let parts: Vec<String> = files.into_iter().chain(folders).chain(special).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

fn counted(count: usize, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

/// `.gif` for `x.GIF`.
fn ending(path: &Path) -> String {
    path.extension().map_or_else(
        || "without an ending".to_owned(),
        |ending| format!(".{}", ending.to_string_lossy().to_ascii_lowercase()),
    )
}

fn no_images(skipped: &Skipped) -> ReadError {
    let endings = enumerated(&ENDINGS.map(|ending| format!(".{ending}")));
    let skipped = skipped.note().map_or_else(String::new, |note| format!(" ({note})"));
    ReadError::Invalid(format!("no images: {endings} files are read{skipped}"))
}

/// Files and folders that are not hidden, by name.
pub(super) fn entries(folder: &Path) -> Result<Vec<(PathBuf, String)>, ReadError> {
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

/// Reads an image as grey values; colours weigh as in ITU-R BT.709. Also whether a pixel is transparent, which a grey value
/// does not show.
fn decode(path: &Path) -> Result<(GrayImage, bool), ReadError> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(LARGEST_SIDE);
    limits.max_image_height = Some(LARGEST_SIDE);
    let mut reader = ImageReader::open(path)?.with_guessed_format()?;
    reader.limits(limits);
    let image = reader.decode().map_err(|e| ReadError::damaged("not a complete image", e))?;
    let is_transparent = image.color().has_alpha() && image.to_luma_alpha8().pixels().any(|pixel| pixel.0[1] < u8::MAX);
    Ok((image.into_luma8(), is_transparent))
}

/// Height and width.
fn size(image: &GrayImage) -> (usize, usize) {
    (image.height() as usize, image.width() as usize)
}

/// Resizes by a triangle filter as wide as the reduction: every pixel counts, which avoids aliasing.
fn resize(image: &GrayImage, rows: usize, cols: usize) -> GrayImage {
    if size(image) == (rows, cols) {
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
    fn transparent_pixels_are_counted() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        for (name, alpha) in [("a", 255), ("b", 7)] {
            fs::create_dir(folder.path().join(name))?;
            let image = image::GrayAlphaImage::from_pixel(2, 2, image::LumaA([9, alpha]));
            image.save(folder.path().join(name).join("x.png"))?;
        }
        let raw = super::read(folder.path(), &Options::default(), Want::Labelled, &Run::default())?;
        assert_eq!(raw.notes, ["1 image with transparent pixels: transparency is dropped"]);
        assert!(raw.rows.iter().all(|value| *value == 9.0));
        Ok(())
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

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_skipped_and_counted() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        write(&folder.path().join("a/1.png"), 2, 2)?;
        write(&folder.path().join("b/1.png"), 2, 2)?;
        // A socket stands for pipes and devices, which can be opened and never end.
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("a/2.png"))?;
        let raw = read(folder.path(), &Options::default(), Want::Labelled, &Run::default())?;
        assert_eq!((raw.rows.nrows(), raw.notes), (2, vec!["1 entry skipped: not a regular file".to_owned()]));
        Ok(())
    }

    #[test]
    fn several_sizes_need_one_size_to_resize_to() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        write(&folder.path().join("a/1.png"), 4, 4)?;
        write(&folder.path().join("b/2.png"), 2, 6)?;
        let read = |options| read(folder.path(), &options, Want::Labelled, &Run::default());
        let message = read(Options::default()).map_err(|e| e.to_string()).err();
        let expected = "b/2.png: 2x6 pixels, but a/1.png has 4x4: give one size with option `image`, such as 4x4";
        assert_eq!(message.as_deref(), Some(expected));
        let raw = read(Options { image: Some((2, 2)), ..Options::default() })?;
        assert_eq!((raw.rows.nrows(), raw.rows.ncols()), (2, 4));
        Ok(())
    }

    #[test]
    fn the_most_frequent_ending_comes_first() {
        let mut skipped = Skipped::default();
        assert_eq!(skipped.note(), None);
        for name in ["b.txt", "a.gif", "c.GIF", "plain"] {
            skipped.file(Path::new(name));
        }
        assert_eq!(skipped.note().as_deref(), Some("4 files skipped: 2 .gif, 1 .txt, 1 without an ending"));
        skipped.folders = 1;
        let note = "4 files skipped: 2 .gif, 1 .txt, 1 without an ending; 1 folder inside a class folder skipped";
        assert_eq!(skipped.note().as_deref(), Some(note));
    }
}
