//! Every call of a store on a flash of which the compiler knows nothing but the sizes.

use core::hint::black_box;

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
use nearmark::{Model, Sample};
use nearmark_store::{OtherModel, Store};

/// Pages of 4 kB, written by words.
struct Flash;

impl ErrorType for Flash {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for Flash {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        black_box((offset, bytes));
        black_box(Ok(()))
    }

    fn capacity(&self) -> usize {
        black_box(1 << 20)
    }
}

impl NorFlash for Flash {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = 4096;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        black_box((from, to));
        black_box(Ok(()))
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        black_box((offset, bytes));
        black_box(Ok(()))
    }
}

pub(crate) fn everything<S: Sample + ?Sized>(model: &Model<'_>, sample: &S, scratch: &mut [u32]) {
    let region = black_box(0)..black_box(8192);
    let Ok(mut store) = Store::<_, 8, 16>::open(Flash, region, model, black_box(OtherModel::Refuse)) else { return };
    let class = store.memory().next_class(model);
    black_box(store.enroll(model, sample, class, scratch).is_ok());
    if let Ok(answer) = store.memory().classify(model, sample, scratch) {
        black_box((answer.class(), answer.raw().distance));
    }
    black_box(store.forget(class).is_ok_and(|forgotten| forgotten > 0));
    black_box(store.undo().is_ok());
    black_box(store.clear().is_ok());
}
