//! Seeded k-means: k-means++ seeding and Lloyd's rounds, one thread, same result everywhere.

use crate::linalg::Mat;
use crate::neighbors::nearest;
use crate::rng::Rng;

/// Rounds at most; assignments usually settle within twenty.
const ROUNDS: usize = 100;

/// At most `count` centers of the rows (fewer when there are fewer distinct rows), one per row of the result.
pub(crate) fn kmeans(rows: &Mat, count: usize, rng: &mut Rng) -> Mat {
    let mut centers = plus_plus(rows, count, rng);
    let mut assigned = Vec::new();
    for _ in 0..ROUNDS {
        let now: Vec<usize> = nearest(rows, &centers, 1, 1).iter().map(|found| found[0].row).collect();
        if now == assigned {
            break;
        }
        assigned = now;
        let means = crate::dataset::class_means(rows, &assigned, centers.nrows());
        let mut occupied = vec![false; centers.nrows()];
        for &c in &assigned {
            occupied[c] = true;
        }
        // A center that lost all its rows stays where it was.
        for c in (0..centers.nrows()).filter(|&c| occupied[c]) {
            centers.set_row(c, &means.row(c));
        }
    }
    centers
}

/// Each next center is a row drawn with probability proportional to its squared distance from the centers so far.
fn plus_plus(rows: &Mat, count: usize, rng: &mut Rng) -> Mat {
    let mut chosen = vec![rng.below(rows.nrows())];
    let mut distances = vec![f64::INFINITY; rows.nrows()];
    while chosen.len() < count {
        let last = rows.row(chosen[chosen.len() - 1]).into_owned();
        for (i, distance) in distances.iter_mut().enumerate() {
            *distance = distance.min((rows.row(i) - &last).norm_squared());
        }
        let total: f64 = distances.iter().sum();
        if total <= 0.0 {
            break;
        }
        let mut left = rng.uniform() * total;
        let next = distances.iter().position(|d| {
            left -= d;
            left < 0.0
        });
        chosen.push(next.unwrap_or(rows.nrows() - 1));
    }
    rows.select_rows(&chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clumps_have_two_centers() {
        let rows = Mat::from_row_slice(4, 1, &[0.0, 0.2, 10.0, 10.2]);
        let mut centers: Vec<f64> = kmeans(&rows, 2, &mut Rng::new(0)).iter().copied().collect();
        centers.sort_unstable_by(f64::total_cmp);
        assert!((centers[0] - 0.1).abs() < 1e-12 && (centers[1] - 10.1).abs() < 1e-12);
    }

    #[test]
    fn equal_rows_give_one_center() {
        assert_eq!(kmeans(&Mat::from_element(5, 2, 3.0), 4, &mut Rng::new(0)).nrows(), 1);
    }
}
