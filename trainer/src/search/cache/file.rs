//! The trial cache in a file: a header, then one line of JSON per trial.

use super::{Counts, TrialKey, hex};
use crate::dataset::Dataset;
use crate::model::provenance::data_hash;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Version of the file and of [`TrialKey`]'s serialized form. Version 1 had no number in its header, and keys from
/// Rust's debug output; version 2 had neither the shape of images nor class names in its keys, version 3 no bits of weights.
const FORMAT: u32 = 4;
/// The tool's version: another one may fit the same candidate differently.
const TOOL: &str = env!("CARGO_PKG_VERSION");

/// Why a cache file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct CacheError {
    path: PathBuf,
    #[source]
    problem: Problem,
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("trial cache of format version {0}, this tool reads version {FORMAT}; remove it or name another file")]
    Format(u32),
    #[error("trial cache of nearmark {0}, this is nearmark {TOOL}; remove it or name another file")]
    Tool(String),
    #[error("trial cache of other training rows; remove it or name another file")]
    OtherRows,
    #[error("not a trial cache")]
    NotACache,
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// Missing in version 1.
    #[serde(default = "first_format")]
    trial_cache: u32,
    nearmark: String,
    data: String,
}

fn first_format() -> u32 {
    1
}

/// Every other line.
#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    #[serde(flatten)]
    counts: Counts,
}

/// Trials in memory and, with a path, in a file.
#[derive(Debug, Default)]
pub struct TrialCache {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    trials: HashMap<String, Counts>,
    file: Option<(PathBuf, File)>,
    failure: Option<CacheError>,
    reused: usize,
}

impl TrialCache {
    /// A cache that ends with the process.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// A cache in a file, which is created if it does not exist.
    ///
    /// # Errors
    /// [`CacheError`] when the file cannot be used, has another version or is about other rows. It is then left as it is.
    pub fn open(path: &Path, data: &Dataset) -> Result<Self, CacheError> {
        Self::read_or_create(path, data).map_err(|problem| CacheError { path: path.to_owned(), problem })
    }

    fn read_or_create(path: &Path, data: &Dataset) -> Result<Self, Problem> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text?,
        };
        // A process that was killed may have left a part of a line.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole == 0 && !text.is_empty() {
            return Err(Problem::NotACache);
        }
        let data = format!("{:032x}", u128::from_be_bytes(data_hash(data)));
        let header = Header { trial_cache: FORMAT, nearmark: TOOL.to_owned(), data };
        let trials = read(&text[..whole], &header)?;
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(whole as u64)?;
        if whole == 0 {
            append(&mut file, &header)?;
        }
        let inner = Inner { trials, file: Some((path.to_owned(), file)), ..Inner::default() };
        Ok(Self { inner: Mutex::new(inner) })
    }

    /// Trials in the cache, and how many of them were asked for.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let inner = self.inner();
        (inner.trials.len(), inner.reused)
    }

    /// Whether everything was written.
    ///
    /// # Errors
    /// The first [`CacheError`] of writing.
    pub fn finish(&self) -> Result<(), CacheError> {
        self.inner().failure.take().map_or(Ok(()), Err)
    }

    pub(in crate::search) fn get(&self, key: &TrialKey) -> Option<Counts> {
        // `insert` reports what cannot be serialized.
        let key = hashed(key).ok()?;
        let mut inner = self.inner();
        let found = inner.trials.get(&key).copied();
        inner.reused += usize::from(found.is_some());
        found
    }

    /// Keeps the counts of a trial, and the first failure of writing one.
    pub(in crate::search) fn insert(&self, key: &TrialKey, counts: Counts) {
        let mut inner = self.inner();
        let Inner { trials, file, failure, .. } = &mut *inner;
        let written = hashed(key).map_err(io::Error::other).and_then(|key| {
            trials.insert(key.clone(), counts);
            file.as_mut().map_or(Ok(()), |(_, file)| append(file, &Line { key, counts }))
        });
        if let (Err(error), Some((path, _))) = (written, file) {
            failure.get_or_insert_with(|| CacheError { path: path.clone(), problem: error.into() });
        }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        // A panic in another thread leaves complete entries.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The trials of a file; none if it is empty.
fn read(text: &str, expected: &Header) -> Result<HashMap<String, Counts>, Problem> {
    let mut lines = text.lines();
    let Some(first) = lines.next() else { return Ok(HashMap::new()) };
    let header: Header = serde_json::from_str(first).map_err(|_| Problem::NotACache)?;
    if header.trial_cache != expected.trial_cache {
        return Err(Problem::Format(header.trial_cache));
    }
    if header.nearmark != expected.nearmark {
        return Err(Problem::Tool(header.nearmark));
    }
    if header.data != expected.data {
        return Err(Problem::OtherRows);
    }
    let trial = |line: &str| {
        let line: Line = serde_json::from_str(line).map_err(|_| Problem::NotACache)?;
        Ok((line.key, line.counts))
    };
    lines.map(trial).collect()
}

fn append(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(line).map_err(io::Error::other)?;
    file.write_all(format!("{text}\n").as_bytes())
}

/// 128 bits of a key's serialized form: keys are long. No two trials of a search share them by chance, and the same key
/// has the same bits with every compiler.
fn hashed(key: &TrialKey) -> serde_json::Result<String> {
    serde_json::to_vec(key).map(|text| hex(&text))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{changed, key};
    use super::*;
    use crate::dataset::synthetic::blobs;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const COUNTS: Counts = Counts { stored: 3, exact: 4 };

    #[test]
    fn the_same_key_is_found_and_every_changed_field_is_missed() {
        let cache = TrialCache::in_memory();
        cache.insert(&key(), COUNTS);
        assert_eq!(cache.get(&key()), Some(COUNTS));
        let others = changed();
        for other in &others {
            assert_eq!(cache.get(other), None, "{other:?}");
        }
        for other in &others {
            cache.insert(other, COUNTS);
        }
        assert_eq!(cache.counts(), (others.len() + 1, 1), "no two of them are the same");
    }

    /// Files outlive compilers and builds of the same version: the bits of a key are fixed.
    #[test]
    fn a_key_has_the_same_bits_always() -> Outcome {
        assert_eq!(hashed(&key())?, "29ea11a9e5c770797aa6ada13a3d69e8");
        Ok(())
    }

    #[test]
    fn trials_are_found_again_after_a_stop() -> Outcome {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.jsonl");
        let (data, others) = (blobs(2, 5, 3, 1.0, 0), changed());
        let cache = TrialCache::open(&path, &data)?;
        cache.insert(&key(), COUNTS);
        cache.insert(&others[0], Counts::default());
        drop(cache);
        // A process that was killed while it wrote.
        std::fs::OpenOptions::new().append(true).open(&path)?.write_all(b"{\"key\": \"0")?;
        let cache = TrialCache::open(&path, &data)?;
        assert_eq!(cache.get(&key()), Some(COUNTS));
        assert_eq!((cache.get(&others[0]), cache.get(&others[1])), (Some(Counts::default()), None));
        assert_eq!(cache.counts(), (2, 2));
        cache.insert(&others[1], COUNTS);
        drop(cache);
        assert_eq!(TrialCache::open(&path, &data)?.get(&others[1]), Some(COUNTS));
        Ok(())
    }

    #[test]
    fn files_of_other_versions_rows_and_forms_are_refused_and_left_alone() -> Outcome {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.jsonl");
        let data = blobs(2, 5, 3, 1.0, 0);
        drop(TrialCache::open(&path, &data)?);
        assert!(matches!(
            TrialCache::open(&path, &blobs(2, 5, 3, 1.0, 1)),
            Err(CacheError { problem: Problem::OtherRows, .. })
        ));
        let header = |start: &str, tool: &str| format!("{{{start}\"nearmark\":\"{tool}\",\"data\":\"00\"}}\n");
        let refused = |text: &str| -> Result<String, Box<dyn std::error::Error>> {
            std::fs::write(&path, text)?;
            let error = TrialCache::open(&path, &data).err().ok_or("it was read")?;
            assert_eq!(std::fs::read_to_string(&path)?, text);
            Ok(error.to_string())
        };
        assert!(refused(&header("", TOOL))?.contains("format version 1, this tool reads version 4"));
        assert!(refused(&header("\"trial_cache\":2,", TOOL))?.contains("format version 2"));
        assert!(refused(&header("\"trial_cache\":4,", "0.0.1"))?.contains("of nearmark 0.0.1"));
        for text in ["label,x\na,1\n", "no line end"] {
            assert!(refused(text)?.ends_with("not a trial cache"));
        }
        Ok(())
    }
}
