//! `nearmark search`

use crate::args::SearchArgs;
use crate::output::{self, WriteSeek, grouped, say};
use crate::rows;
use crate::setup::{Console, model_file};
use anyhow::{Context, Result};
use nearmark::Item;
use nearmark_train::{EvalError, ModelFile, Run, evaluate};
use npyz::WriterBuilder;
use serde_json::json;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(args: &SearchArgs, console: &Console) -> Result<()> {
    let model = model_file(&args.model)?;
    let items = model.items().ok_or(EvalError::NoItems).with_context(|| args.model.display().to_string())?;
    let search = Search { args, model, console };
    let count = match (&args.output, console.json) {
        (None, true) => search.json(items)?,
        (None, false) => output::stdout_rows(|out| search.csv(out))?,
        (Some(path), _) => {
            output::check(path, &[&args.model, Path::new(&args.data)])?;
            let count = output::rows(path, "items", |out| search.csv(out), |out| search.npy(out))?;
            console.object(|| json!({ "output": path, "n": count, "k": args.k, "items": items }))?;
            count
        }
    };
    say(&format!("{} rows searched among {} items", grouped(count), grouped(items)));
    Ok(())
}

/// One found item in an array file.
#[derive(npyz::Serialize, npyz::AutoSerialize)]
struct Record {
    row: u64,
    rank: u32,
    id: u32,
    distance: f32,
    class: u16,
}

/// The nearest items of every row, in one of several formats.
struct Search<'a> {
    args: &'a SearchArgs,
    model: ModelFile,
    console: &'a Console,
}

impl Search<'_> {
    /// Calls `each` with every row's number, its nearest items and its label, if it has one.
    fn each(&self, mut each: impl FnMut(usize, &[Item], Option<&str>) -> Result<()>) -> Result<u64> {
        rows::each(&self.args.data, &self.args.input, &self.model, |block| {
            let find = |run: &Run<'_>| evaluate::nearest(&self.model, &block.rows, self.args.k.into(), run);
            let found = self.console.with_progress(find).map_err(|error| error.after(block.first));
            let found = found.with_context(|| self.args.data.clone())?;
            for (i, items) in found.iter().enumerate() {
                each(block.first + i, items, block.labels.as_ref().map(|labels| labels[i].as_str()))?;
            }
            Ok(())
        })
    }

    /// The name of an item's class, if the model tells classes apart.
    fn class(&self, item: &Item) -> Option<&str> {
        self.model.has_classes().then(|| self.model.class_names()[usize::from(item.class().0)].as_str())
    }

    fn csv(&self, out: &mut dyn Write) -> Result<u64> {
        let mut out = csv::Writer::from_writer(out);
        let mut begun = false;
        let classes = self.model.has_classes();
        let count = self.each(|row, items, label| {
            if !begun {
                let more = classes.then_some("class").into_iter().chain(label.map(|_| "truth"));
                out.write_record(["row", "rank", "id", "distance"].into_iter().chain(more))?;
                begun = true;
            }
            for (rank, item) in (1..).zip(items) {
                let rank: u32 = rank;
                let numbers = [row.to_string(), rank.to_string(), item.id().to_string(), distance(item).to_string()];
                let more = self.class(item).into_iter().chain(label).map(str::to_owned);
                out.write_record(numbers.into_iter().chain(more))?;
            }
            Ok(())
        })?;
        out.flush()?;
        Ok(count)
    }

    fn json(&self, items: usize) -> Result<u64> {
        let head = format!("\"k\": {}, \"items\": {items}, \"rows\"", self.args.k);
        output::json_list(&head, |push| {
            self.each(|row, items, label| {
                let found = items
                    .iter()
                    .map(|item| json!({ "id": item.id(), "distance": distance(item), "class": self.class(item) }));
                push(json!({ "row": row, "truth": label, "items": found.collect::<Vec<_>>() }))
            })
        })
    }

    fn npy(&self, out: &mut dyn WriteSeek) -> Result<u64> {
        let mut out = npyz::WriteOptions::new().default_dtype().writer(out).begin_1d()?;
        let count = self.each(|row, items, _| {
            for (rank, item) in (1..).zip(items) {
                let (id, distance, class) = (item.id(), distance(item), item.class().0);
                out.push(&Record { row: row as u64, rank, id, distance, class })?;
            }
            Ok(())
        })?;
        out.finish()?;
        Ok(count)
    }
}

/// The distance itself; the runtime has its square.
fn distance(item: &Item) -> f32 {
    item.distance_sq().sqrt()
}
