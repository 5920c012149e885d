//! What the paper promises of EBEK.

use super::*;
use crate::dataset::synthetic::blobs;
use crate::linalg::sym_eig;
use crate::methods::Method;

fn kernels() -> [KernelChoice; 2] {
    [KernelChoice::Gaussian(Sigma::Mean), KernelChoice::Linear]
}

#[test]
fn the_reconstruction_is_the_best_of_its_rank() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(3, 30, 12, 1.0, 0);
    for (choice, exemplars) in kernels().into_iter().zip([8, 5]) {
        let params = Params { exemplars, kernel: choice, extension: Extension::Full, ..Params::default() };
        let fitted = Ebek::new(params)?.fit(&data)?;
        let k = gram(choice.resolve(data.rows(), 1)?, data.rows(), 1);
        let w = fitted.embedding();
        let error = (&k - w * w.transpose()).norm();
        let best = sym_eig(&k)?.values[exemplars..].iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!((error / best - 1.0).abs() < 1e-10, "{choice:?}: {error} against {best}");
        assert!((fitted.embed(data.rows())? - w).amax() < 1e-9);
    }
    Ok(())
}

#[test]
fn nystrom_keeps_the_exemplars_kernel_values_exactly() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(3, 20, 6, 1.0, 1);
    for order in [Order::Pivot, Order::Random, Order::Scan] {
        let params = Params { exemplars: 6, order, extension: Extension::Nystrom, ..Params::default() };
        let fitted = Ebek::new(params)?.fit(&data)?;
        let z = fitted.embedding().select_rows(fitted.exemplars());
        let kernel = params.kernel.resolve(data.rows(), 1)?;
        let k = gram(kernel, &data.rows().select_rows(fitted.exemplars()), 1);
        assert!((&z * z.transpose() - k).amax() < 1e-9, "{order:?}");
    }
    Ok(())
}

#[test]
fn exemplars_of_points_on_three_rays_lie_on_different_rays() -> Result<(), Box<dyn std::error::Error>> {
    let rows = Mat::from_fn(9, 3, |i, j| if i / 3 == j { (i % 3 + 1) as f64 } else { 0.0 });
    let data = Dataset::from_ids(rows, &[0, 0, 0, 1, 1, 1, 2, 2, 2])?;
    let params = Params { exemplars: 3, kernel: KernelChoice::Linear, ..Params::default() };
    for order in [Order::Pivot, Order::Random, Order::Scan] {
        let fitted = Ebek::new(Params { order, ..params })?.fit(&data)?;
        let mut rays: Vec<usize> = fitted.exemplars().iter().map(|e| e / 3).collect();
        rays.sort_unstable();
        assert_eq!(rays, [0, 1, 2], "{order:?}");
    }
    Ok(())
}

/// The largest cosine between two of these rows under the kernel.
fn largest_cosine(k: &Mat, rows: &[usize]) -> f64 {
    let cosine = |i: usize, j: usize| k[(i, j)].abs() / (k[(i, i)] * k[(j, j)]).sqrt();
    let pairs = rows.iter().enumerate().flat_map(|(at, &i)| rows[..at].iter().map(move |&j| cosine(i, j)));
    pairs.fold(0.0, f64::max)
}

#[test]
fn epsilon_bounds_the_cosine_between_every_pair() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(3, 40, 4, 1.0, 3);
    for choice in kernels() {
        let k = gram(choice.resolve(data.rows(), 1)?, data.rows(), 1);
        for order in [Order::Pivot, Order::Random, Order::Scan] {
            // Four columns span four directions: with cosines below 0.8 there are rows enough on all of them.
            let params = Params { exemplars: 4, epsilon: 0.8, order, kernel: choice, ..Params::default() };
            let fitted = Ebek::new(params)?.fit(&data)?;
            let largest = largest_cosine(&k, fitted.exemplars());
            assert!(largest <= 0.8, "{choice:?} {order:?}: {largest}");
            assert!(fitted.notes().is_empty(), "{:?}", fitted.notes());
        }
    }
    Ok(())
}

#[test]
fn epsilon_is_no_bound_to_the_span() -> Result<(), Box<dyn std::error::Error>> {
    // The third row is at 45° to each of the first two and within their span, but for a little; the fourth is far
    // from all. A bound of 0.8 to the span would pass over the third.
    let rows = Mat::from_row_slice(4, 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.1, 0.0, 0.0, 1.0]);
    let data = Dataset::from_ids(rows, &[0, 1, 0, 1])?;
    let params =
        Params { exemplars: 3, epsilon: 0.8, order: Order::Scan, kernel: KernelChoice::Linear, ..Params::default() };
    assert_eq!(Ebek::new(params)?.fit(&data)?.exemplars(), [0, 1, 2]);
    // A bound of 0.5 passes over it.
    assert_eq!(Ebek::new(Params { epsilon: 0.5, ..params })?.fit(&data)?.exemplars(), [0, 1, 3]);
    Ok(())
}

#[test]
fn exemplar_coordinates_rebuild_the_kernel_matrix() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(3, 30, 12, 1.0, 0);
    for (kernel, exemplars) in kernels().into_iter().zip([8, 5]) {
        for extension in [Extension::LeastSquares, Extension::Nystrom, Extension::Full] {
            let fitted = Ebek::new(Params { exemplars, extension, kernel, ..Params::default() })?.fit(&data)?;
            let k = gram(kernel.resolve(data.rows(), 1)?, data.rows(), 1);
            let chosen = fitted.exemplars();
            let between = k.select_rows(chosen).select_columns(chosen);
            let t = fitted.coordinates().ok_or("no coordinates")?;
            assert_eq!(t.shape(), (exemplars, data.len()));
            let error = (&k - t.transpose() * between * t).norm();
            let best = sym_eig(&k)?.values[exemplars..].iter().map(|v| v * v).sum::<f64>().sqrt();
            assert!((error / best - 1.0).abs() < 1e-9, "{kernel:?}: {error} against {best}");
        }
    }
    Ok(())
}

#[test]
fn more_exemplars_than_the_rank_are_padded_with_zeros() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(3, 10, 4, 1.0, 0);
    for extension in [Extension::LeastSquares, Extension::Nystrom, Extension::Full] {
        let params = Params { exemplars: 7, extension, kernel: KernelChoice::Linear, ..Params::default() };
        let fitted = Ebek::new(params)?.fit(&data)?;
        assert_eq!((fitted.exemplars().len(), fitted.dim()), (4, 7));
        let z = fitted.embed(data.rows())?;
        assert!((&z - fitted.embedding()).amax() < 1e-9);
        assert!(z.columns(4, 3).iter().all(|v| *v == 0.0) && z.columns(0, 4).iter().any(|v| *v != 0.0));
        // All of the rank is kept: so are all kernel values.
        assert!((&z * z.transpose() - data.rows() * data.rows().transpose()).amax() < 1e-8, "{extension:?}");
        assert!(
            fitted.notes()[0].starts_with("exemplars is 7, but the kernel matrix has rank 4"),
            "{:?}",
            fitted.notes()
        );
    }
    // More than rows is more than the rank too.
    let fitted = Ebek::new(Params { exemplars: 31, epsilon: 1.0, ..Params::default() })?.fit(&data)?;
    assert_eq!((fitted.exemplars().len(), fitted.dim()), (30, 31));
    Ok(())
}

#[test]
fn memory_counts_the_matrix_that_is_built() -> Result<(), crate::ParamError> {
    let of = |kernel, exemplars| Ebek::new(Params { exemplars, kernel, ..Params::default() }).map(|e| e.memory(10_000));
    let gaussian = KernelChoice::Gaussian(Sigma::Mean);
    assert!(of(gaussian, 20)? >= matrices(1, 10_000));
    assert!(of(gaussian, 5000)? >= matrices(4, 10_000));
    // The linear kernel forms no matrix of all pairs, however many rows there are, but it does form a small one.
    assert!(of(KernelChoice::Linear, 20)? < matrices(1, 10_000) / 4);
    assert!(of(KernelChoice::Linear, 20)? > matrices(1, 1000));
    Ok(())
}

#[test]
fn exemplars_that_are_dropped_do_not_count_as_too_close() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(2, 20, 3, 1.0, 2);
    let params = Params { exemplars: 12, epsilon: 0.0, ..Params::default() };
    let k = gram(params.kernel.resolve(data.rows(), 1)?, data.rows(), 1);
    let mut chosen = choose_among(&Similarities::Matrix(k.clone()), &params, 1);
    assert_eq!(chosen.too_close(0.0), 11);
    for count in [8, 3, 1] {
        chosen.truncate(count);
        let largest = largest_cosine(&k, &chosen.rows);
        assert_eq!((chosen.too_close(0.0), chosen.largest_cosine()), (count - 1, largest));
    }
    Ok(())
}

#[test]
fn an_epsilon_that_cannot_be_met_is_relaxed_with_a_note() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(2, 20, 3, 1.0, 2);
    let fitted = Ebek::new(Params { exemplars: 10, epsilon: 0.0, ..Params::default() })?.fit(&data)?;
    assert_eq!(fitted.exemplars().len(), 10);
    assert!(fitted.notes()[0].starts_with("epsilon 0 cannot be met: 9 of 10 exemplars"), "{:?}", fitted.notes());
    Ok(())
}
