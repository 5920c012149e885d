//! Slices taken apart without a path to a panic: what is too short gives less.

/// The first `len` values and the rest; all of them and nothing where there are fewer.
pub(crate) fn split<T>(values: &mut [T], len: usize) -> (&mut [T], &mut [T]) {
    let len = len.min(values.len());
    values.split_at_mut_checked(len).unwrap_or_default()
}

/// Takes `len` values from the start of what is left; fewer where there are not so many.
#[inline(always)]
pub(crate) fn take<'a, T>(left: &mut &'a [T], len: usize) -> &'a [T] {
    let (taken, rest) = left.split_at(len.min(left.len()));
    *left = rest;
    taken
}

/// Words seen as floats, or floats as words.
pub(crate) fn cast<A: bytemuck::Pod, B: bytemuck::Pod>(values: &mut [A]) -> &mut [B] {
    bytemuck::try_cast_slice_mut(values).unwrap_or_default()
}

/// Words as the floats or integers that they are.
pub(crate) fn numbers<T: bytemuck::AnyBitPattern>(words: &[u32]) -> &[T] {
    bytemuck::try_cast_slice(words).unwrap_or_default()
}
