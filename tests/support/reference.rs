//! The stages once more, plainly and in double precision: what the runtime must agree with.
//!
//! Written from `FORMAT.md` alone, sharing nothing with the runtime but the seeded generator.

use nearmark_format::{
    FeatureMap, Head, Kernel, Level, ModelBuf, Projection, Scale, Series, SeriesEntry, Shape, Tensor, Window,
    meta::code, seed::Row, series,
};

use crate::series_reader::outputs;

/// The embedding of a sample.
#[must_use]
pub fn embed(model: &ModelBuf, x: &[f32]) -> Vec<f64> {
    let mut x: Vec<f64> = x.iter().map(|&v| v.into()).collect();
    if let (Some(shape), Some(window)) = (model.shape, model.window) {
        x = statistics(shape, window, &x);
    }
    if let (Some(shape), Some(pool)) = (model.shape, model.pool) {
        x = pooled(shape, usize::from(pool.rows), usize::from(pool.cols), &x);
    }
    if let (Some(shape), Some(series)) = (model.shape, &model.series) {
        x = described(shape, series, &x);
    }
    if let Some(mask) = &model.select {
        x = x.into_iter().zip(mask).filter(|(_, kept)| **kept).map(|(v, _)| v).collect();
    }
    x = scaled(&model.scale, x);
    if let Some(projection) = &model.project {
        x = projected(projection, &x);
    }
    let mapped = mapped(&model.feature_map, &x);
    let Some(readout) = &model.readout else { return mapped };
    let weights = floats(&readout.weights);
    (0..model.dim)
        .map(|j| {
            let sum: f64 = mapped.iter().enumerate().map(|(i, k)| k * weights[i * model.dim + j]).sum();
            sum + readout.bias.get(j).map_or(0.0, |&b| b.into())
        })
        .collect()
}

/// The class of an embedding, and by how much it wins.
///
/// # Panics
/// If a distance is not finite.
#[must_use]
pub fn classify(model: &ModelBuf, z: &[f64]) -> (usize, f64) {
    let mut prototypes: Vec<(f64, usize)> = match &model.head {
        Head::Unit => {
            let unit = |c: usize| (0..z.len()).map(|j| f64::from(u8::from(j == c))).collect::<Vec<_>>();
            (0..model.classes).map(|c| (gap(z, &unit(c)), c)).collect()
        }
        Head::Means(values) => floats(values).chunks(model.dim).enumerate().map(|(c, m)| (gap(z, m), c)).collect(),
        Head::Prototypes { values, counts, .. } => {
            let labels = counts.iter().enumerate().flat_map(|(c, &n)| std::iter::repeat_n(c, n.into()));
            floats(values).chunks(model.dim).zip(labels).map(|(p, c)| (gap(z, p), c)).collect()
        }
    };
    prototypes.sort_by(|a, b| a.partial_cmp(b).expect("finite distances"));
    let k = match &model.head {
        Head::Prototypes { k, .. } => usize::from(*k),
        _ => 1,
    };
    let voters = &prototypes[..k.min(prototypes.len())];
    let votes = |class: usize| voters.iter().filter(|(_, c)| *c == class).count();
    let most = voters.iter().map(|(_, c)| votes(*c)).max().expect("at least one voter");
    let (_, winner) = *voters.iter().find(|(_, c)| votes(*c) == most).expect("somebody has most votes");
    // Anything that could change the vote: the gap between any two neighbors in the ranking.
    let margin = prototypes.windows(2).take(k).map(|w| w[1].0 - w[0].0).fold(f64::INFINITY, f64::min);
    (winner, margin)
}

fn gap(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn floats(values: &Tensor) -> Vec<f64> {
    match values {
        Tensor::F32(v) => v.iter().map(|&v| v.into()).collect(),
        other => panic!("a float model holds {} values", other.num().name()),
    }
}

fn statistics(shape: Shape, window: Window, x: &[f64]) -> Vec<f64> {
    let (channels, time) = (shape.channels as usize, shape.cols as usize);
    let segments = usize::from(window.segments);
    let at = |c: usize, t: usize| if window.interleaved { x[t * channels + c] } else { x[c * time + t] };
    let mut out = Vec::new();
    for c in 0..channels {
        let mut start = 0;
        for s in 0..segments {
            let len = time / segments + usize::from(s < time % segments);
            let values: Vec<f64> = (start..start + len).map(|t| at(c, t)).collect();
            start += len;
            let all = five(&values);
            out.extend(all.iter().filter(|(stat, _)| window.stats & stat != 0).map(|(_, v)| v));
        }
    }
    out
}

/// The statistics of some values, and their bits.
fn five(values: &[f64]) -> [(u8, f64); 5] {
    let len = values.len();
    let mean = values.iter().sum::<f64>() / len as f64;
    let steps: f64 = values.windows(2).map(|w| (w[1] - w[0]).abs()).sum();
    [
        (code::STAT_MEAN, mean),
        (code::STAT_DEVIATION, values.iter().map(|v| (v - mean).abs()).sum::<f64>() / len as f64),
        (code::STAT_MIN, values.iter().copied().fold(f64::INFINITY, f64::min)),
        (code::STAT_MAX, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        (code::STAT_STEP, steps / (len.max(2) - 1) as f64),
    ]
}

/// Counts and statistics of a series.
fn described(shape: Shape, series: &Series, x: &[f64]) -> Vec<f64> {
    let (channels, time) = (shape.channels as usize, shape.cols as usize);
    let feature = |entry: &SeriesEntry| {
        let channel = usize::from(entry.channel);
        let at = |t: usize| if series.interleaved { x[t * channels + channel] } else { x[channel * time + t] };
        let word = u32::from(entry.operator) | u32::from(entry.part) << 7 | u32::from(entry.dilation) << 10;
        let values: Vec<f64> = (0..time).map(at).collect();
        let v = outputs(word, &values, |[a, b, c], nine| 3.0 * (a + b + c) - nine.iter().sum::<f64>());
        match entry.level {
            Level::RealThreshold(threshold) => {
                v.iter().filter(|&&v| v > f64::from(threshold)).count() as f64 / v.len() as f64
            }
            Level::RealScale { zero, multiplier } => {
                let (_, statistic) = five(&v)[usize::from(entry.operator - series::MEAN)];
                (statistic - f64::from(zero)) * f64::from(multiplier)
            }
            _ => panic!("a float model has real thresholds"),
        }
    };
    series.entries.iter().map(feature).collect()
}

fn pooled(shape: Shape, block_rows: usize, block_cols: usize, x: &[f64]) -> Vec<f64> {
    let (rows, cols) = (shape.rows as usize, shape.cols as usize);
    let mut out = Vec::new();
    for plane in x.chunks(rows * cols) {
        for r in (0..rows).step_by(block_rows) {
            for c in (0..cols).step_by(block_cols) {
                let block = (r..r + block_rows).flat_map(|r| (c..c + block_cols).map(move |c| (r, c)));
                out.push(block.map(|(r, c)| plane[r * cols + c]).sum());
            }
        }
    }
    out
}

fn scaled(scale: &Scale, x: Vec<f64>) -> Vec<f64> {
    match scale {
        Scale::None => x,
        Scale::Uniform { mul, add } => x.iter().map(|v| v * f64::from(*mul) + f64::from(*add)).collect(),
        Scale::Features { mul, add } => {
            x.iter().zip(mul).zip(add).map(|((v, &m), &a)| v * f64::from(m) + f64::from(a)).collect()
        }
        Scale::Unit => {
            let length = x.iter().map(|v| v * v).sum::<f64>().sqrt();
            if length == 0.0 { x } else { x.iter().map(|v| v / length).collect() }
        }
        Scale::IntFeatures { .. } => panic!("a float model scales in floats"),
    }
}

fn projected(projection: &Projection, x: &[f64]) -> Vec<f64> {
    let bias = |i: usize| projection.bias.get(i).map_or(0.0, |&b| b.into());
    let rows = floats(&projection.values);
    rows.chunks(x.len()).enumerate().map(|(i, row)| bias(i) + dot(row, x)).collect()
}

fn mapped(feature_map: &FeatureMap, x: &[f64]) -> Vec<f64> {
    let cosine = |turns: f64| (turns * std::f64::consts::TAU).cos();
    match feature_map {
        FeatureMap::None => x.to_vec(),
        FeatureMap::Centers { kernel, values } => {
            floats(values).chunks(x.len()).map(|c| value(*kernel, x, c)).collect()
        }
        FeatureMap::Random { gamma, weights, phases, .. } => floats(weights)
            .chunks(x.len())
            .zip(phases)
            .map(|(w, &phase)| cosine(f64::from(*gamma) * dot(w, x) + f64::from(phase)))
            .collect(),
        FeatureMap::Seeded { gamma, count, seed, law } => (0..*count)
            .map(|row| {
                let mut weights = Row::new(*seed as u32, (*seed >> 32) as u32, row, *law);
                let sum: f64 = x.iter().map(|v| v * f64::from(weights.weight())).sum();
                cosine(f64::from(*gamma) * sum + f64::from(weights.phase()) / 4_294_967_296.0)
            })
            .collect(),
    }
}

fn value(kernel: Kernel, x: &[f64], c: &[f64]) -> f64 {
    match kernel {
        Kernel::Gaussian { gamma } => (-f64::from(gamma) * gap(x, c)).exp(),
        Kernel::Laplacian { gamma } => {
            (-f64::from(gamma) * x.iter().zip(c).map(|(x, c)| (x - c).abs()).sum::<f64>()).exp()
        }
        Kernel::Polynomial { gamma, offset, degree } => {
            (f64::from(gamma) * dot(x, c) + f64::from(offset)).powi(degree.into())
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
