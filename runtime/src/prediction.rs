//! Answers. Distances stay raw until a call converts them to floats.

/// A class by number: below the model's number of classes, or beyond it when enrolled on the device.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(transparent)] // an array of them is an array of numbers in other languages too
pub struct ClassId(pub u16);

/// The nearest class, how near it is, and how near the next one is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Prediction {
    pub(crate) class: ClassId,
    pub(crate) distance: u32,
    pub(crate) runner_up: u32,
    /// The largest distance at which the class is accepted.
    pub(crate) limit: u32,
    /// Bits of the real size of a coordinate's raw unit; 0 where distances are floats already.
    pub(crate) unit: u32,
}

/// Squared distances as the model computes them: bits of `f32`, or integers in the INT profile.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RawDistances {
    /// To the class named.
    pub distance: u32,
    /// To the nearest other class; infinite (or `u32::MAX`) where there is none.
    pub runner_up: u32,
}

/// One line of a ranking.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Candidate {
    pub(crate) class: ClassId,
    pub(crate) distance: u32,
    pub(crate) votes: u8,
    pub(crate) unit: u32,
}

impl Prediction {
    /// The class.
    #[must_use]
    pub const fn class(&self) -> ClassId {
        self.class
    }

    /// Whether the sample lies within the class's reject radius; always, where the model has none.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        // Non-negative floats order like their bits.
        self.distance <= self.limit
    }

    /// Squared distance to the class.
    #[must_use]
    pub fn distance_sq(&self) -> f32 {
        to_float(self.distance, self.unit)
    }

    /// How much farther the nearest other class is, in squared distance.
    ///
    /// Negative where a vote of several neighbors overruled the nearest one; infinite where there
    /// is no other class.
    #[must_use]
    pub fn margin(&self) -> f32 {
        to_float(self.runner_up, self.unit) - to_float(self.distance, self.unit)
    }

    /// The distances without any float arithmetic.
    #[must_use]
    pub const fn raw(&self) -> RawDistances {
        RawDistances { distance: self.distance, runner_up: self.runner_up }
    }
}

impl Candidate {
    /// An empty line.
    pub(crate) const NONE: Self = Self { class: ClassId(u16::MAX), distance: u32::MAX, votes: 0, unit: 0 };

    /// The class.
    #[must_use]
    pub const fn class(&self) -> ClassId {
        self.class
    }

    /// Squared distance to the class.
    #[must_use]
    pub fn distance_sq(&self) -> f32 {
        to_float(self.distance, self.unit)
    }

    /// The distance without any float arithmetic, as in [`RawDistances`].
    #[must_use]
    pub const fn raw_distance(&self) -> u32 {
        self.distance
    }
}

pub(crate) fn to_float(raw: u32, unit: u32) -> f32 {
    match unit {
        0 => f32::from_bits(raw),
        unit if raw != u32::MAX => raw as f32 * f32::from_bits(unit) * f32::from_bits(unit),
        _ => f32::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margin_is_the_gap_to_the_next_class() {
        let float = Prediction { distance: 1.5f32.to_bits(), runner_up: 4f32.to_bits(), ..Prediction::default() };
        assert_eq!((float.distance_sq(), float.margin()), (1.5, 2.5));
        let int = Prediction { distance: 6, runner_up: 16, unit: 0.5f32.to_bits(), ..Prediction::default() };
        assert_eq!((int.distance_sq(), int.margin()), (1.5, 2.5));
    }

    #[test]
    fn known_means_within_the_limit() {
        let at = |d: f32| Prediction { distance: d.to_bits(), limit: 2f32.to_bits(), ..Prediction::default() };
        assert!(at(2.0).is_known());
        assert!(!at(2.1).is_known());
    }
}
