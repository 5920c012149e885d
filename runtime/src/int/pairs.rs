//! Sums of filters over words that hold two pixels of a column as halves: the inner loops of convolutions.
//!
//! Each gives four sums of one filter: of the `left` words the upper and the lower pixels, then of the `right` ones.

#[cfg(feature = "dsp")]
pub(crate) use nearmark_dsp::pair_sums as nibbles;

#[cfg(not(feature = "dsp"))]
pub(crate) use self::portable::nibbles;

#[cfg(not(feature = "dsp"))]
mod portable {
    /// What keeps the lower half of a sum of pairs positive: sums of up to 16 products of a byte and a signed nibble
    /// lie within ± 2¹⁵.
    const MIDDLE: u32 = 0x8000;
    /// Weights whose products are summed in halves: three of each of four channels.
    const WEIGHTS: usize = 12;

    /// With weights of 4 bits, the low nibble of a byte first: both pixels of a word in one multiplication.
    #[inline(never)] // keeps the registers of its caller out of the loop
    pub(crate) fn nibbles(weights: &[u8], left: &[u32], right: &[u32]) -> [i32; 4] {
        let mut sums = [0; 4];
        let (mut weights, mut left, mut right) = (weights, left, right);
        while let (Some((bytes, weights_left)), Some((lefts, left_left)), Some((rights, right_left))) = (
            weights.split_first_chunk::<{ WEIGHTS / 2 }>(),
            left.split_first_chunk::<WEIGHTS>(),
            right.split_first_chunk::<WEIGHTS>(),
        ) {
            let (mut l, mut r) = (MIDDLE, MIDDLE);
            let pairs = lefts.as_chunks::<2>().0.iter().zip(rights.as_chunks::<2>().0);
            for (&byte, (left, right)) in bytes.iter().zip(pairs) {
                let (low, high) = (low(byte), (byte as i8 >> 4) as u32);
                l = l.wrapping_add(left[0].wrapping_mul(low)).wrapping_add(left[1].wrapping_mul(high));
                r = r.wrapping_add(right[0].wrapping_mul(low)).wrapping_add(right[1].wrapping_mul(high));
            }
            add(&mut sums, l, r);
            (weights, left, right) = (weights_left, left_left, right_left);
        }
        let (mut l, mut r) = (MIDDLE, MIDDLE);
        for (at, (&left, &right)) in left.iter().zip(right).enumerate() {
            let byte = weights.get(at / 2).map_or(0, |byte| *byte);
            let weight = low(byte >> (at % 2 * 4));
            l = l.wrapping_add(left.wrapping_mul(weight));
            r = r.wrapping_add(right.wrapping_mul(weight));
        }
        add(&mut sums, l, r);
        sums
    }

    /// The low nibble of a byte, signed.
    #[inline(always)]
    fn low(byte: u8) -> u32 {
        ((u32::from(byte) << 28) as i32 >> 28) as u32
    }

    /// Takes the halves of two sums of pairs apart, and adds them to the sums.
    #[inline(always)]
    fn add([s0, s1, s2, s3]: &mut [i32; 4], left: u32, right: u32) {
        *s0 = s0.wrapping_add((left & 0xFFFF).wrapping_sub(MIDDLE) as i32);
        *s1 = s1.wrapping_add(left as i32 >> 16);
        *s2 = s2.wrapping_add((right & 0xFFFF).wrapping_sub(MIDDLE) as i32);
        *s3 = s3.wrapping_add(right as i32 >> 16);
    }
}

/// With weights of 8 bits, whose sums do not fit halves: every pixel by itself.
#[inline(never)]
pub(crate) fn bytes(weights: &[u8], left: &[u32], right: &[u32]) -> [i32; 4] {
    let [mut s0, mut s1, mut s2, mut s3] = [0i32; 4];
    for ((&weight, &left), &right) in weights.iter().zip(left).zip(right) {
        let weight = i32::from(weight as i8);
        s0 = s0.wrapping_add((left as i16 as i32).wrapping_mul(weight));
        s1 = s1.wrapping_add((left as i32 >> 16).wrapping_mul(weight));
        s2 = s2.wrapping_add((right as i16 as i32).wrapping_mul(weight));
        s3 = s3.wrapping_add((right as i32 >> 16).wrapping_mul(weight));
    }
    [s0, s1, s2, s3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_a_few_weights_can_be_checked_by_hand() {
        let left = [0x0002_0001, 0x0004_0003, 0x00FF_00FF];
        let right = [0x0000_00FF, 0x00FF_0000, 0x0001_0001];
        assert_eq!(
            bytes(&[1, 0xFE, 0x80], &left, &right),
            [1 - 6 - 128 * 255, 2 - 8 - 128 * 255, 255 - 128, -2 * 255 - 128]
        );
        assert_eq!(nibbles(&[0xE1, 0x08], &left, &right), [1 - 6 - 8 * 255, 2 - 8 - 8 * 255, 255 - 8, -2 * 255 - 8]);
    }

    #[test]
    fn the_largest_sums_fit_halves() {
        let all = [0x00FF_00FF; 31];
        assert_eq!(nibbles(&[0x88; 16], &all, &all), [-8 * 255 * 31; 4]);
        assert_eq!(nibbles(&[0x77; 16], &all, &all), [7 * 255 * 31; 4]);
    }
}
