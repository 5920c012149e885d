//! Charts as SVG: lines with error bars, scatter plots, and grids of small images.
//!
//! ```
//! use nearmark_train::chart::{LineChart, Point, Series};
//!
//! let points = [(1.0, 60.0, 2.0), (2.0, 80.0, 1.0)].map(|(x, y, error)| Point { x, y, error: Some(error) });
//! let chart = LineChart {
//!     title: "accuracy against dimension".to_owned(),
//!     x: "dimensions".to_owned(),
//!     y: "accuracy, %".to_owned(),
//!     series: vec![Series::new("lda", points.to_vec())],
//! };
//! assert!(chart.svg()?.starts_with("<svg"));
//! # Ok::<(), nearmark_train::chart::ChartError>(())
//! ```

mod gallery;
mod line;
mod scatter;

pub use gallery::{Gallery, Picture};
pub use line::{LineChart, Point, Series, stacked};
pub use scatter::{Cloud, Scatter};

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The colors of a chart, all in one place.
mod colors {
    use plotters::style::RGBColor;

    /// Behind everything.
    pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);
    /// Text and axes.
    pub(super) const INK: RGBColor = RGBColor(34, 34, 34);
    /// Lines behind the data, each fifth part ink.
    pub(super) const GRID: RGBColor = RGBColor(222, 222, 222);
    /// Series in order: told apart by most people with a color vision deficiency (after Okabe and Ito).
    pub(super) const SERIES: [RGBColor; 8] = [
        RGBColor(0, 114, 178),
        RGBColor(213, 94, 0),
        RGBColor(0, 158, 115),
        RGBColor(204, 121, 167),
        RGBColor(230, 159, 0),
        RGBColor(86, 180, 233),
        RGBColor(120, 94, 240),
        RGBColor(110, 110, 110),
    ];
}

/// A chart that could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("drawing {title:?}: {why}")]
pub struct ChartError {
    /// The title of the chart.
    pub title: String,
    /// What is wrong.
    pub why: String,
}

impl ChartError {
    fn new(title: &str, why: &(impl ToString + ?Sized)) -> Self {
        Self { title: title.to_owned(), why: why.to_string() }
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<T = ()> = Result<T, Box<dyn std::error::Error>>;
/// A drawing area with two axes.
type Plane<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Columns of pixels that a legend takes at the right.
const LEGEND: u32 = 190;
/// Names longer than this are cut: the legend has no room for more.
const NAME: usize = 27;

/// The color of one of so many series: from the table, or from the color circle where there are more.
fn color(index: usize, count: usize) -> RGBColor {
    if count <= colors::SERIES.len() {
        return colors::SERIES[index % colors::SERIES.len()];
    }
    let (hue, light) = (index as f64 / count as f64, if index.is_multiple_of(2) { 0.42 } else { 0.6 });
    let (r, g, b) = HSLColor(hue, 0.75, light).rgb();
    RGBColor(r, g, b)
}

/// How a series is marked in a legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Line,
    Dot,
    Ring,
}

/// Draws names and their marks, top to bottom.
fn legend(area: &Area<'_>, entries: &[(String, RGBColor, Mark)]) -> Drawn {
    let (_, height) = area.dim_in_pixel();
    let pitch = (height.saturating_sub(40) as usize / entries.len().max(1)).clamp(8, 18) as i32;
    let size = (pitch - 4).clamp(6, 12);
    let text = ("sans-serif", size).into_font().color(&colors::INK).pos(Pos::new(HPos::Left, VPos::Center));
    for (i, (name, color, mark)) in entries.iter().enumerate() {
        let y = 40 + pitch * i as i32;
        match mark {
            Mark::Line => area.draw(&PathElement::new([(4, y), (24, y)], color.stroke_width(2)))?,
            Mark::Dot => area.draw(&Circle::new((14, y), 3, color.filled()))?,
            Mark::Ring => area.draw(&Circle::new((14, y), 3, color.stroke_width(1)))?,
        }
        area.draw(&Text::new(shortened(name), (30, y), text.clone()))?;
    }
    Ok(())
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    name.chars().take(NAME - 1).chain(['…']).collect()
}

/// The parts of an area for a chart and for its legend.
fn beside_legend<'a>(area: &Area<'a>) -> (Area<'a>, Area<'a>) {
    let (width, _) = area.dim_in_pixel();
    area.split_horizontally(width.saturating_sub(LEGEND))
}

/// Title and axes of a chart: their names and ends.
#[derive(Debug, Clone, Copy)]
struct Axes<'t> {
    title: &'t str,
    x: &'t str,
    y: &'t str,
    across: (f64, f64),
    up: (f64, f64),
}

impl Axes<'_> {
    /// A number on the horizontal axis.
    fn across(&self, value: f64) -> String {
        label(value, self.across.1 - self.across.0)
    }

    /// Draws title, axes and the lines behind the data; at most `labels` numbers stand at the horizontal axis, written by
    /// `number`.
    fn mesh<'a, 'b>(&self, plot: &'a Area<'b>, labels: usize, number: &dyn Fn(f64) -> String) -> Drawn<Plane<'a, 'b>> {
        let size = title_size(self.title, plot.dim_in_pixel().0);
        let mut chart = ChartBuilder::on(plot)
            .caption(self.title, ("sans-serif", size).into_font().color(&colors::INK))
            .margin(10)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(self.across.0..self.across.1, self.up.0..self.up.1)?;
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .x_labels(labels)
            .x_label_formatter(&|v| number(*v))
            .y_label_formatter(&|v| label(*v, self.up.1 - self.up.0))
            .axis_style(colors::INK)
            .label_style(("sans-serif", 12).into_font().color(&colors::INK))
            .light_line_style(colors::PAPER)
            .bold_line_style(colors::GRID)
            .draw()?;
        Ok(chart)
    }
}

/// The least and the largest value with a margin; one value alone gets room around it.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if !(low.is_finite() && high.is_finite()) {
        return None;
    }
    let margin = if high > low { 0.05 * (high - low) } else { (0.05 * high.abs()).max(0.5) };
    Some((low - margin, high + margin))
}

/// The font of a title: smaller where a long one would not fit beside the legend.
fn title_size(title: &str, width: u32) -> u32 {
    // A letter is about half as wide as it is high.
    (2 * width / title.chars().count().max(1) as u32).clamp(9, 17)
}

/// A number on an axis: as many digits as the length of the axis needs.
fn label(value: f64, span: f64) -> String {
    // Steps from below zero may miss it by a rounding error.
    let value = if value.abs() < 1e-9 * span { 0.0 } else { value };
    if !(1e-3..1e5).contains(&span) {
        return format!("{value:.1e}");
    }
    let digits = if span > 20.0 {
        0
    } else if span > 2.0 {
        1
    } else if span > 0.2 {
        2
    } else {
        4
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that tags are closed in order and that no text has a bare `<` or `&`; returns the number of elements.
    pub(super) fn elements(svg: &str) -> Result<usize, String> {
        let (mut open, mut count): (Vec<&str>, usize) = (Vec::new(), 0);
        for (i, piece) in svg.split('<').enumerate() {
            let (tag, text) = if i == 0 { ("", piece) } else { piece.split_once('>').ok_or("a tag is not closed")? };
            let entity = |rest: &str| ["amp;", "lt;", "gt;", "quot;", "apos;", "#"].iter().any(|e| rest.starts_with(e));
            if piece.split('&').skip(1).any(|rest| !entity(rest)) || text.contains('>') {
                return Err(format!("bare character in {piece:?}"));
            }
            if i == 0 || tag.starts_with('?') || tag.starts_with('!') {
                continue;
            }
            if let Some(name) = tag.strip_prefix('/') {
                let last = open.pop();
                if last != Some(name.trim()) {
                    return Err(format!("{name} closes {last:?}"));
                }
                continue;
            }
            count += 1;
            if tag.matches('"').count() % 2 == 1 {
                return Err(format!("quotes in {tag:?}"));
            }
            if !tag.ends_with('/') {
                open.push(tag.split_whitespace().next().unwrap_or_default());
            }
        }
        if open.is_empty() { Ok(count) } else { Err(format!("left open: {open:?}")) }
    }

    #[test]
    fn the_checker_of_these_tests_finds_broken_files() {
        assert_eq!(elements("<svg a=\"1\"><b/><c>x &amp; y</c></svg>"), Ok(3));
        for broken in ["<svg><b></svg>", "<svg>", "<svg>a & b</svg>", "<svg a=\"1></svg>"] {
            assert!(elements(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn ranges_have_a_margin_and_labels_enough_digits() {
        assert_eq!(range([1.0, 3.0].into_iter()), Some((0.9, 3.1)));
        assert_eq!(range([4.0].into_iter()), Some((3.5, 4.5)));
        assert_eq!(range(std::iter::empty()), None);
        assert_eq!(
            (label(97.3, 40.0), label(97.31, 3.0), label(0.02, 0.1)),
            ("97".into(), "97.3".into(), "0.0200".into())
        );
    }

    #[test]
    fn long_titles_are_set_smaller() {
        assert_eq!((title_size("short", 670), title_size(&"x".repeat(100), 670)), (17, 13));
    }

    #[test]
    fn colors_of_many_series_differ() {
        let all: Vec<RGBColor> = (0..40).map(|i| color(i, 40)).collect();
        assert!((0..40).all(|i| !all[..i].contains(&all[i])));
        assert_eq!(color(1, 3), colors::SERIES[1]);
    }
}
