//! model-format
