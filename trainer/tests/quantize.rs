//! Integers against floats on real data (set `NEARMARK_DATA`): the same compact model, label by label.
#![allow(missing_docs)]

mod support;

use nearmark_format::ModelBuf;
use nearmark_train::compile::Export;
use nearmark_train::compile::quantize::{Options, ReadoutWidth, quantize};
use nearmark_train::dataset::split::Split;
use nearmark_train::methods::cmvda::{Cmvda, Params};
use nearmark_train::methods::features::FeatureChoice;
use nearmark_train::methods::lda::Lda;
use nearmark_train::preprocess::{Components, Pool};
use nearmark_train::{Dataset, Pipeline};
use std::path::Path;
use support::{Outcome, data_folder, npy, npz};

/// Rows to fit and quantize on, and others to compare labels on.
struct Set {
    name: &'static str,
    train: Dataset,
    test: Dataset,
    pool: Option<Pool>,
}

impl Set {
    /// A Nyström model on principal axes.
    fn compact(&self, axes: usize, landmarks: usize) -> Outcome<ModelBuf> {
        let method = Cmvda::new(Params { features: FeatureChoice::Nystrom(landmarks), ..Params::default() })?;
        let pipeline = Pipeline { pool: self.pool, pca: Some(Components::Count(axes)), ..Pipeline::new(&method) };
        exported(&pipeline, &self.train)
    }

    /// Quantizes and prints a line of the table; the share of labels kept must reach `reach`.
    fn check(&self, what: &str, model: &ModelBuf, bytes: usize, readout: ReadoutWidth, reach: f64) -> Outcome {
        let quantized = quantize(model, self.train.rows(), Options { readout, ..Options::default() })?;
        let found = quantized.compare(model, &self.test)?;
        let percent = |count: usize| 100.0 * count as f64 / found.rows as f64;
        eprintln!(
            "| {} | {what} | {} | {} | {:.2} | {:.2} | {:.2} |",
            self.name,
            quantized.report.bytes.1,
            quantized.report.readout.map_or("–", nearmark_format::Num::name),
            percent(found.correct_f32),
            percent(found.correct_int),
            percent(found.agreed),
        );
        eprintln!("  {}", quantized.report);
        assert!(quantized.report.bytes.1 <= bytes, "{}, {what}: {} bytes", self.name, quantized.report.bytes.1);
        assert!(found.agreement() >= reach, "{}, {what}: {}", self.name, found.agreement());
        Ok(())
    }
}

fn exported(pipeline: &Pipeline<'_>, train: &Dataset) -> Outcome<ModelBuf> {
    Ok(Export { exemplars: false, ..Export::default() }.model(&pipeline.fit(train)?)?.model)
}

/// scikit-learn's 70/30 split, of which `data/digits/split.py` wrote the test rows.
fn digits(folder: &Path) -> Outcome<Set> {
    let data = npy(folder, "digits8x8", "X", "y")?;
    let test: Vec<usize> =
        include_str!("../data/digits/split.txt").lines().map(str::parse).collect::<Result<_, _>>()?;
    let train = (0..data.len()).filter(|row| test.binary_search(row).is_err()).collect();
    let (train, test) = Split { train, test }.apply(&data);
    Ok(Set { name: "digits", train, test, pool: None })
}

/// Subjects 26 to 30 held out.
fn activities(folder: &Path) -> Outcome<Set> {
    let file = "uci_har/uci_har_train.npz";
    let data = npz(folder, file, "X_train", "y_train")?;
    let subjects = npz(folder, file, "X_train", "subject_train")?;
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for row in 0..data.len() {
        let subject: usize = subjects.class_names()[subjects.labels()[row]].parse()?;
        if subject >= 26 { &mut test } else { &mut train }.push(row);
    }
    let (train, test) = Split { train, test }.apply(&data);
    Ok(Set { name: "har", train, test, pool: None })
}

#[test]
fn digits_keep_their_labels() -> Outcome {
    let Some(folder) = data_folder("digits_keep_their_labels") else { return Ok(()) };
    let set = digits(&folder)?;
    set.check("24 axes, 320 centers", &set.compact(24, 320)?, 16 * 1024, ReadoutWidth::Auto, 0.995)?;
    set.check("16 axes, 72 centers", &set.compact(16, 72)?, 4 * 1024, ReadoutWidth::Auto, 0.995)
}

#[test]
fn activities_keep_their_labels() -> Outcome {
    let Some(folder) = data_folder("activities_keep_their_labels") else { return Ok(()) };
    let set = activities(&folder)?;
    set.check("20 axes, 144 centers", &set.compact(20, 144)?, 16 * 1024, ReadoutWidth::Auto, 0.995)?;
    // 561 inputs leave 4 kB room for no more than four axes; a linear model of that size is far better.
    set.check("LDA", &exported(&Pipeline::new(&Lda::default()), &set.train)?, 4 * 1024, ReadoutWidth::I8, 0.995)?;
    // A seventh of these labels is wrong to begin with: many rows lie between classes.
    set.check("4 axes, 96 centers", &set.compact(4, 96)?, 4 * 1024, ReadoutWidth::Auto, 0.98)
}

#[test]
fn mnist_keeps_its_labels() -> Outcome {
    let Some(folder) = data_folder("mnist_keeps_its_labels") else { return Ok(()) };
    let all = npz(&folder, "mnist/mnist.npz", "X_train", "y_train")?;
    let train = all.select(&(0..20_000).collect::<Vec<_>>());
    let test = npz(&folder, "mnist/mnist.npz", "X_test", "y_test")?;
    let set = Set { name: "mnist", train, test, pool: Some(Pool::new(1, 28, 28, 2)?) };
    set.check("28 axes, 212 centers", &set.compact(28, 212)?, 16 * 1024, ReadoutWidth::Auto, 0.995)?;
    set.check("12 axes, 40 centers", &set.compact(12, 40)?, 4 * 1024, ReadoutWidth::Auto, 0.995)
}
