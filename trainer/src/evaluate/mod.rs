//! How good a model is: accuracy by the runtime, comparisons of methods, certified radii.

mod accuracy;
pub mod compare;
pub mod robustness;

pub use accuracy::{ClassScore, EvalError, Evaluation, embed, evaluate, predict};
