//! Parts of Markdown files that a command generates: between `<!-- NAME -->` and `<!-- end of NAME -->`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{command::root, measured::Measured};

/// The page with the tables of costs on devices.
pub(crate) fn devices_page() -> PathBuf {
    root().join("docs/devices.md")
}

/// Checks that a file holds this table; measured numbers may differ by a tenth.
pub(crate) fn check(path: &Path, name: &str, table: &str, help: &str) -> Result<()> {
    let file = path.strip_prefix(root()).unwrap_or(path).display();
    let text = fs::read_to_string(path).with_context(|| format!("reading {file}"))?;
    let (_, shown, _) = parts(&text, name).with_context(|| format!("{file} has no part '{name}'"))?;
    let agreed = Measured::table(shown.trim()).agrees(&Measured::table(table.trim()));
    agreed.with_context(|| format!("{file} is out of date in '{name}': {help}"))
}

/// Writes the table into the file.
pub(crate) fn write(path: &Path, name: &str, table: &str) -> Result<()> {
    let file = path.strip_prefix(root()).unwrap_or(path).display();
    let text = fs::read_to_string(path).with_context(|| format!("reading {file}"))?;
    let (before, _, after) = parts(&text, name).with_context(|| format!("{file} has no part '{name}'"))?;
    fs::write(path, format!("{before}\n{}\n{after}", table.trim()))?;
    println!("wrote '{name}' in {file}");
    Ok(())
}

/// The text up to and including the first marker, between the markers, and from the second on.
fn parts<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let start = format!("<!-- {name} -->");
    let from = text.find(&start)? + start.len();
    let to = from + text.get(from..)?.find(&format!("<!-- end of {name} -->"))?;
    Some((text.get(..from)?, text.get(from..to)?, text.get(to..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_between_its_markers() {
        let text = "a <!-- t -->\nold\n<!-- end of t --> b";
        assert_eq!(parts(text, "t"), Some(("a <!-- t -->", "\nold\n", "<!-- end of t --> b")));
        assert_eq!(parts("a <!-- t --> b", "t"), None);
    }
}
