//! Projects of `nearmark export --lang c`: compiled by the command in their header, run on the host and on boards, and
//! compared with Rust's answers, bit for bit.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::{
    gcc::{ARM, Gcc, RISCV},
    symbols,
};
use crate::{
    command::{cargo, read, root, run},
    firmware,
};

/// A model: its name, what it is fitted on, and how.
struct Fit {
    name: &'static str,
    data: &'static str,
    options: &'static str,
}

const INTEGERS: Fit =
    Fit { name: "digits", data: "builtin:digits", options: "--numeric i8 --features nystrom:60 --pca 20" };
const FLOATS: Fit = Fit { name: "digits_f32", data: "builtin:digits", options: "--features nystrom:60 --pca 20" };
/// Raw sensor windows.
const WINDOWS: Fit = Fit { name: "gestures", data: "builtin:gestures", options: "--window stats" };

/// Targets with their compiler and models. The name is also that of the runner and the linker script.
const BOARDS: [(&str, Gcc, &[Fit]); 5] = [
    ("m0", ARM, &[INTEGERS, FLOATS, WINDOWS]),
    ("m4f", ARM, &[INTEGERS, FLOATS, WINDOWS]),
    ("m7", ARM, &[INTEGERS]),
    ("m33", ARM, &[WINDOWS]),
    ("rv32", RISCV, &[INTEGERS]),
];
const HOST: &str = "host";
const LIBRARY: &str = "libnearmark_c.a";

/// Rows that go with a model: few enough for the smallest board.
const ROWS: &str = "24";
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];
/// Start-up files in the example's folder; there is no C library.
const BARE: [&str; 5] = ["-ffreestanding", "-nostdlib", "-Wl,-z,noexecstack", "startup.c", "-L."];
/// Output of the self-test of an altered model.
const ALTERED: &str = "self-test: the self-test vector gets another answer\n";
/// Names of functions that manage a heap.
const HEAP: [&str; 6] = ["malloc", "calloc", "realloc", "free", "_sbrk", "__rust_alloc"];

/// Fits, exports, compiles, runs, compares.
pub(crate) fn check() -> Result<()> {
    run(&mut cargo("build --quiet --release --package nearmark-train --bin nearmark --example c_rows"))?;
    for model in [&INTEGERS, &FLOATS, &WINDOWS] {
        let (file, data) = (model.path(""), model.data);
        fs::create_dir_all(folder())?;
        let mut fit = tool("fit");
        run(quiet(fit.arg(format!("{data}:train")).arg("-o").arg(&file).args(model.options.split(' '))))?;
        let mut rows = Command::new(root().join("target/release/examples/c_rows"));
        rows.arg(&file).arg(format!("{data}:test")).args([model.name, ROWS]).arg(model.path("rows"));
        run(&mut rows)?;
        let project = Project::export(model, HOST, None, &[])?;
        project.check()?;
        project.check_cpp()?;
    }
    stages()?;
    for (board, gcc, models) in &BOARDS {
        gcc.ensure()?;
        for model in *models {
            let project = Project::export(model, board, Some(gcc), &[])?;
            project.check()?;
            project.check_library()?;
        }
    }
    Ok(())
}

/// A library has the stages of its own model and refuses another one with a message; with all stages it takes every model.
fn stages() -> Result<()> {
    let other = Project::export(&WINDOWS, HOST, None, &[])?;
    let refused = "self-test: the model needs a stage that this build leaves out\n";
    for (options, accepted) in [(&[][..], false), (&["--all-stages"], true)] {
        let library = Project::export(&INTEGERS, HOST, None, options)?.folder.join(LIBRARY);
        fs::copy(library, other.folder.join(LIBRARY))?;
        let source = other.folder.join(other.model.name).with_extension("c");
        let (passed, printed) = other.play(&other.folder.join("main.c"), &source)?;
        if passed != accepted || !accepted && printed != refused {
            bail!("another model's library, {options:?}: {printed}");
        }
    }
    println!("another model's library refuses a model, and with --all-stages takes it");
    Ok(())
}

fn folder() -> PathBuf {
    root().join("target/c/exported")
}

/// `nearmark COMMAND`, with a cache of its own.
fn tool(command: &str) -> Command {
    let mut tool = Command::new(root().join("target/release/nearmark"));
    tool.arg(command).env("NEARMARK_CACHE", root().join("target/c/cache"));
    tool
}

/// Discards its messages.
fn quiet(command: &mut Command) -> &mut Command {
    command.stderr(std::process::Stdio::null())
}

impl Fit {
    /// Of the model itself, or of what belongs to it.
    fn path(&self, what: &str) -> PathBuf {
        if what.is_empty() {
            folder().join(self.name).with_extension("nmk")
        } else {
            folder().join(format!("{}-{what}", self.name))
        }
    }
}

/// An exported project.
struct Project<'a> {
    model: &'a Fit,
    board: &'a str,
    /// The board's compiler; none for the host.
    gcc: Option<&'a Gcc>,
    folder: PathBuf,
    /// The compiler command from its header.
    command: String,
}

impl<'a> Project<'a> {
    /// Exports a model into a folder that was not there.
    fn export(model: &'a Fit, board: &'a str, gcc: Option<&'a Gcc>, options: &[&str]) -> Result<Self> {
        let folder = model.path(board);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let mut export = tool("export");
        export.arg(model.path("")).args(["--lang", "c", "--target", board, "-o"]).arg(&folder).args(options);
        let output = export.output().context("cannot start nearmark")?;
        if !output.status.success() {
            bail!("export for {board} fails: {}", String::from_utf8_lossy(&output.stderr));
        }
        let header = fs::read_to_string(folder.join(model.name).with_extension("h"))?;
        let command =
            header.lines().find_map(|line| line.strip_prefix(" *     ")).context("no command in the header")?;
        Ok(Self { model, board, gcc, folder, command: command.to_owned() })
    }

    /// Its own program succeeds, a program with rows prints Rust's answers, and one with an altered model fails.
    fn check(&self) -> Result<()> {
        let name = format!("{} {}", self.board, self.model.name);
        let (rows, program) = (self.model.path("rows"), root().join("runtime/c/tests/exported.c"));
        let source = self.folder.join(self.model.name).with_extension("c");

        let (passed, printed) = self.play(&self.folder.join("main.c"), &source)?;
        if !passed {
            bail!("{name}: its own main.c fails: {printed}");
        }
        let expected = fs::read_to_string(rows.join("expected.txt"))?;
        let (passed, printed) = self.play(&program, &source)?;
        if !passed || printed != format!("self-test: done\n{expected}") {
            bail!("{name}: expected the answers of Rust,\n{expected}got\n{printed}");
        }
        let (passed, printed) = self.play(&program, &rows.join("altered.c"))?;
        if passed || printed != ALTERED {
            bail!("{name}: an altered byte of the model is not detected: {printed}");
        }
        let rows = expected.lines().count();
        println!("{name}: {rows} rows, every bit as in Rust; one altered byte fails the self-test");
        Ok(())
    }

    /// Compiles by the header's command, with another program or model, and runs: success, and what is printed.
    fn play(&self, main: &Path, source: &Path) -> Result<(bool, String)> {
        let elf = self.folder.join("test.elf");
        let mut words = self.command.split(' ');
        let program = words.next().unwrap_or_default();
        let mut compile = match self.gcc {
            Some(gcc) if gcc.program() == program => gcc.command(),
            None if program == "gcc" => Command::new(program),
            _ => bail!("{}: {program} is no compiler for it", self.board),
        };
        let own = format!("{}.c", self.model.name);
        let mut output = false;
        for word in words {
            match word {
                "main.c" => compile.arg(main),
                _ if word == own => compile.arg(source),
                _ if output => compile.arg(&elf),
                LIBRARY => compile.arg(self.folder.join(word)),
                _ => compile.arg(word),
            };
            output = word == "-o";
        }
        for include in [&self.folder, &self.model.path("rows")] {
            compile.arg("-I").arg(include);
        }
        compile.args(WARNINGS);
        if self.gcc.is_some() {
            compile.args(BARE).arg("-I.").arg(format!("-T{}.ld", self.board));
        }
        run(compile.current_dir(root().join("examples/c-firmware")))?;
        self.start(&elf)
    }

    fn start(&self, elf: &Path) -> Result<(bool, String)> {
        if self.gcc.is_none() {
            let output = Command::new(elf).output()?;
            return Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()));
        }
        let output = Command::new(firmware::folder().join("qemu")).arg(self.board).arg(elf).output()?;
        // QEMU writes what the board prints, and its own complaints, to the same place.
        Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// The same program in C++.
    fn check_cpp(&self) -> Result<()> {
        let elf = self.folder.join("test.elf");
        let mut compile = Command::new("g++");
        compile.args(["-std=c++11", "-x", "c++", "main.c", &format!("{}.c", self.model.name)]).args(WARNINGS);
        compile.args(["-x", "none", LIBRARY, "-Wl,--gc-sections", "-o"]).arg(&elf);
        run(compile.current_dir(&self.folder))?;
        print!("{} as C++: {}", self.model.name, read(&mut Command::new(elf))?);
        Ok(())
    }

    /// The library keeps no variables, knows no heap, and leaves no path to a panic in the program.
    fn check_library(&self) -> Result<()> {
        let (board, library) = (self.board, self.folder.join(LIBRARY));
        let variables = symbols::variables(&library)?;
        if !variables.is_empty() {
            bail!("{board}: the library keeps variables: {}", variables.join(", "));
        }
        // A name that is there is found, or that others are not proves nothing.
        let names = symbols::mentioned(&library, |name| name == "nearmark_open" || HEAP.contains(&name))?;
        if names != ["nearmark_open"] {
            bail!("{board}: the library has a heap: {}", names.join(", "));
        }
        if symbols::has(&self.folder.join("test.elf"), |name| name == "nearmark_panicked")? {
            bail!("{board} {}: a path to a panic is left", self.model.name);
        }
        Ok(())
    }
}
