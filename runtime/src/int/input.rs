//! Preprocessing and input quantization: numbers of any sensor become bytes, four to a word.
//!
//! Selection and scaling are one pass here, since a byte is rounded once.

use core::cell::Cell;

use nearmark_format::{Layout, Num, Section};

use super::{convolution, counts, map_range, pool, rescale::half, window};
use crate::{
    sample::{Element, Quantizer},
    slices::{cast, take},
};

/// Words that [`features`] needs: what the checked scratch has over the other parts.
pub(crate) fn words(layout: &Layout<'_>) -> usize {
    let (header, meta) = (layout.header(), layout.meta());
    let projected = if meta.has_projection() { layout.projected().div_ceil(4) } else { 0 };
    let others = projected + usize::from(header.dim) + meta.neighbor_words() as usize;
    (header.scratch as usize).saturating_sub(others)
}

/// Runs the stages before the projection and returns the packed features that they leave in `room`.
pub(crate) fn features<'f, T: Element>(layout: &Layout<'_>, x: &[T], room: &'f mut [u32]) -> &'f [u32] {
    let meta = layout.meta();
    let quantization = Quantization::new(layout);
    let quantizer = Quantizer::new(meta);
    if meta.has_convolution() {
        let flip = if quantization.range.0 < 0 { 0x80 } else { 0 };
        convolution::features(layout, &quantizer, |value| quantization.pixel(value), flip, x, room);
    } else if meta.has_counts() {
        counts::features(layout, &quantizer, x, room, if quantization.range.0 == 0 { 0 } else { 0x80 });
    } else if meta.has_window() || meta.has_pool() {
        let halves: &mut [i16] = cast(room);
        if meta.has_window() {
            window::statistics(meta, &quantizer, x, halves);
        } else {
            pool::sums(meta, &quantizer, x, halves);
        }
        let cells = Cell::from_mut(&mut *room).as_slice_of_cells();
        // Bytes are written over halves that were read before: byte 4i + 3 lies before half 4i + 3.
        let halves = cells.iter().flat_map(|cell| [cell.get() as i16, (cell.get() >> 16) as i16]);
        quantization.pack(layout, halves.take(layout.pooled()).map(i32::from), cells);
    } else if let Some(flip) = quantization.flips(layout, T::bytes(x).is_some()) {
        copy(T::bytes(x).unwrap_or_default(), flip, room);
    } else {
        let cells = Cell::from_mut(&mut *room).as_slice_of_cells();
        quantization.pack(layout, x.iter().map(|&v| v.integer(&quantizer)), cells);
    }
    room.get(..layout.kept().div_ceil(4)).unwrap_or_default()
}

/// From a feature to a byte: `(x − zero) · mul >> shift`, rounded and clamped.
struct Quantization<'a> {
    zero: i32,
    mul: i32,
    shift: u8,
    range: (i32, i32),
    /// A zero and a multiplier per feature, instead; empty where there are none.
    zeros: &'a [i16],
    muls: &'a [i16],
}

impl<'a> Quantization<'a> {
    fn new(layout: &Layout<'a>) -> Self {
        let meta = layout.meta();
        let plain = !meta.has_scale();
        let pairs = if plain { &[] } else { layout.words(Section::Scale) };
        let mut muls: &[i16] = bytemuck::try_cast_slice(pairs).unwrap_or_default();
        let zeros = take(&mut muls, layout.kept());
        let (mul, shift) = if plain { (1, 0) } else { (meta.in_mul.into(), meta.in_shift) };
        let range = if meta.has_projection() { (-128, 127) } else { map_range(layout) };
        Self { zero: meta.in_zero.into(), mul, shift, range, zeros, muls }
    }

    /// Where bytes come in and go out as they are, but for their sign: what to flip in them.
    fn flips(&self, layout: &Layout<'_>, bytes: bool) -> Option<u8> {
        let meta = layout.meta();
        let least = if meta.input == Num::U8 as u8 { 0 } else { -128 };
        let shifted = least - self.range.0;
        let same = bytes && !meta.has_scale() && !meta.has_select() && self.zero == shifted;
        same.then_some(if shifted == 0 { 0 } else { 0x80 })
    }

    /// A pixel of 16 bits as a byte without a sign.
    #[inline(always)]
    fn pixel(&self, value: i32) -> u32 {
        let scaled = value.wrapping_sub(self.zero).wrapping_mul(self.mul).wrapping_add(half(self.shift));
        scaled.wrapping_shr(self.shift.into()).max(0).min(255) as u32
    }

    /// Selects, scales and packs the values, and fills up the last word with zeros.
    #[inline(always)]
    fn pack(&self, layout: &Layout<'_>, values: impl Iterator<Item = i32>, out: &[Cell<u32>]) {
        let mask = layout.words(Section::Mask);
        let (mut zeros, mut muls) = (self.zeros.iter(), self.muls.iter());
        let (mut word, mut filled) = (0u32, 0u32);
        let mut out = out.iter();
        let half = half(self.shift);
        for (at, value) in values.enumerate() {
            // All are kept where there is no mask.
            if mask.get(at / 32).copied().unwrap_or(u32::MAX) >> (at % 32) & 1 == 0 {
                continue;
            }
            let zero = zeros.next().map_or(self.zero, |&zero| zero.into());
            let mul = muls.next().map_or(self.mul, |&mul| mul.into());
            let scaled = value.wrapping_sub(zero).wrapping_mul(mul).wrapping_add(half).wrapping_shr(self.shift.into());
            let byte = scaled.max(self.range.0).min(self.range.1) as u32 & 0xFF;
            word |= byte << filled;
            filled += 8;
            if filled == 32 {
                if let Some(slot) = out.next() {
                    slot.set(word);
                }
                (word, filled) = (0, 0);
            }
        }
        if let Some(slot) = out.next().filter(|_| filled != 0) {
            slot.set(word);
        }
    }
}

/// Four bytes at a time, as they are but for their sign.
fn copy(bytes: &[u8], flip: u8, out: &mut [u32]) {
    let flips = u32::from_le_bytes([flip; 4]);
    let (words, rest) = bytes.as_chunks::<4>();
    for (&word, slot) in words.iter().zip(out.iter_mut()) {
        *slot = u32::from_le_bytes(word) ^ flips;
    }
    if let Some(slot) = out.get_mut(words.len()).filter(|_| !rest.is_empty()) {
        *slot = rest.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte ^ flip));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_copied_with_their_sign_flipped_and_zeros_behind() {
        let mut out = [9; 2];
        copy(&[0, 127, 128, 255, 0xC8], 0x80, &mut out);
        assert_eq!(out, [u32::from_le_bytes([128, 255, 0, 127]), 0x48]);
    }
}
