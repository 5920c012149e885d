//! Scales and rounding of weights: export and quantization-aware training use these very functions.

use super::QuantizeError;
use super::feature_map::exact_step;
pub(crate) use super::input::After;
use super::learned::Learned;
use crate::preprocess::Grid;

/// The largest magnitude of an 8-bit weight.
pub(crate) const WEIGHT: f64 = 127.0;

/// The unit of weights whose largest magnitude is this.
pub(crate) fn weight_unit(largest: f64) -> f64 {
    largest / WEIGHT
}

/// The integer next to a weight.
pub(crate) fn weight(value: f64, unit: f64) -> f64 {
    if unit > 0.0 { (value / unit).round().clamp(-WEIGHT, WEIGHT) } else { 0.0 }
}

/// 2¹⁶ and the shift: what a multiplier is divided by.
pub(crate) fn power(shift: u8) -> f64 {
    f64::exp2(16.0 + f64::from(shift))
}

/// What comes behind a projection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Behind {
    /// The smallest byte that it takes.
    pub(crate) low: f64,
    /// What it leaves open of the scale.
    pub(crate) after: After,
    /// γ, where it is a Gaussian kernel.
    pub(crate) gamma: Option<f64>,
}

/// How sums of a projection become bytes: `byte = sum · mul / power(shift)`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProjectionScales {
    /// The bytes that projected values become.
    pub(crate) grid: Grid,
    /// One multiplier per output.
    pub(crate) muls: Vec<f64>,
    pub(crate) shift: u8,
}

impl ProjectionScales {
    /// Scales for weights of these units and projected values of these ranges. `constants` are added to the sums, before
    /// the grid's own shift is taken off.
    pub(crate) fn new(
        units: &[f64],
        ranges: &[(f64, f64)],
        constants: &[f64],
        behind: Behind,
    ) -> Result<Self, QuantizeError> {
        let grid = grid(units, ranges, behind)?;
        // Multipliers first, rounded up; then units of the sums that fit them exactly. A unit is also coarse enough for
        // the bias.
        let bias = |i: usize| (constants[i] - grid.shift[i]).abs() / f64::from(1 << 30);
        let ratios: Vec<f64> = (0..units.len()).map(|i| units[i].max(bias(i)) / grid.step[i]).collect();
        let steepest = ratios.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let shift = (0..=15_u8).rev().find(|&s| steepest * power(s) <= 65535.0).unwrap_or(0);
        let muls = ratios.iter().map(|ratio| (ratio * power(shift)).ceil().clamp(1.0, 65535.0)).collect();
        Ok(Self { grid, muls, shift })
    }

    /// Scales of the units that training learned, as near to them as 16 bits come.
    pub(super) fn learned(learned: &Learned) -> Result<Self, QuantizeError> {
        let grid = learned.grid();
        let ratios: Vec<f64> = learned.steps.projection.iter().map(|unit| unit / learned.steps.projected).collect();
        let steepest = ratios.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let shift =
            (0..=15_u8).rev().find(|&s| (steepest * power(s)).round() <= 65535.0).ok_or(QuantizeError::Range {
                stage: "projection",
                why: "a weight moves its output by more than a byte's step",
            })?;
        let muls = ratios.iter().map(|ratio| (ratio * power(shift)).round().max(1.0)).collect();
        Ok(Self { grid, muls, shift })
    }

    /// The unit of an output's weights.
    pub(crate) fn unit(&self, i: usize) -> f64 {
        self.muls[i] * self.grid.step[i] / power(self.shift)
    }
}

/// The bytes that projected values of these ranges become.
fn grid(units: &[f64], ranges: &[(f64, f64)], Behind { low, after, gamma }: Behind) -> Result<Grid, QuantizeError> {
    let own = |&(from, to): &(f64, f64)| match after {
        After::Anchored => from.abs().max(to.abs()) / 127.0,
        _ => (to - from) / 255.0,
    };
    // A multiplier cannot enlarge: a step is at least the unit of the sums.
    let floor = |step: f64, unit: f64| step.max(unit * 65536.0 / 65535.0);
    let steps: Vec<f64> = ranges.iter().zip(units).map(|(range, unit)| floor(own(range), *unit)).collect();
    let widest = steps.iter().copied().fold(0.0, f64::max);
    if widest == 0.0 {
        return Err(QuantizeError::Range { stage: "projection", why: "all of its outputs are constant" });
    }
    let step: Vec<f64> = match after {
        After::Absorbs => steps.iter().map(|&s| if s == 0.0 { widest } else { s }).collect(),
        _ => vec![gamma.map_or(widest, |gamma| exact_step(gamma, widest)); steps.len()],
    };
    let middle = |(i, &(from, to)): (usize, &(f64, f64))| match after {
        After::Anchored => 0.0,
        _ => f64::midpoint(from, to) - (low + 127.5) * step[i],
    };
    let shift = ranges.iter().enumerate().map(middle).collect();
    Ok(Grid { step, shift, low })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_weight_takes_127_steps() {
        let unit = weight_unit(2.54);
        assert_eq!([2.54, -2.54, 0.009, 0.011, 9.0].map(|w| weight(w, unit)), [127.0, -127.0, 0.0, 1.0, 127.0]);
        assert_eq!(weight(3.0, 0.0), 0.0);
    }

    #[test]
    fn sums_become_bytes_around_the_middle_of_their_range() -> Result<(), QuantizeError> {
        // The wider output decides on the step that both share.
        let behind = Behind { low: 0.0, after: After::Distances, gamma: None };
        let found = ProjectionScales::new(&[1e-3, 5e-4], &[(-2.0, 2.0), (10.0, 15.1)], &[0.0, 0.0], behind)?;
        assert!((found.grid.step[0] - 0.02).abs() < 1e-12 && found.grid.step[0] == found.grid.step[1]);
        assert_eq!([10.0, 15.1, 0.0, 99.0].map(|v| found.grid.byte(v, 1)), [0.0, 255.0, 0.0, 255.0]);
        assert_eq!(found.grid.byte(0.0, 0), 128.0);
        // Units are at least those asked for, and nearly so.
        for (i, asked) in [1e-3, 5e-4].into_iter().enumerate() {
            assert!((1.0..1.0001).contains(&(found.unit(i) / asked)), "{}", found.unit(i));
        }
        Ok(())
    }
}
