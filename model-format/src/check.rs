//! The rules between metadata fields, and the widths that follow from them.

use crate::{LoadError, Meta, Num, meta::code};

/// How wide a sample is after each front stage.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Widths {
    /// After window statistics or pooling.
    pub(crate) pooled: u32,
    /// After selection: the kept features.
    pub(crate) kept: u32,
}

/// Checks codes and cross rules that need no section.
pub(crate) fn codes(meta: &Meta, int: bool, dim: u16, classes: u16) -> Result<(), LoadError> {
    let m = meta;
    let small = m.input <= 3
        && m.window <= 1
        && m.interleaved <= 1
        && m.pool <= 1
        && m.scale <= 3
        && m.select <= 1
        && m.project <= 2
        && m.project_bias <= 1
        && m.lift <= 3
        && m.kernel <= 2
        && m.norms <= 1
        && m.law <= 1
        && m.readout <= 2
        && (1..=3).contains(&m.head);
    let finite = [m.scale_mul, m.scale_add, m.gamma, m.offset, m.z_unit].iter().all(|v| is_finite(*v));
    if !finite {
        return Err(LoadError::NonFinite);
    }
    // Both read the sample's geometry; a model has one of them.
    let geometry = m.window == 0 || m.pool == 0;
    let lift = m.lift == 0 || is_positive(m.gamma);
    let polynomial = m.kernel != code::KERNEL_POLYNOMIAL || (1..=8).contains(&m.degree);
    let knn = m.head != code::HEAD_PROTOTYPES || m.knn >= 1;
    if !(small && geometry && lift && polynomial && knn && profile(m, int, dim)) {
        return Err(LoadError::Meta);
    }
    let unit = m.head != code::HEAD_UNIT || dim == classes;
    let projected = m.project == 0 || m.projected != 0;
    let centers = m.lift == 0 || m.centers != 0;
    let prototypes = m.head != code::HEAD_PROTOTYPES || m.prototypes >= u32::from(m.knn);
    if !(dim != 0 && classes != 0 && unit && projected && centers && prototypes) {
        return Err(LoadError::Dimension);
    }
    Ok(())
}

/// A model keeps to one arithmetic profile throughout.
fn profile(m: &Meta, int: bool, dim: u16) -> bool {
    let nums = [m.project_num, m.center_num, m.readout_num, m.head_num];
    if !int {
        return nums == [Num::F32 as u8; 4] && m.norms == 0 && m.z_unit.to_bits() == 1f32.to_bits();
    }
    let is = |num: u8, allowed: &[Num]| allowed.iter().any(|&a| a as u8 == num);
    // Squared distances must fit 32 bits, so that integer heads need no wider arithmetic.
    let widest = u64::from(dim) * (2 * u64::from(m.z_max)) * (2 * u64::from(m.z_max));
    (m.project == 0 || is(m.project_num, &[Num::I8]))
        && (m.lift == 0 || m.lift == code::LIFT_SEEDED || is(m.center_num, &[Num::I8, Num::U8]))
        && (m.readout == 0 || is(m.readout_num, &[Num::I16, Num::I8]))
        && (m.head == code::HEAD_UNIT || is(m.head_num, &[Num::I16]))
        && m.scale != code::SCALE_UNIT
        && m.in_shift < 32
        && m.p_shift < 63
        && m.k_shift < 63
        && m.z_shift < 63
        && (1..=32767).contains(&m.z_max)
        && widest <= u64::from(u32::MAX)
        && is_positive(m.z_unit)
}

/// The width after window statistics or pooling.
pub(crate) fn pooled(m: &Meta, inputs: u32) -> Result<u32, LoadError> {
    let drawn = m.rows | m.cols | m.channels != 0;
    let area = m.rows.checked_mul(m.cols).and_then(|a| a.checked_mul(m.channels));
    if inputs == 0 || (drawn && area != Some(inputs)) {
        return Err(LoadError::Dimension);
    }
    if cfg!(feature = "window") && m.window != 0 {
        let stats = u32::from(m.stats).count_ones();
        let shape = m.rows == 1
            && (1..=code::STAT_ALL).contains(&m.stats)
            && m.segments != 0
            && u32::from(m.segments) <= m.cols;
        let width = m.channels.checked_mul(u32::from(m.segments)).and_then(|w| w.checked_mul(stats));
        return width.filter(|_| shape).ok_or(LoadError::Dimension);
    }
    if cfg!(feature = "pool") && m.pool != 0 {
        let rows = exact_quotient(m.rows, m.pool_rows);
        let cols = exact_quotient(m.cols, m.pool_cols);
        // No larger than rows·cols·channels, which did not overflow; zero where nothing was drawn.
        let width = rows.zip(cols).map(|(r, c)| r.wrapping_mul(c).wrapping_mul(m.channels));
        return width.filter(|&w| w != 0).ok_or(LoadError::Dimension);
    }
    Ok(inputs)
}

fn exact_quotient(of: u32, by: u8) -> Option<u32> {
    let by = u32::from(by);
    (of.checked_rem(by)? == 0).then(|| of.checked_div(by)).flatten()
}

/// Words that `classify` needs: front buffer, projected vector, embedding, nearest neighbors.
pub(crate) fn scratch(m: &Meta, int: bool, widths: Widths, dim: u16) -> Option<u32> {
    let gathered = m.window != 0 || m.pool != 0;
    let projected = if m.project == 0 { 0 } else { m.projected };
    let neighbors = if m.head == code::HEAD_PROTOTYPES && m.knn > 1 { 2 * u32::from(m.knn) } else { 0 };
    let (front, projected) = if int {
        let sums = if gathered { widths.pooled } else { 0 };
        (sums.checked_add(widths.kept.div_ceil(4))?, projected.div_ceil(4))
    } else if gathered {
        (widths.pooled, projected)
    } else if m.select != 0 || m.scale != 0 {
        (widths.kept, projected)
    } else {
        (0, projected)
    };
    front.checked_add(projected)?.checked_add(u32::from(dim))?.checked_add(neighbors)
}

/// Whether a float is finite, by its bits: no float code on targets without a float unit.
pub(crate) fn is_finite(v: f32) -> bool {
    v.to_bits() & 0x7F80_0000 != 0x7F80_0000
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
            assert_eq!((is_finite(v), is_positive(v)), (finite, positive), "{v}");
        }
    }

    #[test]
    fn quotients_must_be_exact() {
        assert_eq!(exact_quotient(28, 2), Some(14));
        assert_eq!(exact_quotient(28, 3), None);
        assert_eq!(exact_quotient(28, 0), None);
    }
}
