/* SPDX-License-Identifier: MIT */
/*
 * borrowed.c - has an interpreter, in assembly, that jumps to generated code. The code runs on the
 * interpreter's frame, which it extends, as that of LuaJIT and PHP does. It keeps no frame pointer.
 *
 * 	borrowed MS    for so many ms of CPU time each: the interpreter is called directly, by a stored pointer,
 * 	               by the same through a register; and then the interpreter calls the code instead,
 * 	               and a small function does for it
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "burn.h"

#define PAGE 4096u

typedef void (*way)(const void *code, void (*f)(void));

void directly(const void *code, void (*f)(void));
void by_pointer(const void *code, void (*f)(void));
void by_register(const void *code, void (*f)(void));
void calling(const void *code, void (*f)(void));
void calling_deeper(const void *code, void (*f)(void));

static volatile uint64_t sink;

/* The registers are r12: where to come back to, rbx: how often to call, rbp: nothing. What is between the
 * functions' ends makes them large. */
#define FUNCTION(name, code)                                                                       \
	".p2align 4\n\t.type " #name ", @function\n" #name ":\n\t.cfi_startproc\n\t" code          \
	"\n\t.cfi_endproc\n\t.size " #name ", . - " #name "\n"
#define PUSH(name) "push %" #name "; .cfi_adjust_cfa_offset 8; .cfi_offset " #name ", "
#define ENTER                                                                                      \
	PUSH(rbp)                                                                                  \
	"-16; " PUSH(rbx) "-24; " PUSH(r12) "-32; sub $96, %rsp; .cfi_adjust_cfa_offset 96; "
#define LEAVE                                                                                      \
	"add $96, %rsp; .cfi_adjust_cfa_offset -96; pop %r12; .cfi_adjust_cfa_offset -8; "         \
	"pop %rbx; .cfi_adjust_cfa_offset -8; pop %rbp; .cfi_adjust_cfa_offset -8; ret"
#define SET   "mov %rsi, %r13; mov $20, %ebx; mov $77, %ebp; lea 1f(%rip), %r12; "
#define SAVE  PUSH(r13) "-16; "
#define AGAIN "pop %r13; .cfi_adjust_cfa_offset -8; ret"

/* clang-format off */
__asm__(".text\n"
	FUNCTION(interpret, ENTER SET "jmp *%rdi; .skip 9000, 0x90; 1: " LEAVE)
	FUNCTION(interpret_by_calls, ENTER SET "call *%rdi; jmp 2f; .skip 9000, 0x90; 1: ret; 2: " LEAVE)
	FUNCTION(hand_on, "sub $8, %rsp; .cfi_adjust_cfa_offset 8; call *%rdi; add $8, %rsp; "
		".cfi_adjust_cfa_offset -8; ret")
	FUNCTION(interpret_by_others, ENTER SET "call hand_on; jmp 2f; .skip 9000, 0x90; 1: ret; 2: " LEAVE)
	FUNCTION(directly, SAVE "call interpret; " AGAIN)
	FUNCTION(by_pointer, SAVE "call *interpreter(%rip); " AGAIN)
	FUNCTION(by_register, SAVE "lea interpreter(%rip), %rax; nop; call *(%rax); " AGAIN)
	FUNCTION(calling, SAVE "call interpret_by_calls; " AGAIN)
	FUNCTION(calling_deeper, SAVE "call interpret_by_others; " AGAIN)
	".data\n.p2align 3\ninterpreter: .quad interpret\n.text\n");
/* clang-format on */

static const unsigned char code[] = {
	0x48, 0x83, 0xec, 0,	      /*    sub $FRAME, %rsp */
	0xb9, 0xc0, 0xc6, 0x2d, 0x00, /* 1: mov $3000000, %ecx */
	0xff, 0xc9,		      /* 2: dec %ecx */
	0x75, 0xfc,		      /*    jne 2b */
	0x41, 0xff, 0xd5,	      /*    call *%r13 */
	0xff, 0xcb,		      /*    dec %ebx */
	0x75, 0xf0,		      /*    jne 1b */
	0x48, 0x83, 0xc4, 0,	      /*    add $FRAME, %rsp */
	0x41, 0xff, 0xe4,	      /*    jmp *%r12 */
};

static __attribute__((noinline)) void work(void)
{
	sink = burn(sink + 1, BURN_LONG / 8);
}

static unsigned char *generate(unsigned char *at, unsigned char frame)
{
	memcpy(at, code, sizeof(code));
	at[3] = at[23] = frame;
	return at;
}

static __attribute__((noinline)) void run(way f, const void *at, uint64_t ms)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		f(at, work);
	sink++;
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	unsigned char *pages = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 77;
	run(directly, generate(pages, 0), ms);
	run(by_pointer, generate(pages + 64, 16), ms);
	run(by_register, generate(pages + 128, 112), ms);
	run(calling, generate(pages + 192, 24), ms);
	run(calling_deeper, generate(pages + 256, 8), ms);
	return 0;
}
