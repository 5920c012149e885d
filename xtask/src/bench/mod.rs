//! Cost of a classification on each board: instructions, flash, stack.

mod table;

use anyhow::{Context, Result, bail};

use crate::{
    command::read,
    firmware::{self, BOARDS, Board},
    marked, qemu, size, targets,
};

/// The model of the limits: 100 Gaussian centers, 64 inputs, 9 outputs, 10 classes. A limit is a board, an arithmetic and
/// the largest number of instructions.
const REFERENCE: &str = "gaussian";
const LIMITS: [(&str, Arithmetic, u64); 4] = [
    ("m4f", Arithmetic::Float, 34_000),
    ("m0", Arithmetic::Integer, 60_000),
    ("rv32", Arithmetic::Integer, 40_000),
    ("m4f", Arithmetic::Dsp, 22_000),
];
const STACK_LIMIT: u64 = 1024;

/// The part of `docs/devices.md` with the table.
const PART: &str = "bench-device";

/// What a model computes in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Arithmetic {
    Float,
    Integer,
    /// Integers, with DSP instructions.
    Dsp,
}

impl Arithmetic {
    fn name(self) -> &'static str {
        match self {
            Self::Float => "f32",
            Self::Integer => "int",
            Self::Dsp => "dsp",
        }
    }
}

/// A model on a board.
struct Cost {
    board: &'static Board,
    model: String,
    arithmetic: Arithmetic,
    /// Of one `classify`.
    instructions: u64,
    /// Of `Model::from_bytes`, which reads the whole file once.
    load: u64,
    stack: u64,
    /// Bytes of the caller's scratch buffer.
    scratch: u64,
    /// Bytes of the model in flash.
    bytes: u64,
    /// Runtime and model.
    flash: u64,
}

/// What to do with the measurements, besides printing them.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    Nothing,
    /// Compare them with the limits and with `docs/devices.md`.
    Check,
    /// Write the table of `docs/devices.md`.
    Write,
}

/// Measures and prints, with what it needs.
pub(crate) fn print(then: Then) -> Result<()> {
    targets::ensure()?;
    qemu::ensure()?;
    match then {
        Then::Nothing => measure().map(|costs| show(&costs)),
        Then::Check => check(),
        Then::Write => marked::write(&marked::devices_page(), PART, &table::table(&measure()?)?),
    }
}

/// Measures and prints; compares the reference model with its limits and `docs/devices.md` with the measurements.
pub(crate) fn check() -> Result<()> {
    let costs = measure()?;
    show(&costs);
    limits(&costs)?;
    let table = table::table(&costs)?;
    marked::check(&marked::devices_page(), PART, &table, "cargo xtask bench-device --write")
}

fn limits(costs: &[Cost]) -> Result<()> {
    for (board, arithmetic, limit) in LIMITS {
        let of =
            |cost: &&Cost| (cost.board.name, cost.arithmetic, cost.model.as_str()) == (board, arithmetic, REFERENCE);
        let Some(cost) = costs.iter().find(of) else {
            bail!("no golden model {REFERENCE} was measured on {board} in {}", arithmetic.name());
        };
        if cost.instructions > limit {
            let (name, title) = (arithmetic.name(), cost.board.title);
            bail!("{} instructions on {title} in {name}, more than {limit}", cost.instructions);
        }
    }
    for cost in costs.iter().filter(|cost| cost.model == REFERENCE) {
        if cost.stack > STACK_LIMIT {
            bail!("{}: {} bytes of stack, more than {STACK_LIMIT}", cost.board.title, cost.stack);
        }
    }
    Ok(())
}

fn measure() -> Result<Vec<Cost>> {
    let mut costs = Vec::new();
    for board in &BOARDS {
        let runtime = [size::runtime(board.target, false)?, size::runtime(board.target, true)?];
        let mut run = |command: &str, dsp: bool| -> Result<()> {
            let output = read(&mut firmware::cargo(&format!("{command} --quiet --bin bench")))?;
            for line in output.lines().filter_map(|line| line.strip_prefix("bench bench-")) {
                let cost = parse(board, runtime, line, dsp).with_context(|| format!("{}: '{line}'", board.name))?;
                // Float models do not use the DSP instructions: they are measured once.
                if !dsp || cost.arithmetic == Arithmetic::Dsp {
                    costs.push(cost);
                }
            }
            Ok(())
        };
        run(board.name, false)?;
        if board.dsp {
            run(&format!("{}-dsp", board.name), true)?;
        }
    }
    // One model after the other, floats before integers.
    let place = |cost: &Cost| BOARDS.iter().position(|board| board.name == cost.board.name);
    costs.sort_by_key(|cost| (place(cost), cost.model.clone(), cost.arithmetic as u8));
    Ok(costs)
}

/// Reads `NAME key=value …` as the firmware prints it.
fn parse(board: &'static Board, runtime: [u64; 2], line: &str, dsp: bool) -> Result<Cost> {
    let value = |key: &str| -> Result<u64> {
        let mut pairs = line.split_whitespace().filter_map(|word| word.split_once('='));
        let (_, value) = pairs.find(|(name, _)| *name == key).with_context(|| format!("no {key}"))?;
        Ok(value.parse()?)
    };
    let name = line.split_whitespace().next().context("no name")?;
    let bytes = value("model")?;
    let int = name.strip_prefix("int-");
    let arithmetic = match (int, dsp) {
        (None, _) => Arithmetic::Float,
        (Some(_), false) => Arithmetic::Integer,
        (Some(_), true) => Arithmetic::Dsp,
    };
    Ok(Cost {
        board,
        model: int.unwrap_or(name).to_owned(),
        arithmetic,
        instructions: value("instructions")?,
        load: value("load")?,
        stack: value("stack")?,
        scratch: value("scratch")?,
        bytes,
        flash: runtime[usize::from(int.is_some())] + bytes,
    })
}

fn show(costs: &[Cost]) {
    let head = ["board", "model", "numbers", "instructions", "to load", "model", "flash", "scratch", "stack bytes"];
    let rows = costs.iter().map(|cost| {
        let numbers = [cost.instructions, cost.load, cost.bytes, cost.flash, cost.scratch, cost.stack];
        [cost.board.title, &cost.model, cost.arithmetic.name()]
            .into_iter()
            .map(str::to_owned)
            .chain(numbers.map(|n| n.to_string()))
            .collect()
    });
    let rows: Vec<Vec<String>> = [head.map(str::to_owned).to_vec()].into_iter().chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    for row in &rows {
        let cells = row
            .iter()
            .enumerate()
            .map(|(i, cell)| if i < 3 { format!("{cell:0$}", width(i)) } else { format!("{cell:>0$}", width(i)) });
        println!("{}", cells.collect::<Vec<_>>().join("  "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_firmware_is_parsed() -> Result<()> {
        let cost = parse(
            &BOARDS[1],
            [3000, 0],
            "gaussian instructions=33000 load=900 stack=400 scratch=40 model=30000",
            true,
        )?;
        assert_eq!(cost.arithmetic, Arithmetic::Float);
        let int = parse(&BOARDS[1], [3000, 4000], "int-knn instructions=9 load=9 stack=4 scratch=8 model=1000", false)?;
        assert_eq!((int.model.as_str(), int.arithmetic, int.flash), ("knn", Arithmetic::Integer, 5000));
        assert_eq!((cost.model.as_str(), cost.instructions, cost.load), ("gaussian", 33_000, 900));
        assert_eq!((cost.stack, cost.scratch, cost.bytes, cost.flash), (400, 40, 30_000, 33_000));
        assert!(parse(&BOARDS[1], [0; 2], "gaussian instructions=33000", false).is_err());
        Ok(())
    }
}
