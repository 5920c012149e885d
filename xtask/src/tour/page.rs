//! An example's page: its commands and their output.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

/// A README with `console` blocks (commands and their output) and `sh` blocks (commands that make the models).
pub(crate) struct Page {
    path: PathBuf,
    text: String,
}

/// A line after `$`, and the lines up to the next one.
#[derive(Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) output: String,
}

impl Page {
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("README.md");
        let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        Ok(Self { path, text })
    }

    /// The commands of the console block with their output.
    pub(crate) fn steps(&self) -> Result<Vec<Step>> {
        let mut steps: Vec<Step> = Vec::new();
        for line in self.block("console") {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step { command: command.to_owned(), output: String::new() }),
                (None, Some(step)) => step.output.extend([line, "\n"]),
                (None, None) => bail!("{}: output before the first command: {line}", self.path.display()),
            }
        }
        if steps.is_empty() {
            bail!("{} shows no command in a console block", self.path.display());
        }
        Ok(steps)
    }

    /// Commands that make what the example needs.
    pub(crate) fn making(&self) -> Vec<&str> {
        self.block("sh").collect()
    }

    /// Puts other output into the console block.
    pub(crate) fn write(&self, steps: &[Step]) -> Result<()> {
        let lines = steps.iter().flat_map(|step| ["$ ", &step.command, "\n", &step.output]);
        let shown: String = lines.collect();
        let (start, end) = self.span("console").with_context(|| format!("{}: no block", self.path.display()))?;
        let (before, after) = (&self.text[..start], &self.text[end..]);
        fs::write(&self.path, format!("{before}{shown}{after}"))?;
        Ok(())
    }

    fn block(&self, language: &str) -> impl Iterator<Item = &str> {
        self.span(language).map_or("", |(start, end)| &self.text[start..end]).lines()
    }

    /// Where the lines of the first block in a language lie.
    fn span(&self, language: &str) -> Option<(usize, usize)> {
        let fence = format!("```{language}\n");
        let start = self.text.find(&fence)? + fence.len();
        let length = self.text[start..].find("```")?;
        Some((start, start + length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_commands_and_what_they_print() -> Result<()> {
        let text = "a\n```console\n$ cargo m0\none\n  two\n$ cargo m4f\n```\n\n```sh\nmake\n```\n";
        let page = Page { path: PathBuf::new(), text: text.into() };
        let step = |command: &str, output: &str| Step { command: command.into(), output: output.into() };
        assert_eq!(page.steps()?, [step("cargo m0", "one\n  two\n"), step("cargo m4f", "")]);
        assert_eq!(page.making(), ["make"]);
        Ok(())
    }

    #[test]
    fn a_page_without_commands_is_refused() {
        assert!(Page { path: PathBuf::new(), text: "nothing".into() }.steps().is_err());
    }
}
