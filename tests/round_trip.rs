//! Whatever the writer can say, the reader understands, and says again with the same bytes.

#[path = "round_trip/plans.rs"]
mod plans;

use std::collections::BTreeMap;

use nearmark_format::{
    AlignedBuf, FeatureMap, Head, Kernel, Layout, ModelBuf, Num, Profile, Scale, Section, Spec, meta::code, needs,
    strip,
};
use plans::plans;
use proptest::prelude::*;

/// The `needs` bits, worked out from the model rather than from its metadata.
fn expected_needs(model: &ModelBuf) -> u32 {
    let mut bits = 0;
    let mut need = |on: bool, bit: u32| bits |= if on { bit } else { 0 };
    need(model.int.is_some(), needs::INT);
    need(model.window.is_some(), needs::WINDOW);
    need(model.pool.is_some(), needs::POOL);
    need(model.series.is_some(), needs::COUNTS);
    need(model.select.is_some(), needs::SELECT);
    need(model.scale != Scale::None || model.int.as_ref().is_some_and(|int| int.in_mul != 0), needs::SCALE);
    need(model.project.as_ref().is_some_and(|p| !p.sparse), needs::PROJECT);
    need(model.project.as_ref().is_some_and(|p| p.sparse), needs::SPARSE);
    match model.feature_map {
        FeatureMap::None => {}
        FeatureMap::Centers { kernel: Kernel::Gaussian { .. }, .. } => need(true, needs::GAUSSIAN),
        FeatureMap::Centers { kernel: Kernel::Laplacian { .. }, .. } => need(true, needs::LAPLACIAN),
        FeatureMap::Centers { kernel: Kernel::Polynomial { .. }, .. } => need(true, needs::POLYNOMIAL),
        FeatureMap::Random { .. } | FeatureMap::Seeded { .. } => need(true, needs::RANDOM),
    }
    need(matches!(model.head, Head::Prototypes { .. }), needs::KNN);
    bits
}

/// Scratch words, worked out the same way.
fn expected_scratch(model: &ModelBuf) -> usize {
    let projected = model.project.as_ref().map_or(0, |p| p.outputs.next_multiple_of(4));
    let gathered = if model.window.is_some() || model.pool.is_some() { model.pooled() } else { 0 };
    let neighbors = match model.head {
        Head::Prototypes { k, .. } if k > 1 => 2 * usize::from(k),
        _ => 0,
    };
    let features = if model.series.is_some() {
        let steps = model.shape.map_or(0, |shape| shape.cols as usize);
        let features = model.features();
        2 * steps + if model.int.is_some() { (features.div_ceil(4)) + projected / 4 } else { features + projected }
    } else if model.int.is_some() {
        projected / 4 + if gathered != 0 { gathered.div_ceil(2) } else { model.features().div_ceil(4) }
    } else if gathered != 0 {
        gathered + projected
    } else if model.select.is_some() || model.scale != Scale::None {
        model.features() + projected
    } else {
        projected
    };
    features + model.dim + neighbors
}

/// The spec of a model by its sizes alone, as a search for one that fits a budget builds it.
fn spec_by_hand(model: &ModelBuf, nonzeros: usize) -> Spec {
    let profile = if model.int.is_some() { Profile::Int } else { Profile::F32 };
    let mut spec = Spec::new(profile, model.inputs, model.dim, model.classes).input(model.input).names(&model.names);
    spec = model.shape.map_or(spec, |shape| spec.shape(shape));
    spec = model.window.map_or(spec, |window| spec.window(window));
    spec = model.pool.map_or(spec, |pool| spec.pool(pool));
    spec = model.series.as_ref().map_or(spec, |series| spec.counts(series.entries.len(), series.interleaved));
    spec = if model.select.is_some() { spec.select(model.features()) } else { spec };
    spec = match &model.scale {
        Scale::None if model.int.as_ref().is_none_or(|int| int.in_mul == 0) => spec,
        Scale::None | Scale::Uniform { .. } => spec.scale(code::SCALE_UNIFORM),
        Scale::Features { .. } | Scale::IntFeatures { .. } => spec.scale(code::SCALE_FEATURES),
        Scale::Unit => spec.scale(code::SCALE_UNIT),
    };
    let mut width = model.features();
    if let Some(projection) = &model.project {
        let bias = !projection.bias.is_empty() || !projection.int_bias.is_empty();
        width = projection.outputs;
        spec = if projection.sparse { spec.project_sparse(width, nonzeros, bias) } else { spec.project(width, bias) };
    }
    spec = match &model.feature_map {
        FeatureMap::None => spec,
        FeatureMap::Centers { kernel, values } => {
            let kernel = match kernel {
                Kernel::Gaussian { .. } => code::KERNEL_GAUSSIAN,
                Kernel::Laplacian { .. } => code::KERNEL_LAPLACIAN,
                Kernel::Polynomial { .. } => code::KERNEL_POLYNOMIAL,
            };
            spec.centers(values.len() / width, kernel)
        }
        FeatureMap::Random { weights, .. } => spec.random(weights.len() / width),
        FeatureMap::Seeded { count, .. } => spec.seeded(*count as usize),
    };
    spec = match &model.readout {
        None => spec,
        Some(readout) => {
            let bias = !readout.bias.is_empty() || !readout.int_bias.is_empty();
            if readout.weights.num() == Num::I16 { spec.wide_readout(bias) } else { spec.readout(bias) }
        }
    };
    spec = model.int.as_ref().map_or(spec, |int| spec.nibbles(int.nibbles));
    spec = match &model.head {
        Head::Unit => spec,
        Head::Means(_) => spec.means(),
        Head::Prototypes { k, counts, .. } => spec.prototypes(*k, counts.iter().map(|&c| usize::from(c)).sum()),
    };
    model.extras.values().fold(spec, |spec, (_, payload)| spec.extra(payload.len()))
}

fn aligned(bytes: &[u8]) -> AlignedBuf {
    AlignedBuf::from(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_model_survives_being_written_and_read(plan in plans()) {
        let model = plan.model();
        let bytes = model.encode().unwrap();
        let decoded = ModelBuf::decode(&aligned(&bytes)).unwrap();
        prop_assert_eq!(&decoded, &model);
        prop_assert_eq!(decoded.encode().unwrap(), bytes, "the same bytes again");
    }

    #[test]
    fn stripping_leaves_the_same_model_without_provenance(plan in plans()) {
        let mut model = plan.model();
        let bytes = model.encode().unwrap();
        let stripped = strip(&bytes).unwrap();
        let (whole, core) = (aligned(&bytes), aligned(&stripped));
        let (whole, core) = (Layout::from_bytes(&whole).unwrap(), Layout::from_bytes(&core).unwrap());
        prop_assert_eq!(whole.header().crc, core.header().crc, "the id is the core's");
        prop_assert_eq!(stripped.len(), core.header().core_len as usize);
        prop_assert_eq!(strip(&stripped).unwrap(), stripped.clone(), "nothing is left to strip");
        model.info = None;
        prop_assert_eq!(model.encode().unwrap(), stripped);
    }

    #[test]
    fn header_says_what_the_model_needs(plan in plans()) {
        let model = plan.model();
        let bytes = aligned(&model.encode().unwrap());
        let layout = Layout::from_bytes(&bytes).unwrap();
        let header = layout.header();
        prop_assert_eq!(u32::from(header.needs), expected_needs(&model));
        prop_assert_eq!(header.scratch as usize, expected_scratch(&model));
        prop_assert_eq!(header.inputs as usize, model.inputs);
        prop_assert_eq!((usize::from(header.dim), usize::from(header.classes)), (model.dim, model.classes));
        prop_assert_eq!((layout.pooled(), layout.kept()), (model.pooled(), model.features()));
        prop_assert_eq!(header.core_len % 4, 0);
    }

    #[test]
    fn sizes_are_known_before_encoding(plan in plans()) {
        let model = plan.model();
        let spec = model.spec().unwrap();
        let core = strip(&model.encode().unwrap()).unwrap();
        prop_assert_eq!(spec.core_len(), core.len());
        let core = aligned(&core);
        let layout = Layout::from_bytes(&core).unwrap();
        prop_assert_eq!(spec, layout.spec());
        prop_assert_eq!((spec.scratch_words(), spec.needs()), (layout.header().scratch, layout.header().needs.into()));
        let widths = (spec.pooled(), spec.kept(), spec.projected(), spec.mapped());
        prop_assert_eq!(widths, (layout.pooled(), layout.kept(), layout.projected(), layout.mapped()));
        for section in Section::ALL {
            prop_assert_eq!(spec.section_bytes(section), 4 * layout.words(section).len(), "{:?}", section);
        }
    }

    #[test]
    fn sizes_are_known_without_weights(plan in plans()) {
        let model = plan.model();
        let spec = model.spec().unwrap();
        let by_hand = spec_by_hand(&model, spec.meta().nonzeros as usize);
        prop_assert_eq!(by_hand.core_len(), spec.core_len());
        prop_assert_eq!((by_hand.scratch_words(), by_hand.needs()), (spec.scratch_words(), spec.needs()));
    }
}

/// The plans above reach every stage of both profiles, alone and together.
#[test]
fn plans_reach_every_stage() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeMap::<(bool, u32), u32>::new();
    let (mut codes, mut heads) = ([0; 2], [0; 2]);
    for _ in 0..3000 {
        let model = plans().new_tree(&mut runner).unwrap().current().model();
        let needs = expected_needs(&model);
        let int = model.int.is_some();
        (0..13).filter(|bit| needs >> bit & 1 == 1).for_each(|bit| *seen.entry((int, bit)).or_default() += 1);
        if let FeatureMap::Seeded { law, .. } = model.feature_map {
            codes[usize::from(law == code::LAW_BYTES)] += 1;
        }
        heads[usize::from(model.head == Head::Unit)] += 1;
    }
    for bit in 1..13 {
        for int in [false, true] {
            // Polynomial kernels have no INT form.
            if (int, bit) == (true, 9) {
                continue;
            }
            assert!(seen.get(&(int, bit)).is_some_and(|&times| times > 40), "bit {bit}, int {int}: {seen:?}");
        }
    }
    assert!(codes.into_iter().chain(heads).all(|times| times > 40), "{codes:?} {heads:?}");
}
