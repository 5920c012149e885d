//! `nearmark strip`

use crate::args::StripArgs;
use crate::output::{self, grouped, say};
use crate::setup::{Console, model_file};
use anyhow::Result;
use serde_json::json;

pub(crate) fn run(args: &StripArgs, console: &Console) -> Result<()> {
    let model = model_file(&args.model)?;
    let (before, core) = (model.bytes().len(), model.core_len());
    let path = args.output.as_deref().unwrap_or(&args.model);
    output::bytes(path, model.core().bytes())?;
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
