//! From a log to a model of windows.

use crate::sandbox::{Outcome, Sandbox};
use std::fmt::Write;

/// A log of four people who rest and walk in turn, two channels at 10 Hz.
fn log() -> String {
    let mut text = "t,ax,ay,who,kind\n".to_owned();
    for i in 0..1600 {
        let (who, walks) = (i / 400, i / 100 % 2);
        let swing = if i % 4 < 2 { 9 } else { 0 };
        let (x, y) = (20 + who + walks * swing + i * 7 % 3, i * 11 % 5 + walks * 3);
        let _ = writeln!(text, "{:.1},{x},{y},p{who},{}", 0.1 * i as f64, ["rest", "walk"][walks]);
    }
    text
}

#[test]
fn a_log_becomes_a_model_of_windows() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("log.csv", log())?;
    let line =
        "fit log.csv -o m.nmk --window-rows 20 --step 10 --time t --group who --method lda --save-config run.toml";
    let fitted = sandbox.ok(line)?;
    for part in
        ["windows of 2 channels × 20 steps, every 10 rows, from 4 pieces", "rows of 2 channels × 20 steps, 2 classes"]
    {
        assert!(fitted.stderr.contains(part), "{part}\n{}", fitted.stderr);
    }
    sandbox.ok("fit --config run.toml -o again.nmk")?;
    assert_eq!(std::fs::read(sandbox.path("m.nmk"))?, std::fs::read(sandbox.path("again.nmk"))?);
    let read = "--window-rows 20 --time t --group who";
    let eval = sandbox.ok(&format!("eval m.nmk log.csv {read} --json"))?.json()?;
    assert_eq!(eval["n"].as_u64(), Some(80));
    assert!(eval["accuracy"].as_f64().is_some_and(|accuracy| accuracy > 0.9), "{eval}");
    assert_eq!(sandbox.ok(&format!("predict m.nmk log.csv {read}"))?.stdout.lines().count(), 81);
    let report = sandbox.ok(&format!("check log.csv {read} --step 10"))?.stdout;
    let command = "nearmark fit log.csv --group who --window-rows 20 --step 10 --time t --flash 4k -o log.nmk";
    assert_eq!(report.lines().last().map(str::trim), Some(command), "{report}");
    sandbox.fails(
        "fit log.csv -o x.nmk --time t",
        1,
        &["--time is about windows: give their length with --window-rows"],
    )?;
    Ok(())
}
