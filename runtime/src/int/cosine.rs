//! `cos 2πt` of a phase in 2⁻³² turns, from a quarter of a wave.

use super::exponential::interpolate;

/// `Q[k] = round(32767 · cos(2πk/256))`.
const TABLE: [u16; 65] = [
    32767, 32757, 32728, 32678, 32609, 32521, 32412, 32285, 32137, 31971, 31785, 31580, 31356, 31113, 30852, 30571,
    30273, 29956, 29621, 29268, 28898, 28510, 28105, 27683, 27245, 26790, 26319, 25832, 25329, 24811, 24279, 23731,
    23170, 22594, 22005, 21403, 20787, 20159, 19519, 18868, 18204, 17530, 16846, 16151, 15446, 14732, 14010, 13279,
    12539, 11793, 11039, 10278, 9512, 8739, 7962, 7179, 6393, 5602, 4808, 4011, 3212, 2410, 1608, 804, 0,
];

/// `32767 · cos 2πt` as a signed word, to 4 units; whole turns wrap away.
#[inline(always)]
pub(crate) fn cosine(turns: u32) -> u32 {
    // Every other quarter runs backwards, and the two in the middle are negative.
    let backwards = turns << 1 >> 31;
    let u = turns ^ backwards.wrapping_neg();
    let y = interpolate(&TABLE, u >> 24, u >> 14);
    if turns >> 31 == backwards { y } else { y.wrapping_neg() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_its_formula() {
        for (k, &entry) in TABLE.iter().enumerate() {
            let angle = k as f64 / 256.0 * core::f64::consts::TAU;
            assert_eq!(f64::from(entry), (32_767.0 * angle.cos()).round(), "{k}");
        }
    }

    #[test]
    fn cosines_are_within_four_units() {
        for i in 0..1_000_000u32 {
            let turns = i.wrapping_mul(4295);
            let truth = 32_767.0 * (f64::from(turns) / 4_294_967_296.0 * core::f64::consts::TAU).cos();
            assert!((f64::from(cosine(turns) as i32) - truth).abs() < 4.0, "{turns}");
        }
        let quarters = [0, 1 << 30, 1 << 31, 3 << 30].map(|turns| cosine(turns) as i32);
        assert_eq!(quarters, [32_767, -1, -32_767, 1]);
    }
}
