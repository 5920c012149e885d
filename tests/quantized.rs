//! Models in floats, brought to integers by the rules of FORMAT.md, give nearly the same embeddings.

use nearmark::Model;
use nearmark_format::{
    AlignedBuf, FeatureMap, Head, IntParams, Kernel, ModelBuf, Num, Projection, Readout, Tensor, meta::code,
};
use nearmark_tests::rng::Rng;

const INPUTS: usize = 24;
const DIM: usize = 6;
const CENTERS: usize = 40;
const ROWS: usize = 300;

fn rows(r: &mut Rng) -> Vec<Vec<u8>> {
    (0..ROWS).map(|_| (0..INPUTS).map(|_| r.word() as u8).collect()).collect()
}

/// Embeddings by the runtime, in real coordinates.
fn embedded(model: &ModelBuf, rows: &[Vec<u8>]) -> Vec<Vec<f32>> {
    let bytes = AlignedBuf::from(model.encode().unwrap().as_slice());
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let embed = |row: &Vec<u8>| {
        let mut z = vec![0.0; model.dim()];
        model.embed(row.as_slice(), &mut z, &mut scratch).map(|()| z).unwrap()
    };
    rows.iter().map(embed).collect()
}

/// A multiplier of 16 bits and a shift for a real factor below 1.
fn multiplier(factor: f64) -> (u16, u8) {
    let shift = (0..15).rev().find(|&s| factor * f64::from(1u32 << (16 + s)) < 65_536.0).unwrap();
    ((factor * f64::from(1u32 << (16 + shift))) as u16, shift)
}

/// The readout in 16 bits, each coordinate as large as the sum allows, and `z` as large as distances allow.
fn quantize_readout(int: &mut ModelBuf, weights: &[f32], value_unit: f64, largest_z: f64) {
    let z_max = 8191;
    let z_unit = largest_z / f64::from(z_max);
    let column = |j: usize| weights.iter().skip(j).step_by(DIM).map(|&a| f64::from(a));
    let largest_value = if int.feature_map == FeatureMap::None { 128.0 } else { 32_767.0 };
    let room = 2_147_000_000.0 / largest_value;
    let mut units = Vec::new();
    for j in 0..DIM {
        let sum: f64 = column(j).map(f64::abs).sum();
        let most = column(j).fold(0.0, |most: f64, a| most.max(a.abs()));
        units.push((sum / room).max(most / 32_767.0));
    }
    // One shift for all coordinates, the least of theirs.
    let factor = |j: usize| units[j] * value_unit / z_unit;
    let shift = (0..DIM).map(|j| multiplier(factor(j)).1).min().unwrap();
    let int_mul = (0..DIM).map(|j| (factor(j) * f64::from(1u32 << (16 + shift))).round() as u16).collect();
    let values = weights.iter().enumerate().map(|(at, &a)| (f64::from(a) / units[at % DIM]).round() as i16).collect();
    int.readout = Some(Readout { weights: Tensor::I16(values), int_mul, ..Readout::default() });
    let params = int.int.as_mut().unwrap();
    (params.z_shift, params.z_max, params.z_unit) = (shift, z_max, z_unit as f32);
}

/// Asserts that coordinates differ by at most `tolerance` of the largest one.
fn assert_near(name: &str, float: &ModelBuf, int: &ModelBuf, rows: &[Vec<u8>], tolerance: f32) {
    let (float, int) = (embedded(float, rows), embedded(int, rows));
    let largest = float.iter().flatten().fold(0.0, |a: f32, v| a.max(v.abs()));
    let mut worst = 0.0;
    for (a, b) in float.iter().flatten().zip(int.iter().flatten()) {
        worst = f32::max(worst, (a - b).abs() / largest);
    }
    println!("{name}: {worst:e} of the largest coordinate");
    assert!(worst < tolerance, "{name}: {worst} of the largest coordinate");
}

fn largest(float: &ModelBuf, rows: &[Vec<u8>]) -> f64 {
    embedded(float, rows).iter().flatten().fold(0.0, |a: f64, v| a.max(f64::from(v.abs())))
}

/// A float model over bytes, and the beginning of the same one in integers.
fn pair(feature_map: FeatureMap, weights: Vec<f32>) -> (ModelBuf, ModelBuf) {
    let float = ModelBuf {
        input: Num::U8,
        feature_map,
        readout: Some(Readout { weights: Tensor::F32(weights), ..Readout::default() }),
        ..ModelBuf::new(INPUTS, DIM, DIM)
    };
    let int = ModelBuf { readout: None, int: Some(IntParams { z_one: 1, ..IntParams::default() }), ..float.clone() };
    (float, int)
}

fn k_mul(octaves_per_unit: f64) -> (u32, u8) {
    let of = |shift: u8| octaves_per_unit * f64::from(1u32 << 27) * f64::from(1u32 << shift);
    let shift = (0..31).find(|&s| of(s) >= 4096.0).unwrap();
    (of(shift).round() as u32, shift)
}

#[test]
fn kernels_over_bytes_lose_only_the_rounding_of_their_values() {
    let mut r = Rng(1);
    let rows = rows(&mut r);
    let centers: Vec<u8> = (0..CENTERS * INPUTS).map(|_| r.word() as u8).collect();
    for (name, gamma, laplacian) in [("gaussian", 3e-6f32, false), ("laplacian", 4e-4, true)] {
        let kernel = if laplacian { Kernel::Laplacian { gamma } } else { Kernel::Gaussian { gamma } };
        let values = Tensor::F32(centers.iter().map(|&c| c.into()).collect());
        let weights = r.floats(CENTERS * DIM);
        let (float, mut int) = pair(FeatureMap::Centers { kernel, values }, weights.clone());
        int.feature_map = FeatureMap::Centers { kernel, values: Tensor::U8(centers.clone()) };
        let params = int.int.as_mut().unwrap();
        (params.k_mul, params.k_shift) = k_mul(f64::from(gamma) * std::f64::consts::LOG2_E);
        quantize_readout(&mut int, &weights, 1.0 / 32_767.0, largest(&float, &rows));
        assert_near(name, &float, &int, &rows, 1e-3);
    }
}

#[test]
fn a_projection_in_bytes_costs_a_few_hundredths() {
    let mut r = Rng(2);
    let rows = rows(&mut r);
    let projected = 8;
    let matrix: Vec<f32> = r.floats(projected * INPUTS);
    // The projected vector has about 74 · 0.58 · √24 ≈ 210 as its deviation; four of them fill a byte.
    let unit = 2.0 * 4.0 * 210.0 / 255.0;
    let centers: Vec<u8> = (0..CENTERS * projected).map(|_| 64 + r.below(128) as u8).collect();
    let (weights, gamma) = (r.floats(CENTERS * DIM), 1e-6f32);
    let kernel = Kernel::Gaussian { gamma };
    // In the float model bytes are taken about their middle, as in the integer one, through the bias.
    let middle = |i: usize| matrix[i * INPUTS..(i + 1) * INPUTS].iter().map(|w| -128.0 * w).sum::<f32>();
    let values = Tensor::F32(centers.iter().map(|&c| ((f64::from(c) - 128.0) * unit) as f32).collect());
    let (mut float, mut int) = pair(FeatureMap::Centers { kernel, values }, weights.clone());
    float.project = Some(Projection {
        outputs: projected,
        values: Tensor::F32(matrix.clone()),
        bias: (0..projected).map(middle).collect(),
        int_bias: Vec::new(),
        sparse: false,
    });
    let step = 1.0 / 127.0;
    let (mul, shift) = multiplier(step / unit);
    int.project = Some(Projection {
        outputs: projected,
        values: Tensor::I8(matrix.iter().map(|w| (f64::from(*w) / step).round() as i8).collect()),
        bias: Vec::new(),
        int_bias: vec![(128.0 * unit / step) as i32; projected],
        sparse: false,
    });
    int.feature_map = FeatureMap::Centers { kernel, values: Tensor::U8(centers) };
    let params = int.int.as_mut().unwrap();
    (params.in_zero, params.p_mul, params.p_shift) = (128, vec![mul; projected], shift);
    (params.k_mul, params.k_shift) = k_mul(f64::from(gamma) * unit * unit * std::f64::consts::LOG2_E);
    quantize_readout(&mut int, &weights, 1.0 / 32_767.0, largest(&float, &rows));
    assert_near("projection", &float, &int, &rows, 0.03);
}

#[test]
fn linear_models_over_bytes_lose_only_the_rounding_of_their_weights() {
    let mut r = Rng(3);
    let rows = rows(&mut r);
    let weights = r.floats(INPUTS * DIM);
    let (mut float, mut int) = pair(FeatureMap::None, weights.clone());
    let middle = |j: usize| weights.iter().skip(j).step_by(DIM).map(|a| -128.0 * a).sum::<f32>();
    float.readout.as_mut().unwrap().bias = (0..DIM).map(middle).collect();
    int.int.as_mut().unwrap().in_zero = 128;
    quantize_readout(&mut int, &weights, 1.0, largest(&float, &rows));
    assert_near("linear", &float, &int, &rows, 5e-4);
}

#[test]
fn random_features_from_one_seed_are_the_same_features() {
    let mut r = Rng(4);
    let rows = rows(&mut r);
    for law in [code::LAW_SIGNS, code::LAW_BYTES] {
        let (weights, gamma) = (r.floats(CENTERS * DIM), if law == code::LAW_SIGNS { 5e-4 } else { 3e-6 });
        let feature_map = FeatureMap::Seeded { gamma, count: CENTERS as u32, seed: 99, law };
        let (mut float, mut int) = pair(feature_map, weights.clone());
        float.scale = nearmark_format::Scale::Uniform { mul: 1.0, add: -128.0 };
        let params = int.int.as_mut().unwrap();
        (params.in_zero, params.k_mul) = (128, (f64::from(gamma) * 4_294_967_296.0).round() as u32);
        quantize_readout(&mut int, &weights, 1.0 / 32_767.0, largest(&float, &rows));
        assert_near("seeded", &float, &int, &rows, 1e-3);
    }
}

#[test]
fn unit_vectors_are_the_nearest_ones_in_both() {
    let mut r = Rng(5);
    let rows = rows(&mut r);
    let weights = r.floats(INPUTS * DIM);
    let (mut float, mut int) = pair(FeatureMap::None, weights.clone());
    let middle = |j: usize| weights.iter().skip(j).step_by(DIM).map(|a| -128.0 * a).sum::<f32>();
    float.readout.as_mut().unwrap().bias = (0..DIM).map(middle).collect();
    (float.head, int.head) = (Head::Unit, Head::Unit);
    let params = int.int.as_mut().unwrap();
    (params.in_zero, params.z_one) = (128, 1);
    quantize_readout(&mut int, &weights, 1.0, largest(&float, &rows));
    let answers = |model: &ModelBuf| -> Vec<u16> {
        let bytes = AlignedBuf::from(model.encode().unwrap().as_slice());
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![0; model.scratch_words()];
        rows.iter().map(|row| model.classify(row.as_slice(), &mut scratch).unwrap().class().0).collect()
    };
    let same = answers(&float).iter().zip(answers(&int)).filter(|(a, b)| **a == *b).count();
    assert!(same * 1000 >= 995 * ROWS, "{same} of {ROWS}");
}
