//! The runtime in single precision against the plain reference in double precision.

use nearmark::Model;
use nearmark_format::AlignedBuf;
use nearmark_tests::{cases, golden, reference};

/// Largest gap of a coordinate, relative to the embedding's largest: some hundred roundings of
/// single precision, more where large terms cancel.
const EMBEDDING: f64 = 1e-4;

#[test]
fn every_stage_combination_agrees_with_the_reference() {
    for case in cases::cases().into_iter().chain(cases::bench_cases()) {
        let bytes = AlignedBuf::from(case.model.encode().unwrap().as_slice());
        let answers = golden::answers(&Model::from_bytes(&bytes).unwrap(), &case.rows);
        let rows = case.rows.floats();
        let truth: Vec<Vec<f64>> = rows.iter().map(|x| reference::embed(&case.model, x)).collect();
        let largest = truth.iter().flatten().fold(0.0, |a: f64, v| a.max(v.abs()));
        for (at, (z, answer)) in truth.iter().zip(&answers).enumerate() {
            let (name, tolerance) = (case.name, EMBEDDING * largest);
            for (z, &bits) in z.iter().zip(&answer.z) {
                let gap = (z - f64::from(f32::from_bits(bits))).abs();
                assert!(gap < tolerance, "{name}, row {at}: {z} in f64, off by {gap}");
            }
            let (class, margin) = reference::classify(&case.model, z);
            let decided = margin > 8.0 * tolerance * largest.max(1.0);
            assert!(!decided || usize::from(answer.class) == class, "{name}, row {at}: class {class} by {margin}");
        }
        let decided = truth.iter().filter(|z| reference::classify(&case.model, z).1 > 8.0 * EMBEDDING * largest);
        assert!(decided.count() > 0, "{}: some rows have a clear answer", case.name);
    }
}
