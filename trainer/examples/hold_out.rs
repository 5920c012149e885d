//! Writes the two parts of a data set as one NPZ file, for whoever measures on them:
//! `cargo run --release -p nearmark-train --example hold_out -- DATA OUT.npz SPLIT`.
//!
//! SPLIT is `share 0.3 SEED`, a stratified hold-out by seed, or `group NAME A,B,C`, the rows of these groups. The file
//! has `X_train`, `y_train`, `X_test`, `y_test` and, for groups, `NAME_train` and `NAME_test`.

use nearmark_train::dataset::split::{self, Split};
use nearmark_train::io::{self, Options};
use nearmark_train::{Dataset, Run};
use npyz::WriterBuilder;
use npyz::npz::NpzWriter;
use npyz::zip::write::FileOptions;
use std::{env, error::Error, fs::File};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let [data, out, kind, first, second] = args[..] else {
        return Err("usage: hold_out DATA OUT.npz (share SHARE SEED | group NAME GROUPS)".into());
    };
    let group = (kind == "group").then_some(first);
    let options = Options { group: group.map(str::parse).transpose()?, ..Options::default() };
    let all = io::load(data, &options, &Run::default()).map_err(|why| format!("{data}: {why}"))?.data;
    let split = match kind {
        "share" => split::stratified(&all, first.parse()?, second.parse()?),
        "group" => named_groups(&all, &second.split(',').collect::<Vec<_>>())?,
        _ => return Err(format!("no split `{kind}`: there are share and group").into()),
    };
    let (train, test) = split.apply(&all);
    // Aside first: a file that is there is a whole one.
    let aside = format!("{out}.part");
    let mut file = NpzWriter::new(File::create(&aside)?);
    for (part, rows) in [("train", &train), ("test", &test)] {
        write(&mut file, part, rows, group)?;
    }
    drop(file);
    std::fs::rename(aside, out)?;
    println!("{out}: {} and {} rows", train.len(), test.len());
    Ok(())
}

/// The rows of these groups are the test part.
fn named_groups(data: &Dataset, held: &[&str]) -> Outcome<Split> {
    if let Some(name) = held.iter().find(|name| !data.group_names().iter().any(|known| known == **name)) {
        return Err(format!("no group `{name}`: there are {}", data.group_names().join(", ")).into());
    }
    let is_held = |row: &usize| data.groups().is_some_and(|of| held.contains(&data.group_names()[of[*row]].as_str()));
    let (test, train) = (0..data.len()).partition(is_held);
    Ok(Split { train, test })
}

fn write(file: &mut NpzWriter<File>, part: &str, data: &Dataset, group: Option<&str>) -> Outcome {
    let (rows, width) = (data.len() as u64, data.width() as u64);
    let values = data.rows().row_iter().flat_map(|row| row.iter().map(|v| *v as f32).collect::<Vec<_>>());
    let mut array =
        file.array(&format!("X_{part}"), FileOptions::default())?.default_dtype().shape(&[rows, width]).begin_nd()?;
    array.extend(values)?;
    array.finish()?;
    let labels = data.labels().iter().map(|&label| data.class_names()[label].as_str());
    integers(file, &format!("y_{part}"), &labels.collect::<Vec<_>>())?;
    if let (Some(name), Some(of)) = (group, data.groups()) {
        let groups = of.iter().map(|&group| data.group_names()[group].as_str());
        integers(file, &format!("{name}_{part}"), &groups.collect::<Vec<_>>())?;
    }
    Ok(())
}

fn integers(file: &mut NpzWriter<File>, name: &str, values: &[&str]) -> Outcome {
    let array = file.array(name, FileOptions::default())?;
    let mut array = array.default_dtype().shape(&[values.len() as u64]).begin_nd()?;
    for value in values {
        array.push(&value.parse::<i64>().map_err(|_| format!("{name}: `{value}` is no integer"))?)?;
    }
    array.finish()?;
    Ok(())
}
