//! Other tools' classifiers on the same rows.

use super::Point;
use super::sets::Set;

/// Flash of the runtime on a Cortex-M4F, without the model, where it was not measured with the model: the integer profile
/// with Gaussian centers, from `cargo xtask size`.
pub(crate) const RUNTIME: u64 = 5256;

/// What a peer's bytes include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// Model and code, above an empty program.
    Program(u64),
    /// The model alone, as published.
    Model(u64),
    /// It has no implementation for devices.
    None,
}

/// A classifier made by another tool.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// In percent.
    pub(crate) accuracy: f64,
    pub(crate) size: Size,
    /// Of a classification on a Cortex-M4F, where it was measured.
    pub(crate) instructions: Option<u64>,
}

const fn program(name: &'static str, accuracy: f64, bytes: u64) -> Peer {
    Peer { name, accuracy, size: Size::Program(bytes), instructions: None }
}

const fn measured(name: &'static str, accuracy: f64, bytes: u64, instructions: u64) -> Peer {
    Peer { name, accuracy, size: Size::Program(bytes), instructions: Some(instructions) }
}

const fn model(name: &'static str, accuracy: f64, bytes: u64) -> Peer {
    Peer { name, accuracy, size: Size::Model(bytes), instructions: None }
}

const DIGITS: [Peer; 13] = [
    measured("SVM-RBF, m2cgen f32", 99.44, 426_176, 151_698),
    measured("SVM-RBF, micromlgen", 99.44, 314_584, 8_800_000),
    measured("SVM-RBF, CMSIS-DSP", 99.44, 702_272, 1_260_000),
    Peer { name: "Nystroem-300 + LDA, scikit-learn", accuracy: 99.26, size: Size::None, instructions: None },
    measured("1-NN, emlearn", 98.52, 164_412, 790_057),
    measured("ProtoNN d15 m40", 97.96, 8_816, 14_514),
    measured("MLP-64, emlearn", 97.96, 22_428, 31_699),
    measured("Bonsai d20 h2 sparse", 97.22, 10_752, 10_149),
    measured("MLP-16, emlearn", 97.04, 8_028, 9_474),
    measured("logistic regression, m2cgen f32", 97.04, 8_668, 1_808),
    measured("ProtoNN d10 m20", 96.85, 5_140, 7_579),
    measured("random forest 30×64, emlearn inline", 95.93, 29_872, 928),
    measured("random forest 30×64, emlearn loadable", 95.93, 15_896, 2_910),
];
const LETTER: [Peer; 2] = [model("ProtoNN, published", 97.10, 63_000), program("MLP-64, emlearn", 93.7, 14_300)];
const HAR: [Peer; 1] = [program("ProtoNN sparse", 97.7, 18_200)];
/// `BitNetMCU`'s sizes are its weights alone, on images of 16 × 16.
const MNIST: [Peer; 7] = [
    model("Bonsai, published", 97.01, 84_000),
    model("ProtoNN, published", 95.88, 63_000),
    model("BitNetMCU FC", 94.2, 1_126),
    model("BitNetMCU CNN", 98.92, 3_277),
    model("BitNetMCU CNN", 99.06, 5_530),
    model("BitNetMCU CNN", 99.28, 7_475),
    model("BitNetMCU CNN", 99.55, 11_264),
];

impl Set {
    /// Peers measured or published on this split.
    pub(crate) fn peers(self) -> &'static [Peer] {
        match self {
            Self::Digits => &DIGITS,
            Self::Splits | Self::ArrowHead | Self::OsuLeaf | Self::Plaid | Self::HarRaw | Self::Watch => &[],
            Self::Letter => &LETTER,
            Self::Har => &HAR,
            Self::Mnist => &MNIST,
        }
    }
}

impl Peer {
    /// The smallest budget whose mean accuracy is no lower, in no more bytes; the runtime's code is counted where the
    /// peer's is.
    pub(crate) fn dominated_by<'a>(&self, points: &'a [Point]) -> Option<&'a Point> {
        let fits = |point: &Point| match self.size {
            Size::Program(bytes) => point.total <= bytes,
            Size::Model(bytes) => point.bytes <= bytes,
            Size::None => false,
        };
        points.iter().find(|point| point.accuracy >= self.accuracy && fits(point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_dominated_by_no_lower_accuracy_in_no_more_bytes() {
        let point = |budget, accuracy, bytes| {
            let total = bytes + RUNTIME;
            Point { budget, runs: Vec::new(), accuracy, bytes, total, instructions: None }
        };
        let points = [point(2048, 97.0, 2040), point(4096, 98.0, 4090)];
        let by = |peer: Peer| peer.dominated_by(&points).map(|point| point.budget);
        assert_eq!(by(program("as accurate, larger", 97.0, 8000)), Some(2048));
        assert_eq!(by(program("more accurate, larger", 97.5, 10_000)), Some(4096));
        assert_eq!(by(program("more accurate, as large", 97.5, 4090 + RUNTIME)), Some(4096));
        assert_eq!(by(program("smaller with its code than we with ours", 97.5, 4090 + RUNTIME - 1)), None);
        assert_eq!(by(model("the model alone", 97.5, 4090)), Some(4096));
        assert_eq!(by(model("more accurate", 98.1, 90_000)), None);
    }

    #[test]
    fn the_runtime_has_the_size_that_the_documents_state() -> anyhow::Result<()> {
        let path = crate::command::root().join("docs/devices.md");
        let page = std::fs::read_to_string(path)?;
        let cell = |line: &str, at: usize| line.split('|').nth(at).map(|cell| cell.trim().replace(' ', ""));
        let head = page.lines().find(|line| line.starts_with("| flash bytes of nearmark")).unwrap_or_default();
        let column = head.split('|').position(|cell| cell.trim() == "int gaussian").unwrap_or_default();
        let row = page.lines().find(|line| line.starts_with("| `thumbv7em-none-eabihf`")).unwrap_or_default();
        let stated: u64 = cell(row, column).unwrap_or_default().parse()?;
        // The table may be a little older than the compiler.
        assert!(stated.abs_diff(RUNTIME) * 50 < RUNTIME, "{stated} bytes in docs/devices.md, {RUNTIME} here");
        Ok(())
    }
}
