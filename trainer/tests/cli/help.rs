//! Every example in the help works, in the order in which a newcomer meets them.

use crate::sandbox::{Outcome, Sandbox};

const COMMANDS: [&str; 14] = [
    "check",
    "fit",
    "eval",
    "predict",
    "embed",
    "search",
    "inspect",
    "strip",
    "compare",
    "recall",
    "tune",
    "export",
    "completions",
    "demo",
];
/// Commands whose examples are run elsewhere: those of boards need QEMU, those of papers their data, and clearing the cache
/// would disturb other tests.
const ELSEWHERE: [&str; 3] = ["device", "cache", "repro"];

fn examples(help: &str) -> Vec<String> {
    help.lines().filter_map(|line| line.strip_prefix("  nearmark ")).map(str::to_owned).collect()
}

#[test]
fn every_example_in_the_help_runs() -> Outcome {
    let sandbox = Sandbox::new()?;
    for command in COMMANDS {
        let help = sandbox.ok(&format!("{command} --help"))?.stdout;
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{command} has no example:\n{help}");
        for example in examples {
            let ran = sandbox.run(&example.split(' ').collect::<Vec<_>>())?;
            // A board's target need not be installed: the message then has the command that installs it.
            let lacks_target = example.contains("--target") && ran.stderr.contains("rustup target add");
            assert!(ran.code == 0 || lacks_target, "{example}\n{}", ran.stderr);
        }
    }
    for example in examples(&sandbox.ok("--help")?.stdout).iter().filter(|example| *example != "demo") {
        sandbox.ok(example)?;
    }
    // What the demo promises.
    for file in
        ["model.nmk", "model-16k.nmk", "pareto.svg", "predictions.csv", "firmware/model.rs", "firmware/model.nmk"]
    {
        assert!(sandbox.path("digits-demo").join(file).is_file(), "{file}");
    }
    let accuracy = sandbox.ok("eval digits-demo/model.nmk builtin:digits:test --json")?.json()?["accuracy"].as_f64();
    assert!(accuracy.is_some_and(|accuracy| accuracy >= 0.98), "{accuracy:?}");
    let small = sandbox.ok("inspect digits-demo/model-16k.nmk --json")?.json()?["flash_bytes"].as_u64();
    assert!(small.is_some_and(|bytes| bytes <= 16 * 1024), "{small:?}");
    Ok(())
}

#[test]
fn every_command_is_listed_in_the_overview() -> Outcome {
    let sandbox = Sandbox::new()?;
    let help = sandbox.ok("--help")?.stdout;
    for command in COMMANDS.into_iter().chain(ELSEWHERE) {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&format!("{command} "))), "{command}\n{help}");
    }
    Ok(())
}
