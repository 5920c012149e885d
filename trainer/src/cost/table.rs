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
        0.000, // stages before the projection
        1.051, // value gathered
        0.000, // value selected
        635.196, // value of a window
        668.962, // segment of a window
        148.186, // value pooled
        0.000, // row of a pooled block
        146.645, // value scaled
        0.000, // value brought to unit length
        844.647, // input of four products
        0.000, // four outputs of a projection
        253.049, // weight of a sparse projection
        0.000, // output of a sparse projection
        1364.768, // input of four squared distances
        916.824, // input of four city-block distances
        9152.391, // four exponentials
        0.000, // four powers
        802.794, // degree of four powers
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        7874.603, // four cosines
        96.608, // four values without a lift
        890.316, // coordinate of four values
        0.000, // coordinate
        334.618, // coordinate of a mean
        0.000, // mean
        0.000, // prototype
        288.235, // coordinate of unit means
        13.040, // place of a neighbor
        0.000, // vote
    ],
    // m4f
    [
        233.688, // call
        33.532, // lift
        169.662, // projection
        0.000, // prototypes
        142.226, // stages before the projection
        14.567, // value gathered
        5.455, // value selected
        32.673, // value of a window
        68.874, // segment of a window
        15.376, // value pooled
        0.000, // row of a pooled block
        14.106, // value scaled
        0.000, // value brought to unit length
        12.011, // input of four products
        34.708, // four outputs of a projection
        15.803, // weight of a sparse projection
        43.200, // output of a sparse projection
        15.021, // input of four squared distances
        19.743, // input of four city-block distances
        206.772, // four exponentials
        115.386, // four powers
        15.268, // degree of four powers
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        188.477, // four cosines
        75.982, // four values without a lift
        13.090, // coordinate of four values
        30.083, // coordinate
        6.291, // coordinate of a mean
        19.184, // mean
        40.208, // prototype
        17.769, // coordinate of unit means
        10.275, // place of a neighbor
        23.815, // vote
    ],
    // m33
    [
        236.207, // call
        32.595, // lift
        169.890, // projection
        0.000, // prototypes
        141.951, // stages before the projection
        14.570, // value gathered
        5.436, // value selected
        30.665, // value of a window
        71.030, // segment of a window
        15.380, // value pooled
        0.000, // row of a pooled block
        14.102, // value scaled
        0.000, // value brought to unit length
        12.011, // input of four products
        34.656, // four outputs of a projection
        15.790, // weight of a sparse projection
        43.269, // output of a sparse projection
        15.021, // input of four squared distances
        19.742, // input of four city-block distances
        206.648, // four exponentials
        115.186, // four powers
        15.289, // degree of four powers
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        188.362, // four cosines
        75.837, // four values without a lift
        13.113, // coordinate of four values
        30.225, // coordinate
        6.287, // coordinate of a mean
        18.861, // mean
        40.163, // prototype
        17.421, // coordinate of unit means
        10.291, // place of a neighbor
        23.690, // vote
    ],
    // rv32
    [
        87.305, // call
        0.000, // lift
        0.000, // projection
        0.000, // prototypes
        0.000, // stages before the projection
        9.078, // value gathered
        0.000, // value selected
        406.232, // value of a window
        488.733, // segment of a window
        95.341, // value pooled
        0.000, // row of a pooled block
        60.115, // value scaled
        0.000, // value brought to unit length
        454.930, // input of four products
        0.000, // four outputs of a projection
        138.329, // weight of a sparse projection
        0.000, // output of a sparse projection
        781.512, // input of four squared distances
        581.716, // input of four city-block distances
        4974.309, // four exponentials
        0.000, // four powers
        413.020, // degree of four powers
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        4347.123, // four cosines
        79.731, // four values without a lift
        474.236, // coordinate of four values
        0.000, // coordinate
        192.348, // coordinate of a mean
        0.000, // mean
        13.069, // prototype
        226.412, // coordinate of unit means
        13.880, // place of a neighbor
        0.000, // vote
    ],
];

/// Of integer models.
#[rustfmt::skip]
pub(super) const INT: [[f64; terms::INT]; MEASURED.len()] = [
    // m0
    [
        464.512, // call
        114.303, // door
        172.622, // lift
        326.977, // projection
        170.673, // prototypes
        451.148, // window or pool
        383.707, // value rounded
        43.686, // value packed
        13.914, // value looked up in the mask
        33.163, // value scaled
        12.629, // word copied
        863.935, // value of a window
        1191.773, // segment of a window
        41.003, // value pooled
        0.000, // row of a pooled block
        0.985, // value of a window or pool rounded
        99.122, // word of four products
        177.634, // four outputs of a projection
        25.164, // weight of a sparse projection
        128.558, // output of a sparse projection
        95.667, // word of four squared distances
        84.897, // word of four products with centers
        66.303, // four norms
        21.000, // word squared
        135.436, // word of four city-block distances
        270.899, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        319.985, // four cosines
        45.311, // four values without a lift
        20.341, // coordinate of four values, 16 bits
        20.648, // coordinate of four values, 8 bits
        69.575, // three coordinates of four features, 16 bits
        27.280, // coordinate left of four features, 16 bits
        30.802, // coordinate of four features, 8 bits
        0.000, // four values as they are
        39.100, // coordinate
        8.444, // coordinate of a mean
        46.674, // mean
        47.040, // prototype
        29.092, // coordinate of unit means
        10.590, // place of a neighbor
        0.000, // vote
    ],
    // m4f
    [
        347.937, // call
        66.004, // door
        115.306, // lift
        243.086, // projection
        142.056, // prototypes
        148.173, // window or pool
        21.882, // value rounded
        26.720, // value packed
        8.227, // value looked up in the mask
        22.195, // value scaled
        1.855, // word copied
        77.191, // value of a window
        294.224, // segment of a window
        33.186, // value pooled
        0.000, // row of a pooled block
        0.384, // value of a window or pool rounded
        43.379, // word of four products
        131.003, // four outputs of a projection
        15.556, // weight of a sparse projection
        96.258, // output of a sparse projection
        72.952, // word of four squared distances
        52.591, // word of four products with centers
        56.444, // four norms
        17.586, // word squared
        104.683, // word of four city-block distances
        206.290, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        228.898, // four cosines
        36.473, // four values without a lift
        13.101, // coordinate of four values, 16 bits
        11.910, // coordinate of four values, 8 bits
        42.249, // three coordinates of four features, 16 bits
        15.353, // coordinate left of four features, 16 bits
        11.515, // coordinate of four features, 8 bits
        0.000, // four values as they are
        33.530, // coordinate
        6.011, // coordinate of a mean
        30.723, // mean
        31.952, // prototype
        14.866, // coordinate of unit means
        11.719, // place of a neighbor
        0.000, // vote
    ],
    // m33
    [
        347.807, // call
        66.186, // door
        116.995, // lift
        242.801, // projection
        146.035, // prototypes
        148.125, // window or pool
        19.863, // value rounded
        26.682, // value packed
        8.241, // value looked up in the mask
        22.197, // value scaled
        1.786, // word copied
        73.181, // value of a window
        292.265, // segment of a window
        33.185, // value pooled
        0.000, // row of a pooled block
        0.392, // value of a window or pool rounded
        43.396, // word of four products
        131.042, // four outputs of a projection
        15.553, // weight of a sparse projection
        96.492, // output of a sparse projection
        71.949, // word of four squared distances
        52.555, // word of four products with centers
        58.436, // four norms
        17.777, // word squared
        104.851, // word of four city-block distances
        204.251, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        228.704, // four cosines
        36.364, // four values without a lift
        13.118, // coordinate of four values, 16 bits
        11.937, // coordinate of four values, 8 bits
        42.388, // three coordinates of four features, 16 bits
        15.511, // coordinate left of four features, 16 bits
        11.593, // coordinate of four features, 8 bits
        0.000, // four values as they are
        32.564, // coordinate
        6.024, // coordinate of a mean
        31.358, // mean
        31.896, // prototype
        15.715, // coordinate of unit means
        11.721, // place of a neighbor
        0.000, // vote
    ],
    // rv32
    [
        360.662, // call
        51.629, // door
        110.320, // lift
        232.532, // projection
        109.459, // prototypes
        95.379, // window or pool
        246.828, // value rounded
        22.042, // value packed
        7.880, // value looked up in the mask
        18.673, // value scaled
        13.784, // word copied
        533.805, // value of a window
        520.986, // segment of a window
        25.879, // value pooled
        0.000, // row of a pooled block
        0.905, // value of a window or pool rounded
        54.887, // word of four products
        172.443, // four outputs of a projection
        14.483, // weight of a sparse projection
        84.492, // output of a sparse projection
        71.709, // word of four squared distances
        55.431, // word of four products with centers
        63.667, // four norms
        18.753, // word squared
        103.812, // word of four city-block distances
        215.225, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        279.120, // four cosines
        41.744, // four values without a lift
        19.872, // coordinate of four values, 16 bits
        14.660, // coordinate of four values, 8 bits
        61.415, // three coordinates of four features, 16 bits
        21.045, // coordinate left of four features, 16 bits
        16.170, // coordinate of four features, 8 bits
        0.000, // four values as they are
        33.765, // coordinate
        8.161, // coordinate of a mean
        26.691, // mean
        22.731, // prototype
        25.628, // coordinate of unit means
        12.838, // place of a neighbor
        0.000, // vote
    ],
    // m4f with DSP instructions
    [
        438.774, // call
        36.319, // door
        0.000, // lift
        249.919, // projection
        90.266, // prototypes
        180.684, // window or pool
        22.521, // value rounded
        27.986, // value packed
        7.569, // value looked up in the mask
        21.911, // value scaled
        2.662, // word copied
        77.011, // value of a window
        289.135, // segment of a window
        32.871, // value pooled
        0.000, // row of a pooled block
        0.640, // value of a window or pool rounded
        24.331, // word of four products
        120.798, // four outputs of a projection
        15.465, // weight of a sparse projection
        91.555, // output of a sparse projection
        33.776, // word of four squared distances
        25.099, // word of four products with centers
        53.491, // four norms
        0.878, // word squared
        8.950, // word of four city-block distances
        203.179, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        228.022, // four cosines
        0.000, // four values without a lift
        6.913, // coordinate of four values, 16 bits
        7.415, // coordinate of four values, 8 bits
        21.845, // three coordinates of four features, 16 bits
        11.963, // coordinate left of four features, 16 bits
        11.511, // coordinate of four features, 8 bits
        0.000, // four values as they are
        49.324, // coordinate
        5.691, // coordinate of a mean
        23.253, // mean
        33.897, // prototype
        0.000, // coordinate of unit means
        11.160, // place of a neighbor
        0.429, // vote
    ],
    // m33 with DSP instructions
    [
        434.290, // call
        44.468, // door
        0.000, // lift
        213.595, // projection
        73.273, // prototypes
        176.425, // window or pool
        18.729, // value rounded
        28.441, // value packed
        7.415, // value looked up in the mask
        25.062, // value scaled
        4.210, // word copied
        74.896, // value of a window
        273.563, // segment of a window
        30.942, // value pooled
        0.000, // row of a pooled block
        0.586, // value of a window or pool rounded
        29.060, // word of four products
        140.698, // four outputs of a projection
        15.246, // weight of a sparse projection
        90.918, // output of a sparse projection
        37.852, // word of four squared distances
        29.738, // word of four products with centers
        63.622, // four norms
        2.420, // word squared
        10.553, // word of four city-block distances
        199.595, // four exponentials
        0.000, // sign from a seed
        0.000, // weight from a seed
        0.000, // row from a seed
        242.662, // four cosines
        0.000, // four values without a lift
        6.923, // coordinate of four values, 16 bits
        7.508, // coordinate of four values, 8 bits
        21.865, // three coordinates of four features, 16 bits
        11.195, // coordinate left of four features, 16 bits
        11.073, // coordinate of four features, 8 bits
        0.000, // four values as they are
        45.361, // coordinate
        5.715, // coordinate of a mean
        26.462, // mean
        35.138, // prototype
        0.000, // coordinate of unit means
        12.691, // place of a neighbor
        0.000, // vote
    ],
];
