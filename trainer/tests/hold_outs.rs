//! Which files hold recordings in one piece (set `NEARMARK_DATA` for more than the built-in sets).
#![allow(missing_docs)]

mod support;

use nearmark_train::dataset::{Evidence, Runs};
use nearmark_train::preprocess::Window;
use nearmark_train::{Dataset, Run, io};
use support::{Outcome, data_folder, npy, npz};

fn evidence(what: &str, data: &Dataset, window: Option<&Window>) -> Option<Evidence> {
    let runs = Runs::of(data, window, 2);
    eprintln!("{what}: {runs:?}");
    runs.map(|runs| runs.evidence())
}

#[test]
fn built_in_sets_are_held_out_at_random() -> Outcome {
    for (name, expected) in [
        // Thirteen writers in one piece.
        ("builtin:digits", Some(Evidence::Weak)),
        ("builtin:digits:train", Some(Evidence::Weak)),
        ("builtin:optdigits:train", Some(Evidence::None)),
        ("builtin:gestures:train", None),
    ] {
        let data = io::load(name, &io::Options::default(), &Run::default())?.data;
        assert_eq!(evidence(name, &data, None), expected, "{name}");
    }
    Ok(())
}

#[test]
fn recordings_are_noticed_and_shuffled_rows_are_not() -> Outcome {
    let Some(folder) = data_folder("recordings_are_noticed_and_shuffled_rows_are_not") else { return Ok(()) };
    let set = |name: &str| npy(&folder, name, "X", "y");
    let train = |file: &str| npz(&folder, file, "X_train", "y_train");
    for (name, data, expected) in [
        ("isolet1", set("isolet1")?, Evidence::Strong),
        ("isolet5", set("isolet5")?, Evidence::Strong),
        ("coil20", set("coil20")?, Evidence::Strong),
        ("uci har", train("uci_har/uci_har_train.npz")?, Evidence::Strong),
        ("letter", npy(&folder, "letter", "X_train", "y_train")?, Evidence::None),
        ("optdigits", npy(&folder, "optdigits", "X_train", "y_train")?, Evidence::None),
        ("texture", set("texture")?, Evidence::None),
        ("iris", set("iris")?, Evidence::None),
        ("wine", set("wine")?, Evidence::None),
        ("breast cancer", set("breast_cancer")?, Evidence::None),
        ("mnist", train("mnist/mnist.npz")?, Evidence::None),
    ] {
        assert_eq!(evidence(name, &data, None), Some(expected), "{name}");
    }
    let faces = npy(&folder, "orl", "X_28x23", "y")?;
    assert_eq!(evidence("orl", &faces, None), None, "ten rows a class");
    for (name, file, window, expected) in [
        ("har raw", "ts_har_raw/ts_har_raw.npz", Window::new(6, 128, 1, false)?, Evidence::Strong),
        ("osuleaf", "ts_osuleaf/ts_osuleaf.npz", Window::new(1, 427, 1, false)?, Evidence::None),
        ("plaid", "ts_plaid/ts_plaid.npz", Window::new(1, 500, 1, false)?, Evidence::Strong),
    ] {
        assert_eq!(evidence(name, &train(file)?, Some(&window)), Some(expected), "{name}");
    }
    Ok(())
}
