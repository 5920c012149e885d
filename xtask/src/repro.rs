//! `cargo xtask repro`: the papers' experiments on the data of `NEARMARK_DATA`, printed, or written to
//! `docs/REPRODUCTION.md` with their figures in `docs/reproduction/`.

use std::{
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::command::{cargo, read, root, run};

/// The experiments whose data can be had by everyone, as `nearmark repro` names them.
const NAMES: [&str; 6] = ["coil20", "orl-nsse", "mnist100", "ebek-coil20", "ebek-isolet", "orl-dple"];

const HEAD: &str = "\
# Reproduction

The papers' tables and figures, ours beside theirs. Each section is the output of one command, which reads the folder that
`NEARMARK_DATA` names and says where its data come from if files are missing. Differences from the papers' protocols are part of the
protocol's text; what is not met is listed below its table. `nearmark repro yale` and `nearmark repro text` do the same for those who have
that data. [Curves and figures](curves.md) tells how to draw such figures for data of your own.
";

/// Does every experiment; `write` also updates the page.
pub(crate) fn print(quick: bool, write: bool) -> Result<()> {
    run(&mut cargo("build --release -p nearmark-train --bin nearmark"))?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let tool = target.join("release/nearmark").with_extension(env::consts::EXE_EXTENSION);
    let folder = if write { root().join("docs/reproduction") } else { target.join("repro") };
    let mut page = String::from(HEAD);
    for name in NAMES {
        let figures = folder.join(name);
        fs::create_dir_all(&folder)?;
        let mut command = Command::new(&tool);
        command.args(["repro", name, "-o"]).arg(&figures);
        if quick {
            command.arg("--quick");
        }
        println!("{}", read(&mut command)?);
        page.push('\n');
        page += &section(&figures, name, quick)?;
    }
    if write {
        let to = root().join("docs/REPRODUCTION.md");
        fs::write(&to, page).with_context(|| format!("writing {}", to.display()))?;
        println!("wrote docs/REPRODUCTION.md");
    }
    Ok(())
}

/// Figures that show rows of a data set, or axes made of them: it is not ours to publish.
const OF_ROWS: [&str; 2] = ["exemplars", "pca-axes"];

/// The section without the figures made of rows of the data, which stay out of the repository.
fn without_rows_of_the_data(figures: &Path, section: &str) -> Result<String> {
    let links = |name: &str| format!("](./{name}.");
    let drawn: Vec<&str> = OF_ROWS.into_iter().filter(|name| section.contains(&links(name))).collect();
    if drawn.is_empty() {
        return Ok(section.to_owned());
    }
    for (name, ending) in drawn.iter().flat_map(|name| [(name, "csv"), (name, "svg")]) {
        fs::remove_file(figures.join(name).with_extension(ending))?;
    }
    if fs::read_dir(figures)?.next().is_none() {
        fs::remove_dir(figures)?;
    }
    let is_kept = |line: &&str| !drawn.iter().any(|name| line.contains(&links(name)));
    let kept: Vec<&str> = section.lines().filter(is_kept).collect();
    let mut text = kept.join("\n");
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    let note = format!(
        "Figures made of images of the data set ({}) are not shown; the command draws them with `-o DIR`.",
        drawn.join(", ")
    );
    Ok(format!("{}\n\n{note}\n", text.trim_end()))
}

/// The section that the tool wrote beside its figures, with links from the page, the date and the command.
fn section(figures: &Path, name: &str, quick: bool) -> Result<String> {
    let file = figures.join("README.md");
    let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    fs::remove_file(&file)?;
    let mut text = without_rows_of_the_data(figures, &text)?.replace("](./", &format!("](reproduction/{name}/"));
    let date = read(Command::new("date").arg("+%Y-%m-%d"))?;
    let repeats = if quick { " With `--quick`, three repeats." } else { "" };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "Done on {}.{repeats}", date.trim());
    Ok(text)
}
