//! `--tune-params`: reported, repeatable, refused where it means nothing.

use crate::sandbox::{Outcome, Sandbox, clouds};
use std::fs;

#[test]
fn tuned_settings_are_reported_and_repeat_to_the_byte() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(12))?;
    let line = "fit rows.csv -o a.nmk --method cmvda --tune-params --save-config run.toml";
    let told = sandbox.ok(&format!("{line} --json"))?;
    let object = told.json()?;
    let trials = object["tuning"].as_array().ok_or("no trials")?;
    assert!(trials.len() >= 8, "{trials:?}");
    for trial in trials {
        assert!(trial["accuracy"].is_f64() && trial["standard_error"].is_f64() && trial["round"].is_u64(), "{trial}");
        assert!(trial["params"]["sigma"].is_string() && trial["params"]["ridge"].is_string(), "{trial}");
    }
    assert_eq!(trials.iter().filter(|trial| trial["chosen"] == true).count(), 1);
    assert!(
        told.stderr.contains("round 0  ridge 0.01, sigma 0.71x") && told.stderr.contains("chosen"),
        "{}",
        told.stderr
    );
    assert!(!fs::read_to_string(sandbox.path("run.toml"))?.contains("tune_params"), "the run is decided");
    sandbox.ok("fit --config run.toml -o b.nmk")?;
    sandbox.write("tuned.toml", "[model]\nmethod = \"cmvda\"\ntune_params = true\n")?;
    sandbox.ok("fit rows.csv --config tuned.toml -o c.nmk --threads 1")?;
    let first = fs::read(sandbox.path("a.nmk"))?;
    assert!(first == fs::read(sandbox.path("b.nmk"))?);
    assert!(first == fs::read(sandbox.path("c.nmk"))?);
    Ok(())
}

#[test]
fn a_comparison_tunes_within_every_split() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(12))?;
    let object = sandbox.ok("compare rows.csv --methods kda,lda --cv 3 --tune-params --json")?.json()?;
    for row in object["methods"].as_array().ok_or("no methods")? {
        let splits = row["tuned"].as_array().map(Vec::len);
        assert_eq!(splits, (row["method"] == "kda").then_some(3), "{row}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_tuned_is_refused_by_name() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(6))?;
    let none = ["--tune-params: lda has no settings to tune; these methods have: nsse, cmvca, cmvda"];
    sandbox.fails("fit rows.csv -o a.nmk --method lda --tune-params", 2, &none)?;
    let given = ["--tune-params: every setting of kda that can be tuned is given: sigma"];
    sandbox.fails("fit rows.csv -o a.nmk --method kda --sigma mean --tune-params", 2, &given)?;
    Ok(())
}
