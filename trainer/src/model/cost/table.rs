//! Instructions per turn of each loop: a row per loop, a column per board. Written by `cargo xtask cost-model`.

use super::{MEASURED, terms};

/// Of float models, boards in the order of [`MEASURED`]; they have no DSP instructions.
#[rustfmt::skip]
pub(super) const FLOAT: [[f64; 4]; terms::FLOAT] = [
    [0.000, 238.726, 241.334, 115.478], // call
    [0.000, 37.327, 36.265, 0.000], // feature map
    [0.000, 163.366, 163.516, 0.000], // projection
    [0.000, 18.322, 17.628, 0.000], // prototypes
    [544.682, 158.922, 158.778, 747.633], // stages before the projection
    [0.000, 14.441, 14.444, 0.000], // value gathered
    [0.000, 5.047, 5.022, 0.000], // value selected
    [623.152, 32.555, 30.545, 394.667], // value of a window
    [1109.414, 69.095, 71.274, 777.243], // segment of a window
    [118.056, 9.006, 9.008, 77.108], // value pooled
    [0.000, 9.807, 9.794, 0.000], // row of a pooled block
    [59.036, 5.299, 5.311, 20.801], // pooled block
    [131.627, 13.866, 13.857, 48.013], // value scaled
    [338.167, 13.761, 13.758, 150.062], // value brought to unit length
    [840.822, 12.009, 12.008, 453.160], // input of four products
    [0.000, 36.912, 36.930, 0.000], // four outputs of a projection
    [252.965, 15.685, 15.669, 138.228], // weight of a sparse projection
    [0.000, 45.475, 45.592, 0.000], // output of a sparse projection
    [1362.421, 14.998, 14.998, 780.467], // input of four squared distances
    [916.119, 19.730, 19.729, 581.398], // input of four city-block distances
    [9165.855, 206.194, 206.072, 4973.867], // four exponentials
    [0.000, 113.871, 113.655, 0.000], // four powers
    [812.773, 15.489, 15.516, 416.615], // degree of four powers
    [0.000, 0.000, 0.000, 0.000], // sign from a seed
    [0.000, 0.000, 0.000, 0.000], // weight from a seed
    [0.000, 0.000, 0.000, 0.000], // row from a seed
    [7903.289, 187.795, 187.685, 4355.513], // four cosines
    [97.403, 75.434, 75.291, 77.718], // four values without a feature map
    [889.637, 13.204, 13.225, 474.171], // coordinate of four values
    [0.000, 25.384, 25.627, 0.000], // coordinate
    [334.794, 6.386, 6.382, 192.374], // coordinate of a mean
    [0.000, 21.821, 21.405, 0.000], // mean
    [0.000, 39.674, 39.643, 12.662], // prototype
    [503.294, 21.564, 21.144, 327.656], // coordinate of unit means
    [12.951, 10.217, 10.229, 13.858], // place of a neighbor
    [0.000, 24.713, 24.631, 0.000], // vote
    [0.000, 0.000, 0.000, 0.000], // channel of a series
    [2009.491, 144.872, 144.223, 1414.512], // value of a series
    [488.977, 52.987, 53.044, 287.182], // sum of a series
    [927.283, 32.774, 32.690, 622.828], // kernel against a threshold
    [143.684, 0.000, 0.000, 41.027], // kernel against two thresholds
    [52.685, 6.336, 5.247, 33.928], // output against a threshold
    [369.773, 11.358, 10.202, 276.111], // output against two thresholds
    [0.000, 246.358, 246.522, 0.000], // pass over outputs
    [246.090, 42.643, 43.226, 105.646], // value of a statistic
    [0.000, 0.000, 0.000, 0.000], // part of a statistic
    [0.000, 0.000, 0.000, 0.000], // feature of a series
];

/// Of integer models.
#[rustfmt::skip]
pub(super) const INT: [[f64; MEASURED.len()]; terms::INT] = [
    [459.170, 363.579, 364.252, 371.983, 452.367, 451.524], // call
    [36.586, 35.916, 36.918, 24.549, 9.192, 24.246], // input quantization
    [178.596, 115.973, 116.687, 113.247, 0.435, 1.386], // feature map
    [326.602, 238.042, 237.648, 237.115, 247.722, 203.111], // projection
    [84.553, 73.252, 74.622, 40.182, 79.011, 53.189], // prototypes
    [623.560, 230.646, 229.758, 260.623, 251.839, 266.856], // window or pool
    [384.148, 21.567, 19.562, 246.353, 21.819, 17.795], // value rounded
    [46.028, 27.634, 27.585, 22.901, 28.624, 28.988], // value packed
    [11.127, 7.204, 7.241, 7.186, 6.701, 6.646], // value looked up in the mask
    [31.932, 21.564, 21.569, 18.055, 21.577, 24.661], // value scaled
    [11.840, 1.462, 1.430, 13.508, 2.360, 4.137], // word copied
    [38.671, 34.727, 34.727, 25.111, 34.941, 34.827], // value of a window
    [823.216, 237.061, 237.174, 241.656, 231.138, 206.079], // segment of a window
    [11.296, 8.175, 8.171, 8.476, 8.144, 7.913], // value pooled
    [30.899, 24.358, 24.382, 17.044, 24.296, 24.810], // row of a pooled block
    [53.089, 51.547, 51.587, 30.586, 51.603, 43.780], // pooled block
    [856.873, 46.100, 41.937, 531.771, 46.253, 44.565], // value of a window rounded
    [408.132, 24.326, 22.319, 254.034, 24.402, 23.364], // value pooled rounded
    [99.740, 43.801, 43.819, 55.387, 24.616, 29.451], // word of four products
    [178.449, 125.655, 125.304, 157.574, 118.059, 134.704], // four outputs of a projection
    [24.821, 15.345, 15.343, 14.375, 15.321, 15.082], // weight of a sparse projection
    [121.087, 94.534, 94.794, 80.694, 89.876, 90.385], // output of a sparse projection
    [95.100, 72.921, 71.915, 71.645, 33.776, 37.950], // word of four squared distances
    [134.689, 104.374, 104.542, 103.529, 8.710, 10.312], // word of four city-block distances
    [271.291, 204.795, 202.735, 214.521, 202.169, 198.262], // four exponentials
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // sign from a seed
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // weight from a seed
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // row from a seed
    [310.706, 221.673, 221.419, 272.129, 222.948, 235.784], // four cosines
    [81.051, 45.872, 45.455, 53.390, 3.121, 0.000], // four values without a feature map
    [20.640, 13.729, 13.752, 19.904, 7.519, 7.618], // coordinate of four values, 16 bits
    [21.332, 12.679, 12.708, 15.069, 8.101, 8.319], // coordinate of four values, 8 bits
    [51.233, 37.992, 38.276, 55.757, 20.348, 22.051], // three coordinates of four features, 16 bits
    [9.420, 10.249, 10.543, 14.993, 9.813, 10.477], // coordinate left of four features, 16 bits
    [12.691, 6.657, 6.874, 10.172, 9.661, 10.694], // coordinate of four features, 8 bits
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // four values as they are
    [62.814, 44.730, 44.602, 48.380, 45.696, 40.455], // coordinate
    [8.147, 5.475, 5.477, 7.820, 5.374, 5.405], // coordinate of a mean
    [31.423, 21.186, 21.000, 14.309, 26.669, 29.590], // mean
    [49.175, 34.669, 34.610, 24.439, 35.836, 37.130], // prototype
    [5.850, 0.000, 0.000, 8.660, 0.000, 0.000], // coordinate of unit means
    [10.525, 11.453, 11.462, 12.748, 10.888, 12.406], // place of a neighbor
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // vote
    [385.446, 0.000, 0.000, 0.000, 0.000, 0.000], // channel of a series
    [10.114, 38.453, 38.701, 37.968, 45.728, 45.480], // value of a series
    [23.222, 21.839, 21.671, 25.312, 16.678, 17.825], // sum of a series
    [50.904, 27.946, 28.016, 40.541, 30.148, 33.057], // kernel against a threshold
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // kernel against two thresholds
    [23.442, 0.000, 0.000, 0.000, 0.000, 0.000], // output against a threshold
    [16.769, 13.812, 13.684, 13.445, 9.851, 8.977], // output against two thresholds
    [437.968, 336.488, 336.382, 276.888, 333.343, 337.431], // pass over outputs
    [48.182, 0.000, 0.000, 0.000, 0.000, 0.000], // value of a statistic
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // part of a statistic
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // feature of a series
];
