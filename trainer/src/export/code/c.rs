//! The C header and source.

use super::{Facts, idents, wrapped};
use nearmark_format::Num;
use std::fmt::Write;

/// The text of `NAME.h`.
pub(super) fn header(facts: &Facts) -> String {
    let Facts { name, header, vector, .. } = facts;
    let upper = name.to_ascii_uppercase();
    let mut classes = String::new();
    for (class, constant) in idents::constants(&facts.class_names).iter().enumerate() {
        let comma = if class + 1 == facts.class_names.len() { "" } else { "," };
        let _ = writeln!(classes, "    {upper}_CLASS_{constant} = {class}{comma}");
    }
    format!(
        r#"/* {summary}
 * {origin}
 *
 * The model file itself, its sizes, its classes, and one sample with the answer that the exporting machine
 * computed: class, then squared distance to it and to the nearest other class, as raw words.
 * {sensitivity}
 */
#ifndef NEARMARK_{upper}_H
#define NEARMARK_{upper}_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

#define {upper}_INPUTS {inputs}
#define {upper}_DIM {dim}
#define {upper}_CLASSES {class_count}
#define {upper}_SCRATCH_WORDS {scratch}
#define {upper}_MODEL_BYTES {bytes}
#define {upper}_ID UINT32_C(0x{crc:08x})

/* What the model was trained on. */
typedef {value} {name}_value;

enum {name}_class {{
{classes}}};

/* The model, at a multiple of 16. */
extern const unsigned char {name}_model[{upper}_MODEL_BYTES];

/* Names of the classes, in UTF-8. */
extern const char *const {name}_names[{upper}_CLASSES];

/* The self-test. */
extern const {name}_value {name}_vector[{upper}_INPUTS];
#define {upper}_VECTOR_CLASS {class}
#define {upper}_VECTOR_DISTANCE UINT32_C(0x{distance:08x})
#define {upper}_VECTOR_RUNNER_UP UINT32_C(0x{runner_up:08x})

#ifdef __cplusplus
}}
#endif

#endif
"#,
        summary = facts.summary(),
        origin = facts.origin,
        sensitivity = facts.sensitivity(),
        inputs = header.inputs,
        dim = header.dim,
        class_count = header.classes,
        scratch = header.scratch,
        bytes = facts.core.len(),
        crc = header.crc,
        value = value_type(facts.input),
        class = vector.class,
        distance = vector.distance,
        runner_up = vector.runner_up,
    )
}

/// The text of `NAME.c`.
pub(super) fn source(facts: &Facts) -> String {
    let Facts { name, .. } = facts;
    let upper = name.to_ascii_uppercase();
    let bytes = facts.core.iter().map(|byte| format!("0x{byte:02x}"));
    let suffix = if facts.input == Num::F32 { "f" } else { "" };
    let vector = facts.vector.values.literals().into_iter().map(|value| value + suffix);
    let names = facts.class_names.iter().map(|name| literal(name));
    format!(
        r#"/* The data that {name}.h tells of. */
#include "{name}.h"

#if defined(__GNUC__) || defined(__clang__) || defined(__CC_ARM) || defined(__ICCARM__)
#define NEARMARK_ALIGNED __attribute__((aligned(16)))
#elif defined(_MSC_VER)
#define NEARMARK_ALIGNED __declspec(align(16))
#elif defined(__cplusplus)
#define NEARMARK_ALIGNED alignas(16)
#else
#define NEARMARK_ALIGNED _Alignas(16)
#endif

NEARMARK_ALIGNED const unsigned char {name}_model[{upper}_MODEL_BYTES] = {{
{bytes}}};

const char *const {name}_names[{upper}_CLASSES] = {{
{names}}};

const {name}_value {name}_vector[{upper}_INPUTS] = {{
{vector}}};
"#,
        bytes = wrapped(bytes),
        names = wrapped(names),
        vector = wrapped(vector),
    )
}

fn value_type(num: Num) -> &'static str {
    match num {
        Num::F32 => "float",
        Num::I16 => "int16_t",
        Num::I8 => "int8_t",
        Num::U8 => "uint8_t",
    }
}

/// A string in ASCII: every other byte, and what starts a trigraph, by its number. Three octal digits end there,
/// where hexadecimal ones would run on.
fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' | 0..b' ' | 0x7f.. => {
                let _ = write!(quoted, "\\{byte:03o}");
            }
            _ => quoted.push(char::from(byte)),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_plain_ascii_without_trigraphs() {
        assert_eq!(literal("é\"\\??/1"), r#""\303\251\042\134\077\077/1""#);
    }
}
