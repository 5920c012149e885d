//! Rescaling: from a sum of 32 bits to fewer, the same way everywhere.

/// `a · mul / 2^(16 + shift)`, rounded; shifts are at most 15.
#[inline]
pub(crate) fn rescale(a: i32, mul: u16, shift: u8) -> i32 {
    shifted(times(a, mul), shift)
}

/// `a · mul / 2^16`, rounded down.
///
/// The product of 48 bits is never formed: a Cortex-M0 multiplies 32 bits by 32 to 32.
#[inline]
pub(crate) fn times(a: i32, mul: u16) -> i32 {
    let mul = i32::from(mul);
    // |a >> 16| · mul and the sum below stay within 32 bits for every argument.
    let low = ((a & 0xFFFF) as u32).wrapping_mul(mul as u32) >> 16;
    (a >> 16).wrapping_mul(mul).wrapping_add(low as i32)
}

/// `t / 2^shift`, rounded.
#[inline]
pub(crate) fn shifted(t: i32, shift: u8) -> i32 {
    t.wrapping_add(half(shift)).wrapping_shr(shift.into())
}

/// What rounds a shift to the nearest: `2^(shift − 1)`, and 0 for no shift.
#[inline]
pub(crate) fn half(shift: u8) -> i32 {
    1i32.wrapping_shl(shift.into()) >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_of_48_bits_is_met_for_every_argument() {
        for a in [i32::MIN, -70_000, -65_536, -1, 0, 1, 12_345, 65_535, 65_536, i32::MAX] {
            for mul in [0, 1, 777, 32_768, 65_535] {
                for shift in 0..16 {
                    let t = (i64::from(a) * i64::from(mul)) >> 16;
                    let half = if shift == 0 { 0 } else { 1 << (shift - 1) };
                    assert_eq!(i64::from(rescale(a, mul, shift)), (t + half) >> shift, "{a} {mul} {shift}");
                }
            }
        }
    }
}
