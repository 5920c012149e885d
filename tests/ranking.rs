//! Whole rankings, line by line, against a sort of every distance.

use nearmark::{Candidate, ClassId, Memory, MemoryError, Model};
use nearmark_format::{AlignedBuf, Head, ModelBuf, Section, Tensor, meta::code};
use nearmark_tests::{
    cases::{self, Rows},
    int_cases,
    rng::Rng,
};

type AnyMemory = Memory<12, 64>;

fn encoded(model: &ModelBuf) -> AlignedBuf {
    AlignedBuf::from(model.encode().unwrap().as_slice())
}

/// Coordinates as the head compares them: floats or integers, either exact in `f64`.
fn coordinate(int: bool, word: u32) -> f64 {
    if int { f64::from(word as i32) } else { f64::from(f32::from_bits(word)) }
}

/// A squared distance in the words that the model counts in.
fn distance(int: bool, z: &[u32], to: &[f64]) -> u32 {
    if int {
        let gaps = z.iter().zip(to).map(|(&z, &to)| i64::from(z as i32) - to as i64);
        return u32::try_from(gaps.map(|gap| gap * gap).sum::<i64>()).unwrap();
    }
    let gaps = z.iter().zip(to).map(|(&z, &to)| f32::from_bits(z) - to as f32);
    gaps.fold(0.0, |sum: f32, gap| sum + gap * gap).to_bits()
}

/// The class and the distance of everything that a head compares an embedding with.
fn everything(model: &Model<'_>, memory: &AnyMemory, z: &[u32]) -> Vec<(u16, u32)> {
    let (layout, meta) = (model.layout(), model.layout().meta());
    let int = layout.int();
    let mut all = Vec::new();
    if meta.head == code::HEAD_UNIT {
        for class in 0..model.classes() {
            let distance = if int {
                let to: Vec<f64> = (0..z.len()).map(|at| f64::from(u16::from(at == class) * meta.z_one)).collect();
                distance(int, z, &to)
            } else {
                // By the rule of FORMAT.md, which rounds otherwise than a sum of squared gaps.
                let squares = z.iter().fold(0.0, |sum: f32, &z| sum + f32::from_bits(z) * f32::from_bits(z));
                ((squares - 2.0 * f32::from_bits(z[class])) + 1.0).max(0.0).to_bits()
            };
            all.push((class as u16, distance));
        }
    } else {
        let rows: Vec<f64> = if int {
            bytemuck::cast_slice::<u32, i16>(layout.words(Section::Head)).iter().map(|&v| v.into()).collect()
        } else {
            layout.floats(Section::Head).iter().map(|&v| v.into()).collect()
        };
        let mut rows = rows.chunks(z.len());
        for class in 0..model.classes() {
            let count = if meta.has_prototypes() { layout.halves(Section::Counts)[class] } else { 1 };
            for row in rows.by_ref().take(count.into()) {
                all.push((class as u16, distance(int, z, row)));
            }
        }
    }
    for (class, words) in memory.iter() {
        let to: Vec<f64> = words.iter().map(|&word| coordinate(int, word)).collect();
        all.push((class.0, distance(int, z, &to)));
    }
    all
}

/// A line per class: votes among the `k` nearest first, then distance, then number.
fn sorted(all: &[(u16, u32)], k: usize) -> Vec<(u16, u32)> {
    let mut nearest: Vec<(u32, u16)> = all.iter().map(|&(class, distance)| (distance, class)).collect();
    nearest.sort_unstable();
    let votes = |of: u16| nearest.iter().take(k).filter(|(_, class)| *class == of).count();
    let mut lines: Vec<(usize, u32, u16)> = Vec::new();
    for &(distance, class) in &nearest {
        if lines.iter().all(|line| line.2 != class) {
            lines.push((votes(class), distance, class));
        }
    }
    lines.sort_by_key(|&(votes, distance, class)| (usize::MAX - votes, distance, class));
    lines.into_iter().map(|(_, distance, class)| (class, distance)).collect()
}

/// What a model and a memory say of one sample, and what they should.
struct Question<'a> {
    model: Model<'a>,
    memory: &'a AnyMemory,
    x: &'a [f32],
    expected: Vec<(u16, u32)>,
}

impl Question<'_> {
    fn ask<const K: usize>(&self, name: &str) {
        let lines = |ranking: &[Candidate]| -> Vec<(u16, u32)> {
            ranking.iter().map(|line| (line.class().0, line.raw_distance())).collect()
        };
        let mut scratch = vec![u32::MAX; self.model.scratch_words()];
        let ranking = self.memory.rank::<K, _>(&self.model, self.x, &mut scratch).unwrap();
        let expected = &self.expected[..K.min(self.expected.len())];
        assert_eq!(lines(&ranking), expected, "{name}, best {K} of {:?}", self.x);
        if self.memory.is_empty() {
            let ranking = self.model.rank::<K, _>(self.x, &mut scratch).unwrap();
            assert_eq!(lines(&ranking), expected, "{name}, best {K} of {:?}, without a memory", self.x);
        }
    }
}

/// Holds rankings of every length to the sort.
fn check(name: &str, model: Model<'_>, memory: &AnyMemory, x: &[f32]) {
    let mut scratch = vec![u32::MAX; model.scratch_words()];
    let mut z = vec![0; model.dim()];
    model.embed_raw(x, &mut z, &mut scratch).unwrap();
    let meta = model.layout().meta();
    let k = if meta.has_prototypes() && meta.knn > 1 { meta.knn.into() } else { 0 };
    let expected = sorted(&everything(&model, memory, &z), k);
    let question = Question { model, memory, x, expected };
    question.ask::<1>(name);
    question.ask::<2>(name);
    question.ask::<3>(name);
    question.ask::<5>(name);
    question.ask::<40>(name);
}

#[test]
fn a_class_is_ranked_once_however_many_prototypes_it_has() {
    let values = Tensor::F32(vec![2.0, 3.0, 1.0]);
    let head = Head::Prototypes { k: 1, values, counts: vec![1, 2] };
    let bytes = encoded(&ModelBuf { head, ..ModelBuf::new(1, 1, 2) });
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let ranking = model.rank::<3, _>(&[0.5], &mut scratch).unwrap();
    let lines: Vec<(u16, f32)> = ranking.iter().map(|line| (line.class().0, line.distance_sq())).collect();
    assert_eq!(lines, [(1, 0.25), (0, 2.25)]);
}

#[test]
fn rankings_of_every_case_are_sorted() {
    for case in cases::cases().into_iter().chain(int_cases::cases()) {
        let bytes = encoded(&case.model);
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![0; model.scratch_words()];
        let mut memory = AnyMemory::new(&model).unwrap();
        let rows = case.rows.floats();
        for (at, row) in rows.iter().enumerate() {
            check(case.name, model, &memory, row);
            // Ever more is enrolled, of new classes and of the model's own.
            if at % 8 == 7 && memory.len() < memory.capacity() {
                let class = ClassId((at / 8 % (model.classes() + 2)) as u16);
                memory.enroll(&model, row.as_slice(), class, &mut scratch).unwrap();
            }
        }
        assert_eq!(memory.len(), 12, "{}", case.name);
    }
}

/// Heads over small whole coordinates, so that many distances are equal.
#[test]
fn rankings_of_random_heads_with_ties_are_sorted() {
    let mut rng = Rng(14);
    for round in 0..3000 {
        let (dim, classes) = (1 + rng.below(3), 1 + rng.below(7));
        let counts: Vec<u16> = (0..classes).map(|_| 1 + rng.below(5) as u16).collect();
        let total: usize = counts.iter().map(|&count| usize::from(count)).sum();
        let of =
            |rows: usize, rng: &mut Rng| -> Vec<i16> { (0..rows * dim).map(|_| rng.below(7) as i16 - 3).collect() };
        let prototypes = rng.below(4) != 0;
        let values = of(if prototypes { total } else { classes }, &mut rng);
        let (k, int) = (1 + rng.below(total.min(9)) as u8, rng.below(2) == 0);
        let values = if int { Tensor::I16(values) } else { Tensor::F32(values.iter().map(|&v| v.into()).collect()) };
        let head = if prototypes { Head::Prototypes { k, values, counts } } else { Head::Means(values) };
        let model = if int { int_cases::identity(dim, classes) } else { ModelBuf::new(dim, dim, classes) };
        let bytes = encoded(&ModelBuf { head, ..model });
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![0; model.scratch_words()];
        let mut memory = AnyMemory::new(&model).unwrap();
        let name =
            format!("round {round}, {} prototypes, k = {k}, int {int}", if prototypes { total } else { classes });
        for _ in 0..4 {
            let x: Vec<f32> = of(1, &mut rng).iter().map(|&v| v.into()).collect();
            check(&name, model, &memory, &x);
            let enrolled = memory.enroll(&model, x.as_slice(), ClassId(rng.below(classes + 3) as u16), &mut scratch);
            assert_eq!(enrolled, Ok::<(), MemoryError>(()));
        }
    }
}

/// The test above asks with floats; rows of bytes go the same way.
#[test]
fn bytes_are_ranked_as_floats_are() {
    for case in int_cases::cases() {
        let Rows::U8(rows) = &case.rows else { continue };
        let bytes = encoded(&case.model);
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![0; model.scratch_words()];
        for (row, floats) in rows.iter().zip(case.rows.floats()) {
            let ranking = model.rank::<4, _>(row.as_slice(), &mut scratch).unwrap();
            assert_eq!(model.rank::<4, _>(floats.as_slice(), &mut scratch), Ok(ranking), "{}", case.name);
        }
    }
}
