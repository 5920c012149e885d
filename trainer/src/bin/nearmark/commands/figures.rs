//! Figures beside a model: `fit --trace`, `fit --basis`, `embed -o z.svg`.

use crate::args::Usage;
use crate::output::{self, say};
use crate::setup::Console;
use anyhow::{Context, Result};
use nearmark_train::chart::stacked;
use nearmark_train::config::{Config, Input};
use nearmark_train::dataset::split;
use nearmark_train::evaluate::figures::{STARTS, basis, traces, traces_charts, traces_csv};
use nearmark_train::{Dataset, Run, Trained};
use std::path::Path;

/// Share of the rows on which a trace measures errors, if none was given: as many as a fifth of a cross-validation.
const HELD_OUT: f64 = 0.2;
/// Images in a figure: five lines of them fill a page.
const MOST: usize = 25;

/// What a figure is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Svg,
}

/// The format of a figure's file.
pub(crate) fn format_of(path: &Path) -> Result<Format, Usage> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => Ok(Format::Csv),
        Some("svg") => Ok(Format::Svg),
        _ => Err(Usage(format!("{}: a figure is written as .csv or .svg", path.display()))),
    }
}

/// The course of NSSE's alternation from two starting widths, on all rows but a share.
pub(crate) fn trace(path: &Path, config: &Config, data: &Dataset, share: Option<f64>, console: &Console) -> Result<()> {
    let Config::Fixed(fit) = config else {
        return Err(Usage("--trace shows a fixed fit of nsse; leave the budget out".to_owned()).into());
    };
    let (train, held) = split::stratified(data, share.unwrap_or(HELD_OUT), config.common().seed).apply(data);
    let found = console.with_progress(|run: &Run<'_>| traces(fit, &train, &held, &STARTS, run)).context("trace")?;
    let text = match format_of(path)? {
        Format::Csv => traces_csv(&found),
        Format::Svg => stacked(&traces_charts(&format!("nsse, {} held-out rows", held.len()), &found))?,
    };
    output::bytes(path, text.as_bytes())?;
    say(&format!("wrote {}: nsse from a low and a high starting width", path.display()));
    Ok(())
}

/// The exemplars or axes of a model as images.
pub(crate) fn pictures(path: &Path, trained: &Trained, data: &Dataset) -> Result<()> {
    let Input::Image(image) = trained.config.common().input else {
        return Err(Usage("--basis needs the size of an image: --image 28x28".to_owned()).into());
    };
    let size = (image.size.0, image.size.1);
    let kind = if trained.fitted.exemplars().is_empty() { "axes" } else { "exemplars" };
    let title = format!("{kind} of {}", trained.config.common().method.name());
    let gallery = basis(&title, &trained.fitted, data, size, MOST).context("--basis")?;
    let text = if format_of(path)? == Format::Csv { gallery.csv() } else { gallery.svg()? };
    output::bytes(path, text.as_bytes())?;
    say(&format!("wrote {}: {} {kind} as images", path.display(), gallery.pictures.len()));
    Ok(())
}
