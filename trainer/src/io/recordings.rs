//! A folder of tables, a recording each: in the folder itself with a label column, or in a folder per class.

use super::error::{ReadError, shorten};
use super::images::{entries, is_hidden};
use super::layout::Words;
use super::survey::Survey;
use super::table::{Table, assemble, delimiter_of, open_text};
use super::{Options, Raw, Want};
use crate::run::Run;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Whether an entry of a folder is a table, or a folder that holds one.
pub(super) fn holds_tables(path: &Path) -> Result<bool, ReadError> {
    if !path.is_dir() {
        return Ok(is_table(path));
    }
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        if !is_hidden(&entry.file_name()) && is_table(&entry.path()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// By its name; pipes and devices are none.
fn is_table(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    name.extension().is_some_and(|ending| ending == "csv" || ending == "tsv") && path.is_file()
}

/// One table.
struct Recording {
    path: PathBuf,
    /// Path relative to the requested folder.
    name: String,
    class: Option<String>,
}

/// Tables in the order of class and name, and how many other files there are.
fn find(folder: &Path) -> Result<(Vec<Recording>, usize), ReadError> {
    let (mut found, mut others) = (Vec::new(), 0);
    for (path, name) in entries(folder)? {
        if !path.is_dir() {
            if is_table(&path) {
                found.push(Recording { path, name, class: None });
            } else {
                others += 1;
            }
            continue;
        }
        for (path, file) in entries(&path)? {
            if is_table(&path) {
                found.push(Recording { path, name: format!("{name}/{file}"), class: Some(name.clone()) });
            } else {
                others += 1;
            }
        }
    }
    let classes = found.iter().filter(|recording| recording.class.is_some()).count();
    if classes > 0 && classes < found.len() {
        let lone = found.iter().find(|recording| recording.class.is_none()).map_or("", |recording| &recording.name);
        let message =
            format!("{} lies beside class folders: put it into one, or all tables into the folder", shorten(lone));
        return Err(ReadError::Invalid(message));
    }
    Ok((found, others))
}

/// Opens every table in turn; those of class folders need no label column.
fn each(
    recordings: &[Recording],
    options: &Options,
    want: Want,
    mut each: impl FnMut(&Recording, Table) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut columns: Option<(Vec<String>, usize)> = None;
    for recording in recordings {
        let by_folder = recording.class.is_some() && options.label.is_none() && want == Want::Labelled;
        let want = if by_folder { Want::Unlabelled } else { want };
        let within = |error: ReadError| error.within(&recording.name);
        let (input, _) = open_text(&recording.path).map_err(within)?;
        let table = Table::open(input, delimiter_of(&recording.path), options, want).map_err(within)?;
        let own = (table.layout.names().unwrap_or_default().to_vec(), table.layout.roles.len());
        let first = columns.get_or_insert_with(|| own.clone());
        if *first != own {
            let message = format!("its columns are not those of {}", recordings[0].name);
            return Err(within(ReadError::Invalid(message)));
        }
        each(recording, table).map_err(within)?;
    }
    Ok(())
}

/// Looks at all tables as one.
pub(super) fn survey(folder: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Survey, ReadError> {
    let (recordings, _) = find(folder)?;
    let mut survey: Option<Survey> = None;
    each(&recordings, options, want, |_, mut table| {
        let delimiter = table.delimiter().map(char::from);
        survey.get_or_insert_with(|| Survey::of(&table.layout, delimiter)).add(&mut table, run)
    })?;
    survey.ok_or_else(none)
}

fn none() -> ReadError {
    ReadError::Invalid("no tables: .csv and .tsv files are read, also .gz".to_owned())
}

/// Reads all tables as one, with breaks between them.
pub(super) fn read(folder: &Path, options: &Options, want: Want, run: &Run<'_>) -> Result<Raw, ReadError> {
    let (recordings, others) = find(folder)?;
    let (mut blocks, mut all): (_, Option<(_, Words)>) = (Vec::new(), None);
    // The recording of every row.
    let mut origins: Vec<usize> = Vec::new();
    let mut done = 0_u64;
    each(&recordings, options, want, |recording, mut table| {
        let mut words = match all.take() {
            Some((_, words)) => words,
            None => table.layout.words(),
        };
        words.breaks.push(words.rows);
        let before = words.rows;
        table.read_all(&mut blocks, &mut words, run, || (done << 10, (recordings.len() as u64) << 10))?;
        origins.resize(words.rows, done as usize);
        let is_labelled = table.layout.label().is_some() || options.unlabelled;
        if let Some(class) = recording.class.as_ref().filter(|_| !is_labelled) {
            words.labels.extend(std::iter::repeat_n(class.clone(), words.rows - before));
        }
        all = Some((table.layout, words));
        done += 1;
        Ok(())
    })?;
    let (layout, mut words) = all.ok_or_else(none)?;
    let mut notes = Vec::new();
    if options.group.is_none() && want == Want::Labelled {
        let sources = sources(&words.labels, &origins);
        if sources.values().all(|recordings| recordings.len() > 1) {
            words.groups = origins.iter().map(|&origin| recordings[origin].name.clone()).collect();
            notes.push(format!("every one of the {} recordings is a group", recordings.len()));
        } else {
            notes.push("some class has one recording only: hold-outs divide recordings, and flatter".to_owned());
        }
    }
    if others > 0 {
        notes.push(format!("{others} files skipped, which are no tables"));
    }
    let mut raw = assemble(&layout, blocks, words)?;
    raw.notes.extend(notes);
    Ok(raw)
}

/// The recordings that rows of each class are from.
fn sources<'a>(labels: &'a [String], origins: &[usize]) -> BTreeMap<&'a String, BTreeSet<usize>> {
    let mut sources: BTreeMap<&String, BTreeSet<usize>> = BTreeMap::new();
    for (label, &origin) in labels.iter().zip(origins) {
        sources.entry(label).or_default().insert(origin);
    }
    sources
}
