//! `nearmark predict`

use crate::args::{PredictArgs, Usage};
use crate::output::{self, WriteSeek, grouped};
use crate::rows;
use crate::setup::{Console, model_bytes, say};
use anyhow::{Context, Result};
use nearmark::{Model, Prediction};
use nearmark_format::AlignedBuf;
use nearmark_train::evaluate;
use nearmark_train::evaluate::robustness::Certifier;
use nearmark_train::io::Block;
use npyz::WriterBuilder;
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(args: &PredictArgs, console: &Console) -> Result<()> {
    let bytes = model_bytes(&args.model)?;
    let aligned = AlignedBuf::from(bytes.as_slice());
    let model = Model::from_bytes(&aligned)?;
    let certifier = if args.no_radius { None } else { Certifier::new(&bytes)? };
    let names = evaluate::class_names_of(&bytes)?;
    let job = Job { args, bytes: &bytes, model: &model, names: &names, certifier: certifier.as_ref() };
    let count = match (&args.output, console.json) {
        (None, true) => job.json()?,
        (None, false) => output::stdout_rows(|out| job.csv(out))?,
        (Some(path), json) => {
            output::check(path, &[&args.model, Path::new(&args.data)])?;
            let count = job.file(path)?;
            if json {
                output::json(&json!({ "output": path, "n": count }))?;
            }
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

struct Job<'a> {
    args: &'a PredictArgs,
    bytes: &'a [u8],
    model: &'a Model<'a>,
    names: &'a [String],
    certifier: Option<&'a Certifier>,
}

impl Job<'_> {
    /// Calls `each` with every prediction, its certified radius and the row's label, where there are such.
    fn answers(&self, mut each: impl FnMut(&Prediction, Option<f64>, Option<&str>) -> Result<()>) -> Result<u64> {
        let mut count = 0;
        rows::each(&self.args.data, &self.args.input, self.bytes, self.model, |block| {
            let found = evaluate::predict(self.model, &block.rows).map_err(|error| error.after(block.first));
            let found = found.with_context(|| self.args.data.clone())?;
            for (i, prediction) in found.iter().enumerate() {
                let radius = self.certifier.map(|certifier| certifier.radius(&row(&block, i)));
                let label = block.labels.as_ref().map(|labels| labels[i].as_str());
                each(prediction, radius, label)?;
                count += 1;
            }
            Ok(())
        })?;
        Ok(count)
    }

    fn name(&self, prediction: &Prediction) -> &str {
        &self.names[usize::from(prediction.class().0)]
    }

    fn csv(&self, out: &mut dyn Write) -> Result<u64> {
        let mut out = csv::Writer::from_writer(out);
        let mut begun = false;
        let count = self.answers(|prediction, radius, label| {
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
        // A temporary file first: an incomplete JSON object is of no use.
        let mut out = std::io::BufWriter::new(tempfile::tempfile()?);
        write!(out, "{{\"predictions\": [")?;
        let mut separator = "\n";
        let count = self.answers(|prediction, radius, label| {
            // JSON has no infinity: an unbounded radius is null, as one that cannot be computed.
            let answer = json!({
                "label": self.name(prediction),
                "class": prediction.class().0,
                "known": prediction.is_known(),
                "distance": prediction.distance_sq(),
                "margin": prediction.margin(),
                "radius": radius,
                "truth": label,
            });
            write!(out, "{separator}{answer}")?;
            separator = ",\n";
            Ok(())
        })?;
        writeln!(out, "\n], \"n\": {count}}}")?;
        output::stdout_from(out)?;
        Ok(count)
    }

    fn npy(&self, out: &mut dyn WriteSeek) -> Result<u64> {
        let mut out = npyz::WriteOptions::new().default_dtype().writer(out).begin_1d()?;
        let count = self.answers(|prediction, radius, _| {
            let (distance, margin) = (prediction.distance_sq(), prediction.margin());
            let radius = radius.map_or(f32::NAN, |radius| radius as f32);
            Ok(out.push(&Record { class: prediction.class().0, distance, margin, radius })?)
        })?;
        out.finish()?;
        Ok(count)
    }

    fn file(&self, path: &Path) -> Result<u64> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let mut count = 0;
        output::file(path, |mut out| {
            count = match extension {
                Some("npy") => self.npy(out)?,
                Some("csv") | None => self.csv(&mut out)?,
                Some(other) => {
                    return Err(Usage(format!("predictions are written as .csv or .npy, not .{other}")).into());
                }
            };
            Ok(())
        })?;
        Ok(count)
    }
}

fn row(block: &Block, i: usize) -> Vec<f64> {
    block.rows.row(i).iter().copied().collect()
}
