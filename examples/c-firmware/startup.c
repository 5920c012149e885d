/* What a Cortex-M or a RISC-V core needs before main(): vectors, a stack, initial values, the float unit. */
#include <stdint.h>

#include "semihosting.h"

extern uint32_t _stack[], _data[], _data_end[], _data_load[], _bss[], _bss_end[];

int main(void);
void reset(void);
void fault(void);
void start(void);

__attribute__((aligned(4))) void fault(void) {
    print("fault\n");
    leave(1);
    for (;;) {
    }
}

void reset(void) {
#if defined(__ARM_FP)
    /* CPACR: full access to the float unit. */
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20;
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
    for (volatile uint32_t *to = _data, *from = _data_load; to != _data_end;) {
        *to++ = *from++;
    }
    for (volatile uint32_t *to = _bss; to != _bss_end;) {
        *to++ = 0;
    }
    leave(main());
    for (;;) {
    }
}

#if defined(__riscv)
/* The first instructions: a stack, where traps go, and on in C. */
__attribute__((section(".vectors"), used, naked)) void start(void) {
    __asm__(".option arch, +zicsr\n la sp, _stack\n la t0, fault\n csrw mtvec, t0\n j reset");
}
#else
struct vectors {
    uint32_t *stack;
    void (*handlers[15])(void);
};

/* Reset, NMI, the faults; interrupts stay off. */
__attribute__((section(".vectors"), used)) static const struct vectors vectors = {
    _stack,
    {reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, fault},
};
#endif
