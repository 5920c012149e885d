//! Bytes that are not a model, or not any more: an error, never a panic, never a long run.

use std::time::{Duration, Instant};

use nearmark::{Error, LoadError, Model, Prediction};
use nearmark_format::{
    AlignedBuf, FeatureMap, Head, Header, Info, Kernel, Layout, ModelBuf, Readout, Scale, Tensor, checksum, extras,
    strip,
};
use nearmark_tests::{
    cases::{self, Rows},
    golden, int_cases,
    rng::Rng,
};

/// A model of about 2 KB with names, radii and provenance.
fn model_of_2_kb() -> Vec<u8> {
    let mut model = cases::cases().swap_remove(1).model;
    model.names = (0..model.classes).map(|c| format!("class {c}")).collect();
    model.extras.insert(extras::RADII, (false, [1f32; 5].iter().flat_map(|v| v.to_le_bytes()).collect()));
    model.extras.insert(0x8001, (false, vec![7; 450]));
    model.info = Some(Info { tool: "nearmark 0.1.0".into(), method: "cmvda".into(), ..Info::default() });
    let bytes = model.encode().unwrap();
    assert!((1900..2200).contains(&bytes.len()), "{} bytes", bytes.len());
    bytes
}

fn load(bytes: &[u8]) -> Result<(), LoadError> {
    Model::from_bytes(&AlignedBuf::from(bytes)).map(drop)
}

#[test]
fn every_truncation_is_refused() {
    let bytes = model_of_2_kb();
    assert_eq!(load(&bytes), Ok(()));
    for len in 0..bytes.len() {
        assert!(load(&bytes[..len]).is_err(), "{len} of {} bytes", bytes.len());
    }
    let stripped = strip(&bytes).unwrap();
    assert_eq!(load(&stripped), Ok(()));
    for len in 0..stripped.len() {
        assert!(load(&stripped[..len]).is_err(), "{len} of {} bytes", stripped.len());
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    for mut bytes in [model_of_2_kb(), strip(&model_of_2_kb()).unwrap()] {
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(load(&bytes).is_err(), "bit {bit} of {}", 8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert_eq!(load(&bytes), Ok(()));
    }
}

#[test]
fn trailing_bytes_are_refused_but_left_over_by_a_prefix() {
    let mut bytes = model_of_2_kb();
    let len = bytes.len();
    bytes.extend([1, 2, 3]);
    let bytes = AlignedBuf::from(bytes.as_slice());
    let error = Model::from_bytes(&bytes).unwrap_err();
    assert_eq!(error, LoadError::Length { needed: len as u32, got: len as u32 + 3 });
    let (_, rest) = Model::from_prefix(&bytes).unwrap();
    assert_eq!(rest, [1, 2, 3]);
}

#[test]
fn odd_addresses_are_refused_by_name() {
    let bytes = strip(&model_of_2_kb()).unwrap();
    for offset in 1..4 {
        let mut shifted = vec![0; offset];
        shifted.extend(&bytes);
        let shifted = AlignedBuf::from(shifted.as_slice());
        let error = Model::from_bytes(&shifted[offset..]).unwrap_err();
        assert_eq!(error, LoadError::Misaligned);
        assert!(error.to_string().contains("include_model!"), "{error}");
    }
}

#[test]
fn versions_and_strangers_are_told_apart() {
    let mut bytes = model_of_2_kb();
    bytes[4] = 2;
    assert_eq!(load(&bytes), Err(LoadError::Version(2)));
    assert_eq!(load(b"PK\x03\x04 and twenty-eight bytes more"), Err(LoadError::NotAModel));
    assert_eq!(load(b"NMK1"), Err(LoadError::TooShort));
}

/// Refused by the reader, even with a good checksum.
fn refused(change: impl Fn(&mut ModelBuf)) -> String {
    let mut model = cases::cases().swap_remove(0).model;
    change(&mut model);
    model.encode().expect_err("a value that must be refused").to_string()
}

#[test]
fn values_that_make_no_sense_are_refused() {
    let centers = |values: Vec<f32>, gamma| FeatureMap::Centers {
        kernel: Kernel::Gaussian { gamma },
        values: Tensor::F32(values),
    };
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut values = vec![0.5; 21 * 16];
        values[77] = bad;
        assert!(refused(|m| m.feature_map = centers(values.clone(), 0.5)).contains("not finite"));
        assert!(refused(|m| m.scale = Scale::Uniform { mul: bad, add: 0.0 }).contains("not finite"));
    }
    for gamma in [0.0, -0.0, -1.0] {
        assert!(refused(|m| m.feature_map = centers(vec![0.5; 21 * 16], gamma)).contains("metadata"));
    }
    for gamma in [f32::NAN, f32::INFINITY] {
        assert!(refused(|m| m.feature_map = centers(vec![0.5; 21 * 16], gamma)).contains("not finite"));
    }
    let degree = |degree| FeatureMap::Centers {
        kernel: Kernel::Polynomial { gamma: 1.0, offset: 1.0, degree },
        values: Tensor::F32(vec![0.5; 21 * 16]),
    };
    assert!(refused(|m| m.feature_map = degree(0)).contains("metadata"));
    assert!(refused(|m| m.feature_map = degree(9)).contains("metadata"));
    assert!(refused(|m| (m.classes, m.head) = (0, Head::Means(Tensor::F32(vec![])))).contains("size"));
    assert!(refused(|m| m.head = Head::Unit).contains("size"), "unit means need as many coordinates as classes");
    assert!(refused(|m| m.readout = None).contains("size"), "21 centers are no embedding of 9");
    assert!(refused(|m| m.select = Some(vec![false; 16])).contains("centers"), "nothing selected");
    let prototypes = |k| Head::Prototypes { k, values: Tensor::F32(vec![0.0; 90]), counts: vec![1; 10] };
    assert!(refused(|m| m.head = prototypes(0)).contains("size"));
    assert!(refused(|m| m.head = prototypes(11)).contains("size"), "more voters than prototypes");
    assert!(refused(|m| m.head = Head::Means(Tensor::I16(vec![0; 90]))).contains("profile"), "one profile only");
}

#[test]
fn header_sizes_that_lie_are_refused() {
    let bytes = strip(&model_of_2_kb()).unwrap();
    let good = Header::read(&bytes).unwrap();
    let lies = [
        Header { inputs: 0, ..good },
        Header { inputs: u32::MAX, ..good },
        Header { dim: 0, ..good },
        Header { dim: u16::MAX, ..good },
        Header { classes: 0, ..good },
        Header { classes: u16::MAX, ..good },
        Header { scratch: 0, ..good },
        Header { scratch: u32::MAX, ..good },
        Header { needs: good.needs | 1 << 14, ..good },
        Header { needs: 0, ..good },
        Header { core_len: 0, ..good },
        Header { core_len: good.core_len - 4, ..good },
        Header { core_len: u32::MAX, ..good },
    ];
    for lie in lies {
        let bytes = with_header(&bytes, lie);
        assert!(load(&bytes).is_err(), "{lie:?}");
    }
    assert_eq!(load(&with_header(&bytes, good)), Ok(()), "the checksum of this test is right");
}

/// The model with another header, its checksum made right.
fn with_header(bytes: &[u8], header: Header) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[..28].copy_from_slice(&header.to_bytes());
    seal(&mut bytes);
    bytes
}

fn seal(bytes: &mut [u8]) {
    let core_len = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    let core = core_len.min(bytes.len());
    let crc = checksum(&bytes[..core]);
    bytes[12..16].copy_from_slice(&crc.to_le_bytes());
}

/// Mutates models, repairs the checksum, loads, and classifies what loads.
#[test]
fn a_million_mutations_with_a_good_checksum_do_no_harm() {
    const MUTATIONS: u32 = 1_000_000;
    let every = cases::cases().into_iter().chain(int_cases::cases());
    let mut models: Vec<Vec<u8>> = every.map(|case| case.model.encode().unwrap()).collect();
    models.push(strip(&model_of_2_kb()).unwrap());
    let mut rng = Rng(5);
    let (mut classified, mut longest) = ([0; 2], Duration::ZERO);
    let mut tried = [0; 2];
    for _ in 0..MUTATIONS {
        let model = &models[rng.below(models.len())];
        let int = (model[6] & 1) as usize;
        tried[int] += 1;
        let mut bytes = AlignedBuf::from(model.as_slice());
        for _ in 0..=rng.below(3) {
            // Most of a model is numbers: aim half of the mutations at header and metadata.
            let reach = if rng.below(2) == 0 { 110.min(bytes.len()) } else { bytes.len() };
            mutate(&mut bytes[..reach], &mut rng);
        }
        seal(&mut bytes);
        let start = Instant::now();
        if let Ok(model) = Model::from_bytes(&bytes) {
            match classify(&model, &mut rng) {
                Some(Ok(()) | Err(Error::NotFinite)) => classified[int] += 1,
                Some(Err(other)) => panic!("a model that loads takes any sample of its length: {other}"),
                None => {}
            }
        }
        longest = longest.max(start.elapsed());
    }
    println!("{classified:?} of {tried:?} F32 and INT models reached classify, longest {longest:?}");
    for (classified, tried) in classified.into_iter().zip(tried) {
        assert!(classified >= tried / 10 && tried > MUTATIONS / 10, "{classified} of {tried} reached classify");
    }
    assert!(longest < Duration::from_secs(2), "longest {longest:?}");
}

/// Padding takes part in no answer, or it is refused where it is not zero.
#[test]
fn padding_changes_no_answer_of_an_integer_model() {
    let mut padding = 0;
    for case in int_cases::cases().into_iter().filter(|case| !case.name.starts_with("bench")) {
        let mut bytes = AlignedBuf::from(case.model.encode().unwrap().as_slice());
        let rows = case.rows.first(2);
        let expected = golden::answers(&Model::from_bytes(&bytes).unwrap(), &rows);
        for at in Layout::from_bytes(&bytes).unwrap().spec().preamble_len()..bytes.len() {
            let before = bytes[at];
            bytes[at] ^= 0x5A;
            seal(&mut bytes);
            let same = ModelBuf::decode(&bytes).is_ok_and(|model| model == case.model);
            if same {
                padding += 1;
                let model = Model::from_bytes(&bytes).unwrap();
                assert_eq!(golden::answers(&model, &rows), expected, "{}, byte {at}", case.name);
                assert_eq!(batch_answers(&model, &rows), expected_labels(&expected), "{}, byte {at}", case.name);
            }
            bytes[at] = before;
        }
    }
    assert!(padding > 100, "{padding} bytes of padding looked at");
}

/// Class, distance and runner-up of rows in one batch.
fn batch_answers(model: &Model<'_>, rows: &Rows) -> Vec<(u16, u32, u32)> {
    let mut out = vec![Prediction::default(); rows.len()];
    let (mut pack, mut scratch) = (vec![0.0; model.batch_words()], vec![0; model.scratch_words()]);
    model.classify_batch(&rows.floats().concat(), &mut out, &mut pack, &mut scratch).unwrap();
    out.iter().map(|answer| (answer.class().0, answer.raw().distance, answer.raw().runner_up)).collect()
}

fn expected_labels(answers: &[golden::Answer]) -> Vec<(u16, u32, u32)> {
    answers.iter().map(|answer| (answer.class, answer.distance, answer.runner_up)).collect()
}

fn mutate(bytes: &mut [u8], rng: &mut Rng) {
    let at = rng.below(bytes.len());
    match rng.below(4) {
        0 => bytes[at] ^= 1 << rng.below(8),
        1 => bytes[at] = rng.word() as u8,
        2 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][rng.below(5)],
        _ => {
            let from = rng.below(bytes.len());
            let len = rng.below(8).min(bytes.len() - at.max(from));
            bytes.copy_within(from..from + len, at);
        }
    }
}

/// Asks everything of a model that loads; `None` where the sample alone would take more memory than a test should.
fn classify(model: &Model<'_>, rng: &mut Rng) -> Option<Result<(), Error>> {
    if model.inputs() > 1 << 16 || model.scratch_words() > 1 << 20 {
        return None;
    }
    let x = rng.floats(model.inputs());
    let mut scratch = vec![0; model.scratch_words()];
    let answer = model.classify(x.as_slice(), &mut scratch);
    let ranking = model.rank::<3, _>(x.as_slice(), &mut scratch);
    if let (Ok(answer), Ok(ranking)) = (answer, ranking) {
        assert_eq!(answer.class(), ranking[0].class());
        assert!(!answer.margin().is_nan() && answer.distance_sq().is_finite(), "{answer:?}");
        assert!(ranking.iter().all(|line| !line.distance_sq().is_nan()), "{ranking:?}");
    }
    let items = model.nearest::<3>(x.as_slice(), &mut scratch);
    assert_eq!(items.as_ref().err(), answer.as_ref().err(), "{items:?}");
    if let (Ok(answer), Ok(items)) = (answer, items) {
        // A vote may overrule the nearest.
        assert!(items[0].raw_distance() <= answer.raw().distance, "{items:?}");
        assert!(items.is_sorted_by_key(nearmark::Item::raw_distance), "{items:?}");
    }
    let mut z = vec![f32::NAN; model.dim()];
    match model.embed(x.as_slice(), &mut z, &mut scratch) {
        Ok(()) => assert!(z.iter().all(|z| z.is_finite()), "{z:?}"),
        Err(error) => assert_eq!((error, answer), (Error::NotFinite, Err(Error::NotFinite))),
    }
    batched(model, &x, answer, &mut scratch);
    Some(answer.map(drop))
}

/// A batch gives the same answer or the same error.
fn batched(model: &Model<'_>, x: &[f32], answer: Result<Prediction, Error>, scratch: &mut [u32]) {
    if model.batch_words() > 1 << 22 {
        return;
    }
    let mut workspace = vec![f32::NAN; model.batch_words()];
    let mut out = [Prediction::default()];
    let done = model.classify_batch(x, &mut out, &mut workspace, scratch);
    assert_eq!(done.map(|()| out[0]), answer, "{:?}", model.layout().meta());
}

#[test]
fn extras_twice_out_of_order_or_unknown_and_critical_are_refused() {
    let mut model = cases::cases().swap_remove(0).model;
    model.extras.insert(9, (false, vec![1, 2, 3]));
    assert!(model.encode().is_ok(), "unknown extras are skipped");
    model.extras.insert(9, (true, vec![1, 2, 3]));
    assert!(model.encode().is_err(), "unless they are critical");
    model.extras.insert(9, (false, Vec::new()));
    model.extras.insert(10, (false, Vec::new()));
    let good = model.encode().unwrap();
    for tags in [[9u8, 9], [10, 9]] {
        let mut bytes = good.clone();
        let end = bytes.len();
        (bytes[end - 16], bytes[end - 8]) = (tags[0], tags[1]);
        seal(&mut bytes);
        assert_eq!(load(&bytes), Err(LoadError::Meta), "{tags:?}");
    }
}

#[test]
fn integer_models_take_their_own_type_and_floats() {
    let case = int_cases::cases().swap_remove(0);
    let bytes = AlignedBuf::from(case.model.encode().unwrap().as_slice());
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let answer = model.classify(&[7u8; 16], &mut scratch).unwrap();
    assert_eq!(model.classify(&[7.0f32; 16], &mut scratch), Ok(answer));
    assert_eq!(model.classify(&[7.4f32; 16], &mut scratch), Ok(answer), "floats are rounded");
    let wrong = model.classify(&[7i16; 16], &mut scratch).unwrap_err();
    assert_eq!(wrong, Error::InputType { needed: nearmark::Num::U8 });
    assert!(wrong.to_string().contains("u8 or f32"), "{wrong}");
    assert_eq!(model.classify(&[f32::NAN; 16], &mut scratch), Err(Error::NotFinite));
}

#[test]
fn an_embedding_that_is_not_finite_is_an_error() {
    let weights = Tensor::F32(vec![f32::MAX, 1.0]);
    let readout = Some(Readout { weights, ..Readout::default() });
    let head = Head::Means(Tensor::F32(vec![0.0; 2]));
    let model = ModelBuf { readout, head, ..ModelBuf::new(1, 2, 1) };
    let bytes = AlignedBuf::from(model.encode().unwrap().as_slice());
    let model = Model::from_bytes(&bytes).unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    assert_eq!(model.embed(&[0.5], &mut [0.0; 2], &mut scratch), Ok(()));
    for x in [2.0, f32::NAN] {
        assert_eq!(model.embed(&[x], &mut [0.0; 2], &mut scratch), Err(Error::NotFinite));
        assert_eq!(model.embed_raw(&[x], &mut [0; 2], &mut scratch), Err(Error::NotFinite));
        assert_eq!(model.classify(&[x], &mut scratch), Err(Error::NotFinite));
    }
}

#[test]
fn units_whose_distances_would_not_be_finite_are_refused() {
    for (z_unit, good) in [(1e-30, true), (1.4e14, true), (1.5e14, false), (f32::MAX, false), (0.0, false)] {
        let mut model = int_cases::cases().swap_remove(0).model;
        model.int.as_mut().unwrap().z_unit = z_unit;
        assert_eq!(model.encode().is_ok(), good, "{z_unit}");
    }
}

#[test]
fn a_polynomial_of_integers_is_refused_by_name() {
    let mut model = int_cases::cases().swap_remove(0).model;
    if let FeatureMap::Centers { kernel, .. } = &mut model.feature_map {
        *kernel = Kernel::Polynomial { gamma: 1.0, offset: 0.0, degree: 2 };
    }
    let error = model.encode().unwrap_err();
    assert_eq!(error, nearmark_format::EncodeError::Refused(LoadError::IntegerPolynomial));
    assert!(error.to_string().contains("polynomial"), "{error}");
}

#[test]
fn provenance_is_read_back_and_cut_off() {
    let bytes = model_of_2_kb();
    let info = Info::from_model(&AlignedBuf::from(bytes.as_slice())).unwrap().unwrap();
    assert_eq!(info.method, "cmvda");
    let stripped = strip(&bytes).unwrap();
    assert_eq!(Info::from_model(&AlignedBuf::from(stripped.as_slice())), Ok(None));
    let id = |bytes: &[u8]| Layout::from_bytes(&AlignedBuf::from(bytes)).unwrap().header().crc;
    assert_eq!(id(&bytes), id(&stripped), "the id is the core's");
}
