//! CMVCA and CMVDA on 1000 rows of MNIST.

use super::bench::Bench;
use super::report::Report;
use super::table::{Line, Table, curve_figure};
use super::{Experiment, ReproError, Source};
use crate::dataset::Dataset;
use crate::evaluate::compare::Protocol;
use crate::evaluate::compare::curves::Quantity;

const DIGITS: Source = Source {
    path: "mnist/mnist.npz",
    content: "arrays X_train (60000x784), y_train, X_test (10000x784) and y_test as u8, rows in the order of the original",
    from: "LeCun, Bottou, Bengio and Haffner 1998, http://yann.lecun.com/exdb/mnist",
};

pub(super) const MNIST100: Experiment = Experiment {
    name: "mnist100",
    title: "CMVCA, CMVDA and their siblings on MNIST, 100 images per digit",
    paper: "Iosifidis, class mean vector component and discriminant analysis",
    protocol: "The first 100 training images of every digit in file order, pixels scaled to 0..1, Gaussian kernel with the \
        mean distance of the rows as its width, no ridge, all axes; the nearest class mean names the class of all 10 000 \
        test images. There is one split, so the standard error is that of a share of 10 000 independent rows. The last line \
        has our defaults: narrower kernel, ridge 0.01. Accuracies in percent, through the runtime, as a device would answer.",
    sources: &[DIGITS],
    measure,
};

const LINES: &[Line] = &[
    Line { what: "kPCA", entry: "kpca:sigma=mean:dim=all", paper: &[78.07] },
    Line { what: "kECA", entry: "keca:sigma=mean:dim=all", paper: &[78.08] },
    Line { what: "CMVCA", entry: "cmvca:sigma=mean:dim=all", paper: &[78.08] },
    Line { what: "KDA", entry: "kda:sigma=mean:ridge=0", paper: &[90.63] },
    Line { what: "CMVDA", entry: "cmvda:sigma=mean:ridge=0", paper: &[91.28] },
    Line { what: "CMVDA with our defaults", entry: "cmvda", paper: &[] },
];

/// Training images per digit.
const COUNT: usize = 100;

fn measure(bench: &Bench<'_>) -> Result<Report, ReproError> {
    let all = bench.part(DIGITS, ":train")?;
    let train = first_of_each_class(&all, COUNT);
    let protocol = Protocol::Fixed(bench.part(DIGITS, ":test")?);
    let table = Table { lines: LINES, shared: "scale=range:head=mean", quantity: Quantity::Accuracy, seed: 0 };
    let mut report = Report::default();
    table.rows(bench, &train, (0, "", &protocol), &mut report)?;
    let names = ["kPCA", "kECA", "CMVCA", "KDA", "CMVDA"];
    let found = table.curves(bench, &train, &names, 1..=100, &protocol)?;
    report.notes.extend(found.notes());
    let caption = "Rayleigh quotient of the training rows against the number of dimensions, MNIST-100 (figure 2)";
    report.figures.push(curve_figure("rayleigh-by-dimension", caption, &found, Quantity::Rayleigh)?);
    let caption = "Accuracy against the number of dimensions, MNIST-100";
    report.figures.push(curve_figure("accuracy-by-dimension", caption, &found, Quantity::Accuracy)?);
    Ok(report)
}

/// The first rows of every class in file order.
fn first_of_each_class(data: &Dataset, count: usize) -> Dataset {
    let mut rows: Vec<usize> = data.class_rows().iter().flat_map(|rows| rows.iter().take(count).copied()).collect();
    rows.sort_unstable();
    data.select(&rows)
}
