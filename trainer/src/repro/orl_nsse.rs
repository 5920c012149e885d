//! NSSE on ORL.

use super::bench::Bench;
use super::report::Report;
use super::table::{Line, Table, trace_figure};
use super::{Experiment, ReproError, Source};
use crate::dataset::{Dataset, split};
use crate::evaluate::compare::Protocol;
use crate::evaluate::compare::curves::Quantity;

pub(super) const FROM: &str =
    "Samaria and Harter 1994, AT&T Laboratories Cambridge, https://cam-orl.co.uk/facedatabase.html";
pub(super) const FACES: Source =
    Source { path: "orl/X_28x23.npy", content: "400 faces of 28x23 pixels as u8", from: FROM };
pub(super) const LABELS: Source = Source { path: "orl/y.npy", content: "400 labels, 0 to 39", from: FROM };

pub(super) const ORL_NSSE: Experiment = Experiment {
    name: "orl-nsse",
    title: "NSSE and its comparison systems on ORL",
    paper: "Örnek and Vural 2018, nonlinear supervised smooth embedding",
    protocol: "Faces of 40 people, ten each, 28x23 pixels (the paper: 25x25) scaled to 0..1. Of every person t = 2, 3 or 5 \
        random faces train and all others test; 30 splits, seeds 10 to 39, on which no default was chosen (the paper: 20 \
        splits). NSSE has its defaults; the class is that of the nearest training face in the embedding (1-NN). Errors in \
        percent, through the runtime, as a device would answer.",
    sources: &[FACES, LABELS],
    measure,
};

/// Defaults were chosen on seeds 0 to 9.
pub(super) const SEED: u64 = 10;
const REPEATS: usize = 30;
const COUNTS: [usize; 3] = [2, 3, 5];

fn measure(bench: &Bench<'_>) -> Result<Report, ReproError> {
    let data = bench.arrays(FACES, LABELS)?;
    let mut report = nsse_tables(bench, &data, &[14.11, 8.00, 3.90], &COUNTS)?;
    let (train, test) = split::per_class(&data, 5, SEED)?.apply(&data);
    let caption = "NSSE on ORL, 5 faces per person: objective, width and error per round (figure 3)";
    report.figures.push(trace_figure(bench, caption, "nsse:scale=range:head=knn:1", (&train, &test))?);
    Ok(report)
}

/// What the NSSE paper calls the systems it compares, and their entries; NSSE itself is the first.
const SYSTEMS: [(&str, &str); 10] = [
    ("NSSE", "nsse"),
    ("SUPLAP + RBF", "suplap"),
    ("SVM", "svm"),
    ("NYS", "nys"),
    ("SPE", "spe"),
    ("IsoKRR", "isokrr"),
    ("MReg", "mreg"),
    ("1-NN on pixels", "knn"),
    ("LDA", "lda"),
    ("CMVDA (not in the paper)", "cmvda"),
];

/// The tables of the NSSE paper: errors by the number of training rows per class, `paper` those it reports of NSSE.
pub(super) fn nsse_tables(
    bench: &Bench<'_>,
    data: &Dataset,
    paper: &'static [f64],
    counts: &[usize],
) -> Result<Report, ReproError> {
    let lines = SYSTEMS.map(|(what, entry)| Line { what, entry, paper: if entry == "nsse" { paper } else { &[] } });
    let table = Table { lines: &lines, shared: "scale=range:head=knn:1", quantity: Quantity::Error, seed: SEED };
    let mut report = Report::default();
    for (column, &count) in counts.iter().enumerate() {
        let protocol = Protocol::PerClass { count, repeats: bench.repeats(REPEATS) };
        table.rows(bench, data, (column, &format!(", {count} per class"), &protocol), &mut report)?;
    }
    Ok(report)
}
