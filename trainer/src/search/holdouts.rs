//! Hold-outs of rows that lie in the file as they were recorded: by blocks or at random, and accuracy by both.

use crate::config::Input;
use crate::dataset::{Dataset, Evidence, Runs};
use crate::run::Run;
use nearmark_format::Info;
use std::borrow::Cow;

/// Accuracy on both kinds of hold-outs, where like rows lie together in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BothHoldouts {
    /// How often like rows lie together.
    pub runs: Runs,
    /// Accuracy on contiguous blocks of every class's rows.
    pub blocks: f64,
    /// Accuracy on rows held out at random, which flatters if future rows come from new recordings.
    pub random: f64,
}

impl BothHoldouts {
    /// Whether blocks chose and are the accuracy reported; else rows held out at random.
    #[must_use]
    pub fn chose_by_blocks(&self) -> bool {
        self.runs.evidence() == Evidence::Strong
    }

    /// Adds both to the scores of the provenance.
    pub fn record(&self, info: &mut Info) {
        let named = [
            ("like rows together", self.runs.share),
            ("held-out accuracy by blocks", self.blocks),
            ("held-out accuracy at random", self.random),
        ];
        info.scores.extend(named.map(|(name, value)| (name.to_owned(), value)));
    }
}

/// Rows with the groups that their hold-outs keep whole.
pub(crate) struct HoldOuts<'a> {
    data: Cow<'a, Dataset>,
    runs: Option<Runs>,
}

impl<'a> HoldOuts<'a> {
    /// Blocks of the file where like rows lie together; else the groups given, if any.
    pub(crate) fn of(data: &'a Dataset, input: Input, run: &Run<'_>) -> Self {
        let window = if let Input::Series(series) = input { series.statistics(1).ok() } else { None };
        let runs = Runs::of(data, window.as_ref(), run.thread_count()).filter(|runs| runs.evidence() != Evidence::None);
        let by_blocks = runs.is_some_and(|runs| runs.evidence() == Evidence::Strong);
        let data = if by_blocks { Cow::Owned(data.in_blocks()) } else { Cow::Borrowed(data) };
        Self { data, runs }
    }

    /// The rows to split.
    pub(crate) fn data(&self) -> &Dataset {
        &self.data
    }

    /// Whether like rows lie together, so that the kind of hold-out matters.
    pub(crate) fn are_in_doubt(&self) -> bool {
        self.runs.is_some()
    }

    /// An accuracy on these hold-outs beside that on the other kind, which `other` measures; none where rows lie in no
    /// particular order.
    pub(crate) fn both<E>(
        &self,
        own: f64,
        other: impl FnOnce(&Dataset) -> Result<f64, E>,
    ) -> Result<Option<BothHoldouts>, E> {
        let Some(runs) = self.runs else { return Ok(None) };
        let (blocks, random) = match runs.evidence() {
            Evidence::Strong => (own, other(&self.data.without_groups())?),
            Evidence::Weak | Evidence::None => (other(&self.data.in_blocks())?, own),
        };
        Ok(Some(BothHoldouts { runs, blocks, random }))
    }
}
