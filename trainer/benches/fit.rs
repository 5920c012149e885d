//! Fitting time by rows and columns, on seeded toy rows: `cargo bench -p nearmark-train --bench fit`.

use nearmark_train::dataset::synthetic::blobs;
use nearmark_train::kernel::{Kernel, gram};
use nearmark_train::linalg::{sym_eig, top_eig};
use nearmark_train::methods::{Method, Registry, Settings};
use nearmark_train::{Dataset, Run};

fn main() {
    divan::main();
}

fn rows(count: usize, width: usize) -> Dataset {
    blobs(10, count / 10, width, 1.5, 0)
}

/// Every method with its defaults, 500 rows of 64 values in 10 classes, one thread.
#[divan::bench(args = names(), sample_count = 3)]
fn method(bencher: divan::Bencher<'_, '_>, name: &str) {
    let data = rows(500, 64);
    let Ok(method) = Registry::default().find(name).and_then(|entry| entry.build(&Settings::new(), 0)) else { return };
    bencher.bench(|| method.fit_with(&data, &Run::default().threads(1)));
}

fn names() -> Vec<&'static str> {
    Registry::default().names().collect()
}

/// Default CMVDA by number of rows, 256 columns, one thread.
#[divan::bench(args = [250, 500, 1000, 2000], sample_count = 3)]
fn cmvda_rows(bencher: divan::Bencher<'_, '_>, count: usize) {
    let data = rows(count, 256);
    let method = nearmark_train::methods::cmvda::Cmvda::default();
    bencher.bench(|| method.fit_with(&data, &Run::default().threads(1)));
}

/// The pieces: a kernel matrix, all of its eigenpairs, the top twenty.
#[divan::bench(args = [500, 1000], sample_count = 3)]
fn gaussian_gram(bencher: divan::Bencher<'_, '_>, count: usize) {
    let data = rows(count, 784);
    bencher.bench(|| gram(Kernel::Gaussian { gamma: 0.5 }, data.rows(), 1));
}

#[divan::bench(args = [500, 1000], sample_count = 3)]
fn all_eigenpairs(bencher: divan::Bencher<'_, '_>, count: usize) {
    let k = gram(Kernel::Gaussian { gamma: 0.5 }, rows(count, 64).rows(), 1);
    bencher.bench(|| sym_eig(&k));
}

#[divan::bench(args = [500, 1000], sample_count = 3)]
fn top_eigenpairs(bencher: divan::Bencher<'_, '_>, count: usize) {
    let k = gram(Kernel::Gaussian { gamma: 0.5 }, rows(count, 64).rows(), 1);
    bencher.bench(|| top_eig(&k, 20, 1));
}
