//! Keeps the features whose bit is set, the least significant bit first; all beyond the mask.

use core::cell::Cell;

use crate::sample::Element;

/// Copies the kept values of `x` to the start of `out`.
pub(crate) fn gather<T: Element>(mask: &[u32], x: &[T], out: &mut [f32]) {
    keep(mask, x.iter().map(|&v| v.into()), Cell::from_mut(out).as_slice_of_cells());
}

/// Moves the kept values of `x` to its start.
pub(crate) fn in_place(mask: &[u32], x: &mut [f32]) {
    let cells = Cell::from_mut(x).as_slice_of_cells();
    keep(mask, cells.iter().map(Cell::get), cells);
}

fn keep(mask: &[u32], values: impl Iterator<Item = f32>, out: &[Cell<f32>]) {
    let mut out = out.iter();
    for (at, value) in values.enumerate() {
        let word = mask.get(at / 32).copied().unwrap_or(u32::MAX);
        if word >> (at % 32) & 1 == 1
            && let Some(slot) = out.next()
        {
            slot.set(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_values_move_to_the_start_in_order() {
        let mask = [0b10_1000_0101];
        let mut x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let mut out = [0.0; 4];
        gather(&mask, &x, &mut out);
        in_place(&mask, &mut x);
        assert_eq!(out, [0.0, 2.0, 7.0, 9.0]);
        assert_eq!(x[..4], out);
    }
}
