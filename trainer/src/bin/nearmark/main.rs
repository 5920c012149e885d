//! The `nearmark` tool: thin over the library.

fn main() {}
