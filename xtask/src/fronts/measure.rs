//! Runs the tool: a fit under a budget, then an evaluation on test rows that the fit never used.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    thread,
    time::Instant,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::results::{Board, Outcome, Results, Run};
use super::sets::Set;
use crate::command::{cargo, root, run};

/// Rows that run on the board: instructions hardly depend on the row.
const ROWS: &str = "5";

/// The binary that is measured.
pub(crate) struct Tool {
    binary: PathBuf,
    /// Folder of models and split data.
    folder: PathBuf,
    id: String,
}

impl Tool {
    /// Builds the tool, unless a binary is given.
    pub(crate) fn new(binary: Option<&Path>, folder: &Path) -> Result<Self> {
        let binary = if let Some(binary) = binary {
            binary.to_owned()
        } else {
            run(&mut cargo("build --release -p nearmark-train --bin nearmark"))?;
            let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
            target.join("release/nearmark").with_extension(env::consts::EXE_EXTENSION)
        };
        let bytes = fs::read(&binary).with_context(|| format!("reading {}", binary.display()))?;
        let version = crate::command::read(Command::new(&binary).arg("--version"))?;
        let id = format!("{} ({:08x})", version.trim(), crc32fast::hash(&bytes));
        Ok(Self { binary, folder: folder.to_owned(), id })
    }

    /// Version and checksum: results of another binary are not mixed with this one's.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Does these runs, `jobs` of them in parallel, and returns the failures.
    pub(crate) fn measure_all(&self, runs: &[Run], jobs: usize, results: &mut Results) -> Result<Vec<String>> {
        // Data are split before several runs want the same file.
        let mut ready = Vec::new();
        for run in runs {
            let set = Set::ALL.into_iter().find(|set| set.name() == run.set).context("unknown set")?;
            ready.push((run, set.rows(run.seed, &self.folder)?));
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = (jobs > 1).then(|| (cores / jobs).max(1));
        let queue = Mutex::new(ready.into_iter().enumerate());
        let done = Mutex::new((results, Vec::new()));
        thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs)
                .map(|_| {
                    scope.spawn(|| -> Result<()> {
                        loop {
                            let next = queue.lock().ok().and_then(|mut queue| queue.next());
                            let Some((number, (run, rows))) = next else { return Ok(()) };
                            let outcome = self.measure(run, &rows.train, &rows.test, &rows.flags, threads);
                            let Ok(mut done) = done.lock() else { return Ok(()) };
                            let what = format!("{} {} B seed {}", run.set, run.budget, run.seed);
                            let line = match outcome {
                                Ok(outcome) => {
                                    let Outcome { accuracy, flash_bytes, seconds, .. } = outcome;
                                    done.0.push(Run { outcome: Some(outcome), ..run.clone() })?;
                                    format!("{:.2} % in {flash_bytes} B, {seconds:.0} s", 100.0 * accuracy)
                                }
                                Err(why) => {
                                    done.1.push(format!("{what}: {why:#}"));
                                    format!("failed: {why:#}")
                                }
                            };
                            println!("{}/{} {what}: {line}", number + 1, runs.len());
                        }
                    })
                })
                .collect();
            workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow::anyhow!("a run panicked"))?)
        })?;
        Ok(done.into_inner().map(|(_, failures)| failures).unwrap_or_default())
    }

    fn measure(&self, run: &Run, train: &str, test: &str, flags: &[&str], threads: Option<usize>) -> Result<Outcome> {
        let model = self.folder.join(format!("models/{}-{}-{}.nmk", run.set, run.budget, run.seed));
        let mut fit = Command::new(&self.binary);
        fit.args(["fit", train, "--json", "--flash"]).arg(run.budget.to_string());
        fit.args(["--seed", &run.seed.to_string(), "-o"]).arg(&model).args(flags);
        if let Some(threads) = threads {
            fit.args(["--threads", &threads.to_string()]);
        }
        let start = Instant::now();
        let fit = json(&mut fit)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut eval = Command::new(&self.binary);
        eval.arg("eval").arg(&model).args([test, "--json"]);
        let eval = json(&mut eval)?;
        let flash_bytes = fit["flash_bytes"].as_u64().context("fit printed no flash_bytes")?;
        if flash_bytes > run.budget {
            bail!("the model has {flash_bytes} bytes, more than its budget of {}", run.budget);
        }
        let accuracy = eval["accuracy"].as_f64().context("eval printed no accuracy")?;
        let board = Some(self.on_board(&model, test)?);
        Ok(Outcome { tool: self.id.clone(), accuracy, flash_bytes, seconds, board, fit })
    }

    /// Runs a few rows on the board; a row that differs from the host in any bit is an error.
    fn on_board(&self, model: &Path, test: &str) -> Result<Board> {
        let inspect = json(Command::new(&self.binary).arg("inspect").arg(model).arg("--json"))?;
        let mut device = Command::new(&self.binary);
        device.arg("device").arg(model).args([test, "--board", "m4f", "--json", "--rows", ROWS]);
        if let Some(folder) = crate::qemu::private()? {
            device.env("NEARMARK_QEMU", folder);
        }
        if inspect["numeric"] == "int" {
            device.arg("--dsp");
        }
        let device = json(&mut device)?;
        let number = |key: &str| device[key].as_u64().with_context(|| format!("device printed no {key}"));
        let code_bytes = number("flash_bytes")?.saturating_sub(number("model_bytes")?);
        Ok(Board { code_bytes, instructions: number("instructions_median")? })
    }
}

/// Runs to success and parses the object on stdout; an error quotes the last line on stderr.
fn json(command: &mut Command) -> Result<Value> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let reason = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message");
        bail!("{reason} ({})", output.status);
    }
    serde_json::from_slice(&output.stdout).context("no JSON on stdout")
}
