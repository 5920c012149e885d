//! The optimizer and its minibatches.

use crate::rng::Rng;

/// Decay of the mean gradient (the usual 0.9) and of its mean square: 0.99 instead of the usual 0.999, since short
/// trainings have only hundreds of steps.
const DECAY: (f32, f32) = (0.9, 0.99);
/// Keeps the division finite; the usual value.
const EPSILON: f32 = 1e-8;

/// Adam (Kingma and Ba 2015).
pub(super) struct Adam {
    rates: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    powers: (f32, f32),
}

impl Adam {
    /// One learning rate per parameter, relative to that of a step.
    pub(super) fn new(rates: Vec<f32>, len: usize) -> Self {
        Self { rates, mean: vec![0.0; len], square: vec![0.0; len], powers: (1.0, 1.0) }
    }

    pub(super) fn step(&mut self, theta: &mut [f32], gradient: &[f32], rate: f32) {
        self.powers = (self.powers.0 * DECAY.0, self.powers.1 * DECAY.1);
        let (first, second) = (1.0 - self.powers.0, 1.0 - self.powers.1);
        let moments = self.mean.iter_mut().zip(&mut self.square).zip(&self.rates);
        for ((value, slope), ((mean, square), own)) in theta.iter_mut().zip(gradient).zip(moments) {
            *mean += (1.0 - DECAY.0) * (slope - *mean);
            *square += (1.0 - DECAY.1) * (slope * slope - *square);
            *value -= rate * own * (*mean / first) / ((*square / second).sqrt() + EPSILON);
        }
    }
}

/// Minibatches without repetition within an epoch.
pub(super) struct Batches {
    order: Vec<usize>,
    at: usize,
    size: usize,
}

impl Batches {
    pub(super) fn new(rows: Vec<usize>, size: usize) -> Self {
        Self { at: rows.len(), size: size.min(rows.len()), order: rows }
    }

    pub(super) fn next(&mut self, rng: &mut Rng) -> &[usize] {
        if self.at + self.size > self.order.len() {
            rng.shuffle(&mut self.order);
            self.at = 0;
        }
        self.at += self.size;
        &self.order[self.at - self.size..self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_shows_every_row_once() {
        let (mut batches, mut rng) = (Batches::new((0..12).collect(), 4), Rng::new(0));
        let mut seen: Vec<usize> = (0..3).flat_map(|_| batches.next(&mut rng).to_vec()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn steps_lead_to_the_minimum_of_a_quadratic() {
        let mut theta = [3.0_f32, -2.0];
        let mut adam = Adam::new(vec![1.0, 0.5], 2);
        for step in 0..500 {
            let gradient = [2.0 * (theta[0] - 1.0), 20.0 * theta[1]];
            adam.step(&mut theta, &gradient, 0.1 * (1.0 - step as f32 / 500.0));
        }
        assert!((theta[0] - 1.0).abs() < 1e-2 && theta[1].abs() < 1e-2, "{theta:?}");
    }
}
