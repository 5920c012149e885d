//! Turns `tests/golden/*.nmk` into a table of models in flash.
//!
//! The expectations beside them stay on the host and are read through semihosting: they are several times
//! the models' size and would not fit the smallest board.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::boards::Board;

/// Flash kept free for the program itself.
const PROGRAM: usize = 92 * 1024;
/// Magic, rows, inputs, dim, sample type.
const HEADER_WORDS: usize = 5;

struct Golden {
    name: String,
    model: String,
    expect: String,
    bytes: usize,
    row_words: usize,
}

/// Rust source of the table, with the buffer sizes that its largest model needs.
pub(crate) fn table(board: &Board) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut left_out = Vec::new();
    let mut goldens = Vec::new();
    for model in models(&folder) {
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let expect = model.with_extension("expect");
        if expect.exists() {
            goldens.push(golden(name, &model, &expect));
        } else {
            left_out.push((name, "it has no expectations"));
        }
    }
    // Small ones first, so that a small board replays most; the bench's own before all.
    goldens.sort_by_key(|g| (!g.name.starts_with("bench-"), g.bytes, g.name.clone()));
    let mut free = board.flash.len as usize - PROGRAM;
    goldens.retain(|g| {
        let fits = g.bytes <= free;
        if fits {
            free -= g.bytes;
        } else {
            left_out.push((g.name.clone(), "the flash is full"));
        }
        fits
    });
    source(&goldens, &left_out)
}

/// Paths of the models, sorted; none if the folder is missing, which the self-test then fails.
fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("reading tests/golden").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "nmk"));
    paths.sort();
    paths
}

fn golden(name: String, model: &Path, expect: &Path) -> Golden {
    println!("cargo::rerun-if-changed={}", model.display());
    println!("cargo::rerun-if-changed={}", expect.display());
    let bytes = fs::read(model).expect("reading a golden model").len();
    let row_words = row_words(&fs::read(expect).expect("reading an expectation"));
    let row_words = row_words.unwrap_or_else(|| panic!("{name}.expect: its rows do not fill the file"));
    let path = |path: &Path| path.to_str().expect("the repository's path is UTF-8").to_owned();
    Golden { name, model: path(model), expect: path(expect), bytes, row_words }
}

/// Words per row, from the file's length: the header need not be understood here.
fn row_words(expect: &[u8]) -> Option<usize> {
    let rows = u32::from_le_bytes(*expect.get(4..)?.first_chunk()?) as usize;
    let body = expect.len().checked_sub(4 * HEADER_WORDS)?;
    (rows > 0 && body % (4 * rows) == 0).then(|| body / (4 * rows))
}

fn source(goldens: &[Golden], left_out: &[(String, &str)]) -> String {
    let [mut modules, mut table, mut scratch, mut dim] = [const { String::new() }; 4];
    for (i, golden) in goldens.iter().enumerate() {
        let Golden { name, model, expect, .. } = golden;
        modules += &format!("nearmark::include_model!(mod golden_{i} = {model:?});\n");
        table += &format!("    Golden {{ name: {name:?}, bytes: golden_{i}::BYTES, expect: c{expect:?} }},\n");
        scratch += &format!("golden_{i}::SCRATCH, ");
        dim += &format!("golden_{i}::DIM, ");
    }
    let row_words = goldens.iter().map(|g| g.row_words).max().unwrap_or(0);
    format!(
        "{modules}
/// Every golden model that fits this board, the benchmark's first.
pub static GOLDENS: &[Golden] = &[\n{table}];
/// Words of scratch that suffice for each of them.
pub const SCRATCH: usize = max(&[{scratch}]);
/// Length of the longest embedding.
pub const DIM: usize = max(&[{dim}]);
/// Words of the longest row of expectations.
pub const ROW_WORDS: usize = {row_words};
/// Models that this board does not replay, and why.
pub const LEFT_OUT: &[(&str, &str)] = &{left_out:?};
"
    )
}
