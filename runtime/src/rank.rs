//! The best few classes, nearest first.

use heapless::Vec;

use crate::{Candidate, Error, head::Heads, knn::Neighbors};

impl Heads<'_> {
    /// The `K` best classes: by votes where the model votes, then by distance, then by number.
    pub(crate) fn rank<const K: usize>(&self, z: &[u32], words: &mut [u32]) -> Result<Vec<Candidate, K>, Error> {
        let neighbors = Neighbors::new(words);
        let mut ranking = Vec::new();
        // Votes must be known before the first candidate is placed.
        for pass in 0..2 {
            self.scan(z, &mut |class, distance| {
                if pass == 0 {
                    neighbors.insert(class, distance);
                } else {
                    place(
                        &mut ranking,
                        Candidate { class, distance, votes: neighbors.votes(class), unit: self.unit() },
                    );
                }
            });
        }
        match ranking.first() {
            Some(best) if best.distance >= self.infinite() => Err(Error::NotFinite),
            _ => Ok(ranking),
        }
    }
}

/// Inserts a candidate, keeping one line per class and the best `K` of them in order.
///
/// A class that fell out comes back with a nearer prototype: distances only shrink, so the list
/// always holds the best of what was seen.
fn place<const K: usize>(ranking: &mut Vec<Candidate, K>, new: Candidate) {
    let key = |c: &Candidate| (!c.votes, c.distance, c.class);
    let mut moving = new;
    for slot in ranking.iter_mut() {
        if key(&moving) < key(slot) {
            core::mem::swap(slot, &mut moving);
        }
        // The class had a line already: the worse of the two is dropped here.
        if moving.class == slot.class {
            return;
        }
    }
    // Full: the worst one falls out.
    let _ = ranking.push(moving);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClassId;

    fn ids<const K: usize>(ranking: &Vec<Candidate, K>) -> std::vec::Vec<u16> {
        ranking.iter().map(|c| c.class.0).collect()
    }

    fn ranked<const K: usize>(of: &[(u16, u32, u8)]) -> std::vec::Vec<u16> {
        let mut ranking: Vec<Candidate, K> = Vec::new();
        for &(class, distance, votes) in of {
            place(&mut ranking, Candidate { class: ClassId(class), distance, votes, unit: 0 });
        }
        ids(&ranking)
    }

    #[test]
    fn one_line_per_class_nearest_first() {
        assert_eq!(ranked::<3>(&[(0, 9, 0), (1, 5, 0), (2, 7, 0), (3, 6, 0), (0, 1, 0), (2, 8, 0)]), [0, 1, 3]);
    }

    #[test]
    fn votes_come_before_distance() {
        assert_eq!(ranked::<1>(&[(0, 1, 1), (1, 3, 2), (1, 4, 2)]), [1]);
    }
}
