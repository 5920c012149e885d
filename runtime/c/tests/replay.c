/* Replays golden models through the C interface and compares every bit with Rust's: replay MODEL.nmk... */
#include "golden.h"

static nearmark_status embed(const struct golden *g, const void *x, uint32_t *z, uint32_t *scratch, size_t words) {
    switch (g->type) {
    case F32: return nearmark_embed_raw_f32(&g->model, (const float *)x, g->inputs, z, g->dim, scratch, words);
    case I16: return nearmark_embed_raw_i16(&g->model, (const int16_t *)x, g->inputs, z, g->dim, scratch, words);
    case I8: return nearmark_embed_raw_i8(&g->model, (const int8_t *)x, g->inputs, z, g->dim, scratch, words);
    default: return nearmark_embed_raw_u8(&g->model, (const uint8_t *)x, g->inputs, z, g->dim, scratch, words);
    }
}

static nearmark_status best(const struct golden *g, const void *x, nearmark_candidate *out, uint32_t *scratch,
                            size_t words, size_t *found) {
    switch (g->type) {
    case F32: return nearmark_rank_f32(&g->model, (const float *)x, g->inputs, scratch, words, out, 1, found);
    case I16: return nearmark_rank_i16(&g->model, (const int16_t *)x, g->inputs, scratch, words, out, 1, found);
    case I8: return nearmark_rank_i8(&g->model, (const int8_t *)x, g->inputs, scratch, words, out, 1, found);
    default: return nearmark_rank_u8(&g->model, (const uint8_t *)x, g->inputs, scratch, words, out, 1, found);
    }
}

static nearmark_status nearest(const struct golden *g, const void *x, nearmark_item *out, uint32_t *scratch,
                               size_t words, size_t *found) {
    switch (g->type) {
    case F32: return nearmark_nearest_f32(&g->model, (const float *)x, g->inputs, scratch, words, out, g->items, found);
    case I16: return nearmark_nearest_i16(&g->model, (const int16_t *)x, g->inputs, scratch, words, out, g->items, found);
    case I8: return nearmark_nearest_i8(&g->model, (const int8_t *)x, g->inputs, scratch, words, out, g->items, found);
    default: return nearmark_nearest_u8(&g->model, (const uint8_t *)x, g->inputs, scratch, words, out, g->items, found);
    }
}

/* Whether the nearest items have the bits that Rust gave. */
static int same_items(const struct golden *g, const uint32_t *row, uint32_t *scratch, size_t words) {
    const uint32_t *expected = row + g->sample_words + 3 + g->dim;
    size_t found = 0;
    nearmark_item *items = (nearmark_item *)malloc(sizeof *items * g->items + 1);
    int same = nearest(g, row, items, scratch, words, &found) == NEARMARK_STATUS_OK && found == g->items;
    for (uint32_t i = 0; same && i < g->items; i++) {
        same = items[i].id == expected[3 * i] && items[i].class_id == expected[3 * i + 1] &&
               items[i].distance == expected[3 * i + 2];
    }
    free(items);
    return same;
}

/* Rows of a model that differ. */
static unsigned replay(const struct golden *g) {
    unsigned misses = 0;
    size_t words = nearmark_scratch_words(&g->model), found = 0;
    /* Not initialized, and exactly as long as needed, so that tools see a word too many. */
    uint32_t *scratch = (uint32_t *)malloc(4 * words + 1);
    uint32_t *z = (uint32_t *)malloc(4 * (size_t)g->dim);
    for (uint32_t row = 0; row < g->rows; row++) {
        const uint32_t *expected = golden_row(g, row);
        nearmark_prediction answer;
        nearmark_candidate first;
        int same = golden_classify(g, row, scratch, words, &answer) == NEARMARK_STATUS_OK &&
                   golden_same(g, row, &answer);
        same = same && embed(g, expected, z, scratch, words) == NEARMARK_STATUS_OK &&
               memcmp(z, expected + g->sample_words + 3, 4 * (size_t)g->dim) == 0;
        same = same && best(g, expected, &first, scratch, words, &found) == NEARMARK_STATUS_OK && found == 1 &&
               first.class_id == answer.class_id && first.distance == answer.distance &&
               nearmark_candidate_distance_sq(&first) == nearmark_distance_sq(&answer);
        same = same && same_items(g, expected, scratch, words);
        misses += !same;
    }
    free(scratch);
    free(z);
    return misses;
}

int main(int argc, char **argv) {
    unsigned rows = 0, misses = 0;
    for (int i = 1; i < argc; i++) {
        struct golden g = golden_open(argv[i]);
        unsigned missed = replay(&g);
        if (missed) {
            printf("%s: %u of %u rows differ\n", argv[i], missed, (unsigned)g.rows);
        }
        rows += g.rows;
        misses += missed;
        golden_close(&g);
    }
    printf("replay: %d models, %u rows, %u differ from Rust\n", argc - 1, rows, misses);
    return misses != 0 || rows == 0;
}
