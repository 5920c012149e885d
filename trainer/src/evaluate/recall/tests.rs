//! Recall of embeddings that one can count by hand, and of data where the answer is known.

use super::score::Estimate;
use super::*;
use crate::dataset::synthetic::blobs;
use crate::linalg::Mat;
use crate::retrieval::{Codes, Embedding, Placed};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn options(neighbors: &[usize], at: &[usize], repeats: usize) -> Options {
    Options { neighbors: neighbors.to_vec(), at: at.to_vec(), repeats, seed: 0 }
}

#[test]
fn recall_is_counted_as_by_hand() {
    // On a line: from row 0 the others are ranked 1, 2, 3, 4.
    let rows = Mat::from_row_slice(5, 1, &[0.0, 1.0, 2.5, 4.0, 6.0]);
    let embedding = Embedding::Real(Placed { rows, queries: None });
    let truth = vec![vec![2, 4], vec![0, 2], vec![3, 1], vec![2, 4], vec![3, 2]];
    let found = score::recalls(&embedding, &truth, &options(&[1, 2], &[1, 2, 4], 1));
    assert_eq!(found.row(0).iter().copied().collect::<Vec<_>>(), [0.0, 1.0, 1.0, 0.0, 0.5, 1.0]);
    assert_eq!(found.row(4).iter().copied().collect::<Vec<_>>(), [1.0, 1.0, 1.0, 0.5, 1.0, 1.0]);
}

#[test]
fn candidates_at_one_distance_count_as_ordered_at_random() {
    // From row 0: row 1 at distance 0, rows 2 to 4 at distance 1, row 5 at distance 2.
    let bits = Mat::from_row_slice(6, 2, &[0., 0., 0., 0., 1., 0., 1., 0., 0., 1., 1., 1.]);
    let embedding = Embedding::Bits(Placed { rows: Codes::positive(&bits), queries: None });
    let truth: Vec<Vec<usize>> = vec![vec![3, 5]; 1].into_iter().chain(vec![vec![0, 1]; 5]).collect();
    let found = score::recalls(&embedding, &truth, &options(&[1, 2], &[1, 2, 3, 4, 5], 1));
    let third = 1.0 / 3.0;
    // One place is taken; after that row 3 is in the first R with a third, two thirds, surely.
    let expected = [0.0, third, 2.0 * third, 1.0, 1.0, 0.0, third / 2.0, third, 0.5, 1.0];
    for (column, expected) in expected.into_iter().enumerate() {
        assert!((found[(0, column)] - expected).abs() < 1e-15, "column {column}: {}", found[(0, column)]);
    }
}

#[test]
fn the_row_itself_finds_everything() -> Outcome {
    let data = blobs(3, 20, 5, 1.0, 0);
    let systems = System::list("knn,pca:dim=all,mds", 5, 5)?;
    let found = recall(&systems, &data, None, &options(&[5, 10], &[5, 10], 3), &Run::default())?;
    for row in &found.rows {
        // Nothing is lost by a rotation, and nothing is random.
        let expected = (row.at as f64 / row.neighbors as f64).min(1.0);
        assert!((row.recall - expected).abs() < 1e-9, "{row:?}");
        assert!((row.precision - (row.neighbors as f64 / row.at as f64).min(1.0)).abs() < 1e-9, "{row:?}");
        assert_eq!(row.repeats, 1, "{row:?}");
    }
    assert_eq!((found.rows.len(), found.items, found.queries), (12, 60, 60));
    Ok(())
}

#[test]
fn ebek_ranks_as_uncentered_pca_does_and_above_short_codes() -> Outcome {
    let data = blobs(5, 30, 30, 1.0, 0);
    let list = "ebek,ebek:order=scan,pca,pca-rr,itq,lsh,sklsh";
    let found = recall(&System::list(list, 6, 6)?, &data, None, &options(&[10], &[10], 3), &Run::default())?;
    let of = |method: &str| found.find(method, 10, 10).map(|row| row.recall).ok_or("missing");
    // The exemplars only rotate the coordinates.
    assert!((of("ebek")? - of("ebek:order=scan")?).abs() < 1e-9);
    for code in ["pca-rr", "itq", "lsh", "sklsh"] {
        assert!(of("ebek")? > of(code)? + 0.1, "{code}: {} against {}", of(code)?, of("ebek")?);
        assert!(found.find(code, 10, 10).is_some_and(|row| row.repeats == 3 && row.ci95 > 0.0), "{code}");
    }
    Ok(())
}

#[test]
fn queries_of_their_own_are_looked_up_among_the_rows() -> Outcome {
    let (data, queries) = (blobs(4, 30, 8, 0.5, 0), blobs(4, 10, 8, 0.5, 0));
    let systems = System::list("pca:dim=all,itq,mds", 8, 8)?;
    let found = recall(&systems, &data, Some(&queries), &options(&[5], &[5], 2), &Run::default())?;
    assert!(found.find("pca:dim=all", 5, 5).is_some_and(|row| row.recall > 1.0 - 1e-9));
    assert_eq!((found.queries, found.items), (40, 120));
    let why = "mds is in-sample only: it has no map for other rows";
    assert_eq!(found.failed, [Failure { method: "mds".to_owned(), why: why.to_owned() }]);
    Ok(())
}

#[test]
fn sparse_rows_have_the_recall_of_dense_ones() -> Outcome {
    use crate::linalg::csr::tests::sparse;
    let (rows, queries) = (sparse(120, 30, 0), sparse(20, 30, 1));
    let all = |rows: &crate::linalg::Csr| Dataset::unlabelled(rows.dense(&(0..rows.nrows()).collect::<Vec<_>>()));
    let (dense, dense_queries) = (all(&rows)?, all(&queries)?);
    let (data, queries) = (Dataset::unlabelled_sparse(rows)?, Dataset::unlabelled_sparse(queries)?);
    let systems = System::list("ebek,pca,knn,mds,itq", 10, 10)?;
    let measure = |data: &Dataset, queries: Option<&Dataset>| {
        recall(&systems, data, queries, &options(&[5], &[5, 20], 1), &Run::default())
    };
    for (found, expected) in [
        (measure(&data, None)?, measure(&dense, None)?),
        (measure(&data, Some(&queries))?, measure(&dense, Some(&dense_queries))?),
    ] {
        for row in &found.rows {
            let dense = expected.find(&row.method, row.neighbors, row.at).ok_or("missing")?;
            // By chance a row would find 4 % of its neighbors.
            assert!((row.recall - dense.recall).abs() < 1e-9 && row.recall > 0.2, "{row:?} {dense:?}");
        }
        // What would fill in zeros is refused by name.
        let failed: Vec<&str> = found.failed.iter().map(|failure| failure.method.as_str()).collect();
        assert_eq!(failed, ["knn", "mds", "itq"]);
    }
    let failed = measure(&data, None)?.failed;
    assert!(
        failed[2].why.starts_with("itq with these settings would fill in the zeros of 120 sparse rows"),
        "{failed:?}"
    );
    let mixed = measure(&data, Some(&dense_queries)).map(|_| ());
    assert_eq!(mixed, Err(RecallError::Mixed));
    Ok(())
}

#[test]
fn what_does_not_use_its_seed_runs_once() -> Outcome {
    let data = blobs(3, 20, 5, 1.0, 0);
    let list =
        "ebek,ebek:order=scan,ebek:order=random,kpca,kpca:features=nystrom:20,cmvda,cmvda-r,nsse:fixed_sigma=true";
    let found = recall(&System::list(list, 2, 2)?, &data, None, &options(&[5], &[5], 3), &Run::default())?;
    let runs: Vec<usize> = found.rows.iter().map(|row| row.repeats).collect();
    assert_eq!(runs, [1, 1, 3, 1, 3, 1, 3, 1], "{:?}", found.failed);
    Ok(())
}

#[test]
fn results_do_not_depend_on_threads() -> Outcome {
    let data = blobs(3, 30, 6, 1.0, 0);
    let systems = System::list("ebek,kpca,itq,lle", 4, 4)?;
    let run = |threads| {
        let mut found = recall(&systems, &data, None, &options(&[5], &[1, 5], 2), &Run::default().threads(threads))?;
        found.rows.iter_mut().for_each(|row| row.seconds = 0.0);
        Ok::<_, RecallError>(found)
    };
    assert_eq!(run(1)?, run(4)?);
    Ok(())
}

#[test]
fn what_rows_do_not_allow_is_refused() -> Outcome {
    let data = blobs(2, 5, 3, 1.0, 0);
    let systems = System::list("pca", 2, 2)?;
    let refusal = |options: &Options| {
        let found = recall(&systems, &data, None, options, &Run::default());
        found.map(|_| ()).map_err(|error| error.to_string())
    };
    let rule = "must be at least 1 and at most the number of candidates: the rows without the query";
    assert_eq!(refusal(&options(&[10], &[1], 1)), Err(format!("neighbors {rule}, got 10")));
    assert_eq!(refusal(&options(&[1], &[0], 1)), Err(format!("at {rule}, got 0")));
    assert_eq!(refusal(&options(&[1], &[1], 0)), Err("repeats must be at least 1, got 0".to_owned()));
    assert_eq!(refusal(&options(&[9], &[9], 1)), Ok(()));
    let narrow = blobs(2, 5, 2, 1.0, 0);
    let found = recall(&systems, &data, Some(&narrow), &options(&[1], &[1], 1), &Run::default());
    let error = found.map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(error, Err("queries: model takes 3 input values, got 2".to_owned()));
    Ok(())
}

#[test]
fn a_name_that_does_not_exist_is_refused_with_those_that_do() {
    let refusal = |text: &str| System::list(text, 10, 10).map(|_| ()).map_err(|error| error.to_string());
    let error = refusal("forest").err().unwrap_or_default();
    assert!(error.starts_with("forest: there is no method \"forest\"; there are nsse,"), "{error}");
    assert!(error.ends_with("pca-rr, itq, lsh, sklsh, mds, lle"), "{error}");
    assert_eq!(refusal("itq:dim=3"), Err("itq:dim=3: itq takes no dim; it takes bits, rounds".to_owned()));
    assert!(refusal("ebek:extension=ls:kernel=gaussian,lle:k=5").is_ok());
}

#[test]
fn intervals_cover_queries_and_runs() {
    // One run: 0 and 1 have a deviation of √½ and a standard error of ½.
    let Estimate { mean, error, half } = Estimate::of(&[&[0.0, 1.0]]);
    assert!(mean == 0.5 && (error - 0.5).abs() < 1e-12 && (half - 0.98).abs() < 1e-12, "{half}");
    // Two runs, no difference between queries: t with one degree of freedom times a standard error of 0.1.
    let Estimate { mean, error, half } = Estimate::of(&[&[0.4, 0.4], &[0.6, 0.6]]);
    assert!((mean - 0.5).abs() < 1e-12 && (error - 0.1).abs() < 1e-12 && (half - 1.2706).abs() < 1e-9, "{half}");
}
