//! Random changes with random cuts, against a list in RAM.

mod support;

use nearmark::Model;
use nearmark_store::Error;
use proptest::prelude::*;
use support::{
    Change, Contents, contents,
    flash::{EVERY_WAY, Failed, SimFlash, Torn},
    found, model_bytes, open,
};

/// A change, and the step of it in which power fails, if it has so many.
type Event = (Change, Option<(u64, Torn)>);

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => (0..6u16, -9i8..9).prop_map(|(class, value)| Change::Enroll(class, f32::from(value))),
        2 => (0..6u16).prop_map(Change::Forget),
        3 => Just(Change::Undo),
        1 => Just(Change::Clear),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let cut = (0..40u64, proptest::sample::select(EVERY_WAY.to_vec()));
    (change(), proptest::option::weighted(0.3, cut))
}

/// Makes the changes; after each cut the device starts anew, and so it does at the end.
fn play<const WRITE: usize, const PAGE: usize>(pages: usize, events: &[Event]) -> Result<(), TestCaseError> {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut flash = SimFlash::<WRITE, PAGE>::new(pages);
    let mut expected = Contents::new();
    for &(change, cut) in events {
        if let Some((after, torn)) = cut {
            flash.cut_in(after, torn);
        }
        let after = change.expected(&expected);
        let mut store = open(&mut flash, &model).unwrap();
        prop_assert_eq!(&contents(store.memory()), &expected);
        let mut made = change.make(&mut store, &model);
        if made == Err(Error::Flash(Failed::Twice)) {
            made = change.make(&mut store, &model);
        }
        match made {
            Ok(()) => {
                prop_assert_eq!(&contents(store.memory()), &after);
                flash.restart();
                expected = after;
            }
            Err(error) => {
                prop_assert_eq!(error, Error::Flash(Failed::Power));
                flash.restart();
                let state = found(&mut flash, &model);
                prop_assert!(state == expected || state == after, "{:?} ({:?}): {:?}", change, cut, state);
                expected = state;
            }
        }
    }
    prop_assert_eq!(found(&mut flash, &model), expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn no_sequence_of_changes_and_cuts_loses_a_kept_change(events in proptest::collection::vec(event(), 1..80)) {
        play::<1, 64>(8, &events)?;
        play::<4, 64>(6, &events)?;
        play::<8, 256>(2, &events)?;
        play::<32, 128>(4, &events)?;
    }
}
