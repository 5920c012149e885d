//! The data sets: how each is split, its goals, and where its rows come from.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::command::{cargo, run};

/// A data set with its split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    Digits,
    /// The digits with five other splits, one per seed.
    Splits,
    Letter,
    Har,
    Mnist,
}

/// The data arguments of a run.
#[derive(Debug, PartialEq)]
pub(crate) struct Rows {
    pub(crate) train: String,
    pub(crate) test: String,
    /// Flags of `fit` that describe the rows.
    pub(crate) flags: Vec<&'static str>,
}

impl Set {
    pub(crate) const ALL: [Self; 5] = [Self::Digits, Self::Splits, Self::Letter, Self::Har, Self::Mnist];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Digits => "digits",
            Self::Splits => "splits",
            Self::Letter => "letter",
            Self::Har => "har",
            Self::Mnist => "mnist",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Digits => "Digits (scikit-learn): 1257 training rows, 540 test rows, 10 classes",
            Self::Splits => "Digits (scikit-learn), stratified 70/30 splits, another split for every seed",
            Self::Letter => "Letter (UCI): 16 000 training rows, 4000 test rows, 26 classes",
            Self::Har => "HAR (UCI): 561 features, 6 classes, test rows of subjects 26 to 30",
            Self::Mnist => "MNIST: 60 000 training rows, 10 000 test rows, 10 classes",
        }
    }

    /// The goal for the mean accuracy within a budget, in percent.
    pub(crate) fn goal(self, budget: u64) -> Option<f64> {
        let goals = match self {
            Self::Digits | Self::Splits => [97.5, 98.4, 98.7, 98.8],
            Self::Letter => [90.0, 95.0, 97.0, 97.6],
            Self::Har => [97.0, 97.4, 97.6, 97.7],
            Self::Mnist => [95.5, 97.0, 97.8, 98.3],
        };
        [2048, 4096, 8192, 16384].iter().position(|size| *size == budget).map(|at| goals[at])
    }

    /// Why the set cannot be measured on this machine.
    pub(crate) fn missing(self) -> Option<String> {
        let source = match self {
            Self::Digits | Self::Splits => return None,
            Self::Letter => "letter/X_train.npy",
            Self::Har => "uci_har/uci_har_train.npz",
            Self::Mnist => "mnist/mnist.npz",
        };
        match data() {
            None => Some("NEARMARK_DATA is not set to the folder of data sets".to_owned()),
            Some(folder) if !folder.join(source).is_file() => Some(format!("no {source} under NEARMARK_DATA")),
            Some(_) => None,
        }
    }

    /// The rows for a seed; sets without a split of their own are split once, into `folder`.
    pub(crate) fn rows(self, seed: u64, folder: &Path) -> Result<Rows> {
        let parts = |of: &str, flags: &[&'static str]| Rows {
            train: format!("{of}:train"),
            test: format!("{of}:test"),
            flags: flags.to_vec(),
        };
        let under = |name: &str| -> Result<String> {
            Ok(data().context("NEARMARK_DATA is not set to the folder of data sets")?.join(name).display().to_string())
        };
        Ok(match self {
            Self::Digits => parts("builtin:digits", &[]),
            Self::Splits => {
                let split = seed + 1;
                let file = folder.join(format!("digits-{split}.npz"));
                hold_out("builtin:digits", &file, &["share", "0.3", &split.to_string()])?;
                parts(&file.display().to_string(), &["--image", "8x8"])
            }
            Self::Letter => parts(&under("letter")?, &[]),
            Self::Har => {
                let file = folder.join("har.npz");
                let all = format!("{}:train", under("uci_har/uci_har_train.npz")?);
                hold_out(&all, &file, &["group", "subject", "26,27,28,29,30"])?;
                parts(&file.display().to_string(), &["--group", "subject"])
            }
            Self::Mnist => parts(&under("mnist/mnist.npz")?, &["--image", "28x28"]),
        })
    }
}

fn data() -> Option<PathBuf> {
    env::var_os("NEARMARK_DATA").map(PathBuf::from)
}

/// Writes the two parts of a data set with the trainer's example, unless the file exists.
fn hold_out(data: &str, file: &Path, split: &[&str]) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    let mut command = cargo("run --release --quiet -p nearmark-train --example hold_out --");
    run(command.arg(data).arg(file).args(split))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_rise_with_the_budget_and_belong_to_the_four_sizes() {
        for set in Set::ALL {
            let goals: Vec<f64> = [2048, 4096, 8192, 16384].iter().filter_map(|size| set.goal(*size)).collect();
            assert_eq!(goals.len(), 4);
            assert!(goals.is_sorted(), "{goals:?}");
            assert_eq!(set.goal(3000), None);
        }
    }
}
