/* SPDX-License-Identifier: MIT */
/*
 * sys.h - what aarch64 and its kernel and C library call things, and what one instruction does.
 */
#ifndef CPS_AARCH64_SYS_H
#define CPS_AARCH64_SYS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPS_MACHINE "aarch64"

/* The least size of pages, and the most that it can be. */
#define CPS_PAGE_LEAST 4096
#define CPS_PAGE_MOST  65536

/* What the kernel may put on the stack for a handler beyond what a stack of signals has room for anyway: vectors of 2,048
 * bits, and a matrix of them. */
#define CPS_FRAME_MORE (96 << 10)

/* The oldest version of the C library's symbols (process/find.h). */
#define CPS_GLIBC_OLDEST "2.17"
#define CPS_GLIBC_LATER	 "2.17"

/* The kernel's function in the vDSO. */
#define CPS_VDSO_CLOCK_GETTIME "__kernel_clock_gettime"

/* The kernel's flag of a disposition that says which function its handler returns to; 0: it has none, and no place for one. */
#define CPS_SA_RESTORER 0x04000000

/* Relocations by which a slot gets the address of a function: that of the linkage table, and another one. */
#define CPS_RELOCATION_CALL    R_AARCH64_JUMP_SLOT
#define CPS_RELOCATION_DATA    R_AARCH64_GLOB_DAT
#define CPS_RELOCATION_POINTER R_AARCH64_ABS64

/* Whether loads are done in another order than that of the program, across a branch by what was loaded. */
#define CPS_LOADS_PASS 1

/* [signal] One system call with up to six arguments. */
static inline long cps_sys6(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8");
	register long x0 __asm__("x0");
	register long x1 __asm__("x1");
	register long x2 __asm__("x2");
	register long x3 __asm__("x3");
	register long x4 __asm__("x4");
	register long x5 __asm__("x5");

	/* Where each access to memory is made a call, none must come between the registers and their use. */
	cps_sys_calls++;
	x8 = number, x0 = a, x1 = b, x2 = c, x3 = d, x4 = e, x5 = f;
	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

/* [signal] The thread pointer, which is where the C library's control block of the thread ends: the block's address is what
 * pthread_self returns. glibc puts the block above the stack of every thread but the first. */
static inline uintptr_t cps_regs_thread_pointer(void)
{
	uintptr_t tp;

	__asm__("mrs %0, tpidr_el0" : "=r"(tp));
	return tp;
}

/*
 * [signal] Subtract n from a number of the calling thread's. Returns whether 0 or less is left.
 *
 * A handler that the program has for a signal may change the same number. If it comes between the load and the store,
 * the store fails, since to return from a signal clears the monitor, and both are done again. Other threads must not
 * change the number. No processor is too old for this.
 */
static inline __attribute__((always_inline)) bool cps_single_subtract(int64_t *number, int64_t n)
{
	int64_t left;
	uint32_t failed;

	__asm__ volatile("1:\tldxr %0, %2\n\tsub %0, %0, %3\n\tstxr %w1, %0, %2\n\tcbnz %w1, 1b"
			 : "=&r"(left), "=&r"(failed), "+Q"(*number)
			 : "r"(n));
	return left <= 0;
}

/* [signal] Add 1 to a number of the calling thread's: a handler may do the same. */
static inline __attribute__((always_inline)) void cps_single_count(uint64_t *number)
{
	cps_single_subtract((int64_t *)number, -1);
}

/* [signal] Copy many bytes; the areas do not overlap. */
static inline void cps_long_copy(unsigned char *to, const unsigned char *from, size_t n)
{
	uint64_t a, b;

	for (; n >= 16; n -= 16)
		__asm__ volatile("ldp %0, %1, [%3], #16\n\tstp %0, %1, [%2], #16"
				 : "=&r"(a), "=&r"(b), "+r"(to), "+r"(from)
				 :
				 : "memory");
	for (; n; n--)
		__asm__ volatile("ldrb %w0, [%2], #1\n\tstrb %w0, [%1], #1"
				 : "=&r"(a), "+r"(to), "+r"(from)
				 :
				 : "memory");
}

/* [signal] Set bytes to c. */
static inline void cps_long_fill(unsigned char *to, int c, size_t n)
{
	uint64_t eight = (uint64_t)(unsigned char)c * UINT64_C(0x0101010101010101);

	for (; n >= 16; n -= 16)
		__asm__ volatile("stp %1, %1, [%0], #16" : "+r"(to) : "r"(eight) : "memory");
	for (; n; n--)
		__asm__ volatile("strb %w1, [%0], #1" : "+r"(to) : "r"(eight) : "memory");
}

/* [signal] Whether valgrind runs the program: these instructions do nothing elsewhere (valgrind.h,
 * RUNNING_ON_VALGRIND). */
static inline int cps_regs_is_valgrind(void)
{
	static const uint64_t request[6] = {0x1001};
	register uint64_t answer __asm__("x3") = 0;
	register const uint64_t *asked __asm__("x4") = request;

	__asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\t"
			 "ror x12, x12, #51\n\tror x12, x12, #61\n\t"
			 "orr x10, x10, x10"
			 : "+r"(answer)
			 : "r"(asked)
			 : "cc", "memory");
	return answer != 0;
}

#endif
