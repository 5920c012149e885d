//! How good a model is: accuracy by the runtime, comparisons of methods, retrieval, certified radii.

mod accuracy;
pub mod compare;
pub mod recall;
mod retrieval;
pub mod robustness;

pub use accuracy::{ClassScore, EvalError, Evaluation, embed, evaluate, predict};
pub use retrieval::nearest;
