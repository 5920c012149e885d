//! Points in the plane, by class.

use super::{Area, Axes, ChartError, Drawn, Mark, beside_legend, color, colors, legend, range};
use crate::escape::csv_field;
use plotters::prelude::*;
use std::fmt::Write;

const SIZE: (u32, u32) = (860, 620);

/// Points of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Cloud {
    /// The class; clouds of one class share its color.
    pub class: String,
    /// What else is common to them, like `training` or `test`; rings are drawn for all but the first kind.
    pub kind: String,
    /// Their coordinates.
    pub points: Vec<(f64, f64)>,
}

/// Labels of the horizontal axis at most.
const LABELS: usize = 11;

/// Points in the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// The line above it.
    pub title: String,
    /// What the horizontal axis shows.
    pub x: String,
    /// What the vertical axis shows.
    pub y: String,
    /// The points.
    pub clouds: Vec<Cloud>,
}

impl Scatter {
    /// The chart as SVG: axes, a legend of classes and kinds, and a dot or ring for every point.
    ///
    /// # Errors
    /// [`ChartError`] if no point is finite.
    pub fn svg(&self) -> Result<String, ChartError> {
        let mut text = String::new();
        let mut draw = || -> Drawn {
            let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
            area.fill(&colors::PAPER)?;
            self.draw(&area)?;
            Ok(area.present()?)
        };
        draw().map_err(|error| ChartError::new(&self.title, &error))?;
        Ok(text)
    }

    /// The points as CSV: `class,kind,x,y`.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::from("class,kind,x,y\n");
        for cloud in &self.clouds {
            for (x, y) in &cloud.points {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{},{},{x},{y}", csv_field(&cloud.class), csv_field(&cloud.kind));
            }
        }
        text
    }

    /// The values of a field in the order of their first cloud.
    fn distinct(&self, field: fn(&Cloud) -> &String) -> Vec<&String> {
        let mut values: Vec<&String> = Vec::new();
        for value in self.clouds.iter().map(field) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        let (classes, kinds) = (self.distinct(|cloud| &cloud.class), self.distinct(|cloud| &cloud.kind));
        let place = |all: &[&String], one: &String| all.iter().position(|other| *other == one).unwrap_or(0);
        let points =
            || self.clouds.iter().flat_map(|cloud| &cloud.points).filter(|(x, y)| x.is_finite() && y.is_finite());
        let across = range(points().map(|p| p.0)).ok_or("there is no point")?;
        let up = range(points().map(|p| p.1)).ok_or("there is no point")?;
        let axes = Axes { title: &self.title, x: &self.x, y: &self.y, across, up };
        let (plot, side) = beside_legend(area);
        let mut chart = axes.mesh(&plot, LABELS, &|v| axes.across(v))?;
        for cloud in &self.clouds {
            let ink = color(place(&classes, &cloud.class), classes.len());
            let first = place(&kinds, &cloud.kind) == 0;
            let style = if first { ink.filled() } else { ink.stroke_width(1) };
            let finite = cloud.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
            chart.draw_series(finite.map(|p| Circle::new(*p, if first { 3 } else { 4 }, style)))?;
        }
        let kind =
            |(i, name): (usize, &&String)| ((*name).clone(), colors::INK, if i == 0 { Mark::Dot } else { Mark::Ring });
        let class = |(i, name): (usize, &&String)| ((*name).clone(), color(i, classes.len()), Mark::Dot);
        let named = |kinds: &Vec<&String>| kinds.len() > 1 || kinds.iter().any(|kind| !kind.is_empty());
        let mut names: Vec<_> = if named(&kinds) { kinds.iter().enumerate().map(kind).collect() } else { Vec::new() };
        names.extend(classes.iter().enumerate().map(class));
        legend(&side, &names)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::elements;
    use super::*;

    fn scatter() -> Scatter {
        let cloud = |class: &str, kind: &str, count: u32| Cloud {
            class: class.to_owned(),
            kind: kind.to_owned(),
            points: (0..count).map(|i| (i.into(), f64::from(i * i))).collect(),
        };
        let clouds = vec![cloud("a & b", "training", 4), cloud("c", "training", 3), cloud("c", "test", 5)];
        Scatter { title: "rows".to_owned(), x: "first".to_owned(), y: "second".to_owned(), clouds }
    }

    #[test]
    fn every_row_is_a_dot_and_the_legend_names_classes_and_kinds() -> Result<(), Box<dyn std::error::Error>> {
        let svg = scatter().svg()?;
        elements(&svg)?;
        // Twelve rows; in the legend two kinds and two classes.
        assert_eq!(svg.matches("<circle").count(), 12 + 4);
        for text in ["a &amp; b", "training", "test", "first", "second", "rows"] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(scatter().csv().lines().count(), 13);
        Ok(())
    }

    #[test]
    fn no_points_are_an_error() {
        assert!(Scatter { clouds: Vec::new(), ..scatter() }.svg().is_err());
    }
}
