//! `nearmark predict`

use crate::args::PredictArgs;
use crate::output::{self, WriteSeek, grouped, say};
use crate::rows;
use crate::setup::{Console, classifier_file};
use anyhow::{Context, Result};
use nearmark::Prediction;
use nearmark_train::evaluate::robustness::Certifier;
use nearmark_train::{ModelFile, evaluate};
use npyz::WriterBuilder;
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(args: &PredictArgs, console: &Console) -> Result<()> {
    let model = classifier_file(&args.model)?;
    let certifier = if args.no_radius { None } else { Certifier::new(&model).context("certified radii")? };
    let predictions = Predictions { args, model, certifier };
    let count = match (&args.output, console.json) {
        (None, true) => predictions.json()?,
        (None, false) => output::stdout_rows(|out| predictions.csv(out))?,
        (Some(path), _) => {
            output::check(path, &[&args.model, Path::new(&args.data)])?;
            let count = output::rows(path, "predictions", |out| predictions.csv(out), |out| predictions.npy(out))?;
            console.object(|| json!({ "output": path, "n": count }))?;
            count
        }
    };
    say(&format!("{} rows", grouped(count)));
    Ok(())
}

/// One prediction in an array file.
#[derive(npyz::Serialize, npyz::AutoSerialize)]
struct Record {
    class: u16,
    distance: f32,
    margin: f32,
    radius: f32,
}

/// The prediction for every row, in one of several formats.
struct Predictions<'a> {
    args: &'a PredictArgs,
    model: ModelFile,
    certifier: Option<Certifier>,
}

impl Predictions<'_> {
    /// Calls `each` with every prediction, its certified radius and the row's label, where there are such.
    fn each(&self, mut each: impl FnMut(&Prediction, Option<f64>, Option<&str>) -> Result<()>) -> Result<u64> {
        rows::each(&self.args.data, &self.args.input, &self.model, |block| {
            let found = evaluate::predict(&self.model, &block.rows).map_err(|error| error.after(block.first));
            let found = found.with_context(|| self.args.data.clone())?;
            for (i, prediction) in found.iter().enumerate() {
                let row = || block.rows.row(i).iter().copied().collect::<Vec<f64>>();
                let radius = self.certifier.as_ref().map(|certifier| certifier.radius(&row())).transpose()?;
                let label = block.labels.as_ref().map(|labels| labels[i].as_str());
                each(prediction, radius, label)?;
            }
            Ok(())
        })
    }

    fn name(&self, prediction: &Prediction) -> &str {
        &self.model.class_names()[usize::from(prediction.class().0)]
    }

    fn csv(&self, out: &mut dyn Write) -> Result<u64> {
        let mut out = csv::Writer::from_writer(out);
        let mut begun = false;
        let count = self.each(|prediction, radius, label| {
            if !begun {
                let truth = label.map(|_| "truth");
                out.write_record(["label", "distance", "margin", "radius"].into_iter().chain(truth))?;
                begun = true;
            }
            let distance = prediction.distance_sq().to_string();
            let margin = prediction.margin().to_string();
            let radius = radius.map_or_else(String::new, |radius| (radius as f32).to_string());
            let fields = [self.name(prediction), &distance, &margin, &radius];
            Ok(out.write_record(fields.into_iter().chain(label))?)
        })?;
        out.flush().context("writing predictions")?;
        Ok(count)
    }

    fn json(&self) -> Result<u64> {
        output::json_list("\"predictions\"", |push| {
            self.each(|prediction, radius, label| {
                // JSON has no infinity: an unbounded radius is null, as one that does not exist.
                push(json!({
                    "label": self.name(prediction),
                    "class": prediction.class().0,
                    "known": prediction.is_known(),
                    "distance": prediction.distance_sq(),
                    "margin": prediction.margin(),
                    "radius": radius,
                    "truth": label,
                }))
            })
        })
    }

    fn npy(&self, out: &mut dyn WriteSeek) -> Result<u64> {
        let mut out = npyz::WriteOptions::new().default_dtype().writer(out).begin_1d()?;
        let count = self.each(|prediction, radius, _| {
            let (distance, margin) = (prediction.distance_sq(), prediction.margin());
            let radius = radius.map_or(f32::NAN, |radius| radius as f32);
            Ok(out.push(&Record { class: prediction.class().0, distance, margin, radius })?)
        })?;
        out.finish()?;
        Ok(count)
    }
}
