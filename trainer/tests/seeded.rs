//! Random features that a device makes from a seed: nothing of them is stored, and answers do not suffer.

use nearmark_format::{FeatureMap, Head, ModelBuf};
use nearmark_train::config::{Numeric, Parameters};
use nearmark_train::dataset::synthetic;
use nearmark_train::evaluate::evaluate;
use nearmark_train::methods::features::FeatureChoice;
use nearmark_train::preprocess::{Components, Scaling};
use nearmark_train::{Dataset, ModelFile, Run, Trained, train};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Pixels of 0 to 16: four classes that overlap a little.
fn pixels() -> Outcome<(Dataset, Dataset)> {
    let all = synthetic::blobs(4, 150, 16, 0.9, 1);
    let rows = all.rows().map(|v| (v * 3.0 + 8.0).round().clamp(0.0, 16.0));
    let all = Dataset::from_ids(rows, all.labels())?;
    Ok(nearmark_train::dataset::split::stratified(&all, 0.4, 0).apply(&all))
}

fn parameters(method: &str, features: FeatureChoice, numeric: Numeric) -> Parameters {
    let (method, features, numeric) = (Some(method.to_owned()), Some(features), Some(numeric));
    Parameters { method, features, numeric, ..Parameters::default() }
}

fn trained(parameters: Parameters, rows: &Dataset) -> Outcome<Trained> {
    Ok(train(&parameters.try_into()?, rows, &Run::default())?)
}

#[test]
fn every_method_with_random_features_stores_their_seed_alone() -> Outcome {
    let (train, test) = pixels()?;
    for method in ["cmvda", "cmvda-r", "cmvca", "kda"] {
        for features in [FeatureChoice::Random(120), FeatureChoice::Signs(120)] {
            let trained = trained(parameters(method, features, Numeric::F32), &train)?;
            let what = format!("{method}, {features}");
            let model = trained.model.decode();
            assert!(
                matches!(model.feature_map, FeatureMap::Seeded { count: 120, seed: 0, .. }),
                "{what}: {:?}",
                model.feature_map
            );
            let means = if let Head::Means(means) = &model.head { 4 * means.len() } else { 0 };
            let bytes = trained.model.core_len();
            // Header, metadata, 120 rows of the readout with its bias, and class means.
            assert_eq!(bytes, 112 + 4 * (120 * model.dim + bias(&model)) + means, "{what}");
            let (exact, device) = (trained.fitted.accuracy(&test)?, evaluate(&trained.model, &test)?.accuracy());
            assert!((exact - device).abs() < 1e-9, "{what}: {exact} in f64, {device} on the device");
            assert!(device > 0.8, "{what}: {device}");
        }
    }
    Ok(())
}

fn bias(model: &ModelBuf) -> usize {
    model.readout.as_ref().map_or(0, |readout| readout.bias.len())
}

#[test]
fn integers_lose_little_behind_any_stage() -> Outcome {
    let (train, test) = pixels()?;
    for features in [FeatureChoice::Random(150), FeatureChoice::Signs(150)] {
        for scale in [Scaling::None, Scaling::Range, Scaling::MinMax, Scaling::Standard] {
            for pca in [None, Some(Components::Count(8))] {
                let what = format!("{features}, {scale:?}, {pca:?}");
                let accuracy = |numeric| -> Outcome<f64> {
                    let own = Parameters { scale: Some(scale), pca, ..parameters("cmvda", features, numeric) };
                    let trained = trained(own, &train).map_err(|why| format!("{what}: {why}"))?;
                    assert!(matches!(trained.model.decode().feature_map, FeatureMap::Seeded { .. }), "{what}");
                    Ok(evaluate(&trained.model, &test)?.accuracy())
                };
                let (float, integer) = (accuracy(Numeric::F32)?, accuracy(Numeric::I8)?);
                // Five of the 240 test rows.
                assert!(integer > float - 0.021, "{what}: {float} in floats, {integer} in integers");
            }
        }
    }
    Ok(())
}

#[test]
fn a_seed_draws_its_own_features() -> Outcome {
    let (train, _) = pixels()?;
    let file = |seed| -> Outcome<ModelFile> {
        let own = parameters("cmvda", FeatureChoice::Random(40), Numeric::F32);
        Ok(trained(Parameters { seed: Some(seed), ..own }, &train)?.model)
    };
    assert_eq!(file(3)?, file(3)?);
    let (three, four) = (file(3)?.decode(), file(4)?.decode());
    assert!(matches!(three.feature_map, FeatureMap::Seeded { seed: 3, .. }));
    assert_ne!(three.readout, four.readout);
    Ok(())
}
