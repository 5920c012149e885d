//! Sums over blocks of pixels, clamped to 16 bits.

use nearmark_format::Meta;

use crate::sample::{Element, Quantizer};

/// Writes the sum of each block of `pool_rows × pool_cols`, plane by plane.
pub(crate) fn sums<T: Element>(meta: &Meta, quantizer: &Quantizer, x: &[T], out: &mut [i16]) {
    let (cols, wide) = ((meta.cols as usize).max(1), usize::from(meta.pool_cols).max(1));
    let mut out = out.iter_mut();
    let mut rest = x;
    // Blocks divide rows, so bands of them never cross from one plane into the next.
    while !rest.is_empty() {
        let (band, below) = split(rest, cols.wrapping_mul(meta.pool_rows.into()).max(1));
        rest = below;
        for block in 0..cols / wide {
            let (mut sum, mut rows) = (0i32, band);
            while !rows.is_empty() {
                let (row, below) = split(rows, cols);
                rows = below;
                for &v in row.iter().skip(block.wrapping_mul(wide)).take(wide) {
                    sum = sum.wrapping_add(v.integer(quantizer));
                }
            }
            if let Some(slot) = out.next() {
                *slot = sum.clamp(-32_768, 32_767) as i16;
            }
        }
    }
}

/// The first `len` values and the rest; all of them and nothing where there are fewer.
///
/// In a form whose every check the compiler sees through, also in nested loops.
fn split<T>(values: &[T], len: usize) -> (&[T], &[T]) {
    values.split_at_checked(len).unwrap_or((values, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_format::meta::code;

    #[test]
    fn two_planes_of_two_by_four_pool_to_one_by_two() {
        let meta = Meta {
            channels: 2,
            rows: 2,
            cols: 4,
            shape: code::SHAPE_POOL,
            pool_rows: 2,
            pool_cols: 2,
            ..Meta::default()
        };
        let mut out = [9; 4];
        sums(&meta, &Quantizer::new(&meta), &[1u8, 2, 3, 4, 5, 6, 7, 8, 10, 0, 0, 1, 0, 0, 0, 1], &mut out);
        assert_eq!(out, [14, 22, 10, 2]);
    }

    #[test]
    fn sums_are_clamped_to_16_bits() {
        let meta = Meta {
            channels: 1,
            rows: 2,
            cols: 2,
            shape: code::SHAPE_POOL,
            pool_rows: 2,
            pool_cols: 1,
            ..Meta::default()
        };
        let mut out = [9; 2];
        sums(&meta, &Quantizer::new(&meta), &[30_000i16, -30_000, 30_000, -30_000], &mut out);
        assert_eq!(out, [32_767, -32_768]);
    }
}
