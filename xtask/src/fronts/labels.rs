//! Where the names of marks stand in a chart, so that none covers another.

use super::plot::{BOTTOM, HEIGHT, LEFT, WIDTH};

/// Width of a letter of a label of 12 pixels, on average, in the widest of the fonts.
pub(super) const LETTER: f64 = 7.3;
/// Distance from one line of labels to the next.
pub(super) const LINE: f64 = 14.0;
/// Distance from a mark to its label.
pub(super) const GAP: f64 = 9.0;

/// The pixels of a name or a mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Label {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) middle: f64,
    /// Whether it stands on the left of its mark.
    pub(super) leftward: bool,
}

impl Label {
    pub(super) fn new(left: f64, width: f64, middle: f64) -> Self {
        Self { left, right: left + width, middle, leftward: false }
    }

    fn covers(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && (self.middle - other.middle).abs() < LINE - 1.0
    }
}

/// Where the name of a mark stands: on its right if that is free, else on its left, else a line lower or higher.
pub(super) fn place(name: &str, at: (f64, f64), marks: &[Label], labels: &[Label]) -> Label {
    let width = LETTER * name.chars().count() as f64;
    let shifts = [0.0, 1.0, -1.0, 1.6, -1.6, 2.4, -2.4, 3.2, -3.2];
    let mut tries = shifts.iter().flat_map(|shift| {
        // A line above or below, a name may begin over its mark.
        let near = if *shift == 0.0 { GAP } else { -6.0 };
        let right = Label::new(at.0 + near, width, at.1 + shift * LINE);
        [right, Label { leftward: true, ..Label::new(at.0 - near - width, width, right.middle) }]
    });
    let free = |label: &Label| {
        let inside = label.left > LEFT && label.right < WIDTH - 4.0 && label.middle < HEIGHT - BOTTOM - 4.0;
        inside && !marks.iter().chain(labels).any(|other| label.covers(other))
    };
    tries.find(free).unwrap_or_else(|| Label::new(at.0 + GAP, width, at.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_marks_at_one_place_do_not_overlap() {
        let at = [(300.0, 150.0), (310.0, 150.0), (320.0, 152.0), (600.0, 150.0)];
        let marks = at.map(|(x, y)| Label::new(x - 6.0, 12.0, y));
        let mut labels: Vec<Label> = Vec::new();
        for at in at {
            labels.push(place("ten letters", at, &marks, &labels));
        }
        for (i, label) in labels.iter().enumerate() {
            assert!(!labels[..i].iter().chain(&marks).any(|other| label.covers(other)), "{i}: {labels:?}");
        }
        // Where there is room, a name stands beside its mark.
        assert_eq!((labels[3].left, labels[3].middle), (600.0 + GAP, 150.0));
    }
}
