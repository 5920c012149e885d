//! What is counted: how often each of the runtime's loops turns, and how often it begins.
//!
//! A stage that a model has also has a fixed cost, once per call.

use super::Shape;
use super::stages::Stages;
use nearmark_format::meta::code;

/// What one turn of a loop does, and the number of turns.
pub type Term = (&'static str, f64);
/// Terms of a float model.
pub const FLOAT: usize = 47;
/// Terms of an integer model.
pub const INT: usize = 54;

fn when(on: bool, count: u32) -> f64 {
    if on { f64::from(count) } else { 0.0 }
}

fn product(on: bool, a: u32, b: u32) -> f64 {
    when(on, a) * f64::from(b)
}

/// The counts of a float model.
#[must_use]
pub fn float(shape: &Shape) -> [Term; FLOAT] {
    let (s, has) = (shape, Stages::of(shape));
    let Stages { window, pool, blocks, .. } = has;
    let preprocessed = window || pool || s.select || s.scale != 0 || s.series_features > 0;
    let (seeded, polynomial) = (has.signs || has.weights, has.polynomial);
    let gathered = when(preprocessed && !window && !pool && s.series_features == 0, s.inputs)
        + when(s.select && (window || pool), s.pooled);
    let projected = product(has.dense, has.outputs, s.kept);
    [
        ("call", 1.0),
        ("feature map", when(s.feature_map != 0, 1)),
        ("projection", when(s.project != 0, 1)),
        ("prototypes", when(has.prototypes, 1)),
        ("stages before the projection", when(preprocessed, 1)),
        ("value gathered", gathered),
        ("value selected", when(s.select, s.kept)),
        ("value of a window", when(window, s.inputs)),
        ("segment of a window", when(window, s.segments)),
        ("value pooled", when(pool, s.inputs)),
        ("row of a pooled block", product(pool, s.pooled, s.pool_rows)),
        ("pooled block", when(pool, s.pooled)),
        ("value scaled", when(s.scale == code::SCALE_UNIFORM || s.scale == code::SCALE_FEATURES, s.kept)),
        ("value brought to unit length", when(s.scale == code::SCALE_UNIT, s.kept)),
        ("input of four products", projected + product(polynomial || has.stored, blocks, s.projected)),
        ("four outputs of a projection", when(has.dense, has.outputs)),
        ("weight of a sparse projection", when(has.sparse, s.nonzeros)),
        ("output of a sparse projection", when(has.sparse, s.projected)),
        ("input of four squared distances", product(has.gaussian, blocks, s.projected)),
        ("input of four city-block distances", product(has.laplacian, blocks, s.projected)),
        ("four exponentials", when(has.gaussian || has.laplacian, blocks)),
        ("four powers", when(polynomial, blocks)),
        ("degree of four powers", product(polynomial, blocks, s.degree.into())),
        ("sign from a seed", product(has.signs, s.centers, s.projected)),
        ("weight from a seed", product(has.weights, s.centers, s.projected)),
        ("row from a seed", when(seeded, s.centers)),
        ("four cosines", when(seeded || has.stored, blocks)),
        ("four values without a feature map", when(s.feature_map == 0, blocks)),
        ("coordinate of four values", product(s.readout, blocks, s.dim)),
        ("coordinate", f64::from(s.dim)),
        ("coordinate of a mean", product(!has.unit, has.means, s.dim)),
        ("mean", when(!has.unit && !has.prototypes, has.means)),
        ("prototype", when(has.prototypes, has.means)),
        ("coordinate of unit means", when(has.unit, s.dim)),
        ("place of a neighbor", product(has.prototypes, s.prototypes, s.neighbors)),
        ("vote", product(true, s.neighbors, s.neighbors)),
        ("channel of a series", s.series_channels.into()),
        ("value of a series", s.series_values.into()),
        ("sum of a series", s.series_sums.into()),
        ("kernel against a threshold", s.series_kernels.into()),
        ("kernel against two thresholds", s.series_kernel_pairs.into()),
        ("output against a threshold", s.series_outputs.into()),
        ("output against two thresholds", s.series_output_pairs.into()),
        ("pass over outputs", s.series_passes.into()),
        ("value of a statistic", s.series_described.into()),
        ("part of a statistic", s.series_parts.into()),
        ("feature of a series", s.series_features.into()),
    ]
}

/// The counts of an integer model.
#[must_use]
pub fn int(shape: &Shape) -> [Term; INT] {
    let (s, has) = (shape, Stages::of(shape));
    let Stages { window, pool, blocks, .. } = has;
    let (packed, drawn) = (!s.copied && s.series_features == 0, window || pool || s.series_features > 0);
    let (kept, words) = (s.kept.div_ceil(4), has.outputs);
    let (mapped, seeded) = (s.feature_map != 0, has.signs || has.weights);
    let projected = product(has.dense, has.outputs, kept);
    let (wide, narrow) = (s.readout && s.wide, s.readout && !s.wide);
    [
        ("call", 1.0),
        ("input quantization", when(packed, 1)),
        ("feature map", when(mapped, 1)),
        ("projection", when(s.project != 0, 1)),
        ("prototypes", when(has.prototypes, 1)),
        ("window or pool", when(drawn, 1)),
        ("value rounded", when(s.float_samples && !drawn, s.inputs) + when(s.float_samples, s.series_values)),
        ("value packed", when(packed, s.kept)),
        ("value looked up in the mask", when(s.select, s.pooled)),
        ("value scaled", when(s.scale != 0, s.kept)),
        ("word copied", when(s.copied, s.inputs.div_ceil(4))),
        ("value of a window", when(window, s.inputs)),
        ("segment of a window", when(window, s.segments)),
        ("value pooled", when(pool, s.inputs)),
        ("row of a pooled block", product(pool, s.pooled, s.pool_rows)),
        ("pooled block", when(pool, s.pooled)),
        // Counts round every value once, window statistics twice.
        ("value of a window rounded", when(s.float_samples && window, s.inputs)),
        ("value pooled rounded", when(s.float_samples && pool, s.inputs)),
        ("word of four products", projected + product(has.stored, blocks, words)),
        ("four outputs of a projection", when(has.dense, has.outputs)),
        ("weight of a sparse projection", when(has.sparse, s.nonzeros)),
        ("output of a sparse projection", when(has.sparse, s.projected)),
        ("word of four squared distances", product(has.gaussian, blocks, words)),
        ("word of four city-block distances", product(has.laplacian, blocks, words)),
        ("four exponentials", when(s.feature_map == code::MAP_CENTERS, blocks)),
        ("sign from a seed", product(has.signs, s.centers, s.projected)),
        ("weight from a seed", product(has.weights, s.centers, s.projected)),
        ("row from a seed", when(seeded, s.centers)),
        ("four cosines", when(seeded || has.stored, blocks)),
        ("four values without a feature map", when(!mapped, blocks)),
        ("coordinate of four values, 16 bits", product(mapped && wide, blocks, s.dim)),
        ("coordinate of four values, 8 bits", product(mapped && narrow, blocks, s.dim)),
        // DSP instructions take three coordinates at a time here.
        ("three coordinates of four features, 16 bits", product(!mapped && wide, blocks, s.dim / 3)),
        ("coordinate left of four features, 16 bits", product(!mapped && wide, blocks, s.dim % 3)),
        ("coordinate of four features, 8 bits", product(!mapped && narrow, blocks, s.dim)),
        ("four values as they are", when(!s.readout, blocks)),
        ("coordinate", f64::from(s.dim)),
        ("coordinate of a mean", product(!has.unit, has.means, s.dim)),
        ("mean", when(!has.unit && !has.prototypes, has.means)),
        ("prototype", when(has.prototypes, has.means)),
        ("coordinate of unit means", when(has.unit, s.dim)),
        ("place of a neighbor", product(has.prototypes, s.prototypes, s.neighbors)),
        ("vote", product(true, s.neighbors, s.neighbors)),
        ("channel of a series", s.series_channels.into()),
        ("value of a series", s.series_values.into()),
        ("sum of a series", s.series_sums.into()),
        ("kernel against a threshold", s.series_kernels.into()),
        ("kernel against two thresholds", s.series_kernel_pairs.into()),
        ("output against a threshold", s.series_outputs.into()),
        ("output against two thresholds", s.series_output_pairs.into()),
        ("pass over outputs", s.series_passes.into()),
        ("value of a statistic", s.series_described.into()),
        ("part of a statistic", s.series_parts.into()),
        ("feature of a series", s.series_features.into()),
    ]
}
