//! Embeds the crates that run on a device, for people who have the tool but not the repository.
//!
//! They keep the repository's folders, so that the paths between them hold. Out of the manifests goes what only the
//! repository can build: tests and benchmarks.

use std::{
    env,
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

/// The crates, by folder, and what of each a build needs.
const CRATES: [(&str, &[&str]); 4] = [
    ("model-format", &["src"]),
    ("runtime", &["src"]),
    ("runtime/dsp", &["build.rs", "src"]),
    ("runtime/c", &["src", "include"]),
];
/// What goes with them as it is; the harness is a workspace of its own.
const BESIDE: [&str; 11] = [
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "trainer/harness/Cargo.lock",
    "trainer/harness/Cargo.toml",
    "trainer/harness/board/Cargo.toml",
    "trainer/harness/board/boards.rs",
    "trainer/harness/board/build.rs",
    "trainer/harness/board/src",
    "trainer/harness/build.rs",
    "trainer/harness/src",
];
/// Tables of a crate's manifest that are left out.
const NOT_BUILT: [&str; 2] = ["[dev-dependencies]", "[[bench]]"];
/// Tables of the root's manifest that are left out: others take their place.
const REPLACED: [&str; 3] = ["[workspace]", "[profile.release]", "[profile.release.build-override]"];
/// As firmware wants it: small, and nothing unwinds.
const PROFILE: &str = "[profile.release]
opt-level = \"s\"
lto = \"fat\"
codegen-units = 1
debug = \"none\"
panic = \"abort\"
";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_VENDORED").is_none() {
        return Ok(());
    }
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    let mut files = vec![("Cargo.toml".to_owned(), workspace(&read(&root, "Cargo.toml")?))];
    for name in BESIDE {
        gather(&root, name, &mut files)?;
    }
    for (folder, parts) in CRATES {
        let manifest = format!("{folder}/Cargo.toml");
        files.push((manifest.clone(), without(&read(&root, &manifest)?, &NOT_BUILT)));
        for part in parts {
            gather(&root, &format!("{folder}/{part}"), &mut files)?;
        }
    }
    files.sort();
    let mut source = format!("const HASH: &str = \"{:016x}\";\n", hash(&files));
    source.push_str("const FILES: &[(&str, &str)] = &[\n");
    for (name, text) in &files {
        writeln!(source, "    ({name:?}, {text:?}),")?;
    }
    source.push_str("];\n");
    Ok(fs::write(PathBuf::from(env::var("OUT_DIR")?).join("vendored.rs"), source)?)
}

/// A file's text, which the tool is built anew for when it changes.
fn read(root: &Path, name: &str) -> Result<String, Box<dyn Error>> {
    let path = root.join(name);
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(fs::read_to_string(&path).map_err(|why| {
        format!(
            "{}: {why}; the trainer is built inside its repository, which it takes the runtime from",
            path.display()
        )
    })?)
}

/// A file, or every file below a folder.
fn gather(root: &Path, name: &str, files: &mut Vec<(String, String)>) -> Result<(), Box<dyn Error>> {
    let path = root.join(name);
    if !path.is_dir() {
        files.push((name.to_owned(), read(root, name)?));
        return Ok(());
    }
    // Files that come or go touch the folder.
    println!("cargo::rerun-if-changed={}", path.display());
    for entry in fs::read_dir(&path)? {
        let file = entry?.file_name().into_string().map_err(|name| format!("{}: not UTF-8", name.display()))?;
        // What editors leave behind is hidden.
        if !file.starts_with('.') {
            gather(root, &format!("{name}/{file}"), files)?;
        }
    }
    Ok(())
}

/// The root's manifest, for these crates alone.
fn workspace(manifest: &str) -> String {
    let members = CRATES.map(|(folder, _)| folder);
    let rest = without(manifest, &REPLACED);
    format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n{rest}\n{PROFILE}")
}

/// A manifest less some tables.
fn without(manifest: &str, tables: &[&str]) -> String {
    let mut kept = true;
    let mut text = String::new();
    for line in manifest.lines() {
        // An array's end in a line of its own begins with `]`: only tables begin with `[`.
        if line.starts_with('[') {
            kept = !tables.contains(&line.trim_end());
        }
        if kept {
            text.extend([line, "\n"]);
        }
    }
    text
}

/// FNV-1a over names and texts: what tells one unpacked set from another.
fn hash(files: &[(String, String)]) -> u64 {
    let bytes = files.iter().flat_map(|(name, text)| [name, "\0", text, "\0"].map(str::bytes)).flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
