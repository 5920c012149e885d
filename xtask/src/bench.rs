//! What a classification costs on each board: instructions, flash, stack.

use anyhow::{Context, Result, bail};

use crate::{
    command::read,
    firmware::{self, BOARDS, Board},
    qemu, size, targets,
};

/// The model that the limits speak of: 100 Gaussian centers, 64 inputs, 9 outputs, 10 classes, all f32.
const REFERENCE: &str = "gaussian";
const INSTRUCTIONS_LIMIT: u64 = 34_000;
const STACK_LIMIT: u64 = 1024;

/// How the table is drawn.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    Plain,
    Markdown,
}

/// A model on a board.
struct Cost {
    board: &'static Board,
    model: String,
    /// Of one `classify`.
    instructions: u64,
    /// Of `Model::from_bytes`, which reads the whole file once.
    load: u64,
    stack: u64,
    /// Bytes of the model in flash.
    bytes: u64,
    /// Runtime and model.
    flash: u64,
}

/// Measures and prints the table.
pub(crate) fn print(style: Style) -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    show(&measure()?, style);
    Ok(())
}

/// Measures, prints, and holds the reference model to its limits.
pub(crate) fn check() -> Result<()> {
    let costs = measure()?;
    show(&costs, Style::Plain);
    let mut found = false;
    for cost in costs.iter().filter(|cost| cost.model == REFERENCE) {
        if cost.stack > STACK_LIMIT {
            bail!("{}: {} bytes of stack, more than {STACK_LIMIT}", cost.board.title, cost.stack);
        }
        if cost.board.name == "m4f" {
            found = true;
            if cost.instructions > INSTRUCTIONS_LIMIT {
                bail!("{} instructions on Cortex-M4F, more than {INSTRUCTIONS_LIMIT}", cost.instructions);
            }
        }
    }
    if !found {
        bail!("no golden model bench-{REFERENCE} was measured");
    }
    Ok(())
}

fn measure() -> Result<Vec<Cost>> {
    let mut costs = Vec::new();
    for board in &BOARDS {
        let output = read(&mut firmware::cargo(&format!("{} --quiet --bin bench", board.name)))?;
        let runtime = [size::runtime(board.target, false)?, size::runtime(board.target, true)?];
        for line in output.lines().filter_map(|line| line.strip_prefix("bench bench-")) {
            let cost = parse(board, runtime, line).with_context(|| format!("{}: '{line}'", board.name))?;
            costs.push(cost);
        }
    }
    Ok(costs)
}

/// Reads `NAME key=value …` as the firmware prints it.
fn parse(board: &'static Board, runtime: [u64; 2], line: &str) -> Result<Cost> {
    let value = |key: &str| -> Result<u64> {
        let mut pairs = line.split_whitespace().filter_map(|word| word.split_once('='));
        let (_, value) = pairs.find(|(name, _)| *name == key).with_context(|| format!("no {key}"))?;
        Ok(value.parse()?)
    };
    let model = line.split_whitespace().next().context("no name")?.to_owned();
    let bytes = value("model")?;
    let int = model.starts_with("int-");
    Ok(Cost {
        board,
        model,
        instructions: value("instructions")?,
        load: value("load")?,
        stack: value("stack")?,
        bytes,
        flash: runtime[usize::from(int)] + bytes,
    })
}

fn show(costs: &[Cost], style: Style) {
    let head = ["board", "model", "instructions", "to load", "model bytes", "flash bytes", "stack bytes"];
    let rows = costs.iter().map(|cost| {
        let numbers = [cost.instructions, cost.load, cost.bytes, cost.flash, cost.stack];
        [cost.board.title, &cost.model].into_iter().map(str::to_owned).chain(numbers.map(|n| n.to_string())).collect()
    });
    let rows: Vec<Vec<String>> = [head.map(str::to_owned).to_vec()].into_iter().chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(i, cell)| if i < 2 { format!("{cell:0$}", width(i)) } else { format!("{cell:>0$}", width(i)) })
            .collect();
        match style {
            Style::Plain => println!("{}", cells.join("  ")),
            Style::Markdown => {
                println!("| {} |", cells.join(" | "));
                if number == 0 {
                    println!("|---|---|{}", "---:|".repeat(head.len() - 2));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_firmware_is_read_back() -> Result<()> {
        let cost = parse(&BOARDS[1], [3000, 0], "gaussian instructions=33000 load=900 stack=400 model=30000")?;
        assert_eq!((cost.model.as_str(), cost.instructions, cost.load), ("gaussian", 33_000, 900));
        assert_eq!((cost.stack, cost.bytes, cost.flash), (400, 30_000, 33_000));
        assert!(parse(&BOARDS[1], [0; 2], "gaussian instructions=33000").is_err());
        Ok(())
    }
}
