//! Items: models that hold rows with ids, and rows without labels.

use crate::sandbox::{Outcome, Sandbox, clouds};
use std::fs;

/// Two clouds with an id column in front: `id,a,b,class`, ids falling from 1000.
fn with_ids(rows: usize) -> String {
    let number = |(at, line): (usize, &str)| match at {
        0 => format!("id,{line}\n"),
        at => format!("{},{line}\n", 1001 - at),
    };
    clouds(rows).lines().enumerate().map(number).collect()
}

/// Two clouds without their labels.
fn bare(rows: usize) -> String {
    clouds(rows).lines().map(|line| line.rsplit_once(',').map_or(line, |(left, _)| left).to_owned() + "\n").collect()
}

#[test]
fn every_row_finds_itself_first_by_its_number_or_its_id() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(10))?;
    sandbox.write("ids.csv", with_ids(10))?;
    sandbox.ok("fit rows.csv -o m.nmk --method pca --dim 2 --head items")?;
    let found = sandbox.ok("search m.nmk rows.csv -k 3")?.stdout;
    let mut lines = found.lines();
    assert_eq!(lines.next(), Some("row,rank,id,distance,class,truth"));
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 60);
    for (row, three) in lines.chunks(3).enumerate() {
        let row = row.to_string();
        assert_eq!((three[0][0], three[0][1], three[0][2]), (row.as_str(), "1", row.as_str()));
        assert_eq!((three[0][4], three[2][1]), (three[0][5], "3"), "the item's class is the row's label");
        let distance = |line: usize| three[line][3].parse::<f32>();
        assert!(distance(0)? < 1e-3 && distance(1)? <= distance(2)?);
    }
    sandbox.ok("fit ids.csv -o i.nmk --method pca --dim 2 --head items --id id")?;
    let found = sandbox.ok("search i.nmk rows.csv -k 1 --json")?.json()?;
    assert_eq!((found["k"].as_u64(), found["items"].as_u64(), found["n"].as_u64()), (Some(1), Some(20), Some(20)));
    assert_eq!(found["rows"][3]["items"][0]["id"], 997);
    let inspected = sandbox.ok("inspect i.nmk --json")?.json()?;
    assert_eq!((inspected["items"].as_u64(), inspected["parameters"]["head"].as_str()), (Some(20), Some("items")));
    assert!(sandbox.ok("inspect i.nmk")?.stdout.contains("20 items with ids, 2 classes"));
    // The nearest item still names a class.
    assert_eq!(sandbox.ok("eval i.nmk rows.csv --json")?.json()?["accuracy"], 1.0);
    Ok(())
}

#[test]
fn found_items_are_written_as_tables_and_arrays() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.ok("fit builtin:digits:train -o d.nmk --method ebek --head items --numeric i8")?;
    sandbox.ok("search d.nmk builtin:digits:test -k 2 -o found.csv")?;
    let told = sandbox.ok("search d.nmk builtin:digits:test -k 2 -o found.npy --json")?.json()?;
    assert_eq!((told["n"].as_u64(), told["items"].as_u64()), (Some(540), Some(1257)));
    let table = fs::read_to_string(sandbox.path("found.csv"))?;
    assert_eq!(table.lines().count(), 1 + 2 * 540);
    let array = npyz::NpyFile::new(fs::File::open(sandbox.path("found.npy"))?)?;
    assert_eq!(array.shape(), [1080]);
    assert!(array.dtype().descr().contains("'distance'"));
    // Nearly all of the nearest items are of the row's class.
    let same = table.lines().skip(1).filter(|line| line.split(',').nth(4) == line.split(',').nth(5)).count();
    assert!(same > 1000, "{same} of 1080");
    Ok(())
}

#[test]
fn rows_without_labels_are_fitted_embedded_and_searched() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("bare.csv", bare(15))?;
    let told = sandbox.ok("fit bare.csv -o m.nmk --unlabelled --json")?;
    assert!(told.stderr.contains("no labels: method ebek"), "{}", told.stderr);
    let told = told.json()?;
    assert_eq!((told["labelled"].as_bool(), told["classes"].as_u64()), (Some(false), Some(0)));
    assert_eq!(told["params"]["labels"], "none");
    let found = sandbox.ok("search m.nmk bare.csv -k 1")?.stdout;
    assert_eq!(found.lines().next(), Some("row,rank,id,distance"));
    assert!(found.lines().skip(1).enumerate().all(|(row, line)| line.starts_with(&format!("{row},1,{row},"))));
    assert_eq!(sandbox.ok("embed m.nmk bare.csv")?.stdout.lines().count(), 31);
    let text = sandbox.ok("inspect m.nmk")?.stdout;
    assert!(text.contains("no classes") && text.contains("30 items without classes"), "{text}");
    for command in ["eval", "predict"] {
        sandbox.fails(&format!("{command} m.nmk bare.csv"), 1, &["m.nmk", "has no classes", "without labels"])?;
    }
    let named = "lda needs labels; these take rows without: ebek, knn, pca, kpca, keca, lpp";
    sandbox.fails("fit bare.csv -o n.nmk --unlabelled --method lda", 1, &[named])?;
    sandbox.fails("fit bare.csv -o n.nmk --unlabelled --label 1", 2, &["--label names labels"])?;
    sandbox.fails("fit bare.csv -o n.nmk --unlabelled --flash 2k", 2, &["--flash", "takes labels"])?;
    sandbox.fails("fit bare.csv -o n.nmk --unlabelled --holdout 0.2", 2, &["--holdout", "without labels"])?;
    // Without classes there is no twice their number.
    let told = sandbox.ok("fit builtin:gestures:train -o g.nmk --unlabelled --method kpca --json")?;
    assert_eq!(told.json()?["dim"], 10);
    assert!(told.stderr.contains("at most 10 axes"), "{}", told.stderr);
    Ok(())
}

#[test]
fn a_run_without_labels_is_repeated_from_its_file() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("ids.csv", with_ids(10))?;
    sandbox.ok("fit ids.csv -o m.nmk --unlabelled --id id --drop class --method pca --save-config run.toml")?;
    let first = fs::read(sandbox.path("m.nmk"))?;
    sandbox.ok("fit --config run.toml -o again.nmk")?;
    assert_eq!(fs::read(sandbox.path("again.nmk"))?, first);
    Ok(())
}

#[test]
fn ids_and_items_that_make_no_sense_are_refused() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("ids.csv", with_ids(10))?;
    sandbox.write("rows.csv", clouds(10))?;
    sandbox.ok("fit rows.csv -o mean.nmk")?;
    let without = ["mean.nmk", "no items", "--head items"];
    sandbox.fails("search mean.nmk rows.csv", 1, &without)?;
    sandbox.fails("fit ids.csv -o m.nmk --id id", 2, &["--id", "--head items"])?;
    sandbox.fails("fit ids.csv -o m.nmk --id a --head items", 1, &["ids.csv", "row 2", "is not a whole number"])?;
    sandbox.fails("fit builtin:digits -o m.nmk --id a --head items", 2, &["--id does not apply"])?;
    sandbox.fails("fit rows.csv -o m.nmk --head items --flash 2k", 2, &["--head", "items keep every row"])?;
    Ok(())
}

#[test]
fn arrays_and_images_do_without_labels_too() -> Outcome {
    let sandbox = Sandbox::new()?;
    fs::create_dir(sandbox.path("arrays"))?;
    let array = |name: &str, shape: &[u64], values: &[f32]| -> Outcome {
        use npyz::WriterBuilder;
        let file = fs::File::create(sandbox.path("arrays").join(name))?;
        let mut out = npyz::WriteOptions::new().default_dtype().shape(shape).writer(file).begin_nd()?;
        out.extend(values.iter().copied())?;
        Ok(out.finish()?)
    };
    let values: Vec<f32> = (0..40).map(|i| (i * 7 % 11) as f32).collect();
    array("X.npy", &[20, 2], &values)?;
    for data in ["arrays", "arrays/X.npy"] {
        let told = sandbox.ok(&format!("fit {data} -o m.nmk --unlabelled --method pca --json"))?.json()?;
        assert_eq!((told["rows"].as_u64(), told["labelled"].as_bool()), (Some(20), Some(false)), "{data}");
    }
    let ids: Vec<f32> = (0..20).map(|i| (90 - i) as f32).collect();
    array("number.npy", &[20], &ids)?;
    sandbox.fails("fit arrays -o n.nmk --unlabelled --method pca --id nothing", 1, &["no array `nothing`"])?;
    fs::create_dir(sandbox.path("pictures"))?;
    for at in 0..6_u8 {
        let picture = [b"P5 2 2 255\n".as_slice(), &[at, 10 * at, 20, 255 - at]].concat();
        sandbox.write(&format!("pictures/{at}.pgm"), picture)?;
    }
    let told = sandbox.ok("fit pictures -o p.nmk --unlabelled --method knn --json")?.json()?;
    assert_eq!(told["rows"], 6);
    let found = sandbox.ok("search p.nmk pictures -k 2")?.stdout;
    assert!(found.lines().nth(3).is_some_and(|line| line.starts_with("1,1,1,0")), "{found}");
    Ok(())
}
