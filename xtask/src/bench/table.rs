//! The table of `docs/devices.md`: a line per model and arithmetic, a column per board.

use anyhow::{Context, Result};

use super::{Arithmetic, Cost};
use crate::{firmware::BOARDS, measured::grouped};

/// The models in the table's order: names of their golden files and descriptions.
const MODELS: [(&str, &str); 9] = [
    ("gaussian", "Gaussian: 64 inputs, 100 centers, 9 coordinates, 10 classes"),
    ("project", "the same with a projection to 16"),
    ("small", "projection to 18, 93 centers, weights of 8 bits"),
    ("nibbles", "the same with weights of 4 bits"),
    ("linear", "linear: 64 inputs, 9 coordinates (int: unit vectors)"),
    ("knn", "3-NN on 9 projected coordinates"),
    ("convolution", "filters: 28 × 28 pixels, two layers of 8, projection to 10, 40 centers"),
    ("random", "100 random features from a seed"),
    ("counts", "185 counts and statistics of 6 × 128 values, linear"),
];

/// The board whose flash is shown.
const FLASH: &str = "m4f";

/// The Markdown table of the measurements.
pub(super) fn table(costs: &[Cost]) -> Result<String> {
    let boards: Vec<&str> = BOARDS.iter().map(|board| board.title).collect();
    let rule = "---:|".repeat(boards.len() + 4);
    let boards = boards.join(" | ");
    let mut text = format!("| model | numbers | {boards} | bytes | flash | scratch | stack |\n|---|---|{rule}\n");
    for cost in costs {
        MODELS
            .iter()
            .find(|(name, _)| *name == cost.model)
            .with_context(|| format!("the table has no description of {}", cost.model))?;
    }
    for (name, title) in MODELS {
        let mut title = title;
        for arithmetic in [Arithmetic::Float, Arithmetic::Integer, Arithmetic::Dsp] {
            let of = |cost: &&Cost| cost.model == name && cost.arithmetic == arithmetic;
            let costs: Vec<&Cost> = costs.iter().filter(of).collect();
            if !costs.is_empty() {
                text += &line(title, arithmetic, &costs)?;
                title = "";
            }
        }
    }
    Ok(text)
}

/// A model in one arithmetic, measured on some boards.
fn line(title: &str, arithmetic: Arithmetic, costs: &[&Cost]) -> Result<String> {
    let on = |board: &str| costs.iter().find(|cost| cost.board.name == board);
    let instructions =
        BOARDS.iter().map(|board| on(board.name).map_or("–".into(), |cost| grouped(cost.instructions)));
    let shown = on(FLASH).with_context(|| format!("{title} was not measured on {FLASH}"))?;
    let stack = costs.iter().map(|cost| cost.stack).max().unwrap_or_default();
    let bytes = [shown.bytes, shown.flash, shown.scratch, stack].map(grouped);
    let cells: Vec<String> = instructions.chain(bytes).collect();
    Ok(format!("| {title} | {} | {} |\n", arithmetic.name(), cells.join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_a_line_per_arithmetic_and_a_column_per_board() -> Result<()> {
        let cost = |board: usize, arithmetic, instructions, stack| Cost {
            board: &BOARDS[board],
            model: "linear".into(),
            arithmetic,
            instructions,
            load: 0,
            stack,
            scratch: 40,
            bytes: 1308,
            flash: 9000,
        };
        let costs = [
            cost(0, Arithmetic::Integer, 5445, 800),
            cost(1, Arithmetic::Integer, 3548, 900),
            cost(1, Arithmetic::Dsp, 2130, 700),
        ];
        let table = table(&costs)?;
        let lines: Vec<&str> = table.lines().skip(2).collect();
        let int = "| linear: 64 inputs, 9 coordinates (int: unit vectors) | int | 5 445 | 3 548 | – | – | – | 1 308 | 9 000 | 40 | 900 |";
        assert_eq!(lines, [int, "|  | dsp | – | 2 130 | – | – | – | 1 308 | 9 000 | 40 | 700 |"]);
        Ok(())
    }
}
