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
        .map(|outcome| (outcome.flash_bytes as f64, 100.0 * outcome.accuracy))
        .collect();
    let means: Vec<(f64, f64)> = points.iter().map(|point| (point.bytes as f64, point.accuracy)).collect();
    let goals: Vec<(f64, f64)> =
        points.iter().filter_map(|point| Some((point.budget as f64, set.goal(point.budget)?))).collect();
    let lowest = dots.iter().chain(&goals).fold(f64::MAX, |low, dot| low.min(dot.1));
    let peers: Vec<(&str, f64, f64)> = set
        .peers()
        .iter()
        .filter_map(|peer| match peer.size {
            Size::Program(bytes) | Size::Model(bytes) => Some((peer.name, bytes as f64, peer.accuracy)),
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
        .build_cartesian_2d((left * 0.8..right * 3.0).log_scale(), low - margin..(high + margin).min(100.0))?;
    chart
        .configure_mesh()
        .x_desc("bytes of flash: the model; peers with their code where it was measured")
        .y_desc("accuracy on test rows, %")
        .x_label_formatter(&|bytes| {
            if *bytes >= 1000.0 { format!("{:.0} kB", bytes / 1000.0) } else { format!("{bytes:.0} B") }
        })
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
    chart
        .draw_series(peers.iter().map(|(text, bytes, accuracy)| {
            EmptyElement::at((*bytes, *accuracy))
                + TriangleMarker::new((0, 0), 5, PEER.filled())
                + Text::new((*text).to_owned(), (9, 0), name.clone())
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

#[cfg(test)]
mod tests {
    use super::super::results::Outcome;
    use super::*;

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
        Ok(())
    }
}
