/*
 * nearmark: names the nearest class of a sample.
 *
 * A model lies in flash and is read in place. No heap, no global state: all memory is the caller's. Any
 * number of threads may share a model, each with its own scratch.
 *
 *     nearmark_model model;
 *     if (nearmark_open(bytes, sizeof bytes, &model) != NEARMARK_STATUS_OK) ...
 *     nearmark_prediction answer;
 *     if (nearmark_classify_i16(&model, x, INPUTS, scratch, SCRATCH_WORDS, &answer) == NEARMARK_STATUS_OK) ...
 *
 * A pointer that is neither NULL nor misaligned must point to as many values as the length beside it says.
 * What a function writes must overlap nothing else that it is given.
 */

#ifndef NEARMARK_H
#define NEARMARK_H

/* Made from runtime/c/src by `cargo xtask c-header`: edit the comments there. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX == 0xFFFFFFFFu
#define NEARMARK_32_BIT
#elif UINTPTR_MAX == 0xFFFFFFFFFFFFFFFFu
#define NEARMARK_64_BIT
#else
#error "nearmark needs pointers of 32 or 64 bits"
#endif

// Words that nearmark_memory_init() needs for so many prototypes of a model with `dim` coordinates.
#define NEARMARK_MEMORY_WORDS(prototypes, dim) ((prototypes) * (dim) + ((prototypes) + 1) / 2)

#if defined(NEARMARK_32_BIT)
// Words of a nearmark_model; no need to look at it.
#define NEARMARK_MODEL_WORDS 17
#endif

#if defined(NEARMARK_64_BIT)
// Words of a nearmark_model; no need to look at it.
#define NEARMARK_MODEL_WORDS 11
#endif

// How a call went. Zero is success; on anything else the call has written no answer.
enum nearmark_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Done.
    NEARMARK_STATUS_OK = 0,
    // A pointer is NULL.
    NEARMARK_STATUS_NULL = 1,
    // A pointer is not a multiple of its type's alignment; a model's bytes need a multiple of 4.
    NEARMARK_STATUS_MISALIGNED = 2,
    // The model was not opened, or the memory not set up.
    NEARMARK_STATUS_NOT_OPEN = 3,
    // Fewer bytes than a model's header.
    NEARMARK_STATUS_TOO_SHORT = 10,
    // The bytes do not begin as a model does.
    NEARMARK_STATUS_NOT_A_MODEL = 11,
    // The model has another version of the format.
    NEARMARK_STATUS_VERSION = 12,
    // The model's length differs from the one given.
    NEARMARK_STATUS_LENGTH = 13,
    // The model is damaged: its checksum does not match.
    NEARMARK_STATUS_CHECKSUM = 14,
    // The model needs a stage that this build of the library leaves out.
    NEARMARK_STATUS_STAGE = 15,
    // The model is inconsistent: its metadata, a size or a value.
    NEARMARK_STATUS_INVALID = 16,
    // The sample's length is not what nearmark_inputs() returns.
    NEARMARK_STATUS_INPUT_LEN = 20,
    // An integer model takes samples of the type it was trained on, or float.
    NEARMARK_STATUS_INPUT_TYPE = 21,
    // The output's length is not what nearmark_dim() returns.
    NEARMARK_STATUS_OUTPUT_LEN = 22,
    // The scratch is shorter than nearmark_scratch_words() returns.
    NEARMARK_STATUS_SCRATCH = 23,
    // A value or a distance is not finite.
    NEARMARK_STATUS_NOT_FINITE = 24,
    // The class has no name in this model.
    NEARMARK_STATUS_NO_NAME = 25,
    // The model takes no series: it has neither window statistics nor counts.
    NEARMARK_STATUS_NOT_A_SERIES = 26,
    // The memory or stream belongs to another model.
    NEARMARK_STATUS_OTHER_MODEL = 30,
    // The memory's words are fewer than NEARMARK_MEMORY_WORDS() gives.
    NEARMARK_STATUS_MEMORY_WORDS = 31,
    // The memory has no room for another prototype.
    NEARMARK_STATUS_FULL = 32,
    // The class number 65535 is reserved.
    NEARMARK_STATUS_CLASS = 33,
    // The memory holds no such prototype.
    NEARMARK_STATUS_INDEX = 34,
    // Something that this header does not know yet.
    NEARMARK_STATUS_OTHER = 99,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum nearmark_status nearmark_status;
#else
typedef int32_t nearmark_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// An opened model: room for what nearmark_open() finds out. It refers to the model's bytes and may be copied
// like any struct; there is nothing to close.
typedef struct nearmark_model {
    // Private.
    size_t opaque[NEARMARK_MODEL_WORDS];
} nearmark_model;

// The nearest class, how near it is, and how near the next one is.
typedef struct nearmark_prediction {
    // The class: below nearmark_classes(), or beyond when enrolled.
    uint16_t class_id;
    // Whether the sample lies within the class's reject radius; always, where the model has none.
    bool is_known;
    // Raw squared distance to the class: bits of a float, or an integer in an integer model. Either way,
    // smaller is nearer.
    uint32_t distance;
    // Raw squared distance to the nearest other class.
    uint32_t runner_up;
    // Scale from raw to real distances: for nearmark_distance_sq() and nearmark_margin().
    uint32_t unit;
} nearmark_prediction;

// One line of a ranking.
typedef struct nearmark_candidate {
    // The class.
    uint16_t class_id;
    // Raw squared distance to it, as in nearmark_prediction.
    uint32_t distance;
    // Scale from raw to real distances: for nearmark_candidate_distance_sq().
    uint32_t unit;
} nearmark_candidate;

// A stored item and how far from the sample it lies.
typedef struct nearmark_item {
    // Its id: what the training data had in its id column, or the number of its row there.
    uint32_t id;
    // Raw squared distance to it, as in nearmark_prediction.
    uint32_t distance;
    // Scale from raw to real distances: for nearmark_item_distance_sq().
    uint32_t unit;
    // Its class; 0 where the data had no labels.
    uint16_t class_id;
} nearmark_item;

// Prototypes enrolled for one model, in words of the caller's. Fields may be read; functions write them.
typedef struct nearmark_memory {
    // The caller's words: the coordinates of every prototype, then their classes.
    uint32_t *words;
    // Prototypes that fit.
    size_t capacity;
    // Prototypes stored.
    size_t count;
    // Coordinates of each.
    size_t dim;
    // nearmark_id() of the model they belong to: store it in front of a journal.
    uint32_t model_id;
} nearmark_memory;

// Where a series is in its window, which is an array of the caller's. Fields may be read; functions write them.
typedef struct nearmark_stream {
    // Steps from one answer to the next.
    size_t hop;
    // Steps in the window.
    size_t filled;
    // Steps that are still dropped, where answers are farther apart than a window is long.
    size_t dropped;
    // nearmark_id() of the model that it was set up for.
    uint32_t model_id;
} nearmark_stream;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The text of a status, for a log: a constant string, never NULL, in English, without a full stop.
const char *nearmark_error_text(int32_t status);

// Checks every byte of a model and opens it.
//
// `bytes` must begin at a multiple of 4, fill `len` exactly, and stay where they are, unchanged, as long as the
// model is used: put them into flash. When this fails, `*out` is a model that every other function refuses.
nearmark_status nearmark_open(const uint8_t *bytes,
                              size_t len,
                              struct nearmark_model *out);

// Values per sample; 0 if the model was not opened.
size_t nearmark_inputs(const struct nearmark_model *model);

// Coordinates of an embedding; 0 if the model was not opened.
size_t nearmark_dim(const struct nearmark_model *model);

// Number of classes; 0 if the model was not opened.
size_t nearmark_classes(const struct nearmark_model *model);

// Words of scratch that every call with a sample needs; 0 if the model was not opened.
size_t nearmark_scratch_words(const struct nearmark_model *model);

// The model's id, its checksum; 0 if the model was not opened.
uint32_t nearmark_id(const struct nearmark_model *model);

// Points `*name` at the name of a class: `*len` bytes of UTF-8 inside the model, with no NUL behind them.
nearmark_status nearmark_class_name(const struct nearmark_model *model,
                                    uint16_t class_id,
                                    const char **name,
                                    size_t *len);

// Names the nearest class of a sample of floats: `len` values at `x`, `words` words of scratch.
nearmark_status nearmark_classify_f32(const struct nearmark_model *model,
                                      const float *x,
                                      size_t len,
                                      uint32_t *scratch,
                                      size_t words,
                                      struct nearmark_prediction *out);

// As nearmark_classify_f32(), for a sample of uint8_t.
nearmark_status nearmark_classify_u8(const struct nearmark_model *model,
                                     const uint8_t *x,
                                     size_t len,
                                     uint32_t *scratch,
                                     size_t words,
                                     struct nearmark_prediction *out);

// As nearmark_classify_f32(), for a sample of int8_t.
nearmark_status nearmark_classify_i8(const struct nearmark_model *model,
                                     const int8_t *x,
                                     size_t len,
                                     uint32_t *scratch,
                                     size_t words,
                                     struct nearmark_prediction *out);

// As nearmark_classify_f32(), for a sample of int16_t.
nearmark_status nearmark_classify_i16(const struct nearmark_model *model,
                                      const int16_t *x,
                                      size_t len,
                                      uint32_t *scratch,
                                      size_t words,
                                      struct nearmark_prediction *out);

// Squared distance to the class as a float; NaN for NULL.
float nearmark_distance_sq(const struct nearmark_prediction *prediction);

// How much farther the nearest other class is, in squared distance; NaN for NULL.
//
// Negative where a vote of several neighbors overruled the nearest one; infinite where there is no other class.
float nearmark_margin(const struct nearmark_prediction *prediction);

// Writes the best classes of a sample, nearest first, as many as there are and `room` allows, and their number
// to `*found`. The first is the class that nearmark_classify_f32() names. On an error, what lies at `out` has
// no meaning.
nearmark_status nearmark_rank_f32(const struct nearmark_model *model,
                                  const float *x,
                                  size_t len,
                                  uint32_t *scratch,
                                  size_t words,
                                  struct nearmark_candidate *out,
                                  size_t room,
                                  size_t *found);

// As nearmark_rank_f32(), for a sample of uint8_t.
nearmark_status nearmark_rank_u8(const struct nearmark_model *model,
                                 const uint8_t *x,
                                 size_t len,
                                 uint32_t *scratch,
                                 size_t words,
                                 struct nearmark_candidate *out,
                                 size_t room,
                                 size_t *found);

// As nearmark_rank_f32(), for a sample of int8_t.
nearmark_status nearmark_rank_i8(const struct nearmark_model *model,
                                 const int8_t *x,
                                 size_t len,
                                 uint32_t *scratch,
                                 size_t words,
                                 struct nearmark_candidate *out,
                                 size_t room,
                                 size_t *found);

// As nearmark_rank_f32(), for a sample of int16_t.
nearmark_status nearmark_rank_i16(const struct nearmark_model *model,
                                  const int16_t *x,
                                  size_t len,
                                  uint32_t *scratch,
                                  size_t words,
                                  struct nearmark_candidate *out,
                                  size_t room,
                                  size_t *found);

// Squared distance to the class as a float; NaN for NULL.
float nearmark_candidate_distance_sq(const struct nearmark_candidate *candidate);

// Writes the stored items nearest to a sample, nearest first, as many as there are and `room` allows, and their number
// to `*found`. Of items that are equally far the one with the lower id comes first. A model with class means has these
// as items, numbered by their class. On an error, what lies at `out` has no meaning.
nearmark_status nearmark_nearest_f32(const struct nearmark_model *model,
                                     const float *x,
                                     size_t len,
                                     uint32_t *scratch,
                                     size_t words,
                                     struct nearmark_item *out,
                                     size_t room,
                                     size_t *found);

// As nearmark_nearest_f32(), for a sample of uint8_t.
nearmark_status nearmark_nearest_u8(const struct nearmark_model *model,
                                    const uint8_t *x,
                                    size_t len,
                                    uint32_t *scratch,
                                    size_t words,
                                    struct nearmark_item *out,
                                    size_t room,
                                    size_t *found);

// As nearmark_nearest_f32(), for a sample of int8_t.
nearmark_status nearmark_nearest_i8(const struct nearmark_model *model,
                                    const int8_t *x,
                                    size_t len,
                                    uint32_t *scratch,
                                    size_t words,
                                    struct nearmark_item *out,
                                    size_t room,
                                    size_t *found);

// As nearmark_nearest_f32(), for a sample of int16_t.
nearmark_status nearmark_nearest_i16(const struct nearmark_model *model,
                                     const int16_t *x,
                                     size_t len,
                                     uint32_t *scratch,
                                     size_t words,
                                     struct nearmark_item *out,
                                     size_t room,
                                     size_t *found);

// Squared distance to the item as a float; NaN for NULL.
float nearmark_item_distance_sq(const struct nearmark_item *item);

// Writes the embedding of a sample: nearmark_dim() coordinates to `z`, which has room for `dim`. On an error,
// what lies at `z` has no meaning.
nearmark_status nearmark_embed_f32(const struct nearmark_model *model,
                                   const float *x,
                                   size_t len,
                                   float *z,
                                   size_t dim,
                                   uint32_t *scratch,
                                   size_t words);

// As nearmark_embed_f32(), for a sample of uint8_t.
nearmark_status nearmark_embed_u8(const struct nearmark_model *model,
                                  const uint8_t *x,
                                  size_t len,
                                  float *z,
                                  size_t dim,
                                  uint32_t *scratch,
                                  size_t words);

// As nearmark_embed_f32(), for a sample of int8_t.
nearmark_status nearmark_embed_i8(const struct nearmark_model *model,
                                  const int8_t *x,
                                  size_t len,
                                  float *z,
                                  size_t dim,
                                  uint32_t *scratch,
                                  size_t words);

// As nearmark_embed_f32(), for a sample of int16_t.
nearmark_status nearmark_embed_i16(const struct nearmark_model *model,
                                   const int16_t *x,
                                   size_t len,
                                   float *z,
                                   size_t dim,
                                   uint32_t *scratch,
                                   size_t words);

// As nearmark_embed_f32(), in raw words: bits of floats, or signed integers in an integer model. The same bits
// on every machine, and an integer model needs no float arithmetic for them.
nearmark_status nearmark_embed_raw_f32(const struct nearmark_model *model,
                                       const float *x,
                                       size_t len,
                                       uint32_t *z,
                                       size_t dim,
                                       uint32_t *scratch,
                                       size_t words);

// As nearmark_embed_raw_f32(), for a sample of uint8_t.
nearmark_status nearmark_embed_raw_u8(const struct nearmark_model *model,
                                      const uint8_t *x,
                                      size_t len,
                                      uint32_t *z,
                                      size_t dim,
                                      uint32_t *scratch,
                                      size_t words);

// As nearmark_embed_raw_f32(), for a sample of int8_t.
nearmark_status nearmark_embed_raw_i8(const struct nearmark_model *model,
                                      const int8_t *x,
                                      size_t len,
                                      uint32_t *z,
                                      size_t dim,
                                      uint32_t *scratch,
                                      size_t words);

// As nearmark_embed_raw_f32(), for a sample of int16_t.
nearmark_status nearmark_embed_raw_i16(const struct nearmark_model *model,
                                       const int16_t *x,
                                       size_t len,
                                       uint32_t *z,
                                       size_t dim,
                                       uint32_t *scratch,
                                       size_t words);

// Sets up an empty memory for `capacity` prototypes of one model in `words`, of which there are `len`: at least
// NEARMARK_MEMORY_WORDS(capacity, nearmark_dim(model)). They belong to the memory as long as it is used.
nearmark_status nearmark_memory_init(const struct nearmark_model *model,
                                     size_t capacity,
                                     uint32_t *words,
                                     size_t len,
                                     struct nearmark_memory *memory);

// Stores a sample as a prototype of a class: one of the model's, or any number beyond them but 65535. On an
// error the memory is as it was.
nearmark_status nearmark_enroll_f32(const struct nearmark_model *model,
                                    struct nearmark_memory *memory,
                                    const float *x,
                                    size_t len,
                                    uint16_t class_id,
                                    uint32_t *scratch,
                                    size_t words);

// As nearmark_enroll_f32(), for a sample of uint8_t.
nearmark_status nearmark_enroll_u8(const struct nearmark_model *model,
                                   struct nearmark_memory *memory,
                                   const uint8_t *x,
                                   size_t len,
                                   uint16_t class_id,
                                   uint32_t *scratch,
                                   size_t words);

// As nearmark_enroll_f32(), for a sample of int8_t.
nearmark_status nearmark_enroll_i8(const struct nearmark_model *model,
                                   struct nearmark_memory *memory,
                                   const int8_t *x,
                                   size_t len,
                                   uint16_t class_id,
                                   uint32_t *scratch,
                                   size_t words);

// As nearmark_enroll_f32(), for a sample of int16_t.
nearmark_status nearmark_enroll_i16(const struct nearmark_model *model,
                                    struct nearmark_memory *memory,
                                    const int16_t *x,
                                    size_t len,
                                    uint16_t class_id,
                                    uint32_t *scratch,
                                    size_t words);

// Points `*z` at the coordinates of a stored prototype, `memory->dim` raw words, oldest first, and writes its class
// to `*class_id`: what a journal in flash needs.
nearmark_status nearmark_memory_get(const struct nearmark_memory *memory,
                                    size_t index,
                                    uint16_t *class_id,
                                    const uint32_t **z);

// Puts back a prototype that was read out with nearmark_memory_get(): `dim` raw words at `z`.
nearmark_status nearmark_memory_restore(const struct nearmark_model *model,
                                        struct nearmark_memory *memory,
                                        uint16_t class_id,
                                        const uint32_t *z,
                                        size_t dim);

// Drops every prototype of a class and returns how many there were; 0 if the memory was not set up.
size_t nearmark_memory_forget(struct nearmark_memory *memory, uint16_t class_id);

// Drops the prototype stored last and returns whether there was one.
bool nearmark_memory_undo(struct nearmark_memory *memory);

// A class number that neither the model nor the memory uses; 65535, which nothing can be enrolled as, if one of
// them was not set up.
uint16_t nearmark_memory_next_class(const struct nearmark_model *model,
                                    const struct nearmark_memory *memory);

// Names the nearest class among the model's and the enrolled ones.
nearmark_status nearmark_memory_classify_f32(const struct nearmark_model *model,
                                             const struct nearmark_memory *memory,
                                             const float *x,
                                             size_t len,
                                             uint32_t *scratch,
                                             size_t words,
                                             struct nearmark_prediction *out);

// As nearmark_memory_classify_f32(), for a sample of uint8_t.
nearmark_status nearmark_memory_classify_u8(const struct nearmark_model *model,
                                            const struct nearmark_memory *memory,
                                            const uint8_t *x,
                                            size_t len,
                                            uint32_t *scratch,
                                            size_t words,
                                            struct nearmark_prediction *out);

// As nearmark_memory_classify_f32(), for a sample of int8_t.
nearmark_status nearmark_memory_classify_i8(const struct nearmark_model *model,
                                            const struct nearmark_memory *memory,
                                            const int8_t *x,
                                            size_t len,
                                            uint32_t *scratch,
                                            size_t words,
                                            struct nearmark_prediction *out);

// As nearmark_memory_classify_f32(), for a sample of int16_t.
nearmark_status nearmark_memory_classify_i16(const struct nearmark_model *model,
                                             const struct nearmark_memory *memory,
                                             const int16_t *x,
                                             size_t len,
                                             uint32_t *scratch,
                                             size_t words,
                                             struct nearmark_prediction *out);

// Writes the best classes among the model's and the enrolled ones, as nearmark_rank_f32() does.
nearmark_status nearmark_memory_rank_f32(const struct nearmark_model *model,
                                         const struct nearmark_memory *memory,
                                         const float *x,
                                         size_t len,
                                         uint32_t *scratch,
                                         size_t words,
                                         struct nearmark_candidate *out,
                                         size_t room,
                                         size_t *found);

// As nearmark_memory_rank_f32(), for a sample of uint8_t.
nearmark_status nearmark_memory_rank_u8(const struct nearmark_model *model,
                                        const struct nearmark_memory *memory,
                                        const uint8_t *x,
                                        size_t len,
                                        uint32_t *scratch,
                                        size_t words,
                                        struct nearmark_candidate *out,
                                        size_t room,
                                        size_t *found);

// As nearmark_memory_rank_f32(), for a sample of int8_t.
nearmark_status nearmark_memory_rank_i8(const struct nearmark_model *model,
                                        const struct nearmark_memory *memory,
                                        const int8_t *x,
                                        size_t len,
                                        uint32_t *scratch,
                                        size_t words,
                                        struct nearmark_candidate *out,
                                        size_t room,
                                        size_t *found);

// As nearmark_memory_rank_f32(), for a sample of int16_t.
nearmark_status nearmark_memory_rank_i16(const struct nearmark_model *model,
                                         const struct nearmark_memory *memory,
                                         const int16_t *x,
                                         size_t len,
                                         uint32_t *scratch,
                                         size_t words,
                                         struct nearmark_candidate *out,
                                         size_t room,
                                         size_t *found);

// Sets up a stream for one model, which answers when its window is full and then every `hop` steps (0 counts as 1). To start
// again after a gap in the series, set it up again.
nearmark_status nearmark_stream_init(const struct nearmark_model *model,
                                     size_t hop,
                                     struct nearmark_stream *stream);

// Takes the values of all channels at the next time step: `channels` floats at `step`. Where that completes a window,
// `*is_answered` is true and `*out` names its nearest class, with the bits of nearmark_classify_f32(); else
// `*is_answered` is false. `window` has nearmark_inputs() values, `len` of them, and is the stream's between the calls.
nearmark_status nearmark_stream_push_f32(const struct nearmark_model *model,
                                         struct nearmark_stream *stream,
                                         const float *step,
                                         size_t channels,
                                         float *window,
                                         size_t len,
                                         uint32_t *scratch,
                                         size_t words,
                                         struct nearmark_prediction *out,
                                         bool *is_answered);

// As nearmark_stream_push_f32(), for steps of uint8_t.
nearmark_status nearmark_stream_push_u8(const struct nearmark_model *model,
                                        struct nearmark_stream *stream,
                                        const uint8_t *step,
                                        size_t channels,
                                        uint8_t *window,
                                        size_t len,
                                        uint32_t *scratch,
                                        size_t words,
                                        struct nearmark_prediction *out,
                                        bool *is_answered);

// As nearmark_stream_push_f32(), for steps of int8_t.
nearmark_status nearmark_stream_push_i8(const struct nearmark_model *model,
                                        struct nearmark_stream *stream,
                                        const int8_t *step,
                                        size_t channels,
                                        int8_t *window,
                                        size_t len,
                                        uint32_t *scratch,
                                        size_t words,
                                        struct nearmark_prediction *out,
                                        bool *is_answered);

// As nearmark_stream_push_f32(), for steps of int16_t.
nearmark_status nearmark_stream_push_i16(const struct nearmark_model *model,
                                         struct nearmark_stream *stream,
                                         const int16_t *step,
                                         size_t channels,
                                         int16_t *window,
                                         size_t len,
                                         uint32_t *scratch,
                                         size_t words,
                                         struct nearmark_prediction *out,
                                         bool *is_answered);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* NEARMARK_H */
