//! `nearmark completions`

use crate::args::{Cli, CompletionsArgs};
use crate::output;
use anyhow::Result;
use clap::CommandFactory;

pub(crate) fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "nearmark", &mut script);
    output::stdout(&String::from_utf8_lossy(&script))
}
