//! What exported C is compiled for: the library's target, and how the C compiler is called.

/// A processor, or this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// As rustc names it; `None` for this machine.
    triple: Option<String>,
    compiler: &'static str,
    options: &'static str,
}

/// Short name if there is one, the target as rustc names it, the C compiler and its options.
const KNOWN: [(&str, &str, &str, &str); 10] = [
    ("m0", "thumbv6m-none-eabi", ARM, "-mcpu=cortex-m0 -mthumb"),
    ("m4f", "thumbv7em-none-eabihf", ARM, "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"),
    ("m7", "thumbv7em-none-eabihf", ARM, "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"),
    ("m33", "thumbv8m.main-none-eabihf", ARM, "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"),
    ("rv32", "riscv32imc-unknown-none-elf", RISCV, "-march=rv32imc -mabi=ilp32"),
    ("", "thumbv7m-none-eabi", ARM, "-mcpu=cortex-m3 -mthumb"),
    ("", "thumbv7em-none-eabi", ARM, "-mcpu=cortex-m4 -mthumb -mfloat-abi=soft"),
    ("", "thumbv8m.base-none-eabi", ARM, "-mcpu=cortex-m23 -mthumb"),
    ("", "thumbv8m.main-none-eabi", ARM, "-mcpu=cortex-m33 -mthumb -mfloat-abi=soft"),
    ("", "riscv32imac-unknown-none-elf", RISCV, "-march=rv32imac -mabi=ilp32"),
];
const ARM: &str = "arm-none-eabi-gcc";
const RISCV: &str = "riscv64-unknown-elf-gcc";

impl Target {
    /// Names for people: the emulated boards, and this machine.
    pub const SHORT: [&str; 6] = ["m0", "m4f", "m7", "m33", "rv32", "host"];

    /// This machine.
    pub const HOST: Self = Self { triple: None, compiler: "gcc", options: "" };

    /// A target by its [short name](Self::SHORT) or by rustc's.
    #[must_use]
    pub fn named(name: &str) -> Self {
        if name == "host" {
            return Self::HOST;
        }
        match KNOWN.iter().find(|(short, triple, ..)| *short == name || *triple == name) {
            Some(&(_, triple, compiler, options)) => Self { triple: Some(triple.to_owned()), compiler, options },
            None => Self { triple: Some(name.to_owned()), compiler: "cc", options: "" },
        }
    }

    /// As rustc names it; `None` for this machine.
    #[must_use]
    pub fn triple(&self) -> Option<&str> {
        self.triple.as_deref()
    }

    /// What the library's file is called.
    #[must_use]
    pub fn library(&self) -> &'static str {
        let msvc = self.triple().map_or(cfg!(target_env = "msvc"), |triple| triple.contains("msvc"));
        if msvc { "nearmark_c.lib" } else { "libnearmark_c.a" }
    }

    /// Whether there is no operating system: a start-up file and a linker script are the board's, and no console.
    pub(super) fn bare(&self) -> bool {
        self.triple().is_some_and(|triple| triple.contains("-none"))
    }

    /// Whether integer models gain by the DSP instructions: Cortex-M33 does not, the others may not have them.
    pub(super) fn dsp(&self) -> bool {
        self.triple().is_some_and(|triple| triple.starts_with("thumbv7em"))
    }

    /// What it is called in a comment.
    pub(super) fn title(&self) -> &str {
        self.triple().unwrap_or("the machine that exported it")
    }

    /// Compiles and links the exported files in their folder.
    pub(super) fn command(&self, name: &str) -> String {
        let apple = self.triple().map_or(cfg!(target_vendor = "apple"), |triple| triple.contains("apple"));
        let collect = if apple { "-Wl,-dead_strip" } else { "-Wl,--gc-sections" };
        let (compiler, library) = (self.compiler, self.library());
        let options = if self.options.is_empty() { String::new() } else { format!(" {}", self.options) };
        let ending = if self.bare() { ".elf" } else { "" };
        format!(
            "{compiler}{options} -std=c99 -Os -ffunction-sections -fdata-sections {collect} main.c {name}.c {library} -o {name}{ending}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_and_triples_mean_the_same() {
        assert_eq!(Target::named("m0"), Target::named("thumbv6m-none-eabi"));
        assert_eq!(Target::named("m4f"), Target::named("thumbv7em-none-eabihf"));
        assert_ne!(Target::named("m4f"), Target::named("m7"));
        assert_eq!(Target::named("host").triple(), None);
        assert_eq!(Target::named("aarch64-unknown-linux-gnu").triple(), Some("aarch64-unknown-linux-gnu"));
    }

    #[test]
    fn every_short_name_is_known() {
        for name in Target::SHORT {
            assert_ne!(Target::named(name).triple(), Some(name));
        }
    }

    #[test]
    fn only_boards_are_bare_and_only_some_have_dsp() {
        assert!(Target::named("rv32").bare() && !Target::HOST.bare() && !Target::named("x86_64-apple-darwin").bare());
        assert_eq!(Target::SHORT.map(|n| Target::named(n).dsp()), [false, true, true, false, false, false]);
    }
}
