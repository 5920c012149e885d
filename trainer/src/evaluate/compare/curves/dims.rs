//! Which numbers of dimensions to measure.

use crate::methods::ValueError;
use std::str::FromStr;

/// More numbers than this are a typing error.
const MOST: usize = 10_000;

/// Numbers of dimensions in ascending order; there is at least one, and none is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dims(Vec<usize>);

impl Dims {
    /// These numbers, zeros aside; `None` if nothing is left.
    #[must_use]
    pub fn new(numbers: impl IntoIterator<Item = usize>) -> Option<Self> {
        let mut dims: Vec<usize> = numbers.into_iter().filter(|&dim| dim > 0).collect();
        dims.sort_unstable();
        dims.dedup();
        (!dims.is_empty()).then_some(Self(dims))
    }

    /// The numbers, least first.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().copied()
    }

    /// The largest.
    pub(super) fn most(&self) -> usize {
        self.0.last().copied().unwrap_or(1)
    }

    /// The least.
    pub(super) fn least(&self) -> usize {
        self.0.first().copied().unwrap_or(1)
    }
}

impl FromStr for Dims {
    type Err = ValueError;

    /// Reads `1-40`, `5-100:5`, or several such separated by commas.
    fn from_str(text: &str) -> Result<Self, ValueError> {
        let error = || ValueError::new("dimensions like 1-40, 5-100:5 or 1,2,5", text);
        let number =
            |text: &str| text.trim().parse::<usize>().ok().filter(|&n| (1..=MOST).contains(&n)).ok_or_else(error);
        let mut dims = Vec::new();
        for piece in text.split(',') {
            let (span, step) = piece.split_once(':').map_or((piece, "1"), |(span, step)| (span, step));
            let (first, last) = span.split_once('-').unwrap_or((span, span));
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return Err(error());
            }
            dims.extend((first..=last).step_by(number(step)?));
        }
        Self::new(dims).ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_steps_and_lists_are_read() -> Result<(), ValueError> {
        let read = |text: &str| text.parse::<Dims>().map(|dims| dims.0);
        assert_eq!(read("1-4")?, [1, 2, 3, 4]);
        assert_eq!(read("5-20:5")?, [5, 10, 15, 20]);
        assert_eq!(read("7, 1-2,2")?, [1, 2, 7]);
        for wrong in ["", "0-4", "4-1", "x", "1-", "1-4:0", "1-99999"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let error = read("a").map_err(|error| error.to_string());
        assert_eq!(error, Err("expected dimensions like 1-40, 5-100:5 or 1,2,5, got \"a\"".to_owned()));
        Ok(())
    }
}
