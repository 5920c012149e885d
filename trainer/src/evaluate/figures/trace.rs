//! NSSE's objective, kernel width and validation error, round by round, from several starting widths.

use crate::chart::{LineChart, Point, Series};
use crate::config::{ConfigError, FixedFit};
use crate::dataset::Dataset;
use crate::error::FitError;
use crate::kernel::{Sigma, mean_distance};
use crate::methods::knn::Knn;
use crate::methods::nsse::{Nsse, Params};
use crate::methods::{Method, MethodParams, SettingsParser};
use crate::model::{Fitted, TracePoint};
use crate::run::Run;
use crate::train::TrainError;
use std::fmt::Write;

/// A low and a high start, as multiples of the mean distance of the rows: where the paper starts its figure.
pub const STARTS: [Sigma; 2] = [Sigma::Factor(0.15), Sigma::Factor(4.0)];

/// The alternation from one start.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The starting width, as it was given.
    pub start: Sigma,
    /// The starting width as a distance.
    pub width: f64,
    /// Every round.
    pub points: Vec<TracePoint>,
}

/// Fits NSSE from every start, with the preprocessing and settings of `fit`, and measures the 1-NN error on the
/// validation rows after every round.
///
/// # Errors
/// [`TrainError`] if the method is another one, or as a fit.
pub fn traces(
    fit: &FixedFit,
    train: &Dataset,
    validation: &Dataset,
    starts: &[Sigma],
    run: &Run<'_>,
) -> Result<Vec<Trace>, TrainError> {
    let name = fit.common.method.name();
    let mut params = Params::default();
    if name != params.name() {
        let why = format!("only nsse alternates between embedding and width; {name} does not");
        return Err(ConfigError::refused("trace", why).into());
    }
    let mut parser = SettingsParser::new(fit.common.method.settings.clone());
    params.settings(&mut parser);
    parser.finish(params.name())?;
    // Plain k-NN embeds a row as it is prepared: the rows that NSSE sees.
    let knn = Knn::default();
    let prepared: Fitted = fit.pipeline(&knn)?.fit_with(train, run)?;
    let rows = train.with_rows(prepared.embedding().clone()).map_err(FitError::from)?;
    let held = prepared.embed(validation.rows()).and_then(|held| validation.with_rows(held)).map_err(FitError::from)?;
    let mean = mean_distance(prepared.embedding(), run.thread_count());
    let from = |&start: &Sigma| -> Result<Trace, TrainError> {
        // The rounds are shown, not the choice of a width after them.
        let params = Params { sigma: start, validation: Some(held.clone()), holdout: false, ..params.clone() };
        let fitted = Nsse::new(params).map_err(FitError::from)?.fit_with(&rows, run)?;
        Ok(Trace { start, width: start.resolve(|| mean), points: fitted.trace().to_vec() })
    };
    starts.iter().map(from).collect()
}

/// Every round: `start,round,objective,sigma,validation_error`; round 0 is the start, which has a width alone.
#[must_use]
pub fn traces_csv(traces: &[Trace]) -> String {
    let mut text = String::from("start,round,objective,sigma,validation_error\n");
    for trace in traces {
        let _ = writeln!(text, "{},0,,{},", trace.start, trace.width);
        for (round, point) in trace.points.iter().enumerate() {
            let error = point.validation_error.map(|error| error.to_string()).unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{},{},{},{},{error}", trace.start, round + 1, point.objective, point.sigma);
        }
    }
    text
}

const WIDTH: &str = "kernel width";

/// Objective, width and validation error against the round, below one another.
#[must_use]
pub fn traces_charts(title: &str, traces: &[Trace]) -> Vec<LineChart> {
    let chart = |y: &str, value: fn(&TracePoint) -> Option<f64>| {
        let widths = y == WIDTH;
        let series = |trace: &Trace| {
            let point = |(round, point): (usize, &TracePoint)| {
                value(point).map(|y| Point { x: (round + 1) as f64, y, error: None })
            };
            let start = widths.then_some(Point { x: 0.0, y: trace.width, error: None });
            let points = start.into_iter().chain(trace.points.iter().enumerate().filter_map(point));
            Series::new(&format!("start {}", trace.start), points.collect())
        };
        LineChart {
            title: format!("{title}: {y}"),
            x: "round".to_owned(),
            y: y.to_owned(),
            series: traces.iter().map(series).collect(),
        }
    };
    let mut charts = vec![
        chart("objective", |point| Some(point.objective)),
        chart(WIDTH, |point| Some(point.sigma)),
        chart("validation error, %", |point| point.validation_error.map(|error| 100.0 * error)),
    ];
    charts.retain(|chart| chart.series.iter().any(|series| !series.points.is_empty()));
    charts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Parameters};
    use crate::dataset::split;
    use crate::dataset::synthetic::blobs;

    fn fixed(text: &str) -> Result<FixedFit, ConfigError> {
        let entry = crate::evaluate::compare::Entry::parse(text, &Parameters::default()).map_err(|error| error.why)?;
        if let Config::Fixed(fit) = entry.config { Ok(fit) } else { Ok(FixedFit::default()) }
    }

    #[test]
    fn both_starts_end_at_one_width_and_every_round_has_its_error() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(4, 20, 6, 1.0, 0);
        let (train, held) = split::stratified(&data, 0.3, 0).apply(&data);
        let found = traces(&fixed("nsse:scale=standard:mu1=200")?, &train, &held, &STARTS, &Run::default())?;
        let ends: Vec<f64> = found.iter().filter_map(|trace| trace.points.last()).map(|point| point.sigma).collect();
        assert_eq!(ends.len(), 2);
        // The grid of widths has quarter octaves; a start that is none of them adds one.
        assert!((ends[0] / ends[1]).log2().abs() <= 0.5, "{ends:?}");
        assert!(found.iter().flat_map(|trace| &trace.points).all(|point| point.validation_error.is_some()));
        let rounds: usize = found.iter().map(|trace| trace.points.len()).sum();
        assert_eq!(traces_csv(&found).lines().count(), rounds + 2 + 1);
        assert!(found[0].width < found[1].width);
        let charts = traces_charts("blobs", &found);
        assert_eq!(charts.len(), 3);
        assert!(crate::chart::stacked(&charts)?.matches("<circle").count() == 3 * rounds + 2);
        Ok(())
    }

    #[test]
    fn another_method_is_refused_by_name() -> Result<(), Box<dyn std::error::Error>> {
        let data = blobs(2, 9, 3, 1.0, 0);
        let refused = traces(&fixed("lda")?, &data, &data, &STARTS, &Run::default()).map_err(|error| error.to_string());
        assert_eq!(refused, Err("trace: only nsse alternates between embedding and width; lda does not".to_owned()));
        Ok(())
    }
}
