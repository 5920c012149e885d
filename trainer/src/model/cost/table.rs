//! Instructions per turn of each loop: a row per loop, a column per board. Written by `cargo xtask cost-model`.

use super::{MEASURED, terms};

/// Of float models, boards in the order of [`MEASURED`]; they have no DSP instructions.
#[rustfmt::skip]
pub(super) const FLOAT: [[f64; 4]; terms::FLOAT] = [
    [0.000, 216.099, 217.442, 157.193], // call
    [0.000, 63.084, 62.735, 0.000], // feature map
    [0.000, 160.278, 159.610, 0.000], // projection
    [1916.210, 122.828, 122.123, 1050.158], // prototypes
    [0.000, 148.743, 148.622, 151.574], // stages before the projection
    [0.000, 12.718, 12.701, 0.000], // value gathered
    [0.000, 8.770, 8.829, 0.000], // value selected
    [666.620, 32.194, 30.192, 423.514], // value of a window
    [792.527, 61.175, 63.069, 569.381], // segment of a window
    [101.520, 8.892, 8.896, 70.372], // value pooled
    [50.703, 9.701, 9.689, 27.484], // row of a pooled block
    [131.348, 6.917, 6.906, 48.864], // pooled block
    [130.931, 15.861, 15.892, 64.094], // value scaled
    [322.376, 15.621, 15.635, 157.115], // value brought to unit length
    [867.952, 12.045, 12.044, 466.395], // input of four products
    [0.000, 24.693, 24.823, 0.000], // four outputs of a projection
    [180.650, 16.978, 16.971, 93.927], // weight of a sparse projection
    [1156.050, 24.693, 24.935, 724.755], // output of a sparse projection
    [1356.032, 15.028, 15.027, 774.910], // input of four squared distances
    [925.837, 19.719, 19.719, 586.901], // input of four city-block distances
    [8939.199, 207.486, 207.480, 4867.720], // four exponentials
    [1055.386, 108.969, 109.128, 669.496], // four powers
    [394.707, 16.782, 16.735, 151.070], // degree of four powers
    [311.519, 16.116, 16.103, 189.961], // sign from a seed
    [315.662, 17.962, 19.957, 196.608], // weight from a seed
    [976.406, 36.690, 38.068, 672.467], // row from a seed
    [4030.821, 213.986, 209.714, 1919.840], // four cosines
    [112.738, 72.059, 71.995, 64.627], // four values without a feature map
    [894.513, 12.810, 12.820, 480.911], // coordinate of four values
    [0.000, 31.886, 31.845, 0.000], // coordinate
    [334.833, 6.100, 6.100, 192.405], // coordinate of a mean
    [0.000, 22.983, 22.900, 0.000], // mean
    [18.253, 50.240, 50.250, 23.366], // prototype
    [1255.317, 17.297, 17.089, 711.676], // coordinate of unit means
    [1.850, 11.170, 11.169, 8.727], // place of a neighbor
    [0.000, 0.000, 0.000, 0.000], // vote
    [0.000, 95.240, 97.180, 0.000], // channel of a series
    [0.000, 11.066, 11.514, 0.000], // value of a series
    [1050.581, 94.531, 94.483, 677.589], // sum of a series
    [498.102, 13.111, 13.161, 304.822], // kernel against a threshold
    [536.985, 17.377, 17.318, 330.983], // kernel against two thresholds
    [139.402, 13.720, 13.171, 97.165], // output against a threshold
    [115.172, 10.751, 10.387, 80.311], // output against two thresholds
    [1016.845, 247.099, 244.203, 693.322], // pass over outputs
    [580.596, 29.557, 27.550, 376.217], // value of a statistic
    [0.000, 452.163, 453.581, 0.000], // part of a statistic
    [0.000, 46.963, 48.046, 0.000], // feature of a series
];

/// Of integer models.
#[rustfmt::skip]
pub(super) const INT: [[f64; MEASURED.len()]; terms::INT] = [
    [496.059, 340.895, 343.117, 365.795, 384.965, 388.841], // call
    [104.616, 65.151, 65.866, 69.720, 67.157, 72.849], // input quantization
    [191.972, 152.953, 153.164, 258.186, 240.988, 243.230], // feature map
    [222.219, 156.721, 154.270, 264.821, 387.393, 387.959], // projection
    [14.085, 104.626, 104.696, 116.309, 0.000, 0.000], // prototypes
    [538.214, 232.930, 230.075, 191.211, 273.324, 283.315], // window or pool
    [394.093, 23.800, 21.782, 252.730, 23.650, 20.461], // value rounded
    [44.488, 28.597, 28.616, 24.074, 28.754, 28.521], // value packed
    [13.750, 7.660, 7.664, 7.178, 7.020, 6.746], // value looked up in the mask
    [25.636, 20.068, 20.032, 15.721, 21.154, 25.221], // value scaled
    [15.155, 7.757, 7.770, 21.024, 7.813, 8.042], // word copied
    [26.708, 35.271, 34.794, 20.112, 34.465, 32.729], // value of a window
    [999.471, 281.818, 290.050, 350.714, 264.924, 241.482], // segment of a window
    [11.438, 8.379, 8.359, 7.991, 8.351, 8.376], // value pooled
    [30.947, 20.740, 20.748, 16.769, 20.395, 20.838], // row of a pooled block
    [66.518, 59.704, 59.953, 42.914, 56.881, 53.909], // pooled block
    [843.156, 44.700, 41.265, 521.710, 45.883, 43.320], // value of a window rounded
    [411.896, 24.291, 22.285, 253.039, 24.552, 22.662], // value pooled rounded
    [99.253, 47.435, 47.426, 55.540, 22.670, 22.821], // word of four products
    [171.228, 132.172, 131.743, 150.727, 103.201, 101.071], // four outputs of a projection
    [22.317, 12.492, 12.488, 13.182, 14.242, 14.165], // weight of a sparse projection
    [166.863, 130.302, 130.607, 94.559, 98.108, 99.529], // output of a sparse projection
    [96.525, 58.762, 58.748, 71.765, 21.287, 21.392], // word of four squared distances
    [136.508, 97.413, 97.501, 102.626, 9.270, 11.075], // word of four city-block distances
    [249.196, 185.119, 183.933, 187.279, 146.943, 146.526], // four exponentials
    [16.040, 10.662, 10.664, 11.741, 10.649, 10.653], // sign from a seed
    [24.800, 13.168, 15.343, 23.843, 13.014, 13.026], // weight from a seed
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // row from a seed
    [416.514, 312.557, 319.884, 265.540, 267.914, 257.194], // four cosines
    [57.974, 38.671, 40.654, 41.457, 29.898, 29.937], // four values without a feature map
    [22.009, 10.258, 14.295, 16.384, 4.497, 4.529], // coordinate of four values, 16 bits
    [22.920, 12.209, 12.236, 16.183, 6.424, 6.361], // coordinate of four values, 8 bits
    [75.112, 26.344, 36.719, 41.903, 12.769, 12.236], // three coordinates of four features, 16 bits
    [25.008, 8.884, 12.515, 15.083, 6.276, 6.246], // coordinate left of four features, 16 bits
    [0.000, 12.920, 14.898, 15.523, 0.000, 0.000], // coordinate of sixteen features, 16 bits
    [19.629, 1.967, 2.024, 0.000, 6.883, 5.790], // coordinate of four features, 8 bits
    [20.961, 41.296, 41.109, 67.857, 3.516, 5.107], // coordinate of sixteen features, 8 bits
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // four values as they are
    [60.992, 45.933, 45.691, 26.801, 58.420, 54.259], // coordinate
    [7.985, 6.120, 6.122, 8.339, 6.226, 6.196], // coordinate of a mean
    [25.261, 23.732, 23.802, 29.217, 14.584, 16.617], // mean
    [58.879, 38.607, 38.559, 32.883, 40.332, 40.573], // prototype
    [21.844, 20.537, 20.466, 29.823, 12.970, 16.768], // coordinate of unit means
    [8.645, 10.946, 10.953, 10.425, 10.009, 10.697], // place of a neighbor
    [9.354, 0.000, 0.000, 19.367, 18.771, 24.531], // vote
    [1082.013, 329.324, 332.284, 326.369, 364.879, 357.590], // channel of a series
    [15.659, 19.323, 19.243, 24.098, 17.584, 17.685], // value of a series
    [14.331, 7.823, 7.848, 10.252, 8.415, 8.412], // sum of a series
    [23.847, 12.399, 12.397, 17.665, 12.381, 12.456], // kernel against a threshold
    [23.620, 13.862, 13.863, 19.612, 13.835, 13.847], // kernel against two thresholds
    [18.365, 10.416, 10.413, 12.098, 10.629, 10.257], // output against a threshold
    [11.999, 9.578, 9.576, 9.486, 9.612, 9.401], // output against two thresholds
    [537.529, 362.123, 362.155, 288.003, 360.550, 375.331], // pass over outputs
    [33.503, 25.767, 25.767, 20.520, 25.691, 25.606], // value of a statistic
    [518.826, 0.000, 0.000, 0.000, 0.000, 0.000], // part of a statistic
    [0.000, 0.000, 0.000, 0.000, 0.000, 0.000], // feature of a series
];
