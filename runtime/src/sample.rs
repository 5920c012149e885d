//! What may be classified: slices and arrays of the numbers that sensors give.

/// A sample: `[T]` or `[T; N]` with `T` one of `f32`, `u8`, `i8`, `i16`.
///
/// A float model takes all of them; integers convert to floats exactly, so the answer is the one
/// that the same numbers as floats would get.
pub trait Sample: sealed::Sample {}

/// A number that a sensor gives.
pub(crate) trait Element: Copy + Into<f32> {}

impl Element for f32 {}
impl Element for u8 {}
impl Element for i8 {}
impl Element for i16 {}

pub(crate) mod sealed {
    #[allow(private_bounds)] // sealed: nobody else names the bound
    pub trait Sample {
        type Element: super::Element;
        fn values(&self) -> &[Self::Element];
    }
}

impl<T: Element> Sample for [T] {}
impl<T: Element, const N: usize> Sample for [T; N] {}

impl<T: Element> sealed::Sample for [T] {
    type Element = T;
    fn values(&self) -> &[T] {
        self
    }
}

impl<T: Element, const N: usize> sealed::Sample for [T; N] {
    type Element = T;
    fn values(&self) -> &[T] {
        self
    }
}
