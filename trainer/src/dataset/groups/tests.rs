use crate::dataset::Dataset;
use crate::dataset::split::{self, Split};
use crate::error::DataError;
use crate::linalg::Mat;
use std::collections::HashSet;

/// Rows with a class and a group each.
fn data(rows: usize, class: impl Fn(usize) -> usize, group: impl Fn(usize) -> usize) -> Result<Dataset, DataError> {
    let labels: Vec<usize> = (0..rows).map(class).collect();
    let groups: Vec<String> = (0..rows).map(|row| format!("person {}", group(row))).collect();
    Dataset::from_ids(Mat::from_fn(rows, 1, |i, _| i as f64), &labels)?.with_groups(&groups)
}

/// Twenty people of 10 to 29 rows, three classes that nobody has in the same proportion.
fn people() -> Result<Dataset, DataError> {
    let owners: Vec<usize> = (0..20).flat_map(|person| std::iter::repeat_n(person, 10 + person)).collect();
    data(owners.len(), |row| (row * row + owners[row]) % 3, |row| owners[row])
}

fn groups_of(data: &Dataset, rows: &[usize]) -> HashSet<usize> {
    rows.iter().filter_map(|&row| data.groups().map(|groups| groups[row])).collect()
}

fn check_whole(data: &Dataset, split: &Split) {
    let (train, test) = (groups_of(data, &split.train), groups_of(data, &split.test));
    assert!(train.is_disjoint(&test), "{:?}", train.intersection(&test));
    assert_eq!(split.train.len() + split.test.len(), data.len());
}

/// Every class has about a fifth of its rows among those held out.
fn check_shares(data: &Dataset, split: &Split, seed: u64) {
    for (held, all) in data.select(&split.test).class_counts().iter().zip(data.class_counts()) {
        let share = *held as f64 / all as f64;
        assert!((share - 0.2).abs() < 0.06, "seed {seed}: {share}");
    }
}

#[test]
fn a_group_is_never_on_both_sides_and_classes_keep_their_share() -> Result<(), DataError> {
    let data = people()?;
    for seed in 0..10 {
        let split = split::stratified(&data, 0.2, seed);
        check_whole(&data, &split);
        assert_eq!(split, split::stratified(&data, 0.2, seed));
        check_shares(&data, &split, seed);
    }
    assert_ne!(split::stratified(&data, 0.2, 0), split::stratified(&data, 0.2, 1));
    Ok(())
}

#[test]
fn folds_cover_every_group_once_and_classes_evenly() -> Result<(), DataError> {
    let data = people()?;
    for seed in 0..5 {
        let folds = split::folds(&data, 5, seed)?;
        assert_eq!(folds, split::folds(&data, 5, seed)?);
        assert_eq!(folds.len(), 5);
        for fold in &folds {
            check_whole(&data, fold);
            check_shares(&data, fold, seed);
        }
        let mut rows: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
        rows.sort_unstable();
        assert_eq!(rows, (0..data.len()).collect::<Vec<_>>());
    }
    Ok(())
}

#[test]
fn selected_and_transformed_rows_stay_in_their_groups() -> Result<(), DataError> {
    let data = data(6, |row| row % 2, |row| row / 2)?;
    assert_eq!(data.groups(), Some(&[0, 0, 1, 1, 2, 2][..]));
    assert_eq!(data.select(&[5, 0, 4]).groups(), Some(&[2, 0, 2][..]));
    assert_eq!(data.select(&[5, 0, 4]).group_count(), Some(2));
    assert_eq!(data.select(&[5]).group_names(), ["person 0", "person 1", "person 2"]);
    assert_eq!(data.with_rows(Mat::zeros(6, 3))?.groups(), data.groups());
    let short = data.clone().with_groups(&["a"; 5]);
    assert_eq!(short, Err(DataError::GroupCount { rows: 6, groups: 5 }));
    Ok(())
}

#[test]
fn fewer_groups_than_folds_make_fewer_folds() -> Result<(), DataError> {
    let three = data(30, |row| row % 2, |row| row % 3)?;
    let folds = split::folds(&three, 5, 0)?;
    assert_eq!(folds.len(), 3);
    for fold in &folds {
        check_whole(&three, fold);
    }
    // A single group cannot be held out: rows are, and who wants to know has asked before.
    let one = data(30, |row| row % 2, |_| 0)?;
    assert_eq!(split::folds(&one, 5, 0)?.len(), 5);
    assert_eq!(split::stratified(&one, 0.2, 0).test.len(), 6);
    assert_eq!(one.require_groups(), Err(DataError::TooFewGroups { groups: 1, needed: 2 }));
    assert_eq!(three.require_groups(), Ok(()));
    Ok(())
}

#[test]
fn a_class_is_never_held_out_whole() -> Result<(), DataError> {
    // Person 0 alone has class 2: held out, nothing of it would be left.
    let lonely = data(40, |row| if row < 4 { 2 } else { row % 2 }, |row| row / 4)?;
    for seed in 0..10 {
        let split = split::stratified(&lonely, 0.3, seed);
        check_whole(&lonely, &split);
        assert!(!groups_of(&lonely, &split.test).contains(&0) && !split.test.is_empty());
    }
    assert_eq!(lonely.require_groups(), Ok(()));
    assert_eq!(split::folds(&lonely, 3, 0), Err(DataError::ClassInFewGroups { class: "2".into() }));
    // Where every class has a person of its own, no hold-out is possible at all.
    let apart = data(40, |row| row % 2, |row| row % 2)?;
    assert_eq!(apart.require_groups(), Err(DataError::ClassInFewGroups { class: "0".into() }));
    Ok(())
}

#[test]
fn a_group_per_row_is_as_good_as_none_and_quick() -> Result<(), DataError> {
    let data = data(60_000, |row| row % 10, |row| row)?;
    let split = split::stratified(&data, 0.2, 0);
    assert_eq!(data.select(&split.test).class_counts(), [1200; 10]);
    let folds = split::folds(&data, 5, 0)?;
    assert!(folds.iter().all(|fold| data.select(&fold.test).class_counts() == [1200; 10]));
    Ok(())
}
