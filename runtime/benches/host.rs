//! Host throughput: one row after the other against a batch, at two sizes.
//!
//! `cargo bench -p nearmark` prints divan's table (items are rows) and then, per size, rows and
//! multiplications per second both ways, their ratio, and whether the answers agree to the bit.

use std::{env, hint::black_box, time::Instant};

use divan::{Bencher, counter::ItemsCount};
use nearmark::{
    Model, Prediction,
    format::{AlignedBuf, FeatureMap, Head, Kernel, ModelBuf, Readout, Tensor},
};

/// Inputs and centers; the embedding has 10 coordinates, and there are 10 classes.
const SIZES: [(usize, usize); 2] = [(64, 96), (784, 960)];
const DIM: usize = 10;
const CLASSES: usize = 10;
const ROWS: usize = 128;
/// Measurements per size, of which the fastest counts: everything else is somebody else's load.
const REPEATS: usize = 30;

fn main() {
    divan::main();
    // Tools that only list or test benchmarks want no measurements.
    if !env::args().any(|arg| arg == "--list" || arg == "--test") {
        SIZES.into_iter().for_each(compare);
    }
}

#[divan::bench(args = SIZES)]
fn row_by_row(bencher: Bencher<'_, '_>, (inputs, centers): (usize, usize)) {
    let mut case = Case::new(inputs, centers);
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| case.row_by_row());
}

#[divan::bench(args = SIZES)]
fn batch(bencher: Bencher<'_, '_>, (inputs, centers): (usize, usize)) {
    let mut case = Case::new(inputs, centers);
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| case.batch());
}

/// Measures both ways in turn, so that load on the machine meets both alike.
fn compare((inputs, centers): (usize, usize)) {
    let mut case = Case::new(inputs, centers);
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
    let macs = centers * (inputs + DIM) + CLASSES * DIM;
    let speed = |time: f64| {
        let rows = ROWS as f64 / time;
        format!("{rows:9.0} rows/s {:6.2} GMAC/s", rows * macs as f64 / 1e9)
    };
    println!(
        "n={inputs} m={centers} d={DIM}: row by row {}, batch {}, ratio {:.2}, {bits}",
        speed(plain),
        speed(batched),
        plain / batched
    );
}

fn seconds(mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// A Gaussian model with class means, rows for it, and all the memory that both ways need.
struct Case {
    model: Model<'static>,
    rows: Vec<f32>,
    answers: Vec<Prediction>,
    pack: Vec<f32>,
    scratch: Vec<u32>,
}

impl Case {
    fn new(inputs: usize, centers: usize) -> Self {
        let mut state = 1u32;
        let mut floats = |len: usize| -> Vec<f32> {
            let mut float = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / 8_388_608.0 - 1.0
            };
            (0..len).map(|_| float()).collect()
        };
        let model = ModelBuf {
            feature_map: FeatureMap::Centers {
                // Kernel values around 1/e, as a trained width gives them.
                kernel: Kernel::Gaussian { gamma: 1.5 / inputs as f32 },
                values: Tensor::F32(floats(centers * inputs)),
            },
            readout: Some(Readout { weights: Tensor::F32(floats(centers * DIM)), ..Readout::default() }),
            head: Head::Means(Tensor::F32(floats(CLASSES * DIM))),
            ..ModelBuf::new(inputs, DIM, CLASSES)
        };
        // Never freed, as if it lay in flash.
        let bytes = Box::leak(Box::new(AlignedBuf::from(model.encode().expect("a valid model").as_slice())));
        let model = Model::from_bytes(bytes).expect("a model that was just written");
        Self {
            model,
            rows: floats(ROWS * inputs),
            answers: vec![Prediction::default(); ROWS],
            pack: vec![0.0; model.batch_words()],
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
            .classify_batch(black_box(&self.rows), &mut self.answers, &mut self.pack, &mut self.scratch)
            .expect("finite rows");
    }
}
