/* SPDX-License-Identifier: MIT */
/*
 * test_python.c - the functions of an interpreter whose memory this test makes up.
 *
 * Seen to fail: when a list of frames was believed that does not lead to the outer evaluator's; when an
 * address alone stood for a function; when each code object was copied by a call of its own, and when a copy of many
 * was believed without a look at its strings.
 */
#include <criterion/criterion.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "arch/arch.h"
#include "own_modules.h"
#include "python/functions.h"
#include "python/layout.h"
#include "python/python.h"

#define NAMES 64

/* Offsets of CPython 3.11, which this memory is like. */
#define RUNTIME_CURRENT 576
#define RUNTIME_KEY	592
#define STATE_CFRAME	56
#define STATE_THREAD	152
#define STATE_CHUNK	296
#define STATE_ROOT	336

struct code_object {
	uint64_t references, type;
	uint8_t sizes[56];
	int32_t first_line;
	uint8_t variables[36];
	uint64_t file, name, qualified, lines;
};

struct interpreter_frame {
	uint64_t function, globals, builtins, locals, code, object;
	uint64_t previous, instruction;
	int32_t stack_top;
	uint8_t is_entry, owner;
	uint8_t padding[2];
};

static struct {
	uint8_t bytes[2048];
} runtime, state;

static uint8_t code_type[8], unicode_type[8], bytes_type[8], frame_type[8];
static void *specific;

static void *get_specific(uint32_t key)
{
	return key == 7 ? specific : NULL;
}

/* An unwind table has it, so that it can stand for the evaluator. */
static void __attribute__((noinline)) evaluate(void)
{
	__asm__ volatile("");
}

static struct string {
	struct cps_python_unicode head;
	uint64_t wide;
	uint8_t bytes[200];
} strings[2 * NAMES];

static struct code_object codes[NAMES];

static uint64_t string(int i, const char *text)
{
	struct string *s = &strings[i];

	memset(s, 0, sizeof(*s));
	s->head.type = (uintptr_t)unicode_type;
	s->head.length = (int64_t)strlen(text);
	s->head.state = 1 << 2 | CPS_PYTHON_UNICODE_COMPACT | CPS_PYTHON_UNICODE_ASCII;
	memcpy(s->bytes, text, strlen(text));
	return (uintptr_t)s;
}

static uint64_t code(int i, const char *name, const char *file)
{
	codes[i].type = (uintptr_t)code_type;
	codes[i].first_line = 10 + i;
	codes[i].qualified = string(2 * i, name);
	codes[i].file = string(2 * i + 1, file);
	return (uintptr_t)&codes[i];
}

/* The machine's stack: three evaluators, the last of which is not known to the interpreter. */
static uint64_t machine[256];
static struct cps_frame frames[8];
static struct cps_stack stack;
static struct cps_peek bounds;

/* The interpreter's stack. */
static struct {
	struct cps_python_chunk head;
	struct interpreter_frame frames[2 * NAMES];
} chunk;

static uint64_t addresses[4 * NAMES];
static struct cps_python_path path = {.addresses = addresses, .room = 2 * NAMES};

static void put(void *at, size_t offset, uint64_t word)
{
	memcpy((uint8_t *)at + offset, &word, 8);
}

static uint64_t frame(int i, int code_number, int previous, bool is_entry)
{
	chunk.frames[i] = (struct interpreter_frame){
		.code = (uintptr_t)&codes[code_number],
		.previous = previous < 0 ? 0 : (uintptr_t)&chunk.frames[previous],
		.is_entry = is_entry,
	};
	return (uintptr_t)&chunk.frames[i];
}

static void cframe(int word, uint64_t current, uint64_t previous)
{
	machine[word + 1] = current;
	machine[word + 2] = previous;
}

static void init(uint32_t version)
{
	cps_python_init(&(struct cps_python_start){(uintptr_t)&runtime, (uintptr_t)evaluate,
						   (uintptr_t)code_type, (uintptr_t)unicode_type,
						   (uintptr_t)bytes_type, (uintptr_t)frame_type,
						   version, get_specific});
}

/* inner [evaluator: f, g] C [evaluator: h] outer */
static void start(void)
{
	struct cps_python_key key = {1, 7};

	own_modules_init(NULL);
	memcpy(runtime.bytes + RUNTIME_KEY, &key, sizeof(key));
	put(&runtime, RUNTIME_CURRENT, (uintptr_t)&state);
	put(&state, STATE_THREAD, cps_regs_thread_pointer());
	specific = &state;
	init(0x030b02f0);
	code(0, "f", "/usr/lib/x.py");
	code(1, "K.g", "/usr/lib/json/__init__.py");
	code(2, "h.<locals>.<lambda>", "y.py");
	chunk.head.bytes = sizeof(chunk);
	put(&state, STATE_CHUNK, (uintptr_t)&chunk);
	put(&state, STATE_CHUNK + 8, (uintptr_t)&chunk.frames[8]);
	put(&state, STATE_CFRAME, (uintptr_t)&machine[20]);
	frame(0, 2, -1, true);
	frame(1, 1, 0, true);
	cframe(20, frame(2, 0, 1, false), (uintptr_t)&machine[120]);
	cframe(120, (uintptr_t)&chunk.frames[0], (uintptr_t)&state + STATE_ROOT);
	for (int i = 0; i < 6; i++)
		frames[i] = (struct cps_frame){.pc = 1000 + (uint64_t)i,
					       .sp = (uintptr_t)&machine[40 * i]};
	stack = (struct cps_stack){.frames = frames, .room = 8, .depth = 6, .fresh = 6};
	bounds = (struct cps_peek){.low = (uintptr_t)machine, .high = (uintptr_t)&machine[256]};
}

static char told[2 * NAMES][CPS_PYTHON_NAME_BYTES], told_path[2 * NAMES][CPS_PYTHON_PATH_BYTES];
static unsigned n_told;

static bool tell(uint32_t number, const char *name, const char *file)
{
	cr_assert_lt(number, 2 * NAMES);
	strcpy(told[number], name);
	strcpy(told_path[number], file);
	n_told++;
	return true;
}

/* The number of the function that the address stands for. */
static uint64_t number_of(uint64_t address)
{
	return (address - CPS_PYTHON_ADDRESS) / CPS_PYTHON_LINES - 1;
}

static void is_path(const char *want)
{
	char text[1024] = "";

	cps_python_functions_tell(tell);
	for (uint32_t i = 0; i < path.depth; i++) {
		char word[512];

		snprintf(word, sizeof(word), "%s; ",
			 cps_python_is_address(addresses[i])
				 ? told[number_of(addresses[i])]
				 : (char[]){(char)('0' + addresses[i] - 1000), '\0'});
		strcat(text, word);
	}
	cr_assert_str_eq(text, want);
}

Test(python, functions_take_the_place_of_evaluators)
{
	start();
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	is_path("f (x.py); K.g (json/__init__.py); 1; 2; h.<locals>.<lambda> (y.py:12); 4; 5; ");
	cr_assert_eq(cps_python_functions(), 3);
	cr_assert_str_eq(told_path[number_of(addresses[1])], "/usr/lib/json/__init__.py");
	cr_assert_str_eq(told_path[number_of(addresses[4])], "y.py");
	/* The same again, and nothing is told twice. */
	n_told = 0;
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	is_path("f (x.py); K.g (json/__init__.py); 1; 2; h.<locals>.<lambda> (y.py:12); 4; 5; ");
	cr_assert_eq(n_told, 0);
	/* Another stream needs to be told. */
	cps_python_reset();
	cps_python_show(&stack, &bounds, &path);
	cps_python_functions_tell(tell);
	cr_assert_eq(n_told, 3);
}

Test(python, without_the_lock)
{
	start();
	put(&runtime, RUNTIME_CURRENT, 0);
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	is_path("f (x.py); K.g (json/__init__.py); 1; 2; h.<locals>.<lambda> (y.py:12); 4; 5; ");
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	is_path("f (x.py); K.g (json/__init__.py); 1; 2; h.<locals>.<lambda> (y.py:12); 4; 5; ");
	specific = NULL;
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_ABSENT);
}

/* Whatever one word of the interpreter's frames is, the evaluator stays, or what takes its place is what
 * can be read; and the other evaluator is not disturbed. */
Test(python, hostile_memory)
{
	static const uint64_t words[] = {
		0, 1, 8, 4096, UINT64_MAX, UINT64_MAX - 7, 1ull << 47, 0x7ffffffff000};
	uint8_t *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	start();
	for (int lock = 0; lock < 2; lock++) {
		put(&runtime, RUNTIME_CURRENT, lock ? (uintptr_t)&state : 0);
		for (size_t field = 0; field < sizeof(struct interpreter_frame); field += 8) {
			for (size_t i = 0; i <= sizeof(words) / 8; i++) {
				struct interpreter_frame kept = chunk.frames[2];
				enum cps_python_outcome outcome;

				put(&chunk.frames[2], field,
				    i < sizeof(words) / 8 ? words[i] : (uintptr_t)gone);
				outcome = cps_python_show(&stack, &bounds, &path);
				chunk.frames[2] = kept;
				cr_assert_neq(outcome, CPS_PYTHON_ABSENT, "%zu %zu", field, i);
			}
		}
		/* A frame that leads to itself ends with the room. */
		chunk.frames[2].previous = (uintptr_t)&chunk.frames[2];
		cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_TOO_DEEP);
		frame(2, 0, 1, false);
	}
}

/* A list that does not end where the outer evaluator is, is an old one. */
Test(python, a_list_that_leads_elsewhere)
{
	start();
	chunk.frames[1].previous = (uintptr_t)&chunk.frames[5];
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	is_path("0; 1; 2; h.<locals>.<lambda> (y.py:12); 4; 5; ");
	cr_assert_eq(cps_python_unnamed(), 1);
}

/* A generator's frame lies elsewhere; memory beyond the top of the stack is no frame, unless it is there. */
Test(python, frames_elsewhere)
{
	struct interpreter_frame *generator = malloc(sizeof(*generator));

	start();
	*generator = chunk.frames[1];
	chunk.frames[2].previous = (uintptr_t)generator;
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	is_path("f (x.py); K.g (json/__init__.py); 1; 2; h.<locals>.<lambda> (y.py:12); 4; 5; ");
	free(generator);
}

/* Memory of a code object is used again, for another one with strings at the same places. */
static void used_again(bool has_lock)
{
	start();
	put(&runtime, RUNTIME_CURRENT, has_lock ? (uintptr_t)&state : 0);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"f_1", "f_2", "f_1"};
		static const char *const want[] = {"f_1 (x.py); ", "f_2 (x.py); ", "f_1 (x.py); "};
		char text[128];

		code(0, names[i], "/usr/lib/x.py");
		cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
		cps_python_functions_tell(tell);
		snprintf(text, sizeof(text), "%s; ", told[number_of(addresses[0])]);
		cr_assert_str_eq(text, want[i]);
	}
	code(0, "f_1", "/usr/lib/z.py");
	cps_python_show(&stack, &bounds, &path);
	cps_python_functions_tell(tell);
	cr_assert_str_eq(told[number_of(addresses[0])], "f_1 (z.py)");
	cr_assert_eq(cps_python_functions(), 5);
}

Test(python, addresses_are_used_again)
{
	used_again(true);
}

Test(python, addresses_are_used_again_without_the_lock)
{
	used_again(false);
}

/* Without the lock any string may be gone: the evaluator that ran the function stays, and the other one does
 * not. */
Test(python, strings_that_are_gone)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	start();
	put(&runtime, RUNTIME_CURRENT, 0);
	memcpy(page, &strings[2], sizeof(strings[2]));
	codes[1].qualified = (uintptr_t)page;
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
		is_path("f (x.py); K.g (json/__init__.py); 1; 2; h.<locals>.<lambda> (y.py:12); 4; "
			"5; ");
	}
	munmap(page, 4096);
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	is_path("0; 1; 2; h.<locals>.<lambda> (y.py:12); 4; 5; ");
	cr_assert_eq(cps_python_unnamed(), 1);
}

static volatile unsigned n_copies;

/* Copies instead of the kernel, which does not know where objects end. */
static __attribute__((no_sanitize_address)) void copy(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const struct iovec *to = (void *)regs[REG_RSI], *from = (void *)regs[REG_R10];
	size_t n = 0;

	(void)signal;
	(void)info;
	n_copies++;
	for (greg_t i = 0; i < regs[REG_R8]; i++) {
		for (size_t k = 0; k < from[i].iov_len; k++, n++)
			((volatile char *)to->iov_base)[n] = ((const char *)from[i].iov_base)[k];
	}
	regs[REG_RAX] = (greg_t)n;
}

static void count_copies(void)
{
	struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {4, instructions};
	struct sigaction action = {.sa_sigaction = copy, .sa_flags = SA_SIGINFO};

	cr_assert_eq(sigaction(SIGSYS, &action, NULL), 0);
	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0), 0);
}

/* A program that has let go of the lock takes samples at the price of a few system calls, however many Python
 * functions have called each other: one copy for 32 of them. */
Test(python, many_are_copied_together)
{
	char name[16];

	start();
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		code(i, name, i % 2 ? "x.py" : "/usr/lib/python3/y.py");
		frame(i, i, i - 1, i < 2);
	}
	put(&runtime, RUNTIME_CURRENT, 0);
	cframe(20, (uintptr_t)&chunk.frames[NAMES - 1], (uintptr_t)&machine[120]);
	count_copies();
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	cr_assert_gt(n_copies, 2 * NAMES); /* nothing was known */
	n_copies = 0;
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	cr_assert_leq(n_copies, 1 + 3 + 2); /* the thread's state, pages of frames, code objects */
	cps_python_functions_tell(tell);
	cr_assert_eq(path.depth, NAMES + 4);
	for (int i = 0; i < NAMES - 1; i++) {
		snprintf(name, sizeof(name), "f%d (", NAMES - 1 - i);
		cr_assert(strstr(told[number_of(addresses[i])], name));
	}
}

/* Of functions that call each other in one evaluator both ends are kept, as of a deep stack. (Seen to fail: all were
 * recorded, however deep the stack might be; and with the ring as it was filled, outer functions were in another order.) */
static void deep_chain(bool has_lock)
{
	char name[16], text[256] = "", want[256] = "";

	start();
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		code(i, name, "x.py");
		frame(i, i, i - 1, i < 2);
	}
	put(&state, STATE_CHUNK + 8, (uintptr_t)&chunk.frames[NAMES]);
	put(&runtime, RUNTIME_CURRENT, has_lock ? (uintptr_t)&state : 0);
	cframe(20, (uintptr_t)&chunk.frames[NAMES - 1], (uintptr_t)&machine[120]);
	stack.keep = 20;
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	cps_python_functions_tell(tell);
	cr_assert(path.is_cut);
	for (uint32_t i = 0; i < 10; i++) {
		if (i != 5)
			cr_assert(cps_python_is_address(addresses[i]));
		sprintf(text + strlen(text), "%s ", i == 5 ? "gap" : told[number_of(addresses[i])]);
	}
	for (int i = 0; i < 10; i++)
		if (i == 5)
			strcat(want, "gap ");
		else
			sprintf(want + strlen(want), "f%d (x.py) ", i < 5 ? NAMES - 1 - i : 10 - i);
	cr_assert_str_eq(text, want);
	cr_assert_eq(addresses[5], CPS_CUT_ADDRESS);
	cr_assert_eq(path.depth, 15);
	stack.keep = 4 * NAMES;
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	cr_assert_not(path.is_cut);
	cr_assert_eq(path.depth, NAMES + 4);
}

Test(python, a_deep_chain)
{
	deep_chain(true);
}

Test(python, a_deep_chain_without_the_lock)
{
	deep_chain(false);
}

/* Frames that are left out in the middle of a stack have evaluators, too. */
Test(python, a_cut_stack)
{
	start();
	frames[0].pc = CPS_CUT_ADDRESS;
	frames[0].sp = 0;
	frames[1].sp = (uintptr_t)&machine[40];
	cr_assert_eq(cps_python_show(&stack, &bounds, &path), CPS_PYTHON_SHOWN);
	cr_assert_eq(path.depth, 6);
	cr_assert_eq(addresses[0], CPS_CUT_ADDRESS);
	cr_assert(cps_python_is_address(addresses[3]));
}

Test(python, other_versions)
{
	static const uint32_t unknown[] = {0x030706f0, 0x030b00f0, 0x030e00f0};
	static const uint32_t known[] = {0x03080000, 0x030900f0, 0x030a0000, 0x030b0bf0,
					 0x030c00f0};

	own_modules_init(NULL);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		init(unknown[i]);
		cr_assert_not(cps_python_is_on());
	}
	init(0x030d00f0); /* it says nothing of itself */
	cr_assert_not(cps_python_is_on());
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct cps_python_layout layout;

		cr_assert(cps_python_layout_find(&layout, known[i], &runtime));
	}
	init(known[0]);
	cr_assert(cps_python_is_on());
}

/* A full table gives no more numbers, and those that it gave stay. */
Test(python, a_full_table)
{
	struct cps_python_layout layout;
	const struct cps_python_types types = {(uintptr_t)code_type, (uintptr_t)unicode_type,
					       (uintptr_t)bytes_type, &layout};
	struct cps_python_memo memo = {0};
	struct cps_python_known known;
	char name[32];

	cr_assert(cps_python_layout_find(&layout, 0x030b02f0, &runtime));
	for (uint32_t i = 0; i < CPS_PYTHON_FUNCTIONS + 2; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		code(0, name, "x.py");
		cr_assert_eq(cps_python_function((uintptr_t)&codes[0], &types, true, &memo, &known),
			     i < CPS_PYTHON_FUNCTIONS ? i : CPS_PYTHON_NONE);
	}
	code(0, "f77", "x.py");
	cr_assert_eq(cps_python_function((uintptr_t)&codes[0], &types, true, &memo, &known), 77);
}
