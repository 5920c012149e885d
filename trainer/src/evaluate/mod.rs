//! How good a model is: accuracy by the runtime, comparisons of methods, certified radii; and retrieval.

mod accuracy;
pub mod compare;
mod retrieval;
pub mod robustness;

pub use accuracy::{ClassScore, EvalError, Evaluation, embed, evaluate, predict};
pub use retrieval::nearest;
