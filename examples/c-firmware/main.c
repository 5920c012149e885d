/* Minimal C firmware: a model in flash, samples, their classes.
 *
 * model.h contains the model, samples and the answers of the workstation: this program exits with 1 if an answer of the
 * board differs in any bit. */
#include "model.h"
#include "nearmark.h"
#include "semihosting.h"

/* All memory that nearmark uses: a few words for the model, and its scratch buffer. */
static nearmark_model model;
static uint32_t scratch[MODEL_SCRATCH_WORDS];

/* Learning also needs memory for three prototypes. */
static uint32_t prototypes[NEARMARK_MEMORY_WORDS(3, MODEL_DIM)];

static int failed(const char *what, nearmark_status status) {
    print(what);
    print(": ");
    print(nearmark_error_text(status));
    print("\n");
    return 1;
}

/* Learns a sample as a new class and checks that it is recognized. */
static int learn(const model_sample *x) {
    nearmark_memory memory;
    nearmark_prediction answer;
    nearmark_status status = nearmark_memory_init(&model, 3, prototypes, sizeof prototypes / 4, &memory);
    if (status != NEARMARK_STATUS_OK) {
        return failed("memory", status);
    }
    uint16_t fresh = nearmark_memory_next_class(&model, &memory);
    /* Three times, so that it also wins the vote of a k-NN model. */
    for (int i = 0; i < 3; i++) {
        status = MODEL_FUNCTION(enroll)(&model, &memory, x, MODEL_INPUTS, fresh, scratch, MODEL_SCRATCH_WORDS);
        if (status != NEARMARK_STATUS_OK) {
            return failed("enroll", status);
        }
    }
    status = MODEL_FUNCTION(memory_classify)(&model, &memory, x, MODEL_INPUTS, scratch, MODEL_SCRATCH_WORDS, &answer);
    if (status != NEARMARK_STATUS_OK) {
        return failed("recall", status);
    }
    print("learned class ");
    print_number(answer.class_id);
    print("\n");
    return answer.class_id != fresh || answer.distance != 0;
}

int main(void) {
    nearmark_status status = nearmark_open((const uint8_t *)model_words, sizeof model_words, &model);
    if (status != NEARMARK_STATUS_OK) {
        return failed("model", status);
    }
    unsigned misses = 0;
    for (unsigned row = 0; row < MODEL_ROWS; row++) {
        const struct model_row *r = &model_rows[row];
        const model_sample *x = (const model_sample *)(const void *)r->sample;
        nearmark_prediction answer;
        status = MODEL_FUNCTION(classify)(&model, x, MODEL_INPUTS, scratch, MODEL_SCRATCH_WORDS, &answer);
        if (status != NEARMARK_STATUS_OK) {
            return failed("classify", status);
        }
        misses += answer.class_id != r->class_id || answer.distance != r->distance || answer.runner_up != r->runner_up;
        if (row == 0) {
            const char *name;
            size_t len;
            print("class ");
            print_number(answer.class_id);
            if (nearmark_class_name(&model, answer.class_id, &name, &len) == NEARMARK_STATUS_OK) {
                print(" ");
                print_bytes(name, len);
            }
            print("\n");
        }
    }
    print_number(MODEL_ROWS);
    print(" samples, ");
    print_number(misses);
    print(" differ from the workstation\n");
    return misses != 0 || learn((const model_sample *)(const void *)model_rows[0].sample);
}
