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

/// Rows that the choice of a front looks at, first and last.
const LOOKS: [usize; 2] = [10_000, 30_000];
/// By how much less accuracy a front stays in the choice.
const CLOSE: f64 = 0.03;
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

/// The front behind which the best of a few models does best after a short descent; the earlier, unless a later one is
/// clearly better. Where some rows leave it open, more rows decide: features pay for themselves late.
pub(super) fn choose_front(
    task: &Task<'_>,
    options: &Options,
    run: &Run<'_>,
    tried: &mut Vec<Trial>,
) -> Result<usize, CompactError> {
    let mut left: Vec<usize> = (0..task.fronts.len()).collect();
    for look in LOOKS {
        if left.len() < 2 {
            break;
        }
        let some = sample(task.data, look, options.seed);
        let data = some.as_ref().unwrap_or(task.data);
        let task = Task { data, rivals: &[], ..*task };
        let mut found: Vec<(usize, Trial)> = Vec::new();
        let mut held = 1.0;
        for (i, &front) in left.iter().enumerate() {
            run.step("comparing fronts", i, left.len())?;
            let (stages, quiet) = (&task.fronts[front], run.quiet());
            let prepared = prepare(data, stages, None, run)?;
            let mut job = Job::new(&task, stages, &prepared, options, &quiet)?;
            held = job.search.held();
            found.extend(job.glance()?.map(|trial| (front, trial)));
        }
        tried.extend(found.iter().map(|(_, trial)| trial));
        let ahead = |a: (usize, Trial), b: (usize, Trial)| if clearly_ahead(a.1, b.1, held) == a.1 { a } else { b };
        let Some(best) = found.iter().copied().reduce(ahead) else { break };
        if some.is_none() || look == LOOKS[1] {
            return Ok(best.0);
        }
        left = found.iter().filter(|(_, trial)| trial.accuracy > best.1.accuracy - CLOSE).map(|(i, _)| *i).collect();
    }
    Ok(left.first().copied().unwrap_or(0))
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
