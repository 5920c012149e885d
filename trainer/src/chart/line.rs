//! Lines with error bars.

use super::{Area, Axes, ChartError, Drawn, Mark, beside_legend, color, colors, legend, range};
use crate::escape::csv_field;
use plotters::prelude::*;
use std::fmt::Write;

/// Width and height of a chart in pixels.
const SIZE: (u32, u32) = (860, 460);
/// Half the width of an error bar's ends.
const CAP: i32 = 3;

/// A measured value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where it was measured.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Its standard error, drawn as a bar to both sides.
    pub error: Option<f64>,
}

/// Values of one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its values from left to right.
    pub points: Vec<Point>,
}

impl Series {
    /// A series by name.
    #[must_use]
    pub fn new(name: &str, points: Vec<Point>) -> Self {
        Self { name: name.to_owned(), points }
    }
}

/// Lines over a common axis.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// The line above it.
    pub title: String,
    /// What the horizontal axis shows.
    pub x: String,
    /// What the vertical axis shows.
    pub y: String,
    /// The lines.
    pub series: Vec<Series>,
}

impl LineChart {
    /// The chart as SVG: axes, legend, a mark at every point, and error bars where there are errors.
    ///
    /// # Errors
    /// [`ChartError`] if no point is finite.
    pub fn svg(&self) -> Result<String, ChartError> {
        stacked(std::slice::from_ref(self))
    }

    /// The points as CSV: `series,x,y,error`.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::from("series,x,y,error\n");
        for series in &self.series {
            for point in &series.points {
                let error = point.error.map(|error| error.to_string()).unwrap_or_default();
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{},{},{},{error}", csv_field(&series.name), point.x, point.y);
            }
        }
        text
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        let points = || self.series.iter().flat_map(|series| &series.points).filter(|p| p.y.is_finite());
        let across = range(points().map(|p| p.x)).ok_or("there is no point")?;
        let ends = |p: &Point| [p.y - p.error.unwrap_or(0.0), p.y + p.error.unwrap_or(0.0)];
        let up = range(points().flat_map(ends)).ok_or("there is no point")?;
        // Counts have no fractions: at most one label each.
        let counts = points().all(|p| p.x.fract() == 0.0);
        let steps = if counts { ((across.1 - across.0) as usize + 1).min(12) } else { 10 };
        let axes = Axes { title: &self.title, x: &self.x, y: &self.y, across, up };
        let (plot, side) = beside_legend(area);
        let across = |v: f64| if counts { format!("{v:.0}") } else { axes.across(v) };
        let mut chart = axes.mesh(&plot, steps, &across)?;
        let mut names = Vec::new();
        for (i, series) in self.series.iter().enumerate() {
            let ink = color(i, self.series.len());
            let drawn: Vec<&Point> = series.points.iter().filter(|p| p.y.is_finite()).collect();
            chart.draw_series(LineSeries::new(drawn.iter().map(|p| (p.x, p.y)), ink.stroke_width(2)))?;
            chart.draw_series(drawn.iter().map(|p| Circle::new((p.x, p.y), 2, ink.filled())))?;
            for p in &drawn {
                let Some(error) = p.error.filter(|error| *error > 0.0) else { continue };
                let bar = ink.mix(0.6).stroke_width(1);
                chart.draw_series([PathElement::new([(p.x, p.y - error), (p.x, p.y + error)], bar)])?;
                let cap = |y: f64| EmptyElement::at((p.x, y)) + PathElement::new([(-CAP, 0), (CAP, 0)], bar);
                chart.draw_series([p.y - error, p.y + error].map(cap))?;
            }
            names.push((series.name.clone(), ink, Mark::Line));
        }
        legend(&side, &names)
    }
}

/// Charts below one another in one SVG.
///
/// # Errors
/// [`ChartError`] if one of them has no finite point.
pub fn stacked(charts: &[LineChart]) -> Result<String, ChartError> {
    let title = charts.first().map_or("", |chart| chart.title.as_str());
    let mut text = String::new();
    let mut draw = || -> Drawn {
        let (width, height) = SIZE;
        // Charts in a stack are flatter, so that the whole still fits a screen.
        let each = if charts.len() > 1 { height * 7 / 10 } else { height };
        let area = SVGBackend::with_string(&mut text, (width, each * charts.len() as u32)).into_drawing_area();
        area.fill(&colors::PAPER)?;
        for (part, chart) in area.split_evenly((charts.len(), 1)).iter().zip(charts) {
            chart.draw(part)?;
        }
        Ok(area.present()?)
    };
    draw().map_err(|error| ChartError::new(title, &error))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::elements;
    use super::*;

    fn chart(errors: bool) -> LineChart {
        let points = |from: f64| {
            let point = |i: u32| Point { x: i.into(), y: from + f64::from(i), error: errors.then_some(0.25) };
            (1..=5).map(point).collect()
        };
        LineChart {
            title: "a < b & c".to_owned(),
            x: "dimensions".to_owned(),
            y: "accuracy".to_owned(),
            series: vec![Series::new("lda", points(0.0)), Series::new("<pca>", points(3.0))],
        }
    }

    #[test]
    fn every_point_has_its_mark_and_every_error_its_bar() -> Result<(), Box<dyn std::error::Error>> {
        let (plain, barred) = (chart(false).svg()?, chart(true).svg()?);
        assert_eq!(plain.matches("<circle").count(), 10);
        elements(&plain)?;
        elements(&barred)?;
        // A bar and two caps for each of ten points, paler than the lines.
        let bars = |svg: &str| svg.matches("opacity=\"0.6\"").count();
        assert_eq!((bars(&plain), bars(&barred)), (0, 30));
        for text in ["dimensions", "accuracy", "lda", "&lt;pca&gt;", "a &lt; b &amp; c"] {
            assert!(barred.contains(text), "{text}");
        }
        Ok(())
    }

    #[test]
    fn a_stack_has_the_points_of_all() -> Result<(), Box<dyn std::error::Error>> {
        let svg = stacked(&[chart(false), chart(true), chart(false)])?;
        assert_eq!(svg.matches("<circle").count(), 30);
        elements(&svg)?;
        Ok(())
    }

    #[test]
    fn a_chart_without_points_is_an_error() {
        let mut empty = chart(false);
        empty.series.iter_mut().for_each(|series| series.points.clear());
        assert_eq!(empty.svg().map_err(|error| error.why), Err("there is no point".to_owned()));
    }

    #[test]
    fn csv_has_a_line_per_point() {
        let text = chart(true).csv();
        assert_eq!(text.lines().count(), 11);
        assert_eq!(text.lines().nth(1), Some("lda,1,1,0.25"));
    }
}
