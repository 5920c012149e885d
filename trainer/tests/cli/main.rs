//! The binary from outside: messages, exit codes, files.
#![allow(missing_docs)]

mod bad_files;
mod bad_rows;
mod budget;
mod c_project;
mod cache;
mod check;
mod device;
mod exemplars;
mod groups;
mod help;
mod items;
mod models;
mod pipes;
mod reading;
mod rows;
mod sandbox;
mod streams;
mod tuning;
mod windows;
