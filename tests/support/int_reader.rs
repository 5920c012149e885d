//! A reader of the INT profile written from FORMAT.md alone: no line of the crates under test.
//!
//! It trusts its file and is as plain as can be: every sum in 128 bits, cut to 32 where FORMAT.md
//! says that it wraps.

use crate::{golden::Answer, series_reader::outputs};

/// A file and where its next section starts.
struct File<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl File<'_> {
    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes[at..at + 2].try_into().unwrap())
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
    }

    /// A code of the metadata, by its offset there.
    fn code(&self, at: usize) -> u32 {
        self.bytes[28 + at].into()
    }

    /// A word of the metadata, by its offset there.
    fn word(&self, at: usize) -> u32 {
        self.u32(28 + at)
    }

    /// A half of the metadata, by its offset there.
    fn half(&self, at: usize) -> u16 {
        self.u16(28 + at)
    }

    fn size(&self, at: usize) -> usize {
        self.half(at).into()
    }

    /// The next section: `count` numbers of `size` bytes, signed or not; none unless `has`.
    fn section(&mut self, has: bool, count: usize, size: usize, signed: bool) -> Vec<i128> {
        if !has {
            return Vec::new();
        }
        let start = self.at;
        self.at += (count * size).next_multiple_of(4);
        let number = |i: usize| {
            let bytes = &self.bytes[start + i * size..start + (i + 1) * size];
            let value = bytes.iter().rev().fold(0i128, |value, &byte| value << 8 | i128::from(byte));
            let negative = signed && bytes[size - 1] >= 128;
            if negative { value - (1 << (8 * size)) } else { value }
        };
        (0..count).map(number).collect()
    }
}

impl File<'_> {
    /// The next section as so many words.
    fn words(&mut self, count: usize) -> Vec<i128> {
        self.section(true, count, 4, false)
    }
}

fn four(count: usize) -> usize {
    count.next_multiple_of(4)
}

/// Cut to 32 bits.
fn wrap(v: i128) -> i128 {
    i128::from(v as i32)
}

fn half(shift: u32) -> i128 {
    if shift == 0 { 0 } else { 1 << (shift - 1) }
}

fn rescaled(a: i128, mul: i128, shift: u32) -> i128 {
    (((wrap(a) * mul) >> 16) + half(shift)) >> shift
}

/// Reads a model of the INT profile and answers a sample, given as the integers it consists of.
///
/// # Panics
/// If the file is none.
#[must_use]
pub fn classify(bytes: &[u8], x: &[i64]) -> Answer {
    let mut f = File { bytes, at: 0 };
    f.at = 28 + 40 + 4 * f.code(0) as usize;
    let (dim, classes) = (usize::from(f.u16(20)), usize::from(f.u16(22)));
    let z = embedding(&mut f, x, dim);
    let head = f.code(11);
    let rows = match head {
        1 => classes,
        2 => f.size(50),
        _ => 0,
    };
    let values = f.section(rows != 0, rows * dim, 2, true);
    let counts = f.section(head == 2, classes, 2, false);
    let labels: Vec<u16> = match head {
        2 => counts.iter().zip(0u16..).flat_map(|(&n, class)| vec![class; n as usize]).collect(),
        _ => (0..classes as u16).collect(),
    };
    let one = i128::from(f.half(24));
    let mean = |row: usize, j: usize| match head {
        3 if row == j => one,
        3 => 0,
        _ => values[row * dim + j],
    };
    let distance = |row: usize| z.iter().enumerate().map(|(j, z)| (z - mean(row, j)).pow(2)).sum::<i128>() as u32;
    let distances: Vec<(u32, u16)> = labels.iter().enumerate().map(|(row, &class)| (distance(row), class)).collect();
    let voters = if head == 2 { f.code(52) as usize } else { 1 };
    let (class, distance, runner_up) = decide(&distances, voters);
    let items = items(&f, &distances);
    Answer { class, distance, runner_up, z: z.iter().map(|&z| z as u32).collect(), items }
}

/// The five nearest items of a model that stores ids: id, class, distance.
fn items(f: &File<'_>, distances: &[(u32, u16)]) -> Vec<[u32; 3]> {
    let mut at = f.at;
    while at < f.u32(8) as usize {
        let (tag, len) = (f.u16(at), f.u32(at + 4) as usize);
        if tag == 6 {
            let line = |(i, &(distance, class)): (usize, &(u32, u16))| [f.u32(at + 8 + 4 * i), class.into(), distance];
            let mut all: Vec<[u32; 3]> = distances.iter().enumerate().map(line).collect();
            all.sort_by_key(|&[id, _, distance]| (distance, id)); // stable, as in the file
            all.truncate(5);
            return all;
        }
        at += 8 + len.next_multiple_of(4);
    }
    Vec::new()
}

fn embedding(f: &mut File<'_>, x: &[i64], dim: usize) -> Vec<i128> {
    let x: Vec<i128> = x.iter().map(|&v| v.into()).collect();
    if f.code(2) == 4 {
        let x = counts(f, &x);
        return behind_features(f, x, dim);
    }
    let mut x = match f.code(2) {
        1 => window(f, &x),
        2 => pool(f, &x),
        _ => x,
    };
    let mask = f.section(f.code(3) == 1, x.len().div_ceil(8), 1, false);
    if f.code(3) == 1 {
        x = x.iter().enumerate().filter(|(i, _)| mask[i / 8] >> (i % 8) & 1 == 1).map(|(_, v)| *v).collect();
    }
    let range = if f.code(5) == 0 && f.code(7) == 1 { (0, 255) } else { (-128, 127) };
    x = quantized(f, &x, range);
    behind_features(f, x, dim)
}

/// Projection, feature map and readout.
fn behind_features(f: &mut File<'_>, mut x: Vec<i128>, dim: usize) -> Vec<i128> {
    if f.code(5) != 0 {
        x = projected(f, &x, if f.code(7) == 1 { (0, 255) } else { (-128, 127) });
    }
    let values = mapped(f, &x);
    let most = i128::from(f.half(26));
    let readout = f.code(9);
    if readout == 0 {
        let shift = f.code(15);
        return values.iter().map(|&v| ((v + half(shift)) >> shift).clamp(-most, most)).collect();
    }
    let nibbles = f.code(10) == 4;
    let weights = if nibbles {
        f.words(values.len().div_ceil(8) * dim)
    } else {
        f.section(true, four(values.len()) * dim, if f.code(10) == 1 { 2 } else { 1 }, true)
    };
    let weight = |i: usize, j: usize| {
        if nibbles { upper(weights[i / 8 * dim + j], i, true) } else { weights[(i / 4 * dim + j) * 4 + i % 4] }
    };
    let muls = f.section(true, dim, 2, false);
    let bias = f.section(readout == 2, dim, 4, true);
    let coordinate = |j: usize| {
        let start = bias.get(j).copied().unwrap_or(0);
        let sum: i128 = values.iter().enumerate().map(|(i, v)| v * weight(i, j)).sum();
        rescaled(start + sum, muls[j], f.code(15)).clamp(-most, most)
    };
    (0..dim).map(coordinate).collect()
}

fn window(f: &File<'_>, x: &[i128]) -> Vec<i128> {
    let (segments, stats, interleaved) = (f.code(68) as usize, f.code(69), f.code(55) == 1);
    let (time, channels) = (f.word(60) as usize, f.word(64) as usize);
    let mut out = Vec::new();
    for channel in 0..channels {
        let value = |t: usize| if interleaved { x[t * channels + channel] } else { x[channel * time + t] };
        let mut start = 0;
        for segment in 0..segments {
            let len = time / segments + usize::from(segment < time % segments);
            let v: Vec<i128> = (start..start + len).map(value).collect();
            start += len;
            let all = statistics(f.code(1), &v);
            out.extend(all.iter().enumerate().filter(|(bit, _)| stats >> bit & 1 == 1).map(|(_, v)| v));
        }
    }
    out
}

/// The five statistics of values of a type.
fn statistics(input: u32, v: &[i128]) -> [i128; 5] {
    let (bits, least) = match input {
        3 => (6, 0),
        2 => (6, -128),
        _ => (0, -32_768),
    };
    let average = |sum: i128, count: i128| (sum + count / 2) / count;
    let count = v.len() as i128;
    let mean = average(v.iter().map(|v| v - least).sum::<i128>() << bits, count) + (least << bits);
    let deviation = average(v.iter().map(|v| ((v << bits) - mean).abs()).sum(), count);
    let steps: i128 = v.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
    let step = average(steps << bits, (count - 1).max(1));
    let (min, max) = (v.iter().min().unwrap() << bits, v.iter().max().unwrap() << bits);
    [mean, deviation, min, max, step].map(|v| v.clamp(-32_768, 32_767))
}

/// Counts and statistics of a series: bytes, of the range that the next stage takes.
fn counts(f: &mut File<'_>, x: &[i128]) -> Vec<i128> {
    let (time, channels) = (f.word(60) as usize, f.word(64) as usize);
    let per_channel = f.section(true, channels, 2, false);
    let entries = f.section(true, f.size(72), 4, false);
    let least = if f.code(5) == 0 && f.code(7) == 1 { 0 } else { -128 };
    let channel_of = per_channel.iter().enumerate().flat_map(|(channel, &n)| vec![channel; n as usize]);
    let feature = |(channel, &word): (usize, &i128)| {
        let at = |t: usize| if f.code(55) == 1 { x[t * channels + channel] } else { x[channel * time + t] };
        let values: Vec<i128> = (0..time).map(at).collect();
        let v = outputs(word as u32, &values, |[a, b, c], nine| 3 * (a + b + c) - nine.iter().sum::<i128>());
        let high = (word >> 16) as u16 as i16;
        if word % 128 < 88 {
            let (n, threshold) = (v.len() as i128, i128::from(high >> 3) << (high & 7));
            let count = v.iter().filter(|&&v| v > threshold).count() as i128;
            return ((count * ((255 * 65_536 + n / 2) / n) + 32_768) >> 16).min(255) + least;
        }
        let statistic = statistics(f.code(1), &v)[(word % 128 - 88) as usize];
        let (mantissa, shift) = (word >> 10 & 3, (word >> 12 & 15) as u32);
        let scaled = ((statistic - i128::from(high)) * (4 + mantissa) + half(2 + shift)) >> (2 + shift);
        scaled.clamp(0, 255) + least
    };
    channel_of.zip(&entries).map(feature).collect()
}

fn pool(f: &File<'_>, x: &[i128]) -> Vec<i128> {
    let (rows, cols, channels) = (f.word(56) as usize, f.word(60) as usize, f.word(64) as usize);
    let (high, wide) = (f.code(70) as usize, f.code(71) as usize);
    let mut out = Vec::new();
    for channel in 0..channels {
        for top in (0..rows).step_by(high) {
            for left in (0..cols).step_by(wide) {
                let block = (top..top + high).flat_map(|row| (left..left + wide).map(move |col| (row, col)));
                let sum: i128 = block.map(|(row, col)| x[(channel * rows + row) * cols + col]).sum();
                out.push(sum.clamp(-32_768, 32_767));
            }
        }
    }
    out
}

fn quantized(f: &mut File<'_>, x: &[i128], (least, most): (i128, i128)) -> Vec<i128> {
    let scale = f.code(4);
    let width = x.len();
    let pairs = f.section(scale == 2, 2 * width, 2, true);
    let (zero, mul, shift) = (i128::from(f.half(20) as i16), i128::from(f.half(22) as i16), f.code(12));
    let byte = |(j, v): (usize, &i128)| {
        let y = match scale {
            0 => v - zero,
            1 => ((v - zero) * mul + half(shift)) >> shift,
            _ => ((v - pairs[j]) * pairs[width + j] + half(shift)) >> shift,
        };
        y.clamp(least, most)
    };
    x.iter().enumerate().map(byte).collect()
}

fn projected(f: &mut File<'_>, x: &[i128], (least, most): (i128, i128)) -> Vec<i128> {
    let (outputs, width, sparse) = (f.size(16), x.len(), f.code(5) == 2);
    let nibbles = f.code(5) == 3;
    let nonzeros = if sparse { f.size(48) } else { 0 };
    let counts = f.section(sparse, outputs, 2, false);
    let gaps = f.section(sparse, nonzeros, 1, false);
    let weights = if nibbles {
        f.words(four(outputs) * width.div_ceil(8))
    } else {
        f.section(true, if sparse { nonzeros } else { four(outputs) * four(width) }, 1, true)
    };
    let muls = f.section(true, four(outputs), 2, false);
    let bias = f.section(f.code(6) == 1, four(outputs), 4, true);
    let mut entry = 0;
    let mut sum = |i: usize| -> i128 {
        if nibbles {
            return x.iter().enumerate().map(|(j, x)| x * upper(weights[nibble_block(i, j, width)], j, true)).sum();
        }
        if !sparse {
            return x.iter().enumerate().map(|(j, x)| x * weights[block(i, j, width)]).sum();
        }
        let (mut sum, mut j) = (0, 0);
        for _ in 0..counts[i] {
            j += gaps[entry] as usize;
            sum += x[j] * weights[entry];
            j += 1;
            entry += 1;
        }
        sum
    };
    let sums: Vec<i128> = (0..outputs).map(|i| bias.get(i).copied().unwrap_or(0) + sum(i)).collect();
    sums.iter().zip(muls).map(|(&sum, mul)| rescaled(sum, mul, f.code(13)).clamp(least, most)).collect()
}

/// The word with number `j` of row `r` among blocks of nibbles.
fn nibble_block(r: usize, j: usize, width: usize) -> usize {
    (r / 4 * width.div_ceil(8) + j / 8) * 4 + r % 4
}

/// The byte whose upper half is number `j` of a word of nibbles.
fn upper(word: i128, j: usize, signed: bool) -> i128 {
    let bits = 8 * (j % 4) + if j % 8 < 4 { 0 } else { 4 };
    let value = (word >> bits & 15) << 4;
    if signed && value >= 128 { value - 256 } else { value }
}

/// Where number `j` of row `r` lies among blocks.
fn block(r: usize, j: usize, width: usize) -> usize {
    ((r / 4 * (four(width) / 4) + j / 4) * 4 + r % 4) * 4 + j % 4
}

fn mapped(f: &mut File<'_>, x: &[i128]) -> Vec<i128> {
    let (feature_map, kernel, count, width) = (f.code(7), f.code(8), f.size(18), x.len());
    let nibbles = feature_map == 1 && kernel == 3;
    let stored = if nibbles {
        f.words(four(count) * width.div_ceil(8))
    } else {
        f.section(feature_map == 1 || feature_map == 2, four(count) * four(width), 1, feature_map == 2)
    };
    let number = |i: usize, j: usize| {
        if nibbles { upper(stored[nibble_block(i, j, width)], j, false) } else { stored[block(i, j, width)] }
    };
    let phases = f.section(feature_map == 2, four(count), 2, false);
    let mul = f.word(28);
    let sum = |i: usize, term: fn(i128, i128) -> i128| -> i128 {
        x.iter().enumerate().map(|(j, &x)| term(x, number(i, j))).sum()
    };
    let turns = |sum: i128, phase: u32| cosine(((i128::from(mul) * sum) as u32).wrapping_add(phase));
    match (feature_map, kernel) {
        (0, _) => x.to_vec(),
        (1, 0 | 3) => (0..count).map(|i| exponential(f, sum(i, |x, c| (x - c) * (x - c)))).collect(),
        (1, _) => (0..count).map(|i| exponential(f, sum(i, |x, c| (x - c).abs()))).collect(),
        (2, _) => (0..count).map(|i| turns(sum(i, |x, w| x * w), (phases[i] as u32) << 16)).collect(),
        _ => {
            let row = |i: usize| {
                let (weights, phase) = random_row(f.word(76), f.word(80), i as u32, f.code(54), width);
                turns(x.iter().zip(&weights).map(|(x, &w)| x * i128::from(w)).sum(), phase)
            };
            (0..count).map(row).collect()
        }
    }
}

fn exponential(f: &File<'_>, s: i128) -> i128 {
    let (mul, u) = (f.word(28), s >> f.code(14));
    if u >= 1 << mul.leading_zeros() {
        return 0;
    }
    let q = u * i128::from(mul);
    let table = |k: i128| (32_767.0 * (-(k as f64) / 64.0).exp2()).round() as i128;
    let y = between(table, (q >> 21) % 64, (q >> 11) % 1024);
    (((2 * y) >> (q >> 27)) + 1) >> 1
}

fn cosine(t: u32) -> i128 {
    let (top, second) = (t >> 31 == 1, t >> 30 & 1 == 1);
    let u = i128::from(if second { !t } else { t });
    let table = |k: i128| (32_767.0 * (k as f64 / 256.0 * std::f64::consts::TAU).cos()).round() as i128;
    let y = between(table, (u >> 24) % 64, (u >> 14) % 1024);
    if top == second { y } else { -y }
}

fn between(table: impl Fn(i128) -> i128, k: i128, r: i128) -> i128 {
    table(k) - (((table(k) - table(k + 1)) * r + 512) >> 10)
}

/// Weights and phase of a row made from a seed, as FORMAT.md tells it; both readers written from it use this one.
#[must_use]
pub fn random_row(lo: u32, hi: u32, row: u32, law: u32, width: usize) -> (Vec<i32>, u32) {
    let mut h = (lo ^ row.wrapping_mul(0x9E37_79B9)).wrapping_add(hi);
    h = (h ^ (h >> 16)).wrapping_mul(0x85EB_CA6B);
    h = (h ^ (h >> 13)).wrapping_mul(0xC2B2_AE35);
    h ^= h >> 16;
    let mut state = if h == 0 { 0x6D2B_79F5 } else { h };
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let mut weights = Vec::new();
    while weights.len() < width {
        let w = word();
        if law == 0 {
            weights.extend((0..32).map(|bit| if w >> bit & 1 == 1 { 1 } else { -1 }));
        } else {
            weights.push(w.to_le_bytes().iter().map(|&b| i32::from(b)).sum::<i32>() - 510);
        }
    }
    weights.truncate(width);
    (weights, word())
}

/// Class, distance and runner-up.
fn decide(distances: &[(u32, u16)], voters: usize) -> (u16, u32, u32) {
    let &(best, nearest) = distances.iter().min().unwrap();
    let others = |class: u16| distances.iter().filter(move |d| d.1 != class).map(|d| d.0);
    let plain = (nearest, best, others(nearest).min().unwrap_or(u32::MAX));
    if voters == 1 {
        return plain;
    }
    let mut list = distances.to_vec();
    list.sort_by_key(|d| d.0); // stable: of equals, the first in the file stays in front
    list.truncate(voters);
    let votes = |class: u16| list.iter().filter(|d| d.1 == class).count();
    let most = list.iter().map(|d| votes(d.1)).max().unwrap();
    let &(distance, class) = list.iter().find(|d| votes(d.1) == most).unwrap();
    if class == nearest { plain } else { (class, distance, best) }
}
