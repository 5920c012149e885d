//! Sums over blocks of pixels. The division by the block's size is folded into a later stage.

use nearmark_format::Meta;

use crate::{sample::Element, slices::split};

/// Writes the sum of each block of `pool_rows × pool_cols`, plane by plane.
pub(crate) fn sums<T: Element>(meta: &Meta, x: &[T], out: &mut [f32]) {
    let mut x = x.iter();
    let blocks = meta.cols / u32::from(meta.pool_cols).max(1);
    let mut band = out;
    // Blocks divide rows, so bands of them never cross from one plane into the next.
    while !band.is_empty() {
        let (sums, rest) = split(band, blocks as usize);
        band = rest;
        for row in 0..meta.pool_rows {
            for sum in &mut *sums {
                let mut total = if row == 0 { 0.0 } else { *sum };
                for _ in 0..meta.pool_cols {
                    let Some(&v) = x.next() else { return };
                    total += v.into();
                }
                *sum = total;
            }
        }
    }
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
        let mut out = [9.0; 4];
        sums(&meta, &[1u8, 2, 3, 4, 5, 6, 7, 8, 10, 0, 0, 1, 0, 0, 0, 1], &mut out);
        assert_eq!(out, [14.0, 22.0, 10.0, 2.0]);
    }
}
