//! The objective and its gradient over a block of samples, as matrix products.
//!
//! ```text
//! U = P X + b          K = exp(−γ D),  D_ji = |u_i − z_j|²
//! F = A K + a          logits L = Mᵀ F − |M_c|²/2, whose largest is the nearest class point
//! loss = −Σ_c t_c log softmax(L)_c,  t = (1 − ε)·indicator + ε/C
//! ```

use super::fake_quant::{Effective, Rounded};
use super::parameters::Groups;
use super::products::{exp, mul, mul_nt, mul_tn};
use pulp::{Arch, Simd, WithSimd};

/// Computes with the vectors that this machine has, to the same bits.
pub(super) fn vectorized<R>(f: impl FnOnce() -> R) -> R {
    struct Op<F>(F);
    impl<R, F: FnOnce() -> R> WithSimd for Op<F> {
        type Output = R;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> R {
            (self.0)()
        }
    }
    Arch::new().dispatch(Op(f))
}

/// Everything between the samples and the logits.
struct Pass {
    u: Vec<f32>,
    rounded: Rounded,
    distances: Vec<f32>,
    k: Vec<f32>,
    f: Vec<f32>,
    logits: Vec<f32>,
}

#[inline(always)]
fn forward(g: &Groups, at: &Effective, x: &[f32]) -> Pass {
    let theta = &at.theta;
    let mut u = mul(&theta[g.projection()], g.p, x, g.n);
    add_to_columns(&mut u, &theta[g.offsets()]);
    if g.m == 0 {
        let logits = nearest(g, theta, &u);
        return Pass { f: u.clone(), u, rounded: Rounded::default(), distances: Vec::new(), k: Vec::new(), logits };
    }
    let rounded = at.round_projected(&mut u);
    let centers = &theta[g.centers()];
    let mut distances = mul_tn(centers, &u, g.p);
    let norms = squared_norms(centers, g.p);
    for (column, u) in distances.chunks_mut(g.m).zip(squared_norms(&u, g.p)) {
        column.iter_mut().zip(&norms).for_each(|(d, z)| *d = (u + z - 2.0 * *d).max(0.0));
    }
    let gamma = exp(theta[g.width()]);
    let mut k = distances.clone();
    for v in &mut k {
        *v = exp(-gamma * *v);
    }
    let mut f = mul(&theta[g.readout()], g.d, &k, g.m);
    add_to_columns(&mut f, &theta[g.bias()]);
    let logits = nearest(g, theta, &f);
    Pass { u, rounded, distances, k, f, logits }
}

/// `Mᵀ F − |M_c|²/2`.
#[inline(always)]
fn nearest(g: &Groups, theta: &[f32], f: &[f32]) -> Vec<f32> {
    let means = &theta[g.means()];
    let mut logits = mul_tn(means, f, g.d);
    let halves: Vec<f32> = squared_norms(means, g.d).iter().map(|n| -0.5 * n).collect();
    add_to_columns(&mut logits, &halves);
    logits
}

/// The sum of losses over samples `x`, one after the other, of these classes.
pub(super) fn loss(g: &Groups, at: &Effective, x: &[f32], labels: &[usize], smoothing: f32) -> f64 {
    vectorized(
        #[inline(always)]
        || softmax_loss(&mut forward(g, at, x).logits, labels, g.c, smoothing),
    )
}

/// The logits of samples, C values each.
pub(super) fn logits(g: &Groups, at: &Effective, x: &[f32]) -> Vec<f32> {
    vectorized(
        #[inline(always)]
        || forward(g, at, x).logits,
    )
}

/// The gradient of [`loss`], straight through the rounding.
pub(super) fn gradient(g: &Groups, at: &Effective, x: &[f32], labels: &[usize], smoothing: f32) -> Vec<f32> {
    vectorized(
        #[inline(always)]
        || slopes(g, at, x, labels, smoothing).0,
    )
}

/// The gradient, and the slopes of the samples; for a caller that is within [`vectorized`].
#[inline(always)]
pub(super) fn gradient_through(
    g: &Groups,
    at: &Effective,
    x: &[f32],
    labels: &[usize],
    smoothing: f32,
) -> (Vec<f32>, Vec<f32>) {
    let (gradient, by_projected) = slopes(g, at, x, labels, smoothing);
    (gradient, mul_tn(&at.theta[g.projection()], &by_projected, g.p))
}

/// The gradient, and the slopes of the projected values.
#[inline(always)]
fn slopes(g: &Groups, at: &Effective, x: &[f32], labels: &[usize], smoothing: f32) -> (Vec<f32>, Vec<f32>) {
    let Pass { u, rounded, distances, k, f, mut logits } = forward(g, at, x);
    let theta = &at.theta;
    softmax_loss(&mut logits, labels, g.c, smoothing);
    let slopes = logits;
    let mut gradient = vec![0.0; g.len()];

    let means = &theta[g.means()];
    if !g.unit {
        // ∂L_ci/∂M_c = F_i − M_c.
        let mut d_means = mul_nt(&f, g.d, &slopes, g.c);
        let totals = row_sums(&slopes, g.c);
        for (c, column) in d_means.chunks_mut(g.d).enumerate() {
            column.iter_mut().zip(&means[c * g.d..]).for_each(|(s, mean)| *s -= totals[c] * mean);
        }
        gradient[g.means()].copy_from_slice(&d_means);
    }
    let d_f = mul(means, g.d, &slopes, g.c);
    if g.m == 0 {
        gradient[g.projection()].copy_from_slice(&mul_nt(&d_f, g.p, x, g.n));
        // With free class points an offset would say the same twice.
        if g.unit {
            gradient[g.offsets()].copy_from_slice(&row_sums(&d_f, g.d));
        }
        return (gradient, d_f);
    }
    gradient[g.readout()].copy_from_slice(&mul_nt(&d_f, g.d, &k, g.m));
    if g.unit {
        // With free class points a bias would say the same twice.
        gradient[g.bias()].copy_from_slice(&row_sums(&d_f, g.d));
    }
    // ∂/∂D = −γ ∂/∂K ∘ K, and log γ scales all of D.
    let gamma = exp(theta[g.width()]);
    let mut d_distances = mul_tn(&theta[g.readout()], &d_f, g.d);
    d_distances.iter_mut().zip(&k).for_each(|(s, k)| *s *= -gamma * k);
    gradient[g.width()] = d_distances.iter().zip(&distances).map(|(s, d)| s * d).sum();

    // ∂D_ji/∂u_i = 2(u_i − z_j) = −∂D_ji/∂z_j.
    let centers = &theta[g.centers()];
    let mut d_u = mul(centers, g.p, &d_distances, g.m);
    for ((column, u), slopes) in d_u.chunks_mut(g.p).zip(u.chunks(g.p)).zip(d_distances.chunks(g.m)) {
        let total: f32 = slopes.iter().sum();
        column.iter_mut().zip(u).for_each(|(s, u)| *s = 2.0 * (total * u - *s));
    }
    let mut d_centers = mul_nt(&u, g.p, &d_distances, g.m);
    let totals = row_sums(&d_distances, g.m);
    for (j, column) in d_centers.chunks_mut(g.p).enumerate() {
        column.iter_mut().zip(&centers[j * g.p..]).for_each(|(s, z)| *s = 2.0 * (totals[j] * z - *s));
    }
    gradient[g.centers()].copy_from_slice(&d_centers);
    if g.learned.is_some() {
        gradient[g.steps().start + g.p] = d_u.iter().zip(&rounded.by_step).map(|(s, by)| s * by).sum();
    }
    d_u.iter_mut().zip(&rounded.clipped).filter(|(_, clipped)| **clipped).for_each(|(s, _)| *s = 0.0);
    gradient[g.projection()].copy_from_slice(&mul_nt(&d_u, g.p, x, g.n));
    gradient[g.offsets()].copy_from_slice(&row_sums(&d_u, g.p));
    (gradient, d_u)
}

/// Cross-entropy of all columns; the logits become its slopes.
#[inline(always)]
fn softmax_loss(logits: &mut [f32], labels: &[usize], classes: usize, smoothing: f32) -> f64 {
    let mut loss = 0.0;
    let rest = smoothing / classes as f32;
    for (column, &label) in logits.chunks_mut(classes).zip(labels) {
        let most = column.iter().copied().fold(f32::MIN, f32::max);
        let total: f32 = column.iter().map(|l| exp(l - most)).sum();
        let norm = most + libm::logf(total);
        for (c, logit) in column.iter_mut().enumerate() {
            let target = if c == label { 1.0 - smoothing + rest } else { rest };
            loss += f64::from(target * (norm - *logit));
            *logit = exp(*logit - norm) - target;
        }
    }
    loss
}

#[inline(always)]
fn add_to_columns(values: &mut [f32], shift: &[f32]) {
    for column in values.chunks_mut(shift.len()) {
        column.iter_mut().zip(shift).for_each(|(v, s)| *v += s);
    }
}

#[inline(always)]
fn squared_norms(values: &[f32], rows: usize) -> Vec<f32> {
    values.chunks(rows).map(|column| column.iter().map(|v| v * v).sum()).collect()
}

#[inline(always)]
fn row_sums(values: &[f32], rows: usize) -> Vec<f32> {
    let mut sums = vec![0.0; rows];
    for column in values.chunks(rows) {
        sums.iter_mut().zip(column).for_each(|(sum, v)| *sum += v);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::search::train::fake_quant::InputGrid;

    /// The largest gap between gradient and central differences, relative to the largest slope.
    fn worst_gap(m: usize, d: usize) -> f32 {
        let g = Groups { n: 5, p: if m == 0 { d } else { 3 }, m, d, c: 4, unit: d == 4, learned: None };
        let mut rng = Rng::new(d as u64);
        let mut theta: Vec<f32> = (0..g.len()).map(|_| 0.6 * rng.normal() as f32).collect();
        theta[g.width()] = -1.0;
        let x: Vec<f32> = (0..5 * 9).map(|_| rng.normal() as f32).collect();
        let labels: Vec<usize> = (0..9).map(|i| i % 4).collect();
        let at = Effective::exact;
        let loss = |theta: &[f32]| loss(&g, &at(theta), &x, &labels, 0.1);
        let found = gradient(&g, &at(&theta), &x, &labels, 0.1);
        let largest = found.iter().fold(0.0_f32, |a, v| a.max(v.abs()));
        let fixed = |i: &usize| match (g.unit, m) {
            (true, 0) => *i >= g.width(),
            (true, _) => g.means().contains(i),
            (false, 0) => g.offsets().contains(i) || (g.width()..g.means().start).contains(i),
            (false, _) => g.bias().contains(i),
        };
        let mut worst = 0.0_f32;
        for i in (0..g.len()).filter(|i| !fixed(i)) {
            let step = 5e-3;
            let (mut up, mut down) = (theta.clone(), theta.clone());
            up[i] += step;
            down[i] -= step;
            let slope = ((loss(&up) - loss(&down)) / (2.0 * f64::from(step))) as f32;
            worst = worst.max((slope - found[i]).abs() / largest);
        }
        assert!((0..g.len()).filter(fixed).all(|i| found[i] == 0.0), "what stays has no gradient");
        worst
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for (m, d) in [(7, 4), (7, 2), (0, 4), (0, 3)] {
            let worst = worst_gap(m, d);
            assert!(worst < 2e-3, "{m} centers, dim {d}: {worst}");
        }
    }

    #[test]
    fn a_value_that_is_clipped_passes_no_gradient() {
        let g = Groups { n: 2, p: 2, m: 3, d: 2, c: 2, unit: true, learned: None };
        let mut rng = Rng::new(1);
        let theta: Vec<f32> = (0..g.len()).map(|_| 0.5 * rng.normal() as f32).collect();
        let found = gradient(&g, &Effective::quantized(&g, &theta, &InputGrid::bytes(2)), &[1e3, 1e3], &[0], 0.0);
        assert!(found[g.projection()].iter().all(|s| *s == 0.0));
    }
}
