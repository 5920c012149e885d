//! Files of a folder that are not read: counted, so that a missing image type does not go unnoticed.

use std::collections::BTreeMap;
use std::path::Path;

/// What was skipped in a folder of images.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Skipped {
    /// Number of files of each kind.
    files: BTreeMap<String, usize>,
    /// Folders inside class folders.
    pub(super) folders: usize,
}

impl Skipped {
    /// Counts a file that is no image.
    pub(super) fn file(&mut self, path: &Path) {
        *self.files.entry(ending(path)).or_default() += 1;
    }

    /// Counts an image that lies beside the class folders and so has no class.
    pub(super) fn outside(&mut self, path: &Path) {
        *self.files.entry(format!("{} outside of the class folders", ending(path))).or_default() += 1;
    }

    /// `12 files skipped: 10 .gif, 2 .txt`, the most frequent first; nothing if there were none.
    pub(super) fn note(&self) -> Option<String> {
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
        let parts: Vec<String> = files.into_iter().chain(folders).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `.gif` for `x.GIF`.
fn ending(path: &Path) -> String {
    path.extension().map_or_else(
        || "without an ending".to_owned(),
        |ending| format!(".{}", ending.to_string_lossy().to_ascii_lowercase()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
