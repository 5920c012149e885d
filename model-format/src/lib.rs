//! The nearmark model file.
//!
//! A model is 28 bytes of header, 40 or more of metadata, and raw little-endian arrays that firmware
//! reads in place from flash. `FORMAT.md` describes every byte. [`Layout`] checks all of it once and
//! then lends typed slices; [`ModelBuf`] (feature `alloc`) writes it.
//!
//! ```
//! # #[cfg(all(feature = "alloc", feature = "f32", feature = "gaussian"))] {
//! use nearmark_format::{AlignedBuf, Head, Kernel, Layout, FeatureMap, ModelBuf, Readout, Tensor};
//!
//! // Two centers in the plane, each voting for its own class.
//! let model = ModelBuf {
//!     feature_map: FeatureMap::Centers {
//!         kernel: Kernel::Gaussian { gamma: 0.5 },
//!         values: Tensor::F32(vec![0.0, 0.0, 3.0, 4.0]),
//!     },
//!     readout: Some(Readout { weights: Tensor::F32(vec![1.0, 0.0, 0.0, 1.0]), ..Readout::default() }),
//!     head: Head::Unit,
//!     ..ModelBuf::new(2, 2, 2)
//! };
//! let bytes = AlignedBuf::from(model.encode()?.as_slice());
//! let layout = Layout::from_bytes(&bytes)?;
//! assert_eq!((layout.header().inputs, layout.header().classes, layout.mapped()), (2, 2, 2));
//! # }
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Features
//! One per profile and stage (all on by default), plus `alloc` for writing. A stage that is off
//! costs no flash; a model that needs it is refused by name.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(target_endian = "big")]
compile_error!("nearmark reads little-endian models in place: big-endian targets are not supported");

#[cfg(feature = "alloc")]
mod aligned;
#[cfg(feature = "alloc")]
mod arrays;
mod check;
pub mod convolution;
mod crc;
#[cfg(feature = "alloc")]
mod decode;
#[cfg(feature = "alloc")]
mod describe;
#[cfg(feature = "alloc")]
mod encode;
#[cfg(feature = "alloc")]
mod entry;
mod error;
pub mod extras;
#[cfg(feature = "alloc")]
mod filters;
mod header;
#[cfg(feature = "alloc")]
mod info;
#[cfg(feature = "alloc")]
mod interleave;
mod layout;
pub mod meta;
#[cfg(feature = "alloc")]
mod model;
pub mod needs;
mod padding;
mod sections;
pub mod seed;
pub mod series;
#[cfg(feature = "alloc")]
mod spec;
pub mod trailer;

pub use crc::{Crc32, crc32};
use error::Fault;
pub use error::LoadError;
pub use header::{CRC_BYTES, FLAG_TRAILER, FLAGS_OFFSET, HEADER_LEN, Header, MAGIC, VERSION};
pub use layout::{Layout, checksum};
pub use meta::{Meta, Num};
pub use sections::Section;

#[cfg(feature = "alloc")]
pub use {
    aligned::AlignedBuf,
    arrays::Array,
    encode::{EncodeError, strip},
    entry::{Level, Series, SeriesEntry},
    filters::{Convolution, Filters, Pooling},
    info::Info,
    model::{FeatureMap, Head, IntParams, Kernel, ModelBuf, Pool, Projection, Readout, Scale, Shape, Tensor, Window},
    spec::{Nibbles, Profile, Spec},
};
