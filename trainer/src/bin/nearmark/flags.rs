//! Names of the library's parameters as flags, and its messages with flags in place of parameters.

use nearmark_train::TrainError;
use nearmark_train::config::{ConfigError, Parameter, Parameters};
use nearmark_train::methods::SettingError;
use std::error::Error;

/// Parameters whose flag has another name: the first is on by default.
const RENAMED: [(&str, &str); 2] = [("names", "no-names"), ("keep_embedding", "keep-embedding")];

/// The long name of a parameter's flag, without its dashes.
pub(crate) fn long(parameter: &str) -> &str {
    RENAMED.iter().find(|(name, _)| *name == parameter).map_or(parameter, |(_, flag)| *flag)
}

/// The value that a flag without a value stands for, and its help.
pub(crate) fn switch(parameter: &Parameter) -> (&'static str, &'static str) {
    if parameter.name == "names" { ("false", "Store no class names") } else { ("true", parameter.help) }
}

/// A parameter as it is given on the command line.
fn flag(parameter: &str) -> String {
    let known = parameter == "holdout" || Parameters::ALL.iter().any(|known| known.name == parameter);
    if known { format!("--{}", long(parameter)) } else { format!("--set {parameter}") }
}

/// The message of an error that names parameters, naming flags instead.
pub(crate) fn message(error: &(dyn Error + 'static)) -> Option<String> {
    let config: Option<&ConfigError> = match error.downcast_ref() {
        Some(TrainError::Config(config)) => Some(config),
        _ => error.downcast_ref(),
    };
    let setting: Option<&SettingError> = error.downcast_ref();
    config.map(|config| config.describe(&flag)).or(setting.map(|setting| setting.describe(&flag)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_train::config::{Bytes, Config};

    #[test]
    fn messages_name_flags() {
        let parameters = Parameters { flash: Some(Bytes(2048)), keep_embedding: Some(true), ..Parameters::default() };
        let error = Config::try_from(parameters).map_err(|error| message(&error));
        let expected = "--keep-embedding: a budget search finds the embedding itself; leave it out";
        assert_eq!(error, Err(Some(expected.to_owned())));
        let set = [("mu1".to_owned(), "3".to_owned())].into();
        let parameters = Parameters { method: Some("lda".to_owned()), set, ..Parameters::default() };
        let error = Config::try_from(parameters).map_err(|error| message(&TrainError::from(error)));
        assert_eq!(error, Err(Some("lda takes no --set mu1; it takes --dim, --set ridge".to_owned())));
        assert!(Parameters::ALL.iter().all(|parameter| !flag(parameter.name).contains('_')));
        assert_eq!((flag("names"), flag("holdout")), ("--no-names".to_owned(), "--holdout".to_owned()));
    }
}
