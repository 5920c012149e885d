//! The rules between metadata fields, and the widths that follow from them.

use crate::{
    Fault, Meta, Num,
    meta::{CODES, code},
};

/// How wide a sample is after each stage before the projection.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Widths {
    /// After window statistics, counts, pooling or a convolution.
    pub(crate) pooled: u32,
    /// After selection: the kept features.
    pub(crate) kept: u32,
}

/// The largest value of each code that this build runs, in the order of [`Meta`].
const LARGEST: [u8; CODES] = [
    255,                                         // tail
    3,                                           // input
    LARGEST_SHAPE,                               // shape
    cfg!(feature = "select") as u8,              // select
    if cfg!(feature = "scale") { 3 } else { 0 }, // scale
    // project
    if cfg!(feature = "nibbles") {
        code::PROJECT_NIBBLES
    } else if cfg!(feature = "sparse") {
        2
    } else {
        cfg!(feature = "project") as u8
    },
    1,                                                                         // project_bias
    if cfg!(feature = "random") { 3 } else { 1 },                              // feature_map
    if cfg!(feature = "nibbles") { code::KERNEL_GAUSSIAN_NIBBLES } else { 2 }, // kernel
    2,                                                                         // readout
    if cfg!(feature = "nibbles") { code::READOUT_NIBBLES } else { 3 },         // readout_num
    3,                                                                         // head
    15,                                                                        // in_shift
    15,                                                                        // p_shift
    31,                                                                        // k_shift
    15,                                                                        // z_shift
];

/// The largest code of the stages that are built over samples with a geometry.
const LARGEST_SHAPE: u8 = if cfg!(feature = "convolution") {
    code::SHAPE_CONVOLUTION
} else if cfg!(feature = "counts") {
    code::SHAPE_COUNTS
} else {
    code::SHAPE_ONLY
};

/// Checks codes and cross rules that need no section.
#[inline(never)] // fields near the start of a pointed-to struct take short instructions
pub(crate) fn codes(m: &Meta, int: bool, dim: u32, classes: u32) -> Result<(), Fault> {
    if m.tail < m.tail_words(int) {
        return Err(Fault::Meta);
    }
    if !m.float_bits(int).iter().all(|&bits| is_finite(bits)) {
        return Err(Fault::NonFinite);
    }
    let known = m.codes().iter().zip(&LARGEST).all(|(code, largest)| code <= largest);
    let rules = known
        && (cfg!(feature = "window") || m.shape != code::SHAPE_WINDOW)
        && (cfg!(feature = "sparse") || m.project != code::PROJECT_SPARSE)
        && (!m.has_nibbles() || (int && cfg!(feature = "int")))
        && (cfg!(feature = "pool") || m.shape != code::SHAPE_POOL)
        && (cfg!(feature = "counts") || m.shape != code::SHAPE_COUNTS)
        // What counts leave are features already: bytes in the INT profile.
        && !(m.has_counts() && (m.select != 0 || m.scale != 0))
        && (!m.has_convolution() || is_convolution(m, int))
        && m.head != 0
        && (m.feature_map == 0 || is_positive(m.gamma))
        && (!m.is_polynomial() || ((1..=8).contains(&m.degree) && is_finite(m.offset.to_bits())))
        && profile(m, int, dim);
    if !rules {
        return Err(Fault::Meta);
    }
    let sizes = dim != 0
        && classes != 0
        && (!m.has_projection() || m.projected != 0)
        && (m.feature_map == 0 || m.centers != 0)
        && match m.head {
            code::HEAD_UNIT => dim == classes,
            code::HEAD_PROTOTYPES if cfg!(feature = "knn") => m.knn != 0 && m.prototypes >= u16::from(m.knn),
            _ => true,
        };
    if sizes { Ok(()) } else { Err(Fault::Dimension) }
}

/// Whether the codes of a convolution are known and go together: what it leaves are features already, and integers are
/// scaled if they are no bytes.
fn is_convolution(m: &Meta, int: bool) -> bool {
    let wide = int && cfg!(feature = "int") && m.input < Num::I8 as u8;
    let scaled = if wide { code::SCALE_UNIFORM } else { 0 };
    m.filters != 0 && m.stats <= code::PICK_MEAN && m.select == 0 && m.scale == scaled
}

/// The largest number of features, centers or random features: far more than any microcontroller
/// holds, and the product of two of them, padded to four, still fits a word.
pub(crate) const LARGEST_SIZE: u32 = 65_532;

/// Whether every size is small enough for that.
pub(crate) fn sizes(kept: u32, projected: u32, mapped: u32) -> bool {
    kept.max(projected).max(mapped) <= LARGEST_SIZE
}

/// What each arithmetic profile asks for.
fn profile(m: &Meta, int: bool, dim: u32) -> bool {
    const F32: u8 = Num::F32 as u8;
    const I16: u8 = Num::I16 as u8;
    const I8: u8 = Num::I8 as u8;
    if !int || !cfg!(feature = "int") {
        return m.readout_num == F32 && m.z_unit.to_bits() == 1f32.to_bits();
    }
    let one = if m.head == code::HEAD_UNIT { m.z_one } else { 1 };
    let most = u32::from(m.z_max);
    (m.readout == 0 || m.readout_num == I16 || m.readout_num == I8 || m.has_nibble_readout())
        && m.scale != code::SCALE_UNIT
        && (m.feature_map == 0 || m.k_mul != 0)
        // The sum over a segment does not overflow.
        && !(m.has_window() && m.cols >> 16 != 0)
        && (1..=m.z_max).contains(&one)
        && m.z_max <= 32767
        // Squared distances must fit 32 bits, so that integer heads need no wider arithmetic.
        && (most * most).checked_mul(4 * dim).is_some()
        && (1..UNIT_LIMIT).contains(&m.z_unit.to_bits())
}

/// Bits of 2⁴⁷: with a smaller unit every coordinate of 16 bits and every squared distance of 32 bits is finite as a
/// float.
const UNIT_LIMIT: u32 = (127 + 47) << 23;

/// The width after window statistics, counts, pooling or a convolution; zero where the geometry makes no sense.
#[cfg_attr(any(feature = "window", feature = "counts", feature = "pool", feature = "convolution"), inline(never))]
pub(crate) fn pooled(m: &Meta, inputs: u32) -> u32 {
    // A product that overflows saturates, and then equals no width that a file has room for.
    let area = m.rows.saturating_mul(m.cols).saturating_mul(m.channels);
    let mut width = if inputs == u32::MAX || (m.shape != 0 && area != inputs) { 0 } else { inputs };
    if !cfg!(any(feature = "window", feature = "counts", feature = "pool", feature = "convolution")) {
        // The geometry is for people and pictures.
        width = inputs;
    }
    if m.has_window() && width != 0 {
        let stats = u32::from(m.stats).count_ones();
        width = m.channels.saturating_mul(u32::from(m.segments) * stats);
        if m.rows != 1 || u32::from(m.segments) > m.cols || m.stats > code::STAT_ALL {
            width = 0;
        }
    }
    if m.has_counts() && width != 0 {
        // Steps and channels fit 16 bits, so that no product or sum of counts overflows.
        width = if m.rows == 1 && (m.cols | m.channels) >> 16 == 0 { m.entries.into() } else { 0 };
    }
    if m.has_convolution() && width != 0 {
        width = m.convolved();
    }
    if m.has_pool() && width != 0 {
        let (block_rows, block_cols) = (u32::from(m.pool_rows), u32::from(m.pool_cols));
        let rows = m.rows.checked_div(block_rows).unwrap_or(0);
        let cols = m.cols.checked_div(block_cols).unwrap_or(0);
        let whole = rows.wrapping_mul(block_rows) == m.rows && cols.wrapping_mul(block_cols) == m.cols;
        // No larger than rows·cols·channels, which did not overflow.
        width = if whole { rows.wrapping_mul(cols).wrapping_mul(m.channels) } else { 0 };
    }
    width
}

/// Words that `classify` needs: features, projected vector, embedding, nearest neighbors.
pub(crate) fn scratch(m: &Meta, int: bool, widths: Widths, dim: u32) -> u32 {
    // The projection writes four values at a time.
    let projected = if m.has_projection() { u32::from(m.projected).div_ceil(4) * 4 } else { 0 };
    let gathered = if m.has_window() || m.has_pool() { widths.pooled } else { 0 };
    let words = if m.has_convolution() {
        let [first, second] = m.strip_words(int && cfg!(feature = "int"));
        let rows = first.saturating_add(second);
        let features = if int && cfg!(feature = "int") {
            widths.pooled.div_ceil(4) + projected / 4
        } else {
            widths.pooled + projected
        };
        // Beyond what any file says where it saturates: the other terms are small.
        rows.saturating_add(features).min(u32::MAX / 2)
    } else if m.has_counts() {
        // The values of one channel, and sums of nine of them.
        let features = if int && cfg!(feature = "int") {
            widths.pooled.div_ceil(4) + projected / 4
        } else {
            widths.pooled + projected
        };
        m.cols.wrapping_mul(2).wrapping_add(features)
    } else if int && cfg!(feature = "int") {
        // Gathered values of 16 bits become features of 8 bits where they lie.
        let features = if gathered != 0 { gathered.div_ceil(2) } else { widths.kept.div_ceil(4) };
        features + projected / 4
    } else if gathered != 0 {
        gathered + projected
    } else if m.has_select() || m.has_scale() {
        widths.kept + projected
    } else {
        projected
    };
    words + dim + m.neighbor_words()
}

/// Whether the bits of a float are those of a finite one: no float code, no float unit needed.
pub(crate) fn is_finite(bits: u32) -> bool {
    bits & 0x7F80_0000 != 0x7F80_0000
}

/// Whether a finite float is above zero, by its bits.
fn is_positive(v: f32) -> bool {
    (1..0x7F80_0000).contains(&v.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positive_and_finite_are_read_from_the_bits() {
        for (v, finite, positive) in [
            (0.0, true, false),
            (-0.0, true, false),
            (1e-45, true, true),
            (-1.0, true, false),
            (f32::INFINITY, false, false),
            (f32::NAN, false, false),
        ] {
            assert_eq!((is_finite(v.to_bits()), is_positive(v)), (finite, positive), "{v}");
        }
    }

    #[test]
    fn the_largest_distance_is_finite_as_a_float() {
        let unit = f32::from_bits(UNIT_LIMIT - 1);
        assert_eq!(f32::from_bits(UNIT_LIMIT), 47f32.exp2());
        assert!((u32::MAX as f32 * unit * unit).is_finite());
    }

    #[test]
    fn pools_must_divide() {
        let pool = |rows, cols| {
            let drawn = Meta { shape: code::SHAPE_POOL, rows: 28, cols: 28, channels: 1, ..Meta::default() };
            self::pooled(&Meta { pool_rows: rows, pool_cols: cols, ..drawn }, 784)
        };
        assert_eq!(pool(2, 4), 98);
        assert_eq!(pool(3, 2), 0);
        assert_eq!(pool(0, 2), 0);
    }
}
