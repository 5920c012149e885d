//! `nearmark compare` from outside: numbers for tools, a table for people, and what it refuses.
#![allow(missing_docs)]

#[path = "cli/sandbox.rs"]
#[allow(dead_code, reason = "shared with the other tests of the binary")]
mod sandbox;

use sandbox::{Outcome, Sandbox, clouds};
use serde_json::Value;

/// Two clouds of twelve rows each.
fn with_clouds() -> Outcome<Sandbox> {
    let sandbox = Sandbox::new()?;
    sandbox.write("clouds.csv", clouds(12))?;
    Ok(sandbox)
}

/// What a run computed, apart from how long it took.
fn timeless(mut json: Value) -> Value {
    for method in json["methods"].as_array_mut().into_iter().flatten() {
        method["fit_seconds"] = Value::Null;
    }
    json
}

#[test]
fn json_has_what_the_contract_names() -> Outcome {
    let sandbox = with_clouds()?;
    let ran = sandbox.ok("compare clouds.csv --cv 3 --repeats 2 --methods lda,cmvda:ridge=0.1:head=knn:1 --json")?;
    assert_eq!(ran.stderr, "", "nobody is spoken to");
    let json = ran.json()?;
    assert_eq!((&json["rows"], &json["classes"]), (&24.into(), &2.into()));
    assert_eq!((&json["protocol"]["k"], &json["protocol"]["repeats"]), (&3.into(), &2.into()));
    let methods = json["methods"].as_array().ok_or("methods are a list")?;
    assert_eq!(methods.len(), 2);
    for method in methods {
        let accuracy = &method["accuracy"];
        assert_eq!(accuracy["values"].as_array().map(Vec::len), Some(6));
        assert!(accuracy["mean"].as_f64().is_some_and(|mean| (0.0..=1.0).contains(&mean)), "{method}");
        assert!(accuracy["std"].is_f64() && method["fit_seconds"].is_f64() && method["rank"].is_f64(), "{method}");
        assert!(method["flash_bytes"].as_u64().is_some_and(|bytes| bytes > 100), "{method}");
        assert!(method["failure"].is_null() && method["settings"].is_object(), "{method}");
    }
    let cmvda = methods.iter().find(|method| method["method"] == "cmvda:ridge=0.1:head=knn:1").ok_or("by its name")?;
    assert_eq!((&cmvda["settings"]["set"]["ridge"], &cmvda["settings"]["head"]), (&"0.1".into(), &"knn:1".into()));
    Ok(())
}

#[test]
fn numbers_are_the_same_for_any_number_of_threads() -> Outcome {
    let sandbox = with_clouds()?;
    let with = |threads: usize| -> Outcome<Value> {
        let line = format!("compare clouds.csv --cv 4 --methods lda,cmvda,knn --json --threads {threads}");
        Ok(timeless(sandbox.ok(&line)?.json()?))
    };
    assert_eq!(with(1)?, with(3)?);
    Ok(())
}

#[test]
fn the_table_goes_to_stdout_and_fits_a_terminal() -> Outcome {
    let sandbox = with_clouds()?;
    let line =
        "compare clouds.csv --train-per-class 6 --repeats 2 --methods lda,cmvda:features=nystrom:500 -o table.md";
    let ran = sandbox.ok(line)?;
    let printed = ran.stdout.lines().chain(ran.stderr.lines());
    assert!(printed.into_iter().all(|line| line.chars().count() <= 80), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("failed: nystrom"), "{}", ran.stdout);
    assert!(ran.stderr.contains("6 training rows per class, 2 times"), "{}", ran.stderr);
    let markdown = std::fs::read_to_string(sandbox.path("table.md"))?;
    assert!(markdown.contains("| method | accuracy % | mean rank | fit s | flash B |"), "{markdown}");
    Ok(())
}

#[test]
fn a_test_set_is_read_and_measured_once() -> Outcome {
    let sandbox = with_clouds()?;
    sandbox.write("more.csv", clouds(5))?;
    let json = sandbox.ok("compare clouds.csv --test more.csv --methods lda,pca --json")?.json()?;
    assert_eq!((&json["protocol"]["kind"], &json["test_rows"]), (&"test".into(), &10.into()));
    assert_eq!(json["methods"][0]["accuracy"]["std"], Value::Null);
    Ok(())
}

#[test]
fn settings_shared_by_all_reach_those_that_know_them() -> Outcome {
    let sandbox = with_clouds()?;
    let line = "compare clouds.csv --cv 2 --methods lda,knn,cmvda --sigma 2x --set ridge=0.5 --seed 3 --json";
    let json = sandbox.ok(line)?.json()?;
    let of = |name: &str| {
        let methods = json["methods"].as_array().into_iter().flatten();
        methods.clone().find(|method| method["method"] == name).map(|method| method["settings"].clone())
    };
    let (lda, knn, cmvda) = (of("lda").ok_or("lda")?, of("knn").ok_or("knn")?, of("cmvda").ok_or("cmvda")?);
    assert_eq!((&lda["set"]["ridge"], &lda["sigma"]), (&"0.5".into(), &Value::Null));
    assert_eq!((&cmvda["set"]["ridge"], &cmvda["sigma"]), (&"0.5".into(), &"2x".into()));
    assert_eq!((&knn["set"], &knn["seed"]), (&Value::Null, &3.into()));
    Ok(())
}

#[test]
fn rows_that_do_not_allow_the_protocol_are_a_failure() -> Outcome {
    let sandbox = with_clouds()?;
    sandbox.fails(
        "compare clouds.csv --train-per-class 12",
        1,
        &["clouds.csv: class high has 12 rows, 13 are needed"],
    )?;
    sandbox.fails(
        "compare clouds.csv --cv 25",
        1,
        &["cv must be at least 2 and at most the number of rows, got 25"],
    )?;
    sandbox.fails("compare clouds.csv --test none.csv", 1, &["none.csv"])?;
    sandbox.write("three.csv", "a,b,class\n1,2,low\n3,4,other\n")?;
    sandbox.fails("compare clouds.csv --test three.csv", 1, &["label 'other' is not a class of the model"])?;
    let line = "compare clouds.csv --methods cmvda:features=nystrom:500 -o table.md";
    sandbox.fails(
        line,
        1,
        &["every method failed; cmvda:features=nystrom:500: nystrom is 500, but there are only 19"],
    )?;
    Ok(())
}

#[test]
fn slips_of_the_pen_are_wrong_usage() -> Outcome {
    let sandbox = with_clouds()?;
    let told_once = sandbox.fails(
        "compare clouds.csv --methods lda,forest",
        2,
        &["forest: there is no method \"forest\"; there"],
    )?;
    assert_eq!(told_once.stderr.matches("there is no method").count(), 1, "{}", told_once.stderr);
    sandbox.fails("compare clouds.csv --methods lda:mu1=3", 2, &["lda takes no mu1; it takes dim, ridge"])?;
    sandbox.fails("compare clouds.csv --methods lda:head=knn", 2, &["expected mean, knn:K, prototypes:P or items"])?;
    sandbox.fails("compare clouds.csv --methods lda,knn --set mu1=3", 2, &["none of the methods takes mu1"])?;
    sandbox.fails("compare clouds.csv --method lda", 2, &["--methods cmvda,lda"])?;
    sandbox.fails("compare clouds.csv -o table.pdf", 2, &["table.pdf", ".md or .html"])?;
    for line in ["compare clouds.csv --cv 3 --train-per-class 2", "compare clouds.csv --cv 1", "compare"] {
        assert_eq!(sandbox.run(&line.split(' ').collect::<Vec<_>>())?.code, 2, "{line}");
    }
    Ok(())
}
