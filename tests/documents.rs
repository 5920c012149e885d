//! The documents agree with the repository: links lead somewhere, and ARCHITECTURE.md names the folders that exist.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The README is a page to read in one go.
const MOST_LINES: usize = 160;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Adds every Markdown file of a folder, build folders aside.
fn add_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            add_pages(&path, pages);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            pages.push(path);
        }
    }
}

/// What stands between `](` and `)` outside of code blocks.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut code = false;
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        if !code {
            links.extend(line.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_owned));
        }
    }
    links
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let mut found = Vec::new();
    add_pages(&root(), &mut found);
    assert!(found.len() > 15, "{found:?}");
    let mut seen = 0;
    for page in found {
        for link in links(&read(&page)).iter().filter(|link| !link.contains("://")) {
            seen += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap_or(&page).join(file) };
            assert!(target.exists(), "{} links to {link}, which does not exist", page.display());
            if !heading.is_empty() {
                assert!(anchors(&read(&target)).contains(heading), "{}: no heading for {link}", page.display());
            }
        }
    }
    assert!(seen > 50, "only {seen} links were found");
}

/// Words in backquotes that begin with a folder of the repository.
fn named_paths(text: &str) -> BTreeSet<&str> {
    let roots = ["docs/", "examples/", "model-format/", "runtime/", "store/", "tests/", "trainer/", "xtask/"];
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|word| roots.iter().any(|root| word.starts_with(root)) && !word.contains("NAME")).collect()
}

/// Whether a folder has files: git leaves empty folders behind when files move.
fn holds_files(path: &Path) -> bool {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    path.is_dir() && entries.map(|entry| entry.path()).any(|path| path.is_file() || holds_files(&path))
}

#[test]
fn architecture_names_what_exists() {
    let text = read(&root().join("docs/ARCHITECTURE.md"));
    // Code blocks would shift the backquotes.
    let text: String = text.split("```").step_by(2).collect();
    let named = named_paths(&text);
    assert!(named.len() > 30, "{named:?}");
    for path in &named {
        let on_disk = root().join(path);
        assert!(on_disk.exists(), "ARCHITECTURE.md names {path}, which does not exist");
        assert_eq!(on_disk.is_dir(), path.ends_with('/'), "folders end in a slash: {path}");
    }
    for parent in ["", "trainer/src/"] {
        for entry in fs::read_dir(root().join(parent)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if holds_files(&path) && name != "target" && !name.starts_with('.') {
                let folder = format!("{parent}{name}/");
                assert!(named.contains(folder.as_str()), "ARCHITECTURE.md does not name {folder}");
            }
        }
    }
}

#[test]
fn the_readme_is_short_and_names_the_test_command() {
    let text = read(&root().join("README.md"));
    assert!(text.lines().count() < MOST_LINES, "{} lines", text.lines().count());
    assert!(text.lines().any(|line| line.split('#').next().unwrap_or_default().trim() == "cargo xtask test"));
}
