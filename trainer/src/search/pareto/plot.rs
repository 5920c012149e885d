//! The Pareto front as a chart: accuracy over bytes.

use super::ParetoFront;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const INK: RGBColor = RGBColor(31, 119, 180);

impl ParetoFront {
    /// An SVG of every point with its standard error; the chosen one is filled.
    ///
    /// # Errors
    /// What could not be drawn.
    pub fn svg(&self, title: &str) -> Result<String, String> {
        let mut text = String::new();
        self.draw(title, &mut text).map_err(|error| format!("drawing the Pareto front: {error}"))?;
        Ok(text)
    }

    fn draw(&self, title: &str, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let points: Vec<(f64, f64, f64)> = self
            .points
            .iter()
            .map(|p| (p.flash_bytes() as f64, 100.0 * p.accuracy(), 100.0 * p.found.evaluation.standard_error()))
            .collect();
        let fold = |start: f64, f: fn(f64, f64) -> f64, value: fn(&(f64, f64, f64)) -> f64| {
            points.iter().map(value).fold(start, f)
        };
        let (left, right) = (fold(f64::MAX, f64::min, |p| p.0), fold(0.0, f64::max, |p| p.0));
        let (low, high) = (fold(100.0, f64::min, |p| p.1 - p.2), fold(0.0, f64::max, |p| p.1 + p.2));
        let margin = (0.1 * (high - low)).max(0.1);
        let area = SVGBackend::with_string(text, (760, 460)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 18))
            .margin(14)
            .x_label_area_size(44)
            .y_label_area_size(56)
            .build_cartesian_2d((left * 0.8..right * 1.5).log_scale(), low - margin..(high + margin).min(100.0))?;
        chart
            .configure_mesh()
            .x_desc("bytes of flash")
            .y_desc("accuracy on held-out rows, %")
            .x_label_formatter(&|bytes| format!("{bytes:.0}"))
            .y_label_formatter(&|accuracy| format!("{accuracy:.1}"))
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        chart.draw_series(LineSeries::new(points.iter().map(|p| (p.0, p.1)), INK.stroke_width(2)))?;
        chart.draw_series(points.iter().map(|p| {
            PathElement::new([(p.0, p.1 - p.2), (p.0, (p.1 + p.2).min(100.0))], INK.mix(0.5).stroke_width(1))
        }))?;
        let word = ("sans-serif", 12).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Top));
        chart.draw_series(points.iter().enumerate().map(|(i, p)| {
            let style = if i == self.best { INK.filled() } else { INK.stroke_width(2) };
            EmptyElement::at((p.0, p.1))
                + Circle::new((0, 0), 5, style)
                + Text::new(format!("{:.2}", p.1), (8, 6), word.clone())
        }))?;
        area.present()?;
        Ok(())
    }
}
