//! A kernel given as a matrix: the same models as from the rows behind it, which take similarities as their inputs.
#![allow(missing_docs)]

use nearmark_train::config::{Config, Parameters};
use nearmark_train::dataset::synthetic::blobs;
use nearmark_train::kernel::{Kernel, gram};
use nearmark_train::linalg::Mat;
use nearmark_train::train::hold_out;
use nearmark_train::{Dataset, Run, evaluate, train};
use std::error::Error;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// `σ = 2` in the convention of most methods.
const GAMMA: f64 = 0.125;

fn config(settings: &[(&str, &str)]) -> Outcome<Config> {
    let mut parameters = Parameters::default();
    for (name, value) in settings {
        parameters.assign(name, value)?;
    }
    Ok(Config::try_from(parameters)?)
}

/// Training rows, their kernel matrix, test rows, and those rows' similarities to the training rows.
fn sets() -> Outcome<(Dataset, Dataset, Dataset, Dataset)> {
    let (data, new) = (blobs(3, 30, 5, 1.0, 0), blobs(3, 10, 5, 1.0, 1));
    let kernel = Kernel::Gaussian { gamma: GAMMA };
    let given = data.with_rows(gram(kernel, data.rows(), 1))?.into_similarities()?;
    let all = Mat::from_fn(data.len() + new.len(), 5, |i, j| {
        if i < data.len() { data.rows()[(i, j)] } else { new.rows()[(i - data.len(), j)] }
    });
    let both = gram(kernel, &all, 1);
    let beside = new.with_rows(both.view((data.len(), 0), (new.len(), data.len())).into_owned())?;
    Ok((data, given, new, beside))
}

#[test]
fn models_of_a_given_kernel_are_those_of_the_rows_behind_it() -> Outcome {
    let (data, given, new, beside) = sets()?;
    for (method, features) in [
        ("ebek", ""),
        ("cmvda", "exact"),
        ("cmvda", "nystrom:20"),
        ("cmvda-r", "exact"),
        ("cmvca", "exact"),
        ("kpca", "nystrom:20"),
        ("keca", "exact"),
        ("kda", "exact"),
        ("kda", "nystrom:20"),
    ] {
        let mut settings = vec![("method", method), ("scale", "none"), ("keep_embedding", "true")];
        settings.extend((!features.is_empty()).then_some(("features", features)));
        let of_rows = config(&[&settings[..], &[("kernel", "gaussian"), ("sigma", "2")]].concat())?;
        let of_matrix = config(&[&settings[..], &[("kernel", "precomputed")]].concat())?;
        let expected = train(&of_rows, &data, &Run::default())?;
        let found = train(&of_matrix, &given, &Run::default())?;
        let inputs = found.model.header().inputs as usize;
        let centers = match features {
            "exact" => data.len(),
            _ => 20,
        };
        assert_eq!(inputs, centers, "{method} {features}");
        let info = found.model.info().ok_or("no provenance")?;
        assert!(info.similarities && info.exemplars.len() == inputs, "{method} {features}");
        assert!(features == "exact" || found.fitted.exemplars() == expected.fitted.exemplars(), "{method} {features}");

        // By all training rows, and by the exemplars alone.
        let answers = evaluate::predict(&expected.model, new.rows())?;
        let exemplars: Vec<usize> = info.exemplars.iter().map(|(row, _)| *row as usize).collect();
        for rows in [beside.rows().clone(), beside.rows().select_columns(&exemplars)] {
            let same = evaluate::predict(&found.model, &rows)?;
            assert!(same.iter().zip(&answers).all(|(a, b)| a.class() == b.class()), "{method} {features}");
            // An eigenvector's sign is free, and rounding may turn it.
            let gap = found.fitted.embed(&rows)?.abs() - expected.fitted.embed(new.rows())?.abs();
            assert!(gap.amax() < 1e-6 * expected.fitted.embedding().amax(), "{method} {features}: {}", gap.amax());
        }
        assert_eq!(evaluate::evaluate(&found.model, &beside)?, evaluate::evaluate(&expected.model, &new)?);
    }
    Ok(())
}

#[test]
fn hold_outs_and_integers_see_the_columns_of_the_exemplars() -> Outcome {
    let (data, given, new, beside) = sets()?;
    let of_rows = config(&[("method", "ebek"), ("scale", "none"), ("sigma", "2")])?;
    let rows_held = hold_out(&of_rows, &data, 0.3, &Run::default())?.evaluation;
    let rows_found = evaluate::evaluate(&train(&of_rows, &data, &Run::default())?.model, &new)?.accuracy();
    for (numeric, most) in [("f32", 0.0), ("i8", 0.1)] {
        let config = config(&[("method", "ebek"), ("kernel", "precomputed"), ("numeric", numeric)])?;
        let held = hold_out(&config, &given, 0.3, &Run::default())?.evaluation;
        assert!((held.accuracy() - rows_held.accuracy()).abs() <= most, "{numeric}: {}", held.accuracy());
        let trained = train(&config, &given, &Run::default())?;
        let found = evaluate::evaluate(&trained.model, &beside)?.accuracy();
        assert!((found - rows_found).abs() <= most, "{numeric}: {found} against {rows_found}");
    }
    Ok(())
}

#[test]
fn what_does_not_go_together_is_refused_by_name() -> Outcome {
    let (data, given, ..) = sets()?;
    let refusal = |settings: &[(&str, &str)], data: &Dataset| -> Outcome<String> {
        let trained = config(settings).and_then(|config| Ok(train(&config, data, &Run::default()).map(|_| ())?));
        Ok(trained.err().map(|error| error.to_string()).unwrap_or_default())
    };
    let precomputed = ("kernel", "precomputed");
    for (settings, data, part) in [
        (&[("method", "lda")][..], &given, "lda with these settings and a kernel matrix as rows do not go together"),
        (&[("method", "kdple"), precomputed], &given, "kernel: expected a kernel of rows"),
        (&[("method", "cmvda"), precomputed, ("features", "random:9")], &given, "with kernel precomputed, ebek, cmvda"),
        (&[("method", "cmvda"), precomputed], &data, "do not go together"),
        (&[("method", "ebek"), precomputed, ("scale", "standard")], &given, "scaling would change the values"),
        (&[("method", "ebek"), precomputed, ("pca", "3")], &given, "pca would change the values"),
        (&[("flash", "4k")], &given, "which a kernel matrix does not have"),
    ] {
        let message = refusal(settings, data)?;
        assert!(message.contains(part), "{settings:?}: {message}");
    }
    Ok(())
}
