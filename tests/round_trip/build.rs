//! From a plan to a model: arrays of the right lengths and types, filled from the plan's seed.

use std::collections::BTreeMap;

use nearmark_format::{
    FeatureMap, Head, IntParams, Kernel, ModelBuf, Nibbles, Num, Projection, Readout, Scale, Shape, Tensor, extras,
};
use nearmark_tests::{
    rng::Rng,
    series::{Values, series},
};

use super::{FeatureMapPlan, Plan, Preprocessing};

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

    fn u16s(&mut self, len: usize) -> Vec<u16> {
        (0..len).map(|_| self.rng.word() as u16).collect()
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
    /// The model of a plan.
    pub(crate) fn model(&self) -> ModelBuf {
        let mut numbers = Numbers { rng: Rng(self.seed), int: self.int };
        let mut model = ModelBuf { input: self.input, ..ModelBuf::new(1, self.dim, self.classes) };
        let area = |s: Shape| (s.channels * s.rows * s.cols) as usize;
        match self.preprocessing {
            Preprocessing::Plain(inputs) => model.inputs = inputs,
            Preprocessing::Drawn(shape) => (model.inputs, model.shape) = (area(shape), Some(shape)),
            Preprocessing::Windowed(shape, window) => {
                (model.inputs, model.shape, model.window) = (area(shape), Some(shape), Some(window));
            }
            Preprocessing::Pooled(shape, pool) => {
                (model.inputs, model.shape, model.pool) = (area(shape), Some(shape), Some(pool));
            }
            Preprocessing::Described(shape, features, interleaved) => {
                let values = Values { int: self.int, typical: 1000.0, units: 1.0 };
                (model.inputs, model.shape) = (area(shape), Some(shape));
                model.series = Some(series(&mut numbers.rng, shape, interleaved, features, values));
            }
        }
        // What counts leave is neither selected nor scaled.
        let plain = model.series.is_some();
        model.select = self.select.filter(|_| !plain).map(|share| {
            let mut mask: Vec<bool> = (0..model.pooled()).map(|_| numbers.rng.below(16) < usize::from(share)).collect();
            // At least one feature is kept.
            let at = numbers.rng.below(mask.len());
            mask[at] = true;
            mask
        });
        let width = model.features();
        model.scale = match (if plain { 0 } else { self.scale }, self.int) {
            (1, false) => Scale::Uniform { mul: numbers.rng.float(), add: numbers.rng.float() },
            (2, false) => Scale::Features { mul: numbers.floats(width), add: numbers.floats(width) },
            (2, true) => Scale::IntFeatures { zero: numbers.i16s(width), mul: numbers.i16s(width) },
            (3, false) => Scale::Unit,
            _ => Scale::None,
        };
        model.project =
            self.project.map(|(outputs, sparse, bias)| projection(&mut numbers, outputs, width, sparse, bias));
        let width = self.project.map_or(width, |(outputs, ..)| outputs);
        let mapped = self.feature_map(&mut numbers, &mut model, width);
        if let Some(bias) = self.readout {
            let (bias, int_bias) = numbers.bias(bias, self.dim);
            let weights = match (self.int, self.narrow) {
                (false, _) => Tensor::F32(numbers.floats(mapped * self.dim)),
                (true, false) => Tensor::I16(numbers.i16s(mapped * self.dim)),
                (true, true) => Tensor::I8(numbers.i8s(mapped * self.dim)),
            };
            let int_mul = numbers.u16s(if self.int { self.dim } else { 0 });
            model.readout = Some(Readout { weights, bias, int_mul, int_bias });
        } else {
            // Without a readout the mapped values are the embedding.
            model.dim = mapped;
        }
        self.head(&mut numbers, &mut model);
        self.rest(&mut numbers, &mut model);
        model
    }

    fn feature_map(&self, numbers: &mut Numbers, model: &mut ModelBuf, width: usize) -> usize {
        let gamma = 1e-3 + numbers.rng.float().abs();
        match self.feature_map {
            FeatureMapPlan::None => width,
            FeatureMapPlan::Centers { kernel, count, degree } => {
                let kernel = match kernel {
                    0 => Kernel::Gaussian { gamma },
                    1 => Kernel::Laplacian { gamma },
                    // There is no polynomial in integers.
                    _ if self.int => Kernel::Gaussian { gamma },
                    _ => Kernel::Polynomial { gamma, offset: numbers.rng.float(), degree },
                };
                let len = count * width;
                let values = if self.int { Tensor::U8(numbers.u8s(len)) } else { Tensor::F32(numbers.floats(len)) };
                model.feature_map = FeatureMap::Centers { kernel, values };
                count
            }
            FeatureMapPlan::Random { count } => {
                let weights = numbers.small(count * width);
                let phases = numbers.floats(if self.int { 0 } else { count });
                let int_phases = numbers.u16s(if self.int { count } else { 0 });
                model.feature_map = FeatureMap::Random { gamma, weights, phases, int_phases };
                count
            }
            FeatureMapPlan::Seeded { count, law } => {
                model.feature_map = FeatureMap::Seeded { gamma, count, seed: numbers.rng.word(), law };
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
        let z_max = 1 + rng.below(largest.min(32767.0) as usize) as u32;
        model.int = self.int.then(|| IntParams {
            // Only float samples have a scale.
            f32_mul: if self.input == Num::F32 { 100.0 * rng.float() } else { 0.0 },
            f32_add: if self.input == Num::F32 { rng.float() } else { 0.0 },
            in_zero: i32::from(rng.word() as i16) >> rng.below(16),
            in_mul: if self.scale == 1 && model.series.is_none() { i32::from(rng.word() as i16 | 1) } else { 0 },
            in_shift: rng.below(16) as u8,
            p_mul: (0..self.project.map_or(0, |(outputs, ..)| outputs)).map(|_| rng.word() as u16).collect(),
            p_shift: rng.below(16) as u8,
            k_mul: (rng.word() as u32 | 1 << 31) >> rng.below(32),
            k_shift: rng.below(32) as u8,
            nibbles: Nibbles::default(),
            z_shift: rng.below(16) as u8,
            z_max,
            z_one: if matches!(model.head, Head::Unit) { 1 + rng.below(z_max as usize) as u32 } else { 0 },
            z_unit: 1e-9 + rng.float().abs(),
        });
        if self.int {
            nibbles(rng.below(8), model);
        }
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
        if let Some(info) = model.info.as_mut().filter(|_| !self.names) {
            // As many as there are classes, in every second model that does not store them.
            info.class_names =
                (0..model.classes * usize::from(info.interleaved)).map(|class| format!("ß{class}")).collect();
        }
    }
}

/// Stores matrices in 4 bits, where they can be: the upper halves of their bytes. `which` has a bit for each.
fn nibbles(which: usize, model: &mut ModelBuf) {
    let mut stored = Nibbles::default();
    if let Some(Projection { values: Tensor::I8(values), sparse: false, .. }) = &mut model.project
        && which & 1 != 0
    {
        values.iter_mut().for_each(|value| *value &= -16);
        stored.project = true;
    }
    if let FeatureMap::Centers { kernel: Kernel::Gaussian { .. }, values: Tensor::U8(values) } = &mut model.feature_map
        && which & 2 != 0
    {
        values.iter_mut().for_each(|value| *value &= 0xF0);
        stored.centers = true;
    }
    if let Some(Readout { weights: Tensor::I8(values), .. }) = &mut model.readout
        && which & 4 != 0
    {
        values.iter_mut().for_each(|value| *value &= -16);
        stored.readout = true;
    }
    if let Some(int) = &mut model.int {
        int.nibbles = stored;
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
