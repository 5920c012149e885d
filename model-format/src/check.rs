//! The rules between metadata fields, and the widths that follow from them.

use crate::{
    Fault, Meta, Num,
    meta::{CODES, code},
};

/// How wide a sample is after each front stage.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Widths {
    /// After window statistics or pooling.
    pub(crate) pooled: u32,
    /// After selection: the kept features.
    pub(crate) kept: u32,
}

/// The largest value of each code, in the order of [`Meta`]; what is no code may have any value.
const LARGEST: [u8; CODES] =
    [3, 1, 255, code::STAT_ALL, 1, 1, 3, 1, 2, 3, 1, 3, 3, 2, 8, 1, 1, 2, 3, 3, 3, 255, 255, 255, 31, 62, 62, 62];

/// Checks codes and cross rules that need no section.
pub(crate) fn codes(m: &Meta, int: bool, dim: u32, classes: u32) -> Result<(), Fault> {
    let known = m.codes().iter().zip(&LARGEST).all(|(code, largest)| code <= largest);
    if !m.float_bits().iter().all(|&bits| is_finite(bits)) {
        return Err(Fault::NonFinite);
    }
    // Window and pool both read the sample's geometry; a model has one of them.
    let rules = known
        && m.window & m.pool == 0
        && m.head != 0
        && (m.lift == 0 || is_positive(m.gamma))
        && (m.kernel != code::KERNEL_POLYNOMIAL || m.degree != 0)
        && profile(m, int, dim);
    if !rules {
        return Err(Fault::Meta);
    }
    let sizes = dim != 0
        && classes != 0
        && (m.project == 0 || m.projected != 0)
        && (m.lift == 0 || m.centers != 0)
        && match m.head {
            code::HEAD_UNIT => dim == classes,
            code::HEAD_PROTOTYPES => m.knn != 0 && m.prototypes >= u32::from(m.knn),
            _ => true,
        };
    if sizes { Ok(()) } else { Err(Fault::Dimension) }
}

/// A model keeps to one arithmetic profile throughout.
fn profile(m: &Meta, int: bool, dim: u32) -> bool {
    const F32: u8 = Num::F32 as u8;
    const I16: u8 = Num::I16 as u8;
    const I8: u8 = Num::I8 as u8;
    if !int || !cfg!(feature = "int") {
        let nums = m.project_num | m.center_num | m.readout_num | m.head_num;
        return nums == F32 && m.norms == 0 && m.z_unit.to_bits() == 1f32.to_bits();
    }
    let stored = m.lift == code::LIFT_CENTERS || m.lift == code::LIFT_RANDOM;
    // Squared distances must fit 32 bits, so that integer heads need no wider arithmetic.
    let reach = m.z_max.saturating_mul(2);
    (m.project == 0 || m.project_num == I8)
        && (!stored || m.center_num >= I8)
        && (m.readout == 0 || m.readout_num == I16 || m.readout_num == I8)
        && (m.head == code::HEAD_UNIT || m.head_num == I16)
        && m.scale != code::SCALE_UNIT
        && (1..=32767).contains(&m.z_max)
        && reach.saturating_mul(reach).saturating_mul(dim) != u32::MAX
        && is_positive(m.z_unit)
}

/// The width after window statistics or pooling.
pub(crate) fn pooled(m: &Meta, inputs: u32) -> Result<u32, Fault> {
    // A product that overflows saturates, and then equals no width that a file has room for.
    let area = m.rows.saturating_mul(m.cols).saturating_mul(m.channels);
    if inputs == 0 || inputs == u32::MAX || (m.rows | m.cols | m.channels != 0 && area != inputs) {
        return Err(Fault::Dimension);
    }
    let mut width = inputs;
    if cfg!(feature = "window") && m.window != 0 {
        let stats = u32::from(m.stats).count_ones();
        width = m.channels.saturating_mul(u32::from(m.segments)).saturating_mul(stats);
        if m.rows != 1 || u32::from(m.segments) > m.cols {
            width = 0;
        }
    }
    if cfg!(feature = "pool") && m.pool != 0 {
        let (block_rows, block_cols) = (u32::from(m.pool_rows), u32::from(m.pool_cols));
        let rows = m.rows.checked_div(block_rows).unwrap_or(0);
        let cols = m.cols.checked_div(block_cols).unwrap_or(0);
        let whole = rows.wrapping_mul(block_rows) == m.rows && cols.wrapping_mul(block_cols) == m.cols;
        // No larger than rows·cols·channels, which did not overflow; zero where nothing was drawn.
        width = if whole { rows.wrapping_mul(cols).wrapping_mul(m.channels) } else { 0 };
    }
    if width == 0 { Err(Fault::Dimension) } else { Ok(width) }
}

/// Words that `classify` needs: front buffer, projected vector, embedding, nearest neighbors.
///
/// Saturates: such a model has more features than any file has room for.
pub(crate) fn scratch(m: &Meta, int: bool, widths: Widths, dim: u32) -> u32 {
    let projected = if m.project == 0 { 0 } else { m.projected };
    let neighbors = if m.head == code::HEAD_PROTOTYPES && m.knn > 1 { 2 * u32::from(m.knn) } else { 0 };
    let gathered = if m.window | m.pool != 0 { widths.pooled } else { 0 };
    let words = if int && cfg!(feature = "int") {
        gathered.saturating_add(widths.kept.div_ceil(4)).saturating_add(projected.div_ceil(4))
    } else if gathered != 0 {
        gathered.saturating_add(projected)
    } else if m.select | m.scale != 0 {
        widths.kept.saturating_add(projected)
    } else {
        projected
    };
    words.saturating_add(dim).saturating_add(neighbors)
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
    fn pools_must_divide() {
        let pool = |rows, cols| {
            let drawn = Meta { rows: 28, cols: 28, channels: 1, ..Meta::default() };
            self::pooled(&Meta { pool: 1, pool_rows: rows, pool_cols: cols, ..drawn }, 784).ok()
        };
        assert_eq!(pool(2, 4), Some(98));
        assert_eq!(pool(3, 2), None);
        assert_eq!(pool(0, 2), None);
    }
}
