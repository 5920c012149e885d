//! The arithmetic of the INT profile, stage by stage, as `FORMAT.md` tells it: what the device will make of rows.
//!
//! Plain loops in 64 bits, so that a sum which 32 bits could not hold is seen and not wrapped. The quantizer looks at
//! each stage through the stages before it, and a test holds this file to the runtime, to the bit.

use super::tables::Tables;
use super::{QuantizeError, tensor};
use nearmark_format::{FeatureMap, Kernel, ModelBuf, Num, Scale, Window, meta::code, seed::Row};

/// Integers, row after row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Batch {
    pub(super) width: usize,
    pub(super) values: Vec<i32>,
    /// How many of them were cut to their range.
    pub(super) cut: usize,
}

impl Batch {
    pub(super) fn rows(&self) -> std::slice::ChunksExact<'_, i32> {
        self.values.chunks_exact(self.width)
    }

    /// Some of the rows.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|row| self.values[row * self.width..][..self.width].iter().copied());
        Self { values: values.collect(), ..*self }
    }

    /// The mean of every column.
    pub(super) fn means(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        for row in self.rows() {
            sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += f64::from(*v));
        }
        let rows = (self.values.len() / self.width.max(1)).max(1) as f64;
        sums.iter().map(|sum| sum / rows).collect()
    }

    /// The share of values that were cut.
    pub(super) fn cut_share(&self) -> f64 {
        self.cut as f64 / self.values.len().max(1) as f64
    }

    /// The same for every row: `each` takes a row and appends what it becomes.
    fn map(
        &self,
        width: usize,
        mut each: impl FnMut(&[i32], &mut Self) -> Result<(), QuantizeError>,
    ) -> Result<Self, QuantizeError> {
        let values = Vec::with_capacity(self.values.len() / self.width * width);
        let mut out = Self { width, values, cut: 0 };
        for row in self.rows() {
            each(row, &mut out)?;
        }
        Ok(out)
    }

    fn push(&mut self, value: i64, (low, high): (i64, i64)) {
        self.cut += usize::from(value < low || value > high);
        self.values.push(value.clamp(low, high) as i32);
    }
}

/// A sum of the device: exact, because it fits its register.
fn fits(stage: &'static str, sum: i64) -> Result<i64, QuantizeError> {
    i32::try_from(sum).map(i64::from).map_err(|_| QuantizeError::Overflow { stage, largest: sum.into() })
}

/// The range of a sample's type; floats become i16.
pub(super) const fn range(input: Num) -> (i32, i32) {
    match input {
        Num::U8 => (0, 255),
        Num::I8 => (-128, 127),
        Num::I16 | Num::F32 => (-32768, 32767),
    }
}

/// Bits behind the point in window statistics.
pub(super) const fn statistic_bits(input: Num) -> u32 {
    if matches!(input, Num::U8 | Num::I8) { 6 } else { 0 }
}

/// Samples, from rows in the trainer's order.
pub(super) fn samples(model: &ModelBuf, rows: &crate::linalg::Mat) -> Batch {
    let (low, high) = range(model.input);
    let door = model.int.as_ref().filter(|_| model.input == Num::F32).map(|int| (int.f32_mul, int.f32_add));
    let mut out = Batch { width: rows.ncols(), ..Batch::default() };
    for row in rows.row_iter() {
        for &x in row {
            let t = door.map_or(x as f32, |(mul, add)| x as f32 * mul + add);
            out.push(t.round_ties_even() as i64, (low.into(), high.into()));
        }
    }
    out
}

/// Window statistics or block sums, then the features kept.
pub(super) fn geometry(model: &ModelBuf, samples: &Batch) -> Result<Batch, QuantizeError> {
    const WORD: (i64, i64) = (-32768, 32767);
    let gathered = match (model.shape, model.window, model.pool) {
        (Some(shape), Some(window), _) => samples.map(model.pooled(), |x, out| {
            let (channels, time) = (shape.channels as usize, shape.cols as usize);
            for channel in 0..channels {
                let at = |t: usize| x[if window.interleaved { t * channels + channel } else { channel * time + t }];
                let signal: Vec<i64> = (0..time).map(|t| i64::from(at(t))).collect();
                let mut rest = signal.as_slice();
                let segments = usize::from(window.segments);
                for segment in 0..segments {
                    let (part, tail) = rest.split_at(time / segments + usize::from(segment < time % segments));
                    rest = tail;
                    statistics(model.input, window, part).for_each(|v| out.push(v, WORD));
                }
            }
            Ok(())
        })?,
        (Some(shape), None, Some(pool)) => samples.map(model.pooled(), |x, out| {
            let (rows, cols) = (shape.rows as usize, shape.cols as usize);
            let (tall, wide) = (usize::from(pool.rows), usize::from(pool.cols));
            for plane in x.chunks_exact(rows * cols) {
                for (r, c) in (0..rows).step_by(tall).flat_map(|r| (0..cols).step_by(wide).map(move |c| (r, c))) {
                    let line = |r: usize| plane[r * cols + c..][..wide].iter().map(|&v| i64::from(v)).sum::<i64>();
                    out.push((r..r + tall).map(line).sum(), WORD);
                }
            }
            Ok(())
        })?,
        _ => samples.clone(),
    };
    let Some(mask) = &model.select else { return Ok(gathered) };
    gathered.map(model.features(), |x, out| {
        out.values.extend(x.iter().zip(mask).filter(|(_, kept)| **kept).map(|(v, _)| *v));
        Ok(())
    })
}

fn statistics(input: Num, window: Window, v: &[i64]) -> impl Iterator<Item = i64> {
    let (len, low, bits) = (v.len() as i64, i64::from(range(input).0), statistic_bits(input));
    let mean = ((v.iter().map(|v| v - low).sum::<i64>() << bits) + len / 2) / len + (low << bits);
    let deviation = (v.iter().map(|v| ((v << bits) - mean).abs()).sum::<i64>() + len / 2) / len;
    let steps = (len - 1).max(1);
    let step = ((v.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<i64>() << bits) + steps / 2) / steps;
    let extreme = |v: Option<&i64>| v.map_or(0, |v| v << bits);
    let all = [
        (code::STAT_MEAN, mean),
        (code::STAT_DEVIATION, deviation),
        (code::STAT_MIN, extreme(v.iter().min())),
        (code::STAT_MAX, extreme(v.iter().max())),
        (code::STAT_STEP, step),
    ];
    all.into_iter().filter(move |(stat, _)| window.stats & stat != 0).map(|(_, value)| value)
}

/// The range of the 8 bits behind the door, or behind a projection.
pub(super) fn byte(model: &ModelBuf, projected: bool) -> (i64, i64) {
    let centers = matches!(model.feature_map, FeatureMap::Centers { .. });
    if centers && projected == model.project.is_some() { (0, 255) } else { (-128, 127) }
}

/// Features of 16 bits become 8.
pub(super) fn input(model: &ModelBuf, features: &Batch) -> Result<Batch, QuantizeError> {
    let Some(int) = &model.int else { return Ok(features.clone()) };
    let byte = byte(model, false);
    let shift = u32::from(int.in_shift);
    let scaled = |x: i32, zero: i64, mul: i64| ((i64::from(x) - zero) * mul + half(shift)) >> shift;
    features.map(features.width, |x, out| {
        for (j, &x) in x.iter().enumerate() {
            let y = match &model.scale {
                Scale::IntFeatures { zero, mul } => scaled(x, zero[j].into(), mul[j].into()),
                _ if int.in_mul != 0 => scaled(x, int.in_zero.into(), int.in_mul.into()),
                _ => i64::from(x) - i64::from(int.in_zero),
            };
            out.push(fits("input quantization", y)?, byte);
        }
        Ok(())
    })
}

const fn half(shift: u32) -> i64 {
    if shift == 0 { 0 } else { 1 << (shift - 1) }
}

/// From 32 bits to fewer.
fn rescaled(sum: i64, mul: u16, shift: u8) -> i64 {
    (((sum * i64::from(mul)) >> 16) + half(shift.into())) >> shift
}

/// The projected vectors, of 8 bits.
pub(super) fn project(model: &ModelBuf, x: &Batch) -> Result<Batch, QuantizeError> {
    let (Some(projection), Some(int)) = (&model.project, &model.int) else { return Ok(x.clone()) };
    let byte = byte(model, true);
    let weights = tensor::integers(&projection.values);
    x.map(projection.outputs, |x, out| {
        for (i, weights) in weights.chunks_exact(x.len()).enumerate() {
            let bias = projection.int_bias.get(i).map_or(0, |&b| i64::from(b));
            let sum = fits("projection", bias + dot(weights, x))?;
            out.push(rescaled(sum, int.p_mul[i], int.p_shift), byte);
        }
        Ok(())
    })
}

/// Kernel values or random features; without a feature map the features themselves.
pub(super) fn feature_map(model: &ModelBuf, x: &Batch) -> Result<Batch, QuantizeError> {
    let Some(int) = &model.int else { return Ok(x.clone()) };
    match &model.feature_map {
        FeatureMap::None => Ok(x.clone()),
        FeatureMap::Centers { kernel, values } => {
            let (centers, tables) = (tensor::integers(values), Tables::new());
            let apart = |x: &[i32], c: &[i32]| -> i64 {
                let gaps = x.iter().zip(c).map(|(x, c)| i64::from(x - c).abs());
                if matches!(kernel, Kernel::Gaussian { .. }) { gaps.map(|g| g * g).sum() } else { gaps.sum() }
            };
            x.map(centers.len() / x.width, |x, out| {
                out.values
                    .extend(centers.chunks_exact(x.len()).map(|c| tables.exp(apart(x, c), int.k_mul, int.k_shift)));
                Ok(())
            })
        }
        FeatureMap::Random { weights, int_phases, .. } => {
            let phases: Vec<u32> = int_phases.iter().map(|&p| u32::from(p) << 16).collect();
            cosines(x, &tensor::integers(weights), &phases, int.k_mul)
        }
        FeatureMap::Seeded { count, seed, law, .. } => {
            let (weights, phases) = seeded(*seed, *law, *count, x.width);
            cosines(x, &weights, &phases, int.k_mul)
        }
    }
}

/// The weights and phases that a seed stands for; phases in 2⁻³² turns.
pub(super) fn seeded(seed: u64, law: u8, count: u32, width: usize) -> (Vec<i32>, Vec<u32>) {
    let mut weights = Vec::with_capacity(count as usize * width);
    let phases = (0..count).map(|row| {
        let mut row = Row::new(seed as u32, (seed >> 32) as u32, row, law);
        weights.extend((0..width).map(|_| row.weight()));
        row.phase()
    });
    let phases = phases.collect();
    (weights, phases)
}

fn cosines(x: &Batch, weights: &[i32], phases: &[u32], mul: u32) -> Result<Batch, QuantizeError> {
    let tables = Tables::new();
    x.map(phases.len(), |x, out| {
        let rows = weights.chunks_exact(x.len()).zip(phases);
        // Whole turns do not matter, so these sums alone may wrap.
        out.values.extend(rows.map(|(w, phase)| tables.cos((dot(w, x) as u32).wrapping_mul(mul).wrapping_add(*phase))));
        Ok(())
    })
}

fn dot(weights: &[i32], x: &[i32]) -> i64 {
    weights.iter().zip(x).map(|(w, x)| i64::from(*w) * i64::from(*x)).sum()
}

/// The embedding.
pub(super) fn readout(model: &ModelBuf, values: &Batch) -> Result<Batch, QuantizeError> {
    let Some(int) = &model.int else { return Ok(values.clone()) };
    let range = (-i64::from(int.z_max), i64::from(int.z_max));
    let Some(readout) = &model.readout else {
        return values.map(model.dim, |v, out| {
            for &v in v {
                out.push((i64::from(v) + half(int.z_shift.into())) >> int.z_shift, range);
            }
            Ok(())
        });
    };
    let weights = tensor::integers(&readout.weights);
    values.map(model.dim, |v, out| {
        let mut sums: Vec<i64> = (0..model.dim).map(|j| readout.int_bias.get(j).map_or(0, |&b| b.into())).collect();
        for (v, weights) in v.iter().zip(weights.chunks_exact(model.dim)) {
            sums.iter_mut().zip(weights).for_each(|(sum, w)| *sum += i64::from(*v) * i64::from(*w));
        }
        for (sum, &mul) in sums.into_iter().zip(&readout.int_mul) {
            out.push(rescaled(fits("readout", sum)?, mul, int.z_shift), range);
        }
        Ok(())
    })
}

/// Everything behind the front: the embedding in raw units.
pub(super) fn embed(model: &ModelBuf, features: &Batch) -> Result<Batch, QuantizeError> {
    readout(model, &feature_map(model, &project(model, &input(model, features)?)?)?)
}
