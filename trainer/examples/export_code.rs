//! Exports a model as a Rust module twice, once with one byte of it altered:
//! `cargo run --release -p nearmark-train --example export_code -- MODEL.nmk FOLDER`.
//!
//! `FOLDER/good` is what `nearmark export` writes. `FOLDER/altered` has the same module beside a model with the sign
//! of one readout weight turned and the checksum made good: it loads, it answers, and only a self-test can tell.
//! `cargo xtask test` runs both on emulated boards.

use nearmark_format::Tensor;
use nearmark_train::{ModelFile, codegen};
use std::{env, error::Error, fs, path::Path};

/// The module's name, which the firmware asks for.
const NAME: &str = "shapes";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [model, folder] = args.as_slice() else { return Err("usage: export_code MODEL.nmk FOLDER".into()) };
    let (file, folder) = (ModelFile::read(model).map_err(|why| format!("{model}: {why}"))?, Path::new(folder));
    let files = codegen::rust(&file, NAME)?;
    let altered = altered(&file)?;
    for (kind, model) in [("good", None), ("altered", Some(altered))] {
        let folder = folder.join(kind);
        fs::create_dir_all(&folder)?;
        for (name, content) in &files {
            let path = folder.join(name);
            let is_model = path.extension().is_some_and(|ending| ending == "nmk");
            let content = model.as_ref().filter(|_| is_model).unwrap_or(content);
            fs::write(path, content)?;
        }
        println!("{}", folder.display());
    }
    Ok(())
}

/// The model with the first readout weight negated: the highest bit of one byte.
fn altered(file: &ModelFile) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut model = file.decode();
    model.info = None;
    let Some(Tensor::F32(weights)) = model.readout.as_mut().map(|readout| &mut readout.weights) else {
        return Err("a model with a readout in floats is wanted".into());
    };
    let first = weights.first_mut().ok_or("an empty readout")?;
    *first = -*first;
    Ok(model.encode()?)
}
