//! Rows in blocks, in a model's column order: memory holds one block at a time.

use crate::args::{DataArgs, in_flags};
use crate::columns::Order;
use crate::setup::{Console, say, takes_interleaved, trained_on};
use anyhow::{Context, Result};
use nearmark::Model;
use nearmark_train::io::{self, Block, Shape};
use nearmark_train::preprocess::interleave;

/// Calls `each` with every block of rows.
pub(crate) fn each(
    data: &str,
    args: &DataArgs,
    bytes: &[u8],
    model: &Model<'_>,
    mut each: impl FnMut(Block) -> Result<()>,
) -> Result<()> {
    let what = || format!("reading {data}");
    let interleaved = takes_interleaved(bytes);
    let blocks = io::stream(data, &args.options(), model.inputs()).map_err(in_flags).with_context(what)?;
    blocks.notes().iter().for_each(|note| say(&format!("note: {note}")));
    let shape = blocks.shape();
    let order = Order::of(&trained_on(bytes), &blocks.features());
    order.note().iter().for_each(|note| say(note));
    for block in blocks {
        Console::check_stop()?;
        let mut block = block.with_context(what)?;
        block.rows = order.apply(block.rows);
        if let Shape::Series { channels, steps } = shape
            && interleaved
        {
            block.rows = interleave(&block.rows, channels, steps);
        }
        each(block)?;
    }
    Ok(())
}
