//! Models in flash: aligned, stripped, with their sizes as constants.

/// Bytes at an address that models can be read from in place.
#[doc(hidden)]
#[derive(Copy, Clone)]
#[repr(C, align(16))]
pub struct Aligned<const N: usize>(pub [u8; N]);

/// The core of a model file with its provenance flag cleared, at compile time.
///
/// # Panics
/// If the file is shorter than its header says: a compile error in `include_model!`.
#[doc(hidden)]
#[must_use]
pub const fn core_of<const N: usize>(file: &[u8]) -> Aligned<N> {
    let Some(core) = file.first_chunk::<N>() else {
        panic!("the model file is truncated");
    };
    let mut core = *core;
    core[nearmark_format::FLAGS_OFFSET] = 0;
    Aligned(core)
}

/// The header of a model file, at compile time.
///
/// # Panics
/// If the file is no model of this version, or needs a stage that this build leaves out: compile
/// errors in `include_model!`.
#[doc(hidden)]
#[must_use]
pub const fn header_of(file: &[u8]) -> nearmark_format::Header {
    let Ok(header) = nearmark_format::Header::read(file) else {
        panic!("not a nearmark model of version 1");
    };
    assert!(
        nearmark_format::needs::missing(header.needs as u32) == 0,
        "the model needs a stage that this build of nearmark leaves out: see `nearmark inspect` for its features"
    );
    header
}

/// Places a model file in flash as a module.
///
/// `include_model!(pub mod gestures = "gestures.nmk")` makes a module `gestures` with the constants
/// `INPUTS`, `DIM`, `CLASSES`, `SCRATCH` and `ID`, the static `BYTES` and the function `model()`.
/// The path is relative to the source file, as for `include_bytes!`. Provenance is cut off; a stage
/// that this build leaves out is a compile error.
///
/// ```
/// nearmark::include_model!(mod gestures = "../../tests/golden/gaussian.nmk");
///
/// let model = gestures::model()?;
/// let mut scratch = nearmark::Scratch::<{ gestures::SCRATCH }>::new();
/// let window = [0.0; gestures::INPUTS];
/// let class = model.classify(&window, &mut scratch)?.class();
/// assert!(usize::from(class.0) < gestures::CLASSES);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[macro_export]
macro_rules! include_model {
    ($(#[$attr:meta])* $vis:vis mod $name:ident = $path:expr) => {
        $(#[$attr])*
        #[allow(missing_docs, dead_code, unreachable_pub)]
        $vis mod $name {
            const FILE: &[u8] = include_bytes!($path);
            const HEADER: $crate::format::Header = $crate::__private::header_of(FILE);
            static CORE: $crate::__private::Aligned<{ HEADER.core_len as usize }> =
                $crate::__private::core_of(FILE);
            /// Values per sample.
            pub const INPUTS: usize = HEADER.inputs as usize;
            /// Length of the embedding.
            pub const DIM: usize = HEADER.dim as usize;
            /// Number of classes.
            pub const CLASSES: usize = HEADER.classes as usize;
            /// Words of scratch.
            pub const SCRATCH: usize = HEADER.scratch as usize;
            /// The model's id.
            pub const ID: u32 = HEADER.crc;
            /// The model, as it lies in flash.
            pub static BYTES: &[u8] = &CORE.0;
            /// Checks the model and returns it.
            ///
            /// # Errors
            /// If the bytes in flash are damaged.
            pub fn model() -> ::core::result::Result<$crate::Model<'static>, $crate::LoadError> {
                $crate::Model::from_bytes(BYTES)
            }
        }
    };
}
