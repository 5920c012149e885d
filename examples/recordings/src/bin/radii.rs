//! Stores a reject radius in a model, beyond which an answer is "unknown": `radii MODEL.nmk DATA SLACK`.
//!
//! The radius is `SLACK` times the largest squared distance of a row of `DATA` from its own class. Use hold-out rows: the rows
//! of the fit are too close to their classes. There is one radius for all classes, since a few rows per class are not enough
//! for one each.

use std::{env, error::Error, fs};

use nearmark::Model;
use nearmark_format::{AlignedBuf, ModelBuf, extras};
use nearmark_train::{
    Run, evaluate,
    io::{self as data_io, Options},
};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [path, data, slack] = args.as_slice() else { return Err("usage: radii MODEL.nmk DATA SLACK".into()) };
    let slack: f32 = slack.parse().map_err(|_| format!("SLACK is a number like 4, not {slack}"))?;
    let data = data_io::load(data, &Options::default(), &Run::default())?.data;
    let bytes = fs::read(path).map_err(|why| format!("reading {path}: {why}"))?;
    let bytes = AlignedBuf::from(bytes.as_slice());

    let model = Model::from_bytes(&bytes)?;
    let names = evaluate::class_names(&model);
    let answers = evaluate::predict(&model, data.rows())?;
    let own = answers.iter().zip(data.labels()).filter_map(|(answer, &label)| {
        let name = names.get(usize::from(answer.class().0));
        (name == data.class_names().get(label)).then(|| answer.distance_sq())
    });
    let radius = slack * own.fold(0.0, f32::max);

    let mut with = ModelBuf::decode(&bytes)?;
    // Not critical: a reader that knows no radii may still name the nearest class.
    with.extras.insert(extras::RADII, (false, radius.to_le_bytes().repeat(names.len())));
    fs::write(path, with.encode()?).map_err(|why| format!("writing {path}: {why}"))?;
    println!("{path}: believed up to distance² {radius:.4}");
    Ok(())
}
