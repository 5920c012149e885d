//! Runs of like rows: recordings that lie in one piece in a file, and hold-outs that do not flatter because of them.
//!
//! Rows of one recording (a person, a session) resemble each other more than they resemble rows of a recording yet to
//! come. Where they lie together in the file, a random hold-out holds out rows beside their own neighbors and measures
//! memory: 97.1 % on spoken letters of which 87.2 % are recognized of new speakers. [`Runs::of`] notices it by the order of
//! the rows within each class, so that a file sorted by class is no exception. [`Dataset::in_blocks`] then makes
//! contiguous blocks of each class's rows the groups that every split keeps whole.

use super::Dataset;
use crate::linalg::{Mat, evenly, scale_columns};
use crate::neighbors::{Neighbor, nearest_others};
use crate::preprocess::Window;
use std::borrow::Cow;

/// Rows of one class are near in the file if they are apart by at most this share of the class.
const NEAR: f64 = 0.05;
/// Rows that a class needs to be looked at: in a smaller one, no row is within [`NEAR`] of another.
const CLASS_ROWS: usize = 20;
/// Rows of a class that are looked at, at most; evenly spread, so that runs stay runs. It bounds the time: a second of one
/// core on MNIST.
const CLASS_ROWS_AT_MOST: usize = 1000;
/// Rows that are looked at in all, at least: fewer say little.
const ROWS: usize = 100;
/// Above this share, hold-outs are blocks; above the other, rows are held out at random and accuracy on blocks is stated
/// beside. Measured: people and sessions in one piece 0.62 to 0.97, digits by 13 writers in one piece 0.50, a satellite
/// image 0.38, shuffled rows up to 0.19.
const STRONG: f64 = 0.5;
const WEAK: f64 = 0.25;
/// Standard errors by which a share has to exceed these: 178 wines come to 0.27.
const CLEARLY: f64 = 2.0;
/// Blocks of each class's rows: few enough to hold several recordings each where there are dozens, enough for five folds.
const BLOCKS: usize = 8;
/// Rows of every class that blocks need. Splits of eight blocks put at most three of them on one side of a fold, and four
/// rows of a class lie in four blocks: none of its folds is without the class.
const ROWS_FOR_BLOCKS: usize = 4;

/// How often rows that are alike lie together in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Runs {
    /// The share of rows whose nearest neighbor of the same class is near in the file too: within 5 % of the rows of that
    /// class. Where rows are shuffled, about 0.10.
    pub share: f64,
    /// Rows that were looked at.
    pub rows: usize,
}

/// What the share means for hold-outs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Rows lie in no particular order.
    None,
    /// Some rows that are alike lie together: rows are held out at random, and accuracy on blocks is stated beside.
    Weak,
    /// Rows of one recording lie together: blocks of the file are held out.
    Strong,
}

impl Runs {
    /// Looks for runs of like rows; `window` says how rows are sensor windows.
    ///
    /// None where groups are given, which say it better, and where rows are too few for blocks, without labels or not dense.
    ///
    /// Distances are those of standardized columns, so that columns of all units count. Sensor windows are compared by
    /// their statistics: two windows of one motion begin at different moments (smart-watch exercises: 0.25 by
    /// samples, 0.50 by statistics).
    #[must_use]
    pub fn of(data: &Dataset, window: Option<&Window>, threads: usize) -> Option<Self> {
        let is_plain = data.is_labelled() && data.sparse_rows().is_none() && !data.are_similarities();
        let counts = data.class_counts();
        let blocks = counts.len() > 1 && counts.iter().all(|&rows| rows >= ROWS_FOR_BLOCKS);
        if !is_plain || !blocks || data.groups().is_some() {
            return None;
        }
        let statistics = window.and_then(|window| window.apply(data.rows()).ok());
        let values = statistics.map_or(Cow::Borrowed(data.rows()), Cow::Owned);
        let factors = standardizing(&values);
        let (mut near, mut rows) = (0, 0);
        for class in data.class_rows().iter().filter(|class| class.len() >= CLASS_ROWS) {
            let class = evenly(class, CLASS_ROWS_AT_MOST);
            let own = scale_columns(values.select_rows(&class), |j| factors[j]);
            let reach = (NEAR * class.len() as f64) as usize;
            let is_near =
                |(i, found): (usize, &Vec<Neighbor>)| found.first().is_some_and(|one| one.row.abs_diff(i) <= reach);
            near += nearest_others(&own, 1, threads).iter().enumerate().filter(|found| is_near(*found)).count();
            rows += class.len();
        }
        (rows >= ROWS).then(|| Self { share: near as f64 / rows as f64, rows })
    }

    /// What it means for hold-outs.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        let least = self.share - CLEARLY * (self.share * (1.0 - self.share) / self.rows as f64).sqrt();
        match least {
            least if least > STRONG => Evidence::Strong,
            least if least > WEAK => Evidence::Weak,
            _ => Evidence::None,
        }
    }
}

/// Factors that give every column a variance of one; a column that never varies stays as it is.
fn standardizing(rows: &Mat) -> Vec<f64> {
    rows.column_iter().map(|column| column.variance()).map(|v| if v > 0.0 { 1.0 / v.sqrt() } else { 1.0 }).collect()
}

impl Dataset {
    /// The same rows in [`BLOCKS`] groups: group `k` is the `k`-th eighth of every class's rows in file order.
    #[must_use]
    pub fn in_blocks(&self) -> Self {
        let mut groups = vec![0; self.len()];
        for class in self.class_rows() {
            for (i, &row) in class.iter().enumerate() {
                groups[row] = i * BLOCKS / class.len();
            }
        }
        let group_names = (1..=BLOCKS).map(|block| format!("block {block}")).collect();
        Self { groups: Some(groups), group_names, ..self.clone() }
    }

    /// The same rows without groups.
    #[must_use]
    pub fn without_groups(&self) -> Self {
        Self { groups: None, group_names: Vec::new(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use crate::dataset::split;

    /// Recordings of ten rows each, in one piece or shuffled; a recording has a place of its own in twelve dimensions.
    fn recordings(spread: f64, shuffled: bool) -> Result<Dataset, crate::DataError> {
        let (recordings, rows, mut rng) = (40, 10, Rng::new(3));
        let places = Mat::from_fn(recordings, 12, |_, _| spread * rng.normal());
        let mut order: Vec<usize> = (0..recordings * rows).collect();
        if shuffled {
            rng.shuffle(&mut order);
        }
        let noise = Mat::from_fn(recordings * rows, 12, |_, _| rng.normal());
        let values = Mat::from_fn(recordings * rows, 12, |i, j| places[(order[i] / rows, j)] + noise[(order[i], j)]);
        let labels: Vec<usize> = order.iter().map(|row| row / rows % 2).collect();
        Dataset::from_ids(values, &labels)
    }

    fn evidence(data: &Dataset) -> Option<Evidence> {
        Runs::of(data, None, 1).map(|runs| runs.evidence())
    }

    #[test]
    fn recordings_in_one_piece_are_noticed_and_shuffled_ones_are_not() -> Result<(), crate::DataError> {
        assert_eq!(evidence(&recordings(1.0, false)?), Some(Evidence::Strong));
        for spread in [0.0, 0.5, 1.0, 3.0] {
            assert_eq!(evidence(&recordings(spread, true)?), Some(Evidence::None), "spread {spread}");
        }
        // Sorted by class, the order within each class is the same.
        let data = recordings(1.0, false)?;
        let sorted = data.select(&data.class_rows().concat());
        assert_eq!(Runs::of(&sorted, None, 1), Runs::of(&data, None, 2));
        // The unit of a column does not matter.
        let scaled = data.with_rows(scale_columns(data.rows().clone(), |j| if j == 0 { 1e6 } else { 1.0 }))?;
        assert_eq!(Runs::of(&scaled, None, 1), Runs::of(&data, None, 1));
        Ok(())
    }

    #[test]
    fn what_is_given_or_too_little_is_left_alone() -> Result<(), crate::DataError> {
        let data = recordings(1.0, false)?;
        assert_eq!(Runs::of(&data.in_blocks(), None, 1), None);
        assert!(Runs::of(&data.in_blocks().without_groups(), None, 1).is_some());
        let first = |rows: usize| data.select(&(0..rows).collect::<Vec<_>>());
        assert_eq!((Runs::of(&first(90), None, 1), Runs::of(&first(12), None, 1)), (None, None));
        // Few rows have to show it clearly.
        assert_eq!(Runs { share: 0.27, rows: 178 }.evidence(), Evidence::None);
        assert_eq!(Runs { share: 0.27, rows: 20_000 }.evidence(), Evidence::Weak);
        Ok(())
    }

    #[test]
    fn windows_are_compared_by_their_statistics() -> Result<(), Box<dyn std::error::Error>> {
        // Recordings differ in how strongly they oscillate; windows of one begin anywhere.
        let mut rng = Rng::new(0);
        let (loudness, phases): (Vec<f64>, Vec<f64>) =
            (0..200).map(|_| (1.0 + rng.uniform(), 7.0 * rng.uniform())).unzip();
        let value = |i: usize, t: usize| loudness[i / 10] * libm::sin(phases[i] + 2.5 * t as f64);
        let rows = Mat::from_fn(200, 40, value);
        let data = Dataset::from_ids(rows, &(0..200).map(|i| i / 10 % 2).collect::<Vec<_>>())?;
        let window = Window::new(1, 40, 1, false)?;
        let of = |window| Runs::of(&data, window, 1).map_or(0.0, |runs| runs.share);
        assert!(of(Some(&window)) > 0.5 && of(None) < 0.4, "{} {}", of(Some(&window)), of(None));
        Ok(())
    }

    #[test]
    fn a_block_is_an_eighth_of_every_class_in_file_order() -> Result<(), crate::DataError> {
        let labels: Vec<usize> = (0..48).map(|i| usize::from(i % 3 == 0)).collect();
        let blocks = Dataset::from_ids(Mat::from_fn(48, 1, |i, _| i as f64), &labels)?.in_blocks();
        let groups = blocks.groups().unwrap_or_default();
        for rows in blocks.class_rows() {
            let own: Vec<usize> = rows.iter().map(|&row| groups[row]).collect();
            assert!(own.is_sorted() && (0..BLOCKS).all(|k| own.iter().filter(|&&g| g == k).count() == rows.len() / 8));
        }
        for fold in split::folds(&blocks, 5, 0)? {
            assert!(fold.test.iter().all(|&row| fold.train.iter().all(|&other| groups[other] != groups[row])));
        }
        Ok(())
    }

    #[test]
    fn small_classes_are_in_the_training_rows_of_every_fold() -> Result<(), crate::DataError> {
        // Twenty classes of four rows beside a large one.
        let labels: Vec<usize> = (0..180).map(|i| if i < 80 { i / 4 } else { 20 }).collect();
        let blocks = Dataset::from_ids(Mat::from_fn(180, 1, |i, _| i as f64), &labels)?.in_blocks();
        for (folds, seed) in [(3, 0), (3, 1), (5, 0), (5, 1), (5, 2)] {
            assert!(split::folds(&blocks, folds, seed).is_ok(), "{folds} folds, seed {seed}");
        }
        Ok(())
    }
}
