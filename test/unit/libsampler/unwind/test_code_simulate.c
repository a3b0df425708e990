/* SPDX-License-Identifier: MIT */
/*
 * test_code_simulate.c - what code says of its way back is what its tables say.
 *
 * The C library has both, so each of its instructions from which the code goes one way to its return
 * is a test. Code of other shapes is given as bytes.
 *
 * Seen to fail: with any of the instructions that change sp or fp left out of execute(), or read with
 * another length.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libsampler/unwind/code_simulate.h"
#include "libsampler/unwind/cfi.h"
#include "libsampler/unwind/fde.h"
#include "libsampler/unwind/insn.h"
#include "own_modules.h"

#define WORDS 8192u
#define MARK  UINT64_C(0x5a5a000000000000)

static uint64_t stack[WORDS]; /* each word holds its own address, marked */
static const struct cps_module *libc;
static uintptr_t first, bytes;

static uint64_t word_at(uint64_t address)
{
	return address ^ MARK;
}

static void start(void)
{
	own_modules_init(NULL);
	libc = cps_module_get(cps_module_find((uintptr_t)strtok));
	for (uint32_t i = 0; i < libc->n_segments; i++) {
		if (!(libc->segments[i].flags & 1))
			continue;
		first = libc->bias + libc->segments[i].vaddr;
		bytes = libc->segments[i].memory_bytes;
	}
	for (size_t i = 0; i < WORDS; i++)
		stack[i] = word_at((uintptr_t)&stack[i]);
}

static struct cps_regs regs_at(uintptr_t pc)
{
	struct cps_regs regs = {.valid = 1u << CPS_REG_SP | 1u << CPS_REG_FP | 1u << CPS_REG_PC};

	regs.r[CPS_REG_PC] = pc;
	regs.r[CPS_REG_SP] = (uintptr_t)&stack[WORDS / 4];
	regs.r[CPS_REG_FP] = (uintptr_t)&stack[WORDS / 2];
	return regs;
}

static enum cps_code_simulate ahead(struct cps_regs *regs, bool is_exact)
{
	struct cps_peek_copy copy = {.page = 0};
	struct cps_peek peek = {.low = (uintptr_t)stack,
				.high = (uintptr_t)(stack + WORDS),
				.direct = sizeof(stack),
				.copy = &copy};

	return cps_code_simulate(regs, &peek, is_exact);
}

/* Whether the registers are the caller's by this row. Tables say that fp is in its word also when it has
 * been taken from there already. */
static bool agrees(const struct cps_row *row, const struct cps_regs *at,
		   const struct cps_regs *caller, bool is_exact)
{
	uint64_t cfa = at->r[row->from_fp ? CPS_REG_FP : CPS_REG_SP] + (uint64_t)row->cfa_offset;
	uint64_t fp = row->fp_offset ? word_at(cfa + (uint64_t)row->fp_offset) : at->r[CPS_REG_FP];

	return caller->r[CPS_REG_SP] == cfa && caller->r[CPS_REG_PC] == word_at(cfa - 8) &&
	       (caller->r[CPS_REG_FP] == fp ||
		(is_exact && caller->r[CPS_REG_FP] == at->r[CPS_REG_FP]));
}

struct result {
	unsigned same, differ;
};

static void compare(uintptr_t pc, bool is_exact, struct result *r)
{
	struct cps_regs at = regs_at(pc), caller = at;
	struct cps_row row;

	cps_cfi_row(libc, is_exact ? pc : pc - 1, false, &row);
	if (row.kind != CPS_ROW_FAST || row.from_fp ||
	    ahead(&caller, is_exact) != CPS_AHEAD_RETURNS)
		return;
	if (agrees(&row, &at, &caller, is_exact)) {
		r->same++;
	} else {
		r->differ++;
	}
}

static bool goes_on(const struct cps_insn *i)
{
	return i->op != CPS_INSN_JUMP && i->op != CPS_INSN_RETURN && i->op != CPS_INSN_TRAP;
}

/* Compares at each instruction of a function that is understood from the start on, without the
 * padding that is never executed. */
static void compare_function(const struct cps_fde *fde, struct result *exact, struct result *calls)
{
	struct cps_insn_window w = {.n = 0};
	struct cps_insn i;
	bool is_reached = true;

	for (uintptr_t pc = fde->start; pc < fde->end && cps_insn_at(&w, pc, &i); pc += i.length) {
		is_reached = is_reached || i.op != CPS_INSN_NOTHING;
		if (is_reached)
			compare(pc, true, exact);
		is_reached = is_reached && goes_on(&i);
		if (i.op == CPS_INSN_CALL && pc + i.length < fde->end)
			compare(pc + i.length, false, calls);
	}
}

Test(code_simulate, agrees_with_the_tables_of_the_c_library, .init = start)
{
	struct result exact = {0}, calls = {0};
	struct cps_fde fde;

	for (uintptr_t pc = first; pc < first + bytes;) {
		if (!cps_fde_find(libc, pc, NULL, &fde)) {
			pc += 16;
			continue;
		}
		compare_function(&fde, &exact, &calls);
		pc = fde.end;
	}
	cr_assert(exact.same > 1000 && calls.same > 100, "%u, %u", exact.same, calls.same);
	/* Behind a call that never returns stands code of which other tables speak. */
	cr_assert(exact.differ <= exact.same / 50, "%u of %u", exact.differ, exact.same);
	cr_assert(calls.differ <= calls.same / 50, "%u of %u", calls.differ, calls.same);
}

/* Code as bytes, in memory of no module. */
static uintptr_t place(const void *code, size_t n)
{
	static uint8_t *next;
	uint8_t *at;

	if (!next)
		next = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	cr_assert_neq(next, MAP_FAILED);
	memcpy(next, code, n);
	at = next;
	next += 256;
	return (uintptr_t)at;
}

#define PLACE(...) place((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void check_returns(uintptr_t pc, bool is_exact, unsigned above, unsigned fp_below)
{
	for (int again = 0; again < 2; again++) { /* the second time it is known */
		struct cps_regs at = regs_at(pc), caller = at;
		uint64_t cfa = at.r[CPS_REG_SP] + above;

		cr_assert_eq(ahead(&caller, is_exact), CPS_AHEAD_RETURNS);
		cr_assert_eq(caller.r[CPS_REG_SP], cfa);
		cr_assert_eq(caller.r[CPS_REG_PC], word_at(cfa - 8));
		cr_assert_eq(caller.r[CPS_REG_FP],
			     fp_below ? word_at(cfa - fp_below) : at.r[CPS_REG_FP]);
	}
}

Test(code_simulate, trampolines, .init = start)
{
	/* sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
	uintptr_t sub = PLACE(0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3);
	/* endbr64; push %rbp; mov %rsp, %rbp; call *%rcx; pop %rbp; ret */
	uintptr_t push =
		PLACE(0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3);

	check_returns(sub, true, 8, 0);
	check_returns(sub + 4, true, 16, 0);
	check_returns(sub + 6, false, 16, 0);
	check_returns(sub + 10, true, 8, 0);
	check_returns(push, true, 8, 0);
	check_returns(push + 5, true, 16, 16);
	check_returns(push + 10, false, 16, 16);
	check_returns(push + 11, true, 8, 0);
}

/* leave: by the frame pointer */
Test(code_simulate, frame_pointer, .init = start)
{
	uintptr_t pc = PLACE(0x90, 0xc9, 0xc3);
	struct cps_regs at = regs_at(pc), caller = at;

	cr_assert_eq(ahead(&caller, false), CPS_AHEAD_RETURNS);
	cr_assert_eq(caller.r[CPS_REG_SP], at.r[CPS_REG_FP] + 16);
	cr_assert_eq(caller.r[CPS_REG_FP], word_at(at.r[CPS_REG_FP]));
	caller = regs_at(pc);
	caller.valid &= ~(1u << CPS_REG_FP);
	cr_assert_eq(ahead(&caller, false), CPS_AHEAD_UNKNOWN);
}

/* A stack that is found by words on this one: mov 8(%rsp), %rdi; sub (%rsp), %rdi; mov %rdi, %rsp; ret */
Test(code_simulate, another_stack, .init = start)
{
	uintptr_t pc =
		PLACE(0x48, 0x8b, 0x7c, 0x24, 8, 0x48, 0x2b, 0x3c, 0x24, 0x48, 0x89, 0xfc, 0xc3);
	struct cps_regs caller = regs_at(pc);
	uint64_t *sp = (uint64_t *)caller.r[CPS_REG_SP];

	sp[1] = (uintptr_t)&stack[40];
	sp[0] = 16;
	cr_assert_eq(ahead(&caller, false), CPS_AHEAD_RETURNS);
	cr_assert_eq(caller.r[CPS_REG_PC], stack[38]);
	cr_assert_eq(caller.r[CPS_REG_SP], (uintptr_t)&stack[39]);
	sp[1] = 0; /* nothing can be read there */
	caller = regs_at(pc);
	cr_assert_eq(ahead(&caller, false), CPS_AHEAD_UNKNOWN);
}

Test(code_simulate, what_is_not_known_is_not_guessed, .init = start)
{
	static const uint8_t codes[][12] = {
		{0x85, 0xc0, 0x74, 0x01, 0x58, 0xc3}, /* a branch */
		{0x48, 0x89, 0xc4, 0xc3},	      /* mov %rax, %rsp, and rax is not known */
		{0x5c, 0xc3},			      /* pop %rsp to where nothing is */
		{0xff, 0xe0},			      /* jmp *%rax */
		{0xeb, 0xfe},			      /* a loop */
		{0x0f, 0x05, 0xc3},		      /* syscall */
		{0x48, 0x83},			      /* nonsense */
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct cps_regs regs = regs_at(place(codes[i], sizeof(codes[i])));

		cr_assert_neq(ahead(&regs, true), CPS_AHEAD_RETURNS, "%zu", i);
	}
}

/* What has been there before is not believed any more once it is to be forgotten. */
Test(code_simulate, code_changes, .init = start)
{
	uint8_t code[] = {0x48, 0x83, 0xc4, 8, 0xc3}; /* add $8, %rsp; ret */
	uintptr_t pc = place(code, sizeof(code));

	check_returns(pc, false, 16, 0);
	((uint8_t *)pc)[3] = 24;
	cps_code_simulate_forget(pc);
	check_returns(pc, false, 32, 0);
}

Test(code_simulate, never, .init = start)
{
	cr_assert(cps_noreturn_returns(PLACE(0xf4))); /* hlt */
	cr_assert(cps_noreturn_returns(
		PLACE(0x48, 0x31, 0xff, 0xe8, 1, 0, 0, 0, 0xf4))); /* call, hlt */
	cr_assert(cps_noreturn_returns(PLACE(0xeb, 0xfe)));	   /* a loop */
	cr_assert(cps_noreturn_returns(
		PLACE(0x85, 0xc0, 0x74, 2, 0x0f, 0x0b, 0xeb, 0xf8))); /* both ways */
	cr_assert_not(cps_noreturn_returns(PLACE(0x85, 0xc0, 0x74, 1, 0xc3, 0xf4)));
	cr_assert_not(cps_noreturn_returns(PLACE(0x85, 0xc0, 0x74, 1, 0xf4, 0xc3)));
	cr_assert_not(cps_noreturn_returns(PLACE(0xff, 0xe0)));
	cr_assert_not(cps_noreturn_returns(0));
	cr_assert(cps_noreturn_is_mcall(PLACE(0x41, 0xff, 0xd4, 0x58, 0xe9, 0, 0, 0, 0) + 3));
	cr_assert_not(cps_noreturn_is_mcall(PLACE(0x41, 0xff, 0xd4, 0x58, 0xc3) + 3));
}

/* Any bytes are read to an end, at the end of readable memory too. */
Test(code_simulate, any_bytes, .init = start)
{
	uint8_t *pages =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_eq(mprotect(pages + 4096, 4096, PROT_NONE), 0);
	srandom(1);
	for (unsigned i = 0; i < 40000; i++) {
		size_t at = 4096 - (size_t)random() % 40;
		struct cps_regs regs = regs_at((uintptr_t)pages + at);
		struct cps_insn insn;

		for (size_t k = at; k < 4096; k++)
			pages[k] = (uint8_t)random();
		cps_insn_read(pages + at, 4096 - at, (uintptr_t)pages + at, &insn);
		cr_assert_leq(insn.length, 4096 - at);
		cr_assert(insn.op == CPS_INSN_UNKNOWN || insn.length > 0);
		cps_code_simulate_forget((uintptr_t)pages + at);
		ahead(&regs, i % 2);
		cps_noreturn_returns((uintptr_t)pages + at);
	}
}
