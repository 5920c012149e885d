//! What may be classified: slices and arrays of the numbers that sensors give.

use nearmark_format::{Meta, Num};

/// A sample: `[T]` or `[T; N]` with `T` one of `f32`, `u8`, `i8`, `i16`.
///
/// A float model takes all of them; integers convert to floats exactly, so the answer is the one
/// that the same numbers as floats would get. An integer model takes the type that it was trained
/// on, and `f32`, which is rounded to that type.
pub trait Sample: sealed::Sample {}

/// A number that a sensor gives.
#[cfg_attr(not(feature = "int"), allow(dead_code))] // floats take any of them as a float
pub(crate) trait Element: Copy + Into<f32> {
    /// Its type.
    const NUM: Num;

    /// The number as the model's integers.
    fn integer(self, quantizer: &Quantizer) -> i32;

    /// Whether it is a number at all.
    fn is_finite(self) -> bool {
        true
    }

    /// The same values as bytes, where they are bytes.
    fn bytes(values: &[Self]) -> Option<&[u8]> {
        let _ = values;
        None
    }
}

/// From floats to the integers of an INT model.
#[cfg_attr(not(feature = "int"), allow(dead_code))]
pub(crate) struct Quantizer {
    mul: f32,
    add: f32,
    least: f32,
    most: f32,
}

#[cfg_attr(not(feature = "int"), allow(dead_code))]
impl Quantizer {
    pub(crate) fn new(meta: &Meta) -> Self {
        let (least, most) = match meta.input() {
            Num::U8 => (0.0, 255.0),
            Num::I8 => (-128.0, 127.0),
            Num::I16 | Num::F32 => (-32_768.0, 32_767.0),
        };
        // Only rows that were floats have a scale: the others are integers already.
        let (mul, add) = if meta.input() == Num::F32 { (meta.scale_mul, meta.scale_add) } else { (1.0, 0.0) };
        Self { mul, add, least, most }
    }
}

impl Element for f32 {
    const NUM: Num = Num::F32;

    fn integer(self, quantizer: &Quantizer) -> i32 {
        /// Adding 1.5·2²³ leaves the nearest integer in the low bits, ties to even.
        const ROUND: f32 = 12_582_912.0;
        let t = self * quantizer.mul + quantizer.add;
        // Not `clamp`, which panics where the limits are not in order.
        let t = if t < quantizer.least { quantizer.least } else { t };
        let t = if t > quantizer.most { quantizer.most } else { t };
        (t + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32
    }

    fn is_finite(self) -> bool {
        self.to_bits() & 0x7F80_0000 != 0x7F80_0000
    }
}

impl Element for i16 {
    const NUM: Num = Num::I16;

    fn integer(self, _: &Quantizer) -> i32 {
        self.into()
    }
}

impl Element for u8 {
    const NUM: Num = Num::U8;

    fn integer(self, _: &Quantizer) -> i32 {
        self.into()
    }

    fn bytes(values: &[Self]) -> Option<&[u8]> {
        Some(values)
    }
}

impl Element for i8 {
    const NUM: Num = Num::I8;

    fn integer(self, _: &Quantizer) -> i32 {
        self.into()
    }

    fn bytes(values: &[Self]) -> Option<&[u8]> {
        bytemuck::try_cast_slice(values).ok()
    }
}

pub(crate) mod sealed {
    #[allow(private_bounds)] // sealed: no other crate names the bound
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_round_to_the_nearest_integer_of_the_type_ties_to_even() {
        let of = |input: Num, v: f32| v.integer(&Quantizer::new(&Meta { input: input as u8, ..Meta::default() }));
        assert_eq!([0.5, 1.5, -0.4, 254.6, 300.0, -1.0].map(|v| of(Num::U8, v)), [0, 2, 0, 255, 255, 0]);
        assert_eq!([-0.5, -1.5, -200.0, 1e30].map(|v| of(Num::I8, v)), [0, -2, -128, 127]);
        assert_eq!([-1e30, 32_766.5].map(|v| of(Num::I16, v)), [-32_768, 32_766]);
    }

    #[test]
    fn rows_that_were_floats_have_a_scale() {
        let quantizer = Quantizer::new(&Meta { scale_mul: 1000.0, scale_add: -5.0, ..Meta::default() });
        assert_eq!([0.0, 0.1, 100.0].map(|v: f32| v.integer(&quantizer)), [-5, 95, 32_767]);
    }
}
