/* Arguments that no caller should pass: each gets its error code, and nothing is touched. hostile MODEL.nmk, of
 * which samples are floats. */
#include "golden.h"

static unsigned failures, checks;

static void expect(nearmark_status got, nearmark_status wanted, const char *what) {
    checks++;
    if (got != wanted) {
        failures++;
        printf("%s: '%s', not '%s'\n", what, nearmark_error_text(got), nearmark_error_text(wanted));
    }
}

static void require(int holds, const char *what) {
    checks++;
    if (!holds) {
        failures++;
        printf("%s\n", what);
    }
}

/* An address that is no multiple of a type's alignment. */
#define ODD(type, at) ((type *)(void *)((char *)(at) + 1))

static void opening(const uint8_t *bytes, size_t len) {
    nearmark_model model;
    nearmark_prediction answer;
    float x = 0;
    uint32_t word = 0;
    expect(nearmark_open(NULL, len, &model), NEARMARK_STATUS_NULL, "open NULL");
    expect(nearmark_open(bytes, len, NULL), NEARMARK_STATUS_NULL, "open into NULL");
    expect(nearmark_open(bytes, len, ODD(nearmark_model, &model)), NEARMARK_STATUS_MISALIGNED, "open askew");
    expect(nearmark_open(bytes, 0, &model), NEARMARK_STATUS_TOO_SHORT, "open nothing");
    expect(nearmark_open(bytes, 27, &model), NEARMARK_STATUS_TOO_SHORT, "open half a header");
    expect(nearmark_open(bytes, len - 4, &model), NEARMARK_STATUS_LENGTH, "open a part");
    expect(nearmark_open(bytes, SIZE_MAX, &model), NEARMARK_STATUS_LENGTH, "open more than there is memory");
    uint8_t *copy = (uint8_t *)malloc(len + 4);
    memcpy(copy + 1, bytes, len);
    expect(nearmark_open(copy + 1, len, &model), NEARMARK_STATUS_MISALIGNED, "open misaligned bytes");
    memcpy(copy, bytes, len);
    copy[len - 1] ^= 1;
    expect(nearmark_open(copy, len, &model), NEARMARK_STATUS_CHECKSUM, "open a damaged model");
    /* After a failure the model is closed to every function. */
    expect(nearmark_classify_f32(&model, &x, 1, &word, 1, &answer), NEARMARK_STATUS_NOT_OPEN, "classify unopened");
    require(nearmark_inputs(&model) == 0 && nearmark_dim(NULL) == 0 && nearmark_id(NULL) == 0, "sizes of no model");
    copy[0] = 'X';
    expect(nearmark_open(copy, len, &model), NEARMARK_STATUS_NOT_A_MODEL, "open something else");
    memcpy(copy, bytes, len);
    copy[4] = 9;
    expect(nearmark_open(copy, len, &model), NEARMARK_STATUS_VERSION, "open another version");
    free(copy);
}

static void samples(const struct golden *g) {
    const nearmark_model *m = &g->model;
    float *x = (float *)(void *)golden_row(g, 0);
    size_t n = g->inputs, words = nearmark_scratch_words(m), found;
    uint32_t *scratch = (uint32_t *)malloc(4 * words + 4);
    float *z = (float *)malloc(4 * (size_t)g->dim + 4);
    nearmark_prediction answer, before;
    nearmark_candidate lines[2];
    nearmark_item items[2];
    memset(&answer, 0x5A, sizeof answer);
    before = answer;
    expect(nearmark_classify_f32(NULL, x, n, scratch, words, &answer), NEARMARK_STATUS_NULL, "no model");
    expect(nearmark_classify_f32(m, NULL, n, scratch, words, &answer), NEARMARK_STATUS_NULL, "no sample");
    expect(nearmark_classify_f32(m, x, n, NULL, words, &answer), NEARMARK_STATUS_NULL, "no scratch");
    expect(nearmark_classify_f32(m, x, n, scratch, words, NULL), NEARMARK_STATUS_NULL, "no place");
    expect(nearmark_classify_f32(m, x, n - 1, scratch, words, &answer), NEARMARK_STATUS_INPUT_LEN, "short sample");
    expect(nearmark_classify_f32(m, x, 0, scratch, words, &answer), NEARMARK_STATUS_INPUT_LEN, "empty sample");
    expect(nearmark_classify_f32(m, x, SIZE_MAX, scratch, words, &answer), NEARMARK_STATUS_LENGTH, "endless sample");
    expect(nearmark_classify_f32(m, x, n, scratch, words - 1, &answer), NEARMARK_STATUS_SCRATCH, "short scratch");
    expect(nearmark_classify_f32(m, x, n, scratch, 0, &answer), NEARMARK_STATUS_SCRATCH, "empty scratch");
    expect(nearmark_classify_f32(m, ODD(float, x), n, scratch, words, &answer), NEARMARK_STATUS_MISALIGNED, "x askew");
    expect(nearmark_classify_f32(m, x, n, ODD(uint32_t, scratch), words, &answer), NEARMARK_STATUS_MISALIGNED,
           "scratch askew");
    expect(nearmark_classify_i16(m, ODD(int16_t, x), n, scratch, words, &answer), NEARMARK_STATUS_MISALIGNED,
           "halves askew");
    require(memcmp(&answer, &before, sizeof answer) == 0, "a refused call has written an answer");
    expect(nearmark_embed_f32(m, x, n, z, g->dim + 1, scratch, words), NEARMARK_STATUS_OUTPUT_LEN, "long output");
    expect(nearmark_embed_f32(m, x, n, NULL, g->dim, scratch, words), NEARMARK_STATUS_NULL, "no output");
    expect(nearmark_rank_f32(m, x, n, scratch, words, NULL, 2, &found), NEARMARK_STATUS_NULL, "no lines");
    expect(nearmark_rank_f32(m, x, n, scratch, words, lines, 2, NULL), NEARMARK_STATUS_NULL, "no count");
    expect(nearmark_rank_f32(m, x, n, scratch, words, NULL, 0, &found), NEARMARK_STATUS_OK, "no room");
    require(found == 0, "lines without room");
    expect(nearmark_nearest_f32(m, x, n, scratch, words, NULL, 2, &found), NEARMARK_STATUS_NULL, "no place for items");
    expect(nearmark_nearest_f32(m, x, n, scratch, words, items, 2, NULL), NEARMARK_STATUS_NULL, "no count of items");
    expect(nearmark_nearest_f32(m, x, n, scratch, words - 1, items, 2, &found), NEARMARK_STATUS_SCRATCH, "short");
    expect(nearmark_nearest_f32(m, x, n, scratch, words, ODD(nearmark_item, items), 1, &found),
           NEARMARK_STATUS_MISALIGNED, "items askew");
    expect(nearmark_nearest_f32(m, x, n, scratch, words, NULL, 0, &found), NEARMARK_STATUS_OK, "no room for items");
    require(found == 0, "items without room");
    require(nearmark_item_distance_sq(NULL) != nearmark_item_distance_sq(NULL), "a distance to no item is not NaN");
    float huge = x[0];
    x[0] = (float)1e38 * 10;
    expect(nearmark_classify_f32(m, x, n, scratch, words, &answer), NEARMARK_STATUS_NOT_FINITE, "an infinity");
    x[0] = huge;
    require(nearmark_distance_sq(NULL) != nearmark_distance_sq(NULL), "a distance of nothing is not NaN");
    free(scratch);
    free(z);
}

static void memories(const struct golden *g) {
    const nearmark_model *m = &g->model;
    const float *x = (const float *)(const void *)golden_row(g, 0);
    size_t n = g->inputs, dim = g->dim, words = nearmark_scratch_words(m), room = NEARMARK_MEMORY_WORDS(1, dim);
    uint32_t *scratch = (uint32_t *)malloc(4 * words), *store = (uint32_t *)malloc(4 * room);
    const uint32_t *z;
    uint16_t class_id;
    nearmark_memory memory;
    nearmark_prediction answer;
    memset(&memory, 0, sizeof memory);
    expect(nearmark_memory_classify_f32(m, &memory, x, n, scratch, words, &answer), NEARMARK_STATUS_NOT_OPEN, "zeroed");
    expect(nearmark_memory_classify_f32(m, NULL, x, n, scratch, words, &answer), NEARMARK_STATUS_NULL, "no memory");
    expect(nearmark_memory_init(m, 1, NULL, room, &memory), NEARMARK_STATUS_NULL, "memory without words");
    expect(nearmark_memory_init(m, 1, store, room, NULL), NEARMARK_STATUS_NULL, "memory nowhere");
    expect(nearmark_memory_init(m, 1, store, room - 1, &memory), NEARMARK_STATUS_MEMORY_WORDS, "short memory");
    expect(nearmark_memory_init(m, SIZE_MAX, store, room, &memory), NEARMARK_STATUS_MEMORY_WORDS, "endless memory");
    expect(nearmark_memory_init(m, 1, store, room, &memory), NEARMARK_STATUS_OK, "memory");
    expect(nearmark_enroll_f32(m, &memory, x, n, 65535, scratch, words), NEARMARK_STATUS_CLASS, "reserved class");
    expect(nearmark_memory_get(&memory, 0, &class_id, &z), NEARMARK_STATUS_INDEX, "nothing stored");
    require(!nearmark_memory_undo(&memory) && !nearmark_memory_undo(NULL), "undone what was not done");
    class_id = nearmark_memory_next_class(m, &memory);
    expect(nearmark_enroll_f32(m, &memory, x, n, class_id, scratch, words), NEARMARK_STATUS_OK, "enroll");
    expect(nearmark_memory_classify_f32(m, &memory, x, n, scratch, words, &answer), NEARMARK_STATUS_OK, "recall");
    require(answer.class_id == class_id && answer.distance == 0, "what was enrolled is not recognized");
    expect(nearmark_enroll_f32(m, &memory, x, n, class_id, scratch, words), NEARMARK_STATUS_FULL, "full memory");
    expect(nearmark_memory_restore(m, &memory, 1, memory.words, dim - 1), NEARMARK_STATUS_OUTPUT_LEN, "short z");
    memory.model_id ^= 1;
    expect(nearmark_enroll_f32(m, &memory, x, n, 1, scratch, words), NEARMARK_STATUS_OTHER_MODEL, "another's memory");
    memory.model_id ^= 1;
    memory.count = 2;
    expect(nearmark_memory_get(&memory, 1, &class_id, &z), NEARMARK_STATUS_NOT_OPEN, "more than fits");
    memory.count = 1;
    require(nearmark_memory_forget(&memory, class_id) == 1 && memory.count == 0, "not forgotten");
    require(nearmark_memory_forget(NULL, 0) == 0, "forgotten nothing");
    free(scratch);
    free(store);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    struct golden g = golden_open(argv[1]);
    size_t len;
    uint32_t *bytes = read_file(argv[1], &len);
    opening((const uint8_t *)bytes, len);
    free(bytes);
    samples(&g);
    memories(&g);
    require(strcmp(nearmark_error_text(-7), "not a status of nearmark") == 0, "a text for no status");
    golden_close(&g);
    printf("hostile: %u checks, %u failed\n", checks, failures);
    return failures != 0;
}
