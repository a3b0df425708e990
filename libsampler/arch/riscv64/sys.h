/* SPDX-License-Identifier: MIT */
/*
 * sys.h - what riscv64 and its kernel and C library call things, and what one instruction does.
 */
#ifndef CPS_RISCV64_SYS_H
#define CPS_RISCV64_SYS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPS_MACHINE "riscv64"

/* The size of pages, and the most that it can be. */
#define CPS_PAGE_LEAST 4096
#define CPS_PAGE_MOST  4096

/* What the kernel may put on the stack for a handler beyond what a stack of signals has room for anyway. */
#define CPS_FRAME_MORE 0

/* The oldest version of the C library's symbols (process/find.h). */
#define CPS_GLIBC_OLDEST "2.27"
#define CPS_GLIBC_LATER	 "2.27"

/* The kernel's function in the vDSO. */
#define CPS_VDSO_CLOCK_GETTIME "__vdso_clock_gettime"

/* The kernel has no flag of a disposition that says which function its handler returns to, and no place for that. */
#define CPS_SA_RESTORER 0

/* Relocations by which a slot gets the address of a function: that of the linkage table, and another one. */
#define CPS_RELOCATION_CALL    R_RISCV_JUMP_SLOT
#define CPS_RELOCATION_DATA    R_RISCV_64
#define CPS_RELOCATION_POINTER R_RISCV_64

/* Whether loads are done in another order than that of the program, across a branch by what was loaded. */
#define CPS_LOADS_PASS 1

/* What renameat has become has the same arguments, and flags behind them, for which CPS_SYS has 0. */
enum { SYS_renameat = SYS_renameat2 };

/* [signal] One system call with up to six arguments. */
static inline long cps_sys6(long number, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7");
	register long a0 __asm__("a0");
	register long a1 __asm__("a1");
	register long a2 __asm__("a2");
	register long a3 __asm__("a3");
	register long a4 __asm__("a4");
	register long a5 __asm__("a5");

	/* Where each access to memory is made a call, none must come between the registers and their use. */
	cps_sys_calls++;
	a7 = number, a0 = a, a1 = b, a2 = c, a3 = d, a4 = e, a5 = f;
	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
}

/* [signal] The end of what the C library keeps of the thread, whose address is its name. glibc puts that above the stack of every
 * thread but the first. */
static inline uintptr_t cps_regs_thread_pointer(void)
{
	uintptr_t tp;

	__asm__("mv %0, tp" : "=r"(tp));
	return tp;
}

/*
 * [signal] Subtract n from a number of the calling thread's by one instruction. Returns whether 0 or less is left.
 *
 * A handler that the program has for a signal may change the same number. It comes before such an instruction or
 * after it, never between the load and the store. Other threads must not change it.
 */
static inline __attribute__((always_inline)) bool cps_single_subtract(int64_t *number, int64_t n)
{
	int64_t before;

	__asm__ volatile("amoadd.d %0, %2, %1" : "=r"(before), "+A"(*number) : "r"(-n));
	return before - n <= 0;
}

/* [signal] Add 1 to a number of the calling thread's: a handler may do the same. */
static inline __attribute__((always_inline)) void cps_single_count(uint64_t *number)
{
	cps_single_subtract((int64_t *)number, -1);
}

/* [signal] Copy many bytes; the areas do not overlap. A word at another address than a multiple of its size takes long, or a trap. */
static inline void cps_long_copy(unsigned char *to, const unsigned char *from, size_t n)
{
	uint64_t a;

	for (; n >= 8 && !(((uintptr_t)to | (uintptr_t)from) & 7); n -= 8, to += 8, from += 8)
		__asm__ volatile("ld %0, (%2)\n\tsd %0, (%1)"
				 : "=&r"(a)
				 : "r"(to), "r"(from)
				 : "memory");
	for (; n; n--, to++, from++)
		__asm__ volatile("lbu %0, (%2)\n\tsb %0, (%1)"
				 : "=&r"(a)
				 : "r"(to), "r"(from)
				 : "memory");
}

/* [signal] Set bytes to c. */
static inline void cps_long_fill(unsigned char *to, int c, size_t n)
{
	uint64_t eight = (uint64_t)(unsigned char)c * UINT64_C(0x0101010101010101);

	for (; n && ((uintptr_t)to & 7 || n < 8); n--, to++)
		__asm__ volatile("sb %1, (%0)" : : "r"(to), "r"(eight) : "memory");
	for (; n >= 8; n -= 8, to += 8)
		__asm__ volatile("sd %1, (%0)" : : "r"(to), "r"(eight) : "memory");
	for (; n; n--, to++)
		__asm__ volatile("sb %1, (%0)" : : "r"(to), "r"(eight) : "memory");
}

/* [signal] Whether valgrind runs the program: that is not known. */
static inline int cps_regs_is_valgrind(void)
{
	return 0;
}

#endif
