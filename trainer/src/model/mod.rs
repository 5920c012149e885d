//! The host's model: what a method fitted, in f64, and everything that is said about a model file.

pub mod cost;
mod fitted;
pub(crate) mod head;
pub(crate) mod host;
pub mod inspect;
pub(crate) mod map;
pub mod provenance;
pub(crate) mod tensor;

pub use fitted::{Fitted, TracePoint};
pub use head::{Head, HeadChoice};
pub use host::{Activations, HostError, HostModel};
pub use map::{Basis, Map};
