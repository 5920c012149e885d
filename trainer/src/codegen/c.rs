//! The C header and source.

use super::vector::{Vector, literals};
use super::{Facts, Target, idents, wrapped};
use nearmark_format::{Header, Num};
use std::fmt::Write;

/// The text of `NAME.h`.
pub(super) fn header(facts: &Facts, target: &Target) -> String {
    let upper = facts.name.to_ascii_uppercase();
    let parts = [head(facts, target, &upper), sizes(facts, &upper), functions(facts, &upper), vector(facts, &upper)];
    parts.join("\n")
}

/// What it is, where it comes from, how to compile it.
fn head(facts: &Facts, target: &Target, upper: &str) -> String {
    format!(
        r#"/* {summary}
 * {origin}
 *
 * The model itself, its sizes, its classes, and one sample with the answer that the exporting machine computed: class,
 * then squared distance to it and to the nearest other class, as raw words.
 * {sensitivity}
 *
 * Compile and link with {library} for {title}; unused functions are left out:
 *
 *     {command}
 *{board}/
#ifndef NEARMARK_{upper}_H
#define NEARMARK_{upper}_H

#include "nearmark.h"

#ifdef __cplusplus
extern "C" {{
#endif
"#,
        summary = facts.summary(),
        origin = facts.origin,
        sensitivity = facts.sensitivity(),
        library = target.library(),
        title = target.title(),
        command = target.command(&facts.name),
        board = if target.bare() { "\n * and your board's start-up code and linker script.\n *" } else { "" },
    )
}

fn sizes(facts: &Facts, upper: &str) -> String {
    let name = &facts.name;
    let Header { inputs, dim, classes, scratch, crc, core_len, .. } = facts.core.header();
    let items = facts.core.items().map_or_else(String::new, |items| format!("#define {upper}_ITEMS {items}\n"));
    let mut prepared = String::new();
    if facts.fill().is_some() {
        let _ = write!(
            prepared,
            "\n/* What to put in place of values that are missing: medians of the training rows. */\nextern const {name}_sample {name}_fill;\n"
        );
    }
    for line in facts.words() {
        let _ = write!(prepared, "\n/* Words of column {line} */\n");
    }
    let (value, variants) = (value_type(facts.core.input()).0, variants(facts, upper));
    format!(
        "#define {upper}_INPUTS {inputs}
#define {upper}_DIM {dim}
#define {upper}_CLASSES {classes}
{items}#define {upper}_SCRATCH_WORDS {scratch}
#define {upper}_MODEL_BYTES {core_len}
#define {upper}_ID UINT32_C(0x{crc:08x})

/* What the model was trained on. */
typedef {value} {name}_value;
typedef {name}_value {name}_sample[{upper}_INPUTS];
{prepared}
enum {name}_class {{
{variants}}};
"
    )
}

fn functions(facts: &Facts, upper: &str) -> String {
    let (name, stack) = (&facts.name, 4 * facts.core.header().scratch);
    format!(
        "/* The model as it lies in flash: words, so that every compiler aligns them. */
extern const uint32_t {name}_model[{upper}_MODEL_BYTES / 4];

/* Names of the classes, in UTF-8. */
extern const char *const {name}_names[{upper}_CLASSES];

/* Checks every byte of the model and opens it. */
nearmark_status {name}_open(nearmark_model *model);

/* Names the nearest class of a sample; the scratch has {upper}_SCRATCH_WORDS words. */
nearmark_status {name}_classify(const nearmark_model *model, const {name}_sample x, uint32_t *scratch,
                                nearmark_prediction *answer);

/* Checks on the device that model, compiler and processor give the workstation's answer, to the bit.
 * {upper}_SELF_TEST_OK, or what is wrong first: the nearmark_status why the model is not opened or the vector not
 * classified, another answer, or the right answer of another model. Takes {stack} bytes of the stack for the scratch. */
int32_t {name}_self_test(void);
#define {upper}_SELF_TEST_OK 0
#define {upper}_SELF_TEST_ANSWER (-1)
#define {upper}_SELF_TEST_ID (-2)

/* The text of a result, for a log. */
const char *{name}_self_test_text(int32_t result);
"
    )
}

fn vector(facts: &Facts, upper: &str) -> String {
    let Facts { name, vector, .. } = facts;
    let Vector { class, distance, runner_up, .. } = vector;
    format!(
        "/* What the self-test compares. */
extern const {name}_sample {name}_vector;
#define {upper}_VECTOR_CLASS {class}
#define {upper}_VECTOR_DISTANCE UINT32_C(0x{distance:08x})
#define {upper}_VECTOR_RUNNER_UP UINT32_C(0x{runner_up:08x})

#ifdef __cplusplus
}}
#endif

#endif
"
    )
}

fn variants(facts: &Facts, upper: &str) -> String {
    let (mut classes, names) = (String::new(), facts.core.class_names());
    for (class, constant) in idents::constants(names).iter().enumerate() {
        let comma = if class + 1 == names.len() { "" } else { "," };
        let _ = writeln!(classes, "    {upper}_CLASS_{constant} = {class}{comma}");
    }
    classes
}

/// The text of `NAME.c`.
pub(super) fn source(facts: &Facts) -> String {
    let Facts { name, .. } = facts;
    let upper = name.to_ascii_uppercase();
    // A model's length is a multiple of 4.
    let words = facts.core.bytes().as_chunks().0.iter().map(|&word| format!("0x{:08x}", u32::from_le_bytes(word)));
    let suffix = if facts.core.input() == Num::F32 { "f" } else { "" };
    let vector = literals(&facts.vector.values).into_iter().map(|value| value + suffix);
    let fill = facts.fill().map_or_else(String::new, |fill| {
        let values = wrapped(literals(&fill).into_iter().map(|value| value + suffix));
        format!("\nconst {name}_sample {name}_fill = {{\n{values}}};\n")
    });
    let names = facts.core.class_names().iter().map(|name| literal(name));
    format!(
        r#"/* Definitions of {name}.h. */
#include "{name}.h"

const uint32_t {name}_model[{upper}_MODEL_BYTES / 4] = {{
{words}}};

const char *const {name}_names[{upper}_CLASSES] = {{
{names}}};

const {name}_sample {name}_vector = {{
{vector}}};
{fill}
nearmark_status {name}_open(nearmark_model *model) {{
    return nearmark_open((const uint8_t *){name}_model, {upper}_MODEL_BYTES, model);
}}

nearmark_status {name}_classify(const nearmark_model *model, const {name}_sample x, uint32_t *scratch,
                                nearmark_prediction *answer) {{
    return nearmark_classify_{ending}(model, x, {upper}_INPUTS, scratch, {upper}_SCRATCH_WORDS, answer);
}}

int32_t {name}_self_test(void) {{
    nearmark_model model;
    nearmark_prediction answer;
    uint32_t scratch[{upper}_SCRATCH_WORDS];
    nearmark_status status = {name}_open(&model);
    if (status == NEARMARK_STATUS_OK) {{
        status = {name}_classify(&model, {name}_vector, scratch, &answer);
    }}
    if (status != NEARMARK_STATUS_OK) {{
        return (int32_t)status;
    }}
    if (answer.class_id != {upper}_VECTOR_CLASS || answer.distance != {upper}_VECTOR_DISTANCE ||
        answer.runner_up != {upper}_VECTOR_RUNNER_UP) {{
        return {upper}_SELF_TEST_ANSWER;
    }}
    return nearmark_id(&model) == {upper}_ID ? {upper}_SELF_TEST_OK : {upper}_SELF_TEST_ID;
}}

const char *{name}_self_test_text(int32_t result) {{
    switch (result) {{
    case {upper}_SELF_TEST_ANSWER:
        return "the self-test vector gets another answer";
    case {upper}_SELF_TEST_ID:
        return "the model is not the one that was exported";
    default:
        return nearmark_error_text(result);
    }}
}}
"#,
        words = wrapped(words),
        names = wrapped(names),
        vector = wrapped(vector),
        ending = value_type(facts.core.input()).1,
    )
}

/// A value's type in C, and how nearmark's functions for it end.
fn value_type(num: Num) -> (&'static str, &'static str) {
    match num {
        Num::F32 => ("float", "f32"),
        Num::I16 => ("int16_t", "i16"),
        Num::I8 => ("int8_t", "i8"),
        Num::U8 => ("uint8_t", "u8"),
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
