//! The k nearest prototypes and their vote.

use core::cell::Cell;

use crate::ClassId;

/// The nearest prototypes so far, nearest first, in the caller's scratch: distance and class.
#[derive(Copy, Clone)]
pub(crate) struct Neighbors<'a> {
    list: &'a [Cell<[u32; 2]>],
}

/// An empty place, farther than every prototype. (Not the same byte throughout, or filling would call `memset`.)
const EMPTY: [u32; 2] = [u32::MAX, u16::MAX as u32];

impl<'a> Neighbors<'a> {
    /// An empty list with room for one neighbor per two words.
    pub(crate) fn new(words: &'a mut [u32]) -> Self {
        let words = if cfg!(feature = "knn") { words } else { &mut [] };
        let (pairs, _) = words.as_chunks_mut::<2>();
        pairs.fill(EMPTY);
        Self { list: Cell::from_mut(pairs).as_slice_of_cells() }
    }

    /// Puts a prototype in its place; the farthest one falls out.
    pub(crate) fn insert(self, class: ClassId, distance: u32) {
        let mut item = [distance, class.0.into()];
        for slot in self.list {
            let there = slot.get();
            // Of equals the lowest class goes first, whoever came first.
            if (item[0], item[1]) < (there[0], there[1]) {
                slot.set(item);
                item = there;
            }
        }
    }

    /// Votes for a class.
    pub(crate) fn votes(self, class: ClassId) -> u8 {
        self.list.iter().fold(0, |votes: u8, slot| votes.wrapping_add((slot.get()[1] == class.0.into()).into()))
    }

    /// The class with most votes, the nearer one where votes tie, and its nearest distance.
    pub(crate) fn vote(self) -> Option<(ClassId, u32)> {
        let mut most = 0;
        let mut winner = None;
        for [distance, class] in self.list.iter().map(Cell::get) {
            let class = ClassId(class as u16);
            let votes = self.votes(class);
            // Nearest first: a later class must win outright.
            if votes > most && distance != EMPTY[0] {
                (most, winner) = (votes, Some((class, distance)));
            }
        }
        winner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(k: usize, of: &[(u16, u32)]) -> Option<(u16, u32)> {
        let mut words = vec![0; 2 * k];
        let neighbors = Neighbors::new(&mut words);
        for &(class, distance) in of {
            neighbors.insert(ClassId(class), distance);
        }
        neighbors.vote().map(|(class, distance)| (class.0, distance))
    }

    #[test]
    fn majority_of_the_nearest_wins() {
        let of = [(0, 1), (0, 50), (1, 3), (1, 4), (2, 60)];
        assert_eq!(vote(3, &of), Some((1, 3)));
        assert_eq!(vote(5, &of), Some((0, 1)), "a tied vote goes to the nearer class");
        assert_eq!(vote(1, &of), Some((0, 1)));
    }

    #[test]
    fn fewer_prototypes_than_voters_still_vote() {
        assert_eq!(vote(9, &[(4, 7)]), Some((4, 7)));
        assert_eq!(vote(9, &[]), None);
        assert_eq!(vote(0, &[(4, 7)]), None);
    }
}
