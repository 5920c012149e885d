//! Accuracy over bytes as SVG: every seed a dot, means a line, goals and peers beside them.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::peers::Size;
use super::points;
use super::results::Run;
use super::sets::Set;

const OURS: RGBColor = RGBColor(31, 119, 180);
const PEER: RGBColor = RGBColor(214, 39, 40);
const GOAL: RGBColor = RGBColor(110, 110, 110);
/// Points of accuracy below the lowest mark of ours that are still shown; a peer far below tells nothing more.
const BELOW: f64 = 3.0;

/// Draws the runs of one set.
pub(crate) fn write(set: Set, runs: &[Run], path: &Path) -> Result<()> {
    draw(set, runs, path).map_err(|why| anyhow!("drawing {}: {why}", path.display()))
}

fn draw(set: Set, runs: &[Run], path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let points = points(runs);
    let dots: Vec<(f64, f64)> = runs
        .iter()
        .filter_map(|run| run.outcome.as_ref())
        .map(|outcome| (octave(outcome.flash_bytes), 100.0 * outcome.accuracy))
        .collect();
    let means: Vec<(f64, f64)> = points.iter().map(|point| (octave(point.bytes), point.accuracy)).collect();
    let goals: Vec<(f64, f64)> =
        points.iter().filter_map(|point| Some((octave(point.budget), set.goal(point.budget)?))).collect();
    let lowest = dots.iter().chain(&goals).fold(f64::MAX, |low, dot| low.min(dot.1));
    let peers: Vec<(&str, f64, f64)> = set
        .peers()
        .iter()
        .filter_map(|peer| match peer.size {
            Size::Program(bytes) | Size::Model(bytes) => Some((peer.name, octave(bytes), peer.accuracy)),
            Size::None => None,
        })
        .filter(|(.., accuracy)| *accuracy >= lowest - BELOW)
        .collect();

    let all = || dots.iter().chain(&goals).copied().chain(peers.iter().map(|peer| (peer.1, peer.2)));
    let (left, right) = all().fold((f64::MAX, 0.0_f64), |(left, right), (x, _)| (left.min(x), right.max(x)));
    let (low, high) = all().fold((100.0_f64, 0.0_f64), |(low, high), (_, y)| (low.min(y), high.max(y)));
    let margin = ((high - low) * 0.08).max(0.2);

    let area = SVGBackend::new(path, (900, 520)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(set.title(), ("sans-serif", 18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(56)
        // Room on the right for the names of the largest peers.
        .build_cartesian_2d(left - 0.3..right + 1.6, low - margin..(high + margin).min(100.0))?;
    chart
        .configure_mesh()
        .x_desc("flash: the model; peers with their code where that was measured")
        .y_desc("accuracy on test rows, %")
        .x_labels((right - left) as usize + 4)
        .x_label_formatter(&|octave| size(*octave))
        .y_label_formatter(&|accuracy| format!("{accuracy:.1}"))
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;

    chart.draw_series(dots.iter().map(|dot| Circle::new(*dot, 3, OURS.mix(0.35).filled())))?;
    chart
        .draw_series(LineSeries::new(means.clone(), OURS.stroke_width(2)))?
        .label("nearmark, mean of the seeds")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], OURS.stroke_width(2)));
    chart.draw_series(means.iter().map(|mean| Circle::new(*mean, 4, OURS.filled())))?;
    chart
        .draw_series(goals.iter().map(|goal| Cross::new(*goal, 5, GOAL.stroke_width(2))))?
        .label("goals")
        .legend(|(x, y)| Cross::new((x + 9, y), 5, GOAL.stroke_width(2)));
    let name = ("sans-serif", 12).into_font().color(&PEER).pos(Pos::new(HPos::Left, VPos::Center));
    let places: Vec<Label> = peers
        .iter()
        .map(|(text, bytes, accuracy)| Label { at: chart.backend_coord(&(*bytes, *accuracy)), length: text.len() })
        .collect();
    let moves = spread(&places);
    chart
        .draw_series(peers.iter().zip(moves).map(|((text, bytes, accuracy), down)| {
            EmptyElement::at((*bytes, *accuracy))
                + TriangleMarker::new((0, 0), 5, PEER.filled())
                + Text::new((*text).to_owned(), (9, down), name.clone())
        }))?
        .label("peers")
        .legend(|(x, y)| TriangleMarker::new((x + 9, y), 5, PEER.filled()));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.2))
        .label_font(("sans-serif", 12))
        .draw()?;
    area.present()?;
    Ok(())
}

/// Doublings of a byte: sizes that differ by a factor lie equally far apart.
fn octave(bytes: u64) -> f64 {
    (bytes as f64).log2()
}

/// `2 kB` at 11; nothing between whole doublings.
fn size(octave: f64) -> String {
    match (octave, octave.exp2().round() as u64) {
        (octave, _) if (octave - octave.round()).abs() > 1e-6 => String::new(),
        (_, bytes) if bytes < 1024 => format!("{bytes} B"),
        (_, bytes) => format!("{} kB", bytes / 1024),
    }
}

/// A name beside its mark.
struct Label {
    /// The mark, in pixels.
    at: (i32, i32),
    /// Letters.
    length: usize,
}

impl Label {
    /// Whether this label, moved down by so much, covers that one.
    fn covers(&self, down: i32, other: &Self, other_down: i32) -> bool {
        // Letters of 12 pixels are less than 7 wide.
        let right = |label: &Self| label.at.0 + 9 + 7 * label.length as i32;
        let apart = self.at.0 >= right(other) || other.at.0 >= right(self);
        !apart && (self.at.1 + down - other.at.1 - other_down).abs() < 13
    }
}

/// How far down each label goes, so that none covers another.
fn spread(labels: &[Label]) -> Vec<i32> {
    let mut moves: Vec<i32> = Vec::new();
    for label in labels {
        let covered = |down: &i32| labels.iter().zip(&moves).any(|(other, moved)| label.covers(*down, other, *moved));
        // Beside its mark if possible, else a line below, above, two below and so on.
        let mut tries =
            (0..=2 * labels.len() as i32).map(|step| if step % 2 == 1 { 7 * (step + 1) } else { -7 * step });
        let free = tries.find(|down| !covered(down)).unwrap_or_default();
        moves.push(free);
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::super::results::Outcome;
    use super::*;

    #[test]
    fn labels_at_one_place_go_apart() {
        let labels = [((100, 50), 20), ((110, 50), 10), ((120, 52), 10), ((400, 50), 5)];
        let labels = labels.map(|(at, length)| Label { at, length });
        let moves = spread(&labels);
        assert_eq!((moves[0], moves[3]), (0, 0));
        for i in 0..labels.len() {
            for j in 0..i {
                assert!(!labels[i].covers(moves[i], &labels[j], moves[j]), "{i} and {j}: {moves:?}");
            }
        }
    }

    #[test]
    fn a_plot_shows_every_run_and_names_the_peers() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("digits.svg");
        let run = |budget: u64, seed| {
            let accuracy = 0.97 + seed as f64 / 1000.0;
            let fit = serde_json::Value::Null;
            let outcome = Outcome { tool: String::new(), accuracy, flash_bytes: budget - 8, seconds: 1.0, fit };
            Run { outcome: Some(outcome), ..Run::new("digits", budget, seed) }
        };
        let runs: Vec<Run> = [2048, 4096].iter().flat_map(|budget| (0..3).map(|seed| run(*budget, seed))).collect();
        write(Set::Digits, &runs, &path)?;
        let svg = std::fs::read_to_string(path)?;
        // Six runs and two means.
        assert_eq!(svg.matches("<circle").count(), 8);
        assert!(svg.contains("ProtoNN d15 m40") && svg.contains("goals"));
        assert!(!svg.contains("Nystroem"));
        assert!(svg.contains("2 kB") && svg.contains("4 kB"));
        Ok(())
    }
}
