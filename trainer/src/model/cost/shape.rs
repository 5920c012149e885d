//! The numbers that a model's cost depends on.

use super::series::Work;
use crate::model::ModelFile;
use nearmark::Num;
use nearmark_format::{Meta, Profile, Spec, meta::code};
use serde::{Deserialize, Serialize};

/// A model's stages and their sizes. Codes are those of the model file; 0 is a stage that is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "stages are there or not")]
pub struct Shape {
    /// Whether it computes in integers.
    pub int: bool,
    /// Whether an integer model's samples are floats, which it rounds first.
    pub float_samples: bool,
    /// Whether an integer model takes the bytes of a sample as they are.
    pub copied: bool,
    /// Values per sample.
    pub inputs: u32,
    /// Channels times segments of window statistics.
    pub segments: u32,
    /// Rows of a pooled block; 0 without pooling.
    pub pool_rows: u32,
    /// Features after window or pool.
    pub pooled: u32,
    /// Whether features are selected.
    pub select: bool,
    /// Features after the selection.
    pub kept: u32,
    /// Code of the scaling.
    pub scale: u8,
    /// Code of the projection.
    pub project: u8,
    /// Features after the projection.
    pub projected: u32,
    /// Weights of a sparse projection.
    pub nonzeros: u32,
    /// Code of the feature map.
    pub feature_map: u8,
    /// Code of the kernel.
    pub kernel: u8,
    /// Degree of a polynomial kernel.
    pub degree: u8,
    /// Code of the law of seeded weights.
    pub law: u8,
    /// Centers or random features; without a feature map the projected features.
    pub centers: u32,
    /// Whether there is a readout.
    pub readout: bool,
    /// Whether its integer weights have 16 bits.
    pub wide: bool,
    /// Code of the head.
    pub head: u8,
    /// Neighbors that vote.
    pub neighbors: u32,
    /// Prototypes.
    pub prototypes: u32,
    /// Length of the embedding.
    pub dim: u32,
    /// Number of classes.
    pub classes: u32,
    /// Channels of a series that features are counted on.
    pub series_channels: u32,
    /// Values gathered of them.
    pub series_values: u32,
    /// Sums of nine of them.
    pub series_sums: u32,
    /// Outputs of kernels that are compared with one threshold.
    pub series_kernels: u32,
    /// The same with two thresholds at a time.
    pub series_kernel_pairs: u32,
    /// Outputs of other operators that are compared with one threshold.
    pub series_outputs: u32,
    /// The same with two thresholds at a time.
    pub series_output_pairs: u32,
    /// Passes over outputs.
    pub series_passes: u32,
    /// Values that statistics of a series are taken of.
    pub series_described: u32,
    /// Parts of a series that statistics are taken of.
    pub series_parts: u32,
    /// Features of a series.
    pub series_features: u32,
    /// Multiplications of the filters of an image.
    #[serde(default)]
    pub filter_products: u32,
    /// Outputs of the filters before pooling.
    #[serde(default)]
    pub filter_outputs: u32,
}

/// Weights of a filter on one channel.
const TAPS: u32 = 9;

impl Shape {
    /// The shape of a model file whose samples come in the type of its training rows if it computes in integers, else
    /// as floats.
    #[must_use]
    pub fn of(file: &ModelFile) -> Self {
        let shape = Self::of_spec(file.spec());
        if !file.spec().meta().has_counts() {
            return shape;
        }
        let model = file.decode();
        let entries = model.series.as_ref().map_or(&[][..], |series| &series.entries);
        shape.with_series(Work::of(file.spec().meta().cols, entries))
    }

    /// The shape with this work on a series.
    pub(crate) fn with_series(self, work: Work) -> Self {
        Self {
            series_channels: work.channels,
            series_values: work.values,
            series_sums: work.sums,
            series_kernels: work.kernels[0],
            series_kernel_pairs: work.kernels[1],
            series_outputs: work.others[0],
            series_output_pairs: work.others[1],
            series_passes: work.passes,
            series_described: work.described,
            series_parts: work.parts,
            series_features: work.features,
            ..self
        }
    }

    pub(crate) fn of_spec(spec: &Spec) -> Self {
        let meta = spec.meta();
        let int = spec.profile() == Profile::Int;
        Self {
            int,
            float_samples: int && meta.input() == Num::F32,
            copied: int && copied(meta),
            inputs: spec.inputs() as u32,
            segments: if meta.has_window() { meta.channels * u32::from(meta.segments) } else { 0 },
            pool_rows: if meta.has_pool() { meta.pool_rows.into() } else { 0 },
            pooled: spec.pooled() as u32,
            select: meta.has_select(),
            kept: spec.kept() as u32,
            scale: meta.scale,
            // What has 4 bits is taken apart on the way; the loops are otherwise the same.
            project: if meta.has_nibble_projection() { code::PROJECT_DENSE } else { meta.project },
            projected: spec.projected() as u32,
            nonzeros: meta.nonzeros.into(),
            feature_map: meta.feature_map,
            kernel: if meta.has_nibble_centers() { code::KERNEL_GAUSSIAN } else { meta.kernel },
            degree: meta.degree,
            law: meta.law,
            centers: spec.mapped() as u32,
            readout: meta.readout != 0,
            wide: int && meta.readout != 0 && meta.readout_num == Num::I16 as u8,
            head: meta.head,
            neighbors: meta.neighbor_words() / 2,
            prototypes: meta.prototypes.into(),
            dim: spec.dim() as u32,
            classes: spec.classes() as u32,
            filter_products: filters(meta).0,
            filter_outputs: filters(meta).1,
            ..Self::default()
        }
    }
}

/// Multiplications and outputs of the filters of an image.
fn filters(meta: &Meta) -> (u32, u32) {
    if !meta.has_convolution() {
        return (0, 0);
    }
    let grid = meta.grid();
    let (first, second) = (u32::from(meta.filters), u32::from(meta.filters2));
    let (all, last) = (grid.first.rows * grid.first.cols * first, grid.last.rows * grid.last.cols * second);
    (TAPS * (all * meta.channels + last * first), all + last)
}

/// Whether bytes come in and go on as they are, but for their sign.
fn copied(meta: &Meta) -> bool {
    let unsigned = !meta.has_projection() && meta.feature_map == code::MAP_CENTERS;
    let least = match meta.input() {
        Num::U8 => 0,
        Num::I8 => -128,
        Num::I16 | Num::F32 => return false,
    };
    let shifted = if unsigned { least } else { least + 128 };
    !(meta.has_window()
        || meta.has_counts()
        || meta.has_convolution()
        || meta.has_pool()
        || meta.has_scale()
        || meta.has_select())
        && i32::from(meta.in_zero) == shifted
}
