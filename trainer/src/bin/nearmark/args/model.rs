//! The flags that describe a model, shared by `fit`, `compare` and `tune`: made from the library's list of parameters.

use crate::flags;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use nearmark_train::config::{AUTO, Parameter, Parameters, Size};
use nearmark_train::emulator::board::BOARDS;
use nearmark_train::methods::{Registry, SettingError};
use nearmark_train::retrieval::SYSTEMS;

const SET_HELP: &str = "\
A setting of the method, like ridge=0.01, mu1=100, k=20, balance=10, exemplars=40; within a budget also \
centers=means|landmarks|exemplars, refine=false, passes=100; may be repeated";

#[derive(Debug, Clone, Default)]
pub(crate) struct ModelArgs {
    pub(crate) parameters: Parameters,
}

impl ModelArgs {
    /// These flags over what a file sets; the size of an image comes with the flags for reading DATA.
    pub(crate) fn over(&self, mut base: Parameters, image: Option<Size>) -> Parameters {
        if self.parameters.is_budget() && !base.is_budget() {
            // A search makes these choices, unless a flag does; a file that describes a fixed fit always names them.
            (base.method, base.numeric) = (None, None);
        }
        Parameters { image, ..self.parameters.clone() }.over(base)
    }
}

/// The parameters that have a flag here.
fn offered() -> impl Iterator<Item = &'static Parameter> {
    Parameters::ALL.iter().filter(|parameter| parameter.name != "image")
}

fn arg(parameter: &'static Parameter) -> Arg {
    let name = parameter.name;
    let arg = Arg::new(name).long(flags::long(name)).help_heading("Model");
    if parameter.placeholder.is_empty() {
        return arg.action(ArgAction::SetTrue).help(flags::switch(parameter).1);
    }
    let parser: ValueParser = match name {
        "method" => methods(),
        "board" => PossibleValuesParser::new(BOARDS.map(|board| board.name)).into(),
        _ => ValueParser::new(move |text: &str| match Parameters::default().assign(name, text) {
            // Clap names the flag itself.
            Err(SettingError::Value { source, .. }) => Err(source.to_string()),
            Err(error) => Err(error.to_string()),
            Ok(()) => Ok(text.to_owned()),
        }),
    };
    arg.value_name(parameter.placeholder).help(parameter.help).value_parser(parser)
}

/// The names of all methods, with their descriptions.
fn methods() -> ValueParser {
    let auto = PossibleValue::new(AUTO).help("the best of several by cross-validation; within a budget, of all models");
    let registry = Registry::default();
    let named = registry.entries().iter().map(|entry| PossibleValue::new(entry.name).help(entry.description));
    // Known, but refused: the message says why, where clap would only list the others.
    let refused = SYSTEMS.iter().map(|system| PossibleValue::new(system.name).hide(true));
    let known = PossibleValuesParser::new([auto].into_iter().chain(named).chain(refused));
    known.try_map(|name| if name == AUTO { Ok(name) } else { Registry::default().find(&name).map(|_| name) }).into()
}

/// `KEY=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, like ridge=0.01")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

impl Args for ModelArgs {
    fn augment_args(command: Command) -> Command {
        let set = Arg::new("set").long("set").value_name("KEY=VALUE").help(SET_HELP).help_heading("Model");
        command.args(offered().map(arg)).arg(set.action(ArgAction::Append).value_parser(setting))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ModelArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut args = Self::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for parameter in offered() {
            let text = if parameter.placeholder.is_empty() {
                matches.get_flag(parameter.name).then(|| flags::switch(parameter).0)
            } else {
                matches.get_one::<String>(parameter.name).map(String::as_str)
            };
            if let Some(text) = text {
                let error = |error: SettingError| Error::raw(ErrorKind::ValueValidation, error);
                self.parameters.assign(parameter.name, text).map_err(error)?;
            }
        }
        let set = matches.get_many::<(String, String)>("set").into_iter().flatten();
        self.parameters.set.extend(set.cloned());
        Ok(())
    }
}
