//! A checked model back into one that can be edited: for inspection, conversion and tests.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::{
    Convolution, FeatureMap, Head, Info, IntParams, Kernel, Layout, LoadError, ModelBuf, Nibbles, Pool, Projection,
    Readout, Scale, Section, Series, Shape, Tensor, Window, extras,
    interleave::{deinterleave_blocks, deinterleave_nibble_rows, deinterleave_nibbles, deinterleave_rows, to_dense},
    meta::{Meta, Num, code},
};

impl ModelBuf {
    /// The model in `bytes`, which must be aligned as for a device.
    ///
    /// # Errors
    /// If the bytes are refused, or their provenance cannot be read.
    pub fn decode(bytes: &[u8]) -> Result<Self, LoadError> {
        let layout = Layout::from_bytes(bytes)?;
        let spec = layout.spec();
        let meta = spec.meta();
        let mut model =
            Self::new(layout.header().inputs as usize, layout.header().dim.into(), layout.header().classes.into());
        model.input = meta.input();
        model.shape = (meta.shape != 0).then_some(Shape { channels: meta.channels, rows: meta.rows, cols: meta.cols });
        model.window = meta.has_window().then_some(Window {
            segments: meta.segments,
            stats: meta.stats,
            interleaved: meta.interleaved != 0,
        });
        model.series = meta.has_counts().then(|| {
            let (counts, words) = layout.series();
            Series::from_words(counts, words, layout.int(), meta.interleaved != 0)
        });
        model.convolution =
            meta.has_convolution().then(|| Convolution::from_words(meta, layout.words(Section::Filters), layout.int()));
        model.pool = meta.has_pool().then_some(Pool { rows: meta.pool_rows, cols: meta.pool_cols });
        model.select = (meta.select != 0).then(|| {
            let bit = |i: usize| layout.bytes(Section::Mask)[i / 8] >> (i % 8) & 1 == 1;
            (0..layout.pooled()).map(bit).collect()
        });
        match meta.scale {
            code::SCALE_UNIFORM if !layout.int() => {
                model.scale = Scale::Uniform { mul: meta.scale_mul, add: meta.scale_add }
            }
            code::SCALE_UNIT => model.scale = Scale::Unit,
            _ => {}
        }
        let arrays = Arrays::of(&layout, meta);
        if let Some(scale) = arrays.scale {
            model.scale = scale;
        }
        if meta.project != 0 {
            model.project = Some(Projection {
                outputs: meta.projected.into(),
                values: arrays.project,
                bias: arrays.project_bias.0,
                int_bias: arrays.project_bias.1,
                sparse: meta.project == code::PROJECT_SPARSE,
            });
        }
        model.feature_map = feature_map(meta, arrays.centers, arrays.phases);
        model.readout = (meta.readout != 0).then_some(arrays.readout);
        model.head = match meta.head {
            code::HEAD_MEANS => Head::Means(arrays.head),
            code::HEAD_PROTOTYPES => Head::Prototypes {
                k: meta.knn,
                values: arrays.head,
                counts: layout.halves(Section::Counts)[..model.classes].to_vec(),
            },
            _ => Head::Unit,
        };
        model.int = int_params(&layout, meta);
        model.names = names(&layout);
        model.extras = layout
            .extras()
            .iter()
            .filter(|extra| extra.tag != extras::NAMES)
            .map(|extra| (extra.tag, (extra.critical, extra.payload.to_vec())))
            .collect();
        model.info = Info::from_model(bytes)?;
        Ok(model)
    }
}

fn names(layout: &Layout<'_>) -> Vec<String> {
    let mut rest = layout.extras().find(extras::NAMES).unwrap_or_default();
    let mut names = Vec::new();
    while let Some((&len, tail)) = rest.split_first() {
        let (name, tail) = tail.split_at_checked(usize::from(len)).unwrap_or_default();
        names.push(core::str::from_utf8(name).unwrap_or_default().to_owned());
        rest = tail;
    }
    names
}

fn feature_map(meta: &Meta, values: Tensor, phases: (Vec<f32>, Vec<u16>)) -> FeatureMap {
    let gamma = meta.gamma;
    let kernel = match meta.kernel {
        code::KERNEL_GAUSSIAN | code::KERNEL_GAUSSIAN_NIBBLES => Kernel::Gaussian { gamma },
        code::KERNEL_LAPLACIAN => Kernel::Laplacian { gamma },
        _ => Kernel::Polynomial { gamma, offset: meta.offset, degree: meta.degree },
    };
    match meta.feature_map {
        code::MAP_CENTERS => FeatureMap::Centers { kernel, values },
        code::MAP_RANDOM => FeatureMap::Random { gamma, weights: values, phases: phases.0, int_phases: phases.1 },
        code::MAP_SEEDED => FeatureMap::Seeded {
            gamma,
            count: meta.centers.into(),
            seed: u64::from(meta.seed_hi) << 32 | u64::from(meta.seed_lo),
            law: meta.law,
        },
        _ => FeatureMap::None,
    }
}

fn int_params(layout: &Layout<'_>, m: &Meta) -> Option<IntParams> {
    layout.int().then_some(IntParams {
        f32_mul: m.scale_mul,
        f32_add: m.scale_add,
        in_zero: m.in_zero.into(),
        in_mul: m.in_mul.into(),
        in_shift: m.in_shift,
        p_mul: if m.project == 0 { Vec::new() } else { multipliers(layout, Section::Project, layout.projected()) },
        p_shift: m.p_shift,
        k_mul: m.k_mul,
        k_shift: m.k_shift,
        nibbles: Nibbles {
            project: m.has_nibble_projection(),
            centers: m.has_nibble_centers(),
            readout: m.has_nibble_readout(),
        },
        z_shift: m.z_shift,
        z_max: m.z_max.into(),
        z_one: m.z_one.into(),
        z_unit: m.z_unit,
    })
}

/// The sections of either profile, row-major.
#[derive(Default)]
struct Arrays {
    scale: Option<Scale>,
    project: Tensor,
    project_bias: (Vec<f32>, Vec<i32>),
    centers: Tensor,
    phases: (Vec<f32>, Vec<u16>),
    readout: Readout,
    head: Tensor,
}

impl Arrays {
    fn of(layout: &Layout<'_>, meta: &Meta) -> Self {
        let (kept, projected, mapped) = (layout.kept(), layout.projected(), layout.mapped());
        let dim = usize::from(layout.header().dim);
        let random = meta.feature_map == code::MAP_RANDOM;
        let rows = match meta.head {
            code::HEAD_MEANS => layout.header().classes.into(),
            code::HEAD_PROTOTYPES => meta.prototypes.into(),
            _ => 0,
        };
        Self {
            scale: (meta.scale == code::SCALE_FEATURES).then(|| feature_scale(layout)),
            project: match meta.project {
                code::PROJECT_DENSE => interleaved(layout, Section::Project, Num::I8, projected, kept),
                code::PROJECT_SPARSE => sparse(layout),
                code::PROJECT_NIBBLES => nibbles(layout, Section::Project, Num::I8, projected, kept),
                _ => Tensor::default(),
            },
            project_bias: biases(layout, Section::ProjectBias, projected),
            centers: match meta.feature_map {
                code::MAP_CENTERS if meta.has_nibble_centers() => {
                    nibbles(layout, Section::Centers, Num::U8, mapped, projected)
                }
                code::MAP_CENTERS => interleaved(layout, Section::Centers, Num::U8, mapped, projected),
                code::MAP_RANDOM => interleaved(layout, Section::Centers, Num::I8, mapped, projected),
                _ => Tensor::default(),
            },
            phases: match (random, layout.int()) {
                (true, false) => (layout.floats(Section::Phases)[..mapped].to_vec(), Vec::new()),
                (true, true) => (Vec::new(), layout.halves(Section::Phases)[..mapped].to_vec()),
                _ => (Vec::new(), Vec::new()),
            },
            readout: Readout {
                weights: if meta.readout == 0 { Tensor::default() } else { readout_weights(layout, mapped, dim) },
                bias: biases(layout, Section::ReadoutBias, dim).0,
                int_mul: multipliers(layout, Section::Readout, dim),
                int_bias: biases(layout, Section::ReadoutBias, dim).1,
            },
            head: head(layout, rows * dim),
        }
    }
}

fn signed(layout: &Layout<'_>, section: Section) -> Vec<i32> {
    bytemuck::cast_slice(layout.words(section)).to_vec()
}

/// The multipliers behind integer weights: as many as there are rows, padded to a word.
fn multipliers(layout: &Layout<'_>, section: Section, count: usize) -> Vec<u16> {
    let all = layout.halves(section);
    if !layout.int() || all.is_empty() {
        return Vec::new();
    }
    let padded = if section == Section::Project { count.next_multiple_of(4) } else { count.next_multiple_of(2) };
    all[all.len() - padded..][..count].to_vec()
}

/// Float biases and integer biases, one of them empty.
fn biases(layout: &Layout<'_>, section: Section, len: usize) -> (Vec<f32>, Vec<i32>) {
    let cut = len.min(layout.words(section).len());
    if layout.int() {
        (Vec::new(), signed(layout, section)[..cut].to_vec())
    } else {
        (layout.floats(section)[..cut].to_vec(), Vec::new())
    }
}

fn readout_weights(layout: &Layout<'_>, rows: usize, dim: usize) -> Tensor {
    let words = layout.words(Section::Readout);
    if layout.meta().has_nibble_readout() {
        let bytes = deinterleave_nibble_rows(bytemuck::cast_slice(words), rows, dim);
        return Tensor::I8(bytemuck::cast_slice(&bytes).to_vec());
    }
    match Num::from_code(layout.meta().readout_num) {
        Some(Num::I16) => Tensor::I16(deinterleave_rows(bytemuck::cast_slice(words), rows, dim)),
        Some(Num::I8) => Tensor::I8(deinterleave_rows(bytemuck::cast_slice(words), rows, dim)),
        Some(Num::U8) => Tensor::U8(deinterleave_rows(bytemuck::cast_slice(words), rows, dim)),
        _ => Tensor::F32(deinterleave_rows(bytemuck::cast_slice(words), rows, dim)),
    }
}

fn feature_scale(layout: &Layout<'_>) -> Scale {
    let kept = layout.kept();
    if layout.int() {
        let values: &[i16] = bytemuck::cast_slice(layout.words(Section::Scale));
        return Scale::IntFeatures { zero: values[..kept].to_vec(), mul: values[kept..2 * kept].to_vec() };
    }
    let (mul, add) = layout.floats(Section::Scale).split_at(kept);
    Scale::Features { mul: mul.to_vec(), add: add.to_vec() }
}

/// Class means or prototypes: `len` numbers, or none where the model has neither.
fn head(layout: &Layout<'_>, len: usize) -> Tensor {
    let words = layout.words(Section::Head);
    if layout.int() {
        return Tensor::I16(bytemuck::cast_slice(words)[..len].to_vec());
    }
    Tensor::F32(bytemuck::cast_slice(words)[..len].to_vec())
}

/// A section of interleaved rows: floats, or bytes of the given type.
fn interleaved(layout: &Layout<'_>, section: Section, int: Num, rows: usize, width: usize) -> Tensor {
    let words = layout.words(section);
    match int {
        _ if !layout.int() => Tensor::F32(deinterleave_rows(bytemuck::cast_slice(words), rows, width)),
        Num::U8 => Tensor::U8(deinterleave_blocks(bytemuck::cast_slice(words), rows, width)),
        _ => Tensor::I8(deinterleave_blocks(bytemuck::cast_slice(words), rows, width)),
    }
}

/// A section of blocks of nibbles, as bytes of the given type.
fn nibbles(layout: &Layout<'_>, section: Section, num: Num, rows: usize, width: usize) -> Tensor {
    let bytes = deinterleave_nibbles(layout.bytes(section), rows, width);
    if num == Num::U8 { Tensor::U8(bytes) } else { Tensor::I8(bytemuck::cast_slice(&bytes).to_vec()) }
}

fn sparse(layout: &Layout<'_>) -> Tensor {
    let counts = &layout.halves(Section::SparseCounts)[..layout.projected()];
    let gaps = &layout.bytes(Section::SparseGaps)[..layout.meta().nonzeros.into()];
    let (words, width) = (layout.words(Section::Project), layout.kept());
    if layout.int() {
        return Tensor::I8(to_dense(counts, gaps, bytemuck::cast_slice(words), width));
    }
    Tensor::F32(to_dense(counts, gaps, bytemuck::cast_slice(words), width))
}
