//! `nearmark inspect`

use crate::args::InspectArgs;
use crate::output::{self, grouped};
use crate::setup::{Console, model_bytes};
use anyhow::Result;
use nearmark_train::model::inspect::Anatomy;
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub(crate) fn run(args: &InspectArgs, console: &Console) -> Result<()> {
    let anatomy = Anatomy::of(&model_bytes(&args.model)?)?;
    if console.json { output::json(&object(&anatomy)) } else { output::stdout(&text(&anatomy)) }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn object(anatomy: &Anatomy) -> Value {
    let part = |part: &nearmark_train::model::inspect::Part| json!({ "name": part.name, "bytes": part.bytes, "detail": part.detail });
    let info = anatomy.info.as_ref();
    let params = info.into_iter().flat_map(|info| info.params.clone());
    let params: Map<String, Value> = params.map(|(name, value)| (name, value.into())).collect();
    let scores = info.into_iter().flat_map(|info| info.scores.clone());
    let scores: Map<String, Value> = scores.map(|(name, value)| (name, value.into())).collect();
    json!({
        "id": anatomy.id,
        "method": info.map(|info| &info.method),
        "tool": info.map(|info| &info.tool),
        "parameters": params,
        "seed": info.map(|info| info.seed),
        "rows": info.map(|info| info.rows),
        "data_hash": info.map(|info| hex(&info.data_hash)),
        "scores": scores,
        "feature_names": info.map(|info| &info.feature_names),
        "stages": anatomy.stages,
        "inputs": anatomy.inputs,
        "input_type": format!("{:?}", anatomy.input).to_lowercase(),
        "dim": anatomy.dim,
        "classes": anatomy.classes,
        "class_names": anatomy.class_names,
        "numeric": anatomy.numeric,
        "flash_bytes": anatomy.flash_bytes,
        "file_bytes": anatomy.file_bytes,
        "ram_bytes": anatomy.ram_bytes,
        "multiplications": anatomy.multiplications,
        "exponentials": anatomy.exponentials,
        "parts": anatomy.parts.iter().map(part).collect::<Vec<_>>(),
        "features": anatomy.features,
        "dependency": anatomy.dependency,
    })
}

fn text(anatomy: &Anatomy) -> String {
    let mut text = format!(
        "model {}: {} inputs ({:?}) to {} coordinates, {} classes, {} profile\n",
        anatomy.id, anatomy.inputs, anatomy.input, anatomy.dim, anatomy.classes, anatomy.numeric
    );
    for stage in &anatomy.stages {
        let _ = writeln!(text, "  {stage}");
    }
    if let Some(info) = &anatomy.info {
        let _ =
            writeln!(text, "made by {} with {}, seed {}, from {} rows", info.tool, info.method, info.seed, info.rows);
        for (name, value) in &info.params {
            let _ = writeln!(text, "  {name:<16} {}", value.replace('\n', ", "));
        }
        for (name, score) in &info.scores {
            let _ = writeln!(text, "  {name:<16} {score:.4}");
        }
        let _ = writeln!(text, "  {:<16} {}", "data", hex(&info.data_hash));
    }
    text.push_str("bytes of each part\n");
    for part in anatomy.parts.iter().filter(|part| part.bytes > 0) {
        let share = 100.0 * part.bytes as f64 / anatomy.file_bytes as f64;
        let _ = writeln!(text, "{:>10} {share:>5.1} %  {:<16} {}", grouped(part.bytes), part.name, part.detail);
    }
    let _ = writeln!(
        text,
        "{:>10} bytes on disk, {} in flash, {} of RAM, {} multiplications and {} exponentials per sample",
        grouped(anatomy.file_bytes),
        grouped(anatomy.flash_bytes),
        grouped(anatomy.ram_bytes),
        grouped(anatomy.multiplications),
        grouped(anatomy.exponentials),
    );
    let _ = writeln!(text, "{}", anatomy.dependency);
    text
}
