//! Exemplars reach people: row numbers, classes and values in text and JSON, and EBEK's coordinates as an array.

use crate::sandbox::{Outcome, Sandbox};

const FIT: &str = "fit builtin:gestures:train -o e.nmk --method ebek --set exemplars=12 --kernel";

#[test]
fn fit_and_inspect_list_exemplars_with_row_class_and_values() -> Outcome {
    let sandbox = Sandbox::new()?;
    for kernel in ["gaussian", "linear"] {
        let fitted = sandbox.ok(&format!("{FIT} {kernel} --json"))?;
        assert!(fitted.stderr.contains("built on 12 training rows\n  row "), "{}", fitted.stderr);
        let fitted: serde_json::Value = serde_json::from_str(&fitted.stdout)?;
        let list = fitted["exemplars"].as_array().ok_or("no exemplars")?;
        assert_eq!(list.len(), 12);
        let inputs = fitted["inputs"].as_u64().ok_or("no inputs")? as usize;
        assert!(list.iter().all(|one| one["values"].as_array().map(Vec::len) == Some(inputs)));
        let names = fitted["class_names"].as_array().ok_or("no names")?;
        assert!(list.iter().all(|one| names.contains(&one["class"])));

        let plain: serde_json::Value = serde_json::from_str(&sandbox.ok("inspect e.nmk --json")?.stdout)?;
        let with_rows: serde_json::Value =
            serde_json::from_str(&sandbox.ok("inspect e.nmk builtin:gestures:train --json")?.stdout)?;
        assert_eq!(with_rows["exemplars"], fitted["exemplars"]);
        assert_eq!(plain["exemplars"][0]["row"], list[0]["row"]);
        assert!(plain["exemplars"][0].get("values").is_none());
        let text = sandbox.ok("inspect e.nmk builtin:gestures:train")?;
        let row = list[0]["row"].as_u64().ok_or("no row")?;
        let line = format!("  row {row:<7} class {}", list[0]["class"].as_str().ok_or("no class")?);
        assert!(text.stdout.contains(&line) && text.stderr.is_empty(), "{}{}", text.stdout, text.stderr);
    }
    Ok(())
}

#[test]
fn landmarks_are_listed_too_and_other_data_are_noticed() -> Outcome {
    let sandbox = Sandbox::new()?;
    let fitted = sandbox.ok("fit builtin:digits:train -o n.nmk --features nystrom:30")?;
    assert!(fitted.stderr.contains("and 10 more, which --json lists"), "{}", fitted.stderr);
    let other = sandbox.ok("inspect n.nmk builtin:digits")?;
    assert!(other.stderr.contains("is not exactly the data that the model was fitted on"), "{}", other.stderr);
    // A model of no exemplars lists none.
    sandbox.ok("fit builtin:gestures:train -o l.nmk --method lda")?;
    let none: serde_json::Value = serde_json::from_str(&sandbox.ok("inspect l.nmk --json")?.stdout)?;
    assert_eq!(none["exemplars"], serde_json::json!([]));
    Ok(())
}

#[test]
fn coordinates_are_written_by_ebek_alone() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.ok(&format!("{FIT} linear --save-coordinates T.npy"))?;
    let file = npyz::NpyFile::new(std::fs::File::open(sandbox.path("T.npy"))?)?;
    assert_eq!(file.shape()[0], 12);
    assert!(file.into_vec::<f64>()?.iter().all(|value| value.is_finite()));
    sandbox.fails("fit builtin:gestures:train -o x.nmk --save-coordinates T2.npy", 2, &["only ebek"])?;
    sandbox.fails(&format!("{FIT} linear --save-coordinates e.nmk"), 2, &["already used"])?;
    Ok(())
}

#[test]
fn more_exemplars_than_the_rank_are_a_note_and_run_on_the_device() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("two.csv", "a,b,kind\n1,0,x\n2,0.1,x\n0,1,y\n0.1,3,y\n1.5,0,x\n0,2,y\n")?;
    for numeric in ["f32", "i8"] {
        let line = format!("fit two.csv -o m.nmk --method ebek --kernel linear --scale none --numeric {numeric}");
        let fitted = sandbox.ok(&line)?;
        assert!(fitted.stderr.contains("exemplars is 20, but the kernel matrix has rank 2"), "{}", fitted.stderr);
        let found: serde_json::Value = serde_json::from_str(&sandbox.ok("eval m.nmk two.csv --json")?.stdout)?;
        assert_eq!(found["accuracy"], 1.0, "{numeric}");
    }
    Ok(())
}
