//! Accuracy over flash or over instructions as SVG: a dot for every seed, a line through the means, the peers beside them.
//!
//! The picture carries its own light background, so that it reads the same on light and dark pages.

use std::fmt::Write;

use super::labels::{GAP, LETTER, LINE, Label, place};
use super::peers::{Peer, Size};
use super::results::{Outcome, Run};
use super::sets::Set;
use super::{Point, points};

pub(super) const WIDTH: f64 = 880.0;
pub(super) const HEIGHT: f64 = 470.0;
/// Room for the title above the axes, and for labels on the other sides; on the right at least.
const TOP: f64 = 62.0;
pub(super) const LEFT: f64 = 58.0;
const RIGHT: f64 = 26.0;
pub(super) const BOTTOM: f64 = 58.0;

const OURS: &str = "#1f6fb4";
const PEER: &str = "#c4512d";
const INK: &str = "#24292f";
const GREY: &str = "#57606a";

/// Most horizontal lines of the grid.
const MOST_LINES: f64 = 9.0;
/// Means that are nearer than this to each other share a label.
const SAME_PLACE: f64 = 12.0;
/// Points of accuracy below the lowest run of ours that are still shown; a peer further below would flatten the rest.
const BELOW: f64 = 3.0;

/// What accuracy is drawn over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Bytes of model and code in flash.
    Flash,
    /// Instructions of a classification.
    Instructions,
}

impl Axis {
    pub(crate) const ALL: [Self; 2] = [Self::Flash, Self::Instructions];

    fn title(self) -> &'static str {
        match self {
            Self::Flash => "flash for code and model on a Cortex-M4F (log scale)",
            Self::Instructions => "instructions of a classification on a Cortex-M4F, ours with DSP (log scale)",
        }
    }

    fn of_run(self, outcome: &Outcome) -> Option<u64> {
        match self {
            Self::Flash => Some(outcome.total_bytes()),
            Self::Instructions => outcome.instructions(),
        }
    }

    fn of_point(self, point: &Point) -> Option<u64> {
        match self {
            Self::Flash => Some(point.total),
            Self::Instructions => point.instructions,
        }
    }

    fn of_peer(self, peer: &Peer) -> Option<u64> {
        match (self, peer.size) {
            (Self::Flash, Size::Program(bytes) | Size::Model(bytes)) => Some(bytes),
            (Self::Flash, Size::None) => None,
            (Self::Instructions, _) => peer.instructions,
        }
    }

    /// The axis goes at least from and to these.
    fn least_range(self) -> (u64, u64) {
        match self {
            Self::Flash => (4096, 32 * 1024),
            Self::Instructions => (4096, 256 * 1024),
        }
    }

    /// The grid: values with their labels.
    fn ticks(self) -> Vec<(u64, String)> {
        match self {
            Self::Flash => (10..32).map(|power| (1 << power, format!("{} kB", (1_u64 << power) / 1024))).collect(),
            Self::Instructions => {
                let thousands = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
                thousands.map(|count| (1000 * count, format!("{count} k"))).to_vec()
            }
        }
    }
}

/// The chart as text; none where no run has a place on this axis.
pub(crate) fn svg(set: Set, runs: &[Run], axis: Axis) -> Option<String> {
    let chart = Chart::new(set, runs, axis)?;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"-apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\" font-size=\"12\" role=\"img\">\n\
         <title>{title}: test accuracy over {over}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d0d7de\"/>\n\
         <text x=\"{LEFT}\" y=\"27\" font-size=\"15\" font-weight=\"600\" fill=\"{INK}\">{title}</text>\n\
         <text x=\"{LEFT}\" y=\"46\" fill=\"{GREY}\">test accuracy in %, over {over}</text>\n",
        title = set.title(),
        over = axis.title(),
    );
    chart.axes(&mut text);
    chart.peers(&mut text);
    chart.ours(&mut text);
    chart.legend(&mut text);
    text += "</svg>\n";
    Some(text)
}

/// What is drawn, and how costs and percents become pixels.
struct Chart {
    axis: Axis,
    /// Every run: bytes or instructions, accuracy in percent.
    dots: Vec<(u64, f64)>,
    /// The mean of each budget.
    means: Vec<(u64, Point)>,
    peers: Vec<(&'static Peer, u64)>,
    /// Doublings at the left and right edge.
    octaves: (f64, f64),
    /// Percents at the lower and upper edge.
    percents: (f64, f64),
    /// Room on the right, for the name of the largest peer.
    right: f64,
}

impl Chart {
    fn new(set: Set, runs: &[Run], axis: Axis) -> Option<Self> {
        let outcomes = runs.iter().filter_map(|run| run.outcome.as_ref());
        let dot = |outcome: &Outcome| Some((axis.of_run(outcome)?, 100.0 * outcome.accuracy));
        let dots: Vec<(u64, f64)> = outcomes.filter_map(dot).collect();
        let means = points(runs).into_iter().filter_map(|point| Some((axis.of_point(&point)?, point))).collect();
        if dots.is_empty() {
            return None;
        }
        let lowest = dots.iter().fold(100.0_f64, |low, dot| low.min(dot.1));
        let placed = |peer: &'static Peer| Some((peer, axis.of_peer(peer)?));
        let peers: Vec<(&Peer, u64)> =
            set.peers().iter().filter_map(placed).filter(|(peer, _)| peer.accuracy >= lowest - BELOW).collect();
        let all = || dots.iter().copied().chain(peers.iter().map(|(peer, cost)| (*cost, peer.accuracy)));
        let costs = all().fold((u64::MAX, 1), |(low, high), (cost, _)| (low.min(cost), high.max(cost)));
        let span = all().fold((100.0_f64, 0.0_f64), |(low, high), (_, y)| (low.min(y), high.max(y)));
        let margin = 0.1 * (span.1 - span.0).max(1.0);
        let (from, to) = axis.least_range();
        let largest = peers.iter().max_by_key(|(_, cost)| *cost).filter(|(_, cost)| *cost > to);
        Some(Self {
            axis,
            right: largest.map_or(RIGHT, |(peer, _)| GAP + LETTER * peer.name.len() as f64),
            dots,
            means,
            octaves: (octave(costs.0.min(from)) - 0.2, octave(costs.1.max(to)) + 0.15),
            percents: (span.0 - margin, (span.1 + margin).min(100.0)),
            peers,
        })
    }

    fn x(&self, cost: u64) -> f64 {
        let (low, high) = self.octaves;
        LEFT + (WIDTH - LEFT - self.right) * (octave(cost) - low) / (high - low)
    }

    fn y(&self, percent: f64) -> f64 {
        let (low, high) = self.percents;
        TOP + (HEIGHT - TOP - BOTTOM) * (high - percent) / (high - low)
    }

    /// Grid, sizes below, percents on the left.
    fn axes(&self, text: &mut String) {
        let (left, right, bottom) = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM);
        let span = self.percents.1 - self.percents.0;
        let step = [0.1, 0.2, 0.5, 1.0, 2.0].into_iter().find(|step| span / step <= MOST_LINES).unwrap_or(5.0);
        let mut percent = (self.percents.0 / step).ceil() * step;
        while percent <= self.percents.1 {
            let y = self.y(percent);
            let _ = writeln!(
                text,
                "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#eaeef2\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" \
                 fill=\"{GREY}\">{percent:.1}</text>",
                left - 8.0,
                y + 4.0,
            );
            percent += step;
        }
        let shown = |tick: &(u64, String)| (self.octaves.0..=self.octaves.1).contains(&octave(tick.0));
        for (value, label) in self.axis.ticks().into_iter().filter(shown) {
            let x = self.x(value);
            let _ = writeln!(
                text,
                "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"#eaeef2\"/><text x=\"{x:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\" fill=\"{GREY}\">{label}</text>",
                bottom + 18.0,
            );
        }
        let _ = writeln!(text, "<path d=\"M{left} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#8c959f\"/>");
    }

    /// Peers with their names; hollow where the bytes are without code.
    fn peers(&self, text: &mut String) {
        let mut marks: Vec<Label> = self.own_marks();
        marks.extend(self.peers.iter().map(|(peer, bytes)| self.mark(*bytes, peer.accuracy)));
        let mut labels: Vec<Label> = Vec::new();
        for (peer, bytes) in &self.peers {
            let (x, y) = (self.x(*bytes), self.y(peer.accuracy));
            let label = place(peer.name, (x, y), &marks, &labels);
            let fill = if matches!(peer.size, Size::Program(_)) { PEER } else { "#ffffff" };
            let _ = writeln!(
                text,
                "<path d=\"M{x:.1} {:.1}l5.5 9.5h-11z\" fill=\"{fill}\" stroke=\"{PEER}\" stroke-width=\"1.5\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{}\" fill=\"{INK}\">{}</text>",
                y - 6.0,
                if label.leftward { label.right } else { label.left },
                label.middle + 4.0,
                if label.leftward { "end" } else { "start" },
                peer.name,
            );
            labels.push(label);
        }
    }

    /// Every seed, and the line through the means.
    fn ours(&self, text: &mut String) {
        for (bytes, percent) in &self.dots {
            let (x, y) = (self.x(*bytes), self.y(*percent));
            let _ =
                writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{OURS}\" fill-opacity=\"0.3\"/>");
        }
        let mut line = String::new();
        for (at, (cost, point)) in self.means.iter().enumerate() {
            let (x, y) = (self.x(*cost), self.y(point.accuracy));
            let _ = write!(line, "{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" });
        }
        let _ = writeln!(text, "<path d=\"{line}\" fill=\"none\" stroke=\"{OURS}\" stroke-width=\"2.5\"/>");
        let mut above = HEIGHT;
        for ((x, y), budgets) in self.places() {
            // The line comes from the left; where it falls, the label goes to the other side.
            let (anchor, shift) = if y > above { ("start", 5.0) } else { ("end", -5.0) };
            above = y;
            let _ = writeln!(
                text,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{OURS}\" stroke=\"#ffffff\" stroke-width=\"1.5\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-weight=\"600\" fill=\"{OURS}\">{budgets}</text>",
                x + shift,
                y - 9.0,
            );
        }
    }

    /// The means in pixels, with their budgets; those at one place are listed together.
    fn places(&self) -> Vec<((f64, f64), String)> {
        let mut places: Vec<((f64, f64), String)> = Vec::new();
        for (cost, point) in &self.means {
            let at = (self.x(*cost), self.y(point.accuracy));
            let budget = format!("{}k", point.budget / 1024);
            match places.last_mut() {
                Some((last, budgets)) if (last.0 - at.0).hypot(last.1 - at.1) < SAME_PLACE => {
                    *budgets += ", ";
                    *budgets += &budget;
                }
                _ => places.push((at, budget)),
            }
        }
        places
    }

    /// Places that labels of peers must keep free: our means with their budgets.
    fn own_marks(&self) -> Vec<Label> {
        let mean = |((x, y), budgets): ((f64, f64), String)| {
            let width = LETTER * budgets.len() as f64;
            [Label::new(x - 6.0, 12.0, y), Label::new(x - 5.0 - width, width, y - LINE)]
        };
        self.places().into_iter().flat_map(mean).collect()
    }

    fn mark(&self, bytes: u64, percent: f64) -> Label {
        Label::new(self.x(bytes) - 6.0, 12.0, self.y(percent))
    }

    fn legend(&self, text: &mut String) {
        let y = HEIGHT - 18.0;
        let hollow = self.peers.iter().any(|(peer, _)| matches!(peer.size, Size::Model(_)));
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {:.1}h22\" stroke=\"{OURS}\" stroke-width=\"2.5\"/><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\" \
             fill=\"{OURS}\"/><text x=\"{:.1}\" y=\"{y}\" fill=\"{INK}\">nearmark fit --flash 1k … 16k: mean and every \
             seed</text>",
            y - 4.0,
            LEFT + 11.0,
            y - 4.0,
            LEFT + 30.0,
        );
        let mut x = LEFT + 385.0;
        let mut entry = |fill: &str, words: &str| {
            let _ = writeln!(
                text,
                "<path d=\"M{x:.1} {:.1}l5.5 9.5h-11z\" fill=\"{fill}\" stroke=\"{PEER}\" stroke-width=\"1.5\"/>\
                 <text x=\"{:.1}\" y=\"{y}\" fill=\"{INK}\">{words}</text>",
                y - 10.0,
                x + 13.0,
            );
            x += 215.0;
        };
        if self.peers.iter().any(|(peer, _)| matches!(peer.size, Size::Program(_))) {
            entry(PEER, "other tools, with their code");
        }
        if hollow {
            entry("#ffffff", "published, model without code");
        }
    }
}

/// Doublings of a byte or an instruction: costs that differ by a factor lie equally far apart.
fn octave(bytes: u64) -> f64 {
    (bytes as f64).log2()
}

#[cfg(test)]
mod tests {
    use super::super::results::Board;
    use super::*;

    #[test]
    fn a_plot_shows_every_run_and_names_the_peers() {
        let run = |budget: u64, seed| {
            let accuracy = 0.97 + seed as f64 / 1000.0;
            let fit = serde_json::Value::Null;
            let board = (budget == 2048).then_some(Board { code_bytes: 5000, instructions: 9000 + seed });
            let outcome = Outcome { tool: String::new(), accuracy, flash_bytes: budget - 8, seconds: 1.0, board, fit };
            Run { outcome: Some(outcome), ..Run::new("digits", budget, seed) }
        };
        let runs: Vec<Run> = [2048, 4096].iter().flat_map(|budget| (0..3).map(|seed| run(*budget, seed))).collect();
        let over = |axis| svg(Set::Digits, &runs, axis).unwrap_or_default();
        let svg = over(Axis::Flash);
        // Six runs, two means, one in the legend.
        assert_eq!(svg.matches("<circle").count(), 9);
        assert!(svg.contains("ProtoNN d15 m40") && svg.contains(">2k<") && svg.contains(">4k<"));
        // It has no form for devices, so that it has no place over bytes.
        assert!(!svg.contains("Nystroem"));
        assert!(svg.contains(">8 kB<") && svg.contains(">16 kB<"));
        // Three runs and a mean were on a board, and peers without a count have no place there.
        let instructions = over(Axis::Instructions);
        assert_eq!(instructions.matches("<circle").count(), 5);
        assert!(instructions.contains(">10 k<") && !instructions.contains(" kB<"));
        assert!(instructions.contains("ProtoNN d15 m40") && !instructions.contains("Nystroem"));
    }

    #[test]
    fn without_a_run_on_a_board_there_is_no_chart_of_instructions() {
        let fit = serde_json::Value::Null;
        let outcome = Outcome { tool: String::new(), accuracy: 0.9, flash_bytes: 2000, seconds: 1.0, board: None, fit };
        let runs = [Run { outcome: Some(outcome), ..Run::new("digits", 2048, 0) }];
        assert_eq!(svg(Set::Digits, &runs, Axis::Instructions), None);
        assert!(svg(Set::Digits, &runs, Axis::Flash).is_some());
    }
}
