/* SPDX-License-Identifier: MIT */
/*
 * calls.c - the thunks that count calls.
 *
 * In: what each leads to. Out: calls that pass the points of their resource, and samples.
 */
#include <cpuid.h>
#include <stddef.h>

#include "resource/calls.h"
#include "resource/point.h"
#include "base/poison.h"

#define POINT_BYTES 56
#define THUNK_BYTES 64
#define THUNKS	    (CPS_CALLS_SYMBOLS * CPS_CALLS_TARGETS)
#define TEXT(x)	    TEXT_OF(x)
#define TEXT_OF(x)  #x

_Static_assert(sizeof(struct cps_point) == POINT_BYTES, "the thunks know it");
_Static_assert(offsetof(struct cps_point, left) == 0, "the thunks know it");

#define HIDDEN __attribute__((used, visibility("hidden")))

/* The code below refers to what follows by name. */
HIDDEN uintptr_t cps_calls_originals[THUNKS];
HIDDEN uintptr_t cps_calls_look_originals[CPS_CALLS_LOOKS];
/* Of the registers that the processor has beside the general ones: how many bytes they take, and which of them
 * are saved, as XSAVE numbers them; 0: FXSAVE does it. */
HIDDEN uint32_t cps_calls_state_bytes = 512, cps_calls_state_mask;
extern const char cps_calls_thunks[], cps_calls_look_thunks[];
void cps_calls_sample(uint32_t thunk);
void cps_calls_look_now(uint32_t i, uintptr_t first, uintptr_t second);

static uintptr_t leaves[THUNKS];
static uint32_t looks[CPS_CALLS_LOOKS];
static void (*look_at)(uint32_t which, uintptr_t first, uintptr_t second);

/*
 * Each thunk counts down what is left of the calling thread's interval, in the register that the linkage table
 * itself may change, r11. When that is used up it goes on to one place, which saves whatever may have arguments,
 * also vectors, and what else a caller may expect to be kept.
 */
#if defined(__x86_64__)
/* clang-format off */
__asm__(
	".pushsection .text\n"
	".balign " TEXT(THUNK_BYTES) "\n"
	".globl cps_calls_thunks\n"
	".hidden cps_calls_thunks\n"
	".type cps_calls_thunks, @function\n"
	"cps_calls_thunks:\n"
	".cfi_startproc\n"
	".set cps_calls_i, 0\n"
	".rept " TEXT(THUNKS) "\n"
	".balign " TEXT(THUNK_BYTES) "\n"
	"	endbr64\n"
	"	movq cps_thread_points@gottpoff(%rip), %r11\n"
	"	movq %fs:(%r11), %r11\n"
	"	decq (" TEXT(CPS_CALLS_FIRST) " + cps_calls_i / " TEXT(CPS_CALLS_TARGETS) ") * " TEXT(POINT_BYTES) "(%r11)\n"
	"	jle 1f\n"
	"	jmp *cps_calls_originals + 8 * cps_calls_i(%rip)\n"
	"1:	movl $cps_calls_i, %r11d\n"
	"	jmp cps_calls_point\n"
	".set cps_calls_i, cps_calls_i + 1\n"
	".endr\n"
	".cfi_endproc\n"
	".size cps_calls_thunks, . - cps_calls_thunks\n"

	/* The number of the thunk is in r11. */
	".type cps_calls_point, @function\n"
	"cps_calls_point:\n"
	".cfi_startproc\n"
	"	pushq %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"	pushq %rax\n"
	"	pushq %rcx\n"
	"	pushq %rdx\n"
	"	pushq %rsi\n"
	"	pushq %rdi\n"
	"	pushq %r8\n"
	"	pushq %r9\n"
	"	pushq %r10\n"
	"	leaq cps_calls_originals(%rip), %rax\n"
	"	pushq (%rax, %r11, 8)\n"
	"	movl cps_calls_state_bytes(%rip), %ecx\n"
	"	subq %rcx, %rsp\n"
	"	andq $-64, %rsp\n"
	"	movl cps_calls_state_mask(%rip), %eax\n"
	"	testl %eax, %eax\n"
	"	jz 1f\n"
	"	xorl %edx, %edx\n"
	"	movq %rdx, 512(%rsp)\n" /* the header, which XRSTOR wants clear */
	"	movq %rdx, 520(%rsp)\n"
	"	movq %rdx, 528(%rsp)\n"
	"	movq %rdx, 536(%rsp)\n"
	"	movq %rdx, 544(%rsp)\n"
	"	movq %rdx, 552(%rsp)\n"
	"	movq %rdx, 560(%rsp)\n"
	"	movq %rdx, 568(%rsp)\n"
	"	xsave64 (%rsp)\n"
	"	movl %r11d, %edi\n"
	"	call cps_calls_sample\n"
	"	movl cps_calls_state_mask(%rip), %eax\n"
	"	xorl %edx, %edx\n"
	"	xrstor64 (%rsp)\n"
	"	jmp 2f\n"
	"1:	fxsave64 (%rsp)\n"
	"	movl %r11d, %edi\n"
	"	call cps_calls_sample\n"
	"	fxrstor64 (%rsp)\n"
	"2:	leaq -72(%rbp), %rsp\n"
	"	popq %r11\n"
	"	popq %r10\n"
	"	popq %r9\n"
	"	popq %r8\n"
	"	popq %rdi\n"
	"	popq %rsi\n"
	"	popq %rdx\n"
	"	popq %rcx\n"
	"	popq %rax\n"
	"	popq %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	".cfi_restore %rbp\n"
	"	jmp *%r11\n"
	".cfi_endproc\n"
	".size cps_calls_point, . - cps_calls_point\n"

	/* These lead to functions of the loader's, which have no arguments in other registers. */
	".balign " TEXT(THUNK_BYTES) "\n"
	".globl cps_calls_look_thunks\n"
	".hidden cps_calls_look_thunks\n"
	".type cps_calls_look_thunks, @function\n"
	"cps_calls_look_thunks:\n"
	".cfi_startproc\n"
	".set cps_calls_i, 0\n"
	".rept " TEXT(CPS_CALLS_LOOKS) "\n"
	".balign " TEXT(THUNK_BYTES) "\n"
	"	endbr64\n"
	"	pushq %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"	pushq %rdi\n"
	"	pushq %rsi\n"
	"	pushq %rdx\n"
	"	pushq %rcx\n"
	"	movq %rsi, %rdx\n"
	"	movq %rdi, %rsi\n"
	"	movl $cps_calls_i, %edi\n"
	"	call cps_calls_look_now\n"
	"	popq %rcx\n"
	"	popq %rdx\n"
	"	popq %rsi\n"
	"	popq %rdi\n"
	"	popq %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	".cfi_restore %rbp\n"
	"	jmp *cps_calls_look_originals + 8 * cps_calls_i(%rip)\n"
	".set cps_calls_i, cps_calls_i + 1\n"
	".endr\n"
	".cfi_endproc\n"
	".size cps_calls_look_thunks, . - cps_calls_look_thunks\n"
	".popsection\n");
/* clang-format on */
#else
#error "this architecture needs thunks"
#endif

/* [signal] */
HIDDEN void cps_calls_sample(uint32_t thunk)
{
	uint32_t number = CPS_CALLS_FIRST + thunk / CPS_CALLS_TARGETS;
	uint64_t calls = cps_point_pass(number, 0);

	if (calls)
		cps_resource_sample_in(number, 0, calls, leaves[thunk]);
}

HIDDEN void cps_calls_look_now(uint32_t i, uintptr_t first, uintptr_t second)
{
	look_at(looks[i], first, second);
}

/* Vectors may be arguments, and functions that this code calls may clear their upper halves. */
void cps_calls_prepare(void)
{
	enum { LEAF_STATE = 13, OSXSAVE = 1u << 27, VECTORS = 0xe6 };
	uint32_t a, b, c, d, low, high, bytes = 512 + 64;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
		return;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	for (uint32_t i = 2; i < 8; i++)
		if (low & VECTORS & 1u << i && __get_cpuid_count(LEAF_STATE, i, &a, &b, &c, &d) &&
		    a + b > bytes)
			bytes = a + b;
	cps_calls_state_bytes = bytes;
	cps_calls_state_mask = low & VECTORS;
}

static uintptr_t thunk_at(const char *first, uint32_t i)
{
	return (uintptr_t)first + (uintptr_t)i * THUNK_BYTES;
}

uintptr_t cps_calls_thunk(uint32_t symbol, uintptr_t original, uintptr_t leaf)
{
	uint32_t i = symbol * CPS_CALLS_TARGETS, end = i + CPS_CALLS_TARGETS;

	if (symbol >= CPS_CALLS_SYMBOLS)
		return 0;
	while (i < end && cps_calls_originals[i] && cps_calls_originals[i] != original)
		i++;
	if (i == end)
		return 0;
	leaves[i] = leaf;
	cps_calls_originals[i] = original;
	return thunk_at(cps_calls_thunks, i);
}

uintptr_t cps_calls_look(uint32_t which, uintptr_t original)
{
	uint32_t i = 0;

	while (i < CPS_CALLS_LOOKS && cps_calls_look_originals[i] &&
	       (cps_calls_look_originals[i] != original || looks[i] != which))
		i++;
	if (i == CPS_CALLS_LOOKS)
		return 0;
	looks[i] = which;
	cps_calls_look_originals[i] = original;
	return thunk_at(cps_calls_look_thunks, i);
}

void cps_calls_set_look(void (*look)(uint32_t which, uintptr_t first, uintptr_t second))
{
	look_at = look;
}

static bool is_in(uintptr_t address, const char *first, uint32_t n)
{
	return address - (uintptr_t)first < (uintptr_t)n * THUNK_BYTES;
}

bool cps_calls_is_look(uintptr_t address)
{
	return is_in(address, cps_calls_look_thunks, CPS_CALLS_LOOKS);
}

bool cps_calls_is_thunk(uintptr_t address)
{
	return is_in(address, cps_calls_thunks, THUNKS) || cps_calls_is_look(address);
}

/* Points of a child of fork, or of a recording that goes on, may be those that say "not counted". */
static void begin_anew(struct cps_thread *t, void *context)
{
	(void)context;
	for (uint32_t i = CPS_CALLS_FIRST; i < CPS_THREAD_POINTS; i++)
		if (!cps_state_of(t)->points[i].current)
			cps_state_of(t)->points[i].left = 0;
}

int cps_calls_start(uint64_t interval)
{
	(void)interval;
	cps_thread_each(begin_anew, NULL);
	return 0;
}
