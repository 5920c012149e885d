//! Groups stay whole in every hold-out.

use crate::sandbox::{Outcome, Sandbox, clouds};

/// Forty people, each with six equal rows and a class that has nothing to do with them: whoever has seen one row of a
/// person knows the others, and nobody knows a stranger.
fn people() -> String {
    let rows = (0..240_usize).map(|row| {
        let person = row / 6;
        let class = ["on", "off"][(person.wrapping_mul(2_654_435_761) >> 13) & 1];
        format!("{},{},p{person},{class}\n", person * 17 % 40, person * 29 % 40)
    });
    format!("a,b,person,class\n{}", rows.collect::<String>())
}

#[test]
fn a_hold_out_meets_only_strangers() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", people())?;
    let told = |line: &str| -> Outcome<f64> {
        let json = sandbox.ok(&format!("fit rows.csv -o m.nmk --method knn --head knn:1 {line} --json"))?.json()?;
        Ok(json["holdout"]["accuracy"].as_f64().ok_or("no accuracy")?)
    };
    assert!(told("--holdout 0.25 --drop person")? > 0.99);
    assert!(told("--holdout 0.25 --group person")? < 0.9);
    // The model itself is fitted on all rows and takes two values, the person being none.
    let accuracy = sandbox.ok("eval m.nmk rows.csv --group person --json")?.json()?["accuracy"].as_f64();
    assert_eq!(accuracy, Some(1.0));
    assert_eq!(sandbox.ok("predict m.nmk rows.csv --group person")?.stdout.lines().count(), 241);
    Ok(())
}

/// Forty recordings of ten rows, in one piece or dealt out; where a recording lies says little of its class.
fn recordings(in_one_piece: bool) -> String {
    let place = |recording: usize, axis: usize| (recording * [31, 17, 23][axis] % 41) as f64;
    let row = |i: usize| {
        let recording = if in_one_piece { i / 10 } else { i * 7 % 40 };
        let value = |axis: usize| place(recording, axis) + (i * [5, 11, 3][axis] % 13) as f64 / 13.0;
        format!("{:.3},{:.3},{:.3},{}\n", value(0), value(1), value(2), ["on", "off"][recording / 2 % 2])
    };
    format!("a,b,c,class\n{}", (0..400).map(row).collect::<String>())
}

#[test]
fn recordings_in_one_piece_are_held_out_in_blocks_and_both_accuracies_are_stated() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("pieces.csv", recordings(true))?;
    sandbox.write("dealt.csv", recordings(false))?;
    for flags in ["--flash 500 --set passes=3", "--method knn --holdout 0.25", "--method auto"] {
        let ran = sandbox.ok(&format!("fit pieces.csv -o m.nmk {flags} --json"))?;
        let json = ran.json()?;
        let own = if flags.contains("holdout") { &json["holdout"] } else { &json };
        let both = &own["hold_outs"];
        assert_eq!(both["chosen_by"], "blocks", "{flags}: {json}");
        let accuracy = |kind: &str| both[kind].as_f64().unwrap_or(f64::NAN);
        assert!(accuracy("random") > accuracy("blocks") + 0.1, "{flags}: {both}");
        for told in ["beside them in the file", "contiguous blocks", "--group"] {
            assert!(ran.stderr.contains(told), "{flags}: {}", ran.stderr);
        }
        if !flags.contains("holdout") {
            let stored = sandbox.ok("inspect m.nmk --json")?.stdout;
            assert!(stored.contains("held-out accuracy by blocks"), "{flags}: {stored}");
        }
        let shuffled = sandbox.ok(&format!("fit dealt.csv -o m.nmk {flags} --json"))?;
        assert!(shuffled.json()?["hold_outs"].is_null() && !shuffled.stderr.contains("beside them"), "{flags}");
    }
    Ok(())
}

#[test]
fn groups_change_no_byte_of_the_model() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", people())?;
    sandbox.ok("fit rows.csv -o a.nmk --group person --save-config run.toml")?;
    sandbox.ok("fit rows.csv -o b.nmk --drop person")?;
    sandbox.ok("fit --config run.toml -o c.nmk")?;
    let bytes = |name: &str| std::fs::read(sandbox.path(name));
    assert_eq!(bytes("a.nmk")?, bytes("b.nmk")?);
    assert_eq!(bytes("a.nmk")?, bytes("c.nmk")?);
    Ok(())
}

#[test]
fn groups_that_cannot_be_held_out_are_refused() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("rows.csv", clouds(10))?;
    sandbox.fails("fit rows.csv -o m.nmk --group who", 1, &["rows.csv", "no column `who`", "there are a, b, class"])?;
    let one: String = people().lines().map(|line| line.replace("p39", "p0") + "\n").collect();
    let one = one.lines().filter(|line| line.contains("p0") || line.starts_with("a,")).collect::<Vec<_>>().join("\n");
    sandbox.write("one.csv", one)?;
    sandbox.fails("fit one.csv -o m.nmk --group person", 1, &["one.csv", "1 group, at least 2 are needed"])?;
    sandbox.write("people.csv", people())?;
    let cv = "compare people.csv --group person --methods lda --cv";
    sandbox.fails(&format!("{cv} 50"), 1, &["40 groups, at least 50 are needed"])?;
    sandbox.ok(&format!("{cv} 4"))?;
    sandbox.fails("compare people.csv --group person --methods lda --train-per-class 5", 1, &["would split groups"])?;
    Ok(())
}
