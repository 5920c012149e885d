//! Properties that the papers promise, on rows one can check.

use super::*;
use crate::dataset::synthetic::blobs;
use crate::kernel::squared_distances;
use crate::linalg::{mul, random, random_orthonormal};

fn embed(
    name: &str,
    settings: &[(&str, &str)],
    rows: &Mat,
    seed: u64,
) -> Result<Embedding, Box<dyn std::error::Error>> {
    let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let entry = find(name).ok_or("no such system")?;
    Ok(entry.build(4, &settings)?.embed(rows, None, seed, &Run::default())?)
}

#[test]
fn codes_have_as_many_bits_as_asked_for_and_depend_on_the_seed() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(3, 30, 8, 1.0, 0);
    for entry in SYSTEMS.iter().filter(|entry| entry.is_code()) {
        let code = |bits: &str, seed| embed(entry.name, &[("bits", bits)], data.rows(), seed);
        let Embedding::Bits(Placed { rows: codes, .. }) = code("6", 0)? else { return Err("not a code".into()) };
        assert_eq!((codes.bits(), codes.len()), (6, 90), "{}", entry.name);
        assert_eq!(code("6", 1)?, code("6", 1)?, "{}", entry.name);
        assert_ne!(code("6", 1)?, code("6", 2)?, "{}", entry.name);
    }
    Ok(())
}

#[test]
fn a_query_that_is_a_row_gets_the_code_of_that_row() -> Result<(), Box<dyn std::error::Error>> {
    let data = blobs(3, 20, 6, 1.0, 0);
    for entry in SYSTEMS.iter().filter(|entry| entry.is_code()) {
        let found = entry.build(5, &Settings::new())?.embed(data.rows(), Some(data.rows()), 3, &Run::default())?;
        let Embedding::Bits(Placed { rows, queries }) = found else { return Err("not a code".into()) };
        assert_eq!(queries, Some(rows), "{}", entry.name);
    }
    Ok(())
}

#[test]
fn a_round_of_itq_never_loses_more() -> Result<(), FitError> {
    let v = random(200, 5, 0);
    let loss = |turn: &Mat| {
        let turned = mul(&v, turn, 1);
        (turned.map(|value| if value > 0.0 { 1.0 } else { -1.0 }) - turned).norm_squared()
    };
    let mut turn = random_orthonormal(5, 5, 1);
    for _ in 0..10 {
        let next = itq::improved(&v, &turn, 1)?;
        assert!((next.transpose() * &next - Mat::identity(5, 5)).amax() < 1e-12);
        assert!(loss(&next) <= loss(&turn) + 1e-9, "{} after {}", loss(&next), loss(&turn));
        turn = next;
    }
    Ok(())
}

#[test]
fn mds_keeps_distances_that_so_many_dimensions_can_hold() -> Result<(), Box<dyn std::error::Error>> {
    let rows = random(30, 4, 0);
    let Embedding::Real(Placed { rows: z, .. }) = embed("mds", &[], &rows, 0)? else { return Err("not real".into()) };
    assert!((squared_distances(&z, &z, 1) - squared_distances(&rows, &rows, 1)).amax() < 1e-9);
    let error = embed("mds", &[("dim", "5")], &rows, 0).map_err(|error| error.to_string());
    assert_eq!(error.err().as_deref(), Some("dim is 5, but these rows give at most 4"));
    Ok(())
}

#[test]
fn lle_unrolls_a_curve() -> Result<(), Box<dyn std::error::Error>> {
    // Rows along a spiral: one coordinate follows the curve, in order.
    let rows = Mat::from_fn(80, 3, |i, j| {
        let t = 1.0 + 0.05 * i as f64;
        [t * libm::cos(t), t * libm::sin(t), 0.5 * t][j]
    });
    let settings = [("dim", "1"), ("k", "4")];
    let Embedding::Real(Placed { rows: z, .. }) = embed("lle", &settings, &rows, 0)? else {
        return Err("not real".into());
    };
    let rising = (1..80).filter(|&i| z[i] > z[i - 1]).count();
    assert!(rising == 0 || rising == 79, "{rising} of 79 steps rise");
    assert!(find("lle").ok_or("no lle")?.build(2, &Settings::new())?.in_sample_only());
    Ok(())
}

#[test]
fn settings_that_do_not_exist_are_refused() {
    let build = |name: &str, key: &str| {
        let settings = [(key.to_owned(), "3".to_owned())].into();
        find(name).map(|entry| entry.build(10, &settings).map(|_| ()).map_err(|error| error.to_string()))
    };
    assert_eq!(build("itq", "dim"), Some(Err("itq takes no dim; it takes bits, rounds".to_owned())));
    assert_eq!(build("lle", "bits"), Some(Err("lle takes no bits; it takes dim, k".to_owned())));
    assert_eq!(build("lle", "k"), Some(Ok(())));
}

#[test]
fn rows_that_are_all_equal_are_refused() {
    let rows = Mat::from_element(20, 3, 2.0);
    for name in ["lsh", "sklsh"] {
        let error = embed(name, &[], &rows, 0).map(|_| ()).map_err(|error| error.to_string());
        assert!(error.is_err_and(|error| error.contains("equal")), "{name}");
    }
}
