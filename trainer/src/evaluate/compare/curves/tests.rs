use super::*;
use crate::config::Parameters;
use crate::dataset::split;
use crate::dataset::synthetic::blobs;
use crate::methods::{Registry, SettingError, Settings};
use crate::{HeadChoice, Pipeline};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn dims(text: &str) -> Result<Dims, Box<dyn std::error::Error>> {
    Ok(text.parse::<Dims>()?)
}

/// So many dimensions, with a shift in kdple: left to itself it shifts where a fit needs it, which depends on the dimensions.
fn settings(name: &str, dim: usize) -> Settings {
    let shift = (name == "kdple").then(|| ("axis_shift".to_owned(), "2".to_owned()));
    [("dim".to_owned(), dim.to_string())].into_iter().chain(shift).collect()
}

/// The decisions of a fit with so many dimensions; `None` where there are not as many.
fn refit(name: &str, dim: usize, train: &Dataset, test: &Dataset) -> Result<Option<Vec<usize>>, FitError> {
    let method = Registry::default().find(name).and_then(|entry| entry.build(&settings(name, dim), 0));
    let Ok(method) = method else { return Ok(None) };
    let pipeline = Pipeline { head: Some(HeadChoice::Neighbors(1)), ..Pipeline::new(method.as_ref()) };
    match pipeline.fit(train) {
        Ok(fitted) => Ok(Some(fitted.classify(test.rows())?)),
        Err(FitError::DimTooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[test]
fn the_first_axes_of_a_fit_decide_as_a_fit_with_so_many_axes() -> Outcome {
    let data = blobs(5, 24, 7, 1.6, 3);
    let (train, test) = split::stratified(&data, 0.5, 0).apply(&data);
    let mut nested = Vec::new();
    for entry in Registry::default().entries() {
        let method = match entry.build(&settings(entry.name, 6), 0) {
            Err(SettingError::Unknown { .. }) => continue,
            other => other?,
        };
        let fitted = match Pipeline::new(method.as_ref()).fit(&train) {
            Err(FitError::DimTooLarge { max, .. }) => {
                Pipeline::new(entry.build(&settings(entry.name, max), 0)?.as_ref()).fit(&train)?
            }
            other => other?,
        };
        for dim in 1..=fitted.dim() {
            let Some(axes) = method.nested_axes(&fitted, dim) else { continue };
            nested.push(entry.name);
            let head = Head::fit(HeadChoice::Neighbors(1), &(fitted.embedding() * &axes), fitted.labels(), 5)?;
            let found = head.classify(&(fitted.embed(test.rows())? * &axes));
            assert_eq!(Some(found), refit(entry.name, dim, &train, &test)?, "{} with {dim} axes", entry.name);
        }
    }
    nested.dedup();
    for name in [
        "cmvca", "cmvda", "cmvda-r", "dple", "kdple", "pca", "lda", "kpca", "keca", "kda", "lpp", "lfda", "lde",
        "klfda", "klde", "nys", "spe", "isokrr",
    ] {
        assert!(nested.contains(&name), "{name} is nested: {nested:?}");
    }
    Ok(())
}

#[test]
fn a_curve_has_the_accuracies_of_separate_fits() -> Outcome {
    let data = blobs(4, 20, 6, 1.5, 1);
    let protocol = Protocol::Folds { k: 2, repeats: 1 };
    let entries = Entry::list("cmvda:head=knn:1,ebek,knn", &Parameters::default())?;
    let found = curves(&entries, &data, &protocol, &dims("1-5")?, 0, &Run::default())?;
    let [cmvda, ebek, knn] = &found.curves[..] else { return Err("three curves".into()) };
    assert_eq!((cmvda.refitted, ebek.refitted, knn.fixed), (false, true, true));
    assert_eq!((cmvda.points.len(), ebek.points.len(), knn.points.len()), (5, 5, 1));
    for (i, fold) in split::folds(&data, 2, 0)?.iter().enumerate() {
        let (train, test) = fold.apply(&data);
        for point in &cmvda.points {
            let found = refit("cmvda", point.dim, &train, &test)?.ok_or("it has so many")?;
            let right = found.iter().zip(test.labels()).filter(|(found, label)| found == label).count();
            assert_eq!(point.accuracy[i], right as f64 / test.len() as f64, "{} axes", point.dim);
        }
    }
    assert_eq!(found.notes().len(), 2, "{:?}", found.notes());
    Ok(())
}

#[test]
fn dimensions_that_do_not_exist_are_left_out() -> Outcome {
    let data = blobs(3, 20, 6, 1.0, 1);
    let protocol = Protocol::Folds { k: 2, repeats: 1 };
    let entries = Entry::list("lda", &Parameters::default())?;
    let found = curves(&entries, &data, &protocol, &dims("1-40")?, 0, &Run::default())?;
    assert_eq!(found.curves[0].points.iter().map(|point| point.dim).collect::<Vec<_>>(), [1, 2]);
    let none = curves(&entries, &data, &protocol, &dims("7-9")?, 0, &Run::default());
    assert!(matches!(none, Err(CompareError::AllFailed { .. })), "{none:?}");
    Ok(())
}

#[test]
fn a_method_without_dimensions_may_have_another_length_on_every_split() -> Outcome {
    // Half of the rows lie on a line, half do not: principal axes differ from fold to fold.
    let rows =
        Mat::from_fn(40, 5, |i, j| if i % 4 < 2 { (i * (j + 1)) as f64 } else { (i * 7919 * (j + 3) % 31) as f64 });
    let data = Dataset::from_ids(rows, &(0..40).map(|i| i % 2).collect::<Vec<_>>())?;
    let entries = Entry::list("knn:pca=0.9,lda:pca=0.9", &Parameters::default())?;
    let protocol = Protocol::Folds { k: 20, repeats: 1 };
    let found = curves(&entries, &data, &protocol, &dims("1")?, 0, &Run::default())?;
    assert_eq!(found.curves[0].failure, None);
    assert_eq!(found.curves[0].points.iter().map(|point| point.accuracy.len()).collect::<Vec<_>>(), [20]);
    Ok(())
}

#[test]
fn results_do_not_depend_on_threads() -> Outcome {
    let data = blobs(3, 20, 6, 1.0, 1);
    let entries = Entry::list("kpca,dple,cmvda", &Parameters::default())?;
    let with = |threads| {
        let protocol = Protocol::Folds { k: 3, repeats: 2 };
        curves(&entries, &data, &protocol, &"1-4".parse()?, 0, &Run::default().threads(threads))
            .map_err(Box::<dyn std::error::Error>::from)
    };
    assert_eq!(with(1)?, with(3)?);
    Ok(())
}

#[test]
fn the_rayleigh_quotient_is_that_of_its_definition() -> Outcome {
    let data = blobs(3, 15, 4, 1.0, 0);
    let z = data.rows();
    let centered = shift_columns(z.clone(), &column_means(z));
    let total = centered.tr_mul(&centered);
    let means = class_means(&centered, data.labels(), 3);
    let between = means.tr_mul(&means) * 15.0;
    let expected = (total.try_inverse().ok_or("regular")? * between).trace();
    assert!((rayleigh(z, data.labels(), 3)? - expected).abs() < 1e-12);
    // Neither another basis of the same subspace nor an empty direction changes it.
    let turned = z * Mat::from_fn(4, 4, |i, j| if i == j { 3.0 } else { (i + 2 * j) as f64 * 0.1 });
    let padded = turned.resize_horizontally(5, 7.0);
    assert!((rayleigh(&padded, data.labels(), 3)? - expected).abs() < 1e-10);
    // Rows that equal their class mean have all their scatter between classes.
    let exact = Mat::from_fn(45, 2, |i, j| if data.labels()[i] == j { 1.0 } else { 0.0 });
    assert!((rayleigh(&exact, data.labels(), 3)? - 2.0).abs() < 1e-12);
    Ok(())
}

#[test]
fn files_have_every_point() -> Outcome {
    let data = blobs(3, 20, 6, 1.0, 1);
    let entries = Entry::list("lda,knn", &Parameters::default())?;
    let protocol = Protocol::Folds { k: 2, repeats: 2 };
    let found = curves(&entries, &data, &protocol, &dims("1-2")?, 0, &Run::default())?;
    let csv = found.to_csv();
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.lines().skip(1).all(|line| line.split(',').count() == 8 && line.contains(",4,false")), "{csv}");
    assert_eq!(found.to_json()[0]["points"][1]["dim"], 2);
    let table = found.to_markdown(Quantity::Rayleigh);
    assert!(table.contains("| dim | lda | knn |") && table.contains("knn has no dimensions to choose"), "{table}");
    let chart = found.chart("title", Quantity::Error);
    // The level line of knn has two ends.
    assert_eq!(chart.series.iter().map(|series| series.points.len()).collect::<Vec<_>>(), [2, 2]);
    assert!(chart.series[0].points.iter().all(|point| point.error.is_some()));
    Ok(())
}
