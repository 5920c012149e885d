//! Which models there can be: stages, sizes and types, drawn at random.

#[path = "build.rs"]
mod build;

use nearmark_format::{Info, Num, Pool, Shape, Window};
use proptest::prelude::*;

/// How a sample gets its first width: as it is, drawn, in windows, in pools, or as counts of a series.
#[derive(Copy, Clone, Debug)]
enum Preprocessing {
    Plain(usize),
    Drawn(Shape),
    Windowed(Shape, Window),
    Pooled(Shape, Pool),
    Described(Shape, usize, bool),
}

/// Everything about a model but the numbers in its arrays, which follow from `seed`.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // choices that do not depend on each other
pub(crate) struct Plan {
    int: bool,
    input: Num,
    preprocessing: Preprocessing,
    /// Share of features kept, in 16ths.
    select: Option<u8>,
    /// None, uniform, per feature, unit length.
    scale: u8,
    /// Outputs, sparse, bias.
    project: Option<(usize, bool, bool)>,
    feature_map: FeatureMapPlan,
    /// Whether there are weights, and a bias with them.
    readout: Option<bool>,
    /// Bytes instead of 16 bits in the readout.
    narrow: bool,
    dim: usize,
    classes: usize,
    head: u8,
    k: u8,
    names: bool,
    tags: Vec<(u16, Vec<u8>)>,
    info: Option<Info>,
    seed: u64,
}

#[derive(Copy, Clone, Debug)]
enum FeatureMapPlan {
    None,
    Centers { kernel: u8, count: usize, degree: u8 },
    Random { count: usize },
    Seeded { count: u32, law: u8 },
}

fn preprocessings() -> impl Strategy<Value = Preprocessing> {
    let shape = |channels: u32, rows: u32, cols: u32| Shape { channels, rows, cols };
    prop_oneof![
        3 => (1usize..40).prop_map(Preprocessing::Plain),
        1 => (1usize..600).prop_map(Preprocessing::Plain),
        1 => (1u32..4, 1u32..6, 1u32..6).prop_map(move |(c, h, w)| Preprocessing::Drawn(shape(c, h, w))),
        2 => (1u32..5, 1u32..20, 1u8..32, any::<bool>(), any::<u8>()).prop_map(move |(c, time, stats, interleaved, s)| {
            let segments = 1 + s % time as u8;
            Preprocessing::Windowed(shape(c, 1, time), Window { segments, stats, interleaved })
        }),
        2 => (1u32..4, 1u32..5, 1u32..5, 1u8..4, 1u8..4).prop_map(move |(c, h, w, rows, cols)| {
            Preprocessing::Pooled(shape(c, h * u32::from(rows), w * u32::from(cols)), Pool { rows, cols })
        }),
        2 => (1u32..5, 9u32..60, 1usize..30, any::<bool>()).prop_map(move |(c, time, features, interleaved)| {
            Preprocessing::Described(shape(c, 1, time), features, interleaved)
        }),
    ]
}

fn maps() -> impl Strategy<Value = FeatureMapPlan> {
    prop_oneof![
        1 => Just(FeatureMapPlan::None),
        3 => (0u8..3, 1usize..30, 1u8..=8).prop_map(|(kernel, count, degree)| FeatureMapPlan::Centers { kernel, count, degree }),
        1 => (1usize..20).prop_map(|count| FeatureMapPlan::Random { count }),
        1 => (1u32..50, 0u8..2).prop_map(|(count, law)| FeatureMapPlan::Seeded { count, law }),
    ]
}

fn infos() -> impl Strategy<Value = Info> {
    let text = "\\PC{0,12}";
    let pairs = prop::collection::vec((text, text), 0..3);
    let scores = prop::collection::vec((text, -1e9..1e9f64), 0..3);
    let features = prop::collection::vec(text, 0..4);
    (text, text, pairs, any::<u64>(), any::<[u8; 16]>(), any::<u64>(), scores, features, any::<bool>()).prop_map(
        |(tool, method, params, seed, data_hash, rows, scores, feature_names, interleaved)| Info {
            tool,
            method,
            params,
            seed,
            data_hash,
            rows,
            scores,
            feature_names,
            interleaved,
            ..Info::default()
        },
    )
}

/// Any model that the writer can say.
pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let input = prop::sample::select(vec![Num::F32, Num::I16, Num::I8, Num::U8]);
    let project = prop::option::of((1usize..20, any::<bool>(), any::<bool>()));
    let tags = prop::collection::vec((7u16.., prop::collection::vec(any::<u8>(), 0..9)), 0..3);
    let numbers = (1usize..12, 1usize..9, 0u8..3, 1u8..7, any::<u64>());
    let preprocessing = (any::<bool>(), input, preprocessings(), prop::option::of(0u8..17), 0u8..4);
    let back = (project, maps(), prop::option::weighted(0.8, any::<bool>()), any::<bool>());
    (preprocessing, back, numbers, any::<bool>(), tags, prop::option::of(infos())).prop_map(
        |(
            (int, input, preprocessing, select, scale),
            (project, feature_map, readout, narrow),
            (dim, classes, head, k, seed),
            names,
            tags,
            info,
        )| Plan {
            int,
            input,
            preprocessing,
            select,
            scale,
            project,
            feature_map,
            readout,
            narrow,
            dim,
            classes,
            head,
            k,
            names,
            tags,
            info,
            seed,
        },
    )
}
