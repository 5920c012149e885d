//! The stage against a plain one, over every kind of geometry.

use std::vec::Vec;

use nearmark_format::{AlignedBuf, Convolution, Head, IntParams, ModelBuf, Num, Pool, Pooling, Readout, Shape, Tensor};

use super::*;

/// The upper bits of a linear congruential generator.
struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(self.0) * u64::from(limit)) >> 32) as u32
    }

    fn filters(&mut self, outputs: usize, channels: usize, least: i32, most: i32) -> nearmark_format::Filters {
        let mut below = |least: i32, most: i32| least + self.below((most - least + 1) as u32) as i32;
        nearmark_format::Filters {
            outputs,
            values: Tensor::I8((0..outputs * channels * 9).map(|_| below(least, most) as i8).collect()),
            int_bias: (0..outputs).map(|_| below(-20_000, 60_000)).collect(),
            mul: (0..outputs).map(|_| below(100, 65_535) as u16).collect(),
            shift: 7,
            ..nearmark_format::Filters::default()
        }
    }
}

/// Bytes of planes of `cols` columns, as `FORMAT.md` has it.
fn layer(filters: &nearmark_format::Filters, planes: &[Vec<i64>], cols: usize) -> Vec<Vec<i64>> {
    let Tensor::I8(values) = &filters.values else { panic!("integers") };
    let rows = planes[0].len() / cols;
    let filter = |at: usize| {
        let weights = &values[at * 9 * planes.len()..][..9 * planes.len()];
        let value = |row: usize, col: usize| {
            let mut sum = i64::from(filters.int_bias[at]);
            for (weights, plane) in weights.chunks(9).zip(planes) {
                for (tap, &weight) in weights.iter().enumerate() {
                    sum += i64::from(weight) * plane[(row + tap / 3) * cols + col + tap % 3];
                }
            }
            let cut = (sum * i64::from(filters.mul[at])) >> 16;
            ((cut + (1 << filters.shift >> 1)) >> filters.shift).clamp(0, 255)
        };
        (0..rows - 2)
            .flat_map(|row| (0..cols - 2).map(move |col| (row, col)))
            .map(|(row, col)| value(row, col))
            .collect()
    };
    (0..filters.outputs).map(filter).collect()
}

fn pooled(pooling: Pooling, plane: &[i64], cols: usize) -> Vec<i64> {
    if pooling == Pooling::None {
        return plane.to_vec();
    }
    let mut out = Vec::new();
    for row in 0..plane.len() / cols / 2 {
        for col in 0..cols / 2 {
            let at = 2 * row * cols + 2 * col;
            let four = [plane[at], plane[at + 1], plane[at + cols], plane[at + cols + 1]];
            out.push(match pooling {
                Pooling::Max => four.into_iter().max().unwrap(),
                _ => (four.iter().sum::<i64>() + 2) >> 2,
            });
        }
    }
    out
}

fn expected(convolution: &Convolution, shape: Shape, x: &[u8]) -> Vec<u8> {
    let (rows, cols, channels) = (shape.rows as usize, shape.cols as usize, shape.channels as usize);
    let (high, wide) = (usize::from(convolution.block.rows), usize::from(convolution.block.cols));
    let value = |channel: usize, row: usize, col: usize| {
        let at = if convolution.interleaved {
            (row * cols + col) * channels + channel
        } else {
            (channel * rows + row) * cols + col
        };
        i64::from(x[at])
    };
    let count = (high * wide) as i64;
    let mean = |channel: usize, row: usize, col: usize| {
        let block =
            (row * high..(row + 1) * high).flat_map(|row| (col * wide..(col + 1) * wide).map(move |col| (row, col)));
        let sum: i64 = block.map(|(row, col)| value(channel, row, col)).sum();
        ((sum * ((65_536 + count / 2) / count) + 32_768) >> 16).min(255)
    };
    let plane = |channel: usize| {
        (0..rows / high)
            .flat_map(|row| (0..cols / wide).map(move |col| (row, col)))
            .map(|(row, col)| mean(channel, row, col))
            .collect()
    };
    let mut planes: Vec<Vec<i64>> = (0..channels).map(plane).collect();
    let mut cols = cols / wide;
    for filters in [Some(&convolution.first), convolution.second.as_ref()].into_iter().flatten() {
        planes = layer(filters, &planes, cols);
        cols -= 2;
    }
    planes.iter().flat_map(|plane| pooled(convolution.pooling, plane, cols)).map(|byte| byte as u8).collect()
}

fn model(convolution: Convolution, shape: Shape) -> ModelBuf {
    let mut model = ModelBuf {
        input: Num::U8,
        shape: Some(shape),
        convolution: Some(convolution),
        head: Head::Unit,
        int: Some(IntParams { z_max: 100, z_one: 1, z_unit: 1.0, ..IntParams::default() }),
        ..ModelBuf::new((shape.channels * shape.rows * shape.cols) as usize, 2, 2)
    };
    let weights = Tensor::I8(std::vec![1; 2 * model.features()]);
    model.readout = Some(Readout { weights, int_mul: std::vec![1; 2], ..Readout::default() });
    model
}

fn check(convolution: &Convolution, shape: Shape, random: &mut Random) {
    let model = model(convolution.clone(), shape);
    let bytes = AlignedBuf::from(model.encode().unwrap().as_slice());
    let layout = Layout::from_bytes(&bytes).unwrap();
    let x: Vec<u8> = (0..model.inputs).map(|_| random.below(256) as u8).collect();
    let mut room = std::vec![0xDEAD_BEEF; layout.header().scratch as usize];
    features(&layout, &Quantizer::new(layout.meta()), |_| 0, 0x80, &x, &mut room);
    let got: &[u8] = bytemuck::cast_slice(&room);
    let expected: Vec<u8> = expected(convolution, shape, &x).iter().map(|byte| byte ^ 0x80).collect();
    assert_eq!(expected.len(), layout.kept());
    assert_eq!(got[..expected.len()], expected, "{convolution:?} {shape:?}");
    assert!(got[expected.len()..expected.len().next_multiple_of(4)].iter().all(|&byte| byte == 0));
}

#[test]
fn features_are_those_of_plain_loops() {
    let mut random = Random(1);
    let shapes = [(1, 14, 14), (1, 12, 18), (2, 6, 10), (3, 10, 12), (1, 8, 6)];
    for (channels, rows, cols) in shapes {
        for (high, wide) in [(1, 1), (2, 2), (1, 2)] {
            for outputs in [[1, 0], [8, 8], [3, 5], [10, 2], [4, 1]] {
                for pooling in [Pooling::None, Pooling::Max, Pooling::Mean] {
                    let [first, second] = outputs;
                    let shape = Shape { channels, rows, cols };
                    let convolution = Convolution {
                        block: Pool { rows: high, cols: wide },
                        interleaved: random.below(2) == 1,
                        first: random.filters(first, channels as usize, -128, 127),
                        second: (second != 0).then(|| random.filters(second, first, -8, 7)),
                        pooling,
                    };
                    if model(convolution.clone(), shape).features() != 0 {
                        check(&convolution, shape, &mut random);
                    }
                }
            }
        }
    }
}

#[test]
fn the_largest_sums_fit() {
    let extreme = |outputs: usize, channels: usize, weight: i8, mul: u16, shift: u8| nearmark_format::Filters {
        outputs,
        values: Tensor::I8(std::vec![weight; outputs * channels * 9]),
        int_bias: std::vec![1000; outputs],
        mul: std::vec![mul; outputs],
        shift,
        ..nearmark_format::Filters::default()
    };
    let shape = Shape { channels: 3, rows: 7, cols: 8 };
    for (first, second) in [(127, -8), (127, 7), (-128, 7)] {
        let convolution = Convolution {
            block: Pool { rows: 1, cols: 1 },
            interleaved: false,
            first: extreme(15, 3, first, 700, 4),
            second: Some(extreme(2, 15, second, 100, 4)),
            pooling: Pooling::None,
        };
        let model = model(convolution.clone(), shape);
        let bytes = AlignedBuf::from(model.encode().unwrap().as_slice());
        let layout = Layout::from_bytes(&bytes).unwrap();
        let mut room = std::vec![0; layout.header().scratch as usize];
        let x = [255u8; 168];
        features(&layout, &Quantizer::new(layout.meta()), |_| 0, 0, &x, &mut room);
        let got: &[u8] = bytemuck::cast_slice(&room);
        assert_eq!(got[..layout.kept()], expected(&convolution, shape, &x), "{first} {second}");
    }
}
