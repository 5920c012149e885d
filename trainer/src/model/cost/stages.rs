//! Which stages a model has.

use super::Shape;
use nearmark_format::meta::code;

/// The stages of a model, and the sizes that follow from them.
#[allow(clippy::struct_excessive_bools, reason = "stages are there or not")]
pub(super) struct Stages {
    pub(super) window: bool,
    pub(super) pool: bool,
    pub(super) dense: bool,
    pub(super) sparse: bool,
    pub(super) gaussian: bool,
    pub(super) laplacian: bool,
    pub(super) polynomial: bool,
    pub(super) stored: bool,
    pub(super) signs: bool,
    pub(super) weights: bool,
    pub(super) prototypes: bool,
    pub(super) unit: bool,
    /// Blocks of four outputs of the projection, and of four mapped values.
    pub(super) outputs: u32,
    pub(super) blocks: u32,
    /// Means or prototypes visited.
    pub(super) means: u32,
}

impl Stages {
    pub(super) fn of(s: &Shape) -> Self {
        let centers = |kernel: u8| s.feature_map == code::MAP_CENTERS && s.kernel == kernel;
        let seeded = |law: u8| s.feature_map == code::MAP_SEEDED && s.law == law;
        let prototypes = s.head == code::HEAD_PROTOTYPES;
        Self {
            window: s.segments > 0,
            pool: s.pool_rows > 0,
            dense: s.project == code::PROJECT_DENSE,
            sparse: s.project == code::PROJECT_SPARSE,
            gaussian: centers(code::KERNEL_GAUSSIAN),
            laplacian: centers(code::KERNEL_LAPLACIAN),
            polynomial: centers(code::KERNEL_POLYNOMIAL),
            stored: s.feature_map == code::MAP_RANDOM,
            signs: seeded(code::LAW_SIGNS),
            weights: seeded(code::LAW_BYTES),
            prototypes,
            unit: s.head == code::HEAD_UNIT,
            outputs: s.projected.div_ceil(4),
            blocks: s.centers.div_ceil(4),
            means: if prototypes { s.prototypes } else { s.classes },
        }
    }
}
