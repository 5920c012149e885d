//! Models of counts and statistics of a series: any numbers will do, since they cost the same as good ones.

use crate::Outcome;
use crate::models::{ROWS, between};
use nearmark_format::series::{self, DIFFERENCE, DISTANCE, KERNELS, LAST, MEAN, SUM, VALUE};
use nearmark_format::{Head, IntParams, Level, ModelBuf, Num, Readout, Series, SeriesEntry, Shape, Tensor};
use nearmark_train::linalg::Mat;
use nearmark_train::{ModelFile, Rng};

/// A model with random features, and samples for it.
pub(crate) fn model(int: bool, rng: &mut Rng) -> Outcome<(ModelFile, Mat)> {
    let (channels, steps) = (between(rng, 1, 6), between(rng, 40, 250));
    let (classes, features) = (between(rng, 2, 8), between(rng, 40, 300));
    let interleaved = rng.uniform() < 0.5;
    let mut entries: Vec<SeriesEntry> = Vec::new();
    while entries.len() < features {
        let entry = entry(channels, steps as u32, int, rng);
        // Often a second threshold, as selections have them.
        for _ in 0..1 + rng.below(3) {
            entries.push(SeriesEntry { level: level(entry.operator, int, rng), ..entry });
        }
    }
    let statistic = |e: &SeriesEntry| e.operator >= MEAN;
    entries
        .sort_by_key(|e| (e.channel, statistic(e), if statistic(e) { e.part } else { e.dilation }, e.operator, e.part));
    entries.dedup_by(|a, b| statistic(a) && (a.channel, a.operator, a.part) == (b.channel, b.operator, b.part));
    let features = entries.len();
    let mut weight = || rng.below(255) as i64 - 127;
    let readout = if int {
        let weights = Tensor::I8((0..features * classes).map(|_| weight() as i8).collect());
        Readout { weights, int_mul: vec![20_000; classes], int_bias: vec![7; classes], ..Readout::default() }
    } else {
        let weights = Tensor::F32((0..features * classes).map(|_| weight() as f32 / 127.0).collect());
        Readout { weights, bias: vec![0.5; classes], ..Readout::default() }
    };
    let params = IntParams { z_max: 8000, z_one: 4000, z_unit: 2.5e-4, z_shift: 2, ..IntParams::default() };
    let model = ModelBuf {
        input: if int { Num::I16 } else { Num::F32 },
        shape: Some(Shape { channels: channels as u32, rows: 1, cols: steps as u32 }),
        series: Some(Series { interleaved, entries }),
        readout: Some(readout),
        head: Head::Unit,
        int: int.then_some(params),
        ..ModelBuf::new(channels * steps, classes, classes)
    };
    let rows = Mat::from_fn(ROWS, channels * steps, |_, _| (1000.0 * rng.normal()).round());
    Ok((ModelFile::encode(&model)?, rows))
}

/// An operator that fits the series.
fn entry(channels: usize, steps: u32, int: bool, rng: &mut Rng) -> SeriesEntry {
    loop {
        let operator = match rng.below(8) {
            0 => MEAN + rng.below(usize::from(LAST - MEAN) + 1) as u8,
            1 => [VALUE, SUM, DIFFERENCE, DISTANCE][rng.below(4)],
            _ => rng.below(KERNELS.into()) as u8,
        };
        let dilation = if series::is_dilated(operator) { rng.below(5) as u8 } else { 0 };
        let part = if rng.uniform() < 0.7 { 0 } else { 1 + rng.below(2) as u8 };
        let outputs = series::outputs(steps, operator, series::dilation(steps, dilation));
        if series::dilation(steps, dilation) > 0 && series::part(outputs, part).1 > 0 {
            let channel = rng.below(channels) as u16;
            return SeriesEntry { channel, operator, part, dilation, level: level(operator, int, rng) };
        }
    }
}

fn level(operator: u8, int: bool, rng: &mut Rng) -> Level {
    let value = rng.below(4000) as i32 - 2000;
    match (int, series::is_counted(operator)) {
        (true, true) => Level::Threshold(value),
        (true, false) => Level::Scale { zero: value as i16, mantissa: 1, shift: 4 },
        (false, true) => Level::RealThreshold(value as f32),
        (false, false) => Level::RealScale { zero: value as f32, multiplier: 0.5 },
    }
}
