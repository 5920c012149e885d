//! Host throughput: one row after the other against a batch, for float and integer models.
//!
//! `cargo bench -p nearmark` prints divan's table (items are rows) and then, per model, rows and
//! multiplications per second both ways, their ratio, and whether the answers agree to the bit.

use std::{env, fmt, hint::black_box, time::Instant};

use divan::{Bencher, counter::ItemsCount};
use nearmark::{
    Model, Num, Prediction,
    format::{AlignedBuf, FeatureMap, Head, IntParams, Kernel, ModelBuf, Projection, Readout, Tensor},
};

/// Models; the embedding has 10 coordinates, and there are 10 classes.
const PLANS: [Plan; 6] = [
    Plan { inputs: 64, centers: 96, stages: Stages::Float },
    Plan { inputs: 784, centers: 960, stages: Stages::Float },
    Plan { inputs: 64, centers: 96, stages: Stages::Integer },
    Plan { inputs: 784, centers: 960, stages: Stages::Integer },
    Plan { inputs: 64, centers: 96, stages: Stages::IntegerProjected },
    Plan { inputs: 784, centers: 0, stages: Stages::IntegerLinear },
];
const DIM: usize = 10;
const CLASSES: usize = 10;
const ROWS: usize = 128;
/// Outputs of the projection, where there is one.
const PROJECTED: usize = 18;
/// Measurements per model, of which the fastest counts: slower ones were disturbed by other programs.
const REPEATS: usize = 30;

/// What is measured.
#[derive(Copy, Clone, Debug)]
struct Plan {
    inputs: usize,
    centers: usize,
    stages: Stages,
}

/// Arithmetic and stages of a model.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Stages {
    /// Gaussian centers in floats.
    Float,
    /// Gaussian centers of bytes.
    Integer,
    /// Gaussian centers behind a projection, as budget searches make them.
    IntegerProjected,
    /// A readout alone.
    IntegerLinear,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} n={} m={}", self.stages, self.inputs, self.centers)
    }
}

fn main() {
    divan::main();
    // Tools that only list or test benchmarks want no measurements.
    if !env::args().any(|arg| arg == "--list" || arg == "--test") {
        PLANS.into_iter().for_each(compare);
    }
}

#[divan::bench(args = PLANS)]
fn row_by_row(bencher: Bencher<'_, '_>, plan: Plan) {
    let mut case = Case::new(plan);
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| case.row_by_row());
}

#[divan::bench(args = PLANS)]
fn batch(bencher: Bencher<'_, '_>, plan: Plan) {
    let mut case = Case::new(plan);
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| case.batch());
}

/// Measures both ways in turn, so that load on the machine meets both alike.
fn compare(plan: Plan) {
    let mut case = Case::new(plan);
    let (mut plain, mut batched) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPEATS {
        plain = plain.min(seconds(|| case.row_by_row()));
        batched = batched.min(seconds(|| case.batch()));
    }
    case.row_by_row();
    let alone = case.answers.clone();
    case.answers.fill(Prediction::default());
    case.batch();
    let bits = if case.answers == alone { "same bits" } else { "DIFFERENT BITS" };
    let speed = |time: f64| {
        let rows = ROWS as f64 / time;
        format!("{rows:9.0} rows/s {:6.2} GMAC/s", rows * plan.multiplications() as f64 / 1e9)
    };
    println!("{plan}: row by row {}, batch {}, ratio {:.2}, {bits}", speed(plain), speed(batched), plain / batched);
}

fn seconds(mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// Random numbers, the same every time.
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }

    /// Floats in −1..1.
    fn floats(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.next() as f32 / 8_388_608.0 - 1.0).collect()
    }

    /// Signed bytes.
    fn bytes(&mut self, len: usize) -> Vec<i8> {
        (0..len).map(|_| (self.next() >> 8) as i8).collect()
    }
}

impl Plan {
    /// Features that the feature map takes.
    fn width(self) -> usize {
        if self.stages == Stages::IntegerProjected { PROJECTED } else { self.inputs }
    }

    /// Values that the readout takes.
    fn mapped(self) -> usize {
        if self.stages == Stages::IntegerLinear { self.inputs } else { self.centers }
    }

    fn multiplications(self) -> usize {
        let projection = if self.stages == Stages::IntegerProjected { PROJECTED * self.inputs } else { 0 };
        projection + self.centers * self.width() + self.mapped() * DIM + CLASSES * DIM
    }

    fn float(self, random: &mut Random) -> ModelBuf {
        ModelBuf {
            feature_map: FeatureMap::Centers {
                // Kernel values around 1/e, as a trained width gives them.
                kernel: Kernel::Gaussian { gamma: 1.5 / self.inputs as f32 },
                values: Tensor::F32(random.floats(self.centers * self.inputs)),
            },
            readout: Some(Readout { weights: Tensor::F32(random.floats(self.centers * DIM)), ..Readout::default() }),
            head: Head::Means(Tensor::F32(random.floats(CLASSES * DIM))),
            ..ModelBuf::new(self.inputs, DIM, CLASSES)
        }
    }

    fn integer(self, random: &mut Random) -> ModelBuf {
        let width = self.width();
        let project = (self.stages == Stages::IntegerProjected).then(|| Projection {
            outputs: PROJECTED,
            values: Tensor::I8(random.bytes(PROJECTED * self.inputs)),
            bias: Vec::new(),
            int_bias: vec![100_000; PROJECTED],
            sparse: false,
        });
        let feature_map = if self.stages == Stages::IntegerLinear {
            FeatureMap::None
        } else {
            let values = Tensor::U8(random.bytes(self.centers * width).into_iter().map(|v| v as u8).collect());
            FeatureMap::Centers { kernel: Kernel::Gaussian { gamma: 1.0 }, values }
        };
        // Two octaves at a typical squared distance; 2²⁷ is one octave.
        let k_mul = ((1 << 28) as f32 / (10_000.0 * width as f32)) as u32;
        let p_mul = vec![500; PROJECTED];
        let p_mul = if project.is_some() { p_mul } else { Vec::new() };
        let int = IntParams { k_mul, p_mul, p_shift: 6, z_max: 8000, z_unit: 1.0, ..IntParams::default() };
        let weights = Tensor::I8(random.bytes(self.mapped() * DIM));
        let readout = Readout { weights, int_mul: vec![200; DIM], ..Readout::default() };
        let head =
            Head::Means(Tensor::I16(random.bytes(CLASSES * DIM).into_iter().map(|v| i16::from(v) * 8).collect()));
        let model = ModelBuf { input: Num::U8, project, feature_map, int: Some(int), ..self.float(random) };
        ModelBuf { readout: Some(readout), head, ..model }
    }
}

/// A model, rows for it, and all the memory that both ways need.
struct Case {
    model: Model<'static>,
    rows: Vec<f32>,
    answers: Vec<Prediction>,
    workspace: Vec<f32>,
    scratch: Vec<u32>,
}

impl Case {
    fn new(plan: Plan) -> Self {
        let mut random = Random(1);
        let float = plan.stages == Stages::Float;
        let model = if float { plan.float(&mut random) } else { plan.integer(&mut random) };
        // Never freed, as if it lay in flash.
        let bytes = Box::leak(Box::new(AlignedBuf::from(model.encode().expect("a valid model").as_slice())));
        let model = Model::from_bytes(bytes).expect("a model that was just written");
        let floats = random.floats(ROWS * plan.inputs);
        Self {
            model,
            // Integer models take bytes, as floats here.
            rows: if float { floats } else { floats.iter().map(|v| (v * 127.0 + 128.0).round()).collect() },
            answers: vec![Prediction::default(); ROWS],
            workspace: vec![0.0; model.batch_words()],
            scratch: vec![0; model.scratch_words()],
        }
    }

    fn row_by_row(&mut self) {
        for (row, answer) in self.rows.chunks_exact(self.model.inputs()).zip(&mut self.answers) {
            *answer = self.model.classify(black_box(row), &mut self.scratch).expect("a finite row");
        }
    }

    fn batch(&mut self) {
        self.model
            .classify_batch(black_box(&self.rows), &mut self.answers, &mut self.workspace, &mut self.scratch)
            .expect("finite rows");
    }
}
