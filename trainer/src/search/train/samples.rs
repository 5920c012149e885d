//! Training rows as training reads them.

use crate::dataset::Dataset;
use crate::linalg::Mat;
use crate::rng::Rng;
use crate::search::train::images::Shifts;

/// Prepared rows as f32, one after the other, with their classes; images can be shifted.
#[derive(Debug, Clone)]
pub(in crate::search) struct Samples {
    values: Vec<f32>,
    width: usize,
    labels: Vec<usize>,
    /// For rows that are images.
    pub(in crate::search) shifts: Option<Shifts>,
}

impl Samples {
    pub(in crate::search) fn new(prepared: &Dataset) -> Self {
        let (values, labels) = (row_by_row(prepared.rows()), prepared.labels().to_vec());
        Self { values, width: prepared.width(), labels, shifts: None }
    }

    pub(in crate::search) fn label(&self, i: usize) -> usize {
        self.labels[i]
    }

    pub(in crate::search) fn gather(&self, rows: &[usize]) -> Vec<f32> {
        let mut values = Vec::with_capacity(rows.len() * self.width);
        for &i in rows {
            values.extend_from_slice(&self.values[i * self.width..(i + 1) * self.width]);
        }
        values
    }

    /// The same with every image shifted at random by up to `reach` pixels in either direction.
    pub(in crate::search) fn gather_shifted(&self, rows: &[usize], reach: usize, rng: &mut Rng) -> Vec<f32> {
        let Some(shifts) = self.shifts.as_ref().filter(|_| reach > 0) else { return self.gather(rows) };
        let mut values = vec![0.0; rows.len() * self.width];
        for (row, out) in rows.iter().zip(values.chunks_mut(self.width)) {
            let mut step = || rng.below(2 * reach + 1) as isize - reach as isize;
            let (down, right) = (step(), step());
            shifts.write(*row, down, right, out);
        }
        values
    }

    pub(in crate::search) fn variances(&self, rows: &[usize]) -> Vec<f32> {
        let (mut sums, mut squares) = (vec![0.0_f64; self.width], vec![0.0_f64; self.width]);
        for &i in rows {
            let row = self.values[i * self.width..(i + 1) * self.width].iter();
            for ((v, sum), square) in row.zip(&mut sums).zip(&mut squares) {
                *sum += f64::from(*v);
                *square += f64::from(*v) * f64::from(*v);
            }
        }
        let count = rows.len().max(1) as f64;
        sums.iter().zip(&squares).map(|(s, q)| (q / count - (s / count) * (s / count)).max(0.0) as f32).collect()
    }
}

/// Values one row after the other. Transposing in f64 would be a second copy of rows that may be most of the memory.
pub(super) fn row_by_row(rows: &Mat) -> Vec<f32> {
    let mut values = vec![0.0; rows.len()];
    for (j, column) in rows.column_iter().enumerate() {
        values.iter_mut().skip(j).step_by(rows.ncols()).zip(column.iter()).for_each(|(to, from)| *to = *from as f32);
    }
    values
}
