//! Trials by everything that they depend on, so that no candidate is fitted twice and a stopped search can be resumed.

mod file;

pub use file::{CacheError, TrialCache};

use super::Candidate;
use super::splits::Fold;
use super::{Limits, Task};
use crate::compile::quantize::learned::Width;
use crate::methods::Method;
use crate::model::provenance::{bytes_hash, data_hash};
use crate::preprocess::convolution::Geometry;
use crate::preprocess::{Scale, Select, Stage};
use serde::{Deserialize, Serialize};

/// How a trained candidate is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Evaluation {
    /// By the host's forward pass, with the fake quantization of training.
    Quick,
    /// As an encoded model file, by the runtime.
    File,
}

/// How many held-out rows a candidate classified correctly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    /// With its numbers as they will be stored.
    pub(super) stored: usize,
    /// With its numbers in f64.
    pub(super) exact: usize,
}

/// Everything that the counts of a trial depend on. Its serialized form names the trial, and field names are part of
/// it: whoever changes them, or what a field means, counts up the format version in `cache/file.rs`.
#[derive(Debug, Serialize)]
pub(super) struct TrialKey {
    evaluation: Evaluation,
    /// The rows before preprocessing, by their hash.
    rows: String,
    /// The preprocessing, by the hash of its numbers.
    preprocessing: String,
    /// Height and width of images: training may shift them.
    image: Option<(usize, usize)>,
    train: RowsKey,
    held_out: RowsKey,
    /// The method whose embedding is the target.
    target: Option<MethodKey>,
    /// Seed of the sample of rows that this method was fitted to.
    target_seed: u64,
    /// Bytes of flash within which input quantization may have a range per feature; a file's counts depend on it.
    flash: Option<usize>,
    /// Whether files store the class names: they count among the bytes.
    names: bool,
    candidate: Candidate,
}

/// Some of the rows, by the hash of their indices.
#[derive(Debug, Serialize)]
struct RowsKey {
    count: usize,
    hash: String,
}

#[derive(Debug, Serialize)]
struct MethodKey {
    name: &'static str,
    params: Vec<(&'static str, String)>,
}

/// The part of a key that all trials behind one preprocessing share.
pub(super) struct KeyBase {
    rows: String,
    preprocessing: String,
    image: Option<(usize, usize)>,
    flash: Option<usize>,
    names: bool,
}

impl KeyBase {
    pub(super) fn new(task: &Task<'_>, preprocessing: &[Stage], limits: &Limits) -> Self {
        let rows = format!("{:032x}", u128::from_le_bytes(data_hash(task.data)));
        let (image, flash, names) = (task.image, limits.flash, task.export.names);
        Self { rows, preprocessing: stages_hash(preprocessing), image, flash, names }
    }

    /// The key of a candidate whose target is the embedding of `method`.
    pub(super) fn key(&self, by: Evaluation, fold: &Fold, method: Option<&dyn Method>, of: &Candidate) -> TrialKey {
        let is_file = by == Evaluation::File;
        TrialKey {
            evaluation: by,
            rows: self.rows.clone(),
            preprocessing: self.preprocessing.clone(),
            image: self.image,
            train: RowsKey::new(&fold.train),
            held_out: RowsKey::new(&fold.held_out),
            target: method.map(|method| MethodKey { name: method.name(), params: method.params() }),
            target_seed: fold.seed,
            flash: self.flash.filter(|_| is_file),
            names: self.names && is_file,
            candidate: *of,
        }
    }
}

impl RowsKey {
    fn new(rows: &[usize]) -> Self {
        let bytes: Vec<u8> = rows.iter().flat_map(|&row| (row as u64).to_le_bytes()).collect();
        Self { count: rows.len(), hash: hex(&bytes) }
    }
}

/// A hash of stages with all of their numbers. Every number has a fixed width and every list its length before it, so
/// that no two lists of stages have the same bytes.
fn stages_hash(stages: &[Stage]) -> String {
    let mut bytes = Vec::new();
    let mut add = |kind: u8, sizes: &[usize], lists: &[&[f64]]| {
        bytes.push(kind);
        bytes.extend(sizes.iter().flat_map(|&size| (size as u64).to_le_bytes()));
        for list in lists {
            bytes.extend((list.len() as u64).to_le_bytes());
            bytes.extend(list.iter().flat_map(|value| value.to_bits().to_le_bytes()));
        }
    };
    let kept = |select: &Select| -> Vec<f64> { select.kept().iter().map(|&j| j as f64).collect() };
    for stage in stages {
        match stage {
            Stage::Window(w) => add(0, &[w.channels(), w.steps(), w.segments(), w.is_interleaved().into()], &[]),
            Stage::Pool(pool) => {
                let ((channels, rows, cols), block) = (pool.shape(), pool.block());
                add(1, &[channels, rows, cols, block.0, block.1], &[]);
            }
            Stage::Scale(Scale::Unit) => add(2, &[], &[]),
            Stage::Scale(Scale::Uniform { mul, add: offset }) => add(3, &[], &[&[*mul, *offset]]),
            Stage::Scale(Scale::Features { mul, add: offsets }) => add(4, &[], &[mul, offsets]),
            Stage::Project(p) => add(5, &[p.weights.nrows()], &[p.weights.as_slice(), &p.bias]),
            Stage::Select(select) => add(6, &[select.mask().len(), select.kept().len()], &[&kept(select)]),
            Stage::Convolution(own) => {
                let Geometry { images, block, interleaved, pooling } = own.geometry;
                let sizes = [images.0, images.1, images.2, block.0, block.1, interleaved.into(), pooling as usize];
                add(9, &sizes, &[]);
                for filters in &own.layers {
                    let bits = usize::from(filters.width == Width::I4);
                    add(10, &[bits], &[filters.weights.as_slice(), &filters.bias, &filters.steps]);
                }
            }
            Stage::Counts(counts) => add(8, &[], &[&counts.numbers()]),
            Stage::Round(grid) => add(7, &[], &[&grid.step, &grid.shift, &[grid.low]]),
        }
    }
    hex(&bytes)
}

fn hex(bytes: &[u8]) -> String {
    format!("{:032x}", u128::from_le_bytes(bytes_hash(bytes)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::compile::Export;
    use crate::compile::quantize::learned::Widths;
    use crate::preprocess::counts::{Samples, Shape, rounded};
    use crate::preprocess::{Counts, Pool, Scaling, Window};
    use crate::search::candidate::Memo;
    use crate::search::candidate::tests::{SMALL, params};
    use crate::search::closed_form::{self, Allot, Directions, Origin};
    use crate::search::{Dimensions, Keep, Numeric, train};
    use nearmark_format::SeriesEntry;
    use nearmark_format::series::VALUE;

    /// A key with every part that can be there.
    pub(in crate::search) fn key() -> TrialKey {
        let candidate = Candidate { training: Some(params()), ..Candidate::closed_form(SMALL, Numeric::I8, 0) };
        let target = Some(MethodKey { name: "nsse", params: vec![("k", "5".to_owned())] });
        TrialKey {
            evaluation: Evaluation::Quick,
            rows: "00".to_owned(),
            preprocessing: "11".to_owned(),
            image: Some((4, 4)),
            train: RowsKey::new(&[1, 2, 3]),
            held_out: RowsKey::new(&[1, 2, 3]),
            target,
            target_seed: 0,
            flash: Some(2048),
            names: true,
            candidate,
        }
    }

    /// Every field changed, one at a time.
    pub(in crate::search) fn changed() -> Vec<TrialKey> {
        let other = |change: &dyn Fn(&mut TrialKey)| {
            let mut key = key();
            change(&mut key);
            key
        };
        let dimensions = |change: &dyn Fn(&mut Dimensions)| other(&|key| change(&mut key.candidate.dimensions));
        let start =
            |change: fn(&mut closed_form::Params)| other(&|key| key.candidate = key.candidate.with_start(change));
        let training =
            |change: fn(&mut train::Params)| other(&|key| key.candidate = key.candidate.with_training(change));
        let method = |name, value: &str| {
            other(&|key| key.target = Some(MethodKey { name, params: vec![("k", value.to_owned())] }))
        };
        vec![
            other(&|key| key.evaluation = Evaluation::File),
            other(&|key| key.rows = "01".to_owned()),
            other(&|key| key.preprocessing = "01".to_owned()),
            other(&|key| key.image = Some((2, 8))),
            other(&|key| key.train = RowsKey::new(&[1, 2, 4])),
            other(&|key| key.held_out = RowsKey::new(&[1, 2, 4])),
            other(&|key| key.target = None),
            method("kdple", "5"),
            method("nsse", "6"),
            other(&|key| key.target_seed = 1),
            other(&|key| key.flash = None),
            other(&|key| key.names = false),
            other(&|key| key.candidate.training = None),
            other(&|key| key.candidate.numeric = Numeric::F32),
            other(&|key| key.candidate.target = 1),
            dimensions(&|d| d.features = 17),
            dimensions(&|d| d.kept = 17),
            dimensions(&|d| d.nonzeros = Some(1)),
            dimensions(&|d| d.projected = 17),
            dimensions(&|d| d.centers = 17),
            dimensions(&|d| d.dim = 17),
            dimensions(&|d| d.classes = 17),
            dimensions(&|d| d.unit = false),
            dimensions(&|d| d.own_ranges = true),
            dimensions(&|d| d.widths = Widths::NARROW),
            start(|p| p.directions = Directions::Lda),
            start(|p| p.projected = 17),
            start(|p| p.centers = 17),
            start(|p| p.allot = Allot::Proportional),
            start(|p| p.origin = Origin::Landmarks),
            start(|p| p.dim = 17),
            start(|p| p.sigma = 0.25),
            start(|p| p.ridge = 0.25),
            start(|p| p.seed = 17),
            training(|p| p.steps = 17),
            training(|p| p.batch = 17),
            training(|p| p.rate = 0.5),
            training(|p| p.smoothing = 0.5),
            training(|p| p.noise = 0.5),
            training(|p| p.shift = 1),
            training(|p| p.keep = Some(Keep::Features(1))),
            training(|p| p.keep = Some(Keep::Weights(1))),
            training(|p| p.numeric = Numeric::F32),
            training(|p| p.learned = Some(Widths::WIDE)),
            training(|p| p.seed = 17),
        ]
    }

    #[test]
    fn a_key_holds_what_the_task_and_its_limits_decide() {
        let data = crate::dataset::synthetic::blobs(2, 4, 4, 1.0, 0);
        let (named, plain) =
            (Export { names: true, ..Export::default() }, Export { names: false, ..Export::default() });
        let task = Task { image: Some((2, 2)), ..Task::new(&data, &[], &named) };
        let limits = Limits { flash: Some(2048), ..Limits::default() };
        let fold = Fold {
            train: vec![0, 1],
            held_out: vec![2],
            data: data.clone(),
            seed: 0,
            targets: Vec::new(),
            memo: Memo::default(),
        };
        let candidate = Candidate::closed_form(SMALL, Numeric::I8, 0);
        let text = |task: &Task<'_>, limits: &Limits, by| {
            let key = KeyBase::new(task, &[], limits).key(by, &fold, None, &candidate);
            serde_json::to_string(&key).unwrap_or_default()
        };
        let own = |by| text(&task, &limits, by);
        let (square, bare) = (Task { image: Some((1, 4)), ..task }, Task { export: &plain, ..task });
        for by in [Evaluation::Quick, Evaluation::File] {
            assert_ne!(own(by), text(&square, &limits, by), "images of another shape");
            // Only the length of a file depends on names and on the limit.
            let is_file = by == Evaluation::File;
            assert_eq!(own(by) != text(&bare, &limits, by), is_file);
            assert_eq!(own(by) != text(&task, &Limits::default(), by), is_file);
        }
    }

    #[test]
    fn every_stage_and_every_number_of_it_counts() -> Result<(), Box<dyn std::error::Error>> {
        let data = crate::dataset::synthetic::blobs(2, 20, 4, 1.0, 0);
        let scale = |scaling: Scaling| scaling.fit(data.rows(), data.labels()).map(Stage::Scale);
        let counts = |threshold: i32| {
            let level = rounded(threshold);
            let entry = SeriesEntry { channel: 0, operator: VALUE, part: 0, dilation: 0, level };
            let window = Shape { channels: 1, steps: 4, interleaved: false };
            vec![Stage::Counts(Counts::new(window, Samples::Floats, vec![entry]))]
        };
        let all: Vec<Vec<Stage>> = vec![
            vec![],
            vec![Stage::Window(Window::new(1, 4, 2, false)?)],
            vec![Stage::Window(Window::new(1, 4, 2, true)?)],
            vec![Stage::Window(Window::new(1, 4, 1, false)?)],
            vec![Stage::Pool(Pool::by(1, 2, 2, (2, 1))?)],
            vec![Stage::Pool(Pool::by(1, 2, 2, (1, 2))?)],
            counts(5),
            counts(6),
            scale(Scaling::Range).into_iter().collect(),
            scale(Scaling::Standard).into_iter().collect(),
            vec![Stage::Scale(Scale::Unit)],
            vec![Stage::Scale(Scale::Uniform { mul: 1.0, add: 2.0 })],
            vec![Stage::Scale(Scale::Uniform { mul: 2.0, add: 1.0 })],
        ];
        let mut hashes: Vec<String> = all.iter().map(|stages| stages_hash(stages)).collect();
        assert_eq!(hashes, all.iter().map(|stages| stages_hash(stages)).collect::<Vec<_>>());
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), all.len());
        Ok(())
    }
}
