//! The nearest class of an embedding, among class means, prototypes and enrolled samples.
//!
//! Squared distances are compared by their bits: non-negative floats order like integers, and a
//! NaN sorts behind infinity, so one comparison at the end finds every value that is not finite.

use nearmark_format::{Layout, extras};

use crate::{ClassId, Error, Prediction, knn, memory::Enrolled, slices::numbers};

/// Bits of positive infinity: every finite distance lies below, every NaN above.
const INFINITE: u32 = 0x7F80_0000;

/// A head over one embedding.
#[derive(Copy, Clone)]
pub(crate) struct Heads<'a> {
    pub(crate) layout: &'a Layout<'a>,
    pub(crate) enrolled: Enrolled<'a>,
}

impl Heads<'_> {
    /// Names the nearest class; `neighbors` is the room for a vote, if the model votes.
    pub(crate) fn decide(&self, z: &[u32], neighbors: &mut [u32]) -> Result<Prediction, Error> {
        #[cfg(feature = "int")]
        if let Some((class, distance, runner_up)) = crate::int::head::nearest_mean(self, numbers(z)) {
            return Ok(Prediction { class, distance, runner_up, limit: self.limit(class), unit: self.unit() });
        }
        let neighbors = knn::Neighbors::new(neighbors);
        let mut nearest = Nearest::none(self.infinite());
        self.scan(z, &mut |class, distance| {
            nearest.push(class, distance);
            neighbors.insert(class, distance);
        });
        let mut found = (nearest.class, nearest.best, nearest.second);
        if let Some((class, distance)) = neighbors.vote()
            && class != nearest.class
        {
            found = (class, distance, nearest.best);
        }
        let (class, distance, runner_up) = found;
        if distance >= self.infinite() {
            return Err(Error::NotFinite);
        }
        Ok(Prediction { class, distance, runner_up, limit: self.limit(class), unit: self.unit() })
    }

    /// Visits every mean or prototype with its class and the bits of its squared distance.
    ///
    /// Called through a pointer: one copy in flash for all that ask.
    pub(crate) fn scan(&self, z: &[u32], visit: &mut dyn FnMut(ClassId, u32)) {
        #[cfg(feature = "int")]
        if self.layout.int() {
            return crate::int::head::scan(self, numbers(z), visit);
        }
        crate::f32::head::scan(self, numbers(z), visit);
    }

    /// Beyond every distance that means something.
    pub(crate) fn infinite(&self) -> u32 {
        if self.layout.int() { u32::MAX } else { INFINITE }
    }

    /// For [`Prediction`]: the scale from raw to real coordinates, as bits; 0 where they are floats already.
    pub(crate) fn unit(&self) -> u32 {
        if self.layout.int() { self.layout.meta().z_unit.to_bits() } else { 0 }
    }

    /// The largest distance at which a class is accepted.
    fn limit(&self, class: ClassId) -> u32 {
        let radii = self.layout.extras().find(extras::RADII).unwrap_or_default();
        let (radii, _) = radii.as_chunks::<4>();
        radii.get(usize::from(class.0)).map_or(u32::MAX, |&bytes| u32::from_le_bytes(bytes))
    }
}

/// Whether words can be an embedding: floats are finite, integers have 16 bits.
#[inline(never)] // one copy in flash
pub(crate) fn finite(layout: &Layout<'_>, z: &[u32]) -> Result<(), Error> {
    let int = layout.int();
    let good = |&word: &u32| if int { i16::try_from(word as i32).is_ok() } else { word & INFINITE != INFINITE };
    if z.iter().all(good) { Ok(()) } else { Err(Error::NotFinite) }
}

/// The nearest class so far, and the nearest of all other classes.
struct Nearest {
    class: ClassId,
    best: u32,
    second: u32,
}

impl Nearest {
    const fn none(infinite: u32) -> Self {
        Self { class: ClassId(u16::MAX), best: infinite, second: infinite }
    }

    fn push(&mut self, class: ClassId, distance: u32) {
        if class == self.class {
            self.best = self.best.min(distance);
        } else if (distance, class) < (self.best, self.class) {
            // Whatever came second before belongs behind the class that has just lost its place.
            self.second = self.best;
            (self.class, self.best) = (class, distance);
        } else {
            self.second = self.second.min(distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(of: &[(u16, u32)]) -> (u16, u32, u32) {
        let mut nearest = Nearest::none(INFINITE);
        for &(class, distance) in of {
            nearest.push(ClassId(class), distance);
        }
        (nearest.class.0, nearest.best, nearest.second)
    }

    #[test]
    fn runner_up_is_always_another_class() {
        assert_eq!(nearest(&[(0, 5), (1, 7), (1, 3)]), (1, 3, 5));
        assert_eq!(nearest(&[(0, 5), (0, 3), (1, 9)]), (0, 3, 9));
        assert_eq!(nearest(&[(2, 5), (2, 3)]), (2, 3, INFINITE));
    }

    #[test]
    fn ties_go_to_the_lowest_class() {
        assert_eq!(nearest(&[(3, 5), (1, 5), (2, 5)]), (1, 5, 5));
    }

    #[test]
    fn nan_is_never_nearest() {
        assert_eq!(nearest(&[(0, f32::NAN.to_bits()), (1, 5)]), (1, 5, INFINITE));
    }
}
