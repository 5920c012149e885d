//! How far single precision may move an embedding: a first-order bound, row by row and axis by axis.
//!
//! Every stored number and every sum is off by about `ε` times the terms that go into it. Following those
//! terms through projection, feature map and readout gives, in units of `ε`, what rounding can do to this very row:
//! little where a method is well conditioned, much where large weights cancel. A fixed tolerance would be too
//! strict for the one and blind for the other.

use nearmark_format::{FeatureMap, Kernel, ModelBuf, Scale, Tensor, seed::Row};
use nearmark_train::linalg::Mat;

/// Rows on their way through the model: values, and their uncertainty in units of `ε`.
struct Flow {
    values: Mat,
    slack: Mat,
}

/// The uncertainty of every coordinate of the model's embedding, in units of `ε`; `rows` come behind window
/// statistics, pooling and unit length, which are `slack` uncertain themselves.
pub(crate) fn slack(model: &ModelBuf, rows: &Mat, slack: f64) -> Mat {
    let mut flow = Flow { values: rows.clone(), slack: rows.abs() * slack };
    match &model.scale {
        Scale::Uniform { mul, add } => flow.scale(|_| (f64::from(*mul), f64::from(*add))),
        Scale::Features { mul, add } => flow.scale(|j| (f64::from(mul[j]), f64::from(add[j]))),
        _ => {}
    }
    if let Some(p) = &model.project {
        let bias = if p.bias.is_empty() { vec![0.0; p.outputs] } else { p.bias.clone() };
        flow = flow.product(&mat(&p.values, p.outputs).transpose(), &bias);
    }
    flow = match &model.feature_map {
        FeatureMap::None => flow,
        FeatureMap::Centers { kernel, values } => {
            let width = flow.values.ncols();
            flow.centers(*kernel, &mat(values, values.len() / width))
        }
        FeatureMap::Random { gamma, weights, phases, .. } => {
            flow.cosines(&(mat(weights, phases.len()).transpose() * f64::from(*gamma)), phases)
        }
        FeatureMap::Seeded { gamma, count, seed, law } => {
            let (mut weights, mut phases) = (Mat::zeros(flow.values.ncols(), *count as usize), Vec::new());
            for (row, mut column) in (0..*count).zip(weights.column_iter_mut()) {
                let mut row = Row::new(*seed as u32, (*seed >> 32) as u32, row, *law);
                column.iter_mut().for_each(|w| *w = f64::from(row.weight() as f32 * gamma));
                phases.push((row.phase() >> 8) as f32 / 16_777_216.0);
            }
            flow.cosines(&weights, &phases)
        }
    };
    if let Some(readout) = &model.readout {
        let bias = if readout.bias.is_empty() { vec![0.0; model.dim] } else { readout.bias.clone() };
        let inputs = flow.values.ncols();
        flow = flow.product(&mat(&readout.weights, inputs), &bias);
    }
    flow.slack
}

impl Flow {
    fn scale(&mut self, by: impl Fn(usize) -> (f64, f64)) {
        for (j, (mut values, mut slack)) in self.values.column_iter_mut().zip(self.slack.column_iter_mut()).enumerate()
        {
            let (mul, add) = by(j);
            for (value, slack) in values.iter_mut().zip(slack.iter_mut()) {
                *slack = (*slack + value.abs()) * mul.abs() + add.abs();
                *value = *value * mul + add;
            }
        }
    }

    /// `x W + b`: each term is off by its own size.
    fn product(self, weights: &Mat, bias: &[f32]) -> Self {
        let (mut values, mut slack) = (&self.values * weights, (self.slack + self.values.abs()) * weights.abs());
        for (j, b) in bias.iter().enumerate() {
            values.column_mut(j).add_scalar_mut(f64::from(*b));
            slack.column_mut(j).add_scalar_mut(f64::from(b.abs()));
        }
        Self { values, slack }
    }

    /// `cos 2π(x W + phase)`; `|d cos 2πt| ≤ 2π |dt|`.
    fn cosines(self, weights: &Mat, phases: &[f32]) -> Self {
        let turns = self.product(weights, phases);
        let values = turns.values.map(|t| (t * std::f64::consts::TAU).cos());
        Self { values, slack: turns.slack * std::f64::consts::TAU }
    }

    fn centers(&self, kernel: Kernel, centers: &Mat) -> Self {
        let shape = (self.values.nrows(), centers.nrows());
        let (mut values, mut slack) = (Mat::zeros(shape.0, shape.1), Mat::zeros(shape.0, shape.1));
        // Rows become columns, which lie in one piece.
        let (x, e, c) = (self.values.transpose(), self.slack.transpose(), centers.transpose());
        for i in 0..shape.0 {
            for m in 0..shape.1 {
                let terms = x.column(i).into_iter().zip(e.column(i)).zip(c.column(m));
                let terms = terms.map(|((x, e), c)| (*x, *e, *c));
                (values[(i, m)], slack[(i, m)]) = value(kernel, terms);
            }
        }
        Self { values, slack }
    }
}

/// A kernel value and its uncertainty, from pairs of coordinates and the uncertainty of the first.
fn value(kernel: Kernel, terms: impl Iterator<Item = (f64, f64, f64)>) -> (f64, f64) {
    let (mut sum, mut off) = (0.0, 0.0);
    match kernel {
        Kernel::Gaussian { gamma } => {
            for (x, e, c) in terms {
                let gap = (x - c).abs();
                sum += gap * gap;
                off += gap * (gap + 2.0 * (e + c.abs()));
            }
            let k = (-f64::from(gamma) * sum).exp();
            (k, k * f64::from(gamma) * off)
        }
        Kernel::Laplacian { gamma } => {
            for (x, e, c) in terms {
                sum += (x - c).abs();
                off += (x - c).abs() + e + c.abs();
            }
            let k = (-f64::from(gamma) * sum).exp();
            (k, k * f64::from(gamma) * off)
        }
        Kernel::Polynomial { gamma, offset, degree } => {
            let (gamma, offset) = (f64::from(gamma), f64::from(offset));
            for (x, e, c) in terms {
                sum += x * c;
                off += (2.0 * x.abs() + e) * c.abs();
            }
            let base = gamma * sum + offset;
            let slope = f64::from(degree) * base.abs().powi(i32::from(degree) - 1);
            (base.powi(degree.into()), slope * (gamma * off + offset))
        }
    }
}

fn mat(values: &Tensor, rows: usize) -> Mat {
    let Tensor::F32(values) = values else { panic!("parity is about the F32 profile") };
    Mat::from_row_iterator(rows, values.len() / rows, values.iter().map(|v| f64::from(*v)))
}
