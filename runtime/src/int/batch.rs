//! Many rows at once, for hosts: samples side by side in words of 32 bits, so that vectors of any
//! width take them. Wrapping sums have the same bits in any order.

use nearmark_format::{Layout, Num, Section, meta::code, seed::Row};

use super::{cosine::cosine, door, exponential::Decay, front_words, map_range, rescale};
use crate::{
    Error, Prediction,
    head::Heads,
    memory::Enrolled,
    quads,
    sample::Element,
    scratch::{cast, split},
};

/// Samples side by side.
pub(crate) const LANES: usize = 8;

/// A value of each sample.
type Lane = [i32; LANES];

/// Words that [`classify`] needs: features, projected features and coordinates of [`LANES`] samples.
pub(crate) fn words(layout: &Layout<'_>) -> usize {
    let four = |count: usize| count.next_multiple_of(4);
    let projected = if layout.meta().has_projection() { four(layout.projected()) } else { 0 };
    four(layout.kept()).saturating_add(projected).saturating_add(layout.header().dim.into()).saturating_mul(LANES)
}

/// Answers rows that lie one after the other; all slices have the right length.
pub(crate) fn classify(
    layout: &Layout<'_>,
    xs: &[f32],
    out: &mut [Prediction],
    pack: &mut [f32],
    scratch: &mut [u32],
) -> Result<(), Error> {
    let (inputs, dim) = ((layout.header().inputs as usize).max(1), usize::from(layout.header().dim));
    let heads = Heads { layout, enrolled: Enrolled::default() };
    let (lanes, _) = cast::<f32, i32>(pack).as_chunks_mut::<LANES>();
    let (x, rest) = split(lanes, layout.kept().next_multiple_of(4));
    let (z, work) = split(rest, dim);
    for (rows, out) in xs.chunks(inputs.saturating_mul(LANES)).zip(out.chunks_mut(LANES)) {
        // Rows before one that is no sample are answered.
        let good = rows.chunks_exact(inputs).take_while(|row| row.iter().all(|v| Element::is_finite(*v))).count();
        for (lane, row) in rows.chunks_exact(inputs).take(good).enumerate() {
            let (front, _) = split(scratch, front_words(layout));
            unpack(layout, door::features(layout, row, front), lane, x);
        }
        Block { layout, x, z, work }.embed();
        for (lane, out) in out.iter_mut().enumerate().take(good) {
            let (coordinates, neighbors) = split(scratch, dim);
            for (to, from) in coordinates.iter_mut().zip(&*z) {
                *to = from.get(lane).map_or(0, |&z| z as u32);
            }
            *out = heads.decide(coordinates, split(neighbors, layout.meta().neighbor_words() as usize).0)?;
        }
        if good < out.len() {
            return Err(Error::NotFinite);
        }
    }
    Ok(())
}

/// Writes packed features into their lane.
fn unpack(layout: &Layout<'_>, features: &[u32], lane: usize, x: &mut [Lane]) {
    let unsigned = layout.meta().feature_map == code::MAP_CENTERS && !layout.meta().has_projection();
    let bytes: &[u8] = bytemuck::try_cast_slice(features).unwrap_or_default();
    for (lanes, &byte) in x.iter_mut().zip(bytes) {
        if let Some(slot) = lanes.get_mut(lane) {
            *slot = if unsigned { byte.into() } else { (byte as i8).into() };
        }
    }
}

/// Samples side by side, and room for their embeddings.
struct Block<'a> {
    layout: &'a Layout<'a>,
    x: &'a [Lane],
    z: &'a mut [Lane],
    work: &'a mut [Lane],
}

impl Block<'_> {
    /// Embeds with the widest vectors of this machine.
    fn embed(self) {
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::new().dispatch(self);
        #[cfg(not(target_arch = "x86_64"))]
        self.run();
    }

    #[inline(always)] // into a caller whose instruction set may be wider
    fn run(self) {
        let Self { layout, x, z, work } = self;
        if layout.meta().has_projection() {
            let (projected, _) = split(work, layout.projected().next_multiple_of(4));
            project(layout, x, projected);
            feature_map(layout, projected, z);
        } else {
            feature_map(layout, x, z);
        }
        finish(layout, z);
    }
}

#[cfg(target_arch = "x86_64")]
impl pulp::WithSimd for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.run();
    }
}

/// `Σⱼ term(xⱼ, rowⱼ)` for four rows; beyond the last input there are zeros.
#[inline(always)]
fn sums<W: Copy + Into<i32>>(tiles: &[[[W; 4]; 4]], x: &[Lane], term: impl Fn(i32, i32) -> i32) -> [Lane; 4] {
    let mut sums: [Lane; 4] = [[0; LANES]; 4];
    for (tile, x) in tiles.iter().zip(x.as_chunks::<4>().0) {
        for (sums, row) in sums.iter_mut().zip(tile) {
            for (x, &w) in x.iter().zip(row) {
                for (sum, &x) in sums.iter_mut().zip(x) {
                    *sum = sum.wrapping_add(term(x, w.into()));
                }
            }
        }
    }
    sums
}

/// Words as tiles of bytes.
fn tiles<W: bytemuck::AnyBitPattern>(words: &[u32]) -> &[[[W; 4]; 4]]
where
    [[W; 4]; 4]: bytemuck::AnyBitPattern,
{
    bytemuck::try_cast_slice(words.as_chunks::<4>().0).unwrap_or_default()
}

#[inline(always)]
fn product(x: i32, w: i32) -> i32 {
    x.wrapping_mul(w)
}

#[inline(always)]
fn project(layout: &Layout<'_>, x: &[Lane], y: &mut [Lane]) {
    let meta = layout.meta();
    let words = layout.words(Section::Project);
    let (weights, muls) = words.split_at_checked(words.len().wrapping_sub(y.len() / 2)).unwrap_or_default();
    let muls: &[u16] = bytemuck::try_cast_slice(muls).unwrap_or_default();
    if meta.is_sparse() {
        let values: &[i8] = bytemuck::try_cast_slice(weights).unwrap_or_default();
        let mut entries = layout.bytes(Section::SparseGaps).iter().zip(values);
        let mut counts = layout.halves(Section::SparseCounts).iter().take(layout.projected());
        for y in y.iter_mut() {
            *y = [0; LANES];
            let mut rest = x.iter();
            for (&gap, &value) in entries.by_ref().take(counts.next().copied().unwrap_or(0).into()) {
                let x = rest.nth(gap.into()).copied().unwrap_or_default();
                y.iter_mut().zip(x).for_each(|(y, x)| *y = y.wrapping_add(product(x, value.into())));
            }
        }
    } else {
        let mut rows = tiles::<i8>(weights);
        for y in y.as_chunks_mut::<4>().0 {
            *y = sums(quads::take(&mut rows, x.len() / 4), x, product);
        }
    }
    let mut biases = layout.words(Section::ProjectBias).iter();
    let (least, most) = map_range(layout);
    for (y, &mul) in y.iter_mut().zip(muls) {
        let bias = biases.next().map_or(0, |&bias| bias as i32);
        for y in y {
            *y = rescale::rescale(y.wrapping_add(bias), mul, meta.p_shift).max(least).min(most);
        }
    }
}

#[inline(always)]
fn feature_map(layout: &Layout<'_>, x: &[Lane], z: &mut [Lane]) {
    let meta = layout.meta();
    let centers = layout.words(Section::Centers);
    let (mut unsigned, mut signed) = (tiles::<u8>(centers), tiles::<i8>(centers));
    let mut phases = layout.halves(Section::Phases).as_chunks::<4>().0.iter();
    let decay = Decay::new(meta);
    let mut weights = Weights::new(layout, z);
    let quarter = x.len() / 4;
    for first in (0..layout.mapped()).step_by(4) {
        let mut values = match (meta.feature_map, meta.kernel) {
            (0, _) => core::array::from_fn(|at| x.get(first + at).copied().unwrap_or_default()),
            (code::MAP_CENTERS, code::KERNEL_GAUSSIAN) => {
                sums(quads::take(&mut unsigned, quarter), x, |x, c| product(x - c, x - c))
            }
            (code::MAP_CENTERS, _) => sums(quads::take(&mut unsigned, quarter), x, |x, c| (x - c).abs()),
            (code::MAP_RANDOM, _) => sums(quads::take(&mut signed, quarter), x, product),
            _ => [[0; LANES]; 4],
        };
        let phases = phases.next().unwrap_or(&[0; 4]);
        for (row, values) in (first as u32..).zip(&mut values) {
            let mut phase = phases.get(row as usize % 4).map_or(0, |&phase| u32::from(phase) << 16);
            if meta.feature_map == code::MAP_SEEDED {
                phase = seeded(layout, row, x, values);
            }
            for value in values {
                *value = match meta.feature_map {
                    0 => *value,
                    code::MAP_CENTERS => decay.of(*value as u32) as i32,
                    _ => cosine((*value as u32).wrapping_mul(meta.k_mul).wrapping_add(phase)) as i32,
                };
            }
        }
        weights.push(first, &values, z);
    }
}

/// Sums with a row of weights made from the seed, and its phase.
fn seeded(layout: &Layout<'_>, row: u32, x: &[Lane], sums: &mut Lane) -> u32 {
    let meta = layout.meta();
    let mut weights = Row::new(meta.seed_lo, meta.seed_hi, row, meta.law);
    for x in x.iter().take(layout.projected()) {
        let weight = weights.weight();
        sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum = sum.wrapping_add(product(x, weight)));
    }
    weights.phase()
}

/// What is left of the readout's weights.
struct Weights<'a> {
    wide: &'a [[i16; 4]],
    narrow: &'a [[i8; 4]],
    direct: bool,
}

impl<'a> Weights<'a> {
    /// Starts the embeddings at the bias.
    #[inline(always)]
    fn new(layout: &Layout<'a>, z: &mut [Lane]) -> Self {
        let mut biases = layout.words(Section::ReadoutBias).iter();
        for z in z.iter_mut() {
            *z = [biases.next().map_or(0, |&bias| bias as i32); LANES];
        }
        let words = layout.words(Section::Readout);
        let i16s = layout.meta().readout_num == Num::I16 as u8;
        let (wide, narrow) = if i16s { (words, &[][..]) } else { (&[][..], words) };
        Self {
            wide: bytemuck::try_cast_slice(wide.as_chunks::<2>().0).unwrap_or_default(),
            narrow: bytemuck::try_cast_slice(narrow).unwrap_or_default(),
            direct: layout.meta().readout == 0,
        }
    }

    #[inline(always)]
    fn push(&mut self, first: usize, values: &[Lane; 4], z: &mut [Lane]) {
        if self.direct {
            z.iter_mut().skip(first).zip(values).for_each(|(z, values)| *z = *values);
        } else {
            add(values, quads::take(&mut self.wide, z.len()), z);
            add(values, quads::take(&mut self.narrow, z.len()), z);
        }
    }
}

#[inline(always)]
fn add<W: Copy + Into<i32>>(values: &[Lane; 4], weights: &[[W; 4]], z: &mut [Lane]) {
    for (z, weights) in z.iter_mut().zip(weights) {
        for (values, &weight) in values.iter().zip(weights) {
            for (z, &value) in z.iter_mut().zip(values) {
                *z = z.wrapping_add(product(value, weight.into()));
            }
        }
    }
}

/// Brings every coordinate to its scale and within its bounds.
fn finish(layout: &Layout<'_>, z: &mut [Lane]) {
    let meta = layout.meta();
    let (most, shift) = (i32::from(meta.z_max), meta.z_shift);
    let halves = layout.halves(Section::Readout);
    let behind = halves.len().saturating_sub(z.len().next_multiple_of(2));
    let mut muls = halves.get(behind..).unwrap_or_default().iter();
    for z in z {
        let mul = muls.next().copied().unwrap_or(0);
        for z in z {
            let scaled = if meta.readout == 0 {
                z.wrapping_add(rescale::half(shift)).wrapping_shr(shift.into())
            } else {
                rescale::rescale(*z, mul, shift)
            };
            *z = scaled.max(most.wrapping_neg()).min(most);
        }
    }
}
