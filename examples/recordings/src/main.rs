//! Writes built-in data in the form in which drivers deliver it: `recordings FOLDER`.
//!
//! It replaces the data logger of a real project. Tables are for `nearmark fit`; firmware reads the `.bin` files instead of a
//! sensor:
//!
//! | file | is |
//! | --- | --- |
//! | `gestures-train.csv`, `-test.csv` | windows of a motion sensor: 100 frames of six counts, and what was done |
//! | `three-motions.csv`, `-held-out.csv` | training windows without badminton: six of each class, and the other four |
//! | `gesture.bin` | test windows, two per class: frames of six `i16`, little endian, as the sensor's FIFO holds them |
//! | `learn.bin` | more of them: eight of badminton, two each of the others |
//! | `digits.bin` | test images, ten per digit: the digit, then 64 pixels of 0 to 16 |
//! | `riscv.bin` | the first of each digit |
//! | `papers.csv` | training images, twenty per digit: the row's number among the training rows, 64 pixels, the digit |

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use nearmark_train::{
    Dataset, Run,
    io::{self as data_io, Options},
};

const CHANNELS: usize = 6;
const STEPS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(folder) = env::args().nth(1).map(PathBuf::from) else { return Err("usage: recordings FOLDER".into()) };
    fs::create_dir_all(&folder)?;
    let train = Motions::load("builtin:gestures:train")?;
    let test = Motions::load("builtin:gestures:test")?;
    write(&folder, "gestures-train.csv", train.table(|_, _| true))?;
    write(&folder, "gestures-test.csv", test.table(|_, _| true))?;
    write(&folder, "three-motions.csv", train.table(|class, nth| class != "Badminton" && nth < 6))?;
    write(&folder, "three-motions-held-out.csv", train.table(|class, nth| class != "Badminton" && nth >= 6))?;
    write(&folder, "gesture.bin", test.frames(&["Walking", "Standing", "Badminton", "Running"], 0..2)?)?;
    let mut lesson = test.frames(&["Badminton"], 0..8)?;
    lesson.extend(test.frames(&["Running", "Standing", "Walking"], 0..2)?);
    write(&folder, "learn.bin", lesson)?;
    let digits = data_io::load("builtin:digits:test", &Options::default(), &Run::default())?.data;
    write(&folder, "digits.bin", images(&digits, 10)?)?;
    write(&folder, "riscv.bin", images(&digits, 1)?)?;
    let train = data_io::load("builtin:digits:train", &Options::default(), &Run::default())?.data;
    write(&folder, "papers.csv", numbered(&train, 20))
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> Result<(), Box<dyn Error>> {
    let path = folder.join(name);
    fs::write(&path, content).map_err(|why| format!("writing {}: {why}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Windows of a motion sensor, in counts.
struct Motions {
    data: Dataset,
    /// Step after step, the channels of each side by side.
    windows: Vec<Vec<i16>>,
}

impl Motions {
    fn load(name: &str) -> Result<Self, Box<dyn Error>> {
        let data = data_io::load(name, &Options::default(), &Run::default())?.data;
        if data.width() != CHANNELS * STEPS {
            return Err(format!("{name} has {} values a row", data.width()).into());
        }
        // The set has one channel after the other.
        let value = |row, at| data.rows()[(row, at % CHANNELS * STEPS + at / CHANNELS)];
        let window = |row| (0..data.width()).map(|at| counts(at % CHANNELS, value(row, at))).collect();
        let windows = (0..data.len()).map(window).collect();
        Ok(Self { data, windows })
    }

    fn class(&self, row: usize) -> &str {
        &self.data.class_names()[self.data.labels()[row]]
    }

    /// Lines of values and label; `wanted` is asked with a window's class and its number within the class.
    fn table(&self, wanted: impl Fn(&str, usize) -> bool) -> String {
        let mut text = String::new();
        let mut seen = vec![0; self.data.classes()];
        for (row, window) in self.windows.iter().enumerate() {
            let nth = &mut seen[self.data.labels()[row]];
            if wanted(self.class(row), *nth) {
                let cells = window.iter().map(i16::to_string).chain([self.class(row).to_owned()]);
                text += &cells.collect::<Vec<_>>().join(",");
                text.push('\n');
            }
            *nth += 1;
        }
        text
    }

    /// Some windows of each class in turn, as bytes of a FIFO.
    fn frames(&self, classes: &[&str], which: std::ops::Range<usize>) -> Result<Vec<u8>, Box<dyn Error>> {
        let mut bytes = Vec::new();
        for nth in which {
            for class in classes {
                let rows = (0..self.windows.len()).filter(|&row| self.class(row) == *class);
                let row = rows.clone().nth(nth).ok_or_else(|| format!("{class} has {} windows", rows.count()))?;
                bytes.extend(self.windows[row].iter().flat_map(|count| count.to_le_bytes()));
            }
        }
        Ok(bytes)
    }
}

/// What a sensor's register holds: acceleration at ±4 g and 8192 counts per g, rotation at ±2000 °/s and 16.4 counts per °/s.
fn counts(channel: usize, value: f64) -> i16 {
    let per_unit = if channel < 3 { 8192.0 / 9.806_65 } else { 16.4_f64.to_degrees() };
    // A register does not wrap; neither does this cast.
    (value * per_unit).round() as i16
}

/// The first images of every digit, each behind its digit.
fn images(data: &Dataset, each: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    let rows = data.class_rows();
    for nth in 0..each {
        for (name, rows) in data.class_names().iter().zip(&rows) {
            let row = *rows.get(nth).ok_or_else(|| format!("{name} has {} images", rows.len()))?;
            bytes.push(name.parse()?);
            bytes.extend(data.rows().row(row).iter().map(|&pixel| pixel as u8));
        }
    }
    Ok(bytes)
}

/// Some images of every digit, evenly spaced, so that they are of many writers: lines of row number, pixels and digit, in
/// the order of the rows.
fn numbered(data: &Dataset, each: usize) -> String {
    let spaced = |rows: &Vec<usize>| rows.iter().step_by((rows.len() / each).max(1)).take(each).copied().collect();
    let mut rows: Vec<usize> = data.class_rows().iter().flat_map::<Vec<usize>, _>(spaced).collect();
    rows.sort_unstable();
    let pixels = (0..data.width()).map(|pixel| format!("p{pixel}"));
    let mut lines = vec![["id".to_owned()].into_iter().chain(pixels).chain(["digit".to_owned()]).collect::<Vec<_>>()];
    for row in rows {
        let values = data.rows().row(row).iter().map(f64::to_string).collect::<Vec<_>>();
        let digit = data.class_names()[data.labels()[row]].clone();
        lines.push([row.to_string()].into_iter().chain(values).chain([digit]).collect());
    }
    lines.iter().map(|line| line.join(",") + "\n").collect()
}
