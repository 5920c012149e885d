//! Pruning during training: what is dropped of the projection, so that the rest fits.

use crate::search::Dimensions;
use serde::Serialize;

/// What pruning keeps of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// So many features, with all of their weights.
    Features(usize),
    /// So many weights of whatever features.
    Weights(usize),
}

impl Keep {
    /// What some dimensions keep of a projection; none if they keep all.
    pub(in crate::search) fn of(dimensions: &Dimensions) -> Option<Self> {
        let features = (dimensions.kept < dimensions.features).then_some(Self::Features(dimensions.kept));
        dimensions.nonzeros.map(Self::Weights).or(features)
    }
}

/// Which weights are left. They are stored feature by feature, and dropped one by one or with all of their feature.
pub(in crate::search) struct Pruning {
    variances: Vec<f32>,
    /// Weights that are dropped together.
    together: usize,
    /// Of each such group, whether it is left.
    left: Vec<bool>,
    /// How many groups are left in the end.
    keep: usize,
}

impl Pruning {
    pub(in crate::search) fn new(weights: &[f32], variances: Vec<f32>, keep: Option<Keep>) -> Self {
        let outputs = weights.len() / variances.len().max(1);
        let (together, keep) = match keep {
            None => (outputs, usize::MAX),
            Some(Keep::Features(count)) => (outputs, count),
            Some(Keep::Weights(count)) => (1, count),
        };
        // A feature that the closed form does not use stays unused.
        let left = weights.chunks(together).map(|group| group.iter().any(|w| *w != 0.0)).collect();
        Self { variances, together, left, keep }
    }

    /// Drops the weights that contribute least to the projected values, by `w²·var`, down to as many as [`allowed`] when
    /// this share of the steps is done.
    pub(in crate::search) fn apply(&mut self, weights: &mut [f32], done: f64) {
        let Self { together, keep, .. } = *self;
        let outputs = weights.len() / self.variances.len().max(1);
        let allowed = allowed(self.left.len(), keep, done);
        let count = self.left.iter().filter(|left| **left).count();
        if count > allowed {
            let worth = |i: usize| {
                let group = &weights[i * together..(i + 1) * together];
                group.iter().map(|w| w * w).sum::<f32>() * self.variances[i * together / outputs]
            };
            let mut order: Vec<(f32, usize)> =
                (0..self.left.len()).filter(|&i| self.left[i]).map(|i| (worth(i), i)).collect();
            order.select_nth_unstable_by(allowed, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            order[allowed..].iter().for_each(|&(_, i)| self.left[i] = false);
        }
        // Adam's moments would bring dropped weights back.
        for (group, _) in weights.chunks_mut(together).zip(&self.left).filter(|(_, left)| !**left) {
            group.fill(0.0);
        }
    }
}

/// Share of the steps after which pruning is done: the rest adapts the weights that are left.
const PRUNED: f64 = 0.5;

/// How many of all may stay when this share of the steps is done: `keep` after [`PRUNED`] of them, and before that more on
/// the cubic schedule of Zhu and Gupta (2017), which drops most while there is the most to choose from.
fn allowed(all: usize, keep: usize, done: f64) -> usize {
    let left = 1.0 - (done / PRUNED).min(1.0);
    let extra = all.saturating_sub(keep) as f64 * left.powi(3);
    keep.saturating_add(extra as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three features with two weights each; the second has four times the variance of the others, the third is unused.
    fn pruned(keep: Option<Keep>, done: f64) -> Vec<f32> {
        let mut weights = vec![3.0, 1.0, 1.0, 2.0, 0.0, 0.0];
        let mut pruning = Pruning::new(&weights, vec![1.0, 4.0, 1.0], keep);
        weights[4] = 9.0;
        pruning.apply(&mut weights, done);
        weights
    }

    #[test]
    fn the_least_of_features_or_weights_are_dropped_and_unused_ones_stay_unused() {
        assert_eq!(pruned(None, 1.0), [3.0, 1.0, 1.0, 2.0, 0.0, 0.0]);
        // Contributions 9 and 1, 4 and 16.
        assert_eq!(pruned(Some(Keep::Features(1)), 0.5), [0.0, 0.0, 1.0, 2.0, 0.0, 0.0]);
        assert_eq!(pruned(Some(Keep::Weights(2)), 0.5), [3.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        assert_eq!(pruned(Some(Keep::Weights(1)), 0.0), [3.0, 1.0, 1.0, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn the_schedule_is_cubic_until_half_of_the_steps() {
        // 64 more than may stay: a quarter of the steps leaves an eighth of them.
        assert_eq!([0.0, 0.25, 0.5, 1.0].map(|done| allowed(100, 36, done)), [100, 44, 36, 36]);
        assert_eq!(allowed(10, usize::MAX, 0.3), usize::MAX);
    }
}
