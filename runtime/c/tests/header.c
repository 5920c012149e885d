/* The header alone, twice, and its constants where C wants constants. */
#include "nearmark.h"
#include "nearmark.h"

static uint32_t prototypes[NEARMARK_MEMORY_WORDS(3, 9)];
typedef char model_is_whole_words[sizeof(nearmark_model) == NEARMARK_MODEL_WORDS * sizeof(size_t) ? 1 : -1];
typedef char status_has_32_bits[sizeof(nearmark_status) == 4 ? 1 : -1];

int main(void) {
    model_is_whole_words one = {0};
    status_has_32_bits two = {0};
    nearmark_status status = NEARMARK_STATUS_OK;
    return status == nearmark_open(0, 0, 0) || sizeof prototypes != 29 * 4 || one[0] || two[0];
}
