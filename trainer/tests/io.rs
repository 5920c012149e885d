//! Every form of data from outside: the same rows whatever the file, a clear word for every fault, never a panic.

#![cfg(feature = "files")]

#[path = "io/faults.rs"]
mod faults;
#[path = "io/forms.rs"]
mod forms;
#[path = "io/groups.rs"]
mod groups;
#[path = "io/hostile.rs"]
mod hostile;
#[path = "io/known.rs"]
mod known;
#[path = "io/messy.rs"]
mod messy;
#[path = "io/quoting.rs"]
mod quoting;
#[path = "io/sparse.rs"]
mod sparse;
#[path = "io/windows.rs"]
mod windows;
#[path = "io/write.rs"]
mod write;
