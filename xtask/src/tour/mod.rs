//! `cargo xtask tour`: builds and runs every example and compares its output with its page.

mod models;
mod page;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use self::{
    models::Making,
    page::{Page, Step},
};
use crate::{
    command::{read, root, run},
    marked,
    measured::{Measured, grouped},
    qemu, size, targets,
};

/// A folder of `examples/`.
struct Example {
    name: &'static str,
    /// Its package.
    package: &'static str,
    /// Its programs, and what each shows, in one line.
    programs: &'static [(&'static str, &'static str)],
    /// The boards that they run on; none for a member of the main workspace.
    boards: &'static [Board],
    /// Whether its page states that it contains no floating-point routine.
    integers: bool,
    /// Rows that its models are compared on.
    data: &'static str,
}

/// A board by name and target.
type Board = (&'static str, &'static str);
const M4F: Board = ("Cortex-M4F", "thumbv7em-none-eabihf");
const M0: Board = ("Cortex-M0", "thumbv6m-none-eabi");
const RV32: Board = ("RV32IMC", "riscv32imc-unknown-none-elf");

const GESTURES: &str = "target/tour/gestures-test.csv";
const DIGITS: &str = "builtin:digits:test";

/// In the order of the tour.
const EXAMPLES: [Example; 7] = [
    Example {
        name: "gesture",
        package: "gesture",
        programs: &[(
            "gesture",
            "windows of a motion sensor as raw counts; a float and an integer model with the same source code",
        )],
        boards: &[M4F, M0],
        integers: false,
        data: GESTURES,
    },
    Example {
        name: "digits",
        package: "digits",
        programs: &[("digits", "images, integer arithmetic only; accuracy on 100 test images")],
        boards: &[M0],
        integers: true,
        data: DIGITS,
    },
    Example {
        name: "riscv",
        package: "riscv-digits",
        programs: &[("riscv-digits", "the three nearest classes of an image; a linear model")],
        boards: &[RV32],
        integers: true,
        data: DIGITS,
    },
    Example {
        name: "learn",
        package: "learn",
        programs: &[
            ("learn", "rejecting unknown samples; learning a class on the device from three samples"),
            ("power", "what was learned outlives resets in the middle of a write"),
        ],
        boards: &[M4F],
        integers: false,
        data: GESTURES,
    },
    Example {
        name: "papers",
        package: "papers",
        programs: &[
            ("nsse", "a program per paper: NSSE, a smooth map"),
            ("cmvda", "CMVDA, kernel regression on classes"),
            ("ebek", "EBEK, the three nearest stored items by number"),
            ("dple", "DPLE, a linear map"),
        ],
        boards: &[M0],
        integers: true,
        data: DIGITS,
    },
    Example {
        name: "embassy",
        package: "embassy-gesture",
        programs: &[("embassy-gesture", "one task classifies windows from a channel while another fills the next")],
        boards: &[M4F],
        integers: false,
        data: GESTURES,
    },
    Example {
        name: "host",
        package: "",
        programs: &[("", "the same calls on a workstation")],
        boards: &[],
        integers: false,
        data: "",
    },
];

/// The row of the C example, which `cargo xtask c` runs.
const C: &str =
    "| [c-firmware](c-firmware/README.md) | the same from C, with `arm-none-eabi-gcc` | Cortex-M0, M4F | – | – |\n";

/// Whether pages are compared with the programs' output or updated from it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    Check,
    Write,
}

/// Installs what the tour needs and runs it.
pub(crate) fn print(mode: Mode) -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    tour(mode)
}

/// Runs every example against its page.
pub(crate) fn check() -> Result<()> {
    tour(Mode::Check)
}

fn tour(mode: Mode) -> Result<()> {
    let mut making = Making::default();
    let mut table = "| example | shows | board | flash | RAM |\n|---|---|---|---:|---:|\n".to_owned();
    for example in &EXAMPLES {
        let page = Page::read(&example.folder())?;
        println!("-- {}", example.name);
        making.run(example, &page)?;
        match mode {
            Mode::Check => models::check(example)?,
            Mode::Write => models::take(example)?,
        }
        let steps = page.steps()?;
        let now = steps.iter().map(|step| example.play(step)).collect::<Result<Vec<_>>>()?;
        if mode == Mode::Write {
            page.write(&now)?;
        }
        for (step, now) in steps.iter().zip(&now) {
            println!("$ {}\n{}", now.command, now.output.trim_end());
            let agreed = Measured::output(&step.output).agrees(&Measured::output(&now.output));
            if mode == Mode::Check {
                agreed.with_context(|| {
                    format!(
                        "{}: `{}` prints something else than its page shows: cargo xtask tour --write",
                        example.name, step.command
                    )
                })?;
            }
        }
        example.lint(mode)?;
        table += &example.rows()?;
    }
    table += C;
    let readme = root().join("examples/README.md");
    match mode {
        Mode::Check => marked::check(&readme, "tour", &table, "cargo xtask tour --write"),
        Mode::Write => marked::write(&readme, "tour", &table),
    }
}

impl Example {
    fn folder(&self) -> PathBuf {
        root().join("examples").join(self.name)
    }

    /// `cargo` in the example's folder; standalone projects share one target folder.
    fn cargo(&self) -> Command {
        let mut cargo = Command::new("cargo");
        // An incremental build generates other code.
        cargo.current_dir(self.folder()).env("NEARMARK_QEMU_SECONDS", "60").env("CARGO_INCREMENTAL", "0");
        if !self.boards.is_empty() {
            cargo.env("CARGO_TARGET_DIR", build());
        }
        cargo
    }

    /// Runs a command of the page and returns its output.
    fn play(&self, step: &Step) -> Result<Step> {
        let Some(words) = step.command.strip_prefix("cargo ") else {
            bail!("{}: the page may run cargo only, not `{}`", self.name, step.command);
        };
        let output = read(self.cargo().args(words.split_whitespace()).arg("--quiet"))?;
        Ok(Step { command: step.command.clone(), output })
    }

    /// Formatted and free of warnings, as a project to copy should be.
    fn lint(&self, mode: Mode) -> Result<()> {
        if self.boards.is_empty() || mode == Mode::Write {
            return Ok(());
        }
        run(self.cargo().args(["fmt", "--package", self.package, "--check"]))?;
        for (_, target) in self.boards {
            let mut clippy = self.cargo();
            clippy.args(["clippy", "--quiet", "--release", "--target", target, "--", "-D", "warnings"]);
            run(clippy.args(["-W", "clippy::pedantic"]))?;
        }
        Ok(())
    }

    /// Rows of the tour's table, one per program and board: flash and RAM of the program.
    fn rows(&self) -> Result<String> {
        let mut rows = String::new();
        let mut link = format!("| [{0}]({0}/README.md) |", self.name);
        for (program, shows) in self.programs {
            rows += &self.program_rows(program, &format!("{link} {shows} |"))?;
            "| |".clone_into(&mut link);
        }
        Ok(rows)
    }

    fn program_rows(&self, program: &str, first: &str) -> Result<String> {
        let (name, mut rows, mut first) = (self.name, String::new(), first);
        if self.boards.is_empty() {
            rows = format!("{first} any host | – | – |\n");
        }
        for (board, target) in self.boards {
            let elf = build().join(target).join("release").join(program);
            let floats = size::floats(&elf)?;
            if self.integers && !floats.is_empty() {
                bail!("{name} must contain no floating-point routine, but calls {}", floats.join(", "));
            }
            let memory = size::whole(&elf)?;
            writeln!(rows, "{first} {board} | {} | {} |", grouped(memory.flash), grouped(memory.ram))?;
            first = "| | |";
        }
        Ok(rows)
    }
}

/// The target folder of the examples.
fn build() -> PathBuf {
    Path::new(root()).join("target/tour/build")
}
