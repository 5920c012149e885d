//! The project's chores, each one command: `cargo xtask test|tour|size|bench-device|device|cost-model|fronts|qemu|c|c-export|c-header`.

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
mod size;
mod targets;
mod test;
mod tour;

use std::{env, process::ExitCode};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test                      every check of the project; gets rustup targets and QEMU by itself
  tour [--write]            runs every example against its page, or writes what the pages show
  size [--write]            flash that the runtime takes, per target; --write puts the table into the README
  bench-device              instructions, flash and stack of a classification, per board and model
      [--check|--write]     holds the README's table and the limits against it; or writes the table
  device                    the tool's tests on boards, which plain `cargo test` leaves out
  cost-model                measures models on every board, and writes what an instruction count is told from
  fronts [FLAGS]            accuracy within budgets of flash, every seed, beside the peers; `fronts --help`
  qemu                      makes QEMU available and tells where it is
  c                         the C interface, on the host and on two boards
  c-export                  what `nearmark export --lang c` writes, on the host and on five boards
  c-header                  writes runtime/c/include/nearmark.h anew";

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
