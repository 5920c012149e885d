//! The asynchronous store: the same bytes as the blocking one, and futures that are dropped half-way.

mod support;

use core::{
    future::{Future, poll_fn},
    pin::pin,
    task::{Context, Poll, Waker},
};

use embedded_storage::nor_flash::{ErrorType, NorFlash as Blocking, ReadNorFlash as BlockingRead};
use embedded_storage_async::nor_flash::{NorFlash, ReadNorFlash};
use nearmark::{ClassId, Model};
use nearmark_store::{AsyncStore, OtherModel};
use support::{CAPACITY, Change, DIM, contents, flash::SimFlash, found, model_bytes, open};

/// Waits once before each access.
struct Slow(Flash);

type Flash = SimFlash<4, 128>;

/// A wait of one poll.
async fn wait() {
    let mut waited = false;
    poll_fn(|_| if core::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

impl ErrorType for Slow {
    type Error = support::flash::Failed;
}

impl ReadNorFlash for Slow {
    const READ_SIZE: usize = 1;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        wait().await;
        self.0.read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl NorFlash for Slow {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = 128;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        wait().await;
        self.0.erase(from, to)
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        wait().await;
        self.0.write(offset, bytes)
    }
}

/// Polls a future at most `polls` times; `None` if it is dropped before its end.
fn run<T>(future: impl Future<Output = T>, polls: usize) -> Option<T> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..polls).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    })
}

type Kept<'f> = AsyncStore<&'f mut Slow, CAPACITY, DIM>;

fn open_waiting<'f>(flash: &'f mut Slow, model: &Model<'_>) -> Kept<'f> {
    run(AsyncStore::open(flash, 0..512, model, OtherModel::Refuse), usize::MAX).unwrap().unwrap()
}

async fn make(store: &mut Kept<'_>, model: &Model<'_>, change: Change) {
    let mut scratch = vec![0; model.scratch_words()];
    match change {
        Change::Enroll(class, value) => {
            store.enroll(model, &Change::sample(value), ClassId(class), &mut scratch).await.unwrap();
        }
        Change::Forget(class) => drop(store.forget(ClassId(class)).await.unwrap()),
        Change::Undo => drop(store.undo().await.unwrap()),
        Change::Clear => store.clear().await.unwrap(),
    }
}

const SCRIPT: [Change; 9] = [
    Change::Enroll(2, 1.0),
    Change::Enroll(3, 2.0),
    Change::Undo,
    Change::Enroll(2, 3.0),
    Change::Forget(2),
    Change::Enroll(4, 4.0),
    Change::Clear,
    Change::Enroll(5, 5.0),
    Change::Enroll(6, 6.0),
];

#[test]
fn both_stores_write_the_same_bytes() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let (mut blocking, mut waiting) = (Flash::new(4), Slow(Flash::new(4)));
    for change in SCRIPT.into_iter().cycle().take(50) {
        // Started anew each time, so that reading is compared as well.
        change.make(&mut open(&mut blocking, &model).unwrap(), &model).unwrap();
        run(make(&mut open_waiting(&mut waiting, &model), &model, change), usize::MAX).unwrap();
        assert_eq!(blocking.bytes, waiting.0.bytes, "{change:?}");
    }
}

#[test]
fn a_dropped_future_leaves_the_state_before_or_after() {
    let bytes = model_bytes(0.0);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut before = Flash::new(4);
    let mut was = support::Contents::new();
    for change in SCRIPT {
        let after = change.expected(&was);
        for (polls, restarts) in (1..).flat_map(|polls| [(polls, true), (polls, false)]) {
            let mut flash = Slow(before.clone());
            let mut store = open_waiting(&mut flash, &model);
            if run(make(&mut store, &model, change), polls).is_some() {
                break;
            }
            // The device is reset now, or works on with what it has in RAM.
            if restarts {
                drop(store);
                store = open_waiting(&mut flash, &model);
            }
            let state = contents(store.memory());
            assert!(state == was || state == after, "{change:?} after {polls} polls: {state:?}");
            for next in [Change::Undo, Change::Enroll(9, 9.0)] {
                let expected = next.expected(&contents(store.memory()));
                run(make(&mut store, &model, next), usize::MAX).unwrap();
                assert_eq!(contents(store.memory()), expected);
                assert_eq!(found(&mut store.close().0.clone(), &model), expected);
                store = open_waiting(&mut flash, &model);
            }
        }
        change.make(&mut open(&mut before, &model).unwrap(), &model).unwrap();
        was = after;
    }
}
