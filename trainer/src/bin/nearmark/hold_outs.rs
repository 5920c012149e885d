//! Accuracy on both kinds of hold-outs, for people and for tools.

use crate::output::percent;
use nearmark_train::search::BothHoldouts;
use serde_json::{Value, json};

/// What was found in the file, how rows were held out, and what to do.
pub(crate) fn note(both: &BothHoldouts) -> String {
    let (blocks, random) = (percent(both.blocks), percent(both.random));
    let share = 100.0 * both.runs.share;
    let found = format!(
        "note    {share:.0} % of the rows have their nearest neighbor beside them in the file (10 % by chance):"
    );
    let advice = "        If a column names the person or the recording, give it by --group";
    let lines = if both.chose_by_blocks() {
        [
            "        rows of one recording lie together. Hold-outs are contiguous blocks of every class:".to_owned(),
            format!("        {blocks}; on rows held out at random {random}, which new recordings may not reach."),
        ]
    } else {
        [
            "        rows of one recording may lie together. Rows were held out at random:".to_owned(),
            format!("        {random}; on contiguous blocks of every class {blocks}."),
        ]
    };
    format!("{found}\n{}\n{}\n{advice}", lines[0], lines[1])
}

/// The same for tools.
pub(crate) fn object(both: &BothHoldouts) -> Value {
    json!({
        "like_rows_together": both.runs.share,
        "n": both.runs.rows,
        "chosen_by": if both.chose_by_blocks() { "blocks" } else { "random" },
        "blocks": both.blocks,
        "random": both.random,
    })
}
