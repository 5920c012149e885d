//! Every form of data from outside: the same rows whatever the file, a clear word for every fault, never a panic.

#![cfg(feature = "files")]

#[path = "source/faults.rs"]
mod faults;
#[path = "source/forms.rs"]
mod forms;
#[path = "source/groups.rs"]
mod groups;
#[path = "source/hostile.rs"]
mod hostile;
#[path = "source/known.rs"]
mod known;
#[path = "source/quoting.rs"]
mod quoting;
#[path = "source/write.rs"]
mod write;
