//! Rows in blocks, in a model's column order: memory holds one block at a time.

use crate::args::{DataArgs, in_flags};
use crate::columns::Order;
use crate::output::say;
use crate::setup::Console;
use anyhow::{Context, Result};
use nearmark_train::ModelFile;
use nearmark_train::io::{self, Block, Shape};
use nearmark_train::linalg::Mat;
use nearmark_train::preprocess::interleave;
use std::borrow::Cow;

/// Calls `each` with every block of rows; returns the number of rows.
pub(crate) fn each(
    data: &str,
    args: &DataArgs,
    model: &ModelFile,
    mut each: impl FnMut(&Block) -> Result<()>,
) -> Result<u64> {
    let what = || format!("reading {data}");
    let stream = |inputs: usize| io::stream(data, &args.options_for(model), inputs);
    let mut blocks = stream(model.header().inputs as usize);
    // Rows of similarities may also be those to all training rows.
    if let (Err(_), Some(info)) = (&blocks, model.info().filter(|info| info.similarities)) {
        blocks = stream(info.rows as usize).or(blocks);
    }
    let blocks = blocks.map_err(in_flags).with_context(what)?;
    blocks.notes().iter().for_each(|note| say(&format!("note: {note}")));
    let shape = blocks.shape();
    let order = Order::of(model.feature_names(), &blocks.features());
    order.note().iter().for_each(|note| say(note));
    let mut count = 0;
    for block in blocks {
        Console::check_stop()?;
        let mut block = block.map_err(in_flags).with_context(what)?;
        block.rows = order.apply(block.rows);
        if let Shape::Series { channels, steps } = shape
            && model.is_interleaved()
        {
            block.rows = interleave(&block.rows, channels, steps);
        }
        if let Cow::Owned(rows) = model.inputs_of(&block.rows) {
            block.rows = rows;
        }
        each(&block)?;
        count += block.rows.nrows() as u64;
    }
    Ok(count)
}

/// All rows at once.
pub(crate) fn all(data: &str, args: &DataArgs, model: &ModelFile) -> Result<Mat> {
    let mut values = Vec::new();
    let count = each(data, args, model, |block| {
        block.rows.row_iter().for_each(|row| values.extend(row.iter().copied()));
        Ok(())
    })?;
    Ok(Mat::from_row_slice(count as usize, model.header().inputs as usize, &values))
}
