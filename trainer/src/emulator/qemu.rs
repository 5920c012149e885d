//! QEMU: where it is, and a run under it.

use super::{DeviceError, Found, Workload, error::io};
use crate::emulator::board::Board;
use crate::run::Run;
use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// A row that takes longer than this means that the program hangs.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often to look.
const PAUSE: Duration = Duration::from_millis(20);

/// The emulator for a board: in the folder `NEARMARK_QEMU`, or on the path.
pub(super) fn find(board: Board) -> Result<PathBuf, DeviceError> {
    let (program, install) = if board.target.starts_with("riscv") {
        ("qemu-system-riscv32", "apt-get install qemu-system-misc, or brew install qemu")
    } else {
        ("qemu-system-arm", "apt-get install qemu-system-arm, or brew install qemu")
    };
    let named = env::var_os("NEARMARK_QEMU").filter(|folder| !folder.is_empty());
    let folders = named.or_else(|| env::var_os("PATH")).unwrap_or_default();
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    let found = env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file());
    // The run is in another folder.
    let found = found.and_then(|path| std::path::absolute(path).ok());
    found.ok_or(DeviceError::NoQemu(program, install))
}

/// Runs a program on the workload's rows.
pub(super) fn run(qemu: &Path, program: &Path, workload: &Workload, run: &Run<'_>) -> Result<Found, DeviceError> {
    // The harness opens its files by name, and QEMU's options take no path with a comma: everything is in one folder.
    let folder = tempfile::tempdir().map_err(io("making a folder for the run"))?;
    fs::write(folder.path().join("job"), workload.file()).map_err(io("writing the rows"))?;
    fs::write(folder.path().join("model"), workload.model.bytes()).map_err(io("writing the model"))?;
    let mut command = Command::new(qemu);
    command.current_dir(folder.path()).args(["-M", workload.board.machine, "-bios", "none", "-kernel"]).arg(program);
    command.arg("-device").arg(format!("loader,file=model,addr={:#x},force-raw=on", workload.address()));
    // An instruction takes 2^6 ns of the board's time: more than one tick of the slowest timer, so they can be counted.
    command.args(["-icount", "shift=6", "-semihosting-config", "enable=on,target=native"]);
    command.args(["-display", "none", "-monitor", "none", "-serial", "none"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Emulator(command.spawn().map_err(io("starting QEMU"))?);
    let answers = folder.path().join("answers");
    let (ended, message) = child.watch(&answers, workload, run)?;
    let found = fs::read(&answers).ok().and_then(|bytes| Found::read(&bytes, workload.expected.len()));
    let message = if message.is_empty() { "it ended without an answer to every row".to_owned() } else { message };
    found.filter(|_| ended).ok_or(DeviceError::Failed(workload.board, message))
}

/// A running emulator that does not outlive its owner.
struct Emulator(Child);

impl Emulator {
    /// Waits for the end and reports how many rows are answered; whether it ended well, and its output.
    fn watch(&mut self, answers: &Path, workload: &Workload, run: &Run<'_>) -> Result<(bool, String), DeviceError> {
        let (mut done, mut since) = (0, Instant::now());
        let status = loop {
            if let Some(status) = self.0.try_wait().map_err(io("waiting for QEMU"))? {
                break status;
            }
            let written = fs::metadata(answers).map_or(0, |file| file.len() as usize);
            let now = written.saturating_sub(Found::HEAD_BYTES) / Found::ROW_BYTES;
            if now > done {
                (done, since) = (now, Instant::now());
            } else if since.elapsed() > PATIENCE {
                let message = format!("no answer in {} seconds, after {done} rows", PATIENCE.as_secs());
                return Err(DeviceError::Failed(workload.board, message));
            }
            run.step("rows on the board", done, workload.expected.len())?;
            sleep(PAUSE);
        };
        let mut message = String::new();
        // Output that cannot be read is left out.
        let _ = self.0.stdout.take().map(|mut out| out.read_to_string(&mut message));
        let _ = self.0.stderr.take().map(|mut out| out.read_to_string(&mut message));
        Ok((status.success(), message.trim().to_owned()))
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // Both fail only where it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
