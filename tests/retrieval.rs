//! Nearest items, line by line, against a sort of every distance.

use nearmark::{Error, Item, Model};
use nearmark_format::{AlignedBuf, Head, ModelBuf, Section, Tensor, extras, meta::code};
use nearmark_tests::{
    cases::{self, Rows},
    int_cases,
    rng::Rng,
};

fn encoded(model: &ModelBuf) -> AlignedBuf {
    AlignedBuf::from(model.encode().unwrap().as_slice())
}

fn with_ids(mut model: ModelBuf, ids: &[u32]) -> ModelBuf {
    model.extras.insert(extras::ITEMS, (false, ids.iter().flat_map(|id| id.to_le_bytes()).collect()));
    model
}

/// Points on a line, two classes, one of them twice.
fn line() -> ModelBuf {
    let values = Tensor::F32(vec![0.0, 4.0, 1.0, 4.0]);
    ModelBuf { head: Head::Prototypes { k: 1, values, counts: vec![2, 2] }, ..ModelBuf::new(1, 1, 2) }
}

fn ids_of(model: &ModelBuf, x: f32) -> Vec<(u32, u16, f32)> {
    let bytes = encoded(model);
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let items = model.nearest::<9>(&[x], &mut scratch).unwrap();
    items.iter().map(|item| (item.id(), item.class().0, item.distance_sq())).collect()
}

#[test]
fn items_without_ids_are_numbered_as_they_are_stored() {
    assert_eq!(ids_of(&line(), 3.0), [(1, 0, 1.0), (3, 1, 1.0), (2, 1, 4.0), (0, 0, 9.0)]);
}

#[test]
fn ids_are_given_back_and_break_ties() {
    let model = with_ids(line(), &[7, 90, u32::MAX, 20]);
    assert_eq!(ids_of(&model, 3.0), [(20, 1, 1.0), (90, 0, 1.0), (u32::MAX, 1, 4.0), (7, 0, 9.0)]);
    // Equal ids: as they are stored.
    let model = with_ids(line(), &[7, 5, 6, 5]);
    assert_eq!(ids_of(&model, 4.0)[..2], [(5, 0, 0.0), (5, 1, 0.0)]);
}

#[test]
fn class_means_are_items_too() {
    let model = ModelBuf { head: Head::Means(Tensor::F32(vec![0.0, 4.0])), ..ModelBuf::new(1, 1, 2) };
    assert_eq!(ids_of(&model, 3.0), [(1, 1, 1.0), (0, 0, 9.0)]);
    let model = ModelBuf::new(1, 1, 1);
    assert_eq!(ids_of(&model, 3.0), [(0, 0, 4.0)]);
}

#[test]
fn no_room_means_no_items_and_bad_samples_are_refused() {
    let bytes = encoded(&line());
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    assert_eq!(model.nearest::<0>(&[1.0], &mut scratch).map(|items| items.len()), Ok(0));
    assert_eq!(model.nearest::<2>(&[f32::NAN], &mut scratch), Err(Error::NotFinite));
    assert_eq!(model.nearest::<2>(&[1.0, 2.0], &mut scratch), Err(Error::InputLen { needed: 1, got: 2 }));
    let short = model.nearest::<2>(&[1.0], &mut []);
    assert_eq!(short, Err(Error::Scratch { needed: model.scratch_words(), got: 0 }));
}

#[test]
fn ids_that_do_not_fit_the_items_are_refused() {
    for ids in [&[][..], &[1, 2, 3], &[1, 2, 3, 4, 5]] {
        assert!(with_ids(line(), ids).encode().is_err(), "{ids:?}");
    }
    let means = ModelBuf { head: Head::Means(Tensor::F32(vec![0.0, 4.0])), ..ModelBuf::new(1, 1, 2) };
    for ids in [&[][..], &[1, 2]] {
        assert!(with_ids(means.clone(), ids).encode().is_err(), "class means have no ids");
    }
    // A length that is no multiple of a word.
    let mut model = with_ids(line(), &[1, 2, 3, 4]);
    model.extras.get_mut(&extras::ITEMS).unwrap().1.pop();
    assert!(model.encode().is_err());
}

/// The raw distance of every stored point, by the formulas of FORMAT.md.
fn distances(model: &Model<'_>, z: &[u32]) -> Vec<u32> {
    let (layout, int) = (model.layout(), model.layout().int());
    let float = |sum: f32, gap: f32| sum + gap * gap;
    if int {
        let rows: &[i16] = bytemuck::cast_slice(layout.words(Section::Head));
        let square = |(&z, &to): (&u32, &i16)| (i64::from(z as i32) - i64::from(to)).pow(2);
        return rows.chunks_exact(z.len()).map(|row| z.iter().zip(row).map(square).sum::<i64>() as u32).collect();
    }
    let rows = layout.floats(Section::Head).chunks_exact(z.len());
    rows.map(|row| z.iter().zip(row).map(|(&z, to)| f32::from_bits(z) - to).fold(0.0, float).to_bits()).collect()
}

/// Holds lists of every length to the sort.
fn check(name: &str, model: &Model<'_>, ids: &[u32], x: &[f32]) {
    let mut scratch = vec![u32::MAX; model.scratch_words()];
    let mut z = vec![0; model.dim()];
    model.embed_raw(x, &mut z, &mut scratch).unwrap();
    let mut expected: Vec<(u32, u32, usize)> =
        distances(model, &z).into_iter().take(ids.len()).enumerate().map(|(at, d)| (d, ids[at], at)).collect();
    assert_eq!(expected.len(), ids.len(), "{name}");
    expected.sort_unstable();
    for room in [1, 2, 5, 40] {
        let mut items = vec![Item::default(); room];
        let found = model.nearest_into(x, &mut scratch, &mut items).unwrap();
        let got: Vec<(u32, u32)> = items[..found].iter().map(|item| (item.raw_distance(), item.id())).collect();
        let wanted: Vec<(u32, u32)> = expected.iter().take(room).map(|&(d, id, _)| (d, id)).collect();
        assert_eq!(got, wanted, "{name}, nearest {room}");
    }
    let three = model.nearest::<3>(x, &mut scratch).unwrap();
    let mut items = [Item::default(); 3];
    let found = model.nearest_into(x, &mut scratch, &mut items).unwrap();
    assert_eq!(three, items[..found], "{name}");
}

#[test]
fn lists_of_every_case_are_sorted() {
    let mut looked_at = 0;
    for case in cases::cases().into_iter().chain(int_cases::cases()) {
        let bytes = encoded(&case.model);
        let model = Model::from_bytes(&bytes).unwrap();
        let meta = model.layout().meta();
        let ids: Vec<u32> = match (meta.head, model.layout().extras().find(extras::ITEMS)) {
            (code::HEAD_UNIT, _) => continue,
            (_, Some(ids)) => ids.as_chunks().0.iter().map(|&id| u32::from_le_bytes(id)).collect(),
            (code::HEAD_PROTOTYPES, None) => (0..meta.prototypes.into()).collect(),
            _ => (0..model.classes() as u32).collect(),
        };
        for row in case.rows.floats() {
            check(case.name, &model, &ids, &row);
        }
        looked_at += usize::from(meta.head == code::HEAD_PROTOTYPES);
    }
    assert!(looked_at >= 8, "{looked_at} models with prototypes");
}

/// Points with small whole coordinates, so that many distances are equal, and few ids, so that they are too.
#[test]
fn lists_with_ties_are_sorted() {
    let mut rng = Rng(15);
    for round in 0..2000 {
        let (dim, classes) = (1 + rng.below(3), 1 + rng.below(4));
        let counts: Vec<u16> = (0..classes).map(|_| rng.below(5) as u16).collect();
        let total: usize = counts.iter().map(|&count| usize::from(count)).sum();
        if total == 0 {
            continue;
        }
        let of =
            |rows: usize, rng: &mut Rng| -> Vec<i16> { (0..rows * dim).map(|_| rng.below(7) as i16 - 3).collect() };
        let (values, int) = (of(total, &mut rng), rng.below(2) == 0);
        let values = if int { Tensor::I16(values) } else { Tensor::F32(values.iter().map(|&v| v.into()).collect()) };
        let model = if int { int_cases::identity(dim, classes) } else { ModelBuf::new(dim, dim, classes) };
        let ids: Vec<u32> = (0..total).map(|_| rng.below(4) as u32).collect();
        let model = with_ids(ModelBuf { head: Head::Prototypes { k: 1, values, counts }, ..model }, &ids);
        let bytes = encoded(&model);
        let model = Model::from_bytes(&bytes).unwrap();
        let x: Vec<f32> = of(1, &mut rng).iter().map(|&v| v.into()).collect();
        check(&format!("round {round}, int {int}"), &model, &ids, &x);
    }
}

/// The first item is the one that a single voter names.
#[test]
fn the_nearest_item_has_the_class_that_is_named() {
    for case in [cases::cases().pop(), int_cases::cases().pop()].into_iter().flatten() {
        let bytes = encoded(&case.model);
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![0; model.scratch_words()];
        for row in case.rows.floats() {
            let answer = model.classify(row.as_slice(), &mut scratch).unwrap();
            let items = model.nearest::<2>(row.as_slice(), &mut scratch).unwrap();
            assert_eq!(items[0].raw_distance(), answer.raw().distance, "{}", case.name);
            let tied = items[0].raw_distance() == items[1].raw_distance();
            assert!(tied || items[0].class() == answer.class(), "{}", case.name);
        }
    }
}

#[test]
fn bytes_have_the_items_that_floats_have() {
    for case in int_cases::cases() {
        let Rows::U8(rows) = &case.rows else { continue };
        let bytes = encoded(&case.model);
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![0; model.scratch_words()];
        for (row, floats) in rows.iter().zip(case.rows.floats()) {
            let items = model.nearest::<4>(row.as_slice(), &mut scratch).unwrap();
            assert_eq!(model.nearest::<4>(floats.as_slice(), &mut scratch), Ok(items), "{}", case.name);
        }
    }
}
