//! `nearmark embed`

use crate::args::{EmbedArgs, Usage};
use crate::output::{self, WriteSeek, grouped};
use crate::rows;
use crate::setup::{Console, model_bytes, say};
use anyhow::{Context, Result};
use nearmark::Model;
use nearmark_format::AlignedBuf;
use nearmark_train::evaluate;
use npyz::WriterBuilder;
use serde_json::json;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

pub(crate) fn run(args: &EmbedArgs, console: &Console) -> Result<()> {
    let bytes = model_bytes(&args.model)?;
    let aligned = AlignedBuf::from(bytes.as_slice());
    let model = Model::from_bytes(&aligned)?;
    let job = Job { args, bytes: &bytes, model: &model };
    let extension = args.output.as_ref().and_then(|path| path.extension()?.to_str());
    if let Some(path) = &args.output {
        output::check(path, &[&args.model, Path::new(&args.data)])?;
    }
    let mut count = 0;
    match (&args.output, extension, console.json) {
        (None, _, true) => count = job.json()?,
        (None, _, false) => count = output::stdout_rows(|out| job.csv(out))?,
        (Some(path), Some("npy"), _) => output::file(path, |out| job.npy(out).map(|rows| count = rows))?,
        (Some(path), Some("csv") | None, _) => {
            output::file(path, |mut out| job.csv(&mut out).map(|rows| count = rows))?;
        }
        (Some(_), Some(other), _) => {
            return Err(Usage(format!("embeddings are written as .csv or .npy, not .{other}")).into());
        }
    }
    if let (Some(path), true) = (&args.output, console.json) {
        output::json(&json!({ "output": path, "n": count, "dim": model.dim() }))?;
    }
    say(&format!("{} rows of {} coordinates", grouped(count), model.dim()));
    Ok(())
}

struct Job<'a> {
    args: &'a EmbedArgs,
    bytes: &'a [u8],
    model: &'a Model<'a>,
}

impl Job<'_> {
    /// Calls `each` with every row's embedding and its label, if it has one.
    fn rows(&self, mut each: impl FnMut(&[f32], Option<&str>) -> Result<()>) -> Result<u64> {
        let mut count = 0;
        rows::each(&self.args.data, &self.args.input, self.bytes, self.model, |block| {
            let z = evaluate::embed(self.model, &block.rows).map_err(|error| error.after(block.first));
            let z = z.with_context(|| self.args.data.clone())?;
            for (i, row) in z.row_iter().enumerate() {
                let row: Vec<f32> = row.iter().map(|&value| value as f32).collect();
                each(&row, block.labels.as_ref().map(|labels| labels[i].as_str()))?;
                count += 1;
            }
            Ok(())
        })?;
        Ok(count)
    }

    fn csv(&self, out: &mut dyn Write) -> Result<u64> {
        let mut out = csv::Writer::from_writer(out);
        let mut begun = false;
        let count = self.rows(|z, label| {
            if !begun {
                let names = (0..z.len()).map(|i| format!("z{i}")).chain(label.map(|_| "truth".to_owned()));
                out.write_record(names)?;
                begun = true;
            }
            Ok(out.write_record(z.iter().map(ToString::to_string).chain(label.map(str::to_owned)))?)
        })?;
        out.flush()?;
        Ok(count)
    }

    fn json(&self) -> Result<u64> {
        let mut out = BufWriter::new(tempfile::tempfile()?);
        write!(out, "{{\"dim\": {}, \"embeddings\": [", self.model.dim())?;
        let mut separator = "\n";
        let count = self.rows(|z, _| {
            write!(out, "{separator}{}", json!(z))?;
            separator = ",\n";
            Ok(())
        })?;
        writeln!(out, "\n], \"n\": {count}}}")?;
        output::stdout_from(out)?;
        Ok(count)
    }

    /// An array's header holds the number of rows, which is known only at the end: values go to a temporary file first.
    fn npy(&self, out: &mut dyn WriteSeek) -> Result<u64> {
        let mut temporary = BufWriter::new(tempfile::tempfile()?);
        let count =
            self.rows(|z, _| Ok(z.iter().try_for_each(|value| temporary.write_all(&value.to_le_bytes()))?))?;
        let mut temporary = temporary.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        temporary.rewind()?;
        let options = npyz::WriteOptions::<f32>::new().default_dtype().shape(&[count, self.model.dim() as u64]);
        let mut out = options.writer(out).begin_nd()?;
        let mut values = BufReader::new(temporary);
        let mut word = [0; 4];
        for _ in 0..count * self.model.dim() as u64 {
            values.read_exact(&mut word)?;
            out.push(&f32::from_le_bytes(word))?;
        }
        out.finish()?;
        Ok(count)
    }
}
