//! `nearmark eval`

use crate::args::EvalArgs;
use crate::confusion;
use crate::output::{self, grouped, percent};
use crate::setup::{Console, classifier_file};
use anyhow::{Context, Result};
use nearmark_train::evaluate::{ClassScore, evaluate};
use serde_json::json;

pub(crate) fn run(args: &EvalArgs, console: &Console) -> Result<()> {
    let model = classifier_file(&args.model)?;
    let loaded = console.load_like(&args.data, &args.input, &model)?;
    let evaluation = evaluate(&model, &loaded.data).with_context(|| args.data.clone())?;
    if console.json {
        let class = |class: &ClassScore| json!({ "name": class.name, "n": class.rows, "recall": class.recall, "precision": class.precision });
        return output::json(&json!({
            "model": args.model,
            "data": args.data,
            "accuracy": evaluation.accuracy(),
            "balanced_accuracy": evaluation.balanced_accuracy(),
            "n": evaluation.rows(),
            "correct": evaluation.correct(),
            "rejected": evaluation.rejected,
            "classes": evaluation.class_names,
            "confusion": evaluation.confusion,
            "per_class": evaluation.per_class().iter().map(class).collect::<Vec<_>>(),
        }));
    }
    let rejected = match evaluation.rejected {
        0 => String::new(),
        count => format!(", {} rejected as unknown", grouped(count)),
    };
    output::stdout(&format!(
        "{}accuracy {} ({} of {} rows{rejected}), balanced {}\n",
        confusion::text(&evaluation),
        percent(evaluation.accuracy()),
        grouped(evaluation.correct()),
        grouped(evaluation.rows()),
        percent(evaluation.balanced_accuracy()),
    ))
}
