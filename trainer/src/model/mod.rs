//! The host's model: what a method fitted, in f64, the model file, and what can be computed from it.

pub mod cost;
mod file;
mod fitted;
pub(crate) mod head;
pub(crate) mod host;
pub mod inspect;
pub(crate) mod map;
pub mod provenance;
pub(crate) mod tensor;

pub use file::{ModelFile, ReadError};
pub use fitted::{Choice, Fitted, TracePoint};
pub use head::{Head, HeadChoice};
pub use host::{HostError, HostModel};
pub use inspect::Inspection;
pub use map::{Basis, Map};
