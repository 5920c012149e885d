//! Encoding a model: its arrays go where its [`Spec`] says, then come header, checksum and trailer.

use alloc::{vec, vec::Vec};
use core::fmt;

use crate::{
    AlignedBuf, FeatureMap, Head, Layout, LoadError, ModelBuf, Projection, Readout, Scale, Section, Spec, Tensor,
    extras,
    header::{FLAG_TRAILER, FLAGS_OFFSET, HEADER_LEN, Header, MAGIC, VERSION},
    interleave::{interleave_blocks, interleave_nibble_rows, interleave_nibbles, interleave_rows, to_sparse},
    layout::checksum,
};

/// Why a model could not be written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// An array has the wrong length.
    Length {
        /// Which array.
        what: &'static str,
        /// Values that the other sizes ask for.
        needed: usize,
        /// Values that it has.
        got: usize,
    },
    /// An array is stored in a type that the profile does not allow.
    Type(&'static str),
    /// A size that the format cannot express.
    TooLarge(&'static str),
    /// A matrix that is to be stored in 4 bits holds a byte that is no multiple of 16, or cannot be stored so at all.
    Nibbles(&'static str),
    /// The finished bytes were refused by the reader.
    Refused(LoadError),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, needed, got } => write!(f, "{what} takes {needed} values, got {got}"),
            Self::Type(what) => write!(f, "{what} is stored in a type that the model's profile does not allow"),
            Self::TooLarge(what) => write!(f, "{what} is larger than the format can express"),
            Self::Nibbles(what) => write!(f, "{what} in 4 bits takes multiples of 16, in the INT profile, not sparse"),
            Self::Refused(why) => write!(f, "not a valid model: {why}"),
        }
    }
}

impl core::error::Error for EncodeError {}

impl ModelBuf {
    /// The model as a file: core, and trailer if it has provenance.
    ///
    /// # Errors
    /// If arrays disagree in size or type, or a rule of the format is broken.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let spec = self.spec()?;
        let mut bytes = Core::new(&spec).encode(self)?;
        if let Some(info) = &self.info {
            if !info.class_names.is_empty() && info.class_names.len() != self.classes {
                let (needed, got) = (self.classes, info.class_names.len());
                return Err(EncodeError::Length { what: "class names in the provenance", needed, got });
            }
            bytes.extend(info.to_trailer().map_err(|_| EncodeError::TooLarge("provenance"))?);
        }
        // One judge of validity: what the reader refuses is never written.
        Layout::from_bytes(&AlignedBuf::from(bytes.as_slice())).map_err(EncodeError::Refused)?;
        Ok(bytes)
    }
}

/// A model without its provenance: exactly what lies in flash.
///
/// # Errors
/// If the bytes are not a valid model.
pub fn strip(bytes: &[u8]) -> Result<Vec<u8>, LoadError> {
    Layout::from_bytes(&AlignedBuf::from(bytes))?;
    let core_len = Header::read(bytes)?.core_len as usize;
    let mut core = bytes.get(..core_len).ok_or(LoadError::TooShort)?.to_vec();
    core[FLAGS_OFFSET] = 0;
    Ok(core)
}

/// A core being filled: zeros where nothing has been put, so that padding needs no code.
struct Core<'a> {
    spec: &'a Spec,
    bytes: Vec<u8>,
}

impl<'a> Core<'a> {
    fn new(spec: &'a Spec) -> Self {
        Self { spec, bytes: vec![0; spec.core_len()] }
    }

    /// The bytes of the core, with its checksum.
    fn encode(mut self, model: &ModelBuf) -> Result<Vec<u8>, EncodeError> {
        self.features(model)?;
        if let Some(projection) = &model.project {
            let multipliers = model.int.as_ref().map_or(&[][..], |int| &int.p_mul);
            self.projection(projection, multipliers, model.features())?;
        }
        self.feature_map(&model.feature_map)?;
        if let Some(readout) = &model.readout {
            self.readout(readout, model.dim)?;
        }
        match &model.head {
            Head::Unit => {}
            Head::Means(values) => self.put(Section::Head, &[bytes_of(values)])?,
            Head::Prototypes { values, counts, .. } => {
                self.put(Section::Head, &[bytes_of(values)])?;
                self.put(Section::Counts, &[bytemuck::cast_slice(counts)])?;
            }
        }
        self.extras(model)?;
        self.header(model.info.is_some())?;
        Ok(self.bytes)
    }

    fn features(&mut self, model: &ModelBuf) -> Result<(), EncodeError> {
        if let Some(convolution) = &model.convolution {
            let words = convolution.to_words(self.spec.meta().channels as usize);
            self.put(Section::Filters, &[bytemuck::cast_slice(&words)])?;
        }
        if let Some(series) = &model.series {
            let meta = self.spec.meta();
            let (counts, words) = series.to_words(meta.channels as usize, meta.cols, model.int.is_some())?;
            self.put(Section::Series, &[bytemuck::cast_slice(&counts), bytemuck::cast_slice(&words)])?;
        }
        if let Some(mask) = &model.select {
            let byte = |bits: &[bool]| bits.iter().enumerate().fold(0, |byte, (i, &bit)| byte | u8::from(bit) << i);
            self.put(Section::Mask, &[&mask.chunks(8).map(byte).collect::<Vec<u8>>()])?;
        }
        match &model.scale {
            Scale::None | Scale::Uniform { .. } | Scale::Unit => Ok(()),
            Scale::Features { mul, add } => {
                self.put(Section::Scale, &[bytemuck::cast_slice(mul), bytemuck::cast_slice(add)])
            }
            Scale::IntFeatures { zero, mul } => {
                self.put(Section::Scale, &[bytemuck::cast_slice(&[zero.as_slice(), mul].concat())])
            }
        }
    }

    fn projection(&mut self, projection: &Projection, multipliers: &[u16], width: usize) -> Result<(), EncodeError> {
        let multipliers = bytemuck::cast_slice(multipliers);
        match (&projection.values, projection.sparse) {
            (values, false) if self.spec.meta().has_nibble_projection() => {
                let weights = interleave_nibbles(bytes_of(values), width).ok_or(EncodeError::Nibbles("projection"))?;
                self.put(Section::Project, &[&weights, multipliers])?;
            }
            (values, false) => self.put(Section::Project, &[&interleaved(values, width), multipliers])?,
            (Tensor::F32(values), true) => self.sparse(values, multipliers, width)?,
            (Tensor::I8(values), true) => self.sparse(values, multipliers, width)?,
            _ => return Err(EncodeError::Type("projection")),
        }
        self.put(Section::ProjectBias, &[bias(&projection.bias, &projection.int_bias)])
    }

    fn sparse<T>(&mut self, values: &[T], multipliers: &[u8], width: usize) -> Result<(), EncodeError>
    where
        T: Copy + Default + PartialEq + bytemuck::NoUninit,
    {
        let rows = to_sparse(values, width).ok_or(EncodeError::TooLarge("a row of the sparse projection"))?;
        self.put(Section::SparseCounts, &[bytemuck::cast_slice(&rows.counts)])?;
        self.put(Section::SparseGaps, &[&rows.gaps])?;
        self.put(Section::Project, &[bytemuck::cast_slice(&rows.values), multipliers])
    }

    fn feature_map(&mut self, feature_map: &FeatureMap) -> Result<(), EncodeError> {
        let width = self.spec.projected();
        match feature_map {
            FeatureMap::None | FeatureMap::Seeded { .. } => Ok(()),
            FeatureMap::Centers { values, .. } if self.spec.meta().has_nibble_centers() => {
                let centers = interleave_nibbles(bytes_of(values), width).ok_or(EncodeError::Nibbles("centers"))?;
                self.put(Section::Centers, &[&centers])
            }
            FeatureMap::Centers { values, .. } => self.put(Section::Centers, &[&interleaved(values, width)]),
            FeatureMap::Random { weights, phases, int_phases, .. } => {
                self.put(Section::Centers, &[&interleaved(weights, width)])?;
                self.put(Section::Phases, &[bytemuck::cast_slice(phases), bytemuck::cast_slice(int_phases)])
            }
        }
    }

    fn readout(&mut self, readout: &Readout, dim: usize) -> Result<(), EncodeError> {
        let weights = match &readout.weights {
            Tensor::I8(v) if self.spec.meta().has_nibble_readout() => {
                interleave_nibble_rows(bytemuck::cast_slice(v), dim).ok_or(EncodeError::Nibbles("readout"))?
            }
            Tensor::F32(v) => bytemuck::cast_slice(&interleave_rows(v, dim)).to_vec(),
            Tensor::I16(v) => bytemuck::cast_slice(&interleave_rows(v, dim)).to_vec(),
            Tensor::I8(v) => bytemuck::cast_slice(&interleave_rows(v, dim)).to_vec(),
            Tensor::U8(v) => interleave_rows(v, dim),
        };
        self.put(Section::Readout, &[&weights, bytemuck::cast_slice(&readout.int_mul)])?;
        self.put(Section::ReadoutBias, &[bias(&readout.bias, &readout.int_bias)])
    }

    fn extras(&mut self, model: &ModelBuf) -> Result<(), EncodeError> {
        let mut extras = model.extras.clone();
        if !model.names.is_empty() {
            let mut payload = Vec::new();
            for name in &model.names {
                payload.push(u8::try_from(name.len()).map_err(|_| EncodeError::TooLarge("a class name"))?);
                payload.extend(name.bytes());
            }
            extras.insert(extras::NAMES, (false, payload));
        }
        let mut at = self.spec.sections_end();
        for (tag, (critical, payload)) in &extras {
            let kind = u32::from(*tag) | u32::from(*critical) << 16;
            let head = [kind.to_le_bytes(), size("an extra", payload.len())?.to_le_bytes()].concat();
            self.fill(at, self.bytes.len(), &[&head, payload])?;
            at += extras::stored_len(payload.len());
        }
        Ok(())
    }

    fn header(&mut self, trailer: bool) -> Result<(), EncodeError> {
        let meta = self.spec.stored_meta();
        let start = self.spec.preamble_len();
        let stored = bytemuck::bytes_of(&meta).get(..start - HEADER_LEN).unwrap_or_default();
        let mut header = Header {
            magic: MAGIC,
            version: VERSION,
            flags: if trailer { FLAG_TRAILER } else { 0 },
            needs: self.spec.needs() as u16,
            core_len: size("model", self.bytes.len())?,
            crc: 0,
            inputs: size("inputs", self.spec.inputs())?,
            dim: u16::try_from(self.spec.dim()).map_err(|_| EncodeError::TooLarge("dim"))?,
            classes: u16::try_from(self.spec.classes()).map_err(|_| EncodeError::TooLarge("classes"))?,
            scratch: self.spec.scratch_words(),
        };
        self.fill(0, start, &[&header.to_bytes(), stored])?;
        header.crc = checksum(&self.bytes);
        self.fill(0, HEADER_LEN, &[&header.to_bytes()])
    }

    /// Puts the parts of a section where the spec says, each at a multiple of 4.
    fn put(&mut self, section: Section, parts: &[&[u8]]) -> Result<(), EncodeError> {
        let (start, end) = self.spec.section_range(section);
        self.fill(start, end, parts)
    }

    fn fill(&mut self, start: usize, end: usize, parts: &[&[u8]]) -> Result<(), EncodeError> {
        let mut at = start;
        for part in parts {
            let needed = end.saturating_sub(at);
            let wrong = EncodeError::Length { what: "a section", needed, got: part.len() };
            let room = self.bytes.get_mut(at..end).and_then(|room| room.get_mut(..part.len())).ok_or(wrong)?;
            room.copy_from_slice(part);
            at += part.len().next_multiple_of(4);
        }
        Ok(())
    }
}

/// The bias of either profile; the other one is empty.
fn bias<'a>(float: &'a [f32], int: &'a [i32]) -> &'a [u8] {
    if float.is_empty() { bytemuck::cast_slice(int) } else { bytemuck::cast_slice(float) }
}

fn bytes_of(values: &Tensor) -> &[u8] {
    match values {
        Tensor::F32(v) => bytemuck::cast_slice(v),
        Tensor::I16(v) => bytemuck::cast_slice(v),
        Tensor::I8(v) => bytemuck::cast_slice(v),
        Tensor::U8(v) => v,
    }
}

/// A matrix in the order in which dot products and distances read it: floats in groups of four rows, integers in
/// blocks of four rows by four inputs.
fn interleaved(values: &Tensor, width: usize) -> Vec<u8> {
    match values {
        Tensor::F32(v) => bytemuck::cast_slice(&interleave_rows(v, width)).to_vec(),
        Tensor::I16(v) => bytemuck::cast_slice(&interleave_blocks(v, width)).to_vec(),
        Tensor::I8(v) => bytemuck::cast_slice(&interleave_blocks(v, width)).to_vec(),
        Tensor::U8(v) => interleave_blocks(v, width),
    }
}

fn size(what: &'static str, value: usize) -> Result<u32, EncodeError> {
    u32::try_from(value).map_err(|_| EncodeError::TooLarge(what))
}
