//! Which stages a model needs, and which this build has: one bit per cargo feature.

/// Bit 0 of `needs`: 0 = F32 profile, 1 = INT profile.
pub const INT: u32 = 1 << 0;
/// Window statistics.
pub const WINDOW: u32 = 1 << 1;
/// Pooling.
pub const POOL: u32 = 1 << 2;
/// Feature selection.
pub const SELECT: u32 = 1 << 3;
/// Scaling that could not be folded.
pub const SCALE: u32 = 1 << 4;
/// Dense projection.
pub const PROJECT: u32 = 1 << 5;
/// Sparse projection.
pub const SPARSE: u32 = 1 << 6;
/// Gaussian kernel centers.
pub const GAUSSIAN: u32 = 1 << 7;
/// Laplacian kernel centers.
pub const LAPLACIAN: u32 = 1 << 8;
/// Polynomial kernel centers.
pub const POLYNOMIAL: u32 = 1 << 9;
/// Random features, stored or from a seed.
pub const RANDOM: u32 = 1 << 10;
/// Prototype k-NN head.
pub const KNN: u32 = 1 << 11;
/// Counts and statistics of a series.
pub const COUNTS: u32 = 1 << 12;
/// Spectral features of a series.
pub const SPECTRUM: u32 = 1 << 13;
/// Convolutions over a picture.
pub const CONVOLUTION: u32 = 1 << 14;
/// Weights of 4 bits.
pub const NIBBLES: u32 = 1 << 15;

/// Whether this build has the profile or stage of each bit.
const BUILT: u32 = on(cfg!(feature = "int"), INT)
    | on(cfg!(feature = "window"), WINDOW)
    | on(cfg!(feature = "pool"), POOL)
    | on(cfg!(feature = "select"), SELECT)
    | on(cfg!(feature = "scale"), SCALE)
    | on(cfg!(feature = "project"), PROJECT)
    | on(cfg!(feature = "sparse"), SPARSE)
    | on(cfg!(feature = "gaussian"), GAUSSIAN)
    | on(cfg!(feature = "laplacian"), LAPLACIAN)
    | on(cfg!(feature = "polynomial"), POLYNOMIAL)
    | on(cfg!(feature = "random"), RANDOM)
    | on(cfg!(feature = "knn"), KNN)
    | on(cfg!(feature = "counts"), COUNTS)
    | on(cfg!(feature = "convolution"), CONVOLUTION)
    | on(cfg!(feature = "nibbles"), NIBBLES);

/// Names of the cargo features, in the order of the bits.
const NAMES: [&str; 16] = [
    "int",
    "window",
    "pool",
    "select",
    "scale",
    "project",
    "sparse",
    "gaussian",
    "laplacian",
    "polynomial",
    "random",
    "knn",
    "counts",
    "spectrum",
    "convolution",
    "nibbles",
];

/// Stands for the float profile, whose bit is zero, among the bits of what is missing.
const F32: u32 = 1 << 31;

const fn on(built: bool, bit: u32) -> u32 {
    if built { bit } else { 0 }
}

/// What a model with these `needs` misses in this build: zero if nothing, else for [`names`].
#[must_use]
pub const fn missing(needs: u32) -> u32 {
    let profile = if needs & INT == 0 && !cfg!(feature = "f32") { F32 } else { 0 };
    (needs & !BUILT) | profile
}

/// The cargo features that a model with these `needs` asks for, the profile first.
pub fn features(needs: u32) -> impl Iterator<Item = &'static str> {
    names(if needs & INT == 0 { needs | F32 } else { needs })
}

/// The cargo features of these bits; `unknown` for bits of a later version.
pub fn names(bits: u32) -> impl Iterator<Item = &'static str> {
    let profile = if bits & F32 == 0 { None } else { Some("f32") };
    let unknown = if (bits & !F32) >> NAMES.len() == 0 { None } else { Some("unknown") };
    let stages = NAMES.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1).map(|(_, name)| *name);
    profile.into_iter().chain(stages).chain(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_bits_are_missed() {
        assert!(names(missing(1 << 20)).eq(["unknown"]));
        assert_eq!(missing(GAUSSIAN), 0);
    }

    #[test]
    fn features_name_the_profile_first() {
        assert!(features(GAUSSIAN | PROJECT).eq(["f32", "project", "gaussian"]));
        assert!(features(INT | KNN).eq(["int", "knn"]));
    }
}
