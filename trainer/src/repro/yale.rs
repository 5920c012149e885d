//! NSSE on faces under extreme illumination, for those who have them.

use super::bench::Bench;
use super::orl_nsse::{SEED, nsse_tables};
use super::report::Report;
use super::table::trace_figure;
use super::{Experiment, ReproError, Source};
use crate::dataset::split;

const FROM: &str = "Georghiades, Belhumeur and Kriegman 2001, extended Yale face database B, \
    http://vision.ucsd.edu/~leekc/ExtYaleDatabase/ExtYaleB.html; cropped faces, resized, one per row";
const FACES: Source = Source { path: "yale/X.npy", content: "faces as gray pixels, one per row", from: FROM };
const LABELS: Source = Source { path: "yale/y.npy", content: "the person of every face", from: FROM };

pub(super) const YALE: Experiment = Experiment {
    name: "yale",
    title: "NSSE and its comparison systems on faces under extreme illumination",
    paper: "Örnek and Vural 2018, nonlinear supervised smooth embedding",
    protocol: "Faces of the extended Yale database B (38 people, about 64 illuminations each), pixels scaled to 0..1. Of \
        every person t = 10 or 20 random faces train and all others test; 30 splits, seeds 10 to 39. Every method has its \
        defaults; the class is that of the nearest training face in the embedding (1-NN). Errors in percent, through the \
        runtime, as a device would answer.",
    sources: &[FACES, LABELS],
    measure,
};

fn measure(bench: &Bench<'_>) -> Result<Report, ReproError> {
    let data = bench.arrays(FACES, LABELS)?;
    let mut report = nsse_tables(bench, &data, &[], &[10, 20])?;
    let note = "the paper's figures are left out: without the data we could not check the protocol behind them";
    report.notes.push(note.to_owned());
    let (train, test) = split::per_class(&data, 10, SEED)?.apply(&data);
    let caption = "NSSE on illuminated faces, 10 per person: objective, width and error per round (figure 3)";
    report.figures.push(trace_figure(bench, caption, "nsse:scale=range:head=knn:1", (&train, &test))?);
    Ok(report)
}
