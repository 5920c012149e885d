//! `nearmark tune`

use crate::args::{TuneArgs, Usage};
use crate::output::{self, grouped, percent, say};
use crate::setup::Console;
use anyhow::{Context, Result, anyhow};
use nearmark_train::config::{Config, Parameters};
use nearmark_train::search::tune::{ParetoFront, Plan, Point, TrialCache, tune};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

const TIME: Duration = Duration::from_secs(600);

pub(crate) fn run(args: &TuneArgs, console: &Console) -> Result<()> {
    let mut parameters = args.model.over(Parameters::default(), args.input.image);
    let flash = parameters.flash.ok_or_else(|| Usage("tune needs the largest budget: --flash 16k".to_owned()))?;
    let stem = args.front.clone().unwrap_or_else(|| beside(&args.output, "-front", ""));
    let fronts = ["md", "json", "svg"].map(|ending| with_ending(&stem, ending));
    let read = [Some(Path::new(&args.data)), args.input.labels.as_deref()];
    let mut taken: Vec<&Path> = read.into_iter().flatten().collect();
    for path in [Some(&args.output), args.state.as_ref()].into_iter().flatten().chain(&fronts) {
        output::check(path, &taken)?;
        taken.push(path);
    }
    let loaded = console.load_for(&args.data, &args.input, &mut parameters)?;
    let Config::Budget(search) = Config::try_from(parameters).context("tune")? else {
        return Err(Usage("tune needs a budget".to_owned()).into());
    };
    let cache = match &args.state {
        Some(path) => TrialCache::open(path, &loaded.data).context("tune")?,
        None => TrialCache::in_memory(),
    };
    let known = cache.counts().0;
    if known > 0 {
        say(&format!("resuming a search with {known} trials in the cache"));
    }
    let plan = Plan { time: Some(args.time.unwrap_or(TIME)), ..Plan::new(flash) };
    let found = console
        .with_progress(|run| tune(&search, &loaded.data, &plan, &cache, run, |point| say(&line(point))))
        .context("tune")?;
    cache.finish().context("tune")?;
    let svg = found.svg(&format!("{}: accuracy over bytes", args.data)).map_err(|error| anyhow!(error))?;
    let contents = [found.markdown(), format!("{:#}\n", found.json()), svg];
    let mut files: Vec<(PathBuf, Vec<u8>)> = fronts.iter().cloned().zip(contents.map(String::into_bytes)).collect();
    files.push((args.output.clone(), found.points[found.best].trained.model.bytes().to_vec()));
    if args.all {
        let path = |point: &Point| beside(&args.output, &format!("-{}", point.limit.0), ".nmk");
        files.extend(found.points.iter().map(|point| (path(point), point.trained.model.bytes().to_vec())));
    }
    output::files(&files)?;
    say(&summary(&found, args, &fronts));
    let (measured, reused) = cache.counts();
    console.object(|| {
        json!({
            "model": args.output,
            "front": fronts,
            "points": found.points.iter().map(Point::json).collect::<Vec<_>>(),
            "best": found.best,
            "missing": found.json()["missing"],
            "late": found.json()["late"],
            "measurements": measured,
            "reused": reused,
        })
    })
}

fn line(point: &Point) -> String {
    let (accuracy, error) = (percent(point.accuracy()), 100.0 * point.found.evaluation.standard_error());
    let (limit, bytes) = (point.limit.to_string(), grouped(point.flash_bytes()));
    let (method, model, seconds) = (&point.found.method, point.summary(), point.seconds);
    format!("{limit:>5}  {accuracy} ± {error:.2}  {bytes:>7} B  {method}, {model} ({seconds:.0} s)")
}

fn summary(found: &ParetoFront, args: &TuneArgs, fronts: &[PathBuf]) -> String {
    let mut lines = vec![String::new(), "the Pareto front, by accuracy on held-out rows:".to_owned()];
    lines.extend(found.points.iter().map(line));
    lines.extend(found.missing.iter().map(|(limit, why)| format!("{:>5}  none: {why}", limit.to_string())));
    lines.extend(found.late.iter().map(|limit| format!("{:>5}  time was up", limit.to_string())));
    let best = &found.points[found.best];
    lines.push(format!("\nwrote {}: the model of {}", args.output.display(), best.limit));
    let fronts: Vec<String> = fronts.iter().map(|path| path.display().to_string()).collect();
    lines.push(format!("wrote {}", fronts.join(", ")));
    lines.join("\n")
}

fn beside(model: &Path, more: &str, ending: &str) -> PathBuf {
    let stem = model.file_stem().unwrap_or_default().to_string_lossy();
    model.with_file_name(format!("{stem}{more}{ending}"))
}

/// A name with an ending, whatever dots it has.
fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
