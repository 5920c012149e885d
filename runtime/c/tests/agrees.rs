//! What C gets is what Rust gets, to the bit: every golden model, every kind of call.
#![allow(clippy::undocumented_unsafe_blocks, reason = "every pointer here is made of a slice beside its length")]

use std::{fs, mem::MaybeUninit, ptr};

use nearmark::{Candidate, ClassId, Item, Memory, Model, Prediction};
use nearmark_c::*;
use nearmark_format::AlignedBuf;
use nearmark_tests::{cases::Rows, golden};

const OK: nearmark_status = nearmark_status::Ok;
/// Prototypes, and lines of a ranking.
const ROOM: usize = 5;
/// Coordinates of the longest embedding among the golden models.
const DIM: usize = 32;

fn open(bytes: &[u8]) -> nearmark_model {
    let mut model = MaybeUninit::uninit();
    assert_eq!(unsafe { nearmark_open(bytes.as_ptr(), bytes.len(), model.as_mut_ptr()) }, OK);
    unsafe { model.assume_init() }
}

/// All of a prediction, in words.
fn words_of(p: &Prediction) -> [u32; 6] {
    let raw = p.raw();
    let floats = [p.distance_sq().to_bits(), p.margin().to_bits()];
    [p.class().0.into(), p.is_known().into(), raw.distance, raw.runner_up, floats[0], floats[1]]
}

fn words_c(p: &nearmark_prediction) -> [u32; 6] {
    let floats = unsafe { [nearmark_distance_sq(p).to_bits(), nearmark_margin(p).to_bits()] };
    [p.class_id.into(), p.is_known.into(), p.distance, p.runner_up, floats[0], floats[1]]
}

fn line(c: &Candidate) -> [u32; 3] {
    [c.class().0.into(), c.raw_distance(), c.distance_sq().to_bits()]
}

fn line_c(c: &nearmark_candidate) -> [u32; 3] {
    [c.class_id.into(), c.distance, unsafe { nearmark_candidate_distance_sq(c) }.to_bits()]
}

fn item(i: &Item) -> [u32; 4] {
    [i.id(), i.class().0.into(), i.raw_distance(), i.distance_sq().to_bits()]
}

fn item_c(i: &nearmark_item) -> [u32; 4] {
    [i.id, i.class_id.into(), i.distance, unsafe { nearmark_item_distance_sq(i) }.to_bits()]
}

/// A class has one line of a ranking, however many prototypes it has.
fn each_class_once(lines: &[nearmark_candidate]) {
    let mut classes: Vec<u16> = lines.iter().map(|line| line.class_id).collect();
    classes.sort_unstable();
    classes.dedup();
    assert_eq!(classes.len(), lines.len(), "{lines:?}");
}

/// The same calls for each type of sample; Rust's generic functions have four names each in C.
macro_rules! agree {
    ($name:ident, $t:ty, $classify:ident $rank:ident $nearest:ident $embed:ident $raw:ident $enroll:ident $recall:ident $recall_rank:ident) => {
        fn $name(rust: &Model<'_>, c: &nearmark_model, rows: &[Vec<$t>]) {
            // Dirty, and each its own: nothing may depend on what was there before.
            let (mut here, mut there) = (vec![0xAAAA_AAAA; rust.scratch_words()], vec![0x5555; rust.scratch_words()]);
            let (scratch, words) = (there.as_mut_ptr(), there.len());
            let mut answer = nearmark_prediction::default();
            let mut lines = [nearmark_candidate::default(); ROOM];
            let mut items = [nearmark_item::default(); ROOM];
            let mut found = 0;
            let mut z = (vec![0.0; rust.dim()], vec![0.0; rust.dim()]);
            let mut raw = (vec![0; rust.dim()], vec![0; rust.dim()]);
            let mut storage = vec![0xFFFF_FFFF; ROOM * rust.dim() + ROOM.div_ceil(2)];
            let mut kept = MaybeUninit::uninit();
            let made = unsafe { nearmark_memory_init(c, ROOM, storage.as_mut_ptr(), storage.len(), kept.as_mut_ptr()) };
            assert_eq!(made, OK);
            let mut kept = unsafe { kept.assume_init() };
            let mut memory = Memory::<ROOM, DIM>::new(rust).unwrap();
            for round in 0..3 {
                for row in rows {
                    let (x, len) = (row.as_ptr(), row.len());
                    let row = row.as_slice();

                    assert_eq!(unsafe { $classify(c, x, len, scratch, words, &mut answer) }, OK);
                    assert_eq!(words_c(&answer), words_of(&rust.classify(row, &mut here).unwrap()));

                    assert_eq!(unsafe { $rank(c, x, len, scratch, words, lines.as_mut_ptr(), ROOM, &mut found) }, OK);
                    let ranked = rust.rank::<ROOM, _>(row, &mut here).unwrap();
                    assert!(lines[..found].iter().map(line_c).eq(ranked.iter().map(line)));
                    each_class_once(&lines[..found]);

                    let near = unsafe { $nearest(c, x, len, scratch, words, items.as_mut_ptr(), ROOM, &mut found) };
                    assert_eq!(near, OK);
                    let near = rust.nearest::<ROOM>(row, &mut here).unwrap();
                    assert!(items[..found].iter().map(item_c).eq(near.iter().map(item)));

                    assert_eq!(unsafe { $embed(c, x, len, z.0.as_mut_ptr(), z.0.len(), scratch, words) }, OK);
                    rust.embed(row, &mut z.1, &mut here).unwrap();
                    assert!(z.0.iter().map(|v| v.to_bits()).eq(z.1.iter().map(|v| v.to_bits())));

                    assert_eq!(unsafe { $raw(c, x, len, raw.0.as_mut_ptr(), raw.0.len(), scratch, words) }, OK);
                    rust.embed_raw(row, &mut raw.1, &mut here).unwrap();
                    assert_eq!(raw.0, raw.1);

                    assert_eq!(unsafe { $recall(c, &kept, x, len, scratch, words, &mut answer) }, OK);
                    assert_eq!(words_c(&answer), words_of(&memory.classify(rust, row, &mut here).unwrap()));

                    let lines_at = lines.as_mut_ptr();
                    let ranked = unsafe { $recall_rank(c, &kept, x, len, scratch, words, lines_at, ROOM, &mut found) };
                    assert_eq!(ranked, OK);
                    let ranked = memory.rank::<ROOM, _>(rust, row, &mut here).unwrap();
                    assert!(lines[..found].iter().map(line_c).eq(ranked.iter().map(line)));
                    each_class_once(&lines[..found]);
                }
                // Learn more before the next round: a class of the model's, then new ones, until it is full.
                for (at, row) in rows.iter().enumerate().skip(round * 2).take(3) {
                    let class = if at == 0 { ClassId(0) } else { memory.next_class(rust) };
                    if at > 0 {
                        assert_eq!(unsafe { nearmark_memory_next_class(c, &kept) }, class.0);
                    }
                    let (x, len) = (row.as_ptr(), row.len());
                    let enrolled = unsafe { $enroll(c, &mut kept, x, len, class.0, scratch, words) };
                    let expected = memory.enroll(rust, row.as_slice(), class, &mut here);
                    assert_eq!(enrolled, expected.err().map_or(OK, nearmark_status::from));
                    same(&kept, &memory);
                }
                if round == 1 {
                    let dropped = unsafe { nearmark_memory_forget(&mut kept, 0) };
                    assert_eq!(dropped, memory.forget(ClassId(0)));
                    assert_eq!(unsafe { nearmark_memory_undo(&mut kept) }, memory.undo().is_some());
                    same(&kept, &memory);
                }
            }
            restored(c, &kept);
        }
    };
}

agree!(floats, f32, nearmark_classify_f32 nearmark_rank_f32 nearmark_nearest_f32 nearmark_embed_f32
    nearmark_embed_raw_f32
    nearmark_enroll_f32 nearmark_memory_classify_f32 nearmark_memory_rank_f32);
agree!(halves, i16, nearmark_classify_i16 nearmark_rank_i16 nearmark_nearest_i16 nearmark_embed_i16
    nearmark_embed_raw_i16
    nearmark_enroll_i16 nearmark_memory_classify_i16 nearmark_memory_rank_i16);
agree!(signed, i8, nearmark_classify_i8 nearmark_rank_i8 nearmark_nearest_i8 nearmark_embed_i8
    nearmark_embed_raw_i8
    nearmark_enroll_i8 nearmark_memory_classify_i8 nearmark_memory_rank_i8);
agree!(bytes, u8, nearmark_classify_u8 nearmark_rank_u8 nearmark_nearest_u8 nearmark_embed_u8
    nearmark_embed_raw_u8
    nearmark_enroll_u8 nearmark_memory_classify_u8 nearmark_memory_rank_u8);

/// Every prototype of a memory, read out through C.
fn contents(kept: &nearmark_memory) -> Vec<(u16, Vec<u32>)> {
    let read = |at| {
        let (mut class, mut z) = (0, ptr::null());
        assert_eq!(unsafe { nearmark_memory_get(kept, at, &raw mut class, &raw mut z) }, OK);
        (class, unsafe { std::slice::from_raw_parts(z, kept.dim) }.to_vec())
    };
    (0..kept.count).map(read).collect()
}

fn same(kept: &nearmark_memory, memory: &Memory<ROOM, DIM>) {
    let expected: Vec<_> = memory.iter().map(|(class, z)| (class.0, z.to_vec())).collect();
    assert_eq!(contents(kept), expected);
}

/// A journal read back is the same memory.
fn restored(c: &nearmark_model, kept: &nearmark_memory) {
    let mut storage = vec![0; ROOM * kept.dim + ROOM.div_ceil(2)];
    let mut copy = MaybeUninit::uninit();
    let made = unsafe { nearmark_memory_init(c, ROOM, storage.as_mut_ptr(), storage.len(), copy.as_mut_ptr()) };
    assert_eq!(made, OK);
    let mut copy = unsafe { copy.assume_init() };
    for (class, z) in contents(kept) {
        assert_eq!(unsafe { nearmark_memory_restore(c, &raw mut copy, class, z.as_ptr(), z.len()) }, OK);
    }
    assert_eq!(contents(&copy), contents(kept));
    assert!(kept.count > 0, "nothing was enrolled");
}

#[test]
fn every_golden_model_answers_in_c_as_in_rust() {
    let mut replayed = 0;
    for entry in fs::read_dir(golden::folder()).unwrap() {
        let path = entry.unwrap().path();
        let expectations = path.with_extension("expect");
        if path.extension().is_none_or(|ending| ending != "nmk") || !expectations.exists() {
            continue;
        }
        let file = AlignedBuf::from(fs::read(&path).unwrap().as_slice());
        let (rust, c) = (Model::from_bytes(&file).unwrap(), open(&file));
        sizes(&rust, &c);
        match golden::decode(&fs::read(expectations).unwrap()).0 {
            Rows::F32(rows) => floats(&rust, &c, &rows),
            Rows::I16(rows) => halves(&rust, &c, &rows),
            Rows::I8(rows) => signed(&rust, &c, &rows),
            Rows::U8(rows) => bytes(&rust, &c, &rows),
        }
        replayed += 1;
    }
    assert!(replayed > 30, "{replayed} models");
}

#[test]
fn an_embedding_that_is_not_finite_is_an_error() {
    let file = AlignedBuf::from(fs::read(golden::folder().join("linear.nmk")).unwrap().as_slice());
    let (rust, c) = (Model::from_bytes(&file).unwrap(), open(&file));
    let (x, mut scratch) = (vec![f32::MAX; rust.inputs()], vec![0; rust.scratch_words()]);
    let (mut z, mut raw) = (vec![0.0; rust.dim()], vec![0; rust.dim()]);
    let (room, words) = (scratch.as_mut_ptr(), scratch.len());
    let floats = unsafe { nearmark_embed_f32(&raw const c, x.as_ptr(), x.len(), z.as_mut_ptr(), z.len(), room, words) };
    let raw =
        unsafe { nearmark_embed_raw_f32(&raw const c, x.as_ptr(), x.len(), raw.as_mut_ptr(), raw.len(), room, words) };
    assert_eq!((floats, raw), (nearmark_status::NotFinite, nearmark_status::NotFinite));
}

fn sizes(rust: &Model<'_>, c: &nearmark_model) {
    let sizes = unsafe { [nearmark_inputs(c), nearmark_dim(c), nearmark_classes(c), nearmark_scratch_words(c)] };
    assert_eq!(sizes, [rust.inputs(), rust.dim(), rust.classes(), rust.scratch_words()]);
    assert_eq!(unsafe { nearmark_id(c) }, rust.id());
    for class in 0..rust.classes() as u16 + 2 {
        let (mut name, mut len) = (ptr::null(), 0);
        let status = unsafe { nearmark_class_name(c, class, &raw mut name, &raw mut len) };
        match rust.class_name_bytes(ClassId(class)) {
            Some(expected) => {
                assert_eq!(status, OK);
                assert_eq!(unsafe { std::slice::from_raw_parts(name.cast::<u8>(), len) }, expected);
            }
            None => assert_eq!(status, nearmark_status::NoName),
        }
    }
}
