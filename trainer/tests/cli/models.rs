//! Fitting, measuring, looking inside, repeating.

use crate::sandbox::{Outcome, Sandbox, clouds};
use std::fs;

#[test]
fn gestures_are_learned_with_no_flags() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.ok("fit builtin:gestures:train -o gestures.nmk")?;
    let found = sandbox.ok("eval gestures.nmk builtin:gestures:test --json")?.json()?;
    assert!(found["accuracy"].as_f64().is_some_and(|accuracy| accuracy >= 0.97), "{found}");
    Ok(())
}

#[test]
fn windows_may_come_as_a_driver_delivers_them() -> Outcome {
    let sandbox = Sandbox::new()?;
    for window in ["stats", "none"] {
        let flags = format!("--window {window}");
        sandbox.ok(&format!("fit builtin:gestures:train -o plain.nmk {flags}"))?;
        sandbox.ok(&format!("fit builtin:gestures:train -o woven.nmk {flags} --interleaved"))?;
        let plain = sandbox.ok("eval plain.nmk builtin:gestures:test --json")?.json()?;
        let woven = sandbox.ok("eval woven.nmk builtin:gestures:test --json")?.json()?;
        assert_eq!(plain["confusion"], woven["confusion"], "{window}");
        let labels = |model: &str| -> Outcome<Vec<String>> {
            let answers = sandbox.ok(&format!("predict {model} builtin:gestures:test"))?.stdout;
            Ok(answers.lines().map(|line| line.split(',').next().unwrap_or_default().to_owned()).collect())
        };
        assert_eq!(labels("plain.nmk")?, labels("woven.nmk")?);
    }
    Ok(())
}

#[test]
fn the_json_of_fit_eval_and_inspect_agree() -> Outcome {
    let sandbox = Sandbox::new()?;
    let fit = sandbox.ok("fit builtin:digits:train -o d.nmk --holdout 0.2 --json")?.json()?;
    let inspect = sandbox.ok("inspect d.nmk --json")?.json()?;
    for key in ["id", "flash_bytes", "file_bytes", "ram_bytes", "multiplications", "method", "dim", "inputs", "classes"]
    {
        assert_eq!(fit[key], inspect[key], "{key}");
        assert!(!fit[key].is_null(), "{key}");
    }
    assert_eq!(fit["file_bytes"].as_u64(), Some(fs::metadata(sandbox.path("d.nmk"))?.len()));
    let parts = inspect["parts"].as_array().ok_or("no parts")?;
    let sum: u64 = parts.iter().filter_map(|part| part["bytes"].as_u64()).sum();
    assert_eq!(Some(sum), inspect["file_bytes"].as_u64());
    assert_eq!(inspect["scores"]["holdout"], fit["holdout"]["accuracy"]);
    let eval = sandbox.ok("eval d.nmk builtin:digits:test --json")?.json()?;
    assert_eq!(eval["n"], 540);
    assert!(eval["accuracy"].as_f64().is_some_and(|accuracy| accuracy > 0.985), "{eval}");
    for key in ["balanced_accuracy", "confusion", "per_class"] {
        assert!(!eval[key].is_null(), "{key}");
    }
    let widest = sandbox.ok("eval d.nmk builtin:digits:test")?.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|widest| widest <= 80), "{widest:?}");
    sandbox.ok("strip d.nmk -o core.nmk")?;
    assert_eq!(fit["flash_bytes"].as_u64(), Some(fs::metadata(sandbox.path("core.nmk"))?.len()));
    let stripped = sandbox.ok("eval core.nmk builtin:digits:test --json")?.json()?;
    assert_eq!(stripped["confusion"], eval["confusion"]);
    Ok(())
}

#[test]
fn a_saved_run_repeats_to_the_byte() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(20))?;
    let flags = "--method auto --holdout 0.25 --scale minmax --head prototypes:2 --seed 7 --label class";
    sandbox.ok(&format!("fit rows.csv -o a.nmk {flags} --save-config run.toml"))?;
    sandbox.ok("fit --config run.toml -o b.nmk")?;
    sandbox.ok(&format!("fit rows.csv -o c.nmk {flags} --threads 1"))?;
    let first = fs::read(sandbox.path("a.nmk"))?;
    assert!(first == fs::read(sandbox.path("b.nmk"))?);
    assert!(first == fs::read(sandbox.path("c.nmk"))?);
    sandbox.ok("fit --config run.toml -o d.nmk --method lda")?;
    assert_eq!(sandbox.ok("inspect d.nmk --json")?.json()?["method"], "lda");
    sandbox.write("typo.toml", "[model]\nmethot = \"lda\"\n")?;
    sandbox.fails("fit rows.csv -o e.nmk --config typo.toml", 1, &["typo.toml, line 2: ", "methot"])?;
    Ok(())
}

#[test]
fn paths_in_a_config_are_relative_to_it() -> Outcome {
    let sandbox = Sandbox::new()?;
    for folder in ["runs", "runs/deep", "elsewhere"] {
        fs::create_dir(sandbox.path(folder))?;
    }
    sandbox.write("runs/rows.csv", clouds(12))?;
    sandbox.write("runs/by-hand.toml", "data = \"rows.csv\"\noutput = \"hand.nmk\"\n[model]\nmethod = \"lda\"\n")?;
    sandbox.ok("fit --config runs/by-hand.toml")?;
    assert!(sandbox.path("runs/hand.nmk").is_file(), "the model goes beside the file that names it");
    // A saved run is repeated from another folder, whether the rows lie below the file or not.
    for saved in ["runs/run.toml", "runs/deep/run.toml", "elsewhere/run.toml", "run.toml"] {
        sandbox.ok(&format!("fit runs/rows.csv -o first.nmk --method lda --save-config {saved}"))?;
        let first = fs::read(sandbox.path("first.nmk"))?;
        fs::remove_file(sandbox.path("first.nmk"))?;
        let mut command = sandbox.command();
        command.current_dir(sandbox.path("elsewhere")).arg("fit").arg("--config").arg(sandbox.path(saved));
        let ran = crate::sandbox::Ran::of(command.output()?)?;
        assert_eq!(ran.code, 0, "{saved}: {}", ran.stderr);
        assert!(first == fs::read(sandbox.path("first.nmk"))?, "{saved}");
    }
    let inside = fs::read_to_string(sandbox.path("runs/run.toml"))?;
    assert!(inside.contains("data = \"rows.csv\""), "{inside}");
    sandbox.write("runs/missing.toml", "data = \"none.csv\"\noutput = \"m.nmk\"\n")?;
    sandbox.fails("fit --config runs/missing.toml", 1, &["reading runs/none.csv"])?;
    Ok(())
}

#[test]
fn fit_tells_people_what_it_did() -> Outcome {
    let sandbox = Sandbox::new()?;
    let told = sandbox.ok("fit builtin:digits:train -o d.nmk --method auto --holdout 0.2")?;
    assert_eq!(told.stdout, "");
    let expected = [
        "1 257 rows of 64 values, 10 classes",
        "tried cmvda",
        "chosen by cross-validation",
        "holdout 9",
        "flash ",
        "RAM ",
        "multiplications",
        "gaussian centers",
        "nearmark = { version",
    ];
    for part in expected {
        assert!(told.stderr.contains(part), "{part}\n{}", told.stderr);
    }
    Ok(())
}

#[test]
fn columns_can_be_named_dropped_and_left_nameless() -> Outcome {
    let sandbox = Sandbox::new()?;
    let name = |i: usize| if i == 0 { "id".to_owned() } else { i.to_string() };
    let table = clouds(10);
    let with_id: Vec<String> = table.lines().enumerate().map(|(i, line)| format!("{},{line}", name(i))).collect();
    sandbox.write("id.csv", with_id.join("\n"))?;
    sandbox.ok("fit id.csv -o m.nmk --drop id --label class")?;
    let inspect = sandbox.ok("inspect m.nmk --json")?.json()?;
    assert_eq!(inspect["feature_names"], serde_json::json!(["a", "b"]));
    assert_eq!(inspect["class_names"], serde_json::json!(["high", "low"]));
    sandbox.ok("eval m.nmk id.csv --drop id")?;
    sandbox.ok("fit id.csv -o bare.nmk --drop id --no-names")?;
    let bare = sandbox.ok("inspect bare.nmk --json")?.json()?;
    assert!(bare["flash_bytes"].as_u64() < inspect["flash_bytes"].as_u64());
    // The workstation still knows the names, by a field of their own.
    assert_eq!(bare["class_names"], serde_json::json!(["high", "low"]));
    assert_eq!(bare["parameters"].get("classes"), None);
    sandbox.ok("eval bare.nmk id.csv --drop id")?;
    sandbox.ok("strip bare.nmk -o stripped.nmk")?;
    sandbox.fails("eval stripped.nmk id.csv --drop id", 1, &["label 'low' is not a class of the model"])?;
    Ok(())
}

#[test]
fn windows_without_statistics_keep_their_order_of_channels() -> Outcome {
    let sandbox = Sandbox::new()?;
    let accuracy = |flags: &str| -> Outcome<(serde_json::Value, bool)> {
        sandbox.ok(&format!("fit builtin:gestures:train -o raw.nmk --method knn --window none {flags}"))?;
        let inspect = sandbox.ok("inspect raw.nmk --json")?.json()?;
        assert_eq!(inspect["parameters"].get("layout"), None);
        let eval = sandbox.ok("eval raw.nmk builtin:gestures:test --json")?.json()?;
        Ok((eval["confusion"].clone(), inspect["interleaved"] == true))
    };
    let (planar, interleaved) = (accuracy("")?, accuracy("--interleaved")?);
    assert_eq!((planar.1, interleaved.1), (false, true));
    // Neighbors do not depend on the order of features, as long as both sides have the same.
    assert_eq!(planar.0, interleaved.0);
    Ok(())
}

#[test]
fn a_module_carries_the_model_and_a_self_test() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.ok("fit builtin:gestures:train -o gestures.nmk")?;
    sandbox.ok("export gestures.nmk --lang rust -o out")?;
    let module = fs::read_to_string(sandbox.path("out/gestures.rs"))?;
    for part in ["include_model!", "pub fn self_test", "Badminton", "const INPUTS", "nearmark = { version"] {
        assert!(module.contains(part), "{part}\n{module}");
    }
    assert!(sandbox.path("out/gestures.nmk").is_file());
    Ok(())
}
