//! `nearmark strip`

use crate::args::StripArgs;
use crate::output::{self, grouped, say};
use crate::setup::{Console, model_file};
use anyhow::Result;
use serde_json::json;

pub(crate) fn run(args: &StripArgs, console: &Console) -> Result<()> {
    let model = model_file(&args.model)?;
    let core = model.core_len();
    let removed = model.bytes().len() - core;
    let path = args.output.as_deref().unwrap_or(&args.model);
    output::bytes(path, model.core().bytes())?;
    let (bytes, less) = (grouped(core), grouped(removed));
    say(&format!("{}: {bytes} bytes, {less} bytes of provenance removed", path.display()));
    console.object(|| json!({ "model": path, "flash_bytes": core, "file_bytes": core, "removed_bytes": removed }))
}
