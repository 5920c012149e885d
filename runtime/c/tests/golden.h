/* Golden files of tests/golden for the C tests: a model, and Rust's answers to samples for it.
 *
 * NAME.expect is little endian: magic, rows, inputs, dim and kind, then per row the sample padded to whole words,
 * class, raw distance, raw runner-up, dim raw words of the embedding, and id, class and raw distance of the nearest
 * items. The kind's low byte is the sample type, the next one the number of items. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearmark.h"

enum sample_type { F32 = 0, I16 = 1, I8 = 2, U8 = 3 };

struct golden {
    nearmark_model model;
    uint32_t *model_bytes;
    uint32_t *words; /* the expectations */
    uint32_t rows, inputs, dim, type, items;
    size_t sample_words, row_words;
};

/* A file's bytes, at an address that a model may have. */
static inline uint32_t *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(2);
    }
    *len = (size_t)ftell(file);
    rewind(file);
    uint32_t *bytes = (uint32_t *)malloc(*len + 4);
    if (!bytes || fread(bytes, 1, *len, file) != *len) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return bytes;
}

/* Opens NAME.nmk and NAME.expect, or ends the program. */
static inline struct golden golden_open(const char *path) {
    struct golden g;
    char expect[4096];
    size_t len;
    memset(&g, 0, sizeof g);
    g.model_bytes = read_file(path, &len);
    nearmark_status status = nearmark_open((const uint8_t *)g.model_bytes, len, &g.model);
    if (status != NEARMARK_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", path, nearmark_error_text(status));
        exit(2);
    }
    snprintf(expect, sizeof expect, "%.*s.expect", (int)strlen(path) - 4, path);
    g.words = read_file(expect, &len);
    g.rows = g.words[1], g.inputs = g.words[2], g.dim = g.words[3];
    g.type = g.words[4] & 0xFF, g.items = g.words[4] >> 8;
    g.sample_words = ((size_t)g.inputs * (g.type == F32 ? 4 : g.type == I16 ? 2 : 1) + 3) / 4;
    g.row_words = g.sample_words + 3 + g.dim + 3 * g.items;
    if (g.words[0] != 0x4E4D4B45u || len != 4 * (5 + g.rows * g.row_words)) {
        fprintf(stderr, "%s: not an expectation file\n", expect);
        exit(2);
    }
    return g;
}

static inline void golden_close(struct golden *g) {
    free(g->model_bytes);
    free(g->words);
}

static inline const uint32_t *golden_row(const struct golden *g, uint32_t row) {
    return g->words + 5 + row * g->row_words;
}

static inline nearmark_status golden_classify(const struct golden *g, uint32_t row, uint32_t *scratch, size_t words,
                                       nearmark_prediction *out) {
    const void *x = golden_row(g, row);
    switch (g->type) {
    case F32: return nearmark_classify_f32(&g->model, (const float *)x, g->inputs, scratch, words, out);
    case I16: return nearmark_classify_i16(&g->model, (const int16_t *)x, g->inputs, scratch, words, out);
    case I8: return nearmark_classify_i8(&g->model, (const int8_t *)x, g->inputs, scratch, words, out);
    default: return nearmark_classify_u8(&g->model, (const uint8_t *)x, g->inputs, scratch, words, out);
    }
}

/* Whether an answer has the bits that Rust gave. */
static inline int golden_same(const struct golden *g, uint32_t row, const nearmark_prediction *answer) {
    const uint32_t *expected = golden_row(g, row) + g->sample_words;
    return answer->class_id == expected[0] && answer->distance == expected[1] && answer->runner_up == expected[2];
}

#endif
