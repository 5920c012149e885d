//! Instructions per turn of each loop: a row per loop, a column per board. Written by `cargo xtask cost-model`.

use super::{MEASURED, terms};

/// Of float models, boards in the order of [`MEASURED`]; they have no DSP instructions.
#[rustfmt::skip]
pub(super) const FLOAT: [[f64; 4]; terms::FLOAT] = [
    [0.000, 238.726, 241.334, 115.460], // call
    [0.000, 37.327, 36.265, 0.000], // feature map
    [0.000, 163.366, 163.516, 0.000], // projection
    [0.000, 18.322, 17.628, 0.000], // prototypes
    [544.784, 158.922, 158.778, 747.666], // stages before the projection
    [0.000, 14.441, 14.444, 0.000], // value gathered
    [0.000, 5.047, 5.022, 0.000], // value selected
    [623.152, 32.555, 30.545, 394.667], // value of a window
    [1109.422, 69.095, 71.274, 777.244], // segment of a window
    [118.056, 9.006, 9.008, 77.108], // value pooled
    [0.000, 9.807, 9.794, 0.000], // row of a pooled block
    [59.033, 5.299, 5.311, 20.800], // pooled block
    [131.623, 13.866, 13.857, 48.012], // value scaled
    [338.162, 13.761, 13.758, 150.061], // value brought to unit length
    [840.822, 12.009, 12.008, 453.160], // input of four products
    [0.000, 36.912, 36.930, 0.000], // four outputs of a projection
    [252.965, 15.685, 15.669, 138.228], // weight of a sparse projection
    [0.000, 45.475, 45.592, 0.000], // output of a sparse projection
    [1362.421, 14.998, 14.998, 780.467], // input of four squared distances
    [916.119, 19.730, 19.729, 581.399], // input of four city-block distances
    [9165.844, 206.194, 206.072, 4973.866], // four exponentials
    [0.000, 113.871, 113.655, 0.000], // four powers
    [812.772, 15.489, 15.516, 416.615], // degree of four powers
    [0.000, 0.000, 0.000, 0.000], // sign from a seed
    [0.000, 0.000, 0.000, 0.000], // weight from a seed
    [0.000, 0.000, 0.000, 0.000], // row from a seed
    [7903.287, 187.795, 187.685, 4355.513], // four cosines
    [97.403, 75.434, 75.291, 77.719], // four values without a feature map
    [889.638, 13.204, 13.225, 474.171], // coordinate of four values
    [0.000, 25.384, 25.627, 0.000], // coordinate
    [334.794, 6.386, 6.382, 192.374], // coordinate of a mean
    [0.000, 21.821, 21.405, 0.000], // mean
    [0.000, 39.674, 39.643, 12.662], // prototype
    [503.297, 21.564, 21.144, 327.657], // coordinate of unit means
    [12.952, 10.217, 10.229, 13.858], // place of a neighbor
    [0.000, 24.713, 24.631, 0.000], // vote
    [149.717, 99.231, 99.189, 119.754], // channel of a series
    [29.305, 25.370, 25.410, 24.297], // value of a series
    [1048.196, 90.064, 89.933, 668.020], // sum of a series
    [502.949, 12.698, 12.708, 305.137], // kernel against a threshold
    [528.085, 17.786, 17.851, 329.999], // kernel against two thresholds
    [140.935, 9.919, 9.679, 89.032], // output against a threshold
    [115.986, 11.568, 11.151, 80.333], // output against two thresholds
    [624.790, 262.365, 256.481, 461.163], // pass over outputs
    [482.803, 31.339, 30.124, 341.641], // value of a statistic
    [8447.710, 251.925, 249.938, 4877.258], // part of a statistic
    [277.629, 25.825, 25.698, 189.913], // feature of a series
];

/// Of integer models.
#[rustfmt::skip]
pub(super) const INT: [[f64; MEASURED.len()]; terms::INT] = [
    [459.498, 356.021, 355.605, 365.915, 441.365, 437.485], // call
    [117.272, 70.774, 70.923, 54.915, 41.609, 51.939], // input quantization
    [177.957, 110.517, 112.153, 115.142, 0.000, 0.000], // feature map
    [319.589, 234.306, 234.087, 225.087, 239.238, 201.958], // projection
    [179.996, 91.035, 94.639, 93.668, 68.972, 43.312], // prototypes
    [569.842, 223.037, 222.829, 222.846, 236.277, 245.773], // window or pool
    [383.619, 21.313, 19.307, 246.544, 22.052, 18.003], // value rounded
    [43.922, 26.823, 26.792, 22.080, 28.048, 28.441], // value packed
    [14.155, 8.498, 8.512, 8.160, 7.852, 7.803], // value looked up in the mask
    [33.115, 21.898, 21.896, 18.522, 21.565, 24.565], // value scaled
    [13.838, 2.705, 2.658, 14.201, 3.409, 4.913], // word copied
    [38.195, 34.320, 34.329, 25.046, 34.571, 34.468], // value of a window
    [834.932, 242.543, 242.395, 246.908, 238.722, 215.188], // segment of a window
    [11.191, 8.161, 8.157, 8.449, 8.114, 7.783], // value pooled
    [31.693, 24.487, 24.514, 17.020, 24.405, 24.888], // row of a pooled block
    [52.756, 50.728, 50.743, 31.366, 51.368, 44.675], // pooled block
    [851.721, 45.437, 41.316, 528.931, 45.461, 43.681], // value of a window rounded
    [409.061, 24.482, 22.469, 256.020, 24.597, 23.764], // value pooled rounded
    [99.131, 43.510, 43.525, 55.068, 24.453, 29.328], // word of four products
    [163.341, 117.396, 117.290, 159.942, 109.216, 123.594], // four outputs of a projection
    [25.206, 15.524, 15.522, 14.471, 15.429, 15.186], // weight of a sparse projection
    [126.230, 95.300, 95.493, 84.213, 90.973, 90.406], // output of a sparse projection
    [95.584, 73.136, 72.129, 71.756, 33.923, 38.133], // word of four squared distances
    [135.271, 104.570, 104.735, 103.723, 8.835, 10.437], // word of four city-block distances
    [271.739, 205.921, 203.897, 214.891, 203.189, 199.312], // four exponentials
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // sign from a seed
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // weight from a seed
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // row from a seed
    [318.903, 225.648, 225.483, 275.772, 225.143, 237.885], // four cosines
    [43.875, 36.056, 36.076, 40.339, 0.000, 0.000], // four values without a feature map
    [20.306, 13.279, 13.291, 19.917, 7.144, 7.233], // coordinate of four values, 16 bits
    [20.525, 12.185, 12.202, 14.831, 7.684, 7.913], // coordinate of four values, 8 bits
    [69.626, 42.355, 42.409, 62.197, 21.858, 21.993], // three coordinates of four features, 16 bits
    [27.533, 15.145, 15.237, 21.540, 11.486, 10.733], // coordinate left of four features, 16 bits
    [31.110, 11.293, 11.297, 16.699, 11.019, 10.505], // coordinate of four features, 8 bits
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // four values as they are
    [32.620, 40.113, 39.300, 33.049, 47.541, 43.527], // coordinate
    [8.688, 5.783, 5.795, 8.173, 5.459, 5.403], // coordinate of a mean
    [51.692, 24.165, 24.734, 25.579, 24.522, 27.798], // mean
    [46.425, 33.125, 33.069, 22.885, 35.282, 36.970], // prototype
    [34.500, 6.353, 7.103, 24.761, 0.000, 0.000], // coordinate of unit means
    [10.639, 11.651, 11.654, 12.836, 11.017, 12.503], // place of a neighbor
    [0.000, 0.000, 0.000, 0.000, 0.151, 0.000], // vote
    [137.104, 97.199, 97.203, 111.034, 97.982, 97.569], // channel of a series
    [44.953, 23.172, 23.176, 23.156, 24.099, 23.781], // value of a series
    [18.635, 16.632, 16.630, 16.987, 16.127, 16.776], // sum of a series
    [22.405, 16.271, 16.269, 20.569, 15.838, 16.092], // kernel against a threshold
    [23.558, 9.224, 9.227, 15.703, 9.777, 11.544], // kernel against two thresholds
    [12.184, 7.349, 7.351, 8.510, 7.541, 7.343], // output against a threshold
    [16.248, 14.510, 14.507, 14.835, 13.871, 14.073], // output against two thresholds
    [436.342, 289.908, 289.903, 235.083, 290.879, 297.412], // pass over outputs
    [13.220, 10.238, 10.237, 10.764, 9.409, 9.845], // value of a statistic
    [323.665, 205.866, 205.890, 230.671, 202.263, 204.407], // part of a statistic
    [35.166, 24.183, 24.184, 25.787, 23.955, 24.289], // feature of a series
];
