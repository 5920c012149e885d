//! How good a model is: accuracy by the runtime, comparisons of methods, figures, retrieval, certified radii.

mod accuracy;
pub mod compare;
#[cfg(feature = "charts")]
pub mod figures;
pub mod recall;
mod retrieval;
pub mod robustness;

pub(crate) use accuracy::predict_all;
pub use accuracy::{ClassScore, EvalError, Evaluation, embed, evaluate, predict};
pub use retrieval::nearest;
