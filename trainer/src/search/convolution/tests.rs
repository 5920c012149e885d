//! The file answers as training did.
