//! Embedded rows in the plane.

use crate::chart::{Cloud, Scatter};
use crate::error::FitError;
use crate::linalg::{Mat, column_means, mul, shift_columns, thin_svd};

/// Embedded rows and their classes.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// What they are, like `training` or `test`.
    pub kind: &'a str,
    /// One row per row.
    pub embedding: &'a Mat,
    /// The class of each by name; without names all are of one class.
    pub classes: Option<&'a [String]>,
}

/// The rows in the plane: by their two coordinates, or where there are more, along the two axes of largest variance of
/// the first group. One coordinate is drawn against the row's number.
///
/// # Errors
/// [`FitError`] if the axes cannot be found.
pub fn scatter(title: &str, groups: &[Rows<'_>]) -> Result<Scatter, FitError> {
    let dim = groups.first().map_or(0, |group| group.embedding.ncols());
    let axes = match groups.first().filter(|_| dim > 2) {
        Some(first) => {
            let mean = column_means(first.embedding);
            let centered = shift_columns(first.embedding.clone(), &mean);
            let svd = thin_svd(&centered).map_err(FitError::at("axes of the embedding"))?;
            Some((mean, svd.v.columns(0, 2).into_owned()))
        }
        None => None,
    };
    let mut clouds = Vec::new();
    for group in groups {
        let plane = match &axes {
            Some((mean, axes)) => mul(&shift_columns(group.embedding.clone(), mean), axes, 1),
            None => group.embedding.clone(),
        };
        let at = |row: usize| if dim == 1 { (row as f64, plane[(row, 0)]) } else { (plane[(row, 0)], plane[(row, 1)]) };
        clouds.extend(by_class(group, at));
    }
    let [x, y] = match dim {
        1 => ["row", "coordinate 1"],
        2 => ["coordinate 1", "coordinate 2"],
        _ => ["first principal axis of the embedding", "second principal axis of the embedding"],
    };
    Ok(Scatter { title: title.to_owned(), x: x.to_owned(), y: y.to_owned(), clouds })
}

/// The rows of every class, classes in order of their names as numbers where all are numbers.
fn by_class(group: &Rows<'_>, at: impl Fn(usize) -> (f64, f64)) -> Vec<Cloud> {
    let count = group.embedding.nrows();
    let Some(classes) = group.classes else {
        return vec![Cloud {
            class: "rows".to_owned(),
            kind: group.kind.to_owned(),
            points: (0..count).map(at).collect(),
        }];
    };
    let names = in_order(classes);
    let cloud = |name: &String| Cloud {
        class: name.clone(),
        kind: group.kind.to_owned(),
        points: (0..count).filter(|&row| classes[row] == *name).map(&at).collect(),
    };
    names.into_iter().map(cloud).collect()
}

/// The different names in order: by number if all are numbers, then by text.
fn in_order(names: &[String]) -> Vec<&String> {
    let mut names: Vec<&String> = names.iter().collect();
    names.sort_unstable();
    names.dedup();
    let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
    if let Some(numbers) = numbers {
        let mut pairs: Vec<(f64, &String)> = numbers.into_iter().zip(names).collect();
        // Stable: names of one number stay in the order of their text.
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        names = pairs.into_iter().map(|(_, name)| name).collect();
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_coordinates_than_two_are_turned_onto_the_largest_variance() -> Result<(), FitError> {
        // The third coordinate varies most, the first not at all.
        let z = Mat::from_row_slice(4, 3, &[1.0, 1.0, 9.0, 1.0, -1.0, 9.0, 1.0, 1.0, -9.0, 1.0, -1.0, -9.0]);
        let classes = ["10", "9", "10", "9"].map(str::to_owned);
        let found = scatter("z", &[Rows { kind: "training", embedding: &z, classes: Some(&classes) }])?;
        assert_eq!(found.clouds.iter().map(|cloud| cloud.class.as_str()).collect::<Vec<_>>(), ["9", "10"]);
        let points: Vec<(f64, f64)> = found.clouds.iter().flat_map(|cloud| cloud.points.clone()).collect();
        assert!(points.iter().all(|(x, y)| (x.abs() - 9.0).abs() < 1e-12 && (y.abs() - 1.0).abs() < 1e-12));
        Ok(())
    }

    #[test]
    fn names_are_ordered_by_number_only_where_all_are_numbers() {
        let order = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            in_order(&names).into_iter().cloned().collect::<Vec<_>>()
        };
        assert_eq!(order(&["10", "2", "1.0", "1", "10"]), ["1", "1.0", "2", "10"]);
        assert_eq!(order(&["2", "1a", "10"]), ["10", "1a", "2"]);
        // No pairwise rule orders these: 2 < 10 < 1a < 2.
        let many: Vec<&str> = ["2", "10", "1a"].into_iter().cycle().take(99).collect();
        assert_eq!(order(&many), ["10", "1a", "2"]);
    }

    #[test]
    fn two_coordinates_are_drawn_as_they_are_and_one_against_the_row() -> Result<(), FitError> {
        let z = Mat::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]);
        let group = Rows { kind: "", embedding: &z, classes: None };
        assert_eq!(scatter("z", &[group])?.clouds[0].points, [(1.0, 2.0), (3.0, 4.0)]);
        let one = z.columns(1, 1).into_owned();
        let group = Rows { kind: "", embedding: &one, classes: None };
        assert_eq!(scatter("z", &[group])?.clouds[0].points, [(0.0, 2.0), (1.0, 4.0)]);
        Ok(())
    }
}
