//! What a device learns in RAM, beside every kind of head.

use nearmark::{ClassId, Error, Memory, MemoryError, Model, Prediction};
use nearmark_format::{AlignedBuf, Head, ModelBuf, Tensor};
use nearmark_tests::cases;

type AnyMemory = Memory<16, 16>;

/// Models over the plane that embed a sample as itself, with classes near (0, 0) and (4, 0), or
/// at the unit vectors.
fn plane(head: Head) -> AlignedBuf {
    AlignedBuf::from(ModelBuf { head, ..ModelBuf::new(2, 2, 2) }.encode().unwrap().as_slice())
}

fn means() -> AlignedBuf {
    plane(Head::Means(Tensor::F32(vec![0.0, 0.0, 4.0, 0.0])))
}

fn prototypes(k: u8) -> AlignedBuf {
    let near_zero = [0.0, 0.0, 0.1, 0.0, 0.0, 0.1];
    let near_four = [4.0, 0.0, 4.1, 0.0, 4.0, 0.1];
    let values = Tensor::F32([near_zero, near_four].concat());
    plane(Head::Prototypes { k, values, counts: vec![3, 3] })
}

fn heads() -> [(&'static str, AlignedBuf); 4] {
    [("means", means()), ("unit", plane(Head::Unit)), ("1-NN", prototypes(1)), ("5-NN", prototypes(5))]
}

/// Every word of a memory, to compare before and after.
fn contents<const P: usize, const D: usize>(memory: &Memory<P, D>) -> Vec<(ClassId, Vec<u32>)> {
    memory.iter().map(|(class, words)| (class, words.to_vec())).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn a_new_class_is_learnt_beside_every_kind_of_head() {
    for (name, bytes) in heads() {
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![u32::MAX; model.scratch_words()];
        let mut memory = Memory::<4, 2>::new(&model).unwrap();
        let wave = memory.next_class(&model);
        assert_eq!(wave, ClassId(2));
        for sample in [[2.0, 9.0], [2.5, 9.0], [2.0, 8.5]] {
            assert_ne!(model.classify(&sample, &mut scratch).unwrap().class(), wave);
            memory.enroll(&model, &sample, wave, &mut scratch).unwrap();
        }
        let seen = memory.classify(&model, &[2.0f32, 9.5], &mut scratch).unwrap();
        assert_eq!((seen.class(), seen.distance_sq()), (wave, 0.25), "{name}");
        assert!(seen.is_known() && seen.margin() > 0.0, "{name}");
        for old in [[0.9, 0.0], [0.0, 0.9]] {
            let (before, after) =
                (model.classify(&old, &mut scratch).unwrap(), memory.classify(&model, &old, &mut scratch).unwrap());
            assert_eq!(before.class(), after.class(), "{name}: what the model knows, it still knows");
            assert_eq!(before.distance_sq(), after.distance_sq(), "{name}");
        }
    }
}

#[test]
fn a_vote_of_five_takes_three_samples_of_a_new_class() {
    let bytes = prototypes(5);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut memory = Memory::<4, 2>::new(&model).unwrap();
    let classes: Vec<u16> = (0..3)
        .map(|_| {
            memory.enroll(&model, &[0.0f32, 9.0], ClassId(2), &mut scratch).unwrap();
            memory.classify(&model, &[0.0f32, 9.0], &mut scratch).unwrap().class().0
        })
        .collect();
    assert_eq!(classes, [0, 0, 2], "one voice, then two against three, then three");
}

#[test]
fn every_stage_combination_learns_a_class_and_forgets_it_again() {
    for case in cases::all() {
        let bytes = AlignedBuf::from(case.model.encode().unwrap().as_slice());
        let model = Model::from_bytes(&bytes).unwrap();
        let rows = case.rows.floats();
        let mut scratch = vec![u32::MAX; model.scratch_words()];
        let mut memory = AnyMemory::new(&model).unwrap();
        let new = memory.next_class(&model);
        for _ in 0..3 {
            memory.enroll(&model, rows[0].as_slice(), new, &mut scratch).unwrap();
        }
        let seen = memory.classify(&model, rows[0].as_slice(), &mut scratch).unwrap();
        assert_eq!((seen.class(), seen.raw().distance), (new, 0), "{}", case.name);
        assert!(seen.is_known(), "{}: no radius bounds what the device learnt", case.name);
        assert_eq!(memory.forget(new), 3);
        for row in &rows {
            let alone = model.classify(row.as_slice(), &mut scratch).unwrap();
            assert_eq!(memory.classify(&model, row.as_slice(), &mut scratch), Ok(alone), "{}", case.name);
        }
    }
}

#[test]
fn a_sample_of_a_known_class_becomes_its_prototype() {
    let bytes = means();
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut memory = Memory::<1, 2>::new(&model).unwrap();
    let far = [0.0f32, 9.0];
    assert_eq!(model.classify(&far, &mut scratch).unwrap().class(), ClassId(0));
    memory.enroll(&model, &far, ClassId(1), &mut scratch).unwrap();
    let seen = memory.classify(&model, &far, &mut scratch).unwrap();
    assert_eq!((seen.class(), seen.distance_sq(), seen.margin()), (ClassId(1), 0.0, 81.0));
    assert_eq!(memory.next_class(&model), ClassId(2), "no new class was made");
}

#[test]
fn forgetting_a_class_leaves_the_others_in_order() {
    let bytes = means();
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut memory = Memory::<8, 2>::new(&model).unwrap();
    for (at, class) in [5, 7, 5, 5, 7, 6].into_iter().enumerate() {
        memory.enroll(&model, &[at as f32, 1.0], ClassId(class), &mut scratch).unwrap();
    }
    assert_eq!(memory.forget(ClassId(9)), 0);
    assert_eq!(memory.len(), 6);
    assert_eq!(memory.forget(ClassId(5)), 3);
    let left = [(7, [1.0, 1.0]), (7, [4.0, 1.0]), (6, [5.0, 1.0])];
    assert_eq!(contents(&memory), left.map(|(class, z)| (ClassId(class), bits(&z))));
    assert_eq!(memory.forget(ClassId(7)) + memory.forget(ClassId(6)), 3);
    assert!(memory.is_empty());
}

#[test]
fn undo_takes_back_the_last_sample() {
    let bytes = means();
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut memory = Memory::<4, 2>::new(&model).unwrap();
    memory.enroll(&model, &[1.0f32, 1.0], ClassId(2), &mut scratch).unwrap();
    let before = contents(&memory);
    memory.enroll(&model, &[2.0f32, 2.0], ClassId(3), &mut scratch).unwrap();
    assert_eq!(memory.undo(), Some(ClassId(3)));
    assert_eq!(contents(&memory), before);
    assert_eq!((memory.undo(), memory.undo()), (Some(ClassId(2)), None));
    let x = [1.0f32, 1.0];
    assert_eq!(memory.classify(&model, &x, &mut scratch), Ok(model.classify(&x, &mut scratch).unwrap()));
}

#[test]
fn a_full_memory_says_so_and_stays_as_it_is() {
    let bytes = means();
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut memory = Memory::<2, 2>::new(&model).unwrap();
    for class in [2, 3] {
        memory.enroll(&model, &[f32::from(class), 1.0], ClassId(class), &mut scratch).unwrap();
    }
    let before = contents(&memory);
    let error = memory.enroll(&model, &[9.0f32, 9.0], ClassId(4), &mut scratch).unwrap_err();
    assert_eq!(error, MemoryError::Full { capacity: 2 });
    assert!(error.to_string().contains('2'), "{error}");
    assert_eq!(memory.restore(&model, ClassId(4), &[0, 0]), Err(error));
    assert_eq!((contents(&memory), memory.len(), memory.capacity()), (before, 2, 2));
    memory.undo();
    assert_eq!(memory.enroll(&model, &[9.0f32, 9.0], ClassId(4), &mut scratch), Ok(()), "there is room again");
    memory.clear();
    assert!((memory.is_empty(), memory.dim(), memory.next_class(&model)) == (true, 2, ClassId(2)));
    assert_eq!(memory.enroll(&model, &[9.0f32, 9.0], ClassId(4), &mut scratch), Ok(()), "and after clear");
}

#[test]
fn another_model_is_refused_by_its_id() {
    let (mine, other) = (means(), prototypes(1));
    let (mine, other) = (Model::from_bytes(&mine).unwrap(), Model::from_bytes(&other).unwrap());
    let mut scratch = vec![0; 32];
    let mut memory = Memory::<2, 2>::new(&mine).unwrap();
    let refused = MemoryError::OtherModel { needed: mine.id(), got: other.id() };
    let x = [0.0f32, 1.0];
    assert_eq!(memory.model_id(), mine.id());
    assert_eq!(memory.enroll(&other, &x, ClassId(2), &mut scratch), Err(refused));
    assert_eq!(memory.restore(&other, ClassId(2), &[0, 0]), Err(refused));
    assert_eq!(memory.classify(&other, &x, &mut scratch), Err(refused));
    assert_eq!(memory.rank::<1, _>(&other, &x, &mut scratch), Err(refused));
    assert!(memory.is_empty());
    let text = refused.to_string();
    for id in [mine.id(), other.id()] {
        assert!(text.contains(&format!("{id:08x}")), "{text}");
    }
}

#[test]
fn embeddings_that_do_not_fit_are_refused_with_both_numbers() {
    let bytes = means();
    let model = Model::from_bytes(&bytes).unwrap();
    let error = Memory::<2, 1>::new(&model).unwrap_err();
    assert_eq!(error, MemoryError::Dimension { needed: 2, got: 1 });
    assert_eq!(error.to_string(), "embeddings have 2 coordinates, got 1");
    let mut memory = Memory::<2, 5>::new(&model).unwrap();
    for got in [0, 1, 3, 5] {
        let error = memory.restore(&model, ClassId(2), &vec![0; got]).unwrap_err();
        assert_eq!(error, MemoryError::Dimension { needed: 2, got });
    }
    assert!(memory.is_empty());
}

#[test]
fn room_for_longer_embeddings_changes_no_answer() {
    let bytes = means();
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut exact = Memory::<3, 2>::new(&model).unwrap();
    let mut roomy = Memory::<3, 7>::new(&model).unwrap();
    for (class, x) in [(2, [3.0, 3.0]), (3, [-5.0, 1.0])] {
        exact.enroll(&model, &x, ClassId(class), &mut scratch).unwrap();
        roomy.enroll(&model, &x, ClassId(class), &mut scratch).unwrap();
    }
    assert_eq!(contents(&exact), contents(&roomy));
    for x in [[2.0, 2.5], [-4.0, 0.0], [0.1, 0.2]] {
        assert_eq!(exact.classify(&model, &x, &mut scratch), roomy.classify(&model, &x, &mut scratch));
    }
}

#[test]
fn a_restored_memory_answers_with_the_same_bits() {
    for case in cases::all() {
        let bytes = AlignedBuf::from(case.model.encode().unwrap().as_slice());
        let model = Model::from_bytes(&bytes).unwrap();
        let rows = case.rows.floats();
        let mut scratch = vec![u32::MAX; model.scratch_words()];
        let mut memory = AnyMemory::new(&model).unwrap();
        for (at, row) in rows.iter().take(8).enumerate() {
            let class = model.classes() as u16 + at as u16 % 3 - 1;
            memory.enroll(&model, row.as_slice(), ClassId(class), &mut scratch).unwrap();
        }
        // As a journal in flash would keep it.
        let journal = contents(&memory);
        let mut restored = AnyMemory::new(&model).unwrap();
        for (class, words) in &journal {
            restored.restore(&model, *class, words).unwrap();
        }
        let answers = |memory: &AnyMemory| -> Vec<Prediction> {
            let mut scratch = vec![0; model.scratch_words()];
            rows.iter().map(|row| memory.classify(&model, row.as_slice(), &mut scratch).unwrap()).collect()
        };
        assert_eq!(answers(&memory), answers(&restored), "{}", case.name);
        assert_eq!(contents(&restored), journal, "{}", case.name);
    }
}

#[test]
fn what_cannot_be_embedded_is_not_enrolled() {
    let bytes = means();
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut memory = Memory::<2, 2>::new(&model).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = MemoryError::Sample(Error::NotFinite);
        assert_eq!(memory.enroll(&model, &[0.0, bad], ClassId(2), &mut scratch), Err(error));
        assert_eq!(memory.restore(&model, ClassId(2), &bits(&[bad, 0.0])), Err(error));
        assert_eq!(memory.classify(&model, &[f32::NAN, bad], &mut scratch), Err(error));
    }
    let short = MemoryError::Sample(Error::InputLen { needed: 2, got: 1 });
    assert_eq!(memory.enroll(&model, &[0.0f32], ClassId(2), &mut scratch), Err(short));
    let cramped = MemoryError::Sample(Error::Scratch { needed: 2, got: 1 });
    assert_eq!(memory.enroll(&model, &[0.0f32, 0.0], ClassId(2), &mut scratch[..1]), Err(cramped));
    let reserved = ClassId(u16::MAX);
    assert_eq!(
        memory.enroll(&model, &[0.0f32, 0.0], reserved, &mut scratch),
        Err(MemoryError::Class(reserved)),
        "the last number means nobody"
    );
    assert!(memory.is_empty());
}

#[test]
fn the_next_class_is_one_that_nobody_uses() {
    let bytes = means();
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut memory = Memory::<4, 2>::new(&model).unwrap();
    assert_eq!(memory.next_class(&model), ClassId(2));
    for (class, next) in [(0, 2), (2, 3), (9, 10), (u16::MAX - 1, u16::MAX)] {
        memory.enroll(&model, &[1.0f32, 1.0], ClassId(class), &mut scratch).unwrap();
        assert_eq!(memory.next_class(&model), ClassId(next), "after {class}");
    }
    memory.undo();
    memory.forget(ClassId(9));
    assert_eq!(memory.next_class(&model), ClassId(3));
}

#[test]
fn ranking_has_a_line_per_class_enrolled_ones_too() {
    for (name, bytes) in heads() {
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![u32::MAX; model.scratch_words()];
        let mut memory = Memory::<8, 2>::new(&model).unwrap();
        for (class, y) in [(2, 5.0), (2, 6.0), (3, -9.0), (2, 5.5), (3, -8.0), (3, -8.5)] {
            memory.enroll(&model, &[0.0, y], ClassId(class), &mut scratch).unwrap();
        }
        let ranking = memory.rank::<8, _>(&model, &[0.0, 5.0], &mut scratch).unwrap();
        let classes: Vec<u16> = ranking.iter().map(|c| c.class().0).collect();
        // The unit vector (0, 1) of class 1 is nearer than (1, 0) of class 0.
        let expected = if name == "unit" { [2, 1, 0, 3] } else { [2, 0, 1, 3] };
        assert_eq!(classes, expected, "{name}");
        assert_eq!(ranking[0].raw_distance(), 0, "{name}");
        assert_eq!(ranking[3].distance_sq(), 169.0, "{name}: each line has the nearest of its class");
        let best = memory.rank::<2, _>(&model, &[0.0, 5.0], &mut scratch).unwrap();
        assert_eq!(best[..], ranking[..2], "{name}");
    }
}

#[test]
fn the_first_of_a_ranking_is_what_classify_names() {
    for case in cases::all() {
        let bytes = AlignedBuf::from(case.model.encode().unwrap().as_slice());
        let model = Model::from_bytes(&bytes).unwrap();
        let rows = case.rows.floats();
        let mut scratch = vec![u32::MAX; model.scratch_words()];
        let mut memory = AnyMemory::new(&model).unwrap();
        for (at, row) in rows.iter().take(16).enumerate() {
            let class = ClassId(model.classes() as u16 + (16 - at as u16) / 4);
            memory.enroll(&model, row.as_slice(), class, &mut scratch).unwrap();
        }
        for row in &rows {
            let named = memory.classify(&model, row.as_slice(), &mut scratch).unwrap();
            let ranking = memory.rank::<3, _>(&model, row.as_slice(), &mut scratch).unwrap();
            let first = (ranking[0].class(), ranking[0].raw_distance());
            assert_eq!(first, (named.class(), named.raw().distance), "{}", case.name);
        }
    }
}

#[test]
fn ties_go_to_the_lowest_class() {
    for (name, bytes) in [("means", means()), ("1-NN", prototypes(1))] {
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![0; model.scratch_words()];
        let mut memory = Memory::<4, 2>::new(&model).unwrap();
        let mut named = |memory: &Memory<4, 2>, x: [f32; 2]| {
            let answer = memory.classify(&model, &x, &mut scratch).unwrap();
            let ranking = memory.rank::<2, _>(&model, &x, &mut scratch).unwrap();
            assert_eq!(ranking[0].class(), answer.class(), "{name}");
            (answer.class().0, answer.margin())
        };
        let mut room = vec![0; model.scratch_words()];
        // At the place of class 1, which is the lower number.
        memory.enroll(&model, &[4.0f32, 0.0], ClassId(5), &mut room).unwrap();
        assert_eq!(named(&memory, [4.0, 0.0]), (1, 0.0), "{name}");
        // Two of the device's own; the higher number came first.
        memory.enroll(&model, &[0.0f32, 9.0], ClassId(7), &mut room).unwrap();
        memory.enroll(&model, &[0.0f32, 9.0], ClassId(6), &mut room).unwrap();
        assert_eq!(named(&memory, [0.0, 9.5]), (6, 0.0), "{name}");
    }
}

#[test]
fn a_tied_vote_of_equals_goes_to_the_lowest_class() {
    let bytes = prototypes(5);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let mut memory = Memory::<4, 2>::new(&model).unwrap();
    // Two voices each at one place, the higher number first; the fifth voter is alone.
    for class in [7, 6, 7, 6] {
        memory.enroll(&model, &[0.0f32, 9.0], ClassId(class), &mut scratch).unwrap();
    }
    let named = memory.classify(&model, &[0.0f32, 9.5], &mut scratch).unwrap();
    let ranking = memory.rank::<2, _>(&model, &[0.0f32, 9.5], &mut scratch).unwrap();
    assert_eq!((ranking[0].class(), ranking[1].class()), (ClassId(6), ClassId(7)));
    assert_eq!((named.class(), named.margin()), (ClassId(6), 0.0));
}
