//! Models with learned filters over a picture, in both profiles.

use nearmark_format::{
    Convolution, FeatureMap, Filters, Head, Kernel, ModelBuf, Num, Pool, Pooling, Projection, Readout, Shape, Tensor,
};

use crate::{
    cases::{Case, Recipe},
    int_cases::{self, gaussian, narrow, plain, project, readout, scaled, unit},
    rng::Rng,
};

/// Every case with filters; the order and the seeds are part of the goldens.
#[must_use]
pub fn cases() -> Vec<Case> {
    let float: [Recipe; 2] = [("convolution", |r| float(r, true)), ("convolution-rgb", |r| float(r, false))];
    let int: [Recipe; 3] = [
        ("int-convolution", |r| digits(12, [5, 7], r)),
        ("int-convolution-rgb", |r| {
            let convolution = filters(3, [6, 0], Pooling::Mean, r);
            let convolution = Convolution { interleaved: true, block: Pool { rows: 1, cols: 2 }, ..convolution };
            let model = picture(Num::I16, Shape { channels: 3, rows: 7, cols: 14 }, convolution, 5, 6);
            gaussian(scaled(model, -1000, 4080, 15), 14, r)
        }),
        ("int-convolution-linear", |r| {
            let convolution = Convolution { block: Pool { rows: 1, cols: 1 }, ..filters(1, [3, 2], Pooling::None, r) };
            let model = picture(Num::I8, Shape { channels: 1, rows: 8, cols: 7 }, convolution, 4, 4);
            let features = model.features();
            readout(model, features, 128, r)
        }),
    ];
    let float = float.into_iter().enumerate().map(|(at, (name, make))| Case::new(name, make, 5000 + at as u64, 100));
    let int = int.into_iter().enumerate().map(|(at, (name, make))| int_cases::case(name, make, 5100 + at as u64, 100));
    float.chain(int).collect()
}

/// The model whose cost `bench-device` measures: two layers over handwritten digits in 2 kB.
#[must_use]
pub fn bench_cases() -> Vec<Case> {
    vec![int_cases::case("bench-int-convolution", |r| digits(28, [8, 8], r), 5200, 4)]
}

/// Two layers behind a mean of 2 × 2, the largest of 2 × 2, ten projected features and 40 centers.
fn digits(side: u32, outputs: [usize; 2], r: &mut Rng) -> ModelBuf {
    let mut convolution = filters(1, outputs, Pooling::Max, r);
    center(&mut convolution.first, 8.5, 3.0);
    convolution.second.iter_mut().for_each(|second| center(second, 128.0, 70.0));
    let model = picture(Num::U8, Shape { channels: 1, rows: side, cols: side }, convolution, 10, 10);
    let model = project(model, 10, false, r);
    unit(narrow(gaussian(model, 40, r), r))
}

fn picture(input: Num, shape: Shape, convolution: Convolution, dim: usize, classes: usize) -> ModelBuf {
    let inputs = (shape.channels * shape.rows * shape.cols) as usize;
    let mut model = plain(input, inputs, dim, classes);
    // Bytes are taken as they are.
    model.int.get_or_insert_default().in_zero = 0;
    ModelBuf { shape: Some(shape), convolution: Some(convolution), ..model }
}

/// Filters of both layers, integers whose outputs use most of a byte.
fn filters(channels: usize, [first, second]: [usize; 2], pooling: Pooling, r: &mut Rng) -> Convolution {
    let layer = |outputs: usize, channels: usize, bits: u32, r: &mut Rng| {
        let most = 1i32 << (bits - 1);
        let values = (0..outputs * channels * 9).map(|_| (r.below(2 * most as usize) as i32 - most) as i8).collect();
        let typical = f64::from(most) / 1.7 * 150.0 * (9.0 * channels as f64).sqrt();
        Filters {
            outputs,
            values: Tensor::I8(values),
            int_bias: (0..outputs).map(|_| (typical * f64::from(r.float() + 0.5)) as i32).collect(),
            mul: (0..outputs).map(|_| int_cases::multiplier(typical, 128.0, 5)).collect(),
            shift: 5,
            ..Filters::default()
        }
    };
    Convolution {
        block: Pool { rows: 2, cols: 2 },
        interleaved: false,
        first: layer(first, channels, 8, r),
        second: (second != 0).then(|| layer(second, first, 4, r)),
        pooling,
    }
}

/// Brings the middle of a layer's outputs to half of their range where inputs lie around `level`, give or take `spread`.
fn center(layer: &mut Filters, level: f64, spread: f64) {
    let Tensor::I8(values) = &layer.values else { panic!("filters of integers") };
    for ((weights, bias), mul) in
        values.chunks(values.len() / layer.outputs).zip(&mut layer.int_bias).zip(&mut layer.mul)
    {
        let squares: f64 = weights.iter().map(|&w| f64::from(w).powi(2)).sum();
        let typical = 2.0 * spread * squares.sqrt();
        *mul = int_cases::multiplier(typical, 128.0, 5);
        *bias = (typical - level * weights.iter().map(|&w| f64::from(w)).sum::<f64>()) as i32;
    }
}

fn float(r: &mut Rng, two: bool) -> ModelBuf {
    // Inputs lie around `level`: outputs lie around the middle of 0 to 1.
    let layer = |outputs: usize, channels: usize, size: f32, level: f32, r: &mut Rng| {
        let values: Vec<f32> = r.floats(outputs * channels * 9).iter().map(|v| v * size).collect();
        let bias = values.chunks(channels * 9).map(|weights| 0.5 - level * weights.iter().sum::<f32>()).collect();
        Filters { outputs, values: Tensor::F32(values), bias, ..Filters::default() }
    };
    let shape = Shape { channels: if two { 1 } else { 3 }, rows: 12, cols: if two { 14 } else { 11 } };
    let convolution = Convolution {
        block: Pool { rows: 2, cols: if two { 2 } else { 1 } },
        interleaved: !two,
        // Pixels are 0 to 17.
        first: layer(6, shape.channels as usize, 0.04, 8.5, r),
        second: two.then(|| layer(5, 6, 0.3, 0.5, r)),
        pooling: if two { Pooling::None } else { Pooling::Mean },
    };
    let inputs = (shape.channels * shape.rows * shape.cols) as usize;
    let model =
        ModelBuf { input: Num::U8, shape: Some(shape), convolution: Some(convolution), ..ModelBuf::new(inputs, 5, 6) };
    let width = model.features();
    let project = Projection {
        outputs: 6,
        values: Tensor::F32(r.floats(6 * width)),
        bias: r.floats(6),
        int_bias: Vec::new(),
        sparse: false,
    };
    ModelBuf {
        project: Some(project),
        feature_map: FeatureMap::Centers {
            kernel: Kernel::Gaussian { gamma: 0.005 },
            values: Tensor::F32(r.floats(12 * 6)),
        },
        readout: Some(Readout { weights: Tensor::F32(r.floats(12 * 5)), ..Readout::default() }),
        head: Head::Means(Tensor::F32(r.floats(6 * 5))),
        ..model
    }
}
