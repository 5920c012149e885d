//! The project's developer commands: `cargo xtask test|tour|size|bench-device|device|cost-model|fronts|repro|qemu|c|c-export|c-header`.

mod apt;
mod bench;
mod c;
mod command;
mod device;
mod exported;
mod firmware;
mod fronts;
mod linux;
mod marked;
mod measured;
mod phases;
mod qemu;
mod repro;
mod size;
mod targets;
mod test;
mod tour;

use std::{env, process::ExitCode};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test                      every check of the project; installs rustup targets and QEMU if they are missing
  tour [--write]            runs every example and compares its output with its page, or updates the pages
  size [--write]            flash of the runtime, per target; --write updates the table in docs/devices.md
  bench-device              instructions, flash and stack of a classification, per board and model
      [--check|--write]     compares them with the limits and docs/devices.md, or updates the table there
  device                    the tool's tests on emulated boards, which plain `cargo test` skips
  cost-model                measures models on every board and fits the cost model of instructions to them
  fronts [FLAGS]            accuracy against flash and instructions, every seed, beside the peers; `fronts --help`
  repro [--quick] [--write] the papers' experiments on the data of NEARMARK_DATA; --write updates docs/REPRODUCTION.md
  qemu                      installs QEMU if it is missing and prints its version
  c                         tests of the C interface, on the host and on two boards
  c-export                  tests of `nearmark export --lang c`, on the host and on five boards
  c-header                  generates runtime/c/include/nearmark.h";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["test"] => test::run_all(),
        ["tour"] => tour::print(tour::Mode::Check),
        ["tour", "--write"] => tour::print(tour::Mode::Write),
        ["size"] => size::print(),
        ["size", "--write"] => size::write(),
        ["bench-device"] => bench::print(bench::Then::Nothing),
        ["bench-device", "--check"] => bench::print(bench::Then::Check),
        ["bench-device", "--write"] => bench::print(bench::Then::Write),
        ["device"] => device::print(),
        ["cost-model"] => device::cost_model(),
        ["fronts", "--help" | "-h"] => {
            println!("{}", fronts::USAGE);
            Ok(())
        }
        ["fronts", ref flags @ ..] => fronts::run(flags),
        ["repro"] => repro::print(false, false),
        ["repro", "--write"] => repro::print(false, true),
        ["repro", "--quick"] => repro::print(true, false),
        ["repro", "--quick", "--write"] => repro::print(true, true),
        ["qemu"] => qemu::ensure(),
        ["c"] => c::print(),
        ["c-export"] => c::print_exported(),
        ["c-header"] => c::write_header(),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why:#}");
            ExitCode::FAILURE
        }
    }
}
