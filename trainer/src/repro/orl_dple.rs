//! DPLE and KDPLE on ORL.

use super::bench::Bench;
use super::orl_nsse::{FACES, LABELS};
use super::report::Report;
use super::table::{Line, Table, curve_figure};
use super::{Experiment, ReproError};
use crate::evaluate::compare::Protocol;
use crate::evaluate::compare::curves::Quantity;

pub(super) const ORL_DPLE: Experiment = Experiment {
    name: "orl-dple",
    title: "DPLE, KDPLE and their comparison systems on ORL",
    paper: "Bozas and Izquierdo, discriminant pairwise local embeddings",
    protocol: "Faces of 40 people, ten each, 28x23 pixels scaled to 0..1; principal axes that hold 98 % of the variance of \
        the training rows; 5-fold cross-validation, 5 times (seeds 0 to 4); the class is that of the nearest training face \
        in the embedding (1-NN). DPLE has k = 20, gamma = 100 and 23 axes, as in the paper; KDPLE k = 20, shifted axes, \
        ridge 0.01 and 23 axes; the others have their defaults. Accuracies in percent with their standard error over the \
        folds, through the runtime, as a device would answer.",
    sources: &[FACES, LABELS],
    measure,
};

const LINES: &[Line] = &[
    Line { what: "NN", entry: "knn", paper: &[97.5] },
    Line { what: "PCA", entry: "pca", paper: &[98.0] },
    Line { what: "LDA", entry: "lda", paper: &[98.0] },
    Line { what: "LPP", entry: "lpp", paper: &[96.25] },
    Line { what: "LFDA", entry: "lfda", paper: &[98.5] },
    Line { what: "LDE", entry: "lde", paper: &[98.5] },
    Line { what: "DPLE", entry: "dple:dim=23:k=20:balance=100", paper: &[99.0] },
    Line { what: "KDPLE", entry: "kdple:dim=23:k=20:axis_shift=2:ridge=0.01:axis_scale=shifted", paper: &[99.25] },
];

/// Dimensions of the paper's curve.
const DIMS: std::ops::RangeInclusive<usize> = 1..=60;

fn measure(bench: &Bench<'_>) -> Result<Report, ReproError> {
    let data = bench.arrays(FACES, LABELS)?;
    let shared = "scale=range:pca=0.98:head=knn:1";
    let table = Table { lines: LINES, shared, quantity: Quantity::Accuracy, seed: 0 };
    let protocol = Protocol::Folds { k: 5, repeats: bench.repeats(5) };
    let mut report = Report::default();
    table.rows(bench, &data, (0, "", &protocol), &mut report)?;
    let names: Vec<&str> = LINES.iter().map(|line| line.what).collect();
    let found = table.curves(bench, &data, &names, DIMS, &protocol)?;
    report.notes.extend(found.notes());
    let best = |curve: &crate::evaluate::compare::curves::Curve| {
        let point = curve.best().filter(|_| !curve.fixed)?;
        let (mean, error) = Quantity::Accuracy.of(point);
        let error = error.unwrap_or(0.0);
        Some(format!("{} is best with {} axes: {mean:.2} ± {error:.2} % (chosen on test rows)", curve.name, point.dim))
    };
    report.notes.extend(found.curves.iter().filter_map(best));
    let caption = "Accuracy against the number of dimensions on ORL";
    report.figures.push(curve_figure("accuracy-by-dimension", caption, &found, Quantity::Accuracy)?);
    Ok(report)
}
