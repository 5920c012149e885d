//! Contents of a program or a library: bytes of flash, symbols, variables.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, read::archive::ArchiveFile};

/// Bytes of code and constants.
pub(crate) fn flash(elf: &Path) -> Result<u64> {
    let bytes = fs::read(elf)?;
    let file = object::File::parse(&*bytes)?;
    let kept = [SectionKind::Text, SectionKind::ReadOnlyData, SectionKind::Data];
    Ok(file.sections().filter(|section| kept.contains(&section.kind())).map(|section| section.size()).sum())
}

/// Whether a program has a function with such a name.
pub(crate) fn has(elf: &Path, wanted: impl Fn(&str) -> bool) -> Result<bool> {
    let bytes = fs::read(elf)?;
    let file = object::File::parse(&*bytes)?;
    Ok(file.symbols().any(|symbol| symbol.is_definition() && symbol.name().is_ok_and(&wanted)))
}

/// Functions that a library offers to C.
pub(crate) fn functions(library: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    members(library, |file| {
        let global = file.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition());
        names.extend(
            global
                .filter_map(|symbol| symbol.name().ok())
                .filter(|name| name.starts_with("nearmark_"))
                .map(str::to_owned),
        );
    })?;
    names.retain(|name| name != "nearmark_panicked");
    names.sort();
    Ok(names)
}

/// Symbols that a library defines or imports.
pub(crate) fn mentioned(library: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let mut names = Vec::new();
    members(library, |file| {
        let found = file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned));
        names.extend(found.filter(|name| wanted(name)));
    })?;
    Ok(names)
}

/// Variables that a library keeps in RAM.
pub(crate) fn variables(library: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    members(library, |file| {
        for section in file.sections() {
            let writable = matches!(
                section.kind(),
                SectionKind::Data | SectionKind::UninitializedData | SectionKind::Tls | SectionKind::UninitializedTls
            );
            if writable && section.size() > 0 {
                names.push(section.name().unwrap_or("a section").to_owned());
            }
        }
        let common = file.symbols().filter(ObjectSymbol::is_common);
        names.extend(common.filter_map(|symbol| symbol.name().ok().map(str::to_owned)));
    })?;
    Ok(names)
}

fn members(library: &Path, mut each: impl FnMut(&object::File<'_>)) -> Result<()> {
    let bytes = fs::read(library).with_context(|| format!("reading {}", library.display()))?;
    let archive = ArchiveFile::parse(&*bytes)?;
    for member in archive.members() {
        let member = member?;
        // Whatever is no object file holds no code either.
        if let Ok(file) = object::File::parse(member.data(&*bytes)?) {
            each(&file);
        }
    }
    Ok(())
}
