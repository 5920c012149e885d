//! Retrieval: the nearest stored items of a sample, by their ids.

use nearmark_format::extras;

use crate::{ClassId, Error, Model, Sample, head::Heads, memory::Enrolled, prediction::to_float};

/// A stored item and how far from the sample it lies.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Item {
    pub(crate) id: u32,
    pub(crate) distance: u32,
    pub(crate) unit: u32,
    pub(crate) class: ClassId,
}

impl Item {
    /// An empty place, farther than every item. (Not the same byte throughout, or filling would call `memset`.)
    pub(crate) const NONE: Self = Self { id: u32::MAX, distance: u32::MAX, unit: 0, class: ClassId(u16::MAX) };

    /// The item's id: what the training data had in its id column, or the number of its row there.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The item's class; 0 where the data had no labels.
    #[must_use]
    pub const fn class(&self) -> ClassId {
        self.class
    }

    /// Squared distance between the embeddings of sample and item.
    #[must_use]
    pub fn distance_sq(&self) -> f32 {
        to_float(self.distance, self.unit)
    }

    /// The squared distance without any float arithmetic, as in [`RawDistances`](crate::RawDistances).
    #[must_use]
    pub const fn raw_distance(&self) -> u32 {
        self.distance
    }

    /// Nearest first; of equals the lower id.
    fn key(&self) -> (u32, u32) {
        (self.distance, self.id)
    }
}

impl Model<'_> {
    /// The `K` stored items nearest to a sample, nearest first; fewer where the model holds fewer.
    ///
    /// Of items that are equally far the one with the lower id comes first, and of equal ids the one stored first.
    /// Every labelled point of a prototype head is an item (`nearmark fit --head items` keeps all training rows). A
    /// model with class means has these as items, numbered by their class.
    ///
    /// # Errors
    /// As [`classify`](Self::classify).
    pub fn nearest<const K: usize>(
        &self,
        x: &(impl Sample + ?Sized),
        scratch: &mut [u32],
    ) -> Result<heapless::Vec<Item, K>, Error> {
        let mut items = heapless::Vec::new();
        // Never refused: it is the capacity.
        let _ = items.resize(K, Item::NONE);
        let len = self.find_items(x, scratch, &mut items)?;
        items.truncate(len);
        Ok(items)
    }

    /// As [`nearest`](Self::nearest), for a number of items that is known only when the program runs: writes as many
    /// as fit and there are, and returns how many.
    ///
    /// # Errors
    /// As [`classify`](Self::classify); then what `items` holds means nothing.
    pub fn nearest_into(
        &self,
        x: &(impl Sample + ?Sized),
        scratch: &mut [u32],
        items: &mut [Item],
    ) -> Result<usize, Error> {
        items.fill(Item::NONE);
        self.find_items(x, scratch, items)
    }

    /// Lists the nearest items in empty places.
    fn find_items(&self, x: &(impl Sample + ?Sized), scratch: &mut [u32], items: &mut [Item]) -> Result<usize, Error> {
        let (z, _) = self.embedding(x, scratch)?;
        Heads { layout: &self.layout, enrolled: Enrolled::default() }.nearest(z, items)
    }
}

impl Default for Item {
    /// An empty place, to fill an array with.
    fn default() -> Self {
        Self::NONE
    }
}

impl Heads<'_> {
    /// Writes the nearest items into empty places, as many as fit, and returns how many.
    fn nearest(&self, z: &[u32], items: &mut [Item]) -> Result<usize, Error> {
        let ids = self.layout.extras().find(extras::ITEMS).unwrap_or_default();
        let (ids, _) = ids.as_chunks::<4>();
        let unit = self.unit();
        let mut seen = 0;
        self.scan(z, &mut |class, distance| {
            let id = ids.get(seen).map_or(seen as u32, |&bytes| u32::from_le_bytes(bytes));
            seen = seen.wrapping_add(1);
            place(items, Item { id, distance, unit, class });
        });
        match items.first() {
            Some(nearest) if nearest.distance >= self.infinite() => Err(Error::NotFinite),
            _ => Ok(seen.min(items.len())),
        }
    }
}

/// Puts an item in its place; the farthest one falls out.
fn place(items: &mut [Item], mut moving: Item) {
    for slot in items {
        // A copy, not a swap: fewer instructions.
        let there = *slot;
        if moving.key() < there.key() {
            *slot = moving;
            moving = there;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed<const K: usize>(of: &[(u32, u32)]) -> [(u32, u32); K] {
        let mut items = [Item::NONE; K];
        for &(id, distance) in of {
            place(&mut items, Item { id, distance, unit: 0, class: ClassId(0) });
        }
        items.map(|item| (item.id, item.distance))
    }

    #[test]
    fn the_nearest_come_first_and_the_farthest_fall_out() {
        assert_eq!(placed([(7, 9), (8, 5), (9, 7), (1, 6), (2, 8)].as_slice()), [(8, 5), (1, 6), (9, 7)]);
    }

    #[test]
    fn of_equal_distances_the_lower_id_comes_first() {
        assert_eq!(placed([(9, 5), (3, 5), (7, 5)].as_slice()), [(3, 5), (7, 5)]);
    }
}
