//! The INT profile against a plain reader in wide integers, and against the same model in floats.

#[path = "round_trip/plans.rs"]
mod plans;

use nearmark::{Model, Prediction};
use nearmark_format::{AlignedBuf, ModelBuf};
use nearmark_tests::{
    cases::{Case, Rows},
    golden, int_cases, int_reader,
    rng::Rng,
};
use plans::plans;
use proptest::prelude::*;

/// Whatever bits a sample of this type can have.
fn any_rows(model: &ModelBuf, count: usize, rng: &mut Rng) -> Rows {
    use nearmark_format::Num;
    let width = model.inputs;
    match model.input {
        Num::F32 => Rows::F32((0..count).map(|_| rng.floats(width).iter().map(|v| v * 400.0).collect()).collect()),
        Num::I16 => Rows::I16((0..count).map(|_| (0..width).map(|_| rng.word() as i16).collect()).collect()),
        Num::I8 => Rows::I8((0..count).map(|_| (0..width).map(|_| rng.word() as i8).collect()).collect()),
        Num::U8 => Rows::U8((0..count).map(|_| (0..width).map(|_| rng.word() as u8).collect()).collect()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Numbers of every size, most of which wrap somewhere: they wrap everywhere alike.
    #[test]
    fn any_integer_model_gives_the_bits_of_the_plain_reader(plan in plans(), seed: u64) {
        let model = plan.model();
        if model.int.is_none() {
            return Ok(());
        }
        let file = AlignedBuf::from(model.encode().unwrap().as_slice());
        let rows = any_rows(&model, 3, &mut Rng(seed));
        let loaded = Model::from_bytes(&file).unwrap();
        for (answer, row) in golden::answers(&loaded, &rows).iter().zip(rows.integers(&file)) {
            prop_assert_eq!(answer, &int_reader::classify(&file, &row));
        }
        let floats = rows.floats();
        let mut batch = vec![Prediction::default(); floats.len()];
        let (mut pack, mut scratch) = (vec![f32::NAN; loaded.batch_words()], vec![u32::MAX; loaded.scratch_words()]);
        loaded.classify_batch(&floats.concat(), &mut batch, &mut pack, &mut scratch).unwrap();
        for (batched, row) in batch.iter().zip(&floats) {
            prop_assert_eq!(Ok(*batched), loaded.classify(row.as_slice(), &mut scratch));
        }
    }
}

#[test]
fn every_integer_case_gives_the_bits_of_the_plain_reader() {
    for Case { name, model, rows } in int_cases::cases().into_iter().chain(int_cases::bench_cases()) {
        let file = AlignedBuf::from(model.encode().unwrap().as_slice());
        let loaded = Model::from_bytes(&file).unwrap();
        for (at, (answer, row)) in golden::answers(&loaded, &rows).iter().zip(rows.integers(&file)).enumerate() {
            assert_eq!(answer, &int_reader::classify(&file, &row), "{name}, row {at}");
        }
    }
}

#[test]
fn integer_cases_answer_with_many_classes_and_clamp_little() {
    for Case { name, model, rows } in int_cases::cases() {
        let file = AlignedBuf::from(model.encode().unwrap().as_slice());
        let answers = golden::answers(&Model::from_bytes(&file).unwrap(), &rows);
        let mut classes: Vec<u16> = answers.iter().map(|answer| answer.class).collect();
        classes.sort_unstable();
        classes.dedup();
        assert!(classes.len() >= 2, "{name}: only {classes:?}");
        let most = model.int.as_ref().unwrap().z_max;
        let all = answers.iter().flat_map(|answer| &answer.z);
        let clamped = all.clone().filter(|&&z| (z as i32).unsigned_abs() == most).count();
        assert!(20 * clamped < all.count(), "{name}: {clamped} coordinates are clamped");
    }
}
