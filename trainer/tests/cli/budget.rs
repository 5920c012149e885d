//! Models within limits: `fit --flash`, `tune`.

use crate::sandbox::{Outcome, Sandbox};

#[test]
fn a_budget_is_kept_by_the_file_and_told() -> Outcome {
    let sandbox = Sandbox::new()?;
    let line = "fit builtin:gestures:train -o g.nmk --flash 600 --ram 200 --insns 600k --board m0 --json";
    let told = sandbox.ok(line)?.json()?;
    let number = |key: &str| told[key].as_u64().unwrap_or(u64::MAX);
    assert!(number("flash_bytes") <= 600 && number("ram_bytes") <= 200, "{told}");
    assert_eq!((told["budget"]["flash"].as_u64(), told["budget"]["board"].as_str()), (Some(600), Some("m0")));
    assert!(told["budget"]["insns_estimated"].as_u64().is_some_and(|count| count <= 600_000), "{told}");
    assert!(told["budget"]["accuracy"].as_f64().is_some_and(|accuracy| accuracy > 0.8), "{told}");
    let found = sandbox.ok("eval g.nmk builtin:gestures:test --json")?.json()?;
    assert!(found["accuracy"].as_f64().is_some_and(|accuracy| accuracy > 0.8), "{found}");
    // A model that training changed is not called the method's own.
    let trained = told["params"]["training"] != "none";
    assert_eq!(told["trained"].as_bool(), Some(trained), "{told}");
    let text = sandbox.ok("inspect g.nmk")?.stdout;
    let first = text.lines().next().unwrap_or_default();
    assert_eq!(first.contains(", trained from ") && first.ends_with(" targets"), trained, "{first}");
    let made = text.lines().find(|line| line.starts_with("made by ")).unwrap_or_default();
    assert_eq!(made.contains(" with "), !trained, "{made}");
    Ok(())
}

#[test]
fn the_same_budget_gives_the_same_bytes_again_and_from_a_file() -> Outcome {
    let sandbox = Sandbox::new()?;
    let line = "fit builtin:gestures:train -o a.nmk --flash 500 --threads 1 --save-config run.toml";
    sandbox.ok(line)?;
    sandbox.ok("fit --config run.toml -o b.nmk --threads 2")?;
    assert_eq!(std::fs::read(sandbox.path("a.nmk"))?, std::fs::read(sandbox.path("b.nmk"))?);
    Ok(())
}

#[test]
fn a_coarse_search_keeps_the_budget_and_is_repeated_from_a_file() -> Outcome {
    let sandbox = Sandbox::new()?;
    let tried = |line: &str| -> Outcome<u64> {
        let told = sandbox.ok(&format!("fit builtin:gestures:train --flash 1k {line} --json"))?.json()?;
        assert!(told["flash_bytes"].as_u64().is_some_and(|bytes| bytes <= 1024), "{told}");
        told["budget"]["tried"].as_u64().ok_or_else(|| "nothing tried".into())
    };
    let (all, few) = (tried("-o all.nmk")?, tried("-o few.nmk --quick --save-config run.toml")?);
    assert!(few < all, "{few} candidates instead of {all}");
    sandbox.ok("fit --config run.toml -o again.nmk")?;
    assert_eq!(std::fs::read(sandbox.path("few.nmk"))?, std::fs::read(sandbox.path("again.nmk"))?);
    Ok(())
}

#[test]
fn a_budget_that_cannot_be_met_says_the_smallest_that_can() -> Outcome {
    let sandbox = Sandbox::new()?;
    let ran = sandbox.fails("fit builtin:gestures:train -o g.nmk --flash 100", 1, &["the smallest model"])?;
    let told = "100 bytes of flash are too few: the smallest model of these rows takes ";
    let least =
        ran.stderr.split(told).nth(1).and_then(|rest| rest.split_whitespace().next()).ok_or(ran.stderr.clone())?;
    let json = sandbox.ok(&format!("fit builtin:gestures:train -o g.nmk --flash {least} --json"))?.json()?;
    assert!(json["flash_bytes"].as_u64() <= least.parse().ok(), "{json}");
    Ok(())
}

#[test]
fn instructions_that_cannot_be_kept_are_told_too() -> Outcome {
    let sandbox = Sandbox::new()?;
    // Six hundred floats have to become integers without a float unit.
    let line = "fit builtin:gestures:train -o g.nmk --insns 5k --board m0";
    sandbox.fails(line, 1, &["5000 instructions on Cortex-M0 are too few: the smallest model of these rows takes"])?;
    Ok(())
}

#[test]
fn what_contradicts_a_budget_is_refused_before_any_work() -> Outcome {
    let sandbox = Sandbox::new()?;
    for (flags, told) in [
        ("--flash 2k --head knn:1", "--head: a budget search makes one point per class"),
        ("--flash 2k --pca 0.9", "--pca: a budget search finds the projection"),
        ("--flash 2k --method knn", "knn keeps every row"),
        ("--flash 2k --sigma 0.5x", "--sigma: a budget search finds it itself, unless a method is named"),
        ("--flash 2k --set centers=corners", "means, landmarks or exemplars"),
        ("--flash 2k --method lda --set centers=means", "--set centers: lda is linear"),
        ("--flash 2k --set refine=false --set passes=9", "--set passes: with refine=false"),
        ("--flash lots", "bytes like 2048, 16k"),
        ("--quick", "--quick: a fit without a budget has no search to shorten"),
        ("--insns 20k", "--insns needs --board"),
        ("--board m0", "--board needs --insns"),
        ("--flash 2k --tune-params", "--tune-params: a budget search chooses its own settings"),
        ("--flash 2k --keep-embedding", "--keep-embedding: a budget search finds the embedding"),
    ] {
        let ran = sandbox.run(&format!("fit builtin:digits:train -o d.nmk {flags}").split(' ').collect::<Vec<_>>())?;
        assert!(ran.code == 2 && ran.stderr.contains(told), "{flags}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn every_kind_of_method_fits_a_budget() -> Outcome {
    let sandbox = Sandbox::new()?;
    for flags in [
        "--method kdple",
        "--method ebek --set exemplars=10",
        "--method dple",
        "--method cmvda --set centers=landmarks",
        "--method lda --numeric f32",
        "--method cmvda --set refine=false",
    ] {
        let passes = if flags.contains("refine=false") { "" } else { "--set passes=10 " };
        let line = format!("fit builtin:gestures:train -o m.nmk --flash 1k {passes}{flags} --json");
        let told = sandbox.ok(&line)?.json()?;
        assert!(told["flash_bytes"].as_u64().is_some_and(|bytes| bytes <= 1024), "{flags}: {told}");
        let method = flags.split(' ').nth(1);
        assert_eq!(told["method"].as_str(), method, "{flags}");
    }
    Ok(())
}

#[test]
fn a_search_is_taken_up_where_it_was_left() -> Outcome {
    let sandbox = Sandbox::new()?;
    let tune = "tune builtin:gestures:train --flash 512 --state s.jsonl --set passes=10 --json";
    let first = sandbox.ok(&format!("{tune} -o a.nmk --all"))?.json()?;
    let points = first["points"].as_array().ok_or("no points")?;
    assert!(points.len() >= 2, "{first}");
    for point in points {
        assert!(point["flash_bytes"].as_u64() <= point["limit"].as_u64(), "{point}");
        let model = format!("a-{}.nmk", point["limit"]);
        assert!(sandbox.path(&model).is_file(), "{model}");
    }
    for file in ["a-front.md", "a-front.json", "a-front.svg"] {
        assert!(sandbox.path(file).is_file(), "{file}");
    }
    assert!(std::fs::read_to_string(sandbox.path("a-front.svg"))?.starts_with("<svg"));
    let lines = std::fs::read_to_string(sandbox.path("s.jsonl"))?.lines().count();
    let again = sandbox.ok(&format!("{tune} -o b.nmk"))?.json()?;
    assert_eq!(again["measurements"], first["measurements"], "nothing is measured twice");
    assert!(again["reused"].as_u64() >= again["measurements"].as_u64());
    assert_eq!(std::fs::read_to_string(sandbox.path("s.jsonl"))?.lines().count(), lines);
    assert_eq!(std::fs::read(sandbox.path("a.nmk"))?, std::fs::read(sandbox.path("b.nmk"))?);
    let other = "tune builtin:digits:train --flash 2k --state s.jsonl -o c.nmk";
    sandbox.fails(other, 1, &["s.jsonl", "remove it or name another"])?;
    Ok(())
}
