/* An exported project with samples: prints the self-test's result, then class and raw distances of each sample, as
 * rows.h and expected.txt of the example c_rows have them. On a board by semihosting, else by stdio. */
#include "rows.h"

#if __STDC_HOSTED__
#include <stdio.h>
static void print(const char *text) {
    fputs(text, stdout);
}
#else
#include "semihosting.h"
#endif

static void print_base(uint32_t number, uint32_t base, unsigned width) {
    char digits[11], *at = digits + 10;
    *at = 0;
    do {
        *--at = "0123456789abcdef"[number % base];
        number /= base;
    } while (number || at > digits + 10 - width);
    print(at);
}

static nearmark_model model;
static uint32_t scratch[SCRATCH_WORDS];

int main(void) {
    int32_t test = MODEL(self_test)();
    print("self-test: ");
    print(MODEL(self_test_text)(test));
    print("\n");
    if (test != 0 || MODEL(open)(&model) != NEARMARK_STATUS_OK) {
        return 1;
    }
    for (unsigned row = 0; row < ROWS; row++) {
        nearmark_prediction answer;
        nearmark_status status = MODEL(classify)(&model, rows[row], scratch, &answer);
        if (status != NEARMARK_STATUS_OK) {
            print(nearmark_error_text(status));
            print("\n");
            return 1;
        }
        print_base(answer.class_id, 10, 1);
        print(" ");
        print_base(answer.distance, 16, 8);
        print(" ");
        print_base(answer.runner_up, 16, 8);
        print("\n");
    }
    return 0;
}
