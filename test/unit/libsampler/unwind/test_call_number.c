/* SPDX-License-Identifier: MIT */
/*
 * test_call_number.c - which system call has ended, by the code before it.
 *
 * Seen to fail: when only a number was known that stands just before the call, with two thirds of the codes that compilers
 * make; when a register that the call changes was believed; when the byte before was not looked at.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libsampler/unwind/insn.h"
#include "libsampler/arch/arch.h"
#include "own_modules.h"

enum { RCX = 2, RBX = 3, RDI = 5, R12 = 12 };

/* The number by these n bytes of code, which end behind the call. */
static int number_by(const uint8_t *code, size_t n)
{
	static uint8_t memory[128];
	struct cps_regs regs;

	memset(memory, 0x90, sizeof(memory)); /* nop */
	memcpy(memory + sizeof(memory) - n, code, n);
	memset(&regs, 0, sizeof(regs));
	regs.r[CPS_REG_PC] = (uintptr_t)memory + sizeof(memory);
	regs.r[R12] = 40;
	regs.r[RBX] = 7;
	regs.r[RDI] = 1;
	regs.r[RCX] = 2;
	return cps_insn_call_number(&regs);
}

#define NUMBER(...)                                                                                \
	number_by((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define SYSCALL 0x0f, 0x05
#define MOV_326 0xb8, 0x46, 0x01, 0x00, 0x00 /* movl $326, %eax */

Test(call_number, stands_just_before)
{
	own_modules_init(NULL);
	cr_assert_eq(NUMBER(MOV_326, SYSCALL), 326);
	cr_assert_eq(NUMBER(0x31, 0xc0, SYSCALL), 0); /* xorl %eax, %eax */
}

/* mov %rdx, %rsi; xor %r9d, %r9d; movslq %edi, %rdi; movaps %xmm2, 16(%rsp) */
Test(call_number, stands_before_the_arguments)
{
	own_modules_init(NULL);
	cr_assert_eq(NUMBER(MOV_326, 0x48, 0x89, 0xd6, 0x45, 0x31, 0xc9, SYSCALL), 326);
	cr_assert_eq(NUMBER(0x31, 0xc0, 0x48, 0x63, 0xff, SYSCALL), 0);
	cr_assert_eq(NUMBER(MOV_326, 0x0f, 0x29, 0x54, 0x24, 0x10, SYSCALL), 326);
}

Test(call_number, is_in_a_register_that_is_kept)
{
	own_modules_init(NULL);
	cr_assert_eq(NUMBER(0x4c, 0x89, 0xe0, SYSCALL), 40); /* mov %r12, %rax */
	cr_assert_eq(NUMBER(0x44, 0x89, 0xe0, SYSCALL), 40); /* mov %r12d, %eax */
	cr_assert_eq(NUMBER(0x89, 0xd8, SYSCALL), 7);	     /* mov %ebx, %eax */
	cr_assert_eq(NUMBER(0x48, 0x8b, 0xc7, SYSCALL), 1);  /* mov %rdi, %rax, the other way */
	/* mov %r12, %rax; mov %rdx, %rdi */
	cr_assert_eq(NUMBER(0x4c, 0x89, 0xe0, 0x48, 0x89, 0xd7, SYSCALL), 40);
}

Test(call_number, is_not_in_a_register_that_has_changed)
{
	own_modules_init(NULL);
	/* mov %rdi, %rax; mov %rsi, %rdi, as in syscall(2) */
	cr_assert_eq(NUMBER(0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, SYSCALL), -1);
	cr_assert_eq(NUMBER(0x48, 0x89, 0xc8, SYSCALL), -1); /* mov %rcx, %rax */
}

Test(call_number, is_not_known_if_more_is_done_to_it)
{
	own_modules_init(NULL);
	cr_assert_eq(NUMBER(MOV_326, 0x83, 0xc0, 0x01, SYSCALL), -1);		  /* add $1, %eax */
	cr_assert_eq(NUMBER(MOV_326, 0xe8, 0x00, 0x00, 0x00, 0x00, SYSCALL), -1); /* call */
	cr_assert_eq(NUMBER(MOV_326, 0xeb, 0x00, SYSCALL), -1);			  /* jmp */
	cr_assert_eq(NUMBER(0x41, MOV_326, SYSCALL), -1); /* movl $326, %r8d */
	cr_assert_eq(NUMBER(SYSCALL), -1);
}

Test(call_number, is_read_at_the_beginning_of_memory)
{
	static const uint8_t code[] = {MOV_326, SYSCALL};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct cps_regs regs;

	own_modules_init(NULL);
	cr_assert_neq(memory, MAP_FAILED);
	munmap(memory, page);
	memcpy(memory + page, code, sizeof(code));
	memset(&regs, 0, sizeof(regs));
	regs.r[CPS_REG_PC] = (uintptr_t)memory + page + sizeof(code);
	cr_assert_eq(cps_insn_call_number(&regs), 326);
}
