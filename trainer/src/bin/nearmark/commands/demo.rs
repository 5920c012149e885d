//! `nearmark demo`: the whole story on built-in data.

use crate::args::{DataArgs, DemoArgs};
use crate::commands::{compare, export};
use crate::output::{self, percent, say};
use crate::setup::Console;
use anyhow::{Context, Result};
use nearmark_train::config::{AUTO, BudgetSearch, Bytes, Common, Config, Numeric, Parameters};
use nearmark_train::evaluate::compare::{Comparison, Entry, Protocol, compare as run_all};
use nearmark_train::methods::Registry;
use nearmark_train::search::Limits;
use nearmark_train::search::tune::{ParetoFront, Plan, Point, TrialCache, tune};
use nearmark_train::{Dataset, ModelFile, evaluate, train};
use serde_json::{Value, json};
use std::path::Path;

const TRAIN: &str = "builtin:digits:train";
const TEST: &str = "builtin:digits:test";

/// The chart of accuracy over bytes.
const PARETO: &str = "pareto.svg";

/// Embeddings that their authors use with the nearest neighbor, not with class means.
const NEIGHBORLY: [&str; 8] = ["ebek", "dple", "pca", "kpca", "keca", "cmvca", "lpp", "lfda"];

pub(crate) fn run(args: &DemoArgs, console: &Console) -> Result<()> {
    output::folder(&args.out)?;
    let input = DataArgs::default();
    let rows = console.load(TRAIN, &input)?.data;
    let test = console.load(TEST, &input)?.data;
    let (count, held) = (rows.len(), test.len());
    say(&format!("{count} images of handwritten digits to learn from, {held} others to test on\n"));

    let comparison = compare_all(&rows, &test, console)?;

    // The test rows were shown, not asked: the method is chosen by cross-validation on the training rows.
    let auto = Config::try_from(Parameters { method: Some(AUTO.to_owned()), ..Parameters::default() })?;
    let trained = console.with_progress(|run| train(&auto, &rows, run)).context("demo")?;
    let front = shrink(trained.config.common(), &rows, &test, console)?;
    let chosen = trained.config.common().method.name();
    let accuracy = evaluate::evaluate(&trained.model, &test)?.accuracy();
    let flash = trained.model.core_len();
    let [model, small, answers] = ["model.nmk", "model-16k.nmk", "predictions.csv"].map(|name| args.out.join(name));
    output::bytes(&model, trained.model.bytes())?;
    output::bytes(&small, front.points[front.points.len() - 1].trained.model.bytes())?;
    let svg = front.svg("handwritten digits: accuracy over bytes").map_err(|error| anyhow::anyhow!(error))?;
    output::bytes(&args.out.join(PARETO), svg.as_bytes())?;
    let module = export::rust_module(&trained.model, "model", &args.out.join("firmware"), None)?;
    predictions(&trained.model, &test, &answers)?;

    let (tested_on, bytes) = (percent(accuracy), output::grouped(flash));
    let model_name = model.display();
    say(&format!(
        "\nwrote {model_name}: {chosen}, chosen by cross-validation; {tested_on} on the test rows, {bytes} bytes of flash"
    ));
    let files: Vec<String> = module.iter().map(|path| path.display().to_string()).collect();
    say(&format!("wrote {}: ready for firmware", files.join(" and ")));
    say(&format!("wrote {}: the same method within 16 kB, and {PARETO}", small.display()));
    say(&format!("wrote {}: {held} answers with their margins", answers.display()));
    let next = [
        format!("nearmark inspect {model_name}"),
        "nearmark fit builtin:digits:train -o small.nmk --flash 2k".to_owned(),
        "nearmark fit YOUR.csv -o yours.nmk --holdout 0.2".to_owned(),
    ];
    say(&format!("\nnext, try\n  {}\n", next.join("\n  ")));
    let points: Vec<Value> = front.points.iter().map(|point| measured(point, &test)).collect::<Result<_>>()?;
    console.object(|| {
        json!({
            "methods": comparison.ranking(),
            "chosen": chosen,
            "accuracy": accuracy,
            "n": held,
            "flash_bytes": flash,
            "ram_bytes": trained.model.scratch_bytes(),
            "model": model,
            "small": small,
            "front": points,
            "export": module,
            "predictions": answers,
            "next": next,
        })
    })
}

/// Every method with its defaults, as a table.
fn compare_all(rows: &Dataset, test: &Dataset, console: &Console) -> Result<Comparison> {
    say("every method, untuned, measured by the code that runs on the device:");
    let entry = |name: &str| {
        let nearest = NEIGHBORLY.contains(&name);
        let text = if nearest { format!("{name}:head=knn:1") } else { name.to_owned() };
        Ok(Entry::parse(&text, &Parameters::default())?)
    };
    let entries: Vec<Entry> = Registry::default().names().map(entry).collect::<Result<_>>()?;
    let protocol = Protocol::Fixed(test.clone());
    let comparison = console.with_progress(|run| run_all(&entries, rows, &protocol, 0, run)).context("demo")?;
    say(&compare::table(&comparison));
    Ok(comparison)
}

/// The method within 16 kB and less, measured on the test rows.
fn shrink(chosen: &Common, train: &Dataset, test: &Dataset, console: &Console) -> Result<ParetoFront> {
    say(&format!("\n{} within 16 kB and less, every byte counted, as integers:", chosen.method.name()));
    let plan = Plan { quick: true, ..Plan::new(Bytes(16 * 1024)) };
    let common = Common { numeric: Numeric::Auto, ..chosen.clone() };
    let limited = BudgetSearch { common, ..BudgetSearch::within(Limits::default()) };
    let report = |point: &Point| {
        let accuracy = tested(point, test).map_or_else(|error| error.to_string(), percent);
        let bytes = output::grouped(point.flash_bytes());
        say(&format!("  {:>7} bytes  {accuracy} of the test rows  {}", bytes, point.summary()));
    };
    let search = |run: &nearmark_train::Run<'_>| tune(&limited, train, &plan, &TrialCache::in_memory(), run, report);
    console.with_progress(search).context("demo")
}

fn tested(point: &Point, test: &Dataset) -> Result<f64> {
    Ok(evaluate::evaluate(&point.trained.model, test)?.accuracy())
}

/// A point for tools, with its accuracy on the test rows.
fn measured(point: &Point, test: &Dataset) -> Result<Value> {
    let mut value = point.json();
    value["test_accuracy"] = tested(point, test)?.into();
    Ok(value)
}

fn predictions(model: &ModelFile, test: &Dataset, path: &Path) -> Result<()> {
    let names = model.class_names();
    let found = evaluate::predict(model, test.rows())?;
    output::file(path, |out| {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(["label", "distance", "margin", "truth"])?;
        for (prediction, &label) in found.iter().zip(test.labels()) {
            out.write_record([
                &names[usize::from(prediction.class().0)],
                &prediction.distance_sq().to_string(),
                &prediction.margin().to_string(),
                &test.class_names()[label],
            ])?;
        }
        Ok(out.flush()?)
    })
}
