//! The commands, a file each.

pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod curves;
pub(crate) mod demo;
pub(crate) mod device;
pub(crate) mod embed;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod figures;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod predict;
pub(crate) mod recall;
pub(crate) mod repro;
pub(crate) mod search;
pub(crate) mod strip;
pub(crate) mod tune;
pub(crate) mod tuning;
