//! How a call went: a number for the program, a text for its log.

use core::ffi::{CStr, c_char};

use nearmark::{Error, LoadError, MemoryError};

/// How a call went. Zero is success; on anything else the call has written no answer.
// 32 bits everywhere: the size of a plain `enum` depends on flags of the C compiler.
#[repr(i32)]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum nearmark_status {
    /// Done.
    Ok = 0,
    /// A pointer is NULL.
    Null = 1,
    /// A pointer is not a multiple of its type's alignment; a model's bytes need a multiple of 4.
    Misaligned = 2,
    /// The model was not opened, or the memory not set up.
    NotOpen = 3,

    /// Fewer bytes than a model's header.
    TooShort = 10,
    /// The bytes do not begin as a model does.
    NotAModel = 11,
    /// The model has another version of the format.
    Version = 12,
    /// The model's length differs from the one given.
    Length = 13,
    /// The model is damaged: its checksum does not match.
    Checksum = 14,
    /// The model needs a stage that this build of the library leaves out.
    Stage = 15,
    /// The model is inconsistent: its metadata, a size or a value.
    Invalid = 16,

    /// The sample's length is not what nearmark_inputs() returns.
    InputLen = 20,
    /// An integer model takes samples of the type it was trained on, or float.
    InputType = 21,
    /// The output's length is not what nearmark_dim() returns.
    OutputLen = 22,
    /// The scratch is shorter than nearmark_scratch_words() returns.
    Scratch = 23,
    /// A value or a distance is not finite.
    NotFinite = 24,
    /// The class has no name in this model.
    NoName = 25,
    /// The model takes no series: it has neither window statistics nor counts.
    NotASeries = 26,

    /// The memory or stream belongs to another model.
    OtherModel = 30,
    /// The memory's words are fewer than NEARMARK_MEMORY_WORDS() gives.
    MemoryWords = 31,
    /// The memory has no room for another prototype.
    Full = 32,
    /// The class number 65535 is reserved.
    Class = 33,
    /// The memory holds no such prototype.
    Index = 34,

    /// Something that this header does not know yet.
    Other = 99,
}

use nearmark_status as Status;

impl Status {
    const ALL: [(Self, &CStr); 24] = [
        (Self::Ok, c"done"),
        (Self::Null, c"a pointer is NULL"),
        (Self::Misaligned, c"a pointer is misaligned; a model's bytes begin at a multiple of 4"),
        (Self::NotOpen, c"the model was not opened, or the memory not set up"),
        (Self::TooShort, c"too short to be a nearmark model"),
        (Self::NotAModel, c"not a nearmark model"),
        (Self::Version, c"the model has another version of the format"),
        (Self::Length, c"the model's length differs from the one given"),
        (Self::Checksum, c"checksum does not match, the model is damaged"),
        (Self::Stage, c"the model needs a stage that this build leaves out"),
        (Self::Invalid, c"the model is inconsistent"),
        (Self::InputLen, c"the sample has the wrong length"),
        (Self::InputType, c"the sample's type is neither the model's nor float"),
        (Self::OutputLen, c"the output has the wrong length"),
        (Self::Scratch, c"the scratch is too short"),
        (Self::NotFinite, c"a value or a distance is not finite"),
        (Self::NoName, c"the class has no name in this model"),
        (Self::NotASeries, c"the model takes no series"),
        (Self::OtherModel, c"the memory or stream belongs to another model"),
        (Self::MemoryWords, c"the memory has too few words"),
        (Self::Full, c"the memory is full"),
        (Self::Class, c"the class number is reserved"),
        (Self::Index, c"the memory holds no such prototype"),
        (Self::Other, c"an error that this library has no text for"),
    ];
}

/// The text of a status, for a log: a constant string, never NULL, in English, without a full stop.
#[unsafe(no_mangle)]
pub extern "C" fn nearmark_error_text(status: i32) -> *const c_char {
    let found = Status::ALL.iter().find(|(known, _)| *known as i32 == status);
    found.map_or(c"not a status of nearmark", |(_, text)| text).as_ptr()
}

impl From<LoadError> for Status {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::TooShort => Self::TooShort,
            LoadError::NotAModel => Self::NotAModel,
            LoadError::Version(_) => Self::Version,
            LoadError::Length { .. } => Self::Length,
            LoadError::Misaligned => Self::Misaligned,
            LoadError::Checksum => Self::Checksum,
            LoadError::Stage(_) => Self::Stage,
            _ => Self::Invalid,
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::InputLen { .. } => Self::InputLen,
            Error::InputType { .. } => Self::InputType,
            Error::OutputLen { .. } => Self::OutputLen,
            Error::Scratch { .. } => Self::Scratch,
            Error::NotFinite => Self::NotFinite,
            Error::NotASeries => Self::NotASeries,
            _ => Self::Other,
        }
    }
}

impl From<MemoryError> for Status {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::OtherModel { .. } => Self::OtherModel,
            MemoryError::Dimension { .. } => Self::OutputLen,
            MemoryError::Full { .. } => Self::Full,
            MemoryError::Class(_) => Self::Class,
            MemoryError::Sample(error) => error.into(),
            _ => Self::Other,
        }
    }
}

/// Success, or why not, as C takes it.
pub(crate) fn to_status(result: Result<(), Status>) -> Status {
    result.err().unwrap_or(Status::Ok)
}

#[cfg(test)]
mod tests {
    use std::{ffi::CStr, string::String, vec::Vec};

    use super::*;

    fn text(status: i32) -> String {
        // SAFETY: a constant string.
        unsafe { CStr::from_ptr(nearmark_error_text(status)) }.to_str().unwrap().into()
    }

    #[test]
    fn every_status_of_the_header_has_a_text_of_its_own() {
        let header = include_str!("../include/nearmark.h");
        let lines = header.lines().filter_map(|line| line.trim().strip_prefix("NEARMARK_STATUS_"));
        let numbers = lines.filter_map(|line| line.split_once(" = ")?.1.trim_end_matches(',').parse().ok());
        let mut texts: Vec<String> = numbers.map(text).collect();
        assert_eq!(texts.len(), Status::ALL.len());
        texts.push(text(-1));
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), Status::ALL.len() + 1);
    }
}
