//! Small gray images in a grid, each with its caption.

use super::ChartError;
use super::colors;
use crate::escape::{csv_field, xml};
use plotters::style::RGBColor;
use std::fmt::Write;

/// Pixels of the page that one pixel of an image takes, for images of about thirty rows.
const SIDE: usize = 112;
/// Below an image, for its caption.
const CAPTION: usize = 18;
const GAP: usize = 10;
const HEADER: usize = 34;
/// Gray levels: more cannot be told apart on a page, and every level is an element of its own.
const LEVELS: usize = 32;

/// A gray image.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// What it shows.
    pub caption: String,
    /// Its pixels, row by row; the least is drawn black and the largest white.
    pub pixels: Vec<f64>,
}

/// Images of one size in a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Gallery {
    /// The line above it.
    pub title: String,
    /// Rows and columns of every image.
    pub size: (usize, usize),
    /// Images side by side before a new line begins.
    pub columns: usize,
    /// The images.
    pub pictures: Vec<Picture>,
}

impl Gallery {
    /// The images as SVG.
    ///
    /// # Errors
    /// [`ChartError`] if there is no image, or one has another number of pixels.
    pub fn svg(&self) -> Result<String, ChartError> {
        let refused = |why: &str| Err(ChartError::new(&self.title, why));
        let (rows, cols) = self.size;
        if self.pictures.is_empty() || rows * cols == 0 {
            return refused("there is no image");
        }
        if let Some(odd) = self.pictures.iter().find(|picture| picture.pixels.len() != rows * cols) {
            let (caption, got) = (&odd.caption, odd.pixels.len());
            return refused(&format!("{caption}: expected {rows}x{cols} pixels, got {got}"));
        }
        let columns = self.columns.clamp(1, self.pictures.len());
        let zoom = (SIDE / rows.max(cols)).max(1);
        let (wide, high) = (cols * zoom + GAP, rows * zoom + CAPTION + GAP);
        let lines = self.pictures.len().div_ceil(columns);
        // A title needs some room even over a single image.
        let (width, height) = ((columns * wide + GAP).max(420), lines * high + HEADER + GAP);
        let (paper, ink) = (hex(colors::PAPER), hex(colors::INK));
        let mut svg = format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>\n\
             <g font-family=\"sans-serif\" fill=\"{ink}\">\n<text x=\"{GAP}\" y=\"22\" font-size=\"17\">{}</text>\n",
            xml(&self.title)
        );
        for (i, picture) in self.pictures.iter().enumerate() {
            let (x, y) = (GAP + i % columns * wide, HEADER + i / columns * high);
            let below = y + rows * zoom + 13;
            // Writing to a string cannot fail.
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{below}\" font-size=\"11\">{}</text>", xml(&picture.caption));
            let _ = writeln!(svg, "<g transform=\"translate({x} {y}) scale({zoom})\" shape-rendering=\"crispEdges\">");
            svg += &image(&picture.pixels, rows, cols);
            svg += "</g>\n";
        }
        svg += "</g>\n</svg>\n";
        Ok(svg)
    }

    /// The images as CSV: a line for each, its caption and its pixels.
    #[must_use]
    pub fn csv(&self) -> String {
        let count = self.size.0 * self.size.1;
        let names: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
        let mut text = format!("caption,{}\n", names.join(","));
        for picture in &self.pictures {
            let values: Vec<String> = picture.pixels.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "{},{}", csv_field(&picture.caption), values.join(","));
        }
        text
    }
}

/// One path per gray level, made of horizontal strokes: a tenth of the bytes of a rectangle per pixel.
fn image(pixels: &[f64], rows: usize, cols: usize) -> String {
    let fold = |f: fn(f64, f64) -> f64, start: f64| pixels.iter().copied().fold(start, f);
    let (low, high) = (fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY));
    let scale = if high > low { (LEVELS - 1) as f64 / (high - low) } else { 0.0 };
    let level = |row: usize, col: usize| ((pixels[row * cols + col] - low) * scale).round() as usize;
    let mut strokes = vec![String::new(); LEVELS];
    for row in 0..rows {
        let mut col = 0;
        while col < cols {
            let (from, gray) = (col, level(row, col).min(LEVELS - 1));
            while col < cols && level(row, col).min(LEVELS - 1) == gray {
                col += 1;
            }
            let _ = write!(strokes[gray], "M{from} {row}.5h{}", col - from);
        }
    }
    let mut svg = String::new();
    for (gray, path) in strokes.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let shade = (gray * 255 / (LEVELS - 1)) as u8;
        let _ = writeln!(svg, "<path stroke=\"{}\" d=\"{path}\"/>", hex(RGBColor(shade, shade, shade)));
    }
    svg
}

fn hex(color: RGBColor) -> String {
    format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2)
}

#[cfg(test)]
mod tests {
    use super::super::tests::elements;
    use super::*;

    fn gallery(pixels: &[f64]) -> Gallery {
        let picture = |i: usize| Picture { caption: format!("row {i} & <x>"), pixels: pixels.to_vec() };
        Gallery { title: "exemplars".to_owned(), size: (2, 3), columns: 2, pictures: (0..3).map(picture).collect() }
    }

    #[test]
    fn every_image_covers_its_pixels_once() -> Result<(), Box<dyn std::error::Error>> {
        let gallery = gallery(&[0.0, 0.0, 1.0, 0.5, 1.0, 1.0]);
        let svg = gallery.svg()?;
        elements(&svg)?;
        // Strokes 2+1 in the first row, 1+2 in the second: six pixels in each of three images.
        let strokes = svg.match_indices('h').filter_map(|(i, _)| svg[i + 1..].chars().next()?.to_digit(10));
        assert_eq!(strokes.sum::<u32>(), 18);
        assert_eq!(svg.matches("row ").count(), 3);
        assert_eq!(gallery.csv().lines().count(), 4);
        Ok(())
    }

    #[test]
    fn an_image_of_another_size_is_refused() {
        let why = |gallery: Gallery| gallery.svg().map_err(|error| error.why);
        assert_eq!(why(gallery(&[0.0; 5])), Err("row 0 & <x>: expected 2x3 pixels, got 5".to_owned()));
        assert_eq!(why(Gallery { pictures: Vec::new(), ..gallery(&[]) }), Err("there is no image".to_owned()));
        assert!(gallery(&[1.0; 6]).svg().is_ok(), "an even image is black");
    }
}
