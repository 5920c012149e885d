//! A method of one's own, in one file: registered, trained by name with a setting, run by the runtime.
#![allow(missing_docs)]

use nearmark_train::config::{Config, ConfigError, Parameters};
use nearmark_train::dataset::{split, synthetic};
use nearmark_train::linalg::Mat;
use nearmark_train::methods::{MethodEntry, MethodParams, Registry, Settings, SettingsParser};
use nearmark_train::preprocess::Projection;
use nearmark_train::{Dataset, FitError, Fitted, Map, Pipeline, Rng, Run, evaluate::evaluate, train};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Random directions: by Johnson and Lindenstrauss, enough of them keep distances.
#[derive(Debug, Clone)]
struct RandomProjection {
    directions: usize,
    seed: u64,
}

const RANDOM_PROJECTION: MethodEntry = MethodEntry {
    name: "random-projection",
    description: "random directions",
    from_settings: |settings| settings.method(RandomProjection { directions: 8, seed: 0 }),
};

impl MethodParams for RandomProjection {
    fn name(&self) -> &'static str {
        RANDOM_PROJECTION.name
    }

    fn settings(&mut self, settings: &mut SettingsParser) {
        settings.count("directions", &mut self.directions);
        settings.seed(&mut self.seed);
    }

    fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Fitted, FitError> {
        data.require_classes(1)?;
        let mut rng = Rng::new(self.seed);
        let weights = Mat::from_fn(self.directions, data.width(), |_, _| rng.normal());
        let map = Map::Linear(Projection { weights, bias: vec![0.0; self.directions] });
        Ok(Fitted::from_map(data, map, run))
    }
}

fn config(set: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let set: Settings = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let parameters = Parameters { method: Some("random-projection".to_owned()), set, ..Parameters::default() };
    parameters.config(&Registry::default().with(RANDOM_PROJECTION))
}

#[test]
fn it_is_trained_by_name_with_a_setting_and_run_by_the_runtime() -> Outcome {
    let data = synthetic::blobs(3, 60, 12, 0.2, 0);
    let (rows, held_out) = split::stratified(&data, 0.3, 0).apply(&data);
    let trained = train(&config(&[("directions", "5")])?, &rows, &Run::default())?;
    assert_eq!(trained.fitted.dim(), 5);
    let found = evaluate(&trained.model, &held_out)?.accuracy();
    assert!(found > 0.9, "{found}");
    assert_eq!(found, trained.fitted.accuracy(&held_out)?);
    // Its name and its setting are in the provenance of the file.
    let info = trained.model.info().ok_or("no provenance")?;
    assert_eq!(info.method, "random-projection");
    assert!(info.params.contains(&("directions".to_owned(), "5".to_owned())), "{:?}", info.params);
    Ok(())
}

#[test]
fn what_it_does_not_take_is_refused_by_name() {
    let refusal = |set: &[(&str, &str)]| config(set).err().map(|error| error.to_string());
    let unknown = "random-projection takes no axes; it takes directions";
    assert_eq!(refusal(&[("axes", "5")]).as_deref(), Some(unknown));
    assert_eq!(refusal(&[("directions", "few")]).as_deref(), Some("directions: expected a count, got \"few\""));
    assert!(refusal(&[("directions", "0")]).is_some_and(|text| text.contains("directions")));
    assert_eq!(refusal(&[]), None);
}

#[test]
fn registries_are_values_of_their_own() -> Outcome {
    let own = Registry::default().with(RANDOM_PROJECTION);
    assert_eq!(own.names().last(), Some("random-projection"));
    assert!(Registry::default().find("random-projection").is_err(), "nothing global changes");
    // The method also works without a configuration.
    let method = own.find("random-projection")?.build(&Settings::new(), 1)?;
    assert_eq!(Pipeline::new(method.as_ref()).fit(&synthetic::blobs(2, 20, 6, 0.5, 0))?.dim(), 8);
    Ok(())
}
