//! `nearmark embed`

use crate::args::{EmbedArgs, Usage};
use crate::output::{self, WriteSeek, grouped, say};
use crate::rows;
use crate::setup::{Console, model_file};
use anyhow::{Context, Result};
use nearmark_train::evaluate::figures::{Rows, scatter};
use nearmark_train::linalg::Mat;
use nearmark_train::{ModelFile, evaluate};
use npyz::WriterBuilder;
use serde_json::json;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

pub(crate) fn run(args: &EmbedArgs, console: &Console) -> Result<()> {
    let model = model_file(&args.model)?;
    let drawn = args.output.as_deref().filter(|path| path.extension().is_some_and(|ending| ending == "svg"));
    if let Some(path) = drawn {
        return draw(args, path, &model, console);
    }
    if args.test.is_some() {
        return Err(Usage("--test is drawn beside DATA: give -o FILE.svg".to_owned()).into());
    }
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

/// The rows in the plane, by class where they have labels.
fn draw(args: &EmbedArgs, path: &Path, model: &ModelFile, console: &Console) -> Result<()> {
    let sets: Vec<&String> = std::iter::once(&args.data).chain(&args.test).collect();
    let read: Vec<&Path> = sets.iter().map(Path::new).chain([args.model.as_path()]).collect();
    output::check(path, &read)?;
    let drawn: Vec<Drawn> = sets.iter().map(|data| Drawn::read(data, args, model)).collect::<Result<_>>()?;
    let kinds = if drawn.len() > 1 { ["training", "test"] } else { ["", ""] };
    let groups: Vec<Rows<'_>> = drawn.iter().zip(kinds).map(|(set, kind)| set.group(kind)).collect();
    let names: Vec<&str> = sets.iter().map(|name| name.as_str()).collect();
    let chart = scatter(&format!("{}, embedded", names.join(" and ")), &groups)?;
    output::bytes(path, chart.svg()?.as_bytes())?;
    let count: usize = drawn.iter().map(|set| set.embedding.nrows()).sum();
    say(&format!("{} rows drawn", grouped(count)));
    console.object(|| json!({ "output": path, "n": count, "dim": model.header().dim }))
}

/// Embedded rows, and their labels if they have any.
struct Drawn {
    embedding: Mat,
    labels: Vec<String>,
}

impl Drawn {
    fn group<'a>(&'a self, kind: &'a str) -> Rows<'a> {
        let complete = self.labels.len() == self.embedding.nrows();
        Rows { kind, embedding: &self.embedding, classes: complete.then_some(self.labels.as_slice()) }
    }

    fn read(data: &str, args: &EmbedArgs, model: &ModelFile) -> Result<Self> {
        let (mut rows, mut labels) = (Vec::new(), Vec::new());
        rows::each(data, &args.input, model, |block| {
            let z = evaluate::embed(model, &block.rows).map_err(|error| error.after(block.first));
            rows.extend(z.with_context(|| data.to_owned())?.row_iter().map(nalgebra::Matrix::into_owned));
            labels.extend(block.labels.iter().flatten().cloned());
            Ok(())
        })?;
        let embedding = if rows.is_empty() { Mat::zeros(0, 0) } else { Mat::from_rows(&rows) };
        Ok(Self { embedding, labels })
    }
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
