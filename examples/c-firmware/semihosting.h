/* A console and an exit through the debugger, or QEMU in its place. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stddef.h>
#include <stdint.h>

#if defined(__riscv)
static inline void semihosting(uint32_t operation, const void *argument) {
    register uint32_t a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = argument;
    /* Three instructions on one page, which no program has otherwise. */
    __asm__ volatile(".balign 16\n .option push\n .option norvc\n slli x0, x0, 0x1f\n ebreak\n srai x0, x0, 7\n .option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
}
#else
static inline void semihosting(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
#endif

/* SYS_WRITE0: a string that ends with NUL. */
static inline void print(const char *text) {
    semihosting(0x04, text);
}

static inline void print_bytes(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        char one[2] = {text[i], 0};
        print(one);
    }
}

static inline void print_number(uint32_t number) {
    char digits[11], *at = digits + 10;
    *at = 0;
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    print(at);
}

/* SYS_EXIT: ADP_Stopped_ApplicationExit is success, ADP_Stopped_InternalError is exit code 1. */
static inline void leave(int code) {
    semihosting(0x18, (const void *)(code ? (uintptr_t)0x20024 : (uintptr_t)0x20026));
}

#endif
