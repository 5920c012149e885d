//! `nearmark strip`

use crate::args::StripArgs;
use crate::output::{self, grouped};
use crate::setup::{Console, model_bytes, say};
use anyhow::{Context, Result};
use serde_json::json;

pub(crate) fn run(args: &StripArgs, console: &Console) -> Result<()> {
    let bytes = model_bytes(&args.model)?;
    let stripped = nearmark_format::strip(&bytes).context("strip")?;
    let (before, core) = (bytes.len(), stripped.len());
    let path = args.output.as_deref().unwrap_or(&args.model);
    output::bytes(path, &stripped)?;
    say(&format!(
        "{}: {} bytes, {} bytes of provenance removed",
        path.display(),
        grouped(core),
        grouped(before - core)
    ));
    if console.json {
        output::json(
            &json!({ "model": path, "flash_bytes": core, "file_bytes": core, "removed_bytes": before - core }),
        )?;
    }
    Ok(())
}
