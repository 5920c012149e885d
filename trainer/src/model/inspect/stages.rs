//! What happens to a sample, in words.

use nearmark_format::{Layout, Meta, extras, meta::code, series};

/// A line per stage that the model has, in the order in which they run.
pub(super) fn of(layout: &Layout<'_>) -> Vec<String> {
    let meta = layout.meta();
    let mut lines: Vec<String> = Vec::new();
    lines.extend(window(layout));
    lines.extend(counts(layout));
    lines.extend(convolution(layout));
    lines.extend(pool(layout));
    if meta.select != 0 {
        lines.push(format!("{} of {} features kept", layout.kept(), layout.pooled()));
    }
    lines.extend(match meta.scale {
        code::SCALE_UNIFORM if layout.int() => Some("scaled to 8 bits".to_owned()),
        code::SCALE_UNIFORM => Some(format!("scaled by {}, shifted by {}", meta.scale_mul, meta.scale_add)),
        code::SCALE_FEATURES => Some(format!("each of {} features scaled and shifted", layout.kept())),
        code::SCALE_UNIT => Some("scaled to unit length".to_owned()),
        _ => None,
    });
    lines.extend(projection(layout));
    lines.extend(feature_map(layout));
    lines.extend(readout(layout));
    lines.push(head(layout));
    lines
}

fn window(layout: &Layout<'_>) -> Option<String> {
    const NAMES: [(u8, &str); 5] = [
        (code::STAT_MEAN, "mean"),
        (code::STAT_DEVIATION, "deviation"),
        (code::STAT_MIN, "minimum"),
        (code::STAT_MAX, "maximum"),
        (code::STAT_STEP, "step"),
    ];
    let meta = layout.meta();
    if !meta.has_window() {
        return None;
    }
    let Meta { channels, cols, segments, stats, interleaved, .. } = meta;
    let names: Vec<&str> = NAMES.iter().filter(|(bit, _)| stats & bit != 0).map(|(_, name)| *name).collect();
    let order = if *interleaved == 0 { "" } else { ", interleaved" };
    Some(format!(
        "{} of {channels} channels x {cols} steps{order}, in {segments} segments: {} features",
        names.join(", "),
        layout.pooled()
    ))
}

fn counts(layout: &Layout<'_>) -> Option<String> {
    let Meta { channels, cols, interleaved, .. } = layout.meta();
    if !layout.meta().has_counts() {
        return None;
    }
    let (_, words) = layout.series();
    // In floats every second word is a number.
    let entries = words.iter().step_by(if layout.int() { 1 } else { 2 });
    let counted = entries.filter(|&&word| series::is_counted(series::Word(word).operator())).count();
    let order = if *interleaved == 0 { "" } else { ", interleaved" };
    let statistics = match layout.pooled() - counted {
        0 => String::new(),
        others => format!(" and {others} statistics"),
    };
    Some(format!("{counted} counts of fixed convolutions{statistics} of {channels} channels x {cols} steps{order}"))
}

fn convolution(layout: &Layout<'_>) -> Option<String> {
    let meta = layout.meta();
    let Meta { pool_rows, pool_cols, channels, rows, cols, filters, filters2, stats, .. } = meta;
    let layers = if *filters2 == 0 { filters.to_string() } else { format!("{filters} and {filters2}") };
    let mean = if (*pool_rows, *pool_cols) == (1, 1) {
        String::new()
    } else {
        format!(" behind means of {pool_rows} x {pool_cols}")
    };
    let pooling = match *stats {
        code::PICK_MAX => ", the largest of 2 x 2",
        code::PICK_MEAN => ", the mean of 2 x 2",
        _ => "",
    };
    meta.has_convolution().then(|| {
        format!(
            "{layers} filters of 3 x 3 over {channels} x {rows} x {cols} values{mean}{pooling}: {} features",
            layout.pooled()
        )
    })
}

fn pool(layout: &Layout<'_>) -> Option<String> {
    let Meta { pool_rows, pool_cols, channels, rows, cols, .. } = layout.meta();
    layout.meta().has_pool().then(|| {
        format!(
            "sums of {pool_rows} x {pool_cols} blocks of {channels} x {rows} x {cols} values: {} features",
            layout.pooled()
        )
    })
}

fn projection(layout: &Layout<'_>) -> Option<String> {
    let meta = layout.meta();
    let bias = if meta.project_bias == 0 { "" } else { ", with bias" };
    let kind = match meta.project {
        code::PROJECT_DENSE => String::new(),
        code::PROJECT_NIBBLES => ", weights of 4 bits".into(),
        code::PROJECT_SPARSE => format!(", {} weights that are not zero", meta.nonzeros),
        _ => return None,
    };
    Some(format!("projection from {} to {} values{kind}{bias}", layout.kept(), layout.projected()))
}

fn feature_map(layout: &Layout<'_>) -> Option<String> {
    let Meta { feature_map, kernel, gamma, offset, degree, law, seed_lo, seed_hi, .. } = layout.meta();
    let (m, p) = (layout.mapped(), layout.projected());
    match *feature_map {
        code::MAP_CENTERS => {
            let (name, more) = match *kernel {
                code::KERNEL_GAUSSIAN => ("gaussian", String::new()),
                code::KERNEL_GAUSSIAN_NIBBLES => ("gaussian", ", in 4 bits".into()),
                code::KERNEL_LAPLACIAN => ("laplacian", String::new()),
                _ => ("polynomial", format!(", offset {offset}, degree {degree}")),
            };
            Some(format!("{m} {name} centers of {p} values, gamma {gamma}{more}"))
        }
        code::MAP_RANDOM => Some(format!("{m} random features of {p} values, gamma {gamma}")),
        code::MAP_SEEDED => {
            let law = if *law == code::LAW_SIGNS { "signs" } else { "sums of bytes" };
            let seed = u64::from(*seed_hi) << 32 | u64::from(*seed_lo);
            Some(format!("{m} random features of {p} values from seed {seed} ({law}), gamma {gamma}"))
        }
        _ => None,
    }
}

fn readout(layout: &Layout<'_>) -> Option<String> {
    let (m, d, kind) = (layout.mapped(), layout.header().dim, layout.meta().readout);
    let bias = if kind == code::READOUT_BIAS { ", with bias" } else { "" };
    let bits = if layout.meta().has_nibble_readout() { ", weights of 4 bits" } else { "" };
    (kind != 0).then(|| format!("readout from {m} to {d} coordinates{bits}{bias}"))
}

fn head(layout: &Layout<'_>) -> String {
    let (meta, classes) = (layout.meta(), layout.header().classes);
    match meta.head {
        code::HEAD_PROTOTYPES if meta.knn > 1 => {
            format!("vote of the {} nearest of {} prototypes, {classes} classes", meta.knn, meta.prototypes)
        }
        code::HEAD_PROTOTYPES if classes == 1 => format!("{} items without classes", meta.prototypes),
        code::HEAD_PROTOTYPES if layout.extras().find(extras::ITEMS).is_some() => {
            format!("nearest of {} items with ids, {classes} classes", meta.prototypes)
        }
        code::HEAD_PROTOTYPES => format!("nearest of {} prototypes, {classes} classes", meta.prototypes),
        code::HEAD_MEANS => format!("nearest of {classes} class means"),
        _ => format!("largest of {classes} coordinates (class means are unit vectors)"),
    }
}
