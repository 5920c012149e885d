//! A C program to begin with.

use super::{Facts, Target};

/// The text of `main.c`.
pub(super) fn source(facts: &Facts, target: &Target) -> String {
    let (include, main) = if target.bare() { ("", BARE) } else { ("#include <stdio.h>\n\n", HOSTED) };
    let text = [HEAD, include, MEMORY, main].concat();
    text.replace("$NAME", &facts.name.to_ascii_uppercase()).replace("$name", &facts.name)
}

const HEAD: &str =
    "/* A program to begin with; $name.h shows how to compile it. It is yours: no export writes over it. */\n";

const MEMORY: &str = r#"#include "$name.h"

/* All the memory that nearmark uses: a few words for the model, and its scratch. */
static nearmark_model model;
static uint32_t scratch[$NAME_SCRATCH_WORDS];

"#;

/// Prints the answer.
const HOSTED: &str = r#"int main(void) {
    nearmark_prediction answer;
    nearmark_status status;
    int32_t test = $name_self_test();
    if (test != $NAME_SELF_TEST_OK) {
        printf("self-test: %s\n", $name_self_test_text(test));
        return 1;
    }
    status = $name_open(&model);
    if (status == NEARMARK_STATUS_OK) {
        /* Your samples go here; this one is the self-test's. */
        status = $name_classify(&model, $name_vector, scratch, &answer);
    }
    if (status != NEARMARK_STATUS_OK) {
        printf("%s\n", nearmark_error_text(status));
        return 1;
    }
    printf("class %u (%s), raw squared distance 0x%08lx, to the next class 0x%08lx\n", (unsigned)answer.class_id,
           $name_names[answer.class_id], (unsigned long)answer.distance, (unsigned long)answer.runner_up);
    return 0;
}
"#;

/// Without an operating system there is nothing to print to.
const BARE: &str = "/* What the board does with a class. */
static volatile unsigned shown;

int main(void) {
    nearmark_prediction answer;
    if ($name_self_test() != $NAME_SELF_TEST_OK || $name_open(&model) != NEARMARK_STATUS_OK) {
        return 1;
    }
    /* Your sensor's values go here, again and again; this sample is the self-test's. */
    if ($name_classify(&model, $name_vector, scratch, &answer) != NEARMARK_STATUS_OK) {
        return 1;
    }
    shown = answer.class_id;
    return 0;
}
";
