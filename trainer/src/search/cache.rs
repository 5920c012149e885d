//! A search's memory: every measurement is a line in a file, so that a search can be stopped and taken up again.

use crate::dataset::Dataset;
use crate::model::provenance::data_hash;
use crate::search::Ledger;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// It cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It tells of other rows, or another version of the tool wrote it.
    #[error("{}: it remembers a search on {found}, this one is on {expected}; remove it or name another", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What it is about.
        found: String,
        /// What it should be about.
        expected: String,
    },
    /// It is something else.
    #[error("{}: not a search's memory", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Title {
    nearmark: String,
    data: String,
}

/// Every other line.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    key: String,
    right: usize,
    exact: usize,
}

/// What was measured, in memory and, if there is a path, in a file.
#[derive(Debug)]
pub struct Book {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    known: HashMap<String, [usize; 2]>,
    file: Option<(PathBuf, File)>,
    failure: Option<BookError>,
    until: Option<Instant>,
    end: Option<Instant>,
    late: bool,
    reused: usize,
}

impl Book {
    /// A memory that ends with the process.
    #[must_use]
    pub fn unwritten() -> Self {
        Self { inner: Mutex::new(Inner::default()) }
    }

    /// A memory in a file, which is made or taken up again.
    ///
    /// # Errors
    /// [`BookError`] when the file cannot be used or tells of other rows.
    pub fn open(path: &Path, data: &Dataset) -> Result<Self, BookError> {
        let io = |source| BookError::Io { path: path.to_owned(), source };
        let hash = format!("{:032x}", u128::from_be_bytes(data_hash(data)));
        let title = Title { nearmark: env!("CARGO_PKG_VERSION").to_owned(), data: hash };
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.map_err(io)?,
        };
        // What a stopped process left behind of a line is no line.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut known = HashMap::new();
        let mut lines = text[..whole].lines();
        let foreign = || BookError::Foreign { path: path.to_owned() };
        if whole == 0 && !text.is_empty() {
            return Err(foreign());
        }
        if let Some(first) = lines.next() {
            let found: Title = serde_json::from_str(first).map_err(|_| foreign())?;
            if found != title {
                let words = |t: &Title| format!("rows {} by nearmark {}", &t.data[..t.data.len().min(8)], t.nearmark);
                return Err(BookError::Other { path: path.to_owned(), found: words(&found), expected: words(&title) });
            }
            for line in lines {
                let Line { key, right, exact } = serde_json::from_str(line).map_err(|_| foreign())?;
                known.insert(key, [right, exact]);
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(io)?;
        file.set_len(whole as u64).map_err(io)?;
        let book = Self { inner: Mutex::new(Inner { known, file: Some((path.to_owned(), file)), ..Inner::default() }) };
        if whole == 0 {
            book.inner().append(&title);
        }
        book.finish().map(|()| book)
    }

    /// From `moment` on, no more is tried for the present size than a plain fit would; from `end` on, only what decides.
    pub fn until(&self, moment: Instant, end: Instant) {
        let mut inner = self.inner();
        (inner.until, inner.end, inner.late) = (Some(moment), Some(end), false);
    }

    /// Whether the present search was told that all time is up, and left something out.
    #[must_use]
    pub fn was_late(&self) -> bool {
        self.inner().late
    }

    /// Measurements that it knows, and how many of them were asked for again.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let inner = self.inner();
        (inner.known.len(), inner.reused)
    }

    /// Whether everything was written.
    ///
    /// # Errors
    /// [`BookError`] of the first line that was not.
    pub fn finish(&self) -> Result<(), BookError> {
        self.inner().failure.take().map_or(Ok(()), Err)
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        // A panic elsewhere leaves whole lines.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Writes a line; the first failure is kept.
    fn append(&mut self, line: &impl Serialize) {
        let Some((path, file)) = &mut self.file else { return };
        let written = serde_json::to_string(line)
            .map_err(io::Error::other)
            .and_then(|text| file.write_all(format!("{text}\n").as_bytes()));
        if let Err(source) = written {
            let path = path.clone();
            self.failure.get_or_insert(BookError::Io { path, source });
        }
    }
}

/// Names are long; their hash tells them apart.
fn key(name: &str) -> String {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

impl Ledger for Book {
    fn known(&self, name: &str) -> Option<[usize; 2]> {
        let mut inner = self.inner();
        let found = inner.known.get(&key(name)).copied();
        inner.reused += usize::from(found.is_some());
        found
    }

    fn note(&self, name: &str, counts: [usize; 2]) {
        let mut inner = self.inner();
        let line = Line { key: key(name), right: counts[0], exact: counts[1] };
        inner.append(&line);
        inner.known.insert(line.key, counts);
    }

    fn is_over(&self) -> bool {
        self.inner().until.is_some_and(|until| Instant::now() >= until)
    }

    fn is_late(&self) -> bool {
        let mut inner = self.inner();
        let late = inner.end.is_some_and(|end| Instant::now() >= end);
        inner.late |= late;
        late
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::blobs;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn what_was_noted_is_known_again() -> Outcome {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.jsonl");
        let data = blobs(2, 5, 3, 1.0, 0);
        let book = Book::open(&path, &data)?;
        book.note("a", [3, 4]);
        book.note("b", [5, 6]);
        drop(book);
        // A process that was killed while it wrote.
        std::fs::OpenOptions::new().append(true).open(&path)?.write_all(b"{\"key\": \"0")?;
        let book = Book::open(&path, &data)?;
        assert_eq!((book.known("a"), book.known("b"), book.known("c")), (Some([3, 4]), Some([5, 6]), None));
        assert_eq!(book.counts(), (2, 2));
        book.note("c", [7, 8]);
        drop(book);
        assert_eq!(Book::open(&path, &data)?.known("c"), Some([7, 8]));
        Ok(())
    }

    #[test]
    fn other_rows_and_other_files_are_refused_and_left_alone() -> Outcome {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.jsonl");
        drop(Book::open(&path, &blobs(2, 5, 3, 1.0, 0))?);
        assert!(matches!(Book::open(&path, &blobs(2, 5, 3, 1.0, 1)), Err(BookError::Other { .. })));
        for text in ["label,x\na,1\n", "no line end"] {
            std::fs::write(&path, text)?;
            assert!(matches!(Book::open(&path, &blobs(2, 5, 3, 1.0, 0)), Err(BookError::Foreign { .. })));
            assert_eq!(std::fs::read_to_string(&path)?, text);
        }
        Ok(())
    }

    #[test]
    fn time_is_up_when_it_is() {
        let book = Book::unwritten();
        assert!(!book.is_over() && !book.is_late());
        let (now, later) = (Instant::now(), Instant::now() + std::time::Duration::from_secs(3600));
        book.until(now, later);
        assert!(book.is_over() && !book.is_late());
        assert!(!book.was_late());
        book.until(now, now);
        assert!(!book.was_late(), "nobody has asked");
        assert!(book.is_over() && book.is_late() && book.was_late());
        book.until(now, later);
        assert!(!book.was_late());
    }
}
