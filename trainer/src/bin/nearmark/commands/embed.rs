//! `nearmark embed`

use crate::args::EmbedArgs;
use crate::output::{self, WriteSeek, grouped, say};
use crate::rows;
use crate::setup::{Console, model_file};
use anyhow::{Context, Result};
use nearmark_train::{ModelFile, evaluate};
use npyz::WriterBuilder;
use serde_json::json;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

pub(crate) fn run(args: &EmbedArgs, console: &Console) -> Result<()> {
    let model = model_file(&args.model)?;
    let embeddings = Embeddings { args, dim: model.header().dim.into(), model };
    let count = match (&args.output, console.json) {
        (None, true) => embeddings.json()?,
        (None, false) => output::stdout_rows(|out| embeddings.csv(out))?,
        (Some(path), _) => {
            output::check(path, &[&args.model, Path::new(&args.data)])?;
            let count = output::rows(path, "embeddings", |out| embeddings.csv(out), |out| embeddings.npy(out))?;
            console.object(|| json!({ "output": path, "n": count, "dim": embeddings.dim }))?;
            count
        }
    };
    say(&format!("{} rows of {} coordinates", grouped(count), embeddings.dim));
    Ok(())
}

/// The embedding of every row, in one of several formats.
struct Embeddings<'a> {
    args: &'a EmbedArgs,
    model: ModelFile,
    dim: usize,
}

impl Embeddings<'_> {
    /// Calls `each` with every row's embedding and its label, if it has one.
    fn rows(&self, mut each: impl FnMut(&[f32], Option<&str>) -> Result<()>) -> Result<u64> {
        rows::each(&self.args.data, &self.args.input, &self.model, |block| {
            let z = evaluate::embed(&self.model, &block.rows).map_err(|error| error.after(block.first));
            let z = z.with_context(|| self.args.data.clone())?;
            for (i, row) in z.row_iter().enumerate() {
                let row: Vec<f32> = row.iter().map(|&value| value as f32).collect();
                each(&row, block.labels.as_ref().map(|labels| labels[i].as_str()))?;
            }
            Ok(())
        })
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
        let head = format!("\"dim\": {}, \"embeddings\"", self.dim);
        output::json_list(&head, |push| self.rows(|z, _| push(json!(z))))
    }

    /// An array's header holds the number of rows, which is known only at the end: values go to a temporary file first.
    fn npy(&self, out: &mut dyn WriteSeek) -> Result<u64> {
        let mut temporary = BufWriter::new(tempfile::tempfile()?);
        let count =
            self.rows(|z, _| Ok(z.iter().try_for_each(|value| temporary.write_all(&value.to_le_bytes()))?))?;
        let mut temporary = temporary.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        temporary.rewind()?;
        let options = npyz::WriteOptions::<f32>::new().default_dtype().shape(&[count, self.dim as u64]);
        let mut out = options.writer(out).begin_nd()?;
        let mut values = BufReader::new(temporary);
        let mut word = [0; 4];
        for _ in 0..count * self.dim as u64 {
            values.read_exact(&mut word)?;
            out.push(&f32::from_le_bytes(word))?;
        }
        out.finish()?;
        Ok(count)
    }
}
