//! What 8 bits will make of the numbers, so that the descent can take it into account.
//!
//! Symmetric, by the largest magnitude: the projection per output, centers with one scale that the projected vector
//! shares and is cut to, the readout per coordinate. The gradient passes straight through the rounding.

use crate::search::train::parameters::Groups;

const LEVELS: f32 = 127.0;

/// The numbers that a step computes with: as they are, or as 8 bits would hold them.
#[derive(Debug, Clone)]
pub(in crate::search) struct Effective {
    pub(in crate::search) theta: Vec<f32>,
    /// One unit of a projected value, where those are rounded too.
    pub(in crate::search) unit: Option<f32>,
}

impl Effective {
    pub(in crate::search) fn new(groups: &Groups, theta: &[f32], rounded: bool) -> Self {
        let mut theta = theta.to_vec();
        if !rounded {
            return Self { theta, unit: None };
        }
        rows(&mut theta[groups.projection()], groups.p);
        let centers = &mut theta[groups.centers()];
        let unit = centers.iter().fold(0.0_f32, |a, v| a.max(v.abs())) / LEVELS;
        for v in centers.iter_mut() {
            *v = round(*v, unit);
        }
        rows(&mut theta[groups.readout()], groups.d);
        Self { theta, unit: (unit > 0.0).then_some(unit) }
    }

    /// Rounds and cuts projected values; tells which were cut, where no gradient passes.
    pub(in crate::search) fn round(&self, projected: &mut [f32]) -> Vec<bool> {
        let Some(unit) = self.unit else { return Vec::new() };
        let cut = projected.iter().map(|v| v.abs() > LEVELS * unit).collect();
        for v in projected {
            *v = round(v.clamp(-LEVELS * unit, LEVELS * unit), unit);
        }
        cut
    }
}

/// Rounds every row of a matrix that lies column by column to 127 steps of its largest magnitude.
fn rows(values: &mut [f32], count: usize) {
    let mut units = vec![0.0_f32; count];
    for column in values.chunks(count) {
        units.iter_mut().zip(column).for_each(|(unit, v)| *unit = unit.max(v.abs() / LEVELS));
    }
    for column in values.chunks_mut(count) {
        column.iter_mut().zip(&units).for_each(|(v, unit)| *v = round(*v, *unit));
    }
}

fn round(value: f32, unit: f32) -> f32 {
    if unit > 0.0 { (value / unit).round() * unit } else { value }
}
