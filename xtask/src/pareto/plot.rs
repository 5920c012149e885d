//! Accuracy over flash as SVG: a dot for every seed, a line through the means, the peers beside them.
//!
//! The picture carries its own light background, so that it reads the same on light and dark pages.

use std::{fmt::Write, fs, path::Path};

use anyhow::{Context, Result};

use super::peers::{Peer, RUNTIME, Size};
use super::results::Run;
use super::sets::Set;
use super::{Point, points};

const WIDTH: f64 = 880.0;
const HEIGHT: f64 = 470.0;
/// Room for the title above the axes, and for labels on the other sides; on the right at least.
const TOP: f64 = 62.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 26.0;
const BOTTOM: f64 = 58.0;

const OURS: &str = "#1f6fb4";
const PEER: &str = "#c4512d";
const INK: &str = "#24292f";
const GREY: &str = "#57606a";

/// The axis of bytes goes at least this far.
const NARROWEST: u64 = 32 * 1024;
/// Most horizontal lines of the grid.
const MOST_LINES: f64 = 9.0;
/// Means that are nearer than this to each other share a label.
const SAME_PLACE: f64 = 12.0;
/// Points of accuracy below the lowest run of ours that are still shown; a peer further below would flatten the rest.
const BELOW: f64 = 3.0;
/// Width of a letter of a label of 12 pixels, on average, in the widest of the fonts.
const LETTER: f64 = 7.3;
/// Distance from one line of labels to the next.
const LINE: f64 = 14.0;
/// Distance from a mark to its label.
const GAP: f64 = 9.0;

/// Draws the runs of one set.
pub(crate) fn write(set: Set, runs: &[Run], path: &Path) -> Result<()> {
    fs::write(path, svg(set, runs)).with_context(|| format!("writing {}", path.display()))
}

/// The chart as text.
pub(crate) fn svg(set: Set, runs: &[Run]) -> String {
    let chart = Chart::new(set, runs);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"-apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\" font-size=\"12\" role=\"img\">\n\
         <title>{title}: test accuracy over flash</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d0d7de\"/>\n\
         <text x=\"{LEFT}\" y=\"27\" font-size=\"15\" font-weight=\"600\" fill=\"{INK}\">{title}</text>\n\
         <text x=\"{LEFT}\" y=\"46\" fill=\"{GREY}\">test accuracy in %, over flash for code and model on a Cortex-M4F (log scale)</text>\n",
        title = set.title(),
    );
    chart.axes(&mut text);
    chart.peers(&mut text);
    chart.ours(&mut text);
    chart.legend(&mut text);
    text += "</svg>\n";
    text
}

/// What is drawn, and how bytes and percents become pixels.
struct Chart {
    /// Every run: bytes with the runtime's code, accuracy in percent.
    dots: Vec<(u64, f64)>,
    /// The mean of each budget.
    means: Vec<Point>,
    peers: Vec<(&'static Peer, u64)>,
    /// Doublings of a byte at the left and right edge.
    octaves: (f64, f64),
    /// Percents at the lower and upper edge.
    percents: (f64, f64),
    /// Room on the right, for the name of the largest peer.
    right: f64,
}

impl Chart {
    fn new(set: Set, runs: &[Run]) -> Self {
        let outcomes = runs.iter().filter_map(|run| run.outcome.as_ref());
        let dots: Vec<(u64, f64)> =
            outcomes.map(|outcome| (outcome.flash_bytes + RUNTIME, 100.0 * outcome.accuracy)).collect();
        let lowest = dots.iter().fold(100.0_f64, |low, dot| low.min(dot.1));
        let sized = |peer: &'static Peer| match peer.size {
            Size::Program(bytes) | Size::Model(bytes) => Some((peer, bytes)),
            Size::None => None,
        };
        let peers: Vec<(&Peer, u64)> =
            set.peers().iter().filter_map(sized).filter(|(peer, _)| peer.accuracy >= lowest - BELOW).collect();
        let all = || dots.iter().copied().chain(peers.iter().map(|(peer, bytes)| (*bytes, peer.accuracy)));
        let bytes = all().fold((u64::MAX, 1), |(low, high), (bytes, _)| (low.min(bytes), high.max(bytes)));
        let span = all().fold((100.0_f64, 0.0_f64), |(low, high), (_, y)| (low.min(y), high.max(y)));
        let margin = 0.1 * (span.1 - span.0).max(1.0);
        let largest = peers.iter().max_by_key(|(_, bytes)| *bytes).filter(|(_, bytes)| *bytes > NARROWEST);
        Self {
            right: largest.map_or(RIGHT, |(peer, _)| GAP + LETTER * peer.name.len() as f64),
            dots,
            means: points(runs),
            octaves: (octave(bytes.0.min(4096)) - 0.2, octave(bytes.1.max(NARROWEST)) + 0.15),
            percents: (span.0 - margin, (span.1 + margin).min(100.0)),
            peers,
        }
    }

    fn x(&self, bytes: u64) -> f64 {
        let (low, high) = self.octaves;
        LEFT + (WIDTH - LEFT - self.right) * (octave(bytes) - low) / (high - low)
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
        for power in 10..32_u32 {
            let octave = f64::from(power);
            if octave < self.octaves.0 || octave > self.octaves.1 {
                continue;
            }
            let x = self.x(1 << power);
            let _ = writeln!(
                text,
                "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"#eaeef2\"/><text x=\"{x:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\" fill=\"{GREY}\">{} kB</text>",
                bottom + 18.0,
                (1_u64 << power) / 1024,
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
        for (at, point) in self.means.iter().enumerate() {
            let (x, y) = (self.x(point.bytes + RUNTIME), self.y(point.accuracy));
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
        for point in &self.means {
            let at = (self.x(point.bytes + RUNTIME), self.y(point.accuracy));
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
             fill=\"{OURS}\"/><text x=\"{:.1}\" y=\"{y}\" fill=\"{INK}\">nearmark fit --flash 2k … 16k: mean and every \
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

/// Doublings of a byte: sizes that differ by a factor lie equally far apart.
fn octave(bytes: u64) -> f64 {
    (bytes as f64).log2()
}

/// The pixels of a name or a mark.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Label {
    left: f64,
    right: f64,
    middle: f64,
    /// Whether it stands on the left of its mark.
    leftward: bool,
}

impl Label {
    fn new(left: f64, width: f64, middle: f64) -> Self {
        Self { left, right: left + width, middle, leftward: false }
    }

    fn covers(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && (self.middle - other.middle).abs() < LINE - 1.0
    }
}

/// Where the name of a mark stands: on its right if that is free, else on its left, else a line lower or higher.
fn place(name: &str, at: (f64, f64), marks: &[Label], labels: &[Label]) -> Label {
    let width = LETTER * name.chars().count() as f64;
    let shifts = [0.0, 1.0, -1.0, 1.6, -1.6, 2.4, -2.4, 3.2, -3.2];
    let mut tries = shifts.iter().flat_map(|shift| {
        // A line above or below, a name may begin over its mark.
        let near = if *shift == 0.0 { GAP } else { -6.0 };
        let right = Label::new(at.0 + near, width, at.1 + shift * LINE);
        [right, Label { leftward: true, ..Label::new(at.0 - near - width, width, right.middle) }]
    });
    let free = |label: &Label| {
        let inside = label.left > LEFT && label.right < WIDTH - 4.0 && label.middle < HEIGHT - BOTTOM - 4.0;
        inside && !marks.iter().chain(labels).any(|other| label.covers(other))
    };
    tries.find(free).unwrap_or_else(|| Label::new(at.0 + GAP, width, at.1))
}

#[cfg(test)]
mod tests {
    use super::super::results::Outcome;
    use super::*;

    #[test]
    fn names_of_marks_at_one_place_do_not_overlap() {
        let at = [(300.0, 150.0), (310.0, 150.0), (320.0, 152.0), (600.0, 150.0)];
        let marks = at.map(|(x, y)| Label::new(x - 6.0, 12.0, y));
        let mut labels: Vec<Label> = Vec::new();
        for at in at {
            labels.push(place("ten letters", at, &marks, &labels));
        }
        for (i, label) in labels.iter().enumerate() {
            assert!(!labels[..i].iter().chain(&marks).any(|other| label.covers(other)), "{i}: {labels:?}");
        }
        // Where there is room, a name stands beside its mark.
        assert_eq!((labels[3].left, labels[3].middle), (600.0 + GAP, 150.0));
    }

    #[test]
    fn a_plot_shows_every_run_and_names_the_peers() {
        let run = |budget: u64, seed| {
            let accuracy = 0.97 + seed as f64 / 1000.0;
            let fit = serde_json::Value::Null;
            let outcome = Outcome { tool: String::new(), accuracy, flash_bytes: budget - 8, seconds: 1.0, fit };
            Run { outcome: Some(outcome), ..Run::new("digits", budget, seed) }
        };
        let runs: Vec<Run> = [2048, 4096].iter().flat_map(|budget| (0..3).map(|seed| run(*budget, seed))).collect();
        let svg = svg(Set::Digits, &runs);
        // Six runs, two means, one in the legend.
        assert_eq!(svg.matches("<circle").count(), 9);
        assert!(svg.contains("ProtoNN d15 m40") && svg.contains(">2k<") && svg.contains(">4k<"));
        // It has no form for devices, so that it has no place over bytes.
        assert!(!svg.contains("Nystroem"));
        assert!(svg.contains(">8 kB<") && svg.contains(">16 kB<"));
    }
}
