//! `nearmark completions`

use crate::args::{Cli, CompletionsArgs};
use crate::output;
use crate::setup::Console;
use anyhow::Result;
use clap::CommandFactory;
use serde_json::json;

pub(crate) fn run(args: &CompletionsArgs, console: &Console) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "nearmark", &mut script);
    let script = String::from_utf8_lossy(&script);
    if console.json {
        return output::json(&json!({ "shell": args.shell.to_string(), "script": script }));
    }
    output::stdout(&script)
}
