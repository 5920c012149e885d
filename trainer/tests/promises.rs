//! What every method promises, whatever its mathematics.
#![allow(missing_docs)]

use nearmark_train::dataset::synthetic::blobs;
use nearmark_train::linalg::Mat;
use nearmark_train::methods::{Dim, Method, Registry, cmvda, dple, ebek, nsse, with_defaults};
use nearmark_train::preprocess::{Components, Pool, Scaling, Window};
use nearmark_train::{DataError, Dataset, FitError, HeadChoice, Pipeline, Progress, Run};
use std::error::Error;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

type Outcome = Result<(), Box<dyn Error>>;

#[test]
fn any_thread_count_gives_the_same_bytes() -> Outcome {
    let data = blobs(4, 90, 12, 1.0, 0);
    for method in with_defaults()? {
        let one = method.fit_with(&data, &Run::default().threads(1))?;
        for threads in [2, 5] {
            let many = method.fit_with(&data, &Run::default().threads(threads))?;
            assert_eq!(one, many, "{} on {threads} threads", method.name());
        }
    }
    Ok(())
}

#[test]
fn the_order_of_classes_does_not_matter() -> Outcome {
    // Class names turned around turn the class numbers around, and must change nothing else.
    let (data, new) = (blobs(3, 40, 8, 0.8, 0), blobs(3, 60, 8, 0.8, 0));
    let renamed: Vec<&str> = data.labels().iter().map(|&label| ["c", "b", "a"][label]).collect();
    let turned = Dataset::new(data.rows().clone(), &renamed)?;
    for method in with_defaults()? {
        let plain = method.fit(&data)?.classify(new.rows())?;
        let turned: Vec<usize> = method.fit(&turned)?.classify(new.rows())?.iter().map(|class| 2 - class).collect();
        assert_eq!(plain, turned, "{}", method.name());
    }
    Ok(())
}

#[test]
fn the_map_repeats_the_training_embedding() -> Outcome {
    let data = blobs(3, 40, 8, 1.0, 1);
    for method in with_defaults()? {
        for pca in [None, Some(Components::Count(4))] {
            let pipeline = Pipeline { scaling: Scaling::Standard, pca, ..Pipeline::new(&*method) };
            let fitted = pipeline.fit(&data)?;
            let again = fitted.embed(data.rows())?;
            let size = fitted.embedding().amax();
            assert!((again - fitted.embedding()).amax() < 1e-6 * size, "{}", method.name());
        }
    }
    Ok(())
}

#[test]
fn bad_data_is_refused_by_name() -> Outcome {
    let one = Dataset::from_ids(Mat::from_fn(6, 2, |i, j| (i * 2 + j) as f64), &[7; 6])?;
    let equal = Dataset::from_ids(Mat::from_element(6, 2, 3.0), &[0, 1, 0, 1, 0, 1])?;
    for method in with_defaults()? {
        let name = method.name();
        if !["pca", "lpp"].contains(&name) {
            assert_eq!(method.fit(&one).err(), Some(FitError::OneClass { class: "7".into() }), "{name}");
        }
        if !["knn"].contains(&name) {
            assert!(
                matches!(
                    method.fit(&equal).err(),
                    Some(FitError::AllRowsEqual { rows: 6 } | FitError::TooFewRows { .. })
                ),
                "{name}"
            );
        }
    }
    let lonely = Dataset::from_ids(Mat::from_fn(5, 1, |i, _| i as f64), &[0, 0, 0, 0, 1])?;
    let needs_two = FitError::SmallClass { class: "1".into(), rows: 1, needed: 2 };
    assert_eq!(dple::Dple::default().fit(&lonely).err(), Some(needs_two));

    let data = blobs(3, 5, 4, 1.0, 0);
    let method = cmvda::Cmvda::new(cmvda::Params { dim: Dim::Count(16), ..cmvda::Params::default() })?;
    assert_eq!(method.fit(&data).err(), Some(FitError::DimTooLarge { dim: 16, max: 15 }));
    // The paper pads where there are fewer rows than exemplars.
    let method = ebek::Ebek::new(ebek::Params { exemplars: 16, ..ebek::Params::default() })?;
    let fitted = method.fit(&data)?;
    assert_eq!(fitted.dim(), 16);
    assert!(fitted.notes().iter().any(|note| note.starts_with("exemplars is 16, but")), "{:?}", fitted.notes());
    let head = Some(HeadChoice::Neighbors(16));
    let error = Pipeline { head, ..Pipeline::new(&cmvda::Cmvda::default()) }.fit(&data).err();
    assert_eq!(error, Some(FitError::TooFewRows { name: "knn", needed: 16, rows: 15 }));

    let fitted = cmvda::Cmvda::default().fit(&data)?;
    assert_eq!(fitted.embed(&Mat::zeros(1, 3)).err(), Some(DataError::Width { expected: 4, got: 3 }));
    let nan = fitted.embed(&Mat::from_element(1, 4, f64::NAN)).err();
    assert!(matches!(nan, Some(DataError::NotFinite { row: 0, column: 0, .. })));
    Ok(())
}

#[test]
fn duplicate_rows_and_constant_columns_work() -> Outcome {
    let data = blobs(3, 30, 5, 0.3, 0);
    let twice: Vec<usize> = (0..90).chain(0..90).collect();
    let rows = data.rows().select_rows(&twice).resize_horizontally(7, 4.0);
    let labels: Vec<usize> = twice.iter().map(|&i| data.labels()[i]).collect();
    let data = Dataset::from_ids(rows, &labels)?;
    for method in with_defaults()? {
        let pipeline = Pipeline { head: Some(HeadChoice::Neighbors(3)), ..Pipeline::new(&*method) };
        let fitted = pipeline.fit(&data).map_err(|e| format!("{}: {e}", method.name()))?;
        assert!(fitted.embedding().iter().all(|v| v.is_finite()), "{}", method.name());
        assert!(fitted.accuracy(&data)? > 0.8, "{} {}", method.name(), fitted.accuracy(&data)?);
    }
    Ok(())
}

#[test]
fn a_raised_ridge_is_always_reported() -> Outcome {
    // Every row and every column twice: without a ridge nothing can be solved.
    let once = blobs(3, 10, 4, 0.3, 0);
    let rows = once.rows().select_rows(&(0..30).chain(0..30).collect::<Vec<_>>());
    let rows = Mat::from_fn(60, 8, |i, j| rows[(i, j % 4)]);
    let labels: Vec<usize> = (0..60).map(|i| once.labels()[i % 30]).collect();
    let twice = Dataset::from_ids(rows, &labels)?;
    let line = Dataset::from_ids(Mat::from_fn(60, 1, |i, _| (i % 30) as f64), &labels)?;
    let cases = [
        ("cmvda", "ridge", "0", &twice),
        ("kda", "ridge", "0", &twice),
        ("lda", "ridge", "0", &twice),
        ("dple", "ridge", "0", &twice),
        ("lde", "ridge", "0", &twice),
        ("suplap", "ridge", "0", &twice),
        ("isokrr", "ridge", "0", &twice),
        ("mreg", "ridge", "0", &twice),
        // Kernel values on a line are nearly dependent, and least squares squares that.
        ("ebek", "sigma", "2x", &line),
    ];
    for (name, key, value, data) in cases {
        let settings = [(key.to_owned(), value.to_owned())].into();
        let fitted = Registry::default().find(name)?.build(&settings, 0)?.fit(data)?;
        let reported = fitted.notes().iter().any(|note| note.contains("ridge raised to "));
        assert!(reported, "{name}: {:?}", fitted.notes());
    }
    Ok(())
}

#[test]
fn progress_is_told_and_a_fit_can_be_stopped() -> Outcome {
    let data = blobs(3, 20, 5, 0.5, 0);
    for method in with_defaults()? {
        let steps = AtomicUsize::new(0);
        let count = |_: Progress| {
            steps.fetch_add(1, Ordering::Relaxed);
        };
        Pipeline::new(&*method).fit_with(&data, &Run::default().on_progress(&count))?;
        assert!(steps.load(Ordering::Relaxed) > 0, "{}", method.name());
    }
    let stop = AtomicBool::new(false);
    let at_first_width = |p: Progress| stop.store(p.step == "kernel width", Ordering::Relaxed);
    let run = Run::default().on_progress(&at_first_width).stop_when(&stop);
    assert_eq!(nsse::Nsse::default().fit_with(&data, &run).err(), Some(FitError::Cancelled));
    Ok(())
}

#[test]
fn nsse_decides_as_cmvda_on_a_round_set() -> Outcome {
    let (data, new) = (blobs(5, 30, 10, 1.2, 3), blobs(5, 60, 10, 1.2, 3));
    let nsse = nsse::Params { mu1: 1e4, fixed_sigma: true, ..nsse::Params::default() };
    let kernel = nearmark_train::KernelChoice::Gaussian(nearmark_train::Sigma::Factor(0.5_f64.sqrt()));
    let cmvda = cmvda::Params { kernel, ridge: 0.0, ..cmvda::Params::default() };
    let nsse = nsse::Nsse::new(nsse)?.fit(&data)?.classify(new.rows())?;
    assert_eq!(nsse, cmvda::Cmvda::new(cmvda)?.fit(&data)?.classify(new.rows())?);
    Ok(())
}

#[test]
fn windows_and_pools_come_before_the_method() -> Outcome {
    let data = blobs(3, 20, 24, 0.3, 0);
    let method = cmvda::Cmvda::default();
    let window = Some(Window::new(2, 12, 2, false)?);
    let fitted = Pipeline { window, ..Pipeline::new(&method) }.fit(&data)?;
    assert_eq!((fitted.inputs(), fitted.map().inputs()), (24, 20));
    let pool = Some(Pool::new(1, 4, 6, 2)?);
    let fitted = Pipeline { pool, ..Pipeline::new(&method) }.fit(&data)?;
    assert_eq!((fitted.inputs(), fitted.map().inputs()), (24, 6));
    let wrong = Pipeline { pool: Some(Pool::new(1, 4, 4, 2)?), ..Pipeline::new(&method) }.fit(&data).err();
    assert_eq!(wrong, Some(DataError::Shape { what: "image", expected: 16, got: 24 }.into()));
    Ok(())
}
