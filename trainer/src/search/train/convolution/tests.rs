//! Gradients by finite differences, and training that depends on its seed alone.

use super::*;
use crate::search::closed_form::{Allot, Directions, Origin};
use kernels::Shape;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const COUNT: usize = 40;

/// Images of 9×9 with a bright corner, one of four.
fn corners() -> Result<(Dataset, Images), crate::DataError> {
    let mut rng = Rng::new(1);
    let labels: Vec<usize> = (0..COUNT).map(|i| i % 4).collect();
    let mut bytes = Vec::new();
    for label in &labels {
        for (row, col) in (0..9).flat_map(|row| (0..9).map(move |col| (row, col))) {
            let bright = (row < 4) == (label / 2 == 0) && (col < 4) == (label % 2 == 0);
            bytes.push((if bright { 150.0 } else { 20.0 } + 80.0 * rng.uniform()) as u8);
        }
    }
    Ok((Dataset::from_ids(Mat::zeros(COUNT, 1), &labels)?, Images::new(vec![bytes], 1, (9, 9))))
}

fn params(filters: [usize; 2], steps: usize) -> Params {
    let head = closed_form::Params {
        directions: Directions::Pca,
        projected: 4,
        centers: 8,
        allot: Allot::Equal,
        origin: Origin::Means,
        dim: 4,
        sigma: 0.5,
        ridge: 1e-4,
        seed: 0,
    };
    Params { filters, head, widths: Widths::NARROW, steps, batch: 20, rate: 0.1, seed: 0 }
}

/// The features are smooth between two activations: a thousandth of a step of the rounding is a slope of zero, so that the
/// numbers of the features are compared before they are rounded.
#[test]
fn filters_have_the_gradient_of_finite_differences() -> Outcome {
    let (_, images) = corners()?;
    for filters in [[3, 0], [3, 2]] {
        let layers = Layers { images: images.shape, filters };
        let rows: Vec<usize> = (0..LANES).collect();
        let theta = start(&layers, &images, &rows, 3);
        let mut rng = Rng::new(8);
        let slopes: Vec<Pixel> = (0..layers.features()).map(|_| std::array::from_fn(|_| rng.normal() as f32)).collect();
        let value = |theta: &[f32]| {
            let planes = forward(&layers, theta, images.gather(0, &rows));
            let products = planes.pooled.iter().flatten().zip(slopes.iter().flatten());
            products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
        };
        let mut found = vec![0.0; theta.len()];
        let planes = forward(&layers, &theta, images.gather(0, &rows));
        backward(&layers, &theta, &planes, &slopes, &mut found);
        // Kinks of activations and poolings lie everywhere: single slopes may differ, their direction does not.
        let (mut product, mut squares) = (0.0, [0.0; 2]);
        for layer in layers.layers() {
            for i in layer.weights.clone().step_by(5).chain(layer.bias.clone()) {
                // Over many rounding steps their slopes of zero and their jumps average out.
                let (mut up, mut down) = (theta.clone(), theta.clone());
                (up[i], down[i]) = (theta[i] + 0.02, theta[i] - 0.02);
                let (slope, own) = ((value(&up) - value(&down)) / 0.04, f64::from(found[i]));
                product += slope * own;
                squares = [squares[0] + slope * slope, squares[1] + own * own];
            }
        }
        let cosine = product / (squares[0] * squares[1]).sqrt();
        assert!(cosine > 0.95, "{filters:?}: {cosine}");
    }
    Ok(())
}

#[test]
fn training_learns_and_depends_on_the_seed_alone() -> Outcome {
    let (data, images) = corners()?;
    let rows: Vec<usize> = (0..COUNT).collect();
    for filters in [[4, 0], [4, 4]] {
        let train =
            |threads: usize| train(&data, &images, &rows, &params(filters, 60), &Run::default().threads(threads));
        let (one, two) = (train(1)?, train(2)?);
        assert_eq!(one, two, "whatever the number of threads");
        assert_eq!(one.classify(&images, &rows, 1), data.labels());
        let found = one.filters();
        assert_eq!(found.len(), 1 + usize::from(filters[1] > 0));
        assert!(found.iter().all(|layer| layer.steps.iter().all(|step| *step > 0.0)));
    }
    Ok(())
}

#[test]
fn sums_start_where_slopes_pass() -> Outcome {
    let (_, images) = corners()?;
    let layers = Layers { images: Shape { channels: 1, rows: 9, cols: 9 }, filters: [4, 3] };
    let rows: Vec<usize> = (0..COUNT).collect();
    let theta = start(&layers, &images, &rows, 0);
    for layer in 0..2 {
        let sums: Vec<f32> = sums_of(&layers, &theta, images.gather(0, &rows[..LANES]), layer).concat();
        let inside = sums.iter().filter(|z| **z > 0.0 && **z < 1.0).count();
        assert!(2 * inside > sums.len(), "layer {layer}: {inside} of {}", sums.len());
    }
    Ok(())
}
