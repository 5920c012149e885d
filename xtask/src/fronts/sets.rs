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
    ArrowHead,
    OsuLeaf,
    Plaid,
    HarRaw,
    /// Windows of a smart watch; another three of ten people are the test part for every seed.
    Watch,
}

/// The sizes that are measured, in bytes: 1 to 16 kB.
pub(crate) const BUDGETS: [u64; 5] = [1024, 2048, 4096, 8192, 16384];

/// Steps of a window of the smart watch: two seconds at 50 Hz.
const WATCH_STEPS: usize = 100;

/// The data arguments of a run.
#[derive(Debug, PartialEq)]
pub(crate) struct Rows {
    pub(crate) train: String,
    pub(crate) test: String,
    /// Flags of `fit` that describe the rows.
    pub(crate) flags: Vec<&'static str>,
}

impl Set {
    pub(crate) const ALL: [Self; 10] = [
        Self::Digits,
        Self::Splits,
        Self::Letter,
        Self::Har,
        Self::Mnist,
        Self::ArrowHead,
        Self::OsuLeaf,
        Self::Plaid,
        Self::HarRaw,
        Self::Watch,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Digits => "digits",
            Self::Splits => "splits",
            Self::Letter => "letter",
            Self::Har => "har",
            Self::Mnist => "mnist",
            Self::ArrowHead => "arrowhead",
            Self::OsuLeaf => "osuleaf",
            Self::Plaid => "plaid",
            Self::HarRaw => "har-raw",
            Self::Watch => "watch",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Digits => "Digits (scikit-learn): 1257 training rows, 540 test rows, 10 classes",
            Self::Splits => "Digits (scikit-learn), stratified 70/30 splits, another split for every seed",
            Self::Letter => "Letter (UCI): 16 000 training rows, 4000 test rows, 26 classes",
            Self::Har => "HAR (UCI): 561 features, 6 classes, test rows of subjects 26 to 30",
            Self::Mnist => "MNIST: 60 000 training rows, 10 000 test rows, 10 classes",
            Self::ArrowHead => "ArrowHead (UCR): raw series of 251 steps, 36 training rows, 175 test rows, 3 classes",
            Self::OsuLeaf => "OSULeaf (UCR): raw series of 427 steps, 200 training rows, 242 test rows, 6 classes",
            Self::Plaid => "PLAID (UCR): raw series of 500 steps, 537 training rows, 537 test rows, 11 classes",
            Self::HarRaw => "HAR (UCI): raw windows of 6 × 128, 2400 training rows, 950 test rows, 6 classes",
            Self::Watch => "Smart watch: raw windows of 6 × 100, 7 classes, three of ten people are the test part",
        }
    }

    /// The goal for the mean accuracy within a budget, in percent.
    pub(crate) fn goal(self, budget: u64) -> Option<f64> {
        let goals: &[f64] = match self {
            Self::Digits | Self::Splits => &[97.8, 98.5, 99.0, 99.3, 99.2],
            Self::Letter => &[86.0, 93.0, 96.8, 97.9, 98.4],
            Self::Har => &[96.5, 97.0, 97.4, 97.6, 97.7],
            Self::Mnist => &[96.5, 98.8, 99.1, 99.3, 99.4],
            Self::ArrowHead => &[85.0, 86.0, 86.0, 86.0],
            Self::OsuLeaf => &[92.0, 94.0, 94.0, 94.0],
            Self::Plaid => &[60.0, 62.0, 64.0, 66.0],
            Self::HarRaw => &[92.0, 93.5, 95.5, 97.0, 97.0],
            Self::Watch => &[83.0, 86.0, 87.0, 88.0],
        };
        goals.get(BUDGETS.iter().position(|size| *size == budget)?).copied()
    }

    /// Why the set cannot be measured on this machine.
    pub(crate) fn missing(self) -> Option<String> {
        let source = match self {
            Self::Digits | Self::Splits => return None,
            Self::Letter => "letter/X_train.npy",
            Self::Har => "uci_har/uci_har_train.npz",
            Self::Mnist => "mnist/mnist.npz",
            Self::ArrowHead => "ts_arrowhead/ts_arrowhead.npz",
            Self::OsuLeaf => "ts_osuleaf/ts_osuleaf.npz",
            Self::Plaid => "ts_plaid/ts_plaid.npz",
            Self::HarRaw => "ts_har_raw/ts_har_raw.npz",
            Self::Watch => "ts_watch/watch.npz",
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
            Self::ArrowHead => parts(&under("ts_arrowhead/ts_arrowhead.npz")?, &["--series", "1x251"]),
            Self::OsuLeaf => parts(&under("ts_osuleaf/ts_osuleaf.npz")?, &["--series", "1x427"]),
            Self::Plaid => parts(&under("ts_plaid/ts_plaid.npz")?, &["--series", "1x500"]),
            Self::HarRaw => parts(&under("ts_har_raw/ts_har_raw.npz")?, &["--series", "6x128"]),
            Self::Watch => {
                let people = watch_people(seed).map(|person| person.to_string()).join(",");
                let (windows, file) = (folder.join("watch.npz"), folder.join(format!("watch-{seed}.npz")));
                cut_windows(&under("ts_watch/watch.npz")?, &windows, WATCH_STEPS)?;
                hold_out(&format!("{}:train", windows.display()), &file, &["group", "subject", &people])?;
                parts(&file.display().to_string(), &["--series", "6x100", "--group", "subject"])
            }
        })
    }
}

/// Three of the ten people, others for the next seed; five seeds hold everybody out once or twice.
fn watch_people(seed: u64) -> [u64; 3] {
    [0, 1, 2].map(|next| (3 * seed + next) % 10 + 1)
}

/// Cuts recordings into windows with the trainer's example, unless the file exists.
fn cut_windows(recordings: &str, file: &Path, steps: usize) -> Result<()> {
    if file.is_file() {
        return Ok(());
    }
    let mut command = cargo("run --release --quiet -p nearmark-train --example windows --");
    run(command.arg(recordings).arg(file).arg(steps.to_string()))
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
    fn goals_belong_to_the_sizes() {
        for set in Set::ALL {
            let goals: Vec<f64> = BUDGETS.iter().filter_map(|size| set.goal(*size)).collect();
            assert!(goals.len() >= 4 && goals.iter().all(|goal| *goal >= goals[0]), "{goals:?}");
            assert_eq!(set.goal(3000), None);
        }
    }

    #[test]
    fn five_seeds_hold_out_every_person_of_the_watch() {
        let mut people: Vec<u64> = (0..5).flat_map(watch_people).collect();
        people.sort_unstable();
        people.dedup();
        assert_eq!(people, (1..=10).collect::<Vec<_>>());
    }
}
