//! Defaults that choose their kernel on held-out training rows stay beside CMVDA on every kind of set.
#![allow(missing_docs)]

mod support;

use nearmark_train::dataset::split;
use nearmark_train::linalg::Mat;
use nearmark_train::methods::{Method, cmvda, nsse, suplap};
use nearmark_train::preprocess::Scaling;
use nearmark_train::{Dataset, HeadChoice, Pipeline, Run, io};
use support::{Outcome, data_folder, npy};

/// Mean accuracy in percent over splits, by the nearest neighbor and by the nearest class mean.
fn accuracies(
    method: &dyn Method,
    data: &Dataset,
    per_class: usize,
    scaling: Scaling,
    seeds: u64,
) -> Outcome<[f64; 2]> {
    let mut sums = [0.0; 2];
    // Seeds below 20 were looked at when defaults were chosen.
    for seed in 40..40 + seeds {
        let (train, test) = split::per_class(data, per_class, seed)?.apply(data);
        let fitted = Pipeline { scaling, ..Pipeline::new(method) }.fit(&train)?;
        sums[1] += fitted.accuracy(&test)?;
        sums[0] += fitted.with_head(HeadChoice::Neighbors(1))?.accuracy(&test)?;
    }
    Ok(sums.map(|sum| 100.0 * sum / seeds as f64))
}

/// Holds NSSE to CMVDA less one point, and SUPLAP to CMVDA less `slack`: its graph needs more rows than the others do, and
/// on forty windows of gestures no width or ridge of its kernel brings it within eight points.
fn beside_cmvda(what: &str, data: &Dataset, per_class: usize, scaling: Scaling, seeds: u64, slack: f64) -> Outcome {
    let cmvda = accuracies(&cmvda::Cmvda::default(), data, per_class, scaling, seeds)?;
    let nsse = accuracies(&nsse::Nsse::default(), data, per_class, scaling, seeds)?;
    let suplap = accuracies(&suplap::Suplap::default(), data, per_class, scaling, seeds)?;
    eprintln!("{what}, {per_class} per class, 1-NN / mean: CMVDA {cmvda:.1?}, NSSE {nsse:.1?}, SUPLAP {suplap:.1?}");
    for head in 0..2 {
        assert!(nsse[head] >= cmvda[head] - 1.0, "{what}: NSSE {nsse:?}, CMVDA {cmvda:?}");
        assert!(suplap[head] >= cmvda[head] - slack, "{what}: SUPLAP {suplap:?}, CMVDA {cmvda:?}");
    }
    Ok(())
}

/// A generator of its own, so that the images never change (splitmix64).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal: a sum of twelve.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Images under a light of random direction and strength: attached shadows, saturation, eight bits. Each image of a class
/// is seen `lights` times.
fn illuminated(data: &Dataset, (height, width): (usize, usize), lights: usize, seed: u64) -> Outcome<Dataset> {
    let mut rng = Random(seed);
    let top = data.rows().max();
    let (mut rows, mut labels) = (Mat::zeros(data.len() * lights, data.width()), Vec::new());
    for i in 0..rows.nrows() {
        let source = i % data.len();
        let azimuth = 110_f64.to_radians() * (2.0 * rng.uniform() - 1.0);
        let elevation = (-40.0_f64 + 130.0 * rng.uniform()).to_radians();
        let (level, cosine) = (1.6 * (0.3 * rng.normal()).exp(), elevation.cos());
        let light = [azimuth.sin() * cosine, -elevation.sin(), azimuth.cos() * cosine];
        let pixel =
            |r: usize, c: usize| -> f64 { data.rows()[(source, r.min(height - 1) * width + c.min(width - 1))] / top };
        for r in 0..height {
            for c in 0..width {
                // An ellipsoid with the relief of the image's own gradient.
                let (u, v) = (2.0 * c as f64 / (width - 1) as f64 - 1.0, 2.0 * r as f64 / (height - 1) as f64 - 1.0);
                let (x, y) = (0.85 * u, 0.6 * v);
                let z = (1.0 - x * x - y * y).max(0.05).sqrt();
                let slope =
                    [pixel(r, c + 1) - pixel(r, c.saturating_sub(1)), pixel(r + 1, c) - pixel(r.saturating_sub(1), c)];
                let normal = [x - 0.75 * slope[0], y - 0.75 * slope[1], z];
                let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
                let shade = normal.iter().zip(light).map(|(n, l)| n * l).sum::<f64>() / length;
                let value: f64 = (pixel(r, c) * (shade.max(0.0) + 0.03) * level).min(1.0).powf(1.2);
                rows[(i, r * width + c)] = (255.0 * value).round();
            }
        }
        labels.push(data.labels()[source]);
    }
    Ok(Dataset::from_ids(rows, &labels)?)
}

fn loaded(name: &str) -> Outcome<Dataset> {
    Ok(io::load(name, &io::Options::default(), &Run::default())?.data)
}

#[test]
fn built_in_sets() -> Outcome {
    let digits = loaded("builtin:digits")?;
    beside_cmvda("digits", &digits, 15, Scaling::Auto, 2, 2.0)?;
    beside_cmvda("digits", &digits, 3, Scaling::Auto, 4, 9.0)?;
    let some = digits.select(&(0..digits.len()).step_by(6).collect::<Vec<_>>());
    beside_cmvda("digits under extreme illumination", &illuminated(&some, (8, 8), 2, 1)?, 12, Scaling::Auto, 8, 3.0)?;
    beside_cmvda("gestures", &loaded("builtin:gestures")?, 10, Scaling::Auto, 10, 16.0)
}

#[test]
fn no_mu2_ruins_the_embedding() -> Outcome {
    let Some(folder) = data_folder("no_mu2_ruins_the_embedding") else { return Ok(()) };
    let data = faces_under_extreme_illumination(&folder)?;
    let cmvda = accuracies(&cmvda::Cmvda::default(), &data, 10, Scaling::Range, 1)?;
    for mu2 in [0.01, 1.0] {
        let method = nsse::Nsse::new(nsse::Params { mu2, ..nsse::Params::default() })?;
        let found = accuracies(&method, &data, 10, Scaling::Range, 1)?;
        let alone = nsse::Params { mu2, holdout: false, ..nsse::Params::default() };
        let alone = accuracies(&nsse::Nsse::new(alone)?, &data, 10, Scaling::Range, 1)?;
        eprintln!("illuminated faces, mu2 {mu2}: CMVDA {cmvda:.1?}, NSSE {found:.1?}, without a hold-out {alone:.1?}");
        assert!((0..2).all(|head| found[head] >= cmvda[head] - 4.0), "{mu2}: {found:?}, CMVDA {cmvda:?}");
        assert!((0..2).all(|head| found[head] >= alone[head] + 15.0), "{mu2}: {found:?}, before {alone:?}");
    }
    Ok(())
}

/// 38 people, each image of ORL under four lights.
fn faces_under_extreme_illumination(folder: &std::path::Path) -> Outcome<Dataset> {
    let faces = npy(folder, "orl", "X_28x23", "y")?;
    let people: Vec<usize> = (0..faces.len()).filter(|&row| faces.labels()[row] < 38).collect();
    let faces = faces.select(&people);
    let labels: Vec<usize> = faces.labels().to_vec();
    illuminated(&Dataset::from_ids(faces.rows().clone(), &labels)?, (28, 23), 4, 7)
}

#[test]
fn images_speech_and_letters() -> Outcome {
    let Some(folder) = data_folder("images_speech_and_letters") else { return Ok(()) };
    let (orl, coil) = (npy(&folder, "orl", "X_28x23", "y")?, npy(&folder, "coil20", "X_25x25", "y")?);
    beside_cmvda("illuminated faces", &faces_under_extreme_illumination(&folder)?, 10, Scaling::Range, 2, 5.0)?;
    beside_cmvda("ORL", &orl, 5, Scaling::Range, 4, 2.0)?;
    beside_cmvda("ORL", &orl, 2, Scaling::Range, 4, 2.0)?;
    beside_cmvda("COIL-20", &coil, 10, Scaling::Range, 3, 3.5)?;
    beside_cmvda("isolet1", &loaded(&folder.join("isolet1").to_string_lossy())?, 12, Scaling::Auto, 2, 2.0)?;
    let letter = npy(&folder, "letter", "X_train", "y_train")?;
    let some = letter.select(&(0..3000).collect::<Vec<_>>());
    beside_cmvda("letter", &some, 15, Scaling::Auto, 2, 3.0)
}
