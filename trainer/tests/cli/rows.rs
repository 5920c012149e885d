//! Rows out: predictions and coordinates.

use crate::sandbox::{Outcome, Sandbox, clouds};
use std::fs;

#[test]
fn predictions_come_with_distance_margin_radius_and_truth() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(10))?;
    sandbox.ok("fit rows.csv -o m.nmk")?;
    let csv = sandbox.ok("predict m.nmk rows.csv")?.stdout;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("label,distance,margin,radius,truth"));
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields.len(), fields[0]), (5, fields[4]), "{line}");
        assert!(fields[1].parse::<f32>()? >= 0.0 && fields[2].parse::<f32>()? > 0.0 && fields[3].parse::<f32>()? > 0.0);
    }
    // Without labels: the same answers.
    let bare: String =
        clouds(10).lines().map(|line| line.rsplit_once(',').map_or(line, |(left, _)| left).to_owned() + "\n").collect();
    sandbox.write("bare.csv", bare)?;
    let answers = sandbox.ok("predict m.nmk bare.csv")?.stdout;
    assert_eq!(answers.lines().next(), Some("label,distance,margin,radius"));
    assert!(answers.lines().zip(csv.lines()).skip(1).all(|(bare, full)| full.starts_with(bare)));
    let json = sandbox.ok("predict m.nmk bare.csv --json")?.json()?;
    assert_eq!((json["n"].as_u64(), json["predictions"].as_array().map(Vec::len)), (Some(20), Some(20)));
    Ok(())
}

#[test]
fn array_files_hold_what_the_table_holds() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.ok("fit builtin:digits:train -o d.nmk --method lda")?;
    sandbox.ok("embed d.nmk builtin:digits:test -o z.npy")?;
    sandbox.ok("embed d.nmk builtin:digits:test -o z.csv")?;
    let array = npyz::NpyFile::new(fs::File::open(sandbox.path("z.npy"))?)?;
    assert_eq!(array.shape(), [540, 9]);
    let values: Vec<f32> = array.into_vec()?;
    let table = fs::read_to_string(sandbox.path("z.csv"))?;
    let first: Vec<f32> =
        table.lines().nth(1).ok_or("no rows")?.split(',').take(9).map(str::parse).collect::<Result<_, _>>()?;
    assert_eq!(values[..9], first[..]);
    sandbox.ok("predict d.nmk builtin:digits:test -o answers.npy")?;
    let answers = npyz::NpyFile::new(fs::File::open(sandbox.path("answers.npy"))?)?;
    assert_eq!(answers.shape(), [540]);
    assert!(answers.dtype().descr().contains("'class'"));
    Ok(())
}

#[test]
fn columns_in_another_order_are_matched_by_name() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(10))?;
    let turned = |line: &str| line.split(',').rev().collect::<Vec<_>>().join(",");
    sandbox.write("turned.csv", clouds(10).lines().map(turned).collect::<Vec<_>>().join("\n"))?;
    sandbox.ok("fit rows.csv -o m.nmk")?;
    let straight = sandbox.ok("predict m.nmk rows.csv")?.stdout;
    let turned = sandbox.ok("predict m.nmk turned.csv --label class")?;
    assert_eq!(turned.stdout, straight);
    assert!(turned.stderr.contains("matched by name"), "{}", turned.stderr);
    let accuracy = sandbox.ok("eval m.nmk turned.csv --label class --json")?.json()?["accuracy"].as_f64();
    assert_eq!(accuracy, Some(1.0));
    Ok(())
}

#[test]
fn a_model_without_names_is_measured_by_those_of_its_provenance() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(10).replace("low", "1").replace("high", "2"))?;
    sandbox.ok("fit rows.csv -o m.nmk --no-names --holdout 0.3")?;
    let accuracy = sandbox.ok("eval m.nmk rows.csv --json")?.json()?["accuracy"].as_f64();
    assert_eq!(accuracy, Some(1.0));
    assert!(sandbox.ok("predict m.nmk rows.csv")?.stdout.lines().skip(1).all(|line| line.starts_with(['1', '2'])));
    Ok(())
}

#[test]
fn an_object_is_printed_whole_or_not_at_all() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(10))?;
    sandbox.ok("fit rows.csv -o m.nmk")?;
    sandbox.write("torn.csv", clouds(10) + "1,2\n")?;
    sandbox.fails("predict m.nmk torn.csv --json", 1, &["torn.csv", "line 22"])?;
    sandbox.fails("embed m.nmk torn.csv --json", 1, &["torn.csv", "line 22"])?;
    let told = sandbox.ok("predict m.nmk rows.csv -o answers.csv --json")?.json()?;
    assert_eq!(told["n"], 20);
    assert!(sandbox.ok("completions bash --json")?.json()?["script"].as_str().is_some());
    Ok(())
}
