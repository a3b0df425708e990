/* SPDX-License-Identifier: MIT */
/*
 * sys.h - what x86-64 and its kernel and C library call things, and what one instruction does.
 */
#ifndef CPS_X86_64_SYS_H
#define CPS_X86_64_SYS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPS_MACHINE "x86_64"

/* The size of pages, and the most that it can be. */
#define CPS_PAGE_LEAST 4096
#define CPS_PAGE_MOST  4096

/* What the kernel may put on the stack for a handler beyond what a stack of signals has room for anyway. */
#define CPS_FRAME_MORE 0

/* The oldest version of the C library's symbols, and of those that came a little later (process/find.h). */
#define CPS_GLIBC_OLDEST "2.2.5"
#define CPS_GLIBC_LATER	 "2.3.3"

/* The kernel's function in the vDSO. */
#define CPS_VDSO_CLOCK_GETTIME "__vdso_clock_gettime"

/* The kernel's flag of a disposition that says which function its handler returns to; 0: it has none, and no place for one. */
#define CPS_SA_RESTORER 0x04000000

/* Relocations by which a slot gets the address of a function: that of the linkage table, and another one. */
#define CPS_RELOCATION_CALL    R_X86_64_JUMP_SLOT
#define CPS_RELOCATION_DATA    R_X86_64_GLOB_DAT
#define CPS_RELOCATION_POINTER R_X86_64_64

/* Whether loads are done in another order than that of the program, across a branch by what was loaded. */
#define CPS_LOADS_PASS 0

/* [signal] One system call with up to six arguments. */
static inline long cps_sys6(long number, long a, long b, long c, long d, long e, long f)
{
	/* Where each access to memory is made a call, none must come between the registers and their use. */
	long result = (long)cps_sys_calls++;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* [signal] The address of the thread's control block. glibc puts it above the stack of every thread
 * but the first. */
static inline uintptr_t cps_regs_thread_pointer(void)
{
	uintptr_t tp;

	__asm__("movq %%fs:0, %0" : "=r"(tp));
	return tp;
}

/* [signal] Add 1 to a number of the calling thread's by one instruction: a handler may do the same. */
static inline __attribute__((always_inline)) void cps_single_count(uint64_t *number)
{
	__asm__ volatile("incq %0" : "+m"(*number));
}

/*
 * [signal] Subtract n from a number of the calling thread's by one instruction. Returns whether 0 or less is left.
 *
 * A handler that the program has for a signal may change the same number. It comes before such an instruction or
 * after it, never between the load and the store. Other threads must not change it.
 */
static inline __attribute__((always_inline)) bool cps_single_subtract(int64_t *number, int64_t n)
{
	bool is_used_up;

	__asm__ volatile("subq %2, %0" : "+m"(*number), "=@ccle"(is_used_up) : "er"(n));
	return is_used_up;
}

/* [signal] Copy many bytes; the areas do not overlap. */
static inline void cps_long_copy(unsigned char *to, const unsigned char *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

/* [signal] Set bytes to c. */
static inline void cps_long_fill(unsigned char *to, int c, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(c) : "memory");
}

/* [signal] Whether valgrind runs the program: these instructions do nothing elsewhere (valgrind.h,
 * RUNNING_ON_VALGRIND). */
static inline int cps_regs_is_valgrind(void)
{
	static const uint64_t request[6] = {0x1001};
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer != 0;
}

#endif
