//! A checked model back into the writer's hands: for inspection, conversion and tests.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::{
    Head, Info, IntParams, Kernel, Layout, Lift, LoadError, ModelBuf, Pool, Projection, Readout, Scale, Sections,
    Shape, Tensor, Window, extras,
    meta::{Meta, code},
    pack,
};

impl ModelBuf {
    /// The model in `bytes`, which must be aligned as for a device.
    ///
    /// # Errors
    /// If the bytes are refused, or their provenance cannot be read.
    pub fn decode(bytes: &[u8]) -> Result<Self, LoadError> {
        let layout = Layout::from_bytes(bytes)?;
        let meta = &layout.meta;
        let mut model = Self::new(layout.inputs as usize, usize::from(layout.dim), usize::from(layout.classes));
        model.input = meta.input();
        model.shape =
            (meta.channels != 0).then_some(Shape { channels: meta.channels, rows: meta.rows, cols: meta.cols });
        model.window = (meta.window != 0).then_some(Window {
            segments: meta.segments,
            stats: meta.stats,
            interleaved: meta.interleaved != 0,
        });
        model.pool = (meta.pool != 0).then_some(Pool { rows: meta.pool_rows, cols: meta.pool_cols });
        model.select = (meta.select != 0).then(|| {
            let bit = |i: u32| layout.mask[i as usize / 8] >> (i % 8) & 1 == 1;
            (0..layout.pooled).map(bit).collect()
        });
        match meta.scale {
            code::SCALE_UNIFORM => model.scale = Scale::Uniform { mul: meta.scale_mul, add: meta.scale_add },
            code::SCALE_UNIT => model.scale = Scale::Unit,
            _ => {}
        }
        let arrays = Arrays::of(&layout);
        if let Some(scale) = arrays.scale {
            model.scale = scale;
        }
        if meta.project != 0 {
            model.project = Some(Projection {
                outputs: meta.projected as usize,
                values: arrays.project,
                bias: arrays.project_bias.0,
                int_bias: arrays.project_bias.1,
                sparse: meta.project == code::PROJECT_SPARSE,
            });
        }
        model.lift = lift(meta, arrays.centers, arrays.phases);
        model.readout = (meta.readout != 0).then_some(arrays.readout);
        model.head = match meta.head {
            code::HEAD_MEANS => Head::Means(arrays.head),
            code::HEAD_PROTOTYPES => {
                Head::Prototypes { k: meta.knn, values: arrays.head, counts: layout.counts.to_vec() }
            }
            _ => Head::Unit,
        };
        model.int = int_params(&layout);
        model.names = names(&layout);
        model.extras = layout
            .extras
            .iter()
            .filter(|extra| extra.tag != extras::NAMES)
            .map(|extra| (extra.tag, (extra.critical, extra.payload.to_vec())))
            .collect();
        model.info = Info::from_model(bytes)?;
        Ok(model)
    }
}

fn names(layout: &Layout<'_>) -> Vec<String> {
    let mut rest = layout.extras.find(extras::NAMES).unwrap_or_default();
    let mut names = Vec::new();
    while let Some((&len, tail)) = rest.split_first() {
        let (name, tail) = tail.split_at_checked(usize::from(len)).unwrap_or_default();
        names.push(core::str::from_utf8(name).unwrap_or_default().to_owned());
        rest = tail;
    }
    names
}

fn lift(meta: &Meta, values: Tensor, phases: (Vec<f32>, Vec<u16>)) -> Lift {
    let gamma = meta.gamma;
    let kernel = match meta.kernel {
        code::KERNEL_GAUSSIAN => Kernel::Gaussian { gamma },
        code::KERNEL_LAPLACIAN => Kernel::Laplacian { gamma },
        _ => Kernel::Polynomial { gamma, offset: meta.offset, degree: meta.degree },
    };
    match meta.lift {
        code::LIFT_CENTERS => Lift::Centers { kernel, values },
        code::LIFT_RANDOM => Lift::Random { gamma, weights: values, phases: phases.0, int_phases: phases.1 },
        code::LIFT_SEEDED => Lift::Seeded {
            gamma,
            count: meta.centers,
            seed: u64::from(meta.seed_hi) << 32 | u64::from(meta.seed_lo),
            law: meta.law,
        },
        _ => Lift::None,
    }
}

fn int_params(layout: &Layout<'_>) -> Option<IntParams> {
    let m = &layout.meta;
    #[cfg(feature = "int")]
    if let Sections::Int(_) = layout.sections {
        return Some(IntParams {
            in_zero: m.in_zero,
            in_mul: m.in_mul,
            in_shift: m.in_shift,
            p_mul: m.p_mul,
            p_shift: m.p_shift,
            k_mul: m.k_mul,
            k_shift: m.k_shift,
            z_shift: m.z_shift,
            z_max: m.z_max,
            z_unit: m.z_unit,
            norms: m.norms != 0,
        });
    }
    let _ = m;
    None
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
    fn of(layout: &Layout<'_>) -> Self {
        match &layout.sections {
            #[cfg(feature = "f32")]
            Sections::F32(sections) => Self::floats(layout, sections),
            #[cfg(feature = "int")]
            Sections::Int(sections) => Self::integers(layout, sections),
            Sections::None(never, _) => match *never {},
        }
    }

    #[cfg(feature = "f32")]
    fn floats(layout: &Layout<'_>, s: &crate::F32Sections<'_>) -> Self {
        let (kept, projected) = (layout.kept as usize, layout.projected());
        let (mul, add) = s.scale.split_at(s.scale.len() / 2);
        let stored = matches!(layout.meta.lift, code::LIFT_CENTERS | code::LIFT_RANDOM);
        Self {
            scale: (!s.scale.is_empty()).then(|| Scale::Features { mul: mul.to_vec(), add: add.to_vec() }),
            project: Tensor::F32(match layout.meta.project {
                code::PROJECT_DENSE => pack::unquads(s.project, projected, kept),
                code::PROJECT_SPARSE => pack::unsparse(s.sparse.counts, s.sparse.gaps, s.sparse_values, kept),
                _ => Vec::new(),
            }),
            project_bias: (s.project_bias.to_vec(), Vec::new()),
            centers: Tensor::F32(if stored {
                pack::unquads(s.centers, layout.lifted(), projected)
            } else {
                Vec::new()
            }),
            phases: (s.phases.to_vec(), Vec::new()),
            readout: Readout {
                weights: Tensor::F32(s.readout.to_vec()),
                bias: s.readout_bias.to_vec(),
                ..Readout::default()
            },
            head: Tensor::F32(s.head.to_vec()),
        }
    }

    #[cfg(feature = "int")]
    fn integers(layout: &Layout<'_>, s: &crate::IntSections<'_>) -> Self {
        use crate::Ints;
        let (kept, projected) = (layout.kept as usize, layout.projected());
        let (zero, mul) = s.scale.split_at(s.scale.len() / 2);
        let rows = match layout.meta.lift {
            code::LIFT_CENTERS | code::LIFT_RANDOM => layout.lifted(),
            _ => 0,
        };
        Self {
            scale: (!s.scale.is_empty()).then(|| Scale::IntFeatures { zero: zero.to_vec(), mul: mul.to_vec() }),
            project: Tensor::I8(match layout.meta.project {
                code::PROJECT_DENSE => pack::untiles(s.project, projected, kept),
                code::PROJECT_SPARSE => pack::unsparse(s.sparse.counts, s.sparse.gaps, s.project, kept),
                _ => Vec::new(),
            }),
            project_bias: (Vec::new(), s.project_bias.to_vec()),
            centers: match s.centers {
                Ints::I16(v) => Tensor::I16(pack::untiles(v, rows, projected)),
                Ints::I8(v) => Tensor::I8(pack::untiles(v, rows, projected)),
                Ints::U8(v) => Tensor::U8(pack::untiles(v, rows, projected)),
            },
            phases: (Vec::new(), s.phases.to_vec()),
            readout: Readout {
                weights: match s.readout {
                    Ints::I16(v) => Tensor::I16(v.to_vec()),
                    Ints::I8(v) => Tensor::I8(v.to_vec()),
                    Ints::U8(v) => Tensor::U8(v.to_vec()),
                },
                bias: Vec::new(),
                int_mul: s.readout_mul.to_vec(),
                int_bias: s.readout_bias.to_vec(),
            },
            head: Tensor::I16(s.head.to_vec()),
        }
    }
}
