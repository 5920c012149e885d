//! Tables larger than memory, and work that is stopped.

use crate::sandbox::{Outcome, Sandbox};
use std::fmt::Write;
use std::fs;

#[cfg(target_os = "linux")]
#[test]
fn a_million_rows_pass_through_little_memory() -> Outcome {
    use std::io::Write as _;
    let sandbox = Sandbox::new()?;
    sandbox.ok("fit builtin:digits:train -o d.nmk --method lda")?;
    let mut row = String::new();
    for i in 0..64 {
        let _ = write!(row, "{}{}", if i == 0 { "" } else { "," }, i % 17);
    }
    row.push('\n');
    let mut file = std::io::BufWriter::new(fs::File::create(sandbox.path("million.csv"))?);
    for _ in 0..1_000_000 {
        file.write_all(row.as_bytes())?;
    }
    file.into_inner()?.sync_all()?;
    // The kernel keeps account of a process's largest memory.
    let line = format!("'{}' predict d.nmk million.csv -o answers.csv --no-radius", env!("CARGO_BIN_EXE_nearmark"));
    let limited = format!(
        "ulimit -v 400000; {line} & pid=$!; peak=0; while kill -0 $pid 2>/dev/null; do now=$(awk '/VmHWM/{{print $2}}' /proc/$pid/status 2>/dev/null); [ -n \"$now\" ] && peak=$now; sleep 0.05; done; wait $pid || exit 1; echo $peak"
    );
    let output = std::process::Command::new("bash").arg("-c").arg(limited).current_dir(sandbox.path("")).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let peak: u64 = String::from_utf8(output.stdout)?.trim().parse()?;
    assert!((1..150_000).contains(&peak), "{peak} kB");
    let answers = fs::read_to_string(sandbox.path("answers.csv"))?;
    assert_eq!(answers.lines().count(), 1_000_001);
    Ok(())
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_half_written_file() -> Outcome {
    let sandbox = Sandbox::new()?;
    sandbox.write("old.nmk", "an older model")?;
    let before = sandbox.files()?;
    let mut child = sandbox
        .command()
        .args(["fit", "builtin:optdigits", "-o", "old.nmk", "--method", "nsse"])
        .stderr(std::process::Stdio::piped())
        .spawn()?;
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    assert!(killed.success());
    // A second one ends even a long step at once.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let _ = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    assert_eq!(child.wait()?.code(), Some(1));
    assert!(sandbox.files()? == before);
    Ok(())
}
