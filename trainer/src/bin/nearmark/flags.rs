//! Names of the library's parameters as flags, and its messages with flags in place of parameters.

use nearmark_train::TrainError;
use nearmark_train::config::{ConfigError, Parameter, Parameters};
use nearmark_train::methods::SettingError;
use std::error::Error;

/// Parameters whose flag has another name: the first is on by default.
const RENAMED: [(&str, &str); 3] =
    [("names", "no-names"), ("keep_embedding", "keep-embedding"), ("tune_params", "tune-params")];

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
    let known = ["dims", "holdout", "trace"].contains(&parameter)
        || Parameters::ALL.iter().any(|known| known.name == parameter);
    if known { format!("--{}", long(parameter)) } else { format!("--set {parameter}") }
}

/// The message of an error that names parameters, naming flags instead.
pub(crate) fn message(error: &(dyn Error + 'static)) -> Option<String> {
    let setting = || error.downcast_ref().map(|error: &SettingError| error.describe(&flag));
    match error.downcast_ref() {
        Some(TrainError::Config(error)) => Some(error.describe(&flag)),
        Some(TrainError::Quantize(error)) => Some(error.describe(&flag)),
        _ => error.downcast_ref().map(|error: &ConfigError| error.describe(&flag)).or_else(setting),
    }
}

/// Whether flags are wrong whatever the rows: other rows may well become integers.
pub(crate) fn is_usage(error: &(dyn Error + 'static)) -> bool {
    message(error).is_some() && !matches!(error.downcast_ref(), Some(TrainError::Quantize(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_train::compile::quantize::QuantizeError;
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
        let error = TrainError::from(QuantizeError::Range { stage: "kernel", why: "too wide" });
        assert_eq!(error.to_string(), "kernel: too wide; keep numeric f32");
        assert_eq!(message(&error).as_deref(), Some("kernel: too wide; keep --numeric f32"));
        assert!(!is_usage(&error));
        assert!(Parameters::ALL.iter().all(|parameter| !flag(parameter.name).contains('_')));
        assert_eq!((flag("names"), flag("holdout")), ("--no-names".to_owned(), "--holdout".to_owned()));
    }
}
