//! Scaling that the trainer could not fold into a later stage.

use nearmark_format::{Layout, Section, meta::code};

use super::math;
use crate::slices::take;

/// Scales `x` in place.
pub(crate) fn apply(layout: &Layout<'_>, x: &mut [f32]) {
    let meta = layout.meta();
    match meta.scale {
        code::SCALE_UNIFORM => x.iter_mut().for_each(|v| *v = *v * meta.scale_mul + meta.scale_add),
        code::SCALE_FEATURES => {
            let mut rest = layout.floats(Section::Scale);
            let mul = take(&mut rest, x.len());
            for ((v, mul), add) in x.iter_mut().zip(mul).zip(rest) {
                *v = *v * mul + add;
            }
        }
        code::SCALE_UNIT => to_unit_length(x),
        _ => {}
    }
}

/// Divides by the length; a row of zeros stays as it is.
fn to_unit_length(x: &mut [f32]) {
    let mut squares = 0.0;
    for v in x.iter() {
        squares += v * v;
    }
    if squares != 0.0 {
        let inverse = math::inverse_sqrt(squares);
        for v in x {
            *v *= inverse;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_length_leaves_zeros_alone() {
        let mut x = [3.0, 4.0];
        to_unit_length(&mut x);
        assert!((x[0] - 0.6).abs() < 1e-7 && (x[1] - 0.8).abs() < 1e-7, "{x:?}");
        let mut zeros = [0.0; 3];
        to_unit_length(&mut zeros);
        assert_eq!(zeros, [0.0; 3]);
    }
}
