//! A reader of the trailer written from FORMAT.md alone, as `reader.rs` is of the core.

/// What FORMAT.md says of a model's origin.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Origin {
    pub(crate) tool: String,
    pub(crate) method: String,
    pub(crate) parameters: Vec<(String, String)>,
    pub(crate) seed: u64,
    pub(crate) data: [u8; 16],
    pub(crate) rows: u64,
    pub(crate) scores: Vec<(String, f64)>,
    pub(crate) features: Vec<String>,
    pub(crate) classes: Vec<String>,
    pub(crate) interleaved: bool,
    pub(crate) exemplars: Vec<(u64, u16)>,
    pub(crate) similarities: bool,
}

/// The origin of a model file, if it has a trailer.
pub(crate) fn read(file: &[u8]) -> Option<Origin> {
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let trailer = &file[word(file, 8)..];
    if file[5] & 1 == 0 {
        assert!(trailer.is_empty());
        return None;
    }
    assert_eq!(&trailer[..4], b"NMKI");
    assert_eq!(trailer.len(), 12 + word(trailer, 4));
    let mut rest = Payload(&trailer[12..]);
    let mut origin = Origin {
        tool: rest.string(),
        method: rest.string(),
        parameters: rest.list(|rest| (rest.string(), rest.string())),
        seed: rest.varint(),
        data: rest.take(16).try_into().unwrap(),
        rows: rest.varint(),
        scores: rest.list(|rest| (rest.string(), f64::from_le_bytes(rest.take(8).try_into().unwrap()))),
        features: rest.list(Payload::string),
        ..Origin::default()
    };
    if !rest.0.is_empty() {
        origin.classes = rest.list(Payload::string);
        origin.interleaved = rest.take(1) == [1];
    }
    if !rest.0.is_empty() {
        origin.exemplars = rest.list(|rest| (rest.varint(), rest.varint() as u16));
        origin.similarities = rest.take(1) == [1];
    }
    Some(origin)
}

struct Payload<'a>(&'a [u8]);

impl<'a> Payload<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    /// Seven bits a byte, the lowest first; the highest bit is set if more follow.
    fn varint(&mut self) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = self.take(1)[0];
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        value
    }

    fn string(&mut self) -> String {
        let len = self.varint() as usize;
        String::from_utf8(self.take(len).to_vec()).unwrap()
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.varint()).map(|_| item(self)).collect()
    }
}
