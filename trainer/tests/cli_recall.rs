//! `nearmark recall` from outside: numbers for tools, a table for people, and what it refuses.
#![allow(missing_docs)]

#[path = "cli/sandbox.rs"]
#[allow(dead_code, reason = "shared with the other tests of the binary")]
mod sandbox;

use sandbox::{Outcome, Sandbox, clouds};

fn with_clouds() -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    sandbox.write("clouds.csv", clouds(12))?;
    Ok(sandbox)
}

#[test]
fn json_has_what_the_contract_names() -> Outcome {
    let sandbox = with_clouds()?;
    let line = "recall clouds.csv --methods knn,lsh --neighbors 3,5 --at 1,5 --dim 2 --repeats 2 --json";
    let ran = sandbox.ok(line)?;
    assert_eq!(ran.stderr, "", "nobody is spoken to");
    let json = ran.json()?;
    let rows = json["rows"].as_array().ok_or("rows are a list")?;
    assert_eq!(rows.len(), 2 * 2 * 2);
    for row in rows {
        for key in ["recall", "precision", "ci95", "seconds"] {
            assert!(row[key].as_f64().is_some_and(|value| value >= 0.0), "{key} of {row}");
        }
        assert!(row["recall"].as_f64().is_some_and(|recall| recall <= 1.0), "{row}");
    }
    // The rows themselves find all of their neighbors, in order.
    let own = rows.iter().find(|row| row["method"] == "knn" && row["neighbors"] == 5 && row["at"] == 5);
    assert!(own.is_some_and(|row| row["recall"].as_f64() > Some(1.0 - 1e-9)), "{own:?}");
    assert_eq!((&json["items"], &json["queries"]), (&24.into(), &24.into()));
    Ok(())
}

/// A `float64` array of rows as `numpy.save` writes it.
fn npy(rows: &[[f64; 2]]) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, 2), }}", rows.len());
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn rows_without_labels_are_read_whole() -> Outcome {
    let sandbox = Sandbox::new()?;
    // The true neighbors follow from the second column alone; without it every order is as good as any.
    let rows: Vec<[f64; 2]> = (0..12_u32).map(|i| [1.0, f64::from(i * i % 13) + f64::from(i) / 20.0]).collect();
    let lines: Vec<String> = rows.iter().map(|[a, b]| format!("{a},{b}")).collect();
    sandbox.write("rows.csv", format!("a,b\n{}\n", lines.join("\n")))?;
    sandbox.write("rows.npy", npy(&rows))?;
    sandbox.write("few.svm", "0 1:1 2:3\n0 1:2\n0 2:2\n0 1:1 2:1\n")?;
    sandbox.write("query.svm", "0 1:1.1\n")?;
    for data in ["rows.csv", "rows.npy"] {
        let line = format!("recall {data} --unlabelled --methods knn,lda --neighbors 2 --at 2 --dim 2 --json");
        let json = sandbox.ok(&line)?.json()?;
        assert_eq!(json["items"], 12, "{data}");
        assert!(json["rows"][0]["recall"].as_f64() > Some(1.0 - 1e-9), "{data}: {json}");
        assert!(json["failed"][0]["why"].as_str().is_some_and(|why| why.starts_with("lda needs labels")), "{json}");
    }
    sandbox.fails("recall rows.npy --methods knn --neighbors 2 --at 2", 1, &["rows.npy", "label"])?;
    // Sparse rows, and queries that do not state how many columns they have.
    let line = "recall few.svm --queries query.svm --unlabelled --methods pca --dim 2 --neighbors 1 --at 1 --json";
    let json = sandbox.ok(line)?.json()?;
    assert!(json["rows"][0]["recall"].as_f64() > Some(1.0 - 1e-9), "{json}");
    Ok(())
}

#[test]
fn people_get_a_table_and_notes() -> Outcome {
    let sandbox = with_clouds()?;
    let ran = sandbox.ok("recall clouds.csv --methods knn,mds,mds:dim=9 --neighbors 3 --at 1,3 --dim 2")?;
    assert!(ran.stdout.starts_with("3 true neighbors, recall %\nmethod"), "{}", ran.stdout);
    assert!(ran.stdout.contains("3 true neighbors, precision %"), "{}", ran.stdout);
    assert!(ran.stderr.contains("mds is in-sample only"), "{}", ran.stderr);
    assert!(ran.stderr.contains("mds:dim=9 failed: dim is 9"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn wrong_lines_are_refused() -> Outcome {
    let sandbox = with_clouds()?;
    sandbox.fails("recall clouds.csv --methods forest", 2, &["forest", "there is no method", "itq"])?;
    sandbox.fails("recall clouds.csv --methods itq:dim=2", 2, &["itq takes no dim; it takes bits, rounds"])?;
    let zero = sandbox.run(&["recall", "clouds.csv", "--at", "0"])?;
    assert!(zero.code == 2 && zero.stderr.contains("expected a count above zero"), "{}", zero.stderr);
    sandbox.fails("recall clouds.csv --methods knn --neighbors 24 --at 1", 1, &["neighbors", "24"])?;
    let queries = "recall clouds.csv --queries clouds.csv --methods mds --neighbors 2 --at 2 --dim 2";
    sandbox.fails(queries, 1, &["every method failed", "in-sample only"])?;
    Ok(())
}

#[test]
fn models_of_what_only_retrieves_are_refused_with_the_reason() -> Outcome {
    let sandbox = with_clouds()?;
    sandbox.fails("compare clouds.csv --methods lda,mds", 2, &["mds cannot become a model", "in-sample only"])?;
    sandbox.fails("compare clouds.csv --methods itq", 2, &["itq cannot become a model", "binary code"])?;
    let fit = sandbox.run(&["fit", "clouds.csv", "-o", "m.nmk", "--method", "lle"])?;
    assert!(fit.code == 2 && fit.stderr.contains("lle cannot become a model: it is in-sample only"), "{}", fit.stderr);
    Ok(())
}
