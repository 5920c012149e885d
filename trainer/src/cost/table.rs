//! Instructions per turn of each loop, per board. Written by `cargo xtask cost-model`.

use super::{MEASURED, terms};

/// Of float models, in the order of [`MEASURED`]; they have no DSP instructions.
#[rustfmt::skip]
pub(super) const FLOAT: [[f64; terms::FLOAT]; 4] = [
    // m0
    [
        0.000, // call
        0.000, // lift
        0.000, // projection
        0.000, // prototypes
        544.784, // stages before the projection
        0.000, // value gathered
        0.000, // value selected
        623.152, // value of a window
        1109.422, // segment of a window
        118.056, // value pooled
        0.000, // row of a pooled block
        59.033, // pooled block
        131.623, // value scaled
        338.162, // value brought to unit length
        840.822, // input of four products
        0.000, // four outputs of a projection
        252.965, // weight of a sparse projection
        0.000, // output of a sparse projection
        1362.421, // input of four squared distances
        916.119, // input of four city-block distances
        9165.844, // four exponentials
        0.000, // four powers
        812.772, // degree of four powers
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        7903.287, // four cosines
        97.403, // four values without a lift
        889.638, // coordinate of four values
        0.000, // coordinate
        334.794, // coordinate of a mean
        0.000, // mean
        0.000, // prototype
        503.297, // coordinate of unit means
        12.952, // place of a neighbor
        0.000, // vote
    ],
    // m4f
    [
        238.726, // call
        37.327, // lift
        163.366, // projection
        18.322, // prototypes
        158.922, // stages before the projection
        14.441, // value gathered
        5.047, // value selected
        32.555, // value of a window
        69.095, // segment of a window
        9.006, // value pooled
        9.807, // row of a pooled block
        5.299, // pooled block
        13.866, // value scaled
        13.761, // value brought to unit length
        12.009, // input of four products
        36.912, // four outputs of a projection
        15.685, // weight of a sparse projection
        45.475, // output of a sparse projection
        14.998, // input of four squared distances
        19.730, // input of four city-block distances
        206.194, // four exponentials
        113.871, // four powers
        15.489, // degree of four powers
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        187.795, // four cosines
        75.434, // four values without a lift
        13.204, // coordinate of four values
        25.384, // coordinate
        6.386, // coordinate of a mean
        21.821, // mean
        39.674, // prototype
        21.564, // coordinate of unit means
        10.217, // place of a neighbor
        24.713, // vote
    ],
    // m33
    [
        241.334, // call
        36.265, // lift
        163.516, // projection
        17.628, // prototypes
        158.778, // stages before the projection
        14.444, // value gathered
        5.022, // value selected
        30.545, // value of a window
        71.274, // segment of a window
        9.008, // value pooled
        9.794, // row of a pooled block
        5.311, // pooled block
        13.857, // value scaled
        13.758, // value brought to unit length
        12.008, // input of four products
        36.930, // four outputs of a projection
        15.669, // weight of a sparse projection
        45.592, // output of a sparse projection
        14.998, // input of four squared distances
        19.729, // input of four city-block distances
        206.072, // four exponentials
        113.655, // four powers
        15.516, // degree of four powers
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        187.685, // four cosines
        75.291, // four values without a lift
        13.225, // coordinate of four values
        25.627, // coordinate
        6.382, // coordinate of a mean
        21.405, // mean
        39.643, // prototype
        21.144, // coordinate of unit means
        10.229, // place of a neighbor
        24.631, // vote
    ],
    // rv32
    [
        115.460, // call
        0.000, // lift
        0.000, // projection
        0.000, // prototypes
        747.666, // stages before the projection
        0.000, // value gathered
        0.000, // value selected
        394.667, // value of a window
        777.244, // segment of a window
        77.108, // value pooled
        0.000, // row of a pooled block
        20.800, // pooled block
        48.012, // value scaled
        150.061, // value brought to unit length
        453.160, // input of four products
        0.000, // four outputs of a projection
        138.228, // weight of a sparse projection
        0.000, // output of a sparse projection
        780.467, // input of four squared distances
        581.399, // input of four city-block distances
        4973.866, // four exponentials
        0.000, // four powers
        416.615, // degree of four powers
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        4355.513, // four cosines
        77.719, // four values without a lift
        474.171, // coordinate of four values
        0.000, // coordinate
        192.374, // coordinate of a mean
        0.000, // mean
        12.662, // prototype
        327.657, // coordinate of unit means
        13.858, // place of a neighbor
        0.000, // vote
    ],
];

/// Of integer models.
#[rustfmt::skip]
pub(super) const INT: [[f64; terms::INT]; MEASURED.len()] = [
    // m0
    [
        459.498, // call
        117.272, // door
        177.957, // lift
        319.589, // projection
        179.996, // prototypes
        569.842, // window or pool
        383.619, // value rounded
        43.922, // value packed
        14.155, // value looked up in the mask
        33.115, // value scaled
        13.838, // word copied
        38.195, // value of a window
        834.932, // segment of a window
        11.191, // value pooled
        31.693, // row of a pooled block
        52.756, // pooled block
        851.721, // value of a window rounded
        409.061, // value pooled rounded
        99.131, // word of four products
        163.341, // four outputs of a projection
        25.206, // weight of a sparse projection
        126.230, // output of a sparse projection
        95.584, // word of four squared distances
        85.135, // word of four products with centers
        65.654, // four norms
        18.233, // word squared
        135.271, // word of four city-block distances
        271.739, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        318.903, // four cosines
        43.875, // four values without a lift
        20.306, // coordinate of four values, 16 bits
        20.525, // coordinate of four values, 8 bits
        69.626, // three coordinates of four features, 16 bits
        27.533, // coordinate left of four features, 16 bits
        31.110, // coordinate of four features, 8 bits
        0.000, // four values as they are
        32.620, // coordinate
        8.688, // coordinate of a mean
        51.692, // mean
        46.425, // prototype
        34.500, // coordinate of unit means
        10.639, // place of a neighbor
        0.000, // vote
    ],
    // m4f
    [
        356.021, // call
        70.774, // door
        110.517, // lift
        234.306, // projection
        91.035, // prototypes
        223.037, // window or pool
        21.313, // value rounded
        26.823, // value packed
        8.498, // value looked up in the mask
        21.898, // value scaled
        2.705, // word copied
        34.320, // value of a window
        242.543, // segment of a window
        8.161, // value pooled
        24.487, // row of a pooled block
        50.728, // pooled block
        45.437, // value of a window rounded
        24.482, // value pooled rounded
        43.510, // word of four products
        117.396, // four outputs of a projection
        15.524, // weight of a sparse projection
        95.300, // output of a sparse projection
        73.136, // word of four squared distances
        52.930, // word of four products with centers
        56.086, // four norms
        17.044, // word squared
        104.570, // word of four city-block distances
        205.921, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        225.648, // four cosines
        36.056, // four values without a lift
        13.279, // coordinate of four values, 16 bits
        12.185, // coordinate of four values, 8 bits
        42.355, // three coordinates of four features, 16 bits
        15.145, // coordinate left of four features, 16 bits
        11.293, // coordinate of four features, 8 bits
        0.000, // four values as they are
        40.113, // coordinate
        5.783, // coordinate of a mean
        24.165, // mean
        33.125, // prototype
        6.353, // coordinate of unit means
        11.651, // place of a neighbor
        0.000, // vote
    ],
    // m33
    [
        355.605, // call
        70.923, // door
        112.153, // lift
        234.087, // projection
        94.639, // prototypes
        222.829, // window or pool
        19.307, // value rounded
        26.792, // value packed
        8.512, // value looked up in the mask
        21.896, // value scaled
        2.658, // word copied
        34.329, // value of a window
        242.395, // segment of a window
        8.157, // value pooled
        24.514, // row of a pooled block
        50.743, // pooled block
        41.316, // value of a window rounded
        22.469, // value pooled rounded
        43.525, // word of four products
        117.290, // four outputs of a projection
        15.522, // weight of a sparse projection
        95.493, // output of a sparse projection
        72.129, // word of four squared distances
        52.905, // word of four products with centers
        58.079, // four norms
        17.195, // word squared
        104.735, // word of four city-block distances
        203.897, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        225.483, // four cosines
        36.076, // four values without a lift
        13.291, // coordinate of four values, 16 bits
        12.202, // coordinate of four values, 8 bits
        42.409, // three coordinates of four features, 16 bits
        15.237, // coordinate left of four features, 16 bits
        11.297, // coordinate of four features, 8 bits
        0.000, // four values as they are
        39.300, // coordinate
        5.795, // coordinate of a mean
        24.734, // mean
        33.069, // prototype
        7.103, // coordinate of unit means
        11.654, // place of a neighbor
        0.000, // vote
    ],
    // rv32
    [
        365.915, // call
        54.915, // door
        115.142, // lift
        225.087, // projection
        93.668, // prototypes
        222.846, // window or pool
        246.544, // value rounded
        22.080, // value packed
        8.160, // value looked up in the mask
        18.522, // value scaled
        14.201, // word copied
        25.046, // value of a window
        246.908, // segment of a window
        8.449, // value pooled
        17.020, // row of a pooled block
        31.366, // pooled block
        528.931, // value of a window rounded
        256.020, // value pooled rounded
        55.068, // word of four products
        159.942, // four outputs of a projection
        14.471, // weight of a sparse projection
        84.213, // output of a sparse projection
        71.756, // word of four squared distances
        55.639, // word of four products with centers
        63.477, // four norms
        17.595, // word squared
        103.723, // word of four city-block distances
        214.891, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        275.772, // four cosines
        40.339, // four values without a lift
        19.917, // coordinate of four values, 16 bits
        14.831, // coordinate of four values, 8 bits
        62.197, // three coordinates of four features, 16 bits
        21.540, // coordinate left of four features, 16 bits
        16.699, // coordinate of four features, 8 bits
        0.000, // four values as they are
        33.049, // coordinate
        8.173, // coordinate of a mean
        25.579, // mean
        22.885, // prototype
        24.761, // coordinate of unit means
        12.836, // place of a neighbor
        0.000, // vote
    ],
    // m4f with DSP instructions
    [
        441.365, // call
        41.609, // door
        0.000, // lift
        239.238, // projection
        68.972, // prototypes
        236.277, // window or pool
        22.052, // value rounded
        28.048, // value packed
        7.852, // value looked up in the mask
        21.565, // value scaled
        3.409, // word copied
        34.571, // value of a window
        238.722, // segment of a window
        8.114, // value pooled
        24.405, // row of a pooled block
        51.368, // pooled block
        45.461, // value of a window rounded
        24.597, // value pooled rounded
        24.453, // word of four products
        109.216, // four outputs of a projection
        15.429, // weight of a sparse projection
        90.973, // output of a sparse projection
        33.923, // word of four squared distances
        25.000, // word of four products with centers
        52.916, // four norms
        2.640, // word squared
        8.835, // word of four city-block distances
        203.189, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        225.143, // four cosines
        0.000, // four values without a lift
        7.144, // coordinate of four values, 16 bits
        7.684, // coordinate of four values, 8 bits
        21.858, // three coordinates of four features, 16 bits
        11.486, // coordinate left of four features, 16 bits
        11.019, // coordinate of four features, 8 bits
        0.000, // four values as they are
        47.541, // coordinate
        5.459, // coordinate of a mean
        24.522, // mean
        35.282, // prototype
        0.000, // coordinate of unit means
        11.017, // place of a neighbor
        0.151, // vote
    ],
    // m33 with DSP instructions
    [
        437.485, // call
        51.939, // door
        0.000, // lift
        201.958, // projection
        43.312, // prototypes
        245.773, // window or pool
        18.003, // value rounded
        28.441, // value packed
        7.803, // value looked up in the mask
        24.565, // value scaled
        4.913, // word copied
        34.468, // value of a window
        215.188, // segment of a window
        7.783, // value pooled
        24.888, // row of a pooled block
        44.675, // pooled block
        43.681, // value of a window rounded
        23.764, // value pooled rounded
        29.328, // word of four products
        123.594, // four outputs of a projection
        15.186, // weight of a sparse projection
        90.406, // output of a sparse projection
        38.133, // word of four squared distances
        29.560, // word of four products with centers
        63.050, // four norms
        5.599, // word squared
        10.437, // word of four city-block distances
        199.312, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        237.885, // four cosines
        0.000, // four values without a lift
        7.233, // coordinate of four values, 16 bits
        7.913, // coordinate of four values, 8 bits
        21.993, // three coordinates of four features, 16 bits
        10.733, // coordinate left of four features, 16 bits
        10.505, // coordinate of four features, 8 bits
        0.000, // four values as they are
        43.527, // coordinate
        5.403, // coordinate of a mean
        27.798, // mean
        36.970, // prototype
        0.000, // coordinate of unit means
        12.503, // place of a neighbor
        0.000, // vote
    ],
];
