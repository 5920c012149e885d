//! One look at data before any fit: what it prints, and that the command it proposes runs.

use crate::sandbox::{Outcome, Sandbox};
use std::fmt::Write;

/// The command that `check` proposes, without the name of the tool.
fn proposed(report: &str) -> Option<&str> {
    report.lines().last()?.trim().strip_prefix("nearmark ")
}

/// Iris-like rows as pandas writes them: an unnamed index first, sorted by class.
fn pandas() -> String {
    let mut text = ",length,width,species\n".to_owned();
    for i in 0..90 {
        let class = i / 30;
        let (length, width) = ((i * 7 % 23) as f64 / 10.0 + class as f64, (i * 11 % 17) as f64 / 10.0);
        let _ = writeln!(text, "{i},{length:.1},{width:.1},{}", ["setosa", "versicolor", "virginica"][class]);
    }
    text
}

#[test]
fn an_index_is_named_by_check_and_by_fit_and_the_proposed_fit_runs() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("iris.csv", pandas())?;
    let report = sandbox.ok("check iris.csv")?.stdout;
    assert!(report.contains("iris.csv: 90 rows, 4 columns named in the first line, separated by `,`"), "{report}");
    assert!(
        report.contains("column 0 is a running index: a model would learn the order of the rows: --drop 0"),
        "{report}"
    );
    assert!(report.contains("classes  3: setosa 30, versicolor 30, virginica 30"), "{report}");
    let command = proposed(&report).ok_or("no command")?;
    assert_eq!(command, "fit iris.csv --drop 0 --flash 4k -o iris.nmk");
    let fitted = sandbox.ok(command)?;
    assert!(!fitted.stderr.contains("running index"), "{}", fitted.stderr);
    let json = sandbox.ok("check iris.csv --json")?.json()?;
    assert_eq!(json["findings"][0]["flag"], "--drop 0");
    assert_eq!(json["columns"][0]["use"], "dropped");
    assert_eq!((json["inputs"].as_u64(), json["command"].as_str()), (Some(2), Some(&*format!("nearmark {command}"))));
    let warned = sandbox.ok("fit iris.csv -o all.nmk --method lda")?;
    assert!(warned.stderr.contains("warning column 0 is a running index"), "{}", warned.stderr);
    let json = sandbox.ok("fit iris.csv -o all.nmk --method lda --json")?.json()?;
    assert_eq!(json["warnings"][0]["kind"], "index");
    Ok(())
}

#[test]
fn every_form_of_data_is_described() -> Outcome {
    let sandbox = Sandbox::new()?;
    let digits = sandbox.ok("check builtin:digits:train")?.stdout;
    assert!(digits.contains("1 257 of 8 × 8 pixels, U8 values from 0 to 16"), "{digits}");
    assert_eq!(proposed(&digits), Some("fit builtin:digits:train --flash 4k -o digits.nmk"));
    let gestures = sandbox.ok("check builtin:gestures")?.stdout;
    assert!(gestures.contains("80 of 6 channels × 100 steps"), "{gestures}");
    sandbox.write("x.svm", "1 1:1 3:2\n2 2:1\n1 1:2\n2 3:1\n")?;
    assert!(sandbox.ok("check x.svm")?.stdout.contains("4 of 3 values"));
    sandbox.fails("check none.csv", 1, &["reading none.csv", "no such file"])?;
    sandbox.fails("check x.svm --label a", 2, &["--label does not apply to svmlight files"])?;
    Ok(())
}

#[test]
fn what_cannot_be_read_yet_is_reported_with_all_its_problems() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("bad.csv", "when,a,b,kind\n2024-05-01,1,2,x\n2024-05-02,oops,3,y\n2024-05-03,2,4,\n1,2\n")?;
    let report = sandbox.ok("check bad.csv")?.stdout;
    for part in ["column 0 (when) holds dates", "`oops` in line 3", "column 3 (kind): 1 rows have no label"] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    assert!(report.contains("cannot be read yet: line 5: 2 columns, but line 1 has 4"), "{report}");
    assert!(!report.contains("next"), "{report}");
    // What a terminal would obey is not printed raw.
    sandbox.write("escape.csv", "a,b,kind\n1,2,\u{1b}[31mred\n2,3,blue\n")?;
    assert!(!sandbox.ok("check escape.csv")?.stdout.contains('\u{1b}'));
    Ok(())
}

/// A table as people have them: ids, dates, decimal commas, gaps, words, an empty column, labels written in two ways.
fn messy() -> String {
    let mut text = "id;when;size;weight;color;note;kind\n".to_owned();
    for i in 0..120 {
        let class = i % 2;
        let size = if i % 9 == 4 { "NA".to_owned() } else { format!("{},{}", 3 * class + i % 3, i * 7 % 10) };
        let weight = format!("{},5", 20 + 7 * class + i * 5 % 6);
        let color = ["red", "blue", "green"][i * 11 % 3];
        let kind = [["good", "bad"], ["Good", "bad"]][usize::from(i % 24 == 0)][class];
        let _ = writeln!(text, "p{i};2024-05-{:02};{size};{weight};{color};;{kind}", i % 28 + 1);
    }
    text
}

#[test]
fn a_messy_table_becomes_a_model_by_the_command_that_check_proposes() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("messy.csv", messy())?;
    sandbox.fails(
        "fit messy.csv -o m.nmk",
        1,
        &["line 2, column 0 (id): `p0` is not a number; --onehot or --codes reads words"],
    )?;
    let report = sandbox.ok("check messy.csv")?.stdout;
    for part in ["column 2 (size): 13 of 120 cells are missing: --missing median", "`Good`, `good` differ only in case"]
    {
        assert!(report.contains(part), "{part}\n{report}");
    }
    let command =
        "fit messy.csv --drop id,when,note --decimal , --missing median --onehot color --flash 4k -o messy.nmk";
    assert_eq!(proposed(&report), Some(command), "{report}");
    let fitted = sandbox.ok(&format!("{command} --save-config run.toml"))?;
    assert!(fitted.stderr.contains("note: missing cells filled in by the median of all rows: 13 in column 2 (size)"));
    sandbox.ok("fit --config run.toml -o again.nmk")?;
    assert_eq!(std::fs::read(sandbox.path("messy.nmk"))?, std::fs::read(sandbox.path("again.nmk"))?);
    // The model fills in by itself what is missing, and has words and medians for the firmware.
    let read = "--drop id,when,note --decimal ,";
    let accuracy = sandbox.ok(&format!("eval messy.nmk messy.csv {read} --json"))?.json()?["accuracy"].as_f64();
    assert!(accuracy.is_some_and(|accuracy| accuracy > 0.9), "{accuracy:?}");
    assert_eq!(sandbox.ok(&format!("predict messy.nmk messy.csv {read}"))?.stdout.lines().count(), 121);
    sandbox.fails(
        &format!("predict messy.nmk messy.csv {read} --missing error -o answers.csv"),
        1,
        &["`NA` stands for a missing number; --missing drop leaves such rows out"],
    )?;
    sandbox.ok("export messy.nmk -o firmware")?;
    let source = std::fs::read_to_string(sandbox.path("firmware/messy.rs"))?;
    assert!(source.contains("pub const FILL: Sample = ["), "{source}");
    let words = "// Words of column color (input 2): 1 at the place of the word, 0 elsewhere: 0 blue, 1 green, 2 red";
    assert!(source.contains(words), "{source}");
    sandbox.ok("export messy.nmk --lang c --no-library -o c")?;
    assert!(std::fs::read_to_string(sandbox.path("c/messy.h"))?.contains("extern const messy_sample messy_fill;"));
    Ok(())
}
