//! What the programs share: the type of a sample's values.

#![no_std]

/// What the sensor gives.
#[cfg(not(any(feature = "u8", feature = "i8", feature = "i16")))]
pub type Value = f32;
/// What the sensor gives.
#[cfg(feature = "u8")]
pub type Value = u8;
/// What the sensor gives.
#[cfg(feature = "i8")]
pub type Value = i8;
/// What the sensor gives.
#[cfg(feature = "i16")]
pub type Value = i16;
