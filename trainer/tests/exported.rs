//! Exported code is compiled by the compilers that will meet it, and run.

use nearmark_format::{ModelBuf, Tensor};
use nearmark_train::{
    Inspection, ModelFile,
    codegen::{self, Target},
};
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Golden models by name.
fn goldens() -> Outcome<Vec<(String, ModelFile)>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(repository().join("tests/golden"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "nmk") {
            paths.push(path);
        }
    }
    paths.sort();
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(|path| Ok((stem(path), ModelFile::read(path)?))).collect()
}

fn golden(name: &str) -> Outcome<ModelFile> {
    Ok(ModelFile::read(repository().join("tests/golden").join(name).with_extension("nmk"))?)
}

fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> Outcome {
    fs::create_dir_all(folder)?;
    for (name, content) in files {
        fs::write(folder.join(name), content)?;
    }
    Ok(())
}

/// A program's output, or `None`, said on stderr, where it is not installed.
fn output(command: &mut Command) -> Outcome<Option<Output>> {
    match command.output() {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: there is no {}", command.get_program().to_string_lossy());
            Ok(None)
        }
        other => Ok(Some(other?)),
    }
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn modules_are_as_rustfmt_would_have_them() -> Outcome {
    let folder = tempfile::tempdir()?;
    for (name, model) in goldens()? {
        let files = codegen::rust(&model, &name).map_err(|why| format!("{name}: {why}"))?;
        assert_eq!(files[0].1, model.core().bytes(), "{name}: the model is the stripped one");
        assert_eq!(files, codegen::rust(&model, &name)?, "{name}: the same model gives the same code");
        write(folder.path(), &files)?;
        // By its defaults, and by wide lines as this repository has them.
        for config in ["max_width=100", "max_width=120,use_small_heuristics=Max"] {
            let mut rustfmt = Command::new("rustfmt");
            rustfmt.args(["--check", "--edition", "2024", "--config", config]).arg(folder.path().join(&files[1].0));
            if let Some(output) = output(&mut rustfmt)? {
                assert!(output.status.success(), "{name}, {config}:\n{}", told(&output));
            }
        }
    }
    Ok(())
}

/// A program that has the module both ways, in a crate with exactly the features that the module names.
struct Program {
    folder: PathBuf,
}

impl Program {
    fn new(name: &str, model: &ModelFile) -> Outcome<Self> {
        // It stays below the target folder, so that only the first run builds the dependencies.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exported").join(name);
        write(&folder.join("src"), &codegen::rust(model, "sample-model")?)?;
        let runtime = repository().join("runtime").canonicalize()?;
        let dependency = Inspection::of(model)
            .dependency
            .replace("version = \"0.1\"", &format!("path = {:?}", runtime.display().to_string()));
        let manifest = format!(
            "[package]\nname = {name:?}\nedition = \"2024\"\n\n[dependencies]\n{dependency}\n\n[lints.clippy]\npedantic = \"deny\"\n\n[workspace]\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock"))?;
        let library = "#![no_std]\n#![forbid(unsafe_code)]\n#![deny(warnings, missing_docs)]\n//! A library.\n/// The model.\npub mod sample_model;\n";
        fs::write(folder.join("src/lib.rs"), library)?;
        let program = r#"#![forbid(unsafe_code)]
#![deny(warnings)]
mod sample_model;
mod again {
    include!("sample_model.rs");
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = sample_model::model()?;
    let mut scratch = nearmark::Scratch::<{ sample_model::SCRATCH }>::new();
    let sample = [0 as _; sample_model::INPUTS];
    let (class, answer) = sample_model::classify(&model, &sample, &mut scratch)?;
    assert_eq!(class as u16, answer.class().0);
    assert_eq!(class.name(), sample_model::Class::NAMES[class as usize]);
    assert_eq!(sample_model::Class::from_id(nearmark::ClassId(u16::MAX)), None);
    assert_eq!(sample_model::DIM, model.dim());
    assert_eq!(format!("{:?}", sample_model::self_test()), format!("{:?}", again::self_test()));
    println!("{:?}", sample_model::self_test());
    Ok(())
}
"#;
        fs::write(folder.join("src/main.rs"), program)?;
        Ok(Self { folder })
    }

    fn cargo(&self, args: &[&str]) -> Outcome<Output> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(args).args(["--quiet", "--offline"]).current_dir(&self.folder);
        cargo.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("exported/target"));
        Ok(cargo.output()?)
    }

    /// What the self-test says.
    fn run(&self) -> Outcome<String> {
        let output = self.cargo(&["run"])?;
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() { Ok(said) } else { Err(told(&output).into()) }
    }

    fn replace_model(&self, bytes: &[u8]) -> Outcome {
        Ok(fs::write(self.folder.join("src/sample_model.nmk"), bytes)?)
    }
}

#[test]
fn modules_compile_without_warnings_and_test_themselves() -> Outcome {
    // Named classes and bytes; prototypes that vote; raw sensor windows; integers only.
    for name in ["family-cmvda", "family-dple", "window-interleaved", "int-gaussian"] {
        let program = Program::new(name, &golden(name)?)?;
        assert_eq!(program.run().map_err(|why| format!("{name}: {why}"))?, "Ok(())", "{name}");
        let clippy = program.cargo(&["clippy", "--lib"])?;
        assert!(clippy.status.success(), "{name}:\n{}", told(&clippy));
    }
    Ok(())
}

#[test]
fn an_altered_model_always_fails_its_self_test() -> Outcome {
    let golden_model = golden("family-cmvda")?;
    let program = Program::new("altered", &golden_model)?;
    let model = ModelBuf { info: None, ..golden_model.decode() };

    // One bit of a weight: the vector gets another answer.
    let mut other = model.clone();
    let Some(Tensor::F32(weights)) = other.readout.as_mut().map(|readout| &mut readout.weights) else {
        return Err("a readout in floats".into());
    };
    weights[0] = -weights[0];
    program.replace_model(&other.encode()?)?;
    assert_eq!(program.run()?, "Err(Answer)");

    // A name: no answer changes, but the id does.
    let mut renamed = model.clone();
    renamed.names[0] = "BAR".to_owned();
    program.replace_model(&renamed.encode()?)?;
    assert_eq!(program.run()?, "Err(Id)");

    // A damaged byte: the model does not load, and the program ends before its self-test.
    let mut damaged = model.encode()?;
    *damaged.last_mut().ok_or("an empty model")? ^= 1;
    program.replace_model(&damaged)?;
    assert!(program.run().is_err_and(|why| why.to_string().contains("Checksum")));

    // Other sizes do not even compile.
    program.replace_model(golden("bench-gaussian")?.core().bytes())?;
    assert!(program.run().is_err_and(|why| why.to_string().contains("assertion failed")));
    Ok(())
}

const C: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

#[test]
fn c_sources_compile_as_c99_and_as_cpp() -> Outcome {
    let folder = tempfile::tempdir()?;
    for (name, model) in goldens()? {
        for target in ["host", "m0"] {
            let files = codegen::c(&model, &name, &Target::named(target))?;
            write(folder.path(), &files)?;
            for (compiler, language) in [("gcc", ["-std=c99"].as_slice()), ("g++", &["-std=c++11", "-x", "c++"])] {
                let mut compile = Command::new(compiler);
                compile.args(language).args(C).args(["-fsyntax-only", "main.c", &files[2].0]);
                if let Some(output) = output(compile.current_dir(folder.path()))? {
                    assert!(output.status.success(), "{name}, {compiler}:\n{}", told(&output));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn c_data_are_those_of_the_model() -> Outcome {
    let folder = tempfile::tempdir()?;
    let files = codegen::c(&golden("family-cmvda")?, "Shapes of 4", &Target::HOST)?;
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["nearmark.h", "shapes_of_4.h", "shapes_of_4.c", "main.c"]);
    write(folder.path(), &files)?;
    fs::write(folder.path().join("stripped"), golden("family-cmvda")?.core().bytes())?;
    let program = r#"
#include <stdio.h>
#include <string.h>
#include "shapes_of_4.h"
int main(void) {
    static unsigned char stripped[SHAPES_OF_4_MODEL_BYTES + 1];
    const unsigned char *m = (const unsigned char *)shapes_of_4_model;
    uint32_t id = m[12] | (uint32_t)m[13] << 8 | (uint32_t)m[14] << 16 | (uint32_t)m[15] << 24;
    FILE *file = fopen("stripped", "rb");
    if (!file || fread(stripped, 1, sizeof stripped, file) != SHAPES_OF_4_MODEL_BYTES) return 1;
    if (memcmp(m, stripped, SHAPES_OF_4_MODEL_BYTES) != 0 || id != SHAPES_OF_4_ID) return 2;
    if (sizeof shapes_of_4_model != SHAPES_OF_4_MODEL_BYTES) return 3;
    if (strcmp(shapes_of_4_names[SHAPES_OF_4_CLASS_HOOK], "hook") != 0) return 4;
    if (sizeof shapes_of_4_vector != SHAPES_OF_4_INPUTS) return 5;
    return SHAPES_OF_4_VECTOR_CLASS < SHAPES_OF_4_CLASSES ? 0 : 6;
}
"#;
    fs::write(folder.path().join("look.c"), program)?;
    let mut gcc = Command::new("gcc");
    // Only what it looks at is linked: there is no library here.
    gcc.args(["-std=c99", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]).args(C);
    gcc.args(["look.c", "shapes_of_4.c", "-o", "program"]);
    let Some(compiled) = output(gcc.current_dir(folder.path()))? else { return Ok(()) };
    assert!(compiled.status.success(), "{}", told(&compiled));
    let ran = Command::new(folder.path().join("program")).current_dir(folder.path()).status()?;
    assert_eq!(ran.code(), Some(0));
    Ok(())
}
