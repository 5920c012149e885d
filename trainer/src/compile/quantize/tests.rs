//! Models of every shape keep their answers, and the runtime agrees with the simulation to the bit.

use super::cases::{CLASSES, COUNT, model, rows};
use super::reference::Reference;
use super::{Options, Quantized, ReadoutWidth, integers, quantize};
use crate::linalg::Mat;
use crate::model::ModelFile;
use crate::model::head::Head as Classes;
use crate::model::host::head;
use crate::rng::Rng;
use nalgebra::RowDVector;
use nearmark_format::{FeatureMap, Head, Kernel, ModelBuf, Num, Scale, extras};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The simulation's answers: class and raw distance of every row.
fn simulated(model: &ModelBuf, rows: &Mat) -> Result<Vec<(usize, u32)>, Box<dyn std::error::Error>> {
    let raw = integers::embed(model, &integers::geometry(model, &integers::samples(model, rows))?.0)?;
    let one = model.int.as_ref().map_or(0.0, |int| f64::from(int.z_one));
    let (points, classes): (Mat, Vec<usize>) = match head(model, one) {
        Classes::Means(points) => (points, (0..model.classes).collect()),
        Classes::Prototypes { values, counts, .. } => {
            let classes = counts.iter().enumerate().flat_map(|(class, &n)| std::iter::repeat_n(class, n)).collect();
            (values, classes)
        }
    };
    let answer = |z: RowDVector<f64>| {
        let gap = |p: usize| (points.row(p) - &z).norm_squared() as i64;
        let nearest = (0..classes.len()).min_by_key(|&p| (gap(p), p)).map_or((0, 0), |p| (classes[p], gap(p)));
        (nearest.0, nearest.1 as u32)
    };
    Ok(raw.row_iter().map(|z| answer(z.into_owned())).collect())
}

/// Rows at the ends of the type's range, in the patterns that drive sums farthest.
fn extremes(input: Num) -> Mat {
    let (low, high) = integers::range(input);
    let (low, high) = if input == Num::F32 { (-1e6, 1e6) } else { (low, high) };
    let mut rng = Rng::new(9);
    Mat::from_fn(40, 24, |i, j| match i {
        0 => low,
        1 => high,
        2 => [low, high][j % 2],
        _ => [low, high][rng.below(2)],
    })
}

/// The share of new rows that keep their class; the runtime must agree with the simulation on all of them.
fn agreement(original: &ModelBuf, quantized: &Quantized, seed: u64) -> Result<f64, Box<dyn std::error::Error>> {
    let (fresh, _) = rows(original.input, 24, 300, seed, seed + 2);
    let int = &quantized.model;
    let runtime = ModelFile::encode(int)?;
    let votes = matches!(original.head, Head::Prototypes { .. });
    for rows in [&fresh, &extremes(original.input)] {
        let found = crate::evaluate::predict(&runtime, rows)?;
        for (row, (found, (class, distance))) in found.iter().zip(simulated(int, rows)?).enumerate() {
            // With votes the nearest prototype need not win; its distance is then not the answer's.
            if !votes {
                assert_eq!((usize::from(found.class().0), found.raw().distance), (class, distance), "row {row}");
            }
        }
    }
    let truth = Reference::new(original, &fresh)?.labels;
    let found = crate::evaluate::predict(&runtime, &fresh)?;
    let same = truth.iter().zip(&found).filter(|(a, b)| **a == usize::from(b.class().0)).count();
    Ok(same as f64 / truth.len() as f64)
}

#[test]
fn models_of_every_shape_keep_their_answers_and_never_overflow() -> Outcome {
    let mut all = Vec::new();
    let mut seed = 100;
    for input in 0..4 {
        for geometry in 0..4 {
            for feature_map in 0..6 {
                // The other stages in turn, so that every pair of choices occurs.
                for k in 0..4 {
                    seed += 1;
                    let choice = [
                        input,
                        geometry,
                        (k + feature_map) % 3,
                        (k + geometry) % 3,
                        feature_map,
                        (k + input + feature_map) % 3,
                        (k + geometry / 2) % 3,
                    ];
                    let (original, rows) = model(choice, seed)?;
                    let quantized = quantize(&original, &rows, Options::default())
                        .map_err(|error| format!("{choice:?}: {error}"))?;
                    assert!(quantized.report.bounds.iter().all(super::Bound::holds));
                    let share =
                        agreement(&original, &quantized, seed).map_err(|error| format!("{choice:?}: {error}"))?;
                    assert!(share >= 0.85, "{choice:?}: {share} {}", quantized.report);
                    all.push(share);
                }
            }
        }
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    eprintln!("{} models, mean agreement {mean:.4}, least {:.4}", all.len(), all.iter().copied().fold(1.0, f64::min));
    assert!(mean > 0.99, "{mean}");
    Ok(())
}

#[test]
fn radii_names_and_provenance_come_along() -> Outcome {
    let (mut original, rows) = model([0, 0, 1, 1, 1, 1, 2], 5)?;
    original.names = ["a", "b", "c"].map(str::to_owned).into();
    let radii = [0.25_f32, 1.0, f32::INFINITY].iter().flat_map(|r| r.to_le_bytes()).collect();
    original.extras.insert(extras::RADII, (false, radii));
    original.info = Some(nearmark_format::Info { method: "cmvda".into(), ..Default::default() });
    let int = quantize(&original, &rows, Options::default())?.model;
    assert_eq!(int.names, original.names);
    assert_eq!(int.info.as_ref().map(|info| info.params.clone()), Some(vec![("numeric".into(), "i8".into())]));
    let unit = f64::from(int.int.as_ref().map_or(0.0, |int| int.z_unit));
    let radius =
        |c: usize| u32::from_le_bytes(int.extras[&extras::RADII].1[4 * c..][..4].try_into().unwrap_or_default());
    assert!((f64::from(radius(0)) * unit * unit - 0.25).abs() < 1e-3);
    assert_eq!(radius(2), u32::MAX);
    int.encode()?;
    Ok(())
}

#[test]
fn what_integers_cannot_do_is_refused_by_stage() -> Outcome {
    let (original, rows) = model([0, 0, 0, 0, 1, 1, 2], 6)?;
    let refusal =
        |model: &ModelBuf| quantize(model, &rows, Options::default()).map(|_| ()).map_err(|error| error.to_string());
    let unit = ModelBuf { scale: Scale::Unit, ..original.clone() };
    let expected = "scaling to unit length has no integer form: scale otherwise, or keep numeric f32";
    assert_eq!(refusal(&unit), Err(expected.to_owned()));
    let kernel = Kernel::Polynomial { gamma: 1.0, offset: 1.0, degree: 2 };
    let FeatureMap::Centers { values, .. } = original.feature_map.clone() else { return Err("no centers".into()) };
    let polynomial = ModelBuf { feature_map: FeatureMap::Centers { kernel, values }, ..original.clone() };
    let expected = "the polynomial kernel has no integer form: take a Gaussian, or keep numeric f32";
    assert_eq!(refusal(&polynomial), Err(expected.to_owned()));
    let twice = quantize(&original, &rows, Options::default())?.model;
    assert_eq!(refusal(&twice), Err("only a model of the F32 profile can be quantized".to_owned()));
    Ok(())
}

#[test]
fn the_readout_is_as_wide_as_asked() -> Outcome {
    let (original, rows) = model([3, 0, 1, 1, 1, 1, 0], 7)?;
    for (readout, num) in [(ReadoutWidth::I16, Num::I16), (ReadoutWidth::I8, Num::I8)] {
        let quantized = quantize(&original, &rows, Options { readout, ..Options::default() })?;
        assert_eq!(quantized.report.readout, Some(num));
        assert_eq!(quantized.model.readout.unwrap_or_default().weights.len(), COUNT * CLASSES);
    }
    Ok(())
}
