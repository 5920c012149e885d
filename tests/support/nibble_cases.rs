//! Models of the INT profile with weights of 4 bits.

use nearmark_format::{FeatureMap, ModelBuf, Nibbles, Num, Tensor};

use crate::{
    cases::{Case, Recipe},
    int_cases::{case, gaussian, narrow, params, plain, project, readout, unit},
};

/// Every case; the order and the seeds are part of the goldens.
pub(crate) fn cases() -> Vec<Case> {
    let list: [Recipe; 5] = [
        // Odd numbers of words and groups: half a word is left at the ends of rows and of the readout.
        ("int-nibbles", |r| {
            let model = project(plain(Num::U8, 20, 5, 5), 9, false, r);
            nibbles(unit(narrow(gaussian(model, 13, r), r)), [true; 3])
        }),
        ("int-nibbles-projection", |r| {
            let model = project(plain(Num::I8, 73, 4, 6), 16, false, r);
            nibbles(gaussian(model, 21, r), [true, false, false])
        }),
        ("int-nibbles-centers", |r| nibbles(gaussian(plain(Num::U8, 31, 6, 7), 24, r), [false, true, false])),
        ("int-nibbles-linear", |r| {
            let model = narrow(readout(plain(Num::U8, 30, 8, 8), 30, 128, r), r);
            nibbles(unit(model), [false, false, true])
        }),
        ("int-nibbles-readout", |r| {
            let model = gaussian(plain(Num::U8, 12, 7, 4), 37, r);
            nibbles(narrow(model, r), [false, false, true])
        }),
    ];
    list.into_iter().enumerate().map(|(at, (name, make))| case(name, make, 5000 + at as u64, 100)).collect()
}

/// The model whose cost `bench-device` measures: the shape of a refined model of 2 kB.
pub(crate) fn bench_cases() -> Vec<Case> {
    let make = |r: &mut _| {
        let model = project(plain(Num::U8, 64, 10, 10), 18, false, r);
        nibbles(unit(narrow(gaussian(model, 93, r), r)), [true; 3])
    };
    vec![case("bench-int-nibbles", make, 5100, 4)]
}

/// The same model with 4 bits in its projection, its centers, its readout: the upper halves of the bytes.
fn nibbles(mut model: ModelBuf, [in_projection, in_centers, in_readout]: [bool; 3]) -> ModelBuf {
    params(&mut model).nibbles = Nibbles { project: in_projection, centers: in_centers, readout: in_readout };
    if let Some(projection) = model.project.as_mut().filter(|_| in_projection) {
        upper(&mut projection.values);
    }
    if let FeatureMap::Centers { values, .. } = &mut model.feature_map
        && in_centers
    {
        upper(values);
    }
    if let Some(readout) = model.readout.as_mut().filter(|_| in_readout) {
        upper(&mut readout.weights);
    }
    model
}

fn upper(values: &mut Tensor) {
    match values {
        Tensor::I8(values) => values.iter_mut().for_each(|value| *value = *value / 16 * 16),
        Tensor::U8(values) => values.iter_mut().for_each(|value| *value &= 0xF0),
        Tensor::F32(_) | Tensor::I16(_) => {}
    }
}
