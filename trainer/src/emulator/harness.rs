//! The program for the board: built once for each board, set of stages and type of sample, and kept.

use super::{DeviceError, Found, Workload, error::io, qemu};
use crate::emulator::board::{BOARDS, Board};
use crate::emulator::vendored::{self, Workspace};
use crate::run::Run;
use nearmark::Num;
use object::{Object, ObjectSection};
use std::{
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Where the harness lies in the repository, and so among the vendored files.
const FOLDER: &str = "trainer/harness";
/// How it names the runtime.
const RUNTIME: &str = "path = \"../../runtime\"";
/// The program that runs, the one whose size is the library's, and the one to subtract from it.
const PROGRAMS: [&str; 3] = ["rows", "library", "bare"];
/// What an ELF file puts into flash: code, constants, initial values.
const IN_FLASH: [&str; 5] = [".text", ".rodata", ".srodata", ".data", ".sdata"];

/// What to build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HarnessBuild {
    /// The board.
    pub board: Board,
    /// Cargo features of the runtime.
    pub features: Vec<&'static str>,
    /// The type of a sample's values.
    pub sample: Num,
    /// Whether to use DSP instructions.
    pub dsp: bool,
    /// The folder of another runtime crate than the one that this tool carries.
    pub runtime: Option<PathBuf>,
}

/// Programs for a board.
#[derive(Debug, Clone)]
pub struct Harness {
    qemu: PathBuf,
    program: PathBuf,
    /// Flash that the library takes: a program which loads a model and classifies, less the same program without.
    pub code_bytes: u64,
    /// Keeps the programs in the cache until it is dropped.
    _in_use: Arc<File>,
}

impl HarnessBuild {
    /// Exactly what a workload needs.
    #[must_use]
    pub fn for_workload(workload: &Workload) -> Self {
        Self {
            board: workload.board,
            features: workload.features.clone(),
            sample: workload.sample,
            dsp: false,
            runtime: None,
        }
    }

    /// Checks that everything is there to build and run: cargo, the target's libraries, QEMU, whose path it returns.
    fn check(&self) -> Result<PathBuf, DeviceError> {
        if self.dsp && !self.board.dsp {
            let having: Vec<&str> = BOARDS.iter().filter(|board| board.dsp).map(|board| board.name).collect();
            return Err(no_dsp(&format!("{} has none; boards with them: {}", self.board.title, having.join(", "))));
        }
        if self.dsp && !self.features.contains(&"int") {
            return Err(no_dsp("they are for integers, and the model computes in f32"));
        }
        if let Some(runtime) = &self.runtime {
            let path = runtime.join("Cargo.toml");
            let manifest = match fs::read_to_string(&path) {
                Err(why) if why.kind() == ErrorKind::NotFound => String::new(),
                read => read.map_err(io(path.display().to_string()))?,
            };
            if !manifest.lines().any(|line| line.trim() == "name = \"nearmark\"") {
                return Err(DeviceError::Unsuitable(format!(
                    "{}: no crate nearmark there; the folder of its Cargo.toml is expected",
                    runtime.display()
                )));
            }
        }
        let qemu = qemu::find(self.board)?;
        vendored::ensure_target(self.board.target)?;
        Ok(qemu)
    }

    /// Builds the programs, or finds them in the cache. `on_wait` is called once if another process builds just now.
    ///
    /// # Errors
    /// If something is missing, the cache cannot be written, or cargo fails.
    pub fn build(&self, run: &Run<'_>, on_wait: impl FnOnce()) -> Result<Harness, DeviceError> {
        let qemu = self.check()?;
        run.step("building for the board", 0, 1)?;
        let workspace = vendored::unpack(&vendored::cache_dir()?, on_wait)?;
        let kept = workspace.programs(&self.name());
        // Sources elsewhere may change: cargo knows whether they did.
        if self.runtime.is_some() || !PROGRAMS.iter().all(|program| kept.join(program).is_file()) {
            self.cargo(&workspace, &kept)?;
        }
        let in_use = workspace.in_use(&kept)?;
        let size = |program: &str| flash(&kept.join(program));
        let code_bytes = size("library")?.saturating_sub(size("bare")?);
        Ok(Harness { qemu, program: kept.join("rows"), code_bytes, _in_use: Arc::new(in_use) })
    }

    /// Board, instructions, sample and stages, as a folder's name.
    fn name(&self) -> String {
        let dsp = if self.dsp { "dsp-" } else { "" };
        let other = self.runtime.as_ref().map_or_else(String::new, |runtime| format!("-{}", mark(runtime)));
        format!("{}-{dsp}{}-{}{other}", self.board.name, self.sample.name(), self.features.join("-"))
    }

    /// Builds, and puts the programs where the next build does not replace them.
    fn cargo(&self, workspace: &Workspace, kept: &Path) -> Result<(), DeviceError> {
        let folder = self.sources(workspace)?;
        let mut features = vec![self.board.name.to_owned()];
        if self.sample != Num::F32 {
            features.push(self.sample.name().to_owned());
        }
        features.extend(self.features.iter().map(|feature| format!("nearmark/{feature}")));
        features.extend(self.dsp.then(|| "nearmark/dsp".to_owned()));
        let mut cargo = workspace.cargo("build");
        cargo.current_dir(folder).args(["--release", "--target", self.board.target, "--features", &features.join(",")]);
        if self.runtime.is_none() {
            cargo.arg("--locked");
        }
        // An option of this architecture: the assembler takes the instructions for a core that has them.
        let core = if self.dsp && self.board.target.starts_with("thumbv8m") { "-Ctarget-cpu=cortex-m33" } else { "" };
        cargo.env("CARGO_ENCODED_RUSTFLAGS", core);
        workspace.build(&mut cargo, self.board.target)?;
        let built = workspace.target_dir().join(self.board.target).join("release");
        for program in PROGRAMS {
            let bytes = fs::read(built.join(program)).map_err(io("reading a program that was built"))?;
            vendored::write(&kept.join(program), &bytes)?;
        }
        Ok(())
    }

    /// The folder of the harness; one of its own for another runtime.
    fn sources(&self, workspace: &Workspace) -> Result<PathBuf, DeviceError> {
        let Some(runtime) = &self.runtime else { return Ok(workspace.root.join(FOLDER)) };
        let runtime = runtime.canonicalize().map_err(io("finding the runtime"))?;
        let folder = workspace.root.join("other-runtimes").join(mark(&runtime));
        for (name, text) in vendored::files(FOLDER) {
            let name = &name[FOLDER.len() + 1..];
            let path = folder.join(name);
            // Another runtime may need other crates: cargo completes what it finds.
            if name == "Cargo.lock" && path.exists() {
                continue;
            }
            let there = format!("path = {:?}", runtime.display().to_string());
            vendored::write(&path, text.replace(RUNTIME, &there).as_bytes())?;
        }
        Ok(folder)
    }
}

impl Harness {
    /// Runs a workload.
    ///
    /// # Errors
    /// If the emulator or the program fails.
    pub fn run(&self, workload: &Workload, run: &Run<'_>) -> Result<Found, DeviceError> {
        qemu::run(&self.qemu, &self.program, workload, run)
    }
}

fn no_dsp(why: &str) -> DeviceError {
    DeviceError::Unsuitable(format!("no DSP instructions here: {why}"))
}

/// A path as a few digits.
fn mark(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    format!("{:08x}", nearmark_format::crc32(path.as_os_str().as_encoded_bytes()))
}

/// Bytes that an ELF file puts into flash.
fn flash(path: &Path) -> Result<u64, DeviceError> {
    let what = format!("the program {}", path.display());
    let bytes = fs::read(path).map_err(io(what.as_str()))?;
    let file = object::File::parse(&*bytes).map_err(|why| io(what)(std::io::Error::other(why)))?;
    let sections = file.sections().filter(|section| section.name().is_ok_and(|name| IN_FLASH.contains(&name)));
    Ok(sections.map(|section| section.size()).sum())
}
