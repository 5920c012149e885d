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
    [0.000, 25.384, 25.626, 0.000], // coordinate
    [334.794, 6.386, 6.382, 192.374], // coordinate of a mean
    [0.000, 21.821, 21.405, 0.000], // mean
    [0.000, 39.674, 39.643, 12.662], // prototype
    [503.297, 21.564, 21.144, 327.657], // coordinate of unit means
    [12.952, 10.217, 10.229, 13.858], // place of a neighbor
    [0.000, 24.713, 24.631, 0.000], // vote
    [335.215, 0.000, 0.000, 0.000], // channel of a series
    [9.530, 41.547, 39.238, 0.000], // value of a series
    [1045.064, 83.001, 84.248, 668.962], // sum of a series
    [495.577, 10.844, 11.329, 299.760], // kernel against a threshold
    [543.948, 19.890, 19.364, 338.225], // kernel against two thresholds
    [165.752, 13.157, 12.839, 99.789], // output against a threshold
    [68.105, 4.939, 5.229, 57.275], // output against two thresholds
    [684.853, 268.754, 259.674, 591.503], // pass over outputs
    [505.922, 45.708, 41.641, 365.288], // value of a statistic
    [15162.974, 0.000, 0.000, 8166.163], // part of a statistic
    [0.000, 16.700, 21.821, 0.000], // feature of a series
];

/// Of integer models.
#[rustfmt::skip]
pub(super) const INT: [[f64; MEASURED.len()]; terms::INT] = [
    [460.354, 353.301, 353.713, 362.529, 437.609, 436.162], // call
    [38.401, 31.297, 32.179, 21.904, 2.802, 17.644], // input quantization
    [179.264, 121.433, 122.305, 117.870, 8.685, 9.817], // feature map
    [325.470, 240.091, 239.753, 237.554, 251.345, 206.819], // projection
    [92.095, 69.351, 70.646, 33.746, 75.894, 50.146], // prototypes
    [619.102, 231.667, 230.869, 254.307, 252.728, 267.215], // window or pool
    [384.098, 21.718, 19.716, 246.454, 22.045, 18.038], // value rounded
    [45.980, 27.750, 27.704, 22.996, 28.713, 29.080], // value packed
    [11.155, 7.119, 7.154, 7.108, 6.589, 6.528], // value looked up in the mask
    [31.983, 21.372, 21.373, 17.902, 21.327, 24.387], // value scaled
    [11.856, 1.430, 1.397, 13.576, 2.115, 3.879], // word copied
    [38.687, 34.769, 34.770, 25.198, 34.991, 34.883], // value of a window
    [823.583, 236.882, 236.987, 241.948, 231.213, 206.250], // segment of a window
    [11.291, 8.168, 8.163, 8.457, 8.138, 7.905], // value pooled
    [30.897, 24.359, 24.383, 17.058, 24.298, 24.810], // row of a pooled block
    [53.275, 51.733, 51.773, 31.072, 51.821, 44.059], // pooled block
    [856.870, 46.135, 41.972, 531.810, 46.298, 44.613], // value of a window rounded
    [408.161, 24.335, 22.327, 254.107, 24.414, 23.378], // value pooled rounded
    [99.742, 43.779, 43.798, 55.350, 24.640, 29.478], // word of four products
    [178.724, 125.680, 125.326, 158.264, 118.058, 134.727], // four outputs of a projection
    [24.821, 15.349, 15.347, 14.376, 15.330, 15.090], // weight of a sparse projection
    [121.427, 93.597, 93.837, 80.004, 88.800, 89.270], // output of a sparse projection
    [95.091, 72.944, 71.938, 71.656, 33.811, 37.986], // word of four squared distances
    [134.697, 104.345, 104.513, 103.498, 8.694, 10.295], // word of four city-block distances
    [271.153, 205.224, 203.172, 214.914, 202.736, 198.847], // four exponentials
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // sign from a seed
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // weight from a seed
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // row from a seed
    [310.510, 222.302, 222.058, 272.736, 223.459, 236.280], // four cosines
    [79.033, 52.779, 52.544, 59.073, 13.868, 11.246], // four values without a feature map
    [20.694, 13.594, 13.615, 19.806, 7.354, 7.448], // coordinate of four values, 16 bits
    [21.380, 12.553, 12.580, 14.970, 7.943, 8.160], // coordinate of four values, 8 bits
    [52.265, 34.582, 34.779, 52.986, 15.144, 16.594], // three coordinates of four features, 16 bits
    [10.367, 7.063, 7.274, 12.388, 4.916, 5.349], // coordinate left of four features, 16 bits
    [13.721, 3.059, 3.181, 7.197, 4.041, 4.783], // coordinate of four features, 8 bits
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // four values as they are
    [60.494, 45.973, 45.873, 50.258, 47.602, 42.455], // coordinate
    [8.173, 5.428, 5.429, 7.759, 5.288, 5.311], // coordinate of a mean
    [32.984, 21.875, 21.706, 14.193, 27.603, 30.600], // mean
    [49.058, 35.083, 35.034, 24.856, 36.440, 37.771], // prototype
    [7.692, 0.000, 0.000, 7.746, 0.000, 0.000], // coordinate of unit means
    [10.516, 11.441, 11.449, 12.733, 10.882, 12.402], // place of a neighbor
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // vote
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // channel of a series
    [66.871, 35.848, 35.919, 37.614, 37.966, 37.707], // value of a series
    [25.360, 22.634, 22.584, 23.326, 20.902, 21.623], // sum of a series
    [30.633, 21.094, 21.075, 25.874, 20.460, 20.435], // kernel against a threshold
    [15.084, 4.162, 4.189, 10.242, 5.073, 7.148], // kernel against two thresholds
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // output against a threshold
    [21.505, 17.229, 17.199, 17.693, 16.215, 16.109], // output against two thresholds
    [514.119, 344.443, 344.446, 293.578, 344.618, 351.996], // pass over outputs
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // value of a statistic
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // part of a statistic
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // feature of a series
];
