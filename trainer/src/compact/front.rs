//! Stages before the projection: what they make of rows, what they cost, and which of several pays.

use super::error::CompactError;
use super::images::Shifts;
use super::job::Job;
use super::parts::{Prepared, sample};
use super::samples::Samples;
use super::search::clearly_ahead;
use super::setting::Trial;
use super::task::{Options, Task};
use crate::cost;
use crate::data::Dataset;
use crate::error::FitError;
use crate::export::ExportError;
use crate::run::Run;
use crate::stages::{Scale, Stage};
use nearmark_format::ModelBuf;
use std::borrow::Cow;

/// Rows that the choice of a front looks at.
const LOOK: usize = 10_000;
/// How much wider a wide feature is than a narrow one, where each gets a range of its own.
const UNEVEN: f64 = 4.0;

/// Rows behind a front.
pub(super) fn prepare(
    data: &Dataset,
    stages: &[Stage],
    image: Option<(usize, usize)>,
    run: &Run<'_>,
) -> Result<Prepared, FitError> {
    let mut rows = Cow::Borrowed(data.rows());
    for stage in stages {
        rows = Cow::Owned(stage.apply(&rows, run.thread_count())?);
    }
    let prepared = data.with_rows(rows.into_owned())?;
    let shifts = image.and_then(|image| Shifts::new(data, image, stages));
    Ok(Prepared { samples: Samples::new(&prepared).with_shifts(shifts), data: prepared })
}

/// The front behind which a middling model does best after a short descent.
pub(super) fn choose_front(
    task: &Task<'_>,
    options: &Options,
    run: &Run<'_>,
    tried: &mut Vec<Trial>,
) -> Result<usize, CompactError> {
    if task.fronts.len() < 2 {
        return Ok(0);
    }
    let some = sample(task.data, LOOK, options.seed);
    let data = some.as_ref().unwrap_or(task.data);
    let mut best: Option<(usize, Trial)> = None;
    for (i, stages) in task.fronts.iter().enumerate() {
        run.step("comparing fronts", i, task.fronts.len())?;
        let prepared = prepare(data, stages, None, run)?;
        let task = Task { data, rivals: &[], ..*task };
        let quiet = run.quiet();
        let mut job = Job::new(&task, stages, &prepared, options, &quiet)?;
        let Some(found) = job.glance()? else { continue };
        tried.push(found);
        best = match best {
            Some((front, before)) if clearly_ahead(before, found, job.search.held()) == before => Some((front, before)),
            _ => Some((i, found)),
        };
    }
    Ok(best.map_or(0, |(front, _)| front))
}

/// What the stages before the projection cost.
pub(super) fn cost_of(inputs: usize, features: usize, stages: &[Stage]) -> cost::Shape {
    let mut shape = cost::Shape { inputs: inputs as u32, pooled: features as u32, ..cost::Shape::default() };
    for stage in stages {
        match stage {
            Stage::Window(window) => shape.segments = (window.channels() * window.segments()) as u32,
            Stage::Pool(pool) => shape.pool_rows = pool.block().0 as u32,
            Stage::Scale(_) | Stage::Project(_) => {}
        }
    }
    shape
}

/// Whether features of float samples differ so much in width that each deserves a range of its own.
pub(super) fn uneven(prepared: &Dataset, stages: &[Stage]) -> bool {
    let unscale = |j: usize| match stages.last() {
        Some(Stage::Scale(Scale::Features { mul, .. })) if mul[j] != 0.0 => 1.0 / mul[j].abs(),
        _ => 1.0,
    };
    let columns = prepared.rows().column_iter().enumerate();
    let mut widths: Vec<f64> = columns.map(|(j, c)| (c.max() - c.min()) * unscale(j)).filter(|w| *w > 0.0).collect();
    widths.sort_unstable_by(f64::total_cmp);
    let (Some(narrow), Some(wide)) = (widths.get(widths.len() / 10), widths.get(widths.len() * 9 / 10)) else {
        return false;
    };
    wide / narrow > UNEVEN
}

/// Bytes that class names take.
pub(super) fn names(task: &Task<'_>) -> Result<usize, CompactError> {
    let known = task.data.class_names();
    let numbers = known.iter().enumerate().all(|(i, name)| *name == i.to_string());
    if !task.export.names || numbers {
        return Ok(0);
    }
    let bytes = |names: Vec<String>| -> Result<usize, CompactError> {
        let bare = ModelBuf { names, ..ModelBuf::new(known.len(), known.len(), known.len()) };
        Ok(ModelBuf { head: nearmark_format::Head::Unit, ..bare }.encode().map_err(ExportError::from)?.len())
    };
    Ok(bytes(known.to_vec())? - bytes(Vec::new())?)
}
