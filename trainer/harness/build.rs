//! Links the program that runs with the start-up crate's script, which includes the board's `memory.x`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bin=rows=-Tlink.x");
}
