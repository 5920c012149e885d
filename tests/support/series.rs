//! Features of a series, made up from a seed.

use nearmark_format::{
    Level, ModelBuf, Num, Series, SeriesEntry, Shape,
    series::{self, DISTANCE, KERNELS, MEAN, SUM, VALUE},
};

use crate::rng::Rng;

/// What the values of a series are, for thresholds that some outputs exceed.
#[derive(Copy, Clone, Debug)]
pub struct Values {
    /// Whether features are bytes.
    pub int: bool,
    /// Most of them lie within ± this.
    pub typical: f32,
    /// Units of an integer statistic in a value.
    pub units: f32,
}

/// A model over so many channels of its inputs: counts and statistics come first.
pub(crate) fn counted(model: ModelBuf, channels: u32, features: usize, interleaved: bool, r: &mut Rng) -> ModelBuf {
    let shape = Shape { channels, rows: 1, cols: model.inputs as u32 / channels };
    let (typical, units) = match (model.input, &model.int) {
        (Num::F32, None) => (1.0, 1.0),
        (Num::F32 | Num::I16, _) => (2000.0, 1.0),
        (Num::U8 | Num::I8, _) => (127.0, 64.0),
    };
    let values = Values { int: model.int.is_some(), typical, units };
    ModelBuf { shape: Some(shape), series: Some(series(r, shape, interleaved, features, values)), ..model }
}

/// So many features of a series, most of them counts, a few of them two or three of the same outputs.
#[must_use]
pub fn series(r: &mut Rng, shape: Shape, interleaved: bool, count: usize, values: Values) -> Series {
    let dilations = (0..16).take_while(|&index| series::dilation(shape.cols, index) != 0).count();
    let mut entries: Vec<SeriesEntry> = Vec::new();
    while entries.len() < count {
        let operator = match r.below(8) {
            0 => MEAN + r.below(5) as u8,
            1 | 2 => VALUE + r.below(4) as u8,
            _ => r.below(KERNELS.into()) as u8,
        };
        let dilation = if series::is_dilated(operator) { r.below(dilations) as u8 } else { 0 };
        let part = if r.below(3) == 0 { r.below(7) as u8 } else { 0 };
        let steps = series::dilation(shape.cols, dilation);
        if series::part(series::outputs(shape.cols, operator, steps), part).1 == 0 {
            continue;
        }
        let channel = r.below(shape.channels as usize) as u16;
        let alike = if series::is_counted(operator) { 1 + r.below(4) / 2 + r.below(6) / 5 } else { 1 };
        for _ in 0..alike.min(count - entries.len()) {
            entries.push(SeriesEntry { channel, operator, part, dilation, level: level(r, operator, values) });
        }
    }
    entries.sort_by_key(SeriesEntry::order);
    Series { interleaved, entries }
}

fn level(r: &mut Rng, operator: u8, Values { int, typical, units }: Values) -> Level {
    let spread = match operator {
        SUM => 3.0,
        _ if operator < KERNELS => 4.0,
        _ => 0.7,
    };
    let mut value = r.float() * spread * typical;
    if operator == DISTANCE {
        value = value.abs();
    }
    if series::is_counted(operator) {
        let stored = series::threshold(series::stored_threshold(value as i32));
        return if int { Level::Threshold(stored) } else { Level::RealThreshold(value) };
    }
    // About the range of the values to 0 … 255, or to 0 … 1.
    let range = 2.0 * typical * units;
    let shift = (0..15).find(|&shift| range * 1.5 / f32::from(1u16 << shift) <= 255.0).unwrap_or(15);
    if int {
        Level::Scale { zero: (-typical * units) as i16, mantissa: r.below(4) as u8, shift }
    } else {
        Level::RealScale { zero: -typical, multiplier: SeriesEntry::stored_multiplier(0.5 / typical) }
    }
}
