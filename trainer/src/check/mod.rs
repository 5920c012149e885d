//! One look at data before any fit: all problems at once, each with the option that solves it.
//!
//! [`check`] surveys a table cell by cell, collects what would be refused or would mislead, reads the rows with the
//! options that it found, and looks at rows and classes. [`warnings`] is the second half alone, for rows that were read
//! already.
//!
//! ```
//! use nearmark_train::{Run, check, io::Options};
//!
//! let report = check::check("builtin:digits:train", &Options::default(), &Run::default())?;
//! assert!(report.failure.is_none());
//! // A writer's digits lie together in the file.
//! assert!(report.findings.iter().all(|finding| finding.kind == "runs"));
//! # Ok::<(), nearmark_train::io::ReadError>(())
//! ```

mod advice;
mod classes;
mod columns;
mod tables;
#[cfg(test)]
mod tests;

pub use advice::{Advice, Finding, Severity};

use crate::dataset::{Evidence, Runs};
use crate::io::{self, Loaded, Options, ReadError, Role, Shape, Survey};
use crate::preprocess::Window;
use crate::run::Run;

/// What was found.
#[derive(Debug)]
pub struct Report {
    /// The columns of a table.
    pub survey: Option<Survey>,
    /// The rows, read with [`options`](Self::options).
    pub loaded: Option<Loaded>,
    /// Why the rows cannot be read even so.
    pub failure: Option<String>,
    /// Problems and suspicions, in the order of the columns.
    pub findings: Vec<Finding>,
    /// The options that were given, and those that the findings advise.
    pub options: Options,
}

/// Looks at data as far as they can be read.
///
/// # Errors
/// [`ReadError`] where nothing can be said: no such file, an option that does not apply, or [`ReadError::Cancelled`].
pub fn check(name: &str, given: &Options, run: &Run<'_>) -> Result<Report, ReadError> {
    let mut options = given.clone();
    let mut findings = Vec::new();
    let mut surveyed = io::survey(name, &options, run)?;
    if let Some(survey) = &surveyed
        && let Some(finding) = tables::label(survey, &options)
    {
        let moved = finding.apply(&mut options);
        findings.push(finding);
        if moved {
            surveyed = io::survey(name, &options, run)?;
        }
    }
    if let Some(survey) = &surveyed {
        let found = tables::findings(survey, &options);
        for finding in &found {
            finding.apply(&mut options);
        }
        findings.extend(found);
    }
    let (loaded, failure) = match io::load(name, &options, run) {
        Ok(loaded) => (Some(loaded), None),
        Err(ReadError::Cancelled) => return Err(ReadError::Cancelled),
        // Without a survey there is nothing else to report.
        Err(error) if surveyed.is_none() => return Err(error),
        Err(error) => (None, Some(error.to_string())),
    };
    let mut is_advised = false;
    if let Some(loaded) = &loaded {
        let found = warnings(loaded);
        for finding in &found {
            is_advised |= finding.apply(&mut options);
        }
        findings.extend(found);
    }
    // The rows shall be those that the advice leads to.
    let loaded = if is_advised { io::load(name, &options, run).ok().or(loaded) } else { loaded };
    findings.extend(loaded.as_ref().and_then(|loaded| like_rows(loaded, run)));
    if let Some(survey) = &mut surveyed {
        mark_dropped(survey, &options);
    }
    Ok(Report { survey: surveyed, loaded, failure, findings, options })
}

/// What is suspicious about rows that were read: columns that no sensor delivers, and labels that are hardly classes.
#[must_use]
pub fn warnings(loaded: &Loaded) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Pixels and samples are columns of one kind.
    if loaded.shape == Shape::Flat {
        findings.extend(columns::findings(loaded));
    }
    // A window has more steps than a sensor has channels.
    if let Shape::Series { channels, steps } = loaded.shape
        && channels > steps
    {
        let text = format!(
            "{channels} channels × {steps} steps: where the axes are rows, time, channels, option `layout` ntc says so"
        );
        findings.push(Finding::new(Severity::Warning, "layout", None, text));
    }
    findings.extend(classes::findings(&loaded.data));
    findings
}

/// Whether rows that are alike lie together, as recordings do.
fn like_rows(loaded: &Loaded, run: &Run<'_>) -> Option<Finding> {
    let window = match loaded.shape {
        Shape::Series { channels, steps } => Window::new(channels, steps, 1, false).ok(),
        _ => None,
    };
    let runs = Runs::of(&loaded.data, window.as_ref(), run.thread_count())?;
    let severity = match runs.evidence() {
        Evidence::Strong => Severity::Warning,
        Evidence::Weak => Severity::Note,
        Evidence::None => return None,
    };
    let share = 100.0 * runs.share;
    let text = format!(
        "rows that are alike lie together: the nearest row of the same class is near in the file for {share:.0} % of the rows \
         (10 % where rows are shuffled); if they come from recordings or persons, name these by option `group`: random \
         hold-outs would flatter"
    );
    Some(Finding::new(severity, "runs", None, text))
}

/// Gives the columns of a survey the roles that the advised options give them.
fn mark_dropped(survey: &mut Survey, options: &Options) {
    for (number, column) in survey.columns.iter_mut().enumerate() {
        let is_one = |other: &io::Column| match other {
            io::Column::Index(index) => *index == number,
            io::Column::Name(name) | io::Column::Written(name) => *name == column.name,
        };
        if options.drop.iter().any(is_one) {
            column.role = Role::Dropped;
        } else if options.group.as_ref().is_some_and(is_one) {
            column.role = Role::Group;
        }
    }
}
