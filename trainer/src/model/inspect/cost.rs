//! What one classification costs, from the dimensions alone.

use nearmark_format::{Layout, meta::code};

/// Multiplications and divisions, and exponentials or cosines, of one classification.
pub(super) fn of(layout: &Layout<'_>) -> (u64, u64) {
    let meta = layout.meta();
    let (w, p, m) = (layout.kept() as u64, layout.projected() as u64, layout.mapped() as u64);
    let (d, classes) = (u64::from(layout.header().dim), u64::from(layout.header().classes));
    let mut count = 0;
    if meta.has_window() {
        // Mean, mean deviation and mean step are a division each; sums, extremes and pooling need none.
        count += 3 * u64::from(meta.channels) * u64::from(meta.segments);
    }
    count += match meta.scale {
        code::SCALE_UNIFORM | code::SCALE_FEATURES => w,
        // The square of every value, four Newton steps of three (and a half of the sum), and the factor.
        code::SCALE_UNIT => 2 * w + 13,
        _ => 0,
    };
    count += match meta.project {
        code::PROJECT_DENSE => p * w,
        code::PROJECT_SPARSE => u64::from(meta.nonzeros),
        _ => 0,
    };
    let mut exponentials = 0;
    match (meta.feature_map, meta.kernel) {
        (code::MAP_CENTERS, code::KERNEL_LAPLACIAN) => {
            // Differences are summed as they are.
            count += m;
            exponentials = m;
        }
        (code::MAP_CENTERS, code::KERNEL_POLYNOMIAL) => count += m * p + m * u64::from(meta.degree.max(1)),
        (code::MAP_CENTERS | code::MAP_RANDOM | code::MAP_SEEDED, _) => {
            count += m * p + m;
            exponentials = m;
        }
        _ => {}
    }
    if meta.readout != 0 {
        count += m * d;
    }
    count += match meta.head {
        code::HEAD_PROTOTYPES => u64::from(meta.prototypes) * d,
        code::HEAD_MEANS => classes * d,
        // ‖z‖² once, then twice a coordinate per class.
        _ => d + classes,
    };
    (count, exponentials)
}
