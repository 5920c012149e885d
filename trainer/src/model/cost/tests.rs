use super::*;
use crate::emulator::board::BOARDS;
use std::error::Error;

/// A measured model: whether it is kept from the fit, its kind, its shape, instructions in the order of [`MEASURED`].
type Measured = (bool, String, Shape, [Option<u64>; MEASURED.len()]);

/// As `cargo xtask cost-model` wrote them.
fn measurements() -> Result<Vec<Measured>, csv::Error> {
    let file = include_str!("../../../data/cost/measured.csv");
    csv::Reader::from_reader(file.as_bytes()).records().map(|record| record?.deserialize(None)).collect()
}

#[test]
fn models_kept_from_the_fit_are_met_to_ten_percent_on_every_board() -> Result<(), Box<dyn Error>> {
    let measurements = measurements()?;
    for (at, (name, dsp)) in MEASURED.into_iter().enumerate() {
        let board: Board = name.parse()?;
        let mut checked = [0, 0];
        for (_, kind, shape, counts) in measurements.iter().filter(|(check, ..)| *check) {
            let Some(count) = counts[at] else { continue };
            let error = instructions(shape, board, dsp) as f64 / count as f64 - 1.0;
            assert!(error.abs() <= 0.1, "{name}, dsp {dsp}, {kind}: {error:+.3} of {count}\n{shape:?}");
            checked[usize::from(shape.int)] += 1;
        }
        assert!(checked[1] >= 20 && (dsp || checked[0] >= 20), "{name}, dsp {dsp}: {checked:?}");
    }
    Ok(())
}

#[test]
fn what_cannot_help_changes_nothing() -> Result<(), Box<dyn Error>> {
    for (_, _, shape, _) in measurements()? {
        for board in BOARDS {
            let plain = instructions(&shape, board, false);
            assert!(plain > 0, "{} {shape:?}", board.name);
            if !(shape.int && board.dsp) {
                assert_eq!(instructions(&shape, board, true), plain);
            }
        }
        let [m4f, m7] = [BOARDS[1], BOARDS[2]].map(|board| instructions(&shape, board, true));
        assert_eq!(m4f, m7);
    }
    Ok(())
}

#[test]
fn every_board_is_measured() {
    let shape = Shape { int: true, ..Shape::default() };
    for (board, dsp) in BOARDS.into_iter().flat_map(|board| [(board, false), (board, true)]) {
        assert!(instructions(&shape, board, dsp) > 0, "{board}");
    }
}

#[test]
#[should_panic(expected = "never measured")]
fn an_unmeasured_board_gets_no_costs_of_another() {
    let _ = instructions(&Shape::default(), Board { name: "m55", ..BOARDS[0] }, false);
}
