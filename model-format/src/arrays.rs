//! What each section holds, as arrays of numbers: types and sizes without the padding.

use alloc::{vec, vec::Vec};

use crate::{Num, Section, Spec, meta::code};

/// Numbers of one type, in rows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Number of rows.
    pub rows: usize,
    /// Numbers per row.
    pub width: usize,
    /// Their type as Rust names it, `bit`, or `i4` for signed nibbles.
    pub element: &'static str,
    /// Bits of one of them.
    pub bits: usize,
}

impl Array {
    /// Bytes of all of them, without padding.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.rows * self.width * self.bits).div_ceil(8)
    }
}

/// A type of numbers: its name and bits.
type Element = (&'static str, usize);

const BIT: Element = ("bit", 1);
const I4: Element = ("i4", 4);
const U4: Element = ("u4", 4);
const U8: Element = ("u8", 8);
const I8: Element = ("i8", 8);
const U16: Element = ("u16", 16);
const I16: Element = ("i16", 16);
const I32: Element = ("i32", 32);
const F32: Element = ("f32", 32);
const U32: Element = ("u32", 32);

impl Spec {
    /// The arrays of a section, in order; none where the model does not have it.
    #[must_use]
    pub fn arrays(&self, section: Section) -> Vec<Array> {
        // One place decides which sections there are.
        if self.section_bytes(section) == 0 {
            return Vec::new();
        }
        let (meta, int) = (self.meta(), self.is_int());
        let (kept, projected, mapped, dim) = (self.kept(), self.projected(), self.mapped(), self.dim());
        let by = |float: Element, integer: Element| if int { integer } else { float };
        let nonzeros = usize::from(meta.nonzeros);
        let center = match meta.feature_map {
            code::MAP_RANDOM => I8,
            _ if meta.has_nibble_centers() => U4,
            _ => U8,
        };
        let weight = match meta.readout_num {
            code::READOUT_NIBBLES => I4,
            num if num == Num::I16 as u8 => I16,
            _ => I8,
        };
        let heads = if meta.head == code::HEAD_PROTOTYPES { meta.prototypes.into() } else { self.classes() };
        let (rows, width, element) = match section {
            Section::Mask => (1, self.pooled(), BIT),
            Section::Scale => (2, kept, by(F32, I16)),
            Section::SparseCounts => (1, projected, U16),
            Section::SparseGaps => (1, nonzeros, U8),
            Section::Project if meta.project == code::PROJECT_SPARSE => (1, nonzeros, by(F32, I8)),
            Section::Project => (projected, kept, by(F32, if meta.has_nibble_projection() { I4 } else { I8 })),
            Section::ProjectBias => (1, projected, by(F32, I32)),
            Section::Centers => (mapped, projected, by(F32, center)),
            Section::Phases => (1, mapped, by(F32, U16)),
            Section::Readout => (mapped, dim, by(F32, weight)),
            Section::ReadoutBias => (1, dim, by(F32, I32)),
            Section::Head => (heads, dim, by(F32, I16)),
            Section::Counts => (1, self.classes(), U16),
            Section::Series => (1, meta.channels as usize, U16),
            Section::Filters => (meta.filters.into(), 9 * meta.channels as usize, by(F32, I8)),
        };
        let array = |rows, width, (element, bits): Element| Array { rows, width, element, bits };
        let mut arrays = vec![array(rows, width, element)];
        // A multiplier per output brings sums back to few bits.
        match section {
            Section::Project if int => arrays.push(array(1, projected, U16)),
            Section::Readout if int => arrays.push(array(1, dim, U16)),
            // What to compute; in F32 followed by a float.
            Section::Series => arrays.push(array(self.pooled(), if int { 1 } else { 2 }, U32)),
            Section::Filters => {
                let (filters, filters2) = (usize::from(meta.filters), usize::from(meta.filters2));
                let scales = |filters| [array(1, filters, U16), array(1, filters, by(F32, I32))];
                arrays.extend(scales(filters).into_iter().skip(usize::from(!int)));
                if filters2 != 0 {
                    arrays.push(array(filters2, 9 * filters, by(F32, I4)));
                    arrays.extend(scales(filters2).into_iter().skip(usize::from(!int)));
                }
            }
            _ => {}
        }
        arrays
    }
}

#[cfg(all(
    test,
    feature = "f32",
    feature = "int",
    feature = "counts",
    feature = "convolution",
    feature = "select",
    feature = "scale",
    feature = "project",
    feature = "sparse",
    feature = "gaussian",
    feature = "random",
    feature = "knn"
))]
mod tests {
    use super::*;
    use crate::{Pool, Pooling, Profile, Shape};

    /// Sizes that need no padding, so that arrays fill their sections.
    fn specs(profile: Profile) -> [Spec; 6] {
        let spec = Spec::new(profile, 64, 8, 12).select(32);
        [
            spec.scale(code::SCALE_FEATURES).project(16, true).centers(40, code::KERNEL_GAUSSIAN).readout(true),
            spec.project_sparse(16, 36, true).random(24).wide_readout(true).means(),
            spec.project(16, false).seeded(24).readout(false).prototypes(3, 20),
            spec.readout(true).means(),
            Spec::new(profile, 64, 8, 12)
                .shape(Shape { channels: 4, rows: 1, cols: 16 })
                .counts(20, false)
                .readout(true)
                .means(),
            Spec::new(profile, 64, 8, 12)
                .shape(Shape { channels: 1, rows: 8, cols: 8 })
                .convolution(Pool { rows: 1, cols: 1 }, 8, 8, Pooling::Max)
                .readout(true)
                .means(),
        ]
    }

    #[test]
    fn arrays_fill_their_sections() {
        for spec in [Profile::F32, Profile::Int].into_iter().flat_map(specs) {
            for section in Section::ALL {
                let arrays: usize = spec.arrays(section).iter().map(Array::bytes).sum();
                assert_eq!(arrays, spec.section_bytes(section), "{section:?} of {spec:?}");
            }
        }
    }

    #[test]
    fn padding_is_not_counted() {
        let spec = Spec::new(Profile::Int, 64, 9, 9).select(50).project(10, true);
        let project = spec.arrays(Section::Project);
        assert_eq!(project.iter().map(|array| (array.rows, array.width)).collect::<Vec<_>>(), [(10, 50), (1, 10)]);
        assert_eq!((project[0].bytes(), project[1].bytes()), (500, 20));
        assert_eq!(spec.arrays(Section::Mask)[0].bytes(), 8);
    }
}
