//! Ranking: the best few classes, nearest first.

use crate::{Candidate, Error, head::Heads, knn::Neighbors};

impl Heads<'_> {
    /// Writes the best classes, as many as fit, and returns how many there are: by votes where the model votes,
    /// then by distance, then by number.
    pub(crate) fn rank(&self, z: &[u32], words: &mut [u32], ranking: &mut [Candidate]) -> Result<usize, Error> {
        let neighbors = Neighbors::new(words);
        let mut len = 0;
        // Votes must be known before the first candidate is placed.
        for pass in 0..2 {
            self.scan(z, &mut |class, distance| {
                if pass == 0 {
                    neighbors.insert(class, distance);
                } else {
                    let new = Candidate { class, distance, votes: neighbors.votes(class), unit: self.unit() };
                    len = place(ranking, len, new);
                }
            });
        }
        match ranking.first() {
            Some(best) if len > 0 && best.distance >= self.infinite() => Err(Error::NotFinite),
            _ => Ok(len),
        }
    }
}

/// Inserts a candidate among the first `len`, keeping one line per class and the best of them in order, and
/// returns the new length.
///
/// A class that fell out comes back with a nearer prototype: distances only shrink, so the list
/// always holds the best of what was seen.
fn place(ranking: &mut [Candidate], len: usize, new: Candidate) -> usize {
    let key = |c: &Candidate| (!c.votes, c.distance, c.class);
    let mut moving = new;
    for slot in ranking.iter_mut().take(len) {
        // Asked before the lines change places: the class's old line is in this slot.
        let same = slot.class == new.class;
        if key(&moving) < key(slot) {
            core::mem::swap(slot, &mut moving);
        }
        // Either it is better than the new one or the new one stands above it: the worse line is dropped here.
        if same {
            return len;
        }
    }
    // Where it is full, the worst one falls out.
    let Some(room) = ranking.get_mut(len) else { return len };
    *room = moving;
    len.wrapping_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClassId;

    fn ranked<const K: usize>(of: &[(u16, u32, u8)]) -> std::vec::Vec<u16> {
        let mut ranking = [Candidate::NONE; K];
        let mut len = 0;
        for &(class, distance, votes) in of {
            len = place(&mut ranking, len, Candidate { class: ClassId(class), distance, votes, unit: 0 });
        }
        ranking[..len].iter().map(|c| c.class.0).collect()
    }

    #[test]
    fn one_line_per_class_nearest_first() {
        assert_eq!(ranked::<3>(&[(0, 9, 0), (1, 5, 0), (2, 7, 0), (3, 6, 0), (0, 1, 0), (2, 8, 0)]), [0, 1, 3]);
    }

    #[test]
    fn the_old_line_of_a_class_goes_even_when_another_class_lies_between() {
        assert_eq!(ranked::<3>(&[(0, 5, 0), (1, 7, 0), (1, 3, 0)]), [1, 0]);
        assert_eq!(ranked::<2>(&[(0, 5, 0), (1, 7, 0), (1, 3, 0), (2, 9, 0)]), [1, 0]);
    }

    #[test]
    fn votes_come_before_distance() {
        assert_eq!(ranked::<1>(&[(0, 1, 1), (1, 3, 2), (1, 4, 2)]), [1]);
    }
}
