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

/// Bit, name of the cargo feature, and whether this build has it.
const STAGES: [(u32, &str, bool); 12] = [
    (INT, "int", cfg!(feature = "int")),
    (WINDOW, "window", cfg!(feature = "window")),
    (POOL, "pool", cfg!(feature = "pool")),
    (SELECT, "select", cfg!(feature = "select")),
    (SCALE, "scale", cfg!(feature = "scale")),
    (PROJECT, "project", cfg!(feature = "project")),
    (SPARSE, "sparse", cfg!(feature = "sparse")),
    (GAUSSIAN, "gaussian", cfg!(feature = "gaussian")),
    (LAPLACIAN, "laplacian", cfg!(feature = "laplacian")),
    (POLYNOMIAL, "polynomial", cfg!(feature = "polynomial")),
    (RANDOM, "random", cfg!(feature = "random")),
    (KNN, "knn", cfg!(feature = "knn")),
];

/// The cargo feature that a model with these `needs` misses in this build, if any.
///
/// Bits that this version does not know are missed under the name `unknown`.
#[must_use]
pub const fn missing(needs: u32) -> Option<&'static str> {
    if needs & INT == 0 && !cfg!(feature = "f32") {
        return Some("f32");
    }
    let mut rest = needs;
    let mut i = 0;
    while i < STAGES.len() {
        let (bit, name, built) = STAGES[i];
        if needs & bit != 0 && !built {
            return Some(name);
        }
        rest &= !bit;
        i += 1;
    }
    if rest == 0 { None } else { Some("unknown") }
}

/// The cargo features that a model with these `needs` asks for, in the order of the bits.
pub fn features(needs: u32) -> impl Iterator<Item = &'static str> {
    let profile = if needs & INT == 0 { Some("f32") } else { None };
    profile.into_iter().chain(STAGES.iter().filter(move |(bit, ..)| needs & bit != 0).map(|&(_, name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_bits_are_missed() {
        assert_eq!(missing(1 << 31), Some("unknown"));
    }

    #[test]
    fn features_name_the_profile_first() {
        assert!(features(GAUSSIAN | PROJECT).eq(["f32", "project", "gaussian"]));
        assert!(features(INT | KNN).eq(["int", "knn"]));
    }
}
