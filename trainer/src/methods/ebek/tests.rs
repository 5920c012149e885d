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
        assert!((error / best - 1.0).abs() < 1e-8, "{choice:?}: {error} against {best}");
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
    let error = Ebek::new(Params { exemplars: 4, ..params })?.fit(&data);
    assert_eq!(error.err(), Some(FitError::DimTooLarge { dim: 4, max: 3 }));
    Ok(())
}

#[test]
fn an_epsilon_that_cannot_be_met_is_relaxed_with_a_note() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(2, 20, 3, 1.0, 2);
    let fitted = Ebek::new(Params { exemplars: 10, epsilon: 0.0, ..Params::default() })?.fit(&data)?;
    assert!(fitted.notes()[0].contains("relaxed"), "{:?}", fitted.notes());
    Ok(())
}
