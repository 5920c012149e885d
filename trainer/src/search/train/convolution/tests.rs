//! Gradients by finite differences, and training that learns.

use super::*;
use crate::compile::quantize::learned::Width;
use crate::search::closed_form::{Allot, Directions, Origin};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[test]
#[ignore]
fn mnist() -> Outcome {
    let dir = std::env::var("NEARMARK_DATA")? + "/mnist";
    let n: usize = std::env::var("ROWS").map_or(10_000, |v| v.parse().unwrap());
    let epochs: usize = std::env::var("EPOCHS").map_or(6, |v| v.parse().unwrap());
    let (x, y) = (std::fs::read("/tmp/mn_x.bin")?, std::fs::read("/tmp/mn_y.bin")?);
    let labels: Vec<usize> = y.iter().map(|v| usize::from(*v)).collect();
    let total = labels.len();
    let pooled: Vec<u8> = x
        .chunks(784)
        .flat_map(|im| {
            (0..196).map(move |i| {
                let (r, c) = (2 * (i / 14), 2 * (i % 14));
                let s: u32 = [r * 28 + c, r * 28 + c + 1, r * 28 + c + 28, r * 28 + c + 29]
                    .iter()
                    .map(|&p| u32::from(im[p]))
                    .sum();
                ((s + 2) / 4) as u8
            })
        })
        .collect();
    let data = Dataset::from_ids(Mat::zeros(total, 1), &labels)?;
    let images = Images::new(vec![pooled], 1, (14, 14));
    let head = closed_form::Params {
        directions: Directions::Pca,
        projected: 10,
        centers: 40,
        allot: Allot::Equal,
        origin: Origin::Means,
        dim: 10,
        sigma: 0.5,
        ridge: 1e-4,
        seed: 0,
    };
    let widths = Widths { projection: Width::I4, centers: Width::I4, readout: Width::I4 };
    let params = Params { filters: [8, 8], head, widths, steps: n * epochs / 64, batch: 64, rate: 0.1, seed: 0 };
    let rows: Vec<usize> = (0..n).collect();
    let test: Vec<usize> = (60_000..70_000).collect();
    let begun = std::time::Instant::now();
    let network = train(&data, &images, &rows, &params, &Run::default())?;
    let took = begun.elapsed().as_secs_f64();
    let macs = (70_000 * 3 * n * epochs) as f64;
    let found = network.classify(&images, &test, 2);
    let right = found.iter().zip(&test).filter(|(c, row)| **c == labels[**row]).count();
    eprintln!(
        "RESULT {n} rows {epochs} epochs: {took:.1} s, {:.2} GMAC/s, test {:.2}",
        macs / took / 1e9,
        right as f64 / 100.0
    );
    Ok(())
}
