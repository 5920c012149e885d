//! Filters over a picture as FORMAT.md has them, in both profiles: part of the readers written from it alone.

/// The metadata of a model with `shape` = 5.
struct Picture<'a> {
    file: &'a [u8],
}

impl Picture<'_> {
    fn byte(&self, at: usize) -> usize {
        self.file[28 + at].into()
    }

    fn word(&self, at: usize) -> usize {
        u32::from_le_bytes(self.file[28 + at..][..4].try_into().unwrap()) as usize
    }

    /// The planes of the picture, a mean of each block: `mean` takes its values row by row.
    fn planes<T: Copy>(&self, x: &[T], mean: impl Fn(&[T]) -> T) -> Vec<Vec<Vec<T>>> {
        let (rows, cols, channels) = (self.word(56), self.word(60), self.word(64));
        let (high, wide) = (self.byte(70), self.byte(71));
        let value = |c: usize, row: usize, col: usize| {
            if self.byte(55) == 0 { x[(c * rows + row) * cols + col] } else { x[(row * cols + col) * channels + c] }
        };
        let block = |c: usize, row: usize, col: usize| {
            let pixels = (0..high * wide).map(|i| value(c, row * high + i / wide, col * wide + i % wide));
            mean(&pixels.collect::<Vec<T>>())
        };
        let plane = |c| (0..rows / high).map(|row| (0..cols / wide).map(|col| block(c, row, col)).collect()).collect();
        (0..channels).map(plane).collect()
    }

    /// The features: 2 × 2 values of the last planes by `pick`, which takes them row by row.
    fn features<T: Copy>(&self, planes: &[Vec<Vec<T>>], pick: impl Fn([T; 4]) -> T) -> Vec<T> {
        let mut out = Vec::new();
        for plane in planes {
            if self.byte(69) == 0 {
                out.extend(plane.iter().flatten());
                continue;
            }
            for rows in plane.chunks_exact(2) {
                for col in 0..rows[0].len() / 2 {
                    let [left, right] = [2 * col, 2 * col + 1];
                    out.push(pick([rows[0][left], rows[0][right], rows[1][left], rows[1][right]]));
                }
            }
        }
        out
    }

    /// Filters of both layers; 0 for one that is not there.
    fn layers(&self) -> [usize; 2] {
        [self.byte(74), self.byte(75)]
    }
}

/// A layer: `output` takes the filter and a patch of 3 × 3 pixels of every channel, row by row.
fn filtered<T: Copy>(planes: &[Vec<Vec<T>>], filters: usize, output: impl Fn(usize, &[T]) -> T) -> Vec<Vec<Vec<T>>> {
    let (rows, cols) = (planes[0].len() - 2, planes[0][0].len() - 2);
    let value = |filter: usize, row: usize, col: usize| {
        let patch = planes.iter().flat_map(|plane| (0..9).map(move |tap| plane[row + tap / 3][col + tap % 3]));
        output(filter, &patch.collect::<Vec<T>>())
    };
    let plane = |filter| (0..rows).map(|row| (0..cols).map(|col| value(filter, row, col)).collect()).collect();
    (0..filters).map(plane).collect()
}

/// Features in the F32 profile from the section at `at`, and where it ends.
///
/// # Panics
/// If the file is none.
#[must_use]
pub fn float(file: &[u8], mut at: usize, x: &[f32]) -> (Vec<f32>, usize) {
    let picture = Picture { file };
    let mut planes = picture.planes(x, |block| block.iter().fold(0.0, |sum, v| sum + v) * (1.0 / block.len() as f32));
    for filters in picture.layers().into_iter().filter(|&filters| filters != 0) {
        let width = 9 * planes.len();
        let number = |i: usize| f32::from_le_bytes(file[at + 4 * i..][..4].try_into().unwrap());
        planes = filtered(&planes, filters, |filter, patch| {
            let sum = patch.iter().enumerate().fold(0.0, |sum, (j, v)| sum + number(filter * width + j) * v);
            (sum + number(filters * width + filter)).clamp(0.0, 1.0)
        });
        at += 4 * filters * (width + 1);
    }
    let mean = |[a, b, c, d]: [f32; 4]| ((a + b) + (c + d)) * 0.25;
    let most = |values: [f32; 4]| values.into_iter().fold(f32::NEG_INFINITY, f32::max);
    (picture.features(&planes, |values| if picture.byte(69) == 1 { most(values) } else { mean(values) }), at)
}

/// Features in the INT profile from the section at `at`, without the sign that the next stage wants, and where it ends.
///
/// # Panics
/// If the file is none.
#[must_use]
pub fn int(file: &[u8], mut at: usize, x: &[i128]) -> (Vec<i128>, usize) {
    let picture = Picture { file };
    let half = |shift: usize| if shift == 0 { 0 } else { 1i128 << (shift - 1) };
    let i16_at = |at: usize| i128::from(i16::from_le_bytes(file[28 + at..][..2].try_into().unwrap()));
    let pixel = |v: &i128| match picture.byte(1) {
        3 => *v,
        2 => v + 128,
        _ => (((v - i16_at(20)) * i16_at(22) + half(picture.byte(12))) >> picture.byte(12)).clamp(0, 255),
    };
    let pixels: Vec<i128> = x.iter().map(pixel).collect();
    let mean = |block: &[i128]| {
        let n = block.len() as i128;
        ((block.iter().sum::<i128>() * ((65_536 + n / 2) / n) + 32_768) >> 16).min(255)
    };
    let mut planes = picture.planes(&pixels, mean);
    for (layer, filters) in picture.layers().into_iter().enumerate().filter(|(_, filters)| *filters != 0) {
        let (channels, width) = (planes.len(), 9 * planes.len());
        let row = if layer == 0 { width } else { width.div_ceil(2) };
        let (weights, shift) = (at, picture.byte(68) >> (4 * layer) & 15);
        let weight = |filter: usize, j: usize| {
            let (channel, row_of, col) = (j / 9, j % 9 / 3, j % 3);
            let place = (col * channels + channel) * 3 + row_of;
            if layer == 0 {
                return i128::from(file[weights + filter * row + place] as i8);
            }
            let nibble = i128::from(file[weights + filter * row + place / 2] >> (4 * (place % 2)) & 15);
            if nibble < 8 { nibble } else { nibble - 16 }
        };
        let muls = weights + (filters * row).next_multiple_of(4);
        let biases = muls + (2 * filters).next_multiple_of(4);
        let mul = |filter: usize| i128::from(u16::from_le_bytes(file[muls + 2 * filter..][..2].try_into().unwrap()));
        let bias = |filter: usize| i128::from(i32::from_le_bytes(file[biases + 4 * filter..][..4].try_into().unwrap()));
        planes = filtered(&planes, filters, |filter, patch| {
            let sum: i128 = patch.iter().enumerate().map(|(j, v)| weight(filter, j) * v).sum();
            let sum = i128::from((bias(filter) + sum) as i32);
            ((((sum * mul(filter)) >> 16) + half(shift)) >> shift).clamp(0, 255)
        });
        at = biases + 4 * filters;
    }
    let pick = |values: [i128; 4]| {
        if picture.byte(69) == 1 { *values.iter().max().unwrap() } else { (values.iter().sum::<i128>() + 2) >> 2 }
    };
    (picture.features(&planes, pick), at)
}
