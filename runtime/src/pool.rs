//! Sums over blocks of pixels. The division by the block's size is folded into a later stage.

use nearmark_format::Meta;

use crate::sample::Element;

/// Writes the sum of each block of `pool_rows × pool_cols`, plane by plane.
pub(crate) fn sums<T: Element>(meta: &Meta, x: &[T], out: &mut [f32]) {
    let cols = (meta.cols as usize).max(1);
    let block_cols = usize::from(meta.pool_cols).max(1);
    let band = cols.wrapping_mul(usize::from(meta.pool_rows)).max(1);
    // Blocks divide rows, so bands never cross from one plane into the next.
    for (rows, sums) in x.chunks_exact(band).zip(out.chunks_exact_mut((cols / block_cols).max(1))) {
        sums.fill(0.0);
        for row in rows.chunks_exact(cols) {
            for (sum, block) in sums.iter_mut().zip(row.chunks_exact(block_cols)) {
                for &v in block {
                    *sum += v.into();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_planes_of_two_by_four_pool_to_one_by_two() {
        let meta = Meta { channels: 2, rows: 2, cols: 4, pool: 1, pool_rows: 2, pool_cols: 2, ..Meta::default() };
        let mut out = [9.0; 4];
        sums(&meta, &[1u8, 2, 3, 4, 5, 6, 7, 8, 10, 0, 0, 1, 0, 0, 0, 1], &mut out);
        assert_eq!(out, [14.0, 22.0, 10.0, 2.0]);
    }
}
