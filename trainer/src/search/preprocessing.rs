//! Stages before the projection: what they make of rows, what they cost, and which of several pays.

use super::candidate::Trial;
use super::comparison::{clearly_ahead, deviation};
use super::error::CompactError;
use super::job::Job;
use super::space::size::Shape;
use super::splits::{Prepared, sample};
use super::task::{Options, Task};
use super::train::images::Shifts;
use super::train::samples::Samples;
use crate::compile::ExportError;
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::model::cost;
use crate::preprocess::{Scale, Stage};
use crate::run::Run;
use nearmark_format::ModelBuf;
use std::borrow::Cow;

/// Rows that the choice of a front looks at, first and last.
const LOOKS: [usize; 2] = [10_000, 30_000];
/// By how much less accuracy a front stays in the choice.
const CLOSE: f64 = 0.02;
/// Shapes of a front that more rows look at.
const AGAIN: usize = 3;
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
/// clearly better. Where some rows leave it open, more rows decide between the best shapes of each: features pay for
/// themselves late.
pub(super) fn choose_fronts(
    task: &Task<'_>,
    options: &Options,
    run: &Run<'_>,
    tried: &mut Vec<Trial>,
) -> Result<Chosen, CompactError> {
    let mut left: Vec<(usize, Vec<Shape>)> = (0..task.fronts.len()).map(|front| (front, Vec::new())).collect();
    let mut chosen = Chosen::default();
    for look in LOOKS {
        if left.len() < 2 {
            break;
        }
        let some = sample(task.data, look, options.seed);
        let task = Task { data: some.as_ref().unwrap_or(task.data), rivals: &[], ..*task };
        let mut found = Vec::new();
        for (i, (front, shapes)) in left.iter().enumerate() {
            run.step("comparing fronts", i, left.len())?;
            found.push((*front, glanced(&task, *front, shapes, options, &run.quiet())?));
        }
        tried.extend(found.iter().flat_map(|(_, (trials, _))| trials));
        let ahead = |a: Best, b: Best| if clearly_ahead(a.1, b.1, a.2) == a.1 { a } else { b };
        let Some((front, best, _)) = found.iter().filter_map(|g| first(g, &|_| true)).reduce(ahead) else { break };
        chosen.front = front;
        if look == LOOKS[0] {
            let near = |(_, trial, held): &Best| trial.accuracy > best.accuracy - deviation(best.accuracy, *held);
            let linear = |g: &Glanced| first(g, &|trial| trial.setting.shape.is_linear()).filter(near);
            chosen.linear = found.iter().filter_map(linear).map(|(front, ..)| front).collect();
        }
        if some.is_none() {
            break;
        }
        let close = |trials: &[Trial]| trials.first().is_some_and(|own| own.accuracy > best.accuracy - CLOSE);
        let shapes = |trials: &[Trial]| trials.iter().take(AGAIN).map(|trial| trial.setting.shape).collect();
        left = found
            .iter()
            .filter(|(_, (trials, _))| close(trials))
            .map(|(i, (trials, _))| (*i, shapes(trials)))
            .collect();
    }
    Ok(chosen)
}

/// The fronts that were chosen.
#[derive(Debug, Clone, Default)]
pub(super) struct Chosen {
    /// For models of all kinds.
    pub(super) front: usize,
    /// Those behind which models without centers come within a standard error of the best.
    pub(super) linear: Vec<usize>,
}

/// A front, what was tried behind it, and how many rows judged.
type Glanced = (usize, (Vec<Trial>, f64));
/// The same with the best of those trials.
type Best = (usize, Trial, f64);

/// The best trial of a kind.
fn first((front, (trials, held)): &Glanced, kind: &dyn Fn(&Trial) -> bool) -> Option<Best> {
    trials.iter().find(|trial| kind(trial)).map(|trial| (*front, *trial, *held))
}

/// How models of some shapes do behind a front, of typical ones if there are none, and how many rows judged.
fn glanced(
    task: &Task<'_>,
    front: usize,
    shapes: &[Shape],
    options: &Options,
    run: &Run<'_>,
) -> Result<(Vec<Trial>, f64), CompactError> {
    let stages = &task.fronts[front];
    let prepared = prepare(task.data, stages, None, run)?;
    let mut job = Job::new(task, stages, &prepared, options, run)?;
    let typical = if shapes.is_empty() { job.typical() } else { shapes.to_vec() };
    Ok((job.glance(&typical)?, job.search.held()))
}

/// What the stages before the projection cost.
pub(super) fn cost_of(inputs: usize, features: usize, stages: &[Stage]) -> cost::Shape {
    let mut shape = cost::Shape { inputs: inputs as u32, pooled: features as u32, ..cost::Shape::default() };
    for stage in stages {
        match stage {
            Stage::Window(window) => shape.segments = (window.channels() * window.segments()) as u32,
            Stage::Pool(pool) => shape.pool_rows = pool.block().0 as u32,
            Stage::Select(_) | Stage::Scale(_) | Stage::Project(_) | Stage::Round(_) => {}
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::Export;
    use crate::dataset::synthetic::blobs;
    use crate::search::space::limits::Limits;
    use crate::search::task::Kinds;

    type Outcome = Result<(), CompactError>;

    fn scaled(mul: [f64; 3]) -> Vec<Stage> {
        vec![Stage::Scale(Scale::Features { mul: mul.to_vec(), add: vec![0.0; 3] })]
    }

    /// The choice between rows as they are, rows without their values and rows with wider columns, for linear models,
    /// and how many were tried for it.
    fn chosen(rows: usize) -> Result<(Chosen, usize), CompactError> {
        let (data, export) = (blobs(2, rows / 2, 3, 0.8, 4), Export::default());
        let fronts = [Vec::new(), scaled([0.0, 0.0, 1.0]), scaled([2.0, 3.0, 4.0])];
        let limits = Limits { flash: Some(2048), ..Limits::default() };
        let options = Options { kinds: Kinds::Linear, refine: false, ..Options::within(limits) };
        let mut tried = Vec::new();
        let chosen = choose_fronts(&Task::new(&data, &fronts, &export), &options, &Run::default(), &mut tried)?;
        Ok((chosen, tried.len()))
    }

    #[test]
    fn fronts_that_come_near_are_looked_at_again_by_more_rows() -> Outcome {
        let (few, many) = (chosen(LOOKS[0])?, chosen(LOOKS[0] + 1000)?);
        assert_eq!((few.0.front, many.0.front), (0, 0), "the first of equals");
        assert_eq!((few.1, many.1), (3, 5), "one linear model behind each front, then behind the two that are near");
        Ok(())
    }

    #[test]
    fn linear_models_are_kept_behind_every_front_where_they_come_near() -> Outcome {
        assert_eq!(chosen(600)?.0.linear, [0, 2]);
        Ok(())
    }
}
