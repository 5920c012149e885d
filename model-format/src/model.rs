//! A model that can be edited: stages with plain row-major arrays, before they are encoded.

use alloc::{collections::BTreeMap, string::String, vec::Vec};

use crate::{Convolution, Info, Meta, Nibbles, Series, meta::Num};

/// Numbers in one of the stored types, row-major.
#[derive(Clone, Debug, PartialEq)]
pub enum Tensor {
    /// Floats.
    F32(Vec<f32>),
    /// Signed 16 bits.
    I16(Vec<i16>),
    /// Signed 8 bits.
    I8(Vec<i8>),
    /// Unsigned 8 bits.
    U8(Vec<u8>),
}

impl Default for Tensor {
    fn default() -> Self {
        Self::F32(Vec::new())
    }
}

impl Tensor {
    /// How many numbers.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(v) => v.len(),
            Self::I16(v) => v.len(),
            Self::I8(v) => v.len(),
            Self::U8(v) => v.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their type.
    #[must_use]
    pub const fn num(&self) -> Num {
        match self {
            Self::F32(_) => Num::F32,
            Self::I16(_) => Num::I16,
            Self::I8(_) => Num::I8,
            Self::U8(_) => Num::U8,
        }
    }
}

/// What a sample looks like: channels of rows × columns. A series has one row per channel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Planes, or sensor channels.
    pub channels: u32,
    /// Rows of a plane; 1 for a series.
    pub rows: u32,
    /// Columns of a plane, or time steps.
    pub cols: u32,
}

/// Statistics over time, per channel and segment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Equal parts of the time axis.
    pub segments: u8,
    /// Which statistics, by [`code::STAT_MEAN`](crate::meta::code::STAT_MEAN) and its siblings.
    pub stats: u8,
    /// Whether samples come time step by time step, as a sensor driver delivers them.
    pub interleaved: bool,
}

/// Sums over blocks of pixels.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Rows per block.
    pub rows: u8,
    /// Columns per block.
    pub cols: u8,
}

/// Scaling that could not be folded into a later stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Scale {
    /// None.
    #[default]
    None,
    /// `x·mul + add` (F32); in the INT profile it is [`IntParams::in_mul`].
    Uniform {
        /// Multiplier.
        mul: f32,
        /// Offset.
        add: f32,
    },
    /// `x·mul + add` per feature.
    Features {
        /// Multipliers.
        mul: Vec<f32>,
        /// Offsets.
        add: Vec<f32>,
    },
    /// `(x − zero)·mul` per feature, in integers.
    IntFeatures {
        /// Zeros.
        zero: Vec<i16>,
        /// Multipliers.
        mul: Vec<i16>,
    },
    /// Divide by the row's length.
    Unit,
}

/// A linear map to fewer features.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// Outputs.
    pub outputs: usize,
    /// `outputs × inputs`.
    pub values: Tensor,
    /// One float per output (F32 profile), or empty.
    pub bias: Vec<f32>,
    /// One integer per output (INT profile), or empty.
    pub int_bias: Vec<i32>,
    /// Store only what is not zero.
    pub sparse: bool,
}

/// The kernel between a sample and a center.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Kernel {
    /// `exp(−γ‖u−v‖²)`.
    Gaussian {
        /// γ.
        gamma: f32,
    },
    /// `exp(−γ‖u−v‖₁)`.
    Laplacian {
        /// γ.
        gamma: f32,
    },
    /// `(γ uᵀv + offset)^degree`.
    Polynomial {
        /// γ.
        gamma: f32,
        /// The constant term.
        offset: f32,
        /// 1 to 8.
        degree: u8,
    },
}

/// What maps a sample before the readout.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FeatureMap {
    /// Nothing: the readout takes the features themselves.
    #[default]
    None,
    /// Kernel values at centers, `centers × features`.
    Centers {
        /// The kernel.
        kernel: Kernel,
        /// The centers.
        values: Tensor,
    },
    /// `cos 2π(γ·wᵀx + phase)` with stored weights.
    Random {
        /// γ.
        gamma: f32,
        /// `count × features`.
        weights: Tensor,
        /// In turns (F32 profile), or empty.
        phases: Vec<f32>,
        /// In 1/65536 turns (INT profile), or empty.
        int_phases: Vec<u16>,
    },
    /// The same with weights and phases made from a seed.
    Seeded {
        /// γ.
        gamma: f32,
        /// Number of features made.
        count: u32,
        /// The seed.
        seed: u64,
        /// [`code::LAW_SIGNS`](crate::meta::code::LAW_SIGNS) or its sibling.
        law: u8,
    },
}

/// The map from mapped values to the embedding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readout {
    /// `mapped × dim`.
    pub weights: Tensor,
    /// One float per output (F32 profile), or empty.
    pub bias: Vec<f32>,
    /// Multipliers per output (INT profile).
    pub int_mul: Vec<u16>,
    /// One integer per output (INT profile), or empty.
    pub int_bias: Vec<i32>,
}

/// What names the class of an embedding.
#[derive(Clone, Debug, PartialEq)]
pub enum Head {
    /// The nearest class mean, `classes × dim`.
    Means(Tensor),
    /// The vote of the `k` nearest prototypes, sorted by class.
    Prototypes {
        /// Voters.
        k: u8,
        /// `prototypes × dim`.
        values: Tensor,
        /// Prototypes per class.
        counts: Vec<u16>,
    },
    /// The class means are the unit vectors.
    Unit,
}

/// Scales of the INT profile; `FORMAT.md` has the arithmetic.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)] // named as the fields of `Meta`, which FORMAT.md describes
pub struct IntParams {
    /// What a float sample is multiplied by where the model's input is floats; else 0.
    pub f32_mul: f32,
    /// What is added then.
    pub f32_add: f32,
    pub in_zero: i32,
    /// Not 0: all features are scaled by it, and [`ModelBuf::scale`] is `None`.
    pub in_mul: i32,
    pub in_shift: u8,
    /// One per output of the projection; empty without.
    pub p_mul: Vec<u16>,
    pub p_shift: u8,
    pub k_mul: u32,
    pub k_shift: u8,
    pub nibbles: Nibbles,
    pub z_shift: u8,
    pub z_max: u32,
    /// The coordinate 1 where class means are unit vectors; else 0.
    pub z_one: u32,
    pub z_unit: f32,
}

/// An owned model, ready to be written. Arrays are row-major; [`encode`](Self::encode) interleaves.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelBuf {
    /// Values per sample.
    pub inputs: usize,
    /// Type of the training rows as given.
    pub input: Num,
    /// Length of the embedding.
    pub dim: usize,
    /// Number of classes.
    pub classes: usize,
    /// Geometry of a sample, where it has one.
    pub shape: Option<Shape>,
    /// Window statistics.
    pub window: Option<Window>,
    /// Counts and statistics of a series, instead of window statistics or pooling.
    pub series: Option<Series>,
    /// Pooling.
    pub pool: Option<Pool>,
    /// Learned filters over a picture, instead of pooling.
    pub convolution: Option<Convolution>,
    /// Features kept, after window and pool.
    pub select: Option<Vec<bool>>,
    /// Scaling.
    pub scale: Scale,
    /// Projection.
    pub project: Option<Projection>,
    /// Kernel centers or random features.
    pub feature_map: FeatureMap,
    /// Readout; without it the mapped values are the embedding.
    pub readout: Option<Readout>,
    /// Head.
    pub head: Head,
    /// `Some` makes this a model of the INT profile.
    pub int: Option<IntParams>,
    /// Class names, or empty.
    pub names: Vec<String>,
    /// Other extras by tag: critical or not, and the payload.
    pub extras: BTreeMap<u16, (bool, Vec<u8>)>,
    /// Provenance.
    pub info: Option<Info>,
}

impl ModelBuf {
    /// A model with no stages yet and unit vectors for class means.
    #[must_use]
    pub const fn new(inputs: usize, dim: usize, classes: usize) -> Self {
        Self {
            inputs,
            input: Num::F32,
            dim,
            classes,
            shape: None,
            window: None,
            series: None,
            pool: None,
            convolution: None,
            select: None,
            scale: Scale::None,
            project: None,
            feature_map: FeatureMap::None,
            readout: None,
            head: Head::Unit,
            int: None,
            names: Vec::new(),
            extras: BTreeMap::new(),
            info: None,
        }
    }

    /// Features after window statistics, counts, pooling or a convolution, and selection.
    #[must_use]
    pub fn features(&self) -> usize {
        if let Some(mask) = &self.select {
            return mask.iter().filter(|&&kept| kept).count();
        }
        self.pooled()
    }

    /// Features after window statistics, counts, pooling or a convolution.
    #[must_use]
    pub fn pooled(&self) -> usize {
        if let Some(series) = &self.series {
            return series.entries.len();
        }
        if let (Some(shape), Some(convolution)) = (self.shape, &self.convolution) {
            return Meta::of_convolution(shape, convolution).convolved() as usize;
        }
        match (self.shape, self.window, self.pool) {
            (Some(shape), Some(window), _) => {
                shape.channels as usize * usize::from(window.segments) * window.stats.count_ones() as usize
            }
            (Some(shape), None, Some(pool)) => {
                let blocks = |of: u32, by: u8| (of / u32::from(by).max(1)) as usize;
                shape.channels as usize * blocks(shape.rows, pool.rows) * blocks(shape.cols, pool.cols)
            }
            _ => self.inputs,
        }
    }
}
