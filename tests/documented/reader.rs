//! A reader of the F32 profile written from FORMAT.md alone: no line of the crates under test.
//!
//! It trusts its file and is as plain as can be. If it and the runtime part ways, either the
//! arithmetic changed without FORMAT.md or FORMAT.md says something that is not so.

pub(crate) use nearmark_tests::int_reader::random_row;
use nearmark_tests::series_reader::outputs;

/// What FORMAT.md calls the answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) class: u16,
    pub(crate) distance: u32,
    pub(crate) runner_up: u32,
    pub(crate) z: Vec<u32>,
    /// Id, class and distance of the five nearest items, where the file has ids.
    pub(crate) items: Vec<[u32; 3]>,
}

/// Constants of the exponential, in the order of FORMAT.md.
pub(crate) const EXP: [u32; 8] =
    [0x3FB8_AA3B, 0x4B40_0000, 0x3F31_8000, 0xB95E_8083, 0x3AB6_DA13, 0x3C09_1DAB, 0x3D2A_AA2F, 0x3E2A_AA47];
/// Constants of the cosine.
pub(crate) const COS: [u32; 5] = [0x421E_259A, 0x4299_197D, 0x42A3_33B7, 0x4225_5DDB, 0x40C9_0FDB];
/// Constant of the inverse square root.
pub(crate) const ROOT: u32 = 0x5F37_59DF;

const INFINITE: u32 = 0x7F80_0000;

struct File<'a>(&'a [u8]);

impl File<'_> {
    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.0[at..at + 2].try_into().unwrap())
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().unwrap())
    }

    fn f32(&self, at: usize) -> f32 {
        f32::from_bits(self.u32(at))
    }

    /// A code of the metadata, by its offset there.
    fn code(&self, at: usize) -> u8 {
        self.0[28 + at]
    }

    /// A size of the metadata, by its offset there.
    fn size(&self, at: usize) -> usize {
        self.u16(28 + at).into()
    }

    fn word(&self, at: usize) -> usize {
        self.u32(28 + at) as usize
    }

    fn meta_f32(&self, at: usize) -> f32 {
        self.f32(28 + at)
    }
}

/// Walks the sections: every one starts and ends at a multiple of four bytes.
struct Cursor<'a> {
    file: &'a File<'a>,
    at: usize,
}

impl Cursor<'_> {
    fn skip(&mut self, bytes: usize) -> usize {
        let start = self.at;
        self.at += bytes.next_multiple_of(4);
        start
    }

    fn floats(&mut self, has: bool, count: usize) -> Vec<f32> {
        let count = if has { count } else { 0 };
        let start = self.skip(4 * count);
        (0..count).map(|i| self.file.f32(start + 4 * i)).collect()
    }

    fn halves(&mut self, has: bool, count: usize) -> Vec<u16> {
        let count = if has { count } else { 0 };
        let start = self.skip(2 * count);
        (0..count).map(|i| self.file.u16(start + 2 * i)).collect()
    }

    fn bytes(&mut self, has: bool, count: usize) -> Vec<u8> {
        let count = if has { count } else { 0 };
        let start = self.skip(count);
        self.file.0[start..start + count].to_vec()
    }
}

fn four(count: usize) -> usize {
    count.next_multiple_of(4)
}

/// Reads a model of the F32 profile and answers a sample.
pub(crate) fn classify(bytes: &[u8], x: &[f32]) -> Answer {
    let f = File(bytes);
    let (dim, classes) = (usize::from(f.u16(20)), usize::from(f.u16(22)));
    let mut sections = Cursor { file: &f, at: 28 + 40 + 4 * usize::from(f.code(0)) };

    let mut x = match f.code(2) {
        1 => window(&f, x),
        2 => pool(&f, x),
        4 => {
            let per_channel = sections.halves(true, f.word(64));
            let entries = sections.skip(8 * f.size(72));
            counts(&f, &per_channel, entries, x)
        }
        _ => x.to_vec(),
    };

    let select = f.code(3) == 1;
    let mask = sections.bytes(select, x.len().div_ceil(8));
    if select {
        x = x.iter().enumerate().filter(|(i, _)| mask[i / 8] >> (i % 8) & 1 == 1).map(|(_, v)| *v).collect();
    }

    let per_feature = sections.floats(f.code(4) == 2, 2 * x.len());
    scale(&f, &per_feature, &mut x);

    let (project, width) = (f.code(5), x.len());
    let outputs = f.size(16);
    let counts = sections.halves(project == 2, outputs);
    let gaps = sections.bytes(project == 2, f.size(48));
    let stored = if project == 2 { f.size(48) } else { four(outputs) * width };
    let weights = sections.floats(project != 0, stored);
    let bias = sections.floats(f.code(6) == 1, four(outputs));
    if project != 0 {
        x = if project == 1 { dense(&weights, outputs, &x) } else { sparse(&counts, &gaps, &weights, &x) };
        for (y, b) in x.iter_mut().zip(bias) {
            *y += b;
        }
    }

    let feature_map = f.code(7);
    let count = if feature_map == 0 { x.len() } else { f.size(18) };
    let centers = sections.floats(feature_map == 1 || feature_map == 2, four(count) * x.len());
    let phases = sections.floats(feature_map == 2, four(count));
    let mapped: Vec<f32> =
        if feature_map == 0 { x } else { (0..count).map(|i| value(&f, i, &centers, &phases, &x)).collect() };

    let readout = f.code(9);
    let weights = sections.floats(readout != 0, four(count) * dim);
    let bias = sections.floats(readout == 2, dim);
    let z: Vec<f32> = if readout == 0 {
        mapped
    } else {
        let coordinate = |j: usize| {
            let mut sum = bias.get(j).copied().unwrap_or(0.0);
            for (i, k) in mapped.iter().enumerate() {
                sum += k * weights[(i / 4 * dim + j) * 4 + i % 4];
            }
            sum
        };
        (0..dim).map(coordinate).collect()
    };

    let head = f.code(11);
    let rows = match head {
        1 => classes,
        2 => f.size(50),
        _ => 0,
    };
    let values = sections.floats(rows != 0, rows * dim);
    let counts = sections.halves(head == 2, classes);
    let labels: Vec<u16> = match head {
        2 => counts.iter().zip(0u16..).flat_map(|(&n, class)| vec![class; n.into()]).collect(),
        _ => (0..classes as u16).collect(),
    };
    let distances: Vec<(u32, u16)> =
        labels.iter().enumerate().map(|(row, &class)| (distance(&z, &values, row, head == 3), class)).collect();
    let voters = if head == 2 { usize::from(f.code(52)) } else { 1 };
    let (class, distance, runner_up) = decide(&distances, voters);
    let items = items(&f, sections.at, &distances);
    Answer { class, distance, runner_up, z: z.iter().map(|v| v.to_bits()).collect(), items }
}

/// The five nearest items, where an extra behind the sections has their ids.
fn items(f: &File<'_>, extras: usize, distances: &[(u32, u16)]) -> Vec<[u32; 3]> {
    let (mut at, end) = (extras, f.u32(8) as usize);
    while at < end && f.u16(at) != 6 {
        at += 8 + f.u32(at + 4).next_multiple_of(4) as usize;
    }
    if at == end {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..distances.len()).collect();
    let id = |row: usize| f.u32(at + 8 + 4 * row);
    order.sort_by_key(|&row| (distances[row].0, id(row), row));
    order.iter().take(5).map(|&row| [id(row), distances[row].1.into(), distances[row].0]).collect()
}

fn window(f: &File<'_>, x: &[f32]) -> Vec<f32> {
    let (segments, stats, interleaved) = (usize::from(f.code(68)), f.code(69), f.code(55) == 1);
    let (time, channels) = (f.word(60), f.word(64));
    let mut out = Vec::new();
    for channel in 0..channels {
        let value = |t: usize| if interleaved { x[t * channels + channel] } else { x[channel * time + t] };
        let mut start = 0;
        for segment in 0..segments {
            let len = time / segments + usize::from(segment < time % segments);
            let v: Vec<f32> = (start..start + len).map(value).collect();
            start += len;
            let asked = statistics(&v).into_iter().enumerate().filter(|(bit, _)| stats >> bit & 1 == 1);
            out.extend(asked.map(|(_, v)| v));
        }
    }
    out
}

fn statistics(v: &[f32]) -> [f32; 5] {
    let (mut sum, mut min, mut max, mut step) = (v[0], v[0], v[0], 0.0);
    for pair in v.windows(2) {
        sum += pair[1];
        min = if pair[1] < min { pair[1] } else { min };
        max = if pair[1] > max { pair[1] } else { max };
        step += (pair[1] - pair[0]).abs();
    }
    let (mean, len) = (sum / v.len() as f32, v.len());
    let mut deviation = 0.0;
    for v in v {
        deviation += (v - mean).abs();
    }
    [mean, deviation / len as f32, min, max, step / (len - 1).max(1) as f32]
}

/// Counts and statistics of a series, whose entries start at `entries`.
fn counts(f: &File<'_>, per_channel: &[u16], entries: usize, x: &[f32]) -> Vec<f32> {
    let (time, channels) = (f.word(60), f.word(64));
    let channel_of = per_channel.iter().enumerate().flat_map(|(channel, &n)| vec![channel; n.into()]);
    let kernel = |[a, b, c]: [f32; 3], nine: &[f32]| (a + b + c) * 3.0 - nine.iter().fold(0.0, |sum, v| sum + v);
    let feature = |(i, channel): (usize, usize)| {
        let at = |t: usize| if f.code(55) == 1 { x[t * channels + channel] } else { x[channel * time + t] };
        let (word, level) = (f.u32(entries + 8 * i), f.f32(entries + 8 * i + 4));
        let v = outputs(word, &(0..time).map(at).collect::<Vec<f32>>(), kernel);
        if word % 128 < 88 {
            return v.iter().filter(|&&v| v > level).count() as f32 / v.len() as f32;
        }
        (statistics(&v)[(word % 128 - 88) as usize] - level) * f32::from_bits(word & 0xFFFF_0000)
    };
    channel_of.enumerate().map(feature).collect()
}

fn pool(f: &File<'_>, x: &[f32]) -> Vec<f32> {
    let (rows, cols, channels) = (f.word(56), f.word(60), f.word(64));
    let (high, wide) = (usize::from(f.code(70)), usize::from(f.code(71)));
    let mut out = Vec::new();
    for channel in 0..channels {
        for top in (0..rows).step_by(high) {
            for left in (0..cols).step_by(wide) {
                let mut sum = 0.0;
                for row in top..top + high {
                    for col in left..left + wide {
                        sum += x[(channel * rows + row) * cols + col];
                    }
                }
                out.push(sum);
            }
        }
    }
    out
}

fn scale(f: &File<'_>, per_feature: &[f32], x: &mut [f32]) {
    let width = x.len();
    match f.code(4) {
        1 => x.iter_mut().for_each(|v| *v = *v * f.meta_f32(40) + f.meta_f32(44)),
        2 => x.iter_mut().enumerate().for_each(|(j, v)| *v = *v * per_feature[j] + per_feature[width + j]),
        3 => {
            let mut squares = 0.0;
            for v in x.iter() {
                squares += v * v;
            }
            if squares != 0.0 {
                let inverse = inverse_root(squares);
                for v in x {
                    *v *= inverse;
                }
            }
        }
        _ => {}
    }
}

fn inverse_root(x: f32) -> f32 {
    let mut y = f32::from_bits(ROOT - (x.to_bits() >> 1));
    for _ in 0..4 {
        y *= 1.5 - ((0.5 * x) * y) * y;
    }
    y
}

fn dense(weights: &[f32], outputs: usize, x: &[f32]) -> Vec<f32> {
    let output = |row: usize| {
        let mut sum = 0.0;
        for (j, v) in x.iter().enumerate() {
            sum += v * interleaved(weights, row, j, x.len());
        }
        sum
    };
    (0..outputs).map(output).collect()
}

fn sparse(counts: &[u16], gaps: &[u8], weights: &[f32], x: &[f32]) -> Vec<f32> {
    let mut entry = 0;
    let mut out = Vec::new();
    for &count in counts {
        let (mut sum, mut j) = (0.0, 0);
        for _ in 0..count {
            j += usize::from(gaps[entry]);
            sum += x[j] * weights[entry];
            j += 1;
            entry += 1;
        }
        out.push(sum);
    }
    out
}

/// Number `j` of row `row` in an array of rows interleaved by four.
fn interleaved(values: &[f32], row: usize, j: usize, width: usize) -> f32 {
    values[(row / 4 * width + j) * 4 + row % 4]
}

/// Value `i` of the feature map.
fn value(f: &File<'_>, i: usize, centers: &[f32], phases: &[f32], x: &[f32]) -> f32 {
    let (feature_map, kernel, gamma) = (f.code(7), f.code(8), f.meta_f32(32));
    let sum = |term: &dyn Fn(usize, f32) -> f32| {
        let mut sum = 0.0;
        for (j, &v) in x.iter().enumerate() {
            sum += term(j, v);
        }
        sum
    };
    let center = |j: usize| interleaved(centers, i, j, x.len());
    match (feature_map, kernel) {
        (1, 0) => exponential(sum(&|j, v| (v - center(j)) * (v - center(j))) * -gamma),
        (1, 1) => exponential(sum(&|j, v| (v - center(j)).abs()) * -gamma),
        (1, _) => {
            let base = sum(&|j, v| v * center(j)) * gamma + f.meta_f32(84);
            let mut power = base;
            for _ in 1..f.code(53) {
                power *= base;
            }
            power
        }
        (2, _) => cosine(sum(&|j, v| v * center(j)) * gamma + phases[i]),
        _ => {
            let (weights, phase) = random_row(f.u32(28 + 76), f.u32(28 + 80), i as u32, f.code(54).into(), x.len());
            cosine(sum(&|j, v| v * weights[j] as f32) * gamma + (phase >> 8) as f32 * (1.0 / 16_777_216.0))
        }
    }
}

fn exponential(x: f32) -> f32 {
    let [log2e, round, high, low, c5, c4, c3, c2] = EXP.map(f32::from_bits);
    if x < -87.0 {
        return 0.0;
    }
    let s = x * log2e + round;
    let k = s - round;
    let r = (x - k * high) - k * low;
    let q = (((c5 * r + c4) * r + c3) * r + c2) * r + 0.5;
    let e = (q * (r * r) + r) + 1.0;
    e * f32::from_bits(s.to_bits().wrapping_add(127) << 23)
}

fn cosine(t: f32) -> f32 {
    let [a4, a3, a2, a1, a0] = COS.map(f32::from_bits);
    let round = f32::from_bits(EXP[1]);
    let n = (t + round) - round;
    let u = 0.25 - (t - n).abs();
    let s = u * u;
    u * ((((a4 * s - a3) * s + a2) * s - a1) * s + a0)
}

fn distance(z: &[f32], values: &[f32], row: usize, unit: bool) -> u32 {
    let mut sum = 0.0;
    if unit {
        for v in z {
            sum += v * v;
        }
        let d = (sum - 2.0 * z[row]) + 1.0;
        return if d < 0.0 { 0 } else { d.to_bits() };
    }
    for (v, m) in z.iter().zip(&values[row * z.len()..]) {
        sum += (v - m) * (v - m);
    }
    f32::to_bits(sum)
}

/// Class, distance and runner-up.
fn decide(distances: &[(u32, u16)], voters: usize) -> (u16, u32, u32) {
    let &(best, nearest) = distances.iter().min().unwrap();
    let others = |class: u16| distances.iter().filter(move |d| d.1 != class).map(|d| d.0);
    let plain = (nearest, best, others(nearest).min().unwrap_or(INFINITE).min(INFINITE));
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
