//! Power fails in every single step of every change, in every way: the store comes back to the state before or after.

mod support;

use nearmark::Model;
use nearmark_store::Error;
use support::{
    CAPACITY, Change, Contents, Kept, contents,
    flash::{EVERY_WAY, Failed, SimFlash},
    found, model_bytes, open,
};

use Change::{Clear, Enroll, Forget, Undo};

/// Fills the memory, moves to the other bank several times, and makes every change with and without a compaction.
const SCRIPT: [Change; 26] = [
    Enroll(2, 1.0),
    Enroll(3, 2.0),
    Undo,
    Enroll(2, 3.0),
    Enroll(4, 4.0),
    Enroll(0, 5.0),
    Forget(2),
    Enroll(5, 6.0),
    Undo,
    Enroll(6, 7.0),
    Enroll(6, 8.0),
    Forget(4),
    Enroll(7, 9.0),
    Clear,
    Enroll(2, 10.0),
    Enroll(2, 11.0),
    Forget(2),
    Enroll(3, 12.0),
    Enroll(3, 13.0),
    Enroll(4, 14.0),
    Undo,
    Enroll(5, 15.0),
    Undo,
    Enroll(8, 16.0),
    Forget(3),
    Enroll(9, 17.0),
];

/// Makes a change that must end well. A word that power loss tore may look erased and refuse to be written: then the
/// first attempt fails and the second moves to the other bank.
fn make<const WRITE: usize, const PAGE: usize>(store: &mut Kept<'_, WRITE, PAGE>, model: &Model<'_>, change: Change) {
    match change.make(store, model) {
        Err(Error::Flash(Failed::Twice)) => change.make(store, model).unwrap(),
        other => other.unwrap(),
    }
}

/// Cuts a change from `flash` off in its `after`th step; `None` if it has fewer.
fn cut<const WRITE: usize, const PAGE: usize>(
    flash: &SimFlash<WRITE, PAGE>,
    model: &Model<'_>,
    change: Change,
    (after, torn): (u64, support::flash::Torn),
) -> Option<SimFlash<WRITE, PAGE>> {
    let mut flash = flash.clone();
    flash.cut_in(after, torn);
    let mut store = open(&mut flash, model).unwrap();
    let made = match change.make(&mut store, model) {
        Err(Error::Flash(Failed::Twice)) => change.make(&mut store, model),
        other => other,
    };
    if made.is_ok() {
        return None;
    }
    assert_eq!(made, Err(Error::Flash(Failed::Power)));
    flash.restart();
    Some(flash)
}

/// The store works on after a restart: it takes changes through two compactions, and keeps them.
fn works_on<const WRITE: usize, const PAGE: usize>(mut flash: SimFlash<WRITE, PAGE>, model: &Model<'_>) {
    let mut expected = found(&mut flash, model);
    let mut store = open(&mut flash, model).unwrap();
    for round in 0..2 * store.changes_per_compaction() {
        for change in [Undo, Enroll(11, round as f32)] {
            make(&mut store, model, change);
            expected = change.expected(&expected);
            assert_eq!(contents(store.memory()), expected);
        }
    }
    assert_eq!(found(&mut flash, model), expected);
}

/// Runs the script with a cut at every step; returns how many cuts that were.
fn every_cut<const WRITE: usize, const PAGE: usize>(pages: usize, twice: bool) -> usize {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut flash = SimFlash::<WRITE, PAGE>::new(pages);
    let mut before = Contents::new();
    let mut cuts = 0;
    for change in SCRIPT {
        let after = change.expected(&before);
        let states = [&before, &after];
        for torn in EVERY_WAY {
            for step in 0.. {
                let Some(mut torn_once) = cut(&flash, &model, change, (step, torn)) else { break };
                cuts += 1;
                let state = found(&mut torn_once, &model);
                assert!(states.contains(&&state), "{change:?} cut in step {step} ({torn:?}): {state:?}");
                assert_eq!(found(&mut torn_once, &model), state, "reading changes nothing");
                // Again, in the change that repairs.
                for second in (0..).take_while(|_| twice) {
                    let again = Enroll(12, 99.0);
                    let Some(mut torn_twice) = cut(&torn_once, &model, again, (second, torn)) else { break };
                    cuts += 1;
                    let states = [state.clone(), again.expected(&state)];
                    let state = found(&mut torn_twice, &model);
                    assert!(states.contains(&state), "{change:?} cut in step {step}, then {second} ({torn:?})");
                }
                works_on(torn_once, &model);
            }
        }
        make(&mut open(&mut flash, &model).unwrap(), &model, change);
        assert_eq!(found(&mut flash, &model), after, "{change:?}");
        before = after;
    }
    assert!(before.len() > 1 && before.len() <= CAPACITY);
    assert!(flash.erased.iter().all(|times| *times > 1), "the script compacts into both banks: {:?}", flash.erased);
    cuts
}

#[test]
fn a_cut_in_any_byte_leaves_the_state_before_or_after() {
    let cuts = every_cut::<1, 64>(8, false);
    println!("{cuts} cuts");
    assert!(cuts > 4_000, "{cuts}");
}

#[test]
fn a_cut_in_any_word_leaves_the_state_before_or_after() {
    let cuts = every_cut::<4, 256>(2, true) + every_cut::<8, 128>(4, true) + every_cut::<32, 256>(2, true);
    println!("{cuts} cuts");
    assert!(cuts > 4_000, "{cuts}");
}
