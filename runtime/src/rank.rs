//! The best few classes, nearest first.

use heapless::Vec;

use crate::{Candidate, Error, head::Heads, knn::Neighbors, math::INFINITE};

impl Heads<'_> {
    /// The `K` best classes: by votes where the model votes, then by distance, then by number.
    pub(crate) fn rank<const K: usize>(&self, z: &[f32], words: &mut [u32]) -> Result<Vec<Candidate, K>, Error> {
        let neighbors = Neighbors::new(words);
        let mut ranking = Vec::new();
        let mut finite = false;
        // Votes must be known before the first candidate is placed.
        for voting in [true, false] {
            self.scan(z, |class, distance| {
                if voting {
                    neighbors.insert(class, distance);
                } else {
                    finite |= distance < INFINITE;
                    place(&mut ranking, neighbors, Candidate { class, distance, unit: 0 });
                }
            });
        }
        if finite { Ok(ranking) } else { Err(Error::NotFinite) }
    }
}

/// Inserts a candidate, keeping one line per class and the best `K` of them in order.
///
/// A class that fell out comes back with a nearer prototype: distances only shrink, so the list
/// always holds the best of what was seen.
fn place<const K: usize>(ranking: &mut Vec<Candidate, K>, neighbors: Neighbors<'_>, new: Candidate) {
    let key = |c: &Candidate| (u32::MAX - neighbors.votes(c.class), c.distance, c.class);
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

    #[test]
    fn one_line_per_class_nearest_first() {
        let mut ranking: Vec<Candidate, 3> = Vec::new();
        let neighbors = Neighbors::new(&mut []);
        for (class, distance) in [(0, 9), (1, 5), (2, 7), (3, 6), (0, 1), (2, 8)] {
            place(&mut ranking, neighbors, Candidate { class: ClassId(class), distance, unit: 0 });
        }
        assert_eq!(ids(&ranking), [0, 1, 3]);
    }

    #[test]
    fn votes_come_before_distance() {
        let mut words = [0; 6];
        let neighbors = Neighbors::new(&mut words);
        let of = [(0, 1), (1, 3), (1, 4)];
        of.iter().for_each(|&(class, distance)| neighbors.insert(ClassId(class), distance));
        let mut ranking: Vec<Candidate, 1> = Vec::new();
        for (class, distance) in of {
            place(&mut ranking, neighbors, Candidate { class: ClassId(class), distance, unit: 0 });
        }
        assert_eq!(ids(&ranking), [1]);
    }
}
