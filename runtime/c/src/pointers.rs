//! From pointers to references: the checks that can be made, in one place.

use core::slice;

use crate::nearmark_status as Status;

/// Whether `len` values may lie at `at`.
fn check<T>(at: *const T, len: usize) -> Result<(), Status> {
    if at.is_null() {
        return Err(Status::Null);
    }
    // More bytes than an object can have, or an end beyond the address space: no such array exists.
    let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| isize::try_from(*bytes).is_ok());
    if bytes.and_then(|bytes| at.addr().checked_add(bytes)).is_none() {
        return Err(Status::Length);
    }
    if at.is_aligned() { Ok(()) } else { Err(Status::Misaligned) }
}

/// `len` values that are read. The caller keeps the crate's contract; where there are none, NULL will do.
pub(crate) unsafe fn values<'a, T: Copy>(at: *const T, len: usize) -> Result<&'a [T], Status> {
    if len == 0 && at.is_null() {
        return Ok(&[]);
    }
    check(at, len)?;
    // SAFETY: neither null nor misaligned nor too long, and by the contract so many values lie there unchanged.
    Ok(unsafe { slice::from_raw_parts(at, len) })
}

/// `len` values that are written. The caller keeps the crate's contract; where there are none, NULL will do.
///
/// Only for types of which every bit pattern is a value: C does not initialize its arrays.
pub(crate) unsafe fn values_mut<'a, T: Bits>(at: *mut T, len: usize) -> Result<&'a mut [T], Status> {
    if len == 0 && at.is_null() {
        return Ok(&mut []);
    }
    check(at, len)?;
    // SAFETY: as above, and by the contract nothing else refers to what is written.
    Ok(unsafe { slice::from_raw_parts_mut(at, len) })
}

/// A place for one answer.
pub(crate) fn place<T>(at: *mut T) -> Result<*mut T, Status> {
    check(at, 1).map(|()| at)
}

/// `len` places, each filled before anything refers to it: their type has patterns that are no value.
pub(crate) unsafe fn places<'a, T: Copy>(at: *mut T, len: usize, fill: T) -> Result<&'a mut [T], Status> {
    if len == 0 && at.is_null() {
        return Ok(&mut []);
    }
    check(at, len)?;
    for index in 0..len {
        // SAFETY: by the contract there are `len` of them, ours to write.
        unsafe { at.add(index).write(fill) };
    }
    // SAFETY: as above, and filled.
    Ok(unsafe { slice::from_raw_parts_mut(at, len) })
}

/// One value that is read. The caller keeps the crate's contract.
pub(crate) unsafe fn value<'a, T>(at: *const T) -> Result<&'a T, Status> {
    check(at, 1)?;
    // SAFETY: neither null nor misaligned, and by the contract a value lies there unchanged.
    Ok(unsafe { &*at })
}

/// One value that is changed. The caller keeps the crate's contract.
pub(crate) unsafe fn value_mut<'a, T>(at: *mut T) -> Result<&'a mut T, Status> {
    check(at, 1)?;
    // SAFETY: as above, and by the contract nothing else refers to it.
    Ok(unsafe { &mut *at })
}

/// Numbers of which every bit pattern is one.
pub(crate) trait Bits: Copy {}
impl Bits for u32 {}
impl Bits for f32 {}
impl Bits for u8 {}
impl Bits for i8 {}
impl Bits for i16 {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arrays_that_can_exist_are_read() {
        let words = [1_u32, 2];
        let at = words.as_ptr();
        // SAFETY: two words lie there; the others are refused by their addresses and lengths alone.
        unsafe {
            assert_eq!(values(at, 2), Ok(&words[..]));
            assert_eq!(values::<u32>(core::ptr::null(), 0), Ok(&[][..]));
            assert_eq!(values::<u32>(core::ptr::null(), 1), Err(Status::Null));
            assert_eq!(values(at.byte_add(1), 1), Err(Status::Misaligned));
            assert_eq!(values(at, usize::MAX), Err(Status::Length));
            assert_eq!(values(at, usize::MAX / 4), Err(Status::Length));
        }
    }
}
