//! `nearmark inspect`

use crate::args::InspectArgs;
use crate::exemplars::Exemplars;
use crate::output::{self, grouped, say};
use crate::setup::{Console, model_file};
use anyhow::{Result, bail};
use nearmark_train::model::provenance::{data_hash, is_trained, made_with};
use nearmark_train::{Dataset, Inspection, ModelFile};
use serde_json::{Value, json};
use std::fmt::Write;

pub(crate) fn run(args: &InspectArgs, console: &Console) -> Result<()> {
    let model = model_file(&args.model)?;
    let inspection = Inspection::of(&model);
    let data = args.data.as_ref().map(|data| training_rows(data, args, &model, console)).transpose()?;
    let exemplars = Exemplars {
        rows: inspection.info.as_ref().map_or(&[], |info| &info.exemplars),
        class_names: if model.has_classes() { &inspection.class_names } else { &[] },
        data: data.as_ref(),
    };
    if console.json {
        let mut object = object(&inspection);
        object["exemplars"] = exemplars.json();
        return output::json(&object);
    }
    output::stdout(&text(&inspection, &exemplars))
}

/// The rows that the model was trained on, as far as can be told.
fn training_rows(name: &str, args: &InspectArgs, model: &ModelFile, console: &Console) -> Result<Dataset> {
    let data = console.load_like(name, &args.input, model)?.data;
    let Some(info) = model.info() else { return Ok(data) };
    if let Some((row, _)) = info.exemplars.iter().find(|(row, _)| *row >= data.len() as u64) {
        let rows = data.len();
        bail!("{name} has {rows} rows, but row {row} is an exemplar: the model was fitted on other rows");
    }
    if data_hash(&data) != info.data_hash {
        say(&format!("note: {name} is not exactly the data that the model was fitted on"));
    }
    Ok(data)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn object(inspection: &Inspection) -> Value {
    let part = |part: &nearmark_train::model::inspect::Part| json!({ "name": part.name, "bytes": part.bytes, "detail": part.detail });
    let info = inspection.info.as_ref();
    json!({
        "id": inspection.id,
        "method": info.map(|info| &info.method),
        "trained": info.is_some_and(is_trained),
        "tool": info.map(|info| &info.tool),
        "parameters": info.into_iter().flat_map(|info| info.params.clone()).collect::<Value>(),
        "seed": info.map(|info| info.seed),
        "rows": info.map(|info| info.rows),
        "data_hash": info.map(|info| hex(&info.data_hash)),
        "scores": info.into_iter().flat_map(|info| info.scores.clone()).collect::<Value>(),
        "similarities": info.is_some_and(|info| info.similarities),
        "feature_names": info.map(|info| &info.feature_names),
        "stages": inspection.stages,
        "inputs": inspection.inputs,
        "input_type": format!("{:?}", inspection.input).to_lowercase(),
        "dim": inspection.dim,
        "classes": inspection.classes,
        "class_names": inspection.class_names,
        "items": inspection.items,
        "interleaved": inspection.interleaved,
        "numeric": inspection.numeric,
        "flash_bytes": inspection.flash_bytes,
        "file_bytes": inspection.file_bytes,
        "ram_bytes": inspection.ram_bytes,
        "stream_bytes": inspection.stream_bytes,
        "multiplications": inspection.operations.multiplications,
        "exponentials": inspection.operations.exponentials,
        "parts": inspection.parts.iter().map(part).collect::<Vec<_>>(),
        "features": inspection.features,
        "dependency": inspection.dependency,
    })
}

/// What one classification computes.
pub(crate) fn work(inspection: &Inspection) -> String {
    let (multiplications, exponentials) =
        (grouped(inspection.operations.multiplications), grouped(inspection.operations.exponentials));
    format!("{multiplications} multiplications and {exponentials} exponentials per sample")
}

fn text(inspection: &Inspection, exemplars: &Exemplars<'_>) -> String {
    // A single class tells nothing apart: the model was fitted without labels.
    let classes = if inspection.classes > 1 { inspection.classes.to_string() } else { "no".to_owned() };
    let trained = inspection.info.as_ref().filter(|info| is_trained(info));
    let trained = trained.map_or(String::new(), |info| format!(", {}", made_with(info)));
    let mut text = format!(
        "model {}: {} inputs ({:?}) to {} coordinates, {classes} classes, {} profile{trained}\n",
        inspection.id, inspection.inputs, inspection.input, inspection.dim, inspection.numeric
    );
    for stage in &inspection.stages {
        let _ = writeln!(text, "  {stage}");
    }
    if let Some(info) = &inspection.info {
        let with = if is_trained(info) { "," } else { " with" };
        let (tool, method, seed, rows) = (&info.tool, made_with(info), info.seed, info.rows);
        let _ = writeln!(text, "made by {tool}{with} {method}, seed {seed}, from {rows} rows");
        for (name, value) in &info.params {
            let _ = writeln!(text, "  {name:<16} {value}");
        }
        for (name, score) in &info.scores {
            let _ = writeln!(text, "  {name:<16} {score:.4}");
        }
        let _ = writeln!(text, "  {:<16} {}", "data", hex(&info.data_hash));
    }
    if !exemplars.rows.is_empty() {
        let similar = inspection.info.as_ref().is_some_and(|info| info.similarities);
        let inputs = if similar { "; inputs are the similarities to them, in this order" } else { "" };
        let _ = writeln!(text, "built on {} training rows{inputs}", exemplars.rows.len());
        exemplars.lines().iter().for_each(|line| {
            let _ = writeln!(text, "  {line}");
        });
    }
    text.push_str("bytes of each part\n");
    for part in inspection.parts.iter().filter(|part| part.bytes > 0) {
        let share = 100.0 * part.bytes as f64 / inspection.file_bytes as f64;
        let _ = writeln!(text, "{:>10} {share:>5.1} %  {:<16} {}", grouped(part.bytes), part.name, part.detail);
    }
    let (disk, flash) = (grouped(inspection.file_bytes), grouped(inspection.flash_bytes));
    let (ram, work) = (grouped(inspection.ram_bytes), work(inspection));
    let _ = writeln!(text, "{disk:>10} bytes on disk, {flash} in flash, {ram} of RAM, {work}");
    if let Some(window) = inspection.stream_bytes {
        let _ = writeln!(
            text,
            "{:>10} bytes of RAM more for a window that is filled step by step (Stream)",
            grouped(window)
        );
    }
    let _ = writeln!(text, "{}", inspection.dependency);
    text
}
