//! Why a store did not open, or a change was not kept.

use core::fmt;

use nearmark::MemoryError;

/// Why a store did not open, or a change was not kept; `E` is the error of the flash driver.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Error<E> {
    /// The flash driver failed.
    Flash(E),
    /// Flash does not hold what was written: the page is worn out or protected.
    NotWritten {
        /// Address of the record.
        address: u32,
    },
    /// The region is too small for the memory, or ends behind the flash.
    Region {
        /// Bytes that are needed.
        needed: u32,
        /// Bytes of the region that lie in flash.
        got: u32,
    },
    /// The region does not begin where a page of flash begins.
    Misaligned {
        /// Bytes of a page.
        page: u32,
        /// The address given.
        got: u32,
    },
    /// The memory refused: it is full, or belongs to another model.
    Memory(MemoryError),
}

impl<E> From<MemoryError> for Error<E> {
    fn from(error: MemoryError) -> Self {
        Self::Memory(error)
    }
}

impl<E: fmt::Debug> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flash(error) => write!(f, "flash: {error:?}"),
            Self::NotWritten { address } => write!(f, "flash at {address:#x} does not hold what was written"),
            Self::Region { needed, got } => write!(f, "store needs {needed} bytes of flash, got {got}"),
            Self::Misaligned { page, got } => write!(f, "region begins at a page of {page} bytes, got {got:#x}"),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug> core::error::Error for Error<E> {}
