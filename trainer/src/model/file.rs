//! A model file in memory: aligned, checked once, and from then on trusted.

use crate::linalg::Mat;
use nearmark::{ClassId, LoadError, Model, Num};
use nearmark_format::{AlignedBuf, EncodeError, Header, Info, ModelBuf, Spec, needs, strip};
use std::{borrow::Cow, io, path::Path};

/// A complete model file that is known to be valid, provenance included.
///
/// This is the only form in which models travel between training, evaluation, code generation and the tool. Bytes are
/// checked where they enter, so that nothing behind that point can fail on them.
///
/// ```
/// use nearmark_train::{Method, ModelFile, compile, dataset::synthetic, methods::cmvda::Cmvda};
///
/// let fitted = Cmvda::default().fit(&synthetic::moons(50, 0.1, 0))?;
/// let file = compile::model(&fitted)?.encode()?;
/// let again = ModelFile::from_bytes(file.bytes())?; // wherever these bytes lie
/// assert_eq!(again.model().inputs(), 2);
/// assert_eq!(again.class_names(), ["0", "1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFile {
    bytes: AlignedBuf,
    header: Header,
    spec: Spec,
    info: Option<Info>,
    class_names: Vec<String>,
    interleaved: bool,
}

/// Why no model could be read from a path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What it holds is not a model.
    #[error(transparent)]
    Load(#[from] LoadError),
}

impl ModelFile {
    /// Checks the bytes of a model file; they may lie at any address.
    ///
    /// # Errors
    /// [`LoadError`] when they are not a valid model with, if any, a valid trailer.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let bytes = AlignedBuf::from(bytes);
        let info = Info::from_model(&bytes)?;
        Self::new(bytes, info)
    }

    /// Reads and checks a model file.
    ///
    /// # Errors
    /// [`ReadError`] when the file cannot be read or is not a model.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Ok(Self::from_bytes(&std::fs::read(path)?)?)
    }

    /// The file of a model.
    ///
    /// # Errors
    /// [`EncodeError`] when arrays disagree in size or type, or a size is more than the format can express.
    pub fn encode(model: &ModelBuf) -> Result<Self, EncodeError> {
        let bytes = AlignedBuf::from(model.encode()?.as_slice());
        Self::new(bytes, model.info.clone()).map_err(EncodeError::Refused)
    }

    fn new(bytes: AlignedBuf, info: Option<Info>) -> Result<Self, LoadError> {
        let model = Model::from_bytes(&bytes)?;
        let (header, spec) = (*model.layout().header(), model.layout().spec());
        let provenance = info.as_ref().map_or(&[][..], |info| &info.class_names);
        let name = |class: usize| {
            let stored = model.class_name(ClassId(class as u16)).map(str::to_owned);
            stored.or_else(|| provenance.get(class).cloned()).unwrap_or_else(|| class.to_string())
        };
        let class_names = (0..model.classes()).map(name).collect();
        let interleaved = spec.meta().interleaved != 0 || info.as_ref().is_some_and(|info| info.interleaved);
        Ok(Self { bytes, header, spec, info, class_names, interleaved })
    }

    /// Every byte of the file, at an aligned address.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The file without provenance: its bytes are exactly what lies in flash.
    #[must_use]
    pub fn core(&self) -> Self {
        let bytes = AlignedBuf::from(checked(strip(&self.bytes)).as_slice());
        checked(Self::new(bytes, None))
    }

    /// Bytes of the core: what the model takes in flash.
    #[must_use]
    pub fn core_len(&self) -> usize {
        self.header.core_len as usize
    }

    /// Bytes of scratch that one classification needs: the model's share of RAM.
    #[must_use]
    pub fn scratch_bytes(&self) -> usize {
        4 * self.header.scratch as usize
    }

    /// The model as the runtime sees it.
    ///
    /// The runtime checks the bytes again, a checksum over all of them: keep the result where many samples follow.
    #[must_use]
    pub fn model(&self) -> Model<'_> {
        checked(Model::from_bytes(&self.bytes))
    }

    /// The model with plain arrays, to look at or to change.
    #[must_use]
    pub fn decode(&self) -> ModelBuf {
        checked(ModelBuf::decode(&self.bytes))
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How the model was made, if the file has provenance.
    #[must_use]
    pub fn info(&self) -> Option<&Info> {
        self.info.as_ref()
    }

    /// Stored points that [`nearest`](crate::evaluate::nearest) finds; none where the head has class means.
    #[must_use]
    pub fn items(&self) -> Option<usize> {
        let meta = self.spec.meta();
        meta.has_prototypes().then_some(meta.prototypes.into())
    }

    /// Whether the model tells classes apart: one that was fitted without labels has a single class.
    #[must_use]
    pub fn has_classes(&self) -> bool {
        self.class_names.len() > 1
    }

    /// Whether the device computes in integers.
    pub(crate) fn is_integer(&self) -> bool {
        u32::from(self.header.needs) & needs::INT != 0
    }

    /// The type of the training rows as given; what samples of an integer model must have.
    #[must_use]
    pub fn input(&self) -> Num {
        self.spec.meta().input()
    }

    /// The stages and their sizes.
    pub(crate) fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The names of the classes: those that the core stores, else those of the provenance, else their numbers.
    #[must_use]
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// The names of the features that the model was trained on; empty if unknown.
    #[must_use]
    pub fn feature_names(&self) -> &[String] {
        self.info().map_or(&[], |info| &info.feature_names)
    }

    /// Whether a sample is the similarities to the exemplars that the provenance lists, in their order: a given kernel.
    #[must_use]
    pub fn takes_similarities(&self) -> bool {
        self.info().is_some_and(|info| info.similarities)
    }

    /// Rows as the model takes them: of similarities to all training rows, those to its exemplars.
    #[must_use]
    pub fn inputs_of<'a>(&self, rows: &'a Mat) -> Cow<'a, Mat> {
        inputs_of(self.info(), self.header.inputs as usize, rows)
    }

    /// Whether samples are time series that lie step by step, all channels of a step side by side.
    #[must_use]
    pub fn is_interleaved(&self) -> bool {
        self.interleaved
    }
}

/// As [`ModelFile::inputs_of`], for a model that takes so many inputs.
pub(crate) fn inputs_of<'a>(info: Option<&Info>, inputs: usize, rows: &'a Mat) -> Cow<'a, Mat> {
    let (width, training) = (rows.ncols(), |info: &&Info| info.similarities && info.rows == rows.ncols() as u64);
    let Some(info) = info.filter(training).filter(|_| width != inputs) else { return Cow::Borrowed(rows) };
    let exemplars = info.exemplars.iter().map(|(row, _)| *row as usize).filter(|row| *row < width);
    Cow::Owned(rows.select_columns(&exemplars.collect::<Vec<_>>()))
}

/// The result of reading checked bytes again.
fn checked<T>(read: Result<T, LoadError>) -> T {
    // Every reader above refuses only what the constructors refuse too, and the bytes never change.
    read.unwrap_or_else(|error| unreachable!("a model that was checked: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmark_format::{Head, Readout, Shape, Tensor, Window, meta::code};
    use std::error::Error;

    type Outcome = Result<(), Box<dyn Error>>;

    /// Two inputs that are the embedding, and a class at each unit vector.
    fn model() -> ModelBuf {
        let readout = Readout { weights: Tensor::F32(vec![1.0, 0.0, 0.0, 1.0]), ..Readout::default() };
        ModelBuf { readout: Some(readout), head: Head::Unit, ..ModelBuf::new(2, 2, 2) }
    }

    fn strings(names: [&str; 2]) -> Vec<String> {
        names.map(str::to_owned).to_vec()
    }

    fn with_info(info: Info) -> Result<ModelFile, EncodeError> {
        ModelFile::encode(&ModelBuf { info: Some(info), ..model() })
    }

    #[test]
    fn bytes_may_lie_anywhere() -> Outcome {
        let file = ModelFile::encode(&model())?;
        for shift in 0..4 {
            let moved = [&vec![0; shift][..], file.bytes()].concat();
            assert_eq!(ModelFile::from_bytes(&moved[shift..])?, file);
        }
        assert_eq!(file.decode(), model());
        assert_eq!((file.model().inputs(), file.spec().projected(), file.header().crc), (2, 2, file.model().id()));
        Ok(())
    }

    #[test]
    fn what_is_no_model_is_refused() -> Outcome {
        let file = with_info(Info { method: "cmvda".to_owned(), ..Info::default() })?;
        for at in 0..file.bytes().len() {
            let mut damaged = file.bytes().to_vec();
            damaged[at] ^= 1;
            assert!(ModelFile::from_bytes(&damaged).is_err(), "byte {at}");
            assert!(ModelFile::from_bytes(&file.bytes()[..at]).is_err(), "{at} bytes");
        }
        assert_eq!(ModelFile::from_bytes(b"not a model"), Err(LoadError::TooShort));
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("model.nmk");
        assert!(matches!(ModelFile::read(&path), Err(ReadError::Io(_))));
        std::fs::write(&path, b"NMK1")?;
        assert!(matches!(ModelFile::read(&path), Err(ReadError::Load(LoadError::TooShort))));
        std::fs::write(&path, file.bytes())?;
        assert_eq!(ModelFile::read(&path)?, file);
        Ok(())
    }

    #[test]
    fn a_core_is_the_file_without_provenance() -> Outcome {
        let plain = ModelFile::encode(&model())?;
        let file = with_info(Info { method: "cmvda".to_owned(), ..Info::default() })?;
        assert_eq!(file.info().map(|info| info.method.as_str()), Some("cmvda"));
        assert_eq!((file.core(), file.core_len()), (plain.clone(), plain.bytes().len()));
        assert_eq!(file.header().crc, plain.header().crc);
        assert_eq!(plain.core(), plain);
        Ok(())
    }

    #[test]
    fn classes_are_named_by_the_core_else_by_provenance_else_by_number() -> Outcome {
        let named = Info { class_names: strings(["near", "far"]), ..Info::default() };
        assert_eq!(ModelFile::encode(&model())?.class_names(), ["0", "1"]);
        assert_eq!(with_info(Info::default())?.class_names(), ["0", "1"]);
        assert_eq!(with_info(named.clone())?.class_names(), ["near", "far"]);
        assert_eq!(with_info(named.clone())?.core().class_names(), ["0", "1"]);
        let both = ModelBuf { names: strings(["left", "right"]), info: Some(named), ..model() };
        assert_eq!(ModelFile::encode(&both)?.class_names(), ["left", "right"]);
        // A parameter that happens to be called so is not a list of names.
        let parameter = Info { params: vec![("classes".to_owned(), "a\nb".to_owned())], ..Info::default() };
        assert_eq!(with_info(parameter)?.class_names(), ["0", "1"]);
        Ok(())
    }

    #[test]
    fn the_order_of_channels_is_that_of_the_window_or_the_provenance() -> Outcome {
        assert!(!with_info(Info::default())?.is_interleaved());
        assert!(with_info(Info { interleaved: true, ..Info::default() })?.is_interleaved());
        let parameter = Info { params: vec![("layout".to_owned(), "interleaved".to_owned())], ..Info::default() };
        assert!(!with_info(parameter)?.is_interleaved());
        for interleaved in [false, true] {
            let window = Some(Window { segments: 1, stats: code::STAT_MEAN, interleaved });
            let shape = Some(Shape { channels: 2, rows: 1, cols: 5 });
            let file = ModelFile::encode(&ModelBuf { inputs: 10, shape, window, ..model() })?;
            assert_eq!(file.is_interleaved(), interleaved);
        }
        Ok(())
    }

    #[test]
    fn input_type_and_profile_are_those_of_the_model() -> Outcome {
        let file = ModelFile::encode(&ModelBuf { input: Num::I16, ..model() })?;
        assert_eq!((file.input(), file.is_integer()), (Num::I16, false));
        Ok(())
    }
}
