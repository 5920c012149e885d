/* Threads that share one model, each with a scratch of its own: threads MODEL.nmk...
 *
 * With --share they share the scratch too, which is forbidden: a race that lies wholly inside the library, to see
 * that ThreadSanitizer looks there. */
#include <pthread.h>

#include "golden.h"

#ifdef __SANITIZE_THREAD__
/* LLVM's instrumentation calls these, which GCC's runtime may lack; it does watch the plain ones. */
void *__tsan_memcpy(void *to, const void *from, size_t len);
void *__tsan_memmove(void *to, const void *from, size_t len);
void *__tsan_memset(void *to, int value, size_t len);
void *__tsan_memcpy(void *to, const void *from, size_t len) { return memcpy(to, from, len); }
void *__tsan_memmove(void *to, const void *from, size_t len) { return memmove(to, from, len); }
void *__tsan_memset(void *to, int value, size_t len) { return memset(to, value, len); }
#endif

enum { THREADS = 2, ROUNDS = 20, WORDS = 4096 };

struct work {
    const struct golden *golden;
    uint32_t *scratch;
    unsigned misses;
};

static void *classify(void *argument) {
    struct work *work = (struct work *)argument;
    const struct golden *g = work->golden;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t row = 0; row < g->rows; row++) {
            nearmark_prediction answer;
            nearmark_status status = golden_classify(g, row, work->scratch, WORDS, &answer);
            work->misses += status != NEARMARK_STATUS_OK || !golden_same(g, row, &answer);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    static uint32_t scratch[THREADS][WORDS];
    int shared = argc > 1 && strcmp(argv[1], "--share") == 0;
    unsigned misses = 0;
    for (int i = 1 + shared; i < argc; i++) {
        struct golden g = golden_open(argv[i]);
        pthread_t threads[THREADS];
        struct work work[THREADS];
        for (int t = 0; t < THREADS; t++) {
            work[t].golden = &g;
            work[t].scratch = scratch[shared ? 0 : t];
            work[t].misses = 0;
            if (pthread_create(&threads[t], NULL, classify, &work[t])) {
                return 2;
            }
        }
        for (int t = 0; t < THREADS; t++) {
            pthread_join(threads[t], NULL);
            misses += work[t].misses;
        }
        golden_close(&g);
    }
    printf("threads: %d models shared by %d threads, %u answers differ\n", argc - 1 - shared, THREADS, misses);
    return misses != 0;
}
