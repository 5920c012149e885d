//! What the cross-crate tests share: made-up models, a plain reference, golden files.

pub mod cases;
pub mod golden;
pub mod image_cases;
pub mod int_cases;
pub mod int_reader;
mod nibble_cases;
pub mod reference;
pub mod rng;
pub mod series;
pub mod series_reader;
