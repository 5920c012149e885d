//! Models, limits, wear, and failures that are not power's.

mod support;

use nearmark::{ClassId, MemoryError, Model};
use nearmark_store::{Error, OtherModel, Store};
use support::{
    CAPACITY, Change, DIM, Kept, contents,
    flash::{EVERY_WAY, Failed, SimFlash},
    found, model_bytes, open,
};

use Change::{Clear, Enroll, Forget, Undo};

type Flash = SimFlash<4, 256>;

fn make(flash: &mut Flash, model: &Model<'_>, changes: &[Change]) {
    let mut store = open(flash, model).unwrap();
    for change in changes {
        change.make(&mut store, model).unwrap();
    }
}

fn replace<'f>(flash: &'f mut Flash, model: &Model<'_>) -> Kept<'f, 4, 256> {
    Store::open(flash, 0..512, model, OtherModel::Replace).unwrap()
}

#[test]
fn samples_of_another_model_are_refused_or_replaced() {
    let (ours, theirs) = (model_bytes(0.0), model_bytes(1.0));
    let (ours, theirs) = (Model::from_bytes(&ours).unwrap(), Model::from_bytes(&theirs).unwrap());
    let mut flash = Flash::new(2);
    make(&mut flash, &theirs, &[Enroll(2, 1.0), Enroll(3, 2.0)]);
    let refused = Error::Memory(MemoryError::OtherModel { needed: theirs.id(), got: ours.id() });
    assert_eq!(open(&mut flash, &ours).unwrap_err(), refused);

    // Opening alone changes nothing.
    assert!(replace(&mut flash, &ours).memory().is_empty());
    assert_eq!(found(&mut flash, &theirs).len(), 2);

    Enroll(5, 1.0).make(&mut replace(&mut flash, &ours), &ours).unwrap();
    assert_eq!(found(&mut flash, &ours).len(), 1);
    assert_eq!(
        open(&mut flash, &theirs).unwrap_err(),
        Error::Memory(MemoryError::OtherModel { needed: ours.id(), got: theirs.id() })
    );

    // A store of one model takes no sample of the other.
    let mut store = open(&mut flash, &ours).unwrap();
    let mut scratch = vec![0; theirs.scratch_words()];
    let refused = store.enroll(&theirs, &[0.0; DIM], ClassId(2), &mut scratch).unwrap_err();
    assert_eq!(refused, Error::Memory(MemoryError::OtherModel { needed: ours.id(), got: theirs.id() }));
}

#[test]
fn a_cut_while_a_model_replaces_another_mixes_nothing() {
    let (ours, theirs) = (model_bytes(0.0), model_bytes(1.0));
    let (ours, theirs) = (Model::from_bytes(&ours).unwrap(), Model::from_bytes(&theirs).unwrap());
    let mut before = Flash::new(2);
    make(&mut before, &theirs, &[Enroll(2, 1.0), Enroll(3, 2.0), Undo, Enroll(2, 3.0)]);
    let kept = found(&mut before, &theirs);
    let mut outcomes = [0, 0, 0];
    for change in [Enroll(5, 7.0), Clear] {
        for torn in EVERY_WAY {
            for step in 0.. {
                let mut flash = before.clone();
                flash.cut_in(step, torn);
                if change.make(&mut replace(&mut flash, &ours), &ours).is_ok() {
                    break;
                }
                flash.restart();
                match open(&mut flash, &ours).map(|store| contents(store.memory())) {
                    Err(_) => {
                        assert_eq!(found(&mut flash, &theirs), kept);
                        outcomes[0] += 1;
                    }
                    Ok(samples) if samples.is_empty() => outcomes[1] += 1,
                    Ok(samples) => {
                        assert_eq!(samples, Enroll(5, 7.0).expected(&Vec::new()));
                        outcomes[2] += 1;
                    }
                }
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 0), "{outcomes:?}");
}

#[test]
fn a_full_store_says_so_and_writes_nothing() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut flash = Flash::new(2);
    make(&mut flash, &model, &[Enroll(2, 1.0); CAPACITY]);
    let mut scratch = vec![0; model.scratch_words()];
    // Whatever room the bank has left: pairs of changes use it up, slot by slot.
    for _ in 0..12 {
        let steps = flash.steps;
        let mut store = open(&mut flash, &model).unwrap();
        let refused = store.enroll(&model, &[0.0; DIM], ClassId(2), &mut scratch).unwrap_err();
        assert_eq!(refused, Error::Memory(MemoryError::Full { capacity: CAPACITY }));
        assert_eq!(refused.to_string(), "memory is full, it holds 4 prototypes");
        assert_eq!((store.forget(ClassId(7)), store.memory().len()), (Ok(0), CAPACITY));
        assert_eq!(flash.steps, steps);
        make(&mut flash, &model, &[Undo, Enroll(2, 2.0), Forget(9)]);
    }
}

#[test]
fn starting_writes_nothing() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut flash = Flash::new(2);
    assert_eq!(open(&mut flash, &model).unwrap().undo(), Ok(None));
    assert!(found(&mut flash, &model).is_empty());
    assert_eq!(flash.steps, 0, "not even where another program's data lay");
}

#[test]
fn wear_is_bounded_and_even() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    // 256 bytes: a header of 20, then 11 slots of 20.
    let mut flash = Flash::new(2);
    let mut store = open(&mut flash, &model).unwrap();
    let least = store.changes_per_compaction();
    assert_eq!(least, 11 - CAPACITY as u32 - 1);
    // The worst case: the memory is full whenever it is compacted.
    for value in [1.0, 2.0, 3.0] {
        Enroll(2, value).make(&mut store, &model).unwrap();
    }
    let rounds = 3000;
    for value in 0..rounds {
        Enroll(3, value as f32).make(&mut store, &model).unwrap();
        Undo.make(&mut store, &model).unwrap();
    }
    let changes = 2 * rounds + 3;
    let bound = changes / (2 * least) + 1;
    for times in &flash.erased {
        assert!((bound * 8 / 10..=bound).contains(times), "{changes} changes: {:?}, bound {bound}", flash.erased);
    }
    assert!(flash.erased[0].abs_diff(flash.erased[1]) <= 1, "{:?}", flash.erased);
}

#[test]
fn a_cleared_store_leaves_no_sample_in_flash() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut flash = Flash::new(2);
    make(&mut flash, &model, &[Enroll(2, 1234.5), Undo, Enroll(2, 1234.5), Clear]);
    let sample = 1234.5f32.to_le_bytes();
    assert!(flash.bytes.windows(4).all(|bytes| bytes != sample));
    assert!(found(&mut flash, &model).is_empty());
}

#[test]
fn a_failed_write_leaves_the_memory_as_it_was_and_the_next_succeeds() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut before = Flash::new(2);
    make(&mut before, &model, &[Enroll(2, 1.0), Enroll(3, 2.0)]);
    let was = found(&mut before, &model);
    for change in [Enroll(4, 3.0), Forget(2), Undo, Clear] {
        let mut failures = 0;
        for step in 0.. {
            let mut flash = before.clone();
            flash.fail = Some(flash.steps + step);
            let mut store = open(&mut flash, &model).unwrap();
            let Err(error) = change.make(&mut store, &model) else { break };
            assert_eq!(error, Error::Flash(Failed::Once));
            failures += 1;
            let now = contents(store.memory());
            // The memory is already cleared when the old bank's erasure fails.
            assert!(now == was || (matches!(change, Clear) && now.is_empty()), "{change:?}, step {step}: {now:?}");
            change.make(&mut store, &model).unwrap();
            let after = change.expected(&was);
            assert_eq!((contents(store.memory()), found(&mut flash, &model)), (after.clone(), after));
        }
        assert!(failures > 4, "{change:?}: {failures}");
    }
}

#[test]
fn a_worn_word_is_noticed_and_the_other_bank_used() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut flash = Flash::new(2);
    make(&mut flash, &model, &[Enroll(2, 1.0)]);
    // Bank 0 holds the header, `Complete` and the sample; the next slot begins with a tag of 0x0001_0003.
    flash.stuck = Some((20 + 2 * 20, 1));
    let mut store = open(&mut flash, &model).unwrap();
    let worn = Enroll(3, 2.0).make(&mut store, &model).unwrap_err();
    assert_eq!(worn, Error::NotWritten { address: 60 });
    assert_eq!(store.memory().len(), 1);
    Enroll(3, 2.0).make(&mut store, &model).unwrap();
    assert_eq!(found(&mut flash, &model).len(), 2);
    assert!(flash.erased[1] == 1);
}

#[test]
fn regions_that_do_not_fit_are_refused() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut flash = Flash::new(2);
    let mut refused = |region| {
        let store = Store::<_, CAPACITY, DIM>::open(&mut flash, region, &model, OtherModel::Refuse);
        store.unwrap_err().to_string()
    };
    assert_eq!(refused(0..256), "store needs 512 bytes of flash, got 256");
    assert_eq!(refused(256..1024), "store needs 768 bytes of flash, got 256");
    assert_eq!(refused(4..512), "region begins at a page of 256 bytes, got 0x4");
    #[expect(clippy::reversed_empty_ranges, reason = "refused, too")]
    let reversed = refused(512..0);
    assert_eq!(reversed, "store needs 512 bytes of flash, got 0");
    let small = Store::<_, CAPACITY, 2>::open(&mut flash, 0..512, &model, OtherModel::Refuse).unwrap_err();
    assert_eq!(small, Error::Memory(MemoryError::Dimension { needed: DIM, got: 2 }));
}

#[test]
fn firmware_with_a_smaller_memory_is_refused_instead_of_losing_samples() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut flash = Flash::new(2);
    make(&mut flash, &model, &[Enroll(2, 1.0); 3]);
    let small = Store::<_, 2, DIM>::open(&mut flash, 0..512, &model, OtherModel::Refuse).unwrap_err();
    assert_eq!(small, Error::Memory(MemoryError::Full { capacity: 2 }));
    assert_eq!(found(&mut flash, &model).len(), 3);
}

#[test]
fn records_of_another_model_or_generation_do_not_count_under_a_header() {
    let (ours, theirs) = (model_bytes(0.0), model_bytes(1.0));
    let (ours, theirs) = (Model::from_bytes(&ours).unwrap(), Model::from_bytes(&theirs).unwrap());
    let mut flash = Flash::new(2);
    make(&mut flash, &ours, &[Enroll(2, 1.0), Enroll(3, 2.0)]);
    for (model, changes) in [(&theirs, &[Enroll(2, 1.0)][..]), (&ours, &[Enroll(2, 1.0), Clear, Clear])] {
        // A header of bank 0 that is whole, above slots that were written under another one.
        let mut other = Flash::new(2);
        make(&mut other, model, changes);
        let mut mixed = flash.clone();
        mixed.bytes[..20].copy_from_slice(&other.bytes[..20]);
        assert_ne!(mixed.bytes, flash.bytes);
        assert!(found(&mut mixed, model).is_empty());
    }
}
