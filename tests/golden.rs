//! Committed goldens still load, answer to the bit and encode to the same bytes.

use nearmark::Model;
use nearmark_format::{AlignedBuf, Layout, ModelBuf, needs};
use nearmark_tests::{cases, golden};

#[test]
fn goldens_answer_to_the_bit() {
    let all = golden::load_all().unwrap();
    assert!(all.len() >= 53, "{} goldens", all.len());
    for (name, model, expect) in all {
        let bytes = AlignedBuf::from(model.as_slice());
        let (rows, answers) = golden::decode(&expect);
        let seen = golden::answers(&Model::from_bytes(&bytes).unwrap(), &rows);
        for (row, (seen, expected)) in seen.iter().zip(&answers).enumerate() {
            assert_eq!(seen, expected, "{name}, row {row}");
        }
    }
}

#[test]
fn the_folder_is_what_the_manifest_of_version_1_says() {
    let seen: Vec<golden::Entry> = golden::load_all()
        .unwrap()
        .iter()
        .map(|(name, model, expect)| golden::Entry::new(name, model, expect))
        .collect();
    let mut listed = golden::manifest().unwrap();
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(seen, listed, "goldens bind: see tests/golden/README.md");
    for (name, model, _) in golden::load_all().unwrap() {
        let id = Model::from_bytes(&AlignedBuf::from(model.as_slice())).unwrap().id();
        assert!(listed.iter().any(|entry| entry.name == name && entry.id == id), "{name}");
    }
}

#[test]
fn goldens_encode_to_the_same_bytes() {
    for (name, model, expect) in golden::load_all().unwrap() {
        let decoded = ModelBuf::decode(&AlignedBuf::from(model.as_slice())).unwrap();
        assert_eq!(decoded.encode().unwrap(), model, "{name}");
        let (rows, answers) = golden::decode(&expect);
        assert_eq!(golden::encode(&rows, &answers), expect, "{name}");
    }
}

#[test]
fn sizes_of_goldens_are_known_without_encoding() {
    for (name, model, _) in golden::load_all().unwrap() {
        let bytes = AlignedBuf::from(model.as_slice());
        let layout = Layout::from_bytes(&bytes).unwrap();
        let spec = ModelBuf::decode(&bytes).unwrap().spec().unwrap();
        assert_eq!(spec, layout.spec(), "{name}");
        let sizes = (spec.core_len(), spec.scratch_words());
        assert_eq!(sizes, (layout.header().core_len as usize, layout.header().scratch), "{name}");
    }
}

#[test]
fn goldens_are_the_cases_in_the_code() {
    for case in cases::all() {
        let committed = std::fs::read(golden::folder().join(case.name).with_extension("nmk")).unwrap();
        assert_eq!(case.model.encode().unwrap(), committed, "{}", case.name);
    }
}

#[test]
fn every_stage_of_both_profiles_has_a_golden() {
    let mut seen = [0; 2];
    for (_, model, _) in golden::load_all().unwrap() {
        let needs = u32::from(nearmark_format::Header::read(&model).unwrap().needs);
        seen[(needs & needs::INT) as usize] |= needs;
    }
    let all = (needs::COUNTS << 1) - 1;
    // Polynomial kernels have no INT form.
    for (seen, all) in seen.into_iter().zip([all & !needs::INT, all & !needs::POLYNOMIAL]) {
        assert_eq!(seen, all, "missing: {:?}", needs::features(all & !seen).collect::<Vec<_>>());
    }
}
