//! Tests of DPLE and KDPLE.

use super::*;
use crate::dataset::synthetic::{blobs, moons};
use crate::linalg::Mat;
use crate::methods::Method;

/// Two draws from the same classes.
fn halves(all: &Dataset) -> (Dataset, Dataset) {
    let half = all.len() / 2;
    let rows = |range: std::ops::Range<usize>| all.select(&range.collect::<Vec<_>>());
    (rows(0..half), rows(half..all.len()))
}

#[test]
fn both_forms_tell_classes_apart_and_repeat_their_embedding() -> Result<(), Box<dyn std::error::Error>> {
    let (data, new) = halves(&blobs(3, 60, 6, 0.2, 0));
    for method in [Dple::default(), Dple::kdple()] {
        let fitted = method.fit(&data)?;
        assert!((fitted.embed(data.rows())? - fitted.embedding()).amax() < 1e-8, "{}", method.name());
        assert!(fitted.accuracy(&new)? > 0.95, "{}: {}", method.name(), fitted.accuracy(&new)?);
    }
    Ok(())
}

#[test]
fn a_class_in_several_components_raises_k_with_a_note() -> Result<(), Box<dyn std::error::Error>> {
    // Each class lies in two clumps, far from each other, with the other class between.
    let rows = Mat::from_fn(40, 1, |i, _| (i / 10) as f64 * 100.0 + (i % 10) as f64);
    let labels: Vec<usize> = (0..40).map(|i| i / 10 % 2).collect();
    let data = Dataset::from_ids(rows, &labels)?;
    let params = Params { neighbors: Some(3), ..Params::kernel() };
    let fitted = Dple::new(params)?.fit(&data)?;
    assert!(fitted.notes().iter().any(|note| note.contains("k raised from 3")), "{:?}", fitted.notes());
    Ok(())
}

#[test]
fn with_no_regularization_the_spectrum_does_not_depend_on_the_kernel() -> Result<(), Box<dyn std::error::Error>> {
    let data = moons(20, 0.3, 0);
    let spectrum = |kernel| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
        let params = Params {
            ridge: 0.0,
            kernel: Some(kernel),
            neighbors: Some(12),
            dim: Dim::Count(3),
            axis_shift: Some(0.0),
            ..Params::kernel()
        };
        Ok(Dple::new(params)?.fit(&data)?.spectrum().to_vec())
    };
    let a = spectrum(KernelChoice::Laplacian(Sigma::Factor(0.3)))?;
    let b = spectrum(KernelChoice::Laplacian(Sigma::Factor(0.6)))?;
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() < 1e-6 * a.abs().max(1.0), "{a} {b}");
    }
    Ok(())
}

#[test]
fn more_neighbors_than_rows_are_refused() -> Result<(), ParamError> {
    let data = moons(5, 0.1, 0);
    let error = Dple::new(Params { neighbors: Some(10), ..Params::default() })?.fit(&data);
    assert_eq!(error.err(), Some(FitError::TooFewRows { name: "k", needed: 10, rows: 10 }));
    Ok(())
}

/// Three classes that lie apart.
fn three_blobs(seed: u64) -> Dataset {
    blobs(3, 25, 4, 0.3, seed)
}

#[test]
fn empty_directions_come_last() -> Result<(), Box<dyn std::error::Error>> {
    // Constant columns, and ones that hardly vary, were the first axes as long as genuine eigenvalues were negative.
    let (data, new) = halves(&blobs(3, 50, 4, 0.2, 0));
    let plain = Dple::default().fit(&data)?.accuracy(&new)?;
    assert!(plain > 0.9, "{plain}");
    let mut rng = crate::Rng::new(3);
    for spread in [0.0, 1e-6, 1e-3] {
        let mut wide = |data: &Dataset| {
            let mut rows = data.rows().clone().resize_horizontally(12, 5.0);
            rows.columns_mut(4, 8).apply(|value| *value += spread * rng.normal());
            data.with_rows(rows)
        };
        let (train, test) = (wide(&data)?, wide(&new)?);
        let accuracy = Dple::default().fit(&train)?.accuracy(&test)?;
        assert!(accuracy >= plain - 0.02, "{spread}: {accuracy} instead of {plain}");
    }
    Ok(())
}

#[test]
fn one_axis_still_tells_classes_apart() -> Result<(), Box<dyn std::error::Error>> {
    let data = three_blobs(1);
    for axis_scale in [AxisScale::None, AxisScale::Shifted, AxisScale::Sqrt] {
        let params = Params { dim: Dim::Count(1), axis_scale, ..Params::default() };
        let mut found = Dple::new(params)?.fit(&data)?.classify(data.rows())?;
        found.sort_unstable();
        found.dedup();
        assert!(found.len() > 1, "{axis_scale:?}: every row is of class {found:?}");
    }
    Ok(())
}

#[test]
fn the_last_axis_stays_alive() -> Result<(), Box<dyn std::error::Error>> {
    let z = Dple::default().fit(&three_blobs(2))?.embedding().clone();
    let norms: Vec<f64> = z.column_iter().map(|column| column.norm()).collect();
    assert!(norms[norms.len() - 1] > 0.01 * norms[0], "{norms:?}");
    Ok(())
}

#[test]
fn the_shift_keeps_the_order_of_genuine_axes() -> Result<(), Box<dyn std::error::Error>> {
    // Without a ridge, eigenvectors do not depend on the shift, and eigenvalues move by it.
    let data = three_blobs(3);
    let fit = |shift| {
        let params = Params { axis_shift: Some(shift), ridge: 0.0, axis_scale: AxisScale::None, ..Params::default() };
        Dple::new(params)?.fit(&data)
    };
    let (plain, shifted) = (fit(0.0)?, fit(2.0)?);
    assert!((plain.embedding() - shifted.embedding()).amax() < 1e-6 * plain.embedding().amax());
    assert!(plain.spectrum()[0] < 0.0);
    for (a, b) in plain.spectrum().iter().zip(shifted.spectrum()) {
        assert!((a + 200.0 - b).abs() < 1e-6, "{a} {b}");
    }
    Ok(())
}

#[test]
fn a_kernel_matrix_of_low_rank_gets_the_shift_with_a_note() -> Result<(), Box<dyn std::error::Error>> {
    // One column: the kernel matrix has few axes, and none along which three overlapping classes are flat and apart.
    let mut rng = crate::Rng::new(2);
    let labels: Vec<usize> = (0..120).map(|i| i % 3).collect();
    let rows = Mat::from_fn(120, 1, |i, _| 4.0 * (i % 3) as f64 + rng.normal());
    let data = Dataset::from_ids(rows, &labels)?;
    let fitted = Dple::kdple().fit(&data)?;
    assert!(fitted.notes().iter().any(|note| note.starts_with("eigenvalues shifted")), "{:?}", fitted.notes());
    assert!(fitted.accuracy(&data)? > 0.93, "{}", fitted.accuracy(&data)?);
    // In many columns every class has a flat direction of its own.
    assert!(Dple::kdple().fit(&blobs(3, 30, 20, 0.5, 0))?.notes().is_empty());
    Ok(())
}

#[test]
fn fewer_axes_of_a_fit_with_empty_ones_are_finite() -> Result<(), Box<dyn std::error::Error>> {
    let data = three_blobs(0);
    let wide = data.with_rows(data.rows().clone().resize_horizontally(7, 5.0))?;
    for axis_scale in [AxisScale::None, AxisScale::Shifted, AxisScale::Sqrt] {
        let method = Dple::new(Params { dim: Dim::Count(7), axis_scale, ..Params::default() })?;
        let fitted = method.fit(&wide)?;
        for dim in 1..=7 {
            let axes = method.nested_axes(&fitted, dim).ok_or("not nested")?;
            assert!(axes.iter().all(|value| value.is_finite()), "{axis_scale:?}, {dim} of 7: {axes}");
        }
    }
    Ok(())
}

#[test]
fn a_shift_of_its_own_choice_is_remembered_for_any_balance() -> Result<(), Box<dyn std::error::Error>> {
    // All axes of a kernel matrix of low rank, most of which tell nothing; a small γ keeps shifted eigenvalues below 2.
    let mut rng = crate::Rng::new(2);
    let labels: Vec<usize> = (0..120).map(|i| i % 3).collect();
    let rows = Mat::from_fn(120, 1, |i, _| 4.0 * (i % 3) as f64 + rng.normal());
    let data = Dataset::from_ids(rows, &labels)?;
    for balance in [100.0, 0.1] {
        let method = Dple::new(Params { balance, dim: Dim::All, ..Params::kernel() })?;
        let fitted = method.fit(&data)?;
        assert!(fitted.notes().iter().any(|note| note.starts_with("eigenvalues shifted")), "{:?}", fitted.notes());
        assert_eq!(fitted.spectrum()[0] > 2.0, balance > 1.0);
        assert!(method.nested_axes(&fitted, 1).is_none(), "{balance}: one axis may do without a shift");
    }
    Ok(())
}

#[test]
fn roots_of_negative_eigenvalues_are_refused() {
    let error = Dple::new(Params { axis_scale: AxisScale::Sqrt, ..Params::kernel() }).err();
    assert_eq!(error.map(|error| error.name), Some("axis_shift"));
}
