//! Whatever the writer can say, the reader understands, and says again with the same bytes.

use std::collections::BTreeMap;

use nearmark_format::{
    AlignedBuf, Head, Info, IntParams, Kernel, Layout, Lift, ModelBuf, Num, Pool, Projection, Readout, Scale, Shape,
    Tensor, Window, extras, meta::code, needs, strip,
};
use nearmark_tests::rng::Rng;
use proptest::prelude::*;

/// How a sample gets its first width: as it is, drawn, in windows or in pools.
#[derive(Copy, Clone, Debug)]
enum Front {
    Plain(usize),
    Drawn(Shape),
    Windowed(Shape, Window),
    Pooled(Shape, Pool),
}

/// Everything about a model but the numbers in its arrays, which follow from `seed`.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // choices that do not depend on each other
struct Plan {
    int: bool,
    input: Num,
    front: Front,
    /// Share of features kept, in 16ths.
    select: Option<u8>,
    /// None, uniform, per feature, unit length.
    scale: u8,
    /// Outputs, sparse, bias.
    project: Option<(usize, bool, bool)>,
    lift: LiftPlan,
    /// Whether there are weights, and a bias with them.
    readout: Option<bool>,
    /// Bytes instead of 16 bits in the readout, unsigned bytes instead of signed ones in the centers.
    narrow: bool,
    unsigned: bool,
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
enum LiftPlan {
    None,
    Centers { kernel: u8, count: usize, degree: u8 },
    Random { count: usize },
    Seeded { count: u32, law: u8 },
}

fn fronts() -> impl Strategy<Value = Front> {
    let shape = |channels: u32, rows: u32, cols: u32| Shape { channels, rows, cols };
    prop_oneof![
        3 => (1usize..40).prop_map(Front::Plain),
        1 => (1usize..600).prop_map(Front::Plain),
        1 => (1u32..4, 1u32..6, 1u32..6).prop_map(move |(c, h, w)| Front::Drawn(shape(c, h, w))),
        2 => (1u32..5, 1u32..20, 1u8..32, any::<bool>(), any::<u8>()).prop_map(move |(c, time, stats, interleaved, s)| {
            let segments = 1 + s % time as u8;
            Front::Windowed(shape(c, 1, time), Window { segments, stats, interleaved })
        }),
        2 => (1u32..4, 1u32..5, 1u32..5, 1u8..4, 1u8..4).prop_map(move |(c, h, w, rows, cols)| {
            Front::Pooled(shape(c, h * u32::from(rows), w * u32::from(cols)), Pool { rows, cols })
        }),
    ]
}

fn lifts() -> impl Strategy<Value = LiftPlan> {
    prop_oneof![
        1 => Just(LiftPlan::None),
        3 => (0u8..3, 1usize..30, 1u8..=8).prop_map(|(kernel, count, degree)| LiftPlan::Centers { kernel, count, degree }),
        1 => (1usize..20).prop_map(|count| LiftPlan::Random { count }),
        1 => (1u32..50, 0u8..2).prop_map(|(count, law)| LiftPlan::Seeded { count, law }),
    ]
}

fn infos() -> impl Strategy<Value = Info> {
    let text = "\\PC{0,12}";
    let pairs = prop::collection::vec((text, text), 0..3);
    let scores = prop::collection::vec((text, -1e9..1e9f64), 0..3);
    (text, text, pairs, any::<u64>(), any::<[u8; 16]>(), any::<u64>(), scores, prop::collection::vec(text, 0..4))
        .prop_map(|(tool, method, params, seed, data_hash, rows, scores, feature_names)| Info {
            tool,
            method,
            params,
            seed,
            data_hash,
            rows,
            scores,
            feature_names,
        })
}

fn plans() -> impl Strategy<Value = Plan> {
    let input = prop::sample::select(vec![Num::F32, Num::I16, Num::I8, Num::U8]);
    let project = prop::option::of((1usize..20, any::<bool>(), any::<bool>()));
    let tags = prop::collection::vec((6u16.., prop::collection::vec(any::<u8>(), 0..9)), 0..3);
    let numbers = (1usize..12, 1usize..9, 0u8..3, 1u8..7, any::<u64>());
    let front = (any::<bool>(), input, fronts(), prop::option::of(0u8..17), 0u8..4);
    let back = (project, lifts(), prop::option::weighted(0.8, any::<bool>()), any::<bool>(), any::<bool>());
    (front, back, numbers, any::<bool>(), tags, prop::option::of(infos())).prop_map(
        |(
            (int, input, front, select, scale),
            (project, lift, readout, narrow, unsigned),
            (dim, classes, head, k, seed),
            names,
            tags,
            info,
        )| Plan {
            int,
            input,
            front,
            select,
            scale,
            project,
            lift,
            readout,
            narrow,
            unsigned,
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

/// Numbers for the arrays of a plan, in the types of its profile.
struct Numbers {
    rng: Rng,
    int: bool,
}

impl Numbers {
    fn floats(&mut self, len: usize) -> Vec<f32> {
        self.rng.floats(len)
    }

    fn i8s(&mut self, len: usize) -> Vec<i8> {
        (0..len).map(|_| self.rng.word() as i8).collect()
    }

    fn u8s(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.rng.word() as u8).collect()
    }

    fn i16s(&mut self, len: usize) -> Vec<i16> {
        (0..len).map(|_| self.rng.word() as i16).collect()
    }

    fn i32s(&mut self, len: usize) -> Vec<i32> {
        (0..len).map(|_| self.rng.word() as i32).collect()
    }

    fn small(&mut self, len: usize) -> Tensor {
        if self.int { Tensor::I8(self.i8s(len)) } else { Tensor::F32(self.floats(len)) }
    }

    fn head(&mut self, len: usize) -> Tensor {
        if self.int { Tensor::I16(self.i16s(len)) } else { Tensor::F32(self.floats(len)) }
    }

    /// A float bias or an integer one; the other is empty.
    fn bias(&mut self, has: bool, len: usize) -> (Vec<f32>, Vec<i32>) {
        match (has, self.int) {
            (false, _) => (Vec::new(), Vec::new()),
            (true, false) => (self.floats(len), Vec::new()),
            (true, true) => (Vec::new(), self.i32s(len)),
        }
    }
}

impl Plan {
    fn model(&self) -> ModelBuf {
        let mut numbers = Numbers { rng: Rng(self.seed), int: self.int };
        let mut model = ModelBuf { input: self.input, ..ModelBuf::new(1, self.dim, self.classes) };
        let area = |s: Shape| (s.channels * s.rows * s.cols) as usize;
        match self.front {
            Front::Plain(inputs) => model.inputs = inputs,
            Front::Drawn(shape) => (model.inputs, model.shape) = (area(shape), Some(shape)),
            Front::Windowed(shape, window) => {
                (model.inputs, model.shape, model.window) = (area(shape), Some(shape), Some(window));
            }
            Front::Pooled(shape, pool) => {
                (model.inputs, model.shape, model.pool) = (area(shape), Some(shape), Some(pool));
            }
        }
        model.select = self.select.map(|share| {
            let mut mask: Vec<bool> = (0..model.pooled()).map(|_| numbers.rng.below(16) < usize::from(share)).collect();
            // At least one feature is kept.
            let at = numbers.rng.below(mask.len());
            mask[at] = true;
            mask
        });
        let width = model.features();
        model.scale = match (self.scale, self.int) {
            (1, false) => Scale::Uniform { mul: numbers.rng.float(), add: numbers.rng.float() },
            (2, false) => Scale::Features { mul: numbers.floats(width), add: numbers.floats(width) },
            (2, true) => Scale::IntFeatures { zero: numbers.i16s(width), mul: numbers.i16s(width) },
            (3, false) => Scale::Unit,
            _ => Scale::None,
        };
        model.project =
            self.project.map(|(outputs, sparse, bias)| projection(&mut numbers, outputs, width, sparse, bias));
        let width = self.project.map_or(width, |(outputs, ..)| outputs);
        let lifted = self.lift(&mut numbers, &mut model, width);
        if let Some(bias) = self.readout {
            let (bias, int_bias) = numbers.bias(bias, self.dim);
            let weights = match (self.int, self.narrow) {
                (false, _) => Tensor::F32(numbers.floats(lifted * self.dim)),
                (true, false) => Tensor::I16(numbers.i16s(lifted * self.dim)),
                (true, true) => Tensor::I8(numbers.i8s(lifted * self.dim)),
            };
            let int_mul = numbers.i32s(if self.int { self.dim } else { 0 });
            model.readout = Some(Readout { weights, bias, int_mul, int_bias });
        } else {
            // Without a readout the lifted values are the embedding.
            model.dim = lifted;
        }
        self.head(&mut numbers, &mut model);
        self.rest(&mut numbers, &mut model);
        model
    }

    fn lift(&self, numbers: &mut Numbers, model: &mut ModelBuf, width: usize) -> usize {
        let gamma = 1e-3 + numbers.rng.float().abs();
        let stored = |numbers: &mut Numbers, count: usize| {
            if self.int && self.unsigned {
                Tensor::U8(numbers.u8s(count * width))
            } else {
                numbers.small(count * width)
            }
        };
        match self.lift {
            LiftPlan::None => width,
            LiftPlan::Centers { kernel, count, degree } => {
                let kernel = match kernel {
                    0 => Kernel::Gaussian { gamma },
                    1 => Kernel::Laplacian { gamma },
                    _ => Kernel::Polynomial { gamma, offset: numbers.rng.float(), degree },
                };
                model.lift = Lift::Centers { kernel, values: stored(numbers, count) };
                count
            }
            LiftPlan::Random { count } => {
                let weights = stored(numbers, count);
                let phases = numbers.floats(if self.int { 0 } else { count });
                let int_phases = numbers.i16s(if self.int { count } else { 0 }).into_iter().map(|v| v as u16).collect();
                model.lift = Lift::Random { gamma, weights, phases, int_phases };
                count
            }
            LiftPlan::Seeded { count, law } => {
                model.lift = Lift::Seeded { gamma, count, seed: numbers.rng.word(), law };
                count as usize
            }
        }
    }

    fn head(&self, numbers: &mut Numbers, model: &mut ModelBuf) {
        model.head = match self.head {
            0 => Head::Means(numbers.head(model.classes * model.dim)),
            1 => {
                // Classes without prototypes are allowed, voters without prototypes are not.
                let mut counts: Vec<u16> = (0..model.classes).map(|_| numbers.rng.below(5) as u16).collect();
                let total = |counts: &[u16]| counts.iter().map(|&c| usize::from(c)).sum::<usize>();
                counts[0] += u16::from(self.k).saturating_sub(total(&counts) as u16);
                Head::Prototypes { k: self.k, values: numbers.head(total(&counts) * model.dim), counts }
            }
            _ => {
                model.classes = model.dim;
                Head::Unit
            }
        };
    }

    /// Integer scales, names, extras and provenance.
    fn rest(&self, numbers: &mut Numbers, model: &mut ModelBuf) {
        let rng = &mut numbers.rng;
        // Squared distances fit 32 bits.
        let largest = f64::sqrt(f64::from(u32::MAX - 1) / model.dim as f64) / 2.0;
        model.int = self.int.then(|| IntParams {
            in_zero: rng.word() as i32,
            in_mul: rng.word() as i32,
            in_shift: rng.below(32) as u8,
            p_mul: rng.word() as i32,
            p_shift: rng.below(63) as u8,
            k_mul: rng.word() as u32,
            k_shift: rng.below(63) as u8,
            z_shift: rng.below(63) as u8,
            z_max: 1 + rng.below(largest.min(32767.0) as usize) as u32,
            z_unit: 1e-9 + rng.float().abs(),
            norms: self.unsigned && matches!(self.lift, LiftPlan::Centers { .. }),
        });
        if self.names {
            model.names = (0..model.classes).map(|class| ["", "ruhe ○", "wave"][class % 3].repeat(class % 4)).collect();
        }
        model.extras =
            self.tags.iter().map(|(tag, payload)| (*tag, (false, payload.clone()))).collect::<BTreeMap<_, _>>();
        let words =
            |rng: &mut Rng, len: usize| rng.floats(len).iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        if rng.below(3) == 0 {
            let radii = words(rng, model.classes);
            model.extras.insert(extras::RADII, (true, radii));
        }
        if rng.below(3) == 0 {
            let pair = words(rng, 2);
            model.extras.insert(extras::CALIBRATION, (false, pair));
        }
        if rng.below(3) == 0 {
            let triangle = words(rng, model.dim * (model.dim + 1) / 2);
            model.extras.insert(extras::H, (false, triangle));
        }
        model.info.clone_from(&self.info);
    }
}

fn projection(numbers: &mut Numbers, outputs: usize, width: usize, sparse: bool, bias: bool) -> Projection {
    let mut values = numbers.small(outputs * width);
    if sparse {
        let mut thin = |at: usize| numbers.rng.below(8) != 0 || at.is_multiple_of(5);
        match &mut values {
            Tensor::F32(v) => v.iter_mut().enumerate().filter(|(at, _)| thin(*at)).for_each(|(_, v)| *v = 0.0),
            Tensor::I8(v) => v.iter_mut().enumerate().filter(|(at, _)| thin(*at)).for_each(|(_, v)| *v = 0),
            _ => {}
        }
    }
    let (bias, int_bias) = numbers.bias(bias, outputs);
    Projection { outputs, values, bias, int_bias, sparse }
}

/// The `needs` bits, worked out from the model rather than from its metadata.
fn expected_needs(model: &ModelBuf) -> u32 {
    let mut bits = 0;
    let mut need = |on: bool, bit: u32| bits |= if on { bit } else { 0 };
    need(model.int.is_some(), needs::INT);
    need(model.window.is_some(), needs::WINDOW);
    need(model.pool.is_some(), needs::POOL);
    need(model.select.is_some(), needs::SELECT);
    need(model.scale != Scale::None, needs::SCALE);
    need(model.project.as_ref().is_some_and(|p| !p.sparse), needs::PROJECT);
    need(model.project.as_ref().is_some_and(|p| p.sparse), needs::SPARSE);
    match model.lift {
        Lift::None => {}
        Lift::Centers { kernel: Kernel::Gaussian { .. }, .. } => need(true, needs::GAUSSIAN),
        Lift::Centers { kernel: Kernel::Laplacian { .. }, .. } => need(true, needs::LAPLACIAN),
        Lift::Centers { kernel: Kernel::Polynomial { .. }, .. } => need(true, needs::POLYNOMIAL),
        Lift::Random { .. } | Lift::Seeded { .. } => need(true, needs::RANDOM),
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
    let front = if model.int.is_some() {
        gathered + model.features().div_ceil(4) + projected / 4
    } else if gathered != 0 {
        gathered + projected
    } else if model.select.is_some() || model.scale != Scale::None {
        model.features() + projected
    } else {
        projected
    };
    front + model.dim + neighbors
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
        prop_assert_eq!(header.needs, expected_needs(&model));
        prop_assert_eq!(header.scratch as usize, expected_scratch(&model));
        prop_assert_eq!(header.inputs as usize, model.inputs);
        prop_assert_eq!((usize::from(header.dim), usize::from(header.classes)), (model.dim, model.classes));
        prop_assert_eq!((layout.pooled(), layout.kept()), (model.pooled(), model.features()));
        prop_assert_eq!(header.core_len % 4, 0);
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
        (0..12).filter(|bit| needs >> bit & 1 == 1).for_each(|bit| *seen.entry((int, bit)).or_default() += 1);
        if let Lift::Seeded { law, .. } = model.lift {
            codes[usize::from(law == code::LAW_BYTES)] += 1;
        }
        heads[usize::from(model.head == Head::Unit)] += 1;
    }
    for bit in 1..12 {
        for int in [false, true] {
            // Integer models scale per feature only, which is one plan in four.
            assert!(seen.get(&(int, bit)).is_some_and(|&times| times > 40), "bit {bit}, int {int}: {seen:?}");
        }
    }
    assert!(codes.into_iter().chain(heads).all(|times| times > 40), "{codes:?} {heads:?}");
}
