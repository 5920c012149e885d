//! The `nearmark` tool: each command is a short function over the library.

mod args;
mod columns;
mod commands;
mod confusion;
mod exemplars;
mod flags;
mod hold_outs;
mod output;
mod progress;
mod rows;
mod run_file;
mod setup;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return output::usage(&message),
    };
    run(&cli).map_or_else(|error| report(&error), |()| ExitCode::SUCCESS)
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let console = setup::Console::new(cli)?;
    match &cli.command {
        Command::Demo(args) => commands::demo::run(args, &console),
        Command::Fit(args) => commands::fit::run(args, &console),
        Command::Eval(args) => commands::eval::run(args, &console),
        Command::Predict(args) => commands::predict::run(args, &console),
        Command::Embed(args) => commands::embed::run(args, &console),
        Command::Search(args) => commands::search::run(args, &console),
        Command::Inspect(args) => commands::inspect::run(args, &console),
        Command::Strip(args) => commands::strip::run(args, &console),
        Command::Compare(args) => commands::compare::run(args, &console),
        Command::Recall(args) => commands::recall::run(args, &console),
        Command::Tune(args) => commands::tune::run(args, &console),
        Command::Export(args) => commands::export::run(args, &console),
        Command::Device(args) => commands::device::run(args, &console),
        Command::Repro(args) => commands::repro::run(args, &console),
        Command::Cache(args) => commands::cache::run(args, &console),
        Command::Completions(args) => commands::completions::run(args, &console),
    }
}

/// Prints one line on stderr; the exit code is 2 if the command line itself is wrong, otherwise 1.
fn report(error: &anyhow::Error) -> ExitCode {
    // The reader has seen enough (`| head`): this is how such a command ends, not a failure.
    if output::is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    output::say(&format!("nearmark: {}", line(error)));
    let usage = error.chain().any(|cause| cause.is::<args::Usage>() || flags::is_usage(cause));
    if usage { ExitCode::from(2) } else { ExitCode::FAILURE }
}

/// The chain of causes in one line. Many errors already print their cause, which is then not repeated.
fn line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    let text = |cause: &(dyn std::error::Error + 'static)| flags::message(cause).unwrap_or_else(|| cause.to_string());
    for cause in error.chain().map(|cause| text(cause).replace('\n', " ")) {
        if !line.ends_with(&cause) {
            line.push_str(if line.is_empty() { "" } else { ": " });
            line.push_str(&cause);
        }
    }
    line
}
