//! The binary from outside: messages, exit codes, files.
#![allow(missing_docs)]

mod bad_files;
mod bad_rows;
mod budget;
mod c_project;
mod device;
mod groups;
mod help;
mod models;
mod rows;
mod sandbox;
mod streams;
