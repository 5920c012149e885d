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
    sandbox.write("bad.csv", "when,a,b,kind\n2024-05-01,1,2,x\n2024-05-02,oops,3,y\n2024-05-03,2,4,\n")?;
    let report = sandbox.ok("check bad.csv")?.stdout;
    for part in ["column 0 (when) holds dates", "`oops` in line 3", "column 3 (kind): 1 rows have no label"] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    assert!(report.contains("cannot be read yet: line 4, column 3 (kind): the label is empty"), "{report}");
    assert!(!report.contains("next"), "{report}");
    // What a terminal would obey is not printed raw.
    sandbox.write("escape.csv", "a,b,kind\n1,2,\u{1b}[31mred\n2,3,blue\n")?;
    assert!(!sandbox.ok("check escape.csv")?.stdout.contains('\u{1b}'));
    Ok(())
}
