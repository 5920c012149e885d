//! Models of every stage combination that matters, made up from a seed, with samples to match.

use nearmark_format::{
    AlignedBuf, FeatureMap, Head, Kernel, ModelBuf, Num, Pool, Projection, Readout, Scale, Shape, Tensor, Window,
    extras, meta::code,
};

use crate::{image_cases, int_cases, rng::Rng, series::counted};

/// Samples of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// Floats.
    F32(Vec<Vec<f32>>),
    /// Signed 16 bits.
    I16(Vec<Vec<i16>>),
    /// Signed 8 bits.
    I8(Vec<Vec<i8>>),
    /// Unsigned 8 bits.
    U8(Vec<Vec<u8>>),
}

impl Rows {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(rows) => rows.len(),
            Self::I16(rows) => rows.len(),
            Self::I8(rows) => rows.len(),
            Self::U8(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same numbers as floats.
    #[must_use]
    pub fn floats(&self) -> Vec<Vec<f32>> {
        fn widen<T: Copy + Into<f32>>(rows: &[Vec<T>]) -> Vec<Vec<f32>> {
            rows.iter().map(|row| row.iter().map(|&v| v.into()).collect()).collect()
        }
        match self {
            Self::F32(rows) => rows.clone(),
            Self::I16(rows) => widen(rows),
            Self::I8(rows) => widen(rows),
            Self::U8(rows) => widen(rows),
        }
    }

    /// The first `count` of them.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        match self {
            Self::F32(rows) => Self::F32(rows[..count].to_vec()),
            Self::I16(rows) => Self::I16(rows[..count].to_vec()),
            Self::I8(rows) => Self::I8(rows[..count].to_vec()),
            Self::U8(rows) => Self::U8(rows[..count].to_vec()),
        }
    }

    /// The same numbers as the integers that an INT model sees; floats by FORMAT.md's step 0.
    ///
    /// # Panics
    /// If the model's bytes are none.
    #[must_use]
    pub fn integers(&self, model: &[u8]) -> Vec<Vec<i64>> {
        fn widen<T: Copy + Into<i64>>(rows: &[Vec<T>]) -> Vec<Vec<i64>> {
            rows.iter().map(|row| row.iter().map(|&v| v.into()).collect()).collect()
        }
        match self {
            Self::F32(rows) => rows.iter().map(|row| row.iter().map(|&v| rounded(model, v)).collect()).collect(),
            Self::I16(rows) => widen(rows),
            Self::I8(rows) => widen(rows),
            Self::U8(rows) => widen(rows),
        }
    }

    fn make(num: Num, count: usize, width: usize, rng: &mut Rng) -> Self {
        let mut rows = |scale: f32, shift: f32| -> Vec<Vec<f32>> {
            (0..count).map(|_| (0..width).map(|_| (rng.float() * scale + shift).trunc()).collect()).collect()
        };
        match num {
            Num::F32 => Self::F32((0..count).map(|_| rng.floats(width)).collect()),
            Num::I16 => Self::I16(rows(2000.0, 0.0).iter().map(|r| r.iter().map(|&v| v as i16).collect()).collect()),
            Num::I8 => Self::I8(rows(127.0, 0.0).iter().map(|r| r.iter().map(|&v| v as i8).collect()).collect()),
            Num::U8 => Self::U8(rows(8.0, 8.5).iter().map(|r| r.iter().map(|&v| v as u8).collect()).collect()),
        }
    }
}

/// A float sample's value as an integer of the model's type.
fn rounded(model: &[u8], x: f32) -> i64 {
    let float = |at: usize| f32::from_le_bytes(model[at..at + 4].try_into().unwrap());
    let (least, most) = match model[28 + 1] {
        3 => (0.0, 255.0),
        2 => (-128.0, 127.0),
        _ => (-32_768.0, 32_767.0),
    };
    let t = if model[28 + 1] == 0 { x * float(28 + 40) + float(28 + 44) } else { x };
    f64::from(t.clamp(least, most)).round_ties_even() as i64
}

/// A named model and samples for it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The golden file's name without its ending.
    pub name: &'static str,
    /// The model.
    pub model: ModelBuf,
    /// Samples.
    pub rows: Rows,
}

/// A name, and how to make up the model.
pub(crate) type Recipe = (&'static str, fn(&mut Rng) -> ModelBuf);

impl Case {
    pub(crate) fn new(name: &'static str, make: fn(&mut Rng) -> ModelBuf, seed: u64, count: usize) -> Self {
        let mut rng = Rng(seed);
        let mut model = make(&mut rng);
        if matches!(model.head, Head::Means(_)) {
            // Class means are embeddings of samples, so that answers spread over the classes.
            let rows = Rows::make(model.input, model.classes, model.inputs, &mut rng);
            model.head = Head::Means(Tensor::F32(embeddings(&model, &rows)));
        }
        let rows = Rows::make(model.input, count, model.inputs, &mut rng);
        Self { name, model, rows }
    }
}

fn embeddings(model: &ModelBuf, rows: &Rows) -> Vec<f32> {
    let bytes = AlignedBuf::from(model.encode().expect("a valid model").as_slice());
    let model = nearmark::Model::from_bytes(&bytes).expect("a model that was just written");
    let mut scratch = vec![0; model.scratch_words()];
    let embed = |row: Vec<f32>| {
        let mut z = vec![0.0; model.dim()];
        model.embed(row.as_slice(), &mut z, &mut scratch).map(|()| z).expect("a row of the right length")
    };
    rows.floats().into_iter().flat_map(embed).collect()
}

/// Every case of the F32 profile; the order and the seeds are part of the goldens.
#[must_use]
pub fn cases() -> Vec<Case> {
    let list: [Recipe; 20] = [
        ("gaussian", |r| kernel(r, GAUSSIAN, ModelBuf::new(16, 9, 10), 21, means)),
        ("gaussian-project", |r| {
            let model = ModelBuf { project: Some(projection(r, 7, 20, true)), ..ModelBuf::new(20, 5, 5) };
            kernel(r, GAUSSIAN, model, 13, |_, _| Head::Unit)
        }),
        ("gaussian-sparse", |r| {
            let project = Some(sparse_projection(r, 6, 320));
            let model = ModelBuf { input: Num::I8, project, ..ModelBuf::new(320, 4, 6) };
            kernel(r, Kernel::Gaussian { gamma: 3e-5 }, model, 10, means)
        }),
        ("laplacian-select", |r| {
            let select = Some((0..64).map(|i| i % 3 != 1).collect());
            let scale = Scale::Uniform { mul: 1.0 / 16.0, add: -0.5 };
            let model = ModelBuf { input: Num::U8, select, scale, ..ModelBuf::new(64, 6, 7) };
            kernel(r, Kernel::Laplacian { gamma: 0.07 }, model, 18, means)
        }),
        ("polynomial", |r| {
            let scale = Scale::Features { mul: r.floats(11), add: r.floats(11) };
            let model = ModelBuf { scale, ..ModelBuf::new(11, 3, 4) };
            let kernel_of = Kernel::Polynomial { gamma: 0.3, offset: 0.8, degree: 3 };
            let model = kernel(r, kernel_of, model, 9, means);
            with_bias(r, model)
        }),
        ("random-stored", |r| {
            let model = ModelBuf { scale: Scale::Unit, ..ModelBuf::new(12, 5, 6) };
            random(r, model, 30)
        }),
        ("random-signs", |r| {
            let model = ModelBuf { project: Some(projection(r, 40, 24, false)), ..ModelBuf::new(24, 4, 4) };
            seeded(r, model, 50, code::LAW_SIGNS, 0.02)
        }),
        ("random-bytes-pool", |r| {
            let shape = Some(Shape { channels: 2, rows: 8, cols: 12 });
            let pool = Some(Pool { rows: 2, cols: 3 });
            let model = ModelBuf { input: Num::U8, shape, pool, ..ModelBuf::new(192, 5, 8) };
            seeded(r, model, 37, code::LAW_BYTES, 2e-6)
        }),
        ("pool-select-gaussian", |r| {
            let shape = Some(Shape { channels: 1, rows: 20, cols: 20 });
            let pool = Some(Pool { rows: 2, cols: 2 });
            let select = Some((0..100).map(|i| i % 5 != 0).collect());
            let features = 80;
            let model = ModelBuf {
                input: Num::U8,
                shape,
                pool,
                select,
                project: Some(projection(r, 8, features, true)),
                ..ModelBuf::new(400, 10, 10)
            };
            kernel(r, Kernel::Gaussian { gamma: 5e-6 }, model, 24, |_, _| Head::Unit)
        }),
        ("window-major", |r| {
            let model = windowed(false, code::STAT_ALL, 2);
            let project = Some(projection(r, 6, 60, true));
            kernel(r, Kernel::Gaussian { gamma: 2e-8 }, ModelBuf { project, ..model }, 11, means)
        }),
        ("window-interleaved", |r| {
            let model = windowed(true, code::STAT_MEAN | code::STAT_MIN | code::STAT_STEP, 3);
            let scale = Scale::Features { mul: vec![5e-4; 54], add: r.floats(54) };
            kernel(r, Kernel::Gaussian { gamma: 0.05 }, ModelBuf { scale, ..model }, 10, |r, m| prototypes(r, m, 3))
        }),
        ("linear", |r| {
            let model = named(ModelBuf::new(13, 3, 4));
            let head = means(r, &model);
            let model = ModelBuf { readout: Some(weights(r, 13, 3)), head, ..model };
            with_bias(r, model)
        }),
        ("linear-i8", |r| {
            let model = ModelBuf { input: Num::I8, ..ModelBuf::new(30, 8, 8) };
            ModelBuf { readout: Some(weights(r, 30, 8)), head: Head::Unit, ..model }
        }),
        ("knn-1", |r| {
            let model = ModelBuf { project: Some(projection(r, 6, 18, true)), ..ModelBuf::new(18, 6, 5) };
            let head = prototypes(r, &model, 1);
            ModelBuf { head, ..model }
        }),
        ("knn-5", |r| {
            let model = ModelBuf::new(7, 7, 6);
            let head = prototypes(r, &model, 5);
            ModelBuf { head, ..model }
        }),
        ("reject", |r| {
            let mut model = kernel(r, GAUSSIAN, ModelBuf::new(5, 3, 3), 8, means);
            let radii = [0.5f32, 1.0, 2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
            model.extras.insert(extras::RADII, (false, radii));
            model
        }),
        ("kernel-values", |r| {
            let model = ModelBuf::new(4, 6, 3);
            let values = Tensor::F32(r.floats(6 * 4));
            let head = means(r, &model);
            ModelBuf { feature_map: FeatureMap::Centers { kernel: GAUSSIAN, values }, head, ..model }
        }),
        ("items", items),
        ("counts-major", counts_major),
        ("counts-interleaved", counts_interleaved),
    ];
    list.into_iter().enumerate().map(|(at, (name, make))| Case::new(name, make, 1000 + at as u64, 100)).collect()
}

/// The models whose cost `bench-device` measures: 64 inputs, 100 centers, 9 outputs, 10 classes.
#[must_use]
pub fn bench_cases() -> Vec<Case> {
    let list: [Recipe; 5] = [
        ("bench-gaussian", |r| kernel(r, Kernel::Gaussian { gamma: 0.02 }, ModelBuf::new(64, 9, 10), 100, means)),
        ("bench-project", |r| {
            let model = ModelBuf { project: Some(projection(r, 16, 64, true)), ..ModelBuf::new(64, 9, 10) };
            kernel(r, Kernel::Gaussian { gamma: 0.002 }, model, 100, means)
        }),
        ("bench-linear", |r| {
            let model = ModelBuf::new(64, 9, 10);
            let head = means(r, &model);
            ModelBuf { readout: Some(weights(r, 64, 9)), head, ..model }
        }),
        ("bench-random", |r| seeded(r, ModelBuf::new(64, 9, 10), 100, code::LAW_SIGNS, 0.02)),
        ("bench-knn", |r| {
            let model = ModelBuf { project: Some(projection(r, 9, 64, true)), ..ModelBuf::new(64, 9, 10) };
            let head = prototypes(r, &model, 3);
            ModelBuf { head, ..model }
        }),
    ];
    list.into_iter().enumerate().map(|(at, (name, make))| Case::new(name, make, 2000 + at as u64, 4)).collect()
}

/// Every case of both profiles, the benchmark's included.
#[must_use]
pub fn all() -> Vec<Case> {
    let float = cases().into_iter().chain(bench_cases());
    let int = int_cases::cases().into_iter().chain(int_cases::bench_cases());
    float.chain(int).chain(image_cases::cases()).chain(image_cases::bench_cases()).collect()
}

fn counts_major(r: &mut Rng) -> ModelBuf {
    let model = counted(ModelBuf::new(180, 4, 4), 3, 55, false, r);
    ModelBuf { readout: Some(weights(r, 55, 4)), head: Head::Unit, ..model }
}

fn counts_interleaved(r: &mut Rng) -> ModelBuf {
    let model = counted(ModelBuf { input: Num::I16, ..ModelBuf::new(360, 4, 4) }, 4, 48, true, r);
    let project = Some(projection(r, 7, 48, true));
    kernel(r, Kernel::Gaussian { gamma: 0.05 }, ModelBuf { project, ..model }, 11, means)
}

const GAUSSIAN: Kernel = Kernel::Gaussian { gamma: 0.25 };

fn projection(r: &mut Rng, outputs: usize, inputs: usize, bias: bool) -> Projection {
    let values = Tensor::F32(r.floats(outputs * inputs));
    let bias = if bias { r.floats(outputs) } else { Vec::new() };
    Projection { outputs, values, bias, int_bias: Vec::new(), sparse: false }
}

fn sparse_projection(r: &mut Rng, outputs: usize, inputs: usize) -> Projection {
    let mut dense = vec![0.0; outputs * inputs];
    for _ in 0..4 * outputs {
        let at = r.below(dense.len());
        dense[at] = r.float();
    }
    Projection { outputs, values: Tensor::F32(dense), bias: r.floats(outputs), int_bias: Vec::new(), sparse: true }
}

fn weights(r: &mut Rng, rows: usize, dim: usize) -> Readout {
    Readout { weights: Tensor::F32(r.floats(rows * dim)), ..Readout::default() }
}

fn with_bias(r: &mut Rng, mut model: ModelBuf) -> ModelBuf {
    if let Some(readout) = &mut model.readout {
        readout.bias = r.floats(model.dim);
    }
    model
}

fn means(r: &mut Rng, model: &ModelBuf) -> Head {
    Head::Means(Tensor::F32(r.floats(model.classes * model.dim)))
}

fn prototypes(r: &mut Rng, model: &ModelBuf, k: u8) -> Head {
    let counts: Vec<u16> = (0..model.classes).map(|_| 1 + r.below(6) as u16).collect();
    let total: usize = counts.iter().map(|&c| usize::from(c)).sum();
    Head::Prototypes { k, values: Tensor::F32(r.floats(total * model.dim)), counts }
}

/// Points with ids behind a projection.
fn items(r: &mut Rng) -> ModelBuf {
    let model = ModelBuf { project: Some(projection(r, 3, 9, true)), ..ModelBuf::new(9, 3, 4) };
    let head = prototypes(r, &model, 1);
    with_ids(ModelBuf { head, ..model })
}

/// Ids that rise and fall, and equal items with different and with equal ids.
pub(crate) fn with_ids(mut model: ModelBuf) -> ModelBuf {
    let dim = model.dim;
    let Head::Prototypes { values, .. } = &mut model.head else { return model };
    let total = values.len() / dim;
    match values {
        // The first two points once more, at the end: ties by id, and by place where the ids are equal too.
        Tensor::F32(v) => v.copy_within(..2 * dim, (total - 2) * dim),
        Tensor::I16(v) => v.copy_within(..2 * dim, (total - 2) * dim),
        _ => {}
    }
    let mut ids: Vec<u32> = (0..total as u32).map(|at| 1000 * (at % 3) + 70_000 - at).collect();
    (ids[0], ids[total - 2]) = (900_000, 12);
    ids[total - 1] = ids[1];
    model.extras.insert(extras::ITEMS, (false, ids.iter().flat_map(|id| id.to_le_bytes()).collect()));
    model
}

fn kernel(
    r: &mut Rng,
    kernel: Kernel,
    model: ModelBuf,
    centers: usize,
    head: fn(&mut Rng, &ModelBuf) -> Head,
) -> ModelBuf {
    let width = model.project.as_ref().map_or(model.features(), |p| p.outputs);
    let values = Tensor::F32(r.floats(centers * width));
    let readout = Some(weights(r, centers, model.dim));
    let head = head(r, &model);
    ModelBuf { feature_map: FeatureMap::Centers { kernel, values }, readout, head, ..model }
}

fn random(r: &mut Rng, model: ModelBuf, count: usize) -> ModelBuf {
    let weights_of = Tensor::F32(r.floats(count * model.features()));
    let feature_map =
        FeatureMap::Random { gamma: 1.0, weights: weights_of, phases: r.floats(count), int_phases: Vec::new() };
    let head = means(r, &model);
    ModelBuf { feature_map, readout: Some(weights(r, count, model.dim)), head, ..model }
}

fn seeded(r: &mut Rng, model: ModelBuf, count: u32, law: u8, gamma: f32) -> ModelBuf {
    let readout = Some(weights(r, count as usize, model.dim));
    let head = means(r, &model);
    ModelBuf {
        feature_map: FeatureMap::Seeded { gamma, count, seed: 0x1234_5678_9ABC_DEF0, law },
        readout,
        head,
        ..model
    }
}

fn windowed(interleaved: bool, stats: u8, segments: u8) -> ModelBuf {
    ModelBuf {
        input: Num::I16,
        shape: Some(Shape { channels: 6, rows: 1, cols: 13 }),
        window: Some(Window { segments, stats, interleaved }),
        ..ModelBuf::new(78, 4, 4)
    }
}

fn named(mut model: ModelBuf) -> ModelBuf {
    model.names = ["rest", "wave", "kreis ○", ""].map(String::from).to_vec();
    model
}
