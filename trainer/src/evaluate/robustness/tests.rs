use super::*;
use crate::dataset::{Dataset, split, synthetic};
use crate::methods::{cmvda::Cmvda, dple::Dple, knn::Knn, lda::Lda};
use crate::preprocess::{Components, Pool, Projection, Scaling, Stage};
use crate::rng::Rng;
use crate::{HeadChoice, Pipeline, compile};
use nearmark::Model;
use nearmark_format::{self as format, FeatureMap, ModelBuf, Scale, Tensor};
use std::error::Error;

type Outcome = Result<(), Box<dyn Error>>;

/// Points that are attacked per model.
const POINTS: usize = 60;
/// Random directions, and random changes of the best one, per point.
const DIRECTIONS: usize = 40;

/// Pictures of 8 × 8 bytes in five classes, as far apart as digits are.
fn pictures() -> Result<(Dataset, Dataset), Box<dyn Error>> {
    let blobs = synthetic::blobs(5, 60, 64, 0.8, 3);
    let rows = blobs.rows().map(|v| (v * 200.0 + 128.0).round().clamp(0.0, 255.0));
    let labels: Vec<String> = blobs.labels().iter().map(ToString::to_string).collect();
    let data = Dataset::new(rows, &labels)?;
    Ok(split::stratified(&data, 0.3, 0).apply(&data))
}

/// Moves samples until the runtime names another class.
struct Attack<'a> {
    model: &'a Model<'a>,
    scratch: Vec<u32>,
}

impl Attack<'_> {
    fn class(&mut self, x: &[f64]) -> Result<u16, nearmark::Error> {
        let x: Vec<f32> = x.iter().map(|&v| v as f32).collect();
        Ok(self.model.classify(x.as_slice(), &mut self.scratch)?.class().0)
    }

    /// How far one can go in a direction, up to `limit`, before the class changes; found by bisection.
    fn border(&mut self, x: &[f64], direction: &[f64], limit: f64) -> Result<f64, nearmark::Error> {
        let class = self.class(x)?;
        let (mut inside, mut outside) = (0.0, limit);
        if self.class(&along(x, direction, limit))? == class {
            return Ok(f64::INFINITY);
        }
        for _ in 0..30 {
            let middle = f64::midpoint(inside, outside);
            let same = self.class(&along(x, direction, middle))? == class;
            *if same { &mut inside } else { &mut outside } = middle;
        }
        Ok(outside)
    }

    /// The nearest change of class that is found: toward rows of other classes, at random, then by turning the
    /// best direction a little.
    fn nearest(&mut self, x: &[f64], rows: &Mat, rng: &mut Rng) -> Result<f64, nearmark::Error> {
        let class = self.class(x)?;
        let (mut best, mut way) = (f64::INFINITY, vec![1.0; x.len()]);
        let limit = |best: f64| if best.is_finite() { best } else { 1e4 };
        for row in rows.row_iter() {
            let row: Vec<f64> = row.iter().copied().collect();
            if self.class(&row)? != class {
                let toward: Vec<f64> = row.iter().zip(x).map(|(row, x)| row - x).collect();
                let found = self.border(x, &toward, norm(&toward).min(best))?;
                if found < best {
                    (best, way) = (found, toward);
                }
            }
        }
        for turn in 0..2 * DIRECTIONS {
            // First anywhere, then near the best: its component along the way stays the largest.
            let share = if turn < DIRECTIONS { 0.0 } else { norm(&way) * 2.0 / (x.len() as f64).sqrt() };
            let random: Vec<f64> =
                way.iter().map(|w| rng.normal() * share.max(1e-9) + w * f64::from(share > 0.0)).collect();
            let found = self.border(x, &random, limit(best))?;
            if found < best {
                (best, way) = (found, random);
            }
        }
        Ok(best)
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn along(x: &[f64], direction: &[f64], distance: f64) -> Vec<f64> {
    let factor = distance / norm(direction).max(1e-12);
    x.iter().zip(direction).map(|(x, d)| x + factor * d).collect()
}

/// Attacks some rows; the median of certified over attacked radius.
fn attacked(name: &str, file: &ModelFile, rows: &Mat) -> Result<f64, Box<dyn Error>> {
    let certifier = Certifier::new(file)?.ok_or_else(|| format!("{name}: no certificate"))?;
    let model = file.model();
    let mut attack = Attack { scratch: vec![0; model.scratch_words()], model: &model };
    let mut rng = Rng::new(7);
    let mut ratios = Vec::new();
    let radii = certifier.radii(rows)?;
    for (i, &radius) in radii.iter().enumerate().take(POINTS) {
        let x: Vec<f64> = rows.row(i).iter().copied().collect();
        assert!((certifier.radius(&x)? / radius - 1.0).abs() < 1e-9 || radius == 0.0, "{name}: one row or many");
        let class = attack.class(&x)?;
        for other in 0..rows.nrows() + DIRECTIONS {
            let direction: Vec<f64> = match other.checked_sub(rows.nrows()) {
                None => rows.row(other).iter().zip(&x).map(|(row, x)| row - x).collect(),
                Some(_) => x.iter().map(|_| rng.normal()).collect(),
            };
            let just_below = along(&x, &direction, 0.9999 * radius.min(1e6));
            assert_eq!(attack.class(&just_below)?, class, "{name}: row {i} changes class within {radius}");
        }
        let found = attack.nearest(&x, rows, &mut rng)?;
        assert!(found >= radius, "{name}: row {i} changes class at {found}, within {radius}");
        ratios.push(radius / found);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    println!("{name}: median of certified / attacked radius {median:.3}, radii {:.2?}", &radii[..4]);
    Ok(median)
}

fn written(pipeline: &Pipeline<'_>, data: &Dataset) -> Result<ModelFile, Box<dyn Error>> {
    Ok(compile::model(&pipeline.fit(data)?)?.encode()?)
}

/// Attacks the models of these pipelines, which must have radii worth something.
fn all_attacked(cases: &[(&str, Pipeline<'_>)], (train, test): &(Dataset, Dataset)) -> Outcome {
    for (name, pipeline) in cases {
        assert!(attacked(name, &written(pipeline, train)?, test.rows())? > 0.05, "{name}: radii are worth nothing");
    }
    Ok(())
}

fn gaussian(centers: &[f32]) -> FeatureMap {
    let kernel = format::Kernel::Gaussian { gamma: 1.0 };
    FeatureMap::Centers { kernel, values: Tensor::F32(centers.to_vec()) }
}

fn certifier(model: &ModelBuf) -> Result<Certifier, Box<dyn Error>> {
    Ok(Certifier::new(&ModelFile::encode(model)?)?.ok_or("a certificate")?)
}

#[test]
fn no_attack_succeeds_within_the_radius_of_a_kernel_model() -> Outcome {
    let method = Cmvda::default();
    let plain = Pipeline { scaling: Scaling::Range, ..Pipeline::new(&method) };
    let pool = Some(Pool::new(1, 8, 8, 2)?);
    let cases = [
        ("folded scaling", plain),
        ("per feature", Pipeline { scaling: Scaling::Standard, ..plain }),
        ("principal axes", Pipeline { pca: Some(Components::Count(12)), ..plain }),
        ("per feature, axes", Pipeline { scaling: Scaling::MinMax, pca: Some(Components::Count(20)), ..plain }),
        ("pooled", Pipeline { pool, ..plain }),
        ("pooled, per feature", Pipeline { pool, scaling: Scaling::Standard, ..plain }),
    ];
    all_attacked(&cases, &pictures()?)
}

#[test]
fn no_attack_succeeds_within_the_radius_of_a_linear_model() -> Outcome {
    let (dple, lda) = (Dple::default(), Lda::default());
    let plain = Pipeline { head: Some(HeadChoice::Means), scaling: Scaling::Range, ..Pipeline::new(&dple) };
    let pool = Some(Pool::new(1, 8, 8, 2)?);
    let cases = [
        ("linear", plain),
        ("linear, pooled, per feature", Pipeline { pool, scaling: Scaling::Standard, ..plain }),
        ("discriminant", Pipeline { method: &lda, pca: Some(Components::Count(20)), ..plain }),
    ];
    all_attacked(&cases, &pictures()?)
}

#[test]
fn scaling_that_is_stored_counts_in_input_units() -> Outcome {
    let (train, test) = pictures()?;
    let method = Cmvda::default();
    let mut model = compile::model(&Pipeline { scaling: Scaling::Range, ..Pipeline::new(&method) }.fit(&train)?)?.model;
    let plain = certifier(&model)?;
    // The same model for rows that are four times as small.
    model.scale = Scale::Uniform { mul: 4.0, add: 0.0 };
    let scaled = certifier(&model)?;
    let row: Vec<f64> = test.rows().row(0).iter().copied().collect();
    let quarter: Vec<f64> = row.iter().map(|v| v / 4.0).collect();
    assert!((scaled.radius(&quarter)? * 4.0 / plain.radius(&row)? - 1.0).abs() < 1e-6);
    assert!(attacked("uniform", &ModelFile::encode(&model)?, &(test.rows() / 4.0))? > 0.05);
    Ok(())
}

#[test]
fn a_linear_radius_is_the_distance_to_the_border() -> Outcome {
    // Two classes on a line: the border lies half way between their means, at 1.
    let data = Dataset::new(Mat::from_column_slice(4, 1, &[-1.1, -0.9, 2.9, 3.1]), &["a", "a", "b", "b"])?;
    let method = Lda::default();
    let file = written(&Pipeline { head: Some(HeadChoice::Means), ..Pipeline::new(&method) }, &data)?;
    let certifier = Certifier::new(&file)?.ok_or("a certificate")?;
    assert!((certifier.radius(&[-0.5])? - 1.5).abs() < 1e-4, "{:?}", certifier.radius(&[-0.5]));
    assert!((certifier.radius(&[4.0])? - 3.0).abs() < 1e-4);
    assert_eq!(certifier.radius(&[f64::NAN]), Ok(0.0));
    Ok(())
}

#[test]
fn two_gaussian_centers_agree_with_the_formula_by_hand() -> Outcome {
    // z = (k(x, 0), k(x, 2)), γ = 1, unit means: at x = 0 the gap is 2(1 − e⁻⁴), w = (1, −1), wᵀKw = 2 − 2e⁻⁴.
    let model = ModelBuf { feature_map: gaussian(&[0.0, 2.0]), ..ModelBuf::new(1, 2, 2) };
    let certifier = certifier(&model)?;
    let far = 1.0 - (-4.0_f64).exp();
    let t = far / (2.0 * far).sqrt();
    let expected = (-(1.0 - t * t / 2.0).ln()).sqrt();
    assert!((certifier.radius(&[0.0])? - expected).abs() < 1e-5 && expected < 1.0);
    Ok(())
}

#[test]
fn an_answer_that_nothing_can_change_has_no_limit() -> Outcome {
    // One center and z = k(x, 0) / 10, between 0 and 0.1: always nearer to the mean 0 than to 10.
    let model = ModelBuf {
        feature_map: gaussian(&[0.0]),
        readout: Some(format::Readout { weights: Tensor::F32(vec![0.1]), ..format::Readout::default() }),
        head: format::Head::Means(Tensor::F32(vec![0.0, 10.0])),
        ..ModelBuf::new(1, 1, 2)
    };
    assert_eq!(certifier(&model)?.radius(&[0.5]), Ok(f64::INFINITY));
    Ok(())
}

#[test]
fn models_without_a_proof_have_no_certificate() -> Outcome {
    let (train, _) = pictures()?;
    let (cmvda, knn) = (Cmvda::default(), Knn::default());
    let pipelines = [
        Pipeline { head: Some(HeadChoice::Neighbors(3)), ..Pipeline::new(&cmvda) },
        Pipeline { scaling: Scaling::Unit, ..Pipeline::new(&cmvda) },
        Pipeline::new(&knn),
    ];
    for pipeline in pipelines {
        assert!(Certifier::new(&written(&pipeline, &train)?)?.is_none());
    }
    Ok(())
}

#[test]
fn a_failure_is_reported_instead_of_a_radius_of_zero() -> Outcome {
    let wide = certifier(&ModelBuf::new(2, 2, 2))?.radii(&Mat::zeros(3, 5));
    assert_eq!(wide, Err(DataError::Width { expected: 2, got: 5 }));
    let weights = Mat::from_element(2, 2, f64::NAN);
    let broken = Stage::Project(Projection { weights, bias: vec![0.0; 2] });
    assert!(matches!(Preprocessing::of(&[broken], 2), Err(LinalgError::NoConvergence)));
    Ok(())
}
