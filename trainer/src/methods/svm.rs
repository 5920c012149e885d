//! SVM: a maximal margin between each class and the others.
//!
//! # Idea
//! The classifier that papers on embeddings are measured against (Cortes and Vapnik 1995). One machine per class, that class
//! against the rest; the largest decision value wins.
//!
//! # Steps
//! 1. The kernel matrix of all rows, shared by the machines.
//! 2. [`smo::solve`] for every class: `min ½αᵀQα − Σα` under `0 ≤ α ≤ C` and `Σ y_i α_i = 0`, with `Q_ij = y_i y_j K_ij`.
//! 3. Rows that no machine supports are left out. `z_c = Σ_i y_i α_i k(x_i, x) − ρ_c`, and the class means are unit vectors:
//!    `‖z − e_c‖² = ‖z‖² − 2z_c + 1`, so that the nearest one is the largest decision value.
//!
//! # Model shape
//! Kernel expansion with a bias, whose centers are the support vectors of all classes.
//!
//! # Why not a crate
//! linfa-svm, the maintained one, decides between two classes and makes a kernel matrix per class; rust-ml/linfa#308, open
//! since 2023, reports that 10 000 rows do not end within two hours. smartcore takes two classes too, and the bindings to
//! libsvm compile C++. The solver is 120 lines and shares one kernel matrix.
//!
//! # Where we differ from libsvm
//! One machine per class rather than per pair of classes: a device has one readout, not a vote.

mod smo;

use super::{Checked, Dataset, FitError, Fitted, MethodEntry, MethodParams, Run, SettingsParser};
use crate::error::ParamError;
use crate::kernel::{KernelChoice, Sigma};
use crate::linalg::{Mat, mirror_lower, mul};
use crate::memory::matrices;
use crate::model::map::{Basis, Map};
use crate::parallel;

/// Parameters of the SVM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The kernel; by default Gaussian with `σ = σ̄`.
    pub kernel: KernelChoice,
    /// `C`, the largest weight of a row; by default 10.
    pub cost: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { kernel: KernelChoice::Gaussian(Sigma::Mean), cost: 10.0 }
    }
}

/// Support vector machines, one class against the rest.
pub type Svm = Checked<Params>;

pub(super) const SVM: MethodEntry =
    MethodEntry::of::<Params>("svm", "support vector machines, each class against the rest");

impl MethodParams for Params {
    fn name(&self) -> &'static str {
        SVM.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.kernel(&mut self.kernel);
        settings.not_negative("c", &mut self.cost);
        settings.check(ParamError::positive("c", self.cost));
    }

    fn memory(&self, rows: usize) -> u64 {
        matrices(1, rows)
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        let threads = run.thread_count();
        data.require_classes(1)?;
        if data.rows().column_iter().all(|column| column.iter().all(|value| *value == column[0])) {
            return Err(FitError::AllRowsEqual { rows: data.len() });
        }
        run.step("kernel matrix", 0, 1)?;
        let (kernel, mut k) = self.kernel.resolve_with_gram(data.rows(), threads)?;
        mirror_lower(&mut k);
        run.step("margins", 0, data.classes())?;
        let machines = parallel::map(threads, data.classes(), |class| {
            let signs: Vec<f64> = data.labels().iter().map(|&label| if label == class { 1.0 } else { -1.0 }).collect();
            smo::solve(&k, &signs, self.cost, run)
        });
        let machines = machines.into_iter().collect::<Result<Vec<_>, _>>()?;
        let open = machines.iter().filter(|machine| !machine.settled).count();
        let supports: Vec<usize> =
            (0..data.len()).filter(|&row| machines.iter().any(|machine| machine.weights[row] != 0.0)).collect();
        let all = Mat::from_fn(data.len(), machines.len(), |row, class| machines[class].weights[row]);
        let weights = all.select_rows(&supports);
        let bias: Vec<f64> = machines.iter().map(|machine| -machine.offset).collect();
        let centers = data.rows().select_rows(&supports);
        let mut embedding = mul(&k, &all, threads);
        for (mut column, bias) in embedding.column_iter_mut().zip(&bias) {
            column.add_scalar_mut(*bias);
        }
        let map = Map::mapped_with_bias(Basis::Centers { kernel, centers }, weights, bias);
        let notes =
            (open > 0).then(|| format!("{open} of {} margins not settled; scale the rows or lower c", machines.len()));
        Ok(Fitted::new(data, map, embedding).with_class_axes().with_exemplars(supports).with_notes(notes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::synthetic::{blobs, moons};
    use crate::methods::Method;

    #[test]
    fn the_largest_decision_value_wins() -> Result<(), Box<dyn std::error::Error>> {
        let (data, new) = (blobs(4, 30, 6, 0.7, 0), blobs(4, 50, 6, 0.7, 0));
        let fitted = Svm::default().fit(&data)?;
        let z = fitted.embed(new.rows())?;
        let largest: Vec<usize> = z.row_iter().map(|row| row.transpose().imax()).collect();
        assert_eq!(fitted.classify(new.rows())?, largest);
        assert!(fitted.exemplars().len() < data.len(), "only support vectors are kept");
        Ok(())
    }

    #[test]
    fn moons_are_separated_and_a_line_is_not_enough() -> Result<(), Box<dyn std::error::Error>> {
        let (data, new) = (moons(80, 0.1, 0), moons(100, 0.1, 1));
        let accuracy = |kernel| -> Result<f64, Box<dyn std::error::Error>> {
            Ok(Svm::new(Params { kernel, cost: 10.0 })?.fit(&data)?.accuracy(&new)?)
        };
        let (curved, straight) =
            (accuracy(KernelChoice::Gaussian(Sigma::Factor(0.3)))?, accuracy(KernelChoice::Linear)?);
        assert!(curved > 0.98 && straight < 0.95, "{curved} {straight}");
        Ok(())
    }

    #[test]
    fn a_cost_of_zero_is_refused() {
        let error = Svm::new(Params { cost: 0.0, ..Params::default() }).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("c must be more than zero, got 0"));
    }
}
