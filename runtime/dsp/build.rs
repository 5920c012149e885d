//! Whether the target has the instructions: stable Rust never sets `cfg(target_feature = "dsp")`.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = env::var("TARGET").unwrap_or_default();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if target.starts_with("thumbv7em") {
        println!("cargo::rustc-cfg=has_dsp");
    } else if target.starts_with("thumbv8m.main") {
        // An option of this architecture: the assembler takes the instructions for a core that has them.
        if flags.contains("target-cpu=") || flags.contains("+dsp") {
            println!("cargo::rustc-cfg=has_dsp");
            println!("cargo::rustc-cfg=dsp_is_optional");
        } else {
            println!("cargo::error=feature dsp on {target} needs the core: -C target-cpu=cortex-m33");
        }
    } else if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "none") {
        println!("cargo::error=feature dsp needs thumbv7em or thumbv8m.main: {target} has no such instructions");
    }
}
