//! What comes back from the board.

use super::Workload;

/// An answer, to the bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The class's number.
    pub class: u32,
    /// Raw distance to it.
    pub distance: u32,
    /// Raw distance to the nearest other class.
    pub runner_up: u32,
    /// CRC-32 of the embedding's raw words.
    pub embedding: u32,
    /// CRC-32 of id, class and raw distance of the nearest items; 0 where the model holds none.
    pub items: u32,
}

/// What one answer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Instructions of `classify`.
    pub instructions: u64,
    /// Bytes of stack.
    pub stack: u32,
}

/// What a board found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// An answer per row; none where the board refused the row.
    pub answers: Vec<Option<Answer>>,
    /// Their costs.
    pub costs: Vec<Cost>,
    /// Instructions of `Model::from_bytes`, which reads the whole model once.
    pub load_instructions: u64,
}

/// In how many rows board and host disagree, and in what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Differences {
    /// In anything.
    pub rows: usize,
    /// In the class.
    pub class: usize,
    /// In a distance.
    pub distances: usize,
    /// In the embedding.
    pub embedding: usize,
    /// In the nearest items.
    pub items: usize,
}

impl Answer {
    /// Words per row in the file that the harness writes.
    pub(super) const WORDS: usize = 9;
}

impl Found {
    /// Bytes of the file's head, and of each answer in it.
    pub(super) const HEAD_BYTES: usize = 8;
    pub(super) const ROW_BYTES: usize = 4 * Answer::WORDS;

    /// Reads the file that the harness wrote; none if it is not whole.
    pub(super) fn read(bytes: &[u8], rows: usize) -> Option<Self> {
        let (head, body) = bytes.split_at_checked(Self::HEAD_BYTES)?;
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
        };
        let count = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        let head = words(head);
        let mut found = Self {
            answers: Vec::with_capacity(rows),
            costs: Vec::with_capacity(rows),
            load_instructions: count(head[0], head[1]),
        };
        for row in words(body).as_chunks::<{ Answer::WORDS }>().0 {
            let &[known, class, distance, runner_up, embedding, low, high, stack, items] = row;
            found.answers.push((known == 1).then_some(Answer { class, distance, runner_up, embedding, items }));
            found.costs.push(Cost { instructions: count(low, high), stack });
        }
        (found.answers.len() == rows).then_some(found)
    }

    /// Compares with the host's answers.
    #[must_use]
    pub fn differences(&self, workload: &Workload) -> Differences {
        let mut differences = Differences::default();
        for (found, expected) in self.answers.iter().zip(&workload.expected) {
            let differs = |part: fn(&Answer) -> (u32, u32)| {
                usize::from(found.as_ref().is_none_or(|found| part(found) != part(expected)))
            };
            differences.rows += usize::from(*found != Some(*expected));
            differences.class += differs(|answer| (answer.class, 0));
            differences.distances += differs(|answer| (answer.distance, answer.runner_up));
            differences.embedding += differs(|answer| (answer.embedding, 0));
            differences.items += differs(|answer| (answer.items, 0));
        }
        differences
    }

    /// The middle of the instructions of all rows, the lower one of two.
    #[must_use]
    pub fn instructions_median(&self) -> u64 {
        let mut counts: Vec<u64> = self.costs.iter().map(|cost| cost.instructions).collect();
        counts.sort_unstable();
        counts.get(counts.len().saturating_sub(1) / 2).copied().unwrap_or(0)
    }

    /// The most instructions that a row took.
    #[must_use]
    pub fn instructions_max(&self) -> u64 {
        self.costs.iter().map(|cost| cost.instructions).max().unwrap_or(0)
    }

    /// The most stack that a row took, in bytes.
    #[must_use]
    pub fn stack_bytes(&self) -> u32 {
        self.costs.iter().map(|cost| cost.stack).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rows: &[[u32; Answer::WORDS]]) -> Vec<u8> {
        [700, 1].iter().chain(rows.iter().flatten()).flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn the_file_is_read_back_and_must_be_whole() {
        let refused = [0, u32::MAX, 0, 0, 5, 200, 0, 90, 0];
        let rows = [[1, 2, 30, 40, 5, 600, 0, 70, 8], refused, [1, 0, 1, 2, 3, 500, 0, 80, 9]];
        let bytes = file(&rows);
        let found = Found::read(&bytes, 3);
        let answer = Answer { class: 2, distance: 30, runner_up: 40, embedding: 5, items: 8 };
        assert_eq!(found.as_ref().map(|found| &found.answers[..2]), Some(&[Some(answer), None][..]));
        assert_eq!(found.as_ref().map(|found| found.load_instructions), Some((1 << 32) + 700));
        let numbers = |found: Found| (found.instructions_median(), found.instructions_max(), found.stack_bytes());
        assert_eq!(found.map(numbers), Some((500, 600, 90)));
        assert_eq!(Found::read(&bytes, 4), None);
        assert_eq!(Found::read(&bytes[..bytes.len() - 4], 3), None);
        assert_eq!(Found::read(&bytes[..6], 0), None);
    }
}
