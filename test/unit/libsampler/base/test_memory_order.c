/* SPDX-License-Identifier: MIT */
/*
 * test_memory_order.c - what threads share without a lock is read whole, in whichever order a processor shows it.
 *
 * Each test has a writer and a reader, whose accesses go in all orders that the atomic operations leave open
 * (weak_memory.h). x86 does not show most of these orders, so that no other test can fail.
 *
 * Seen to fail: each without any one of the fences, or with one acquire less, of the code that it is about. So did all but
 * that of rows with the code as it was before this test.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libsampler/python/functions.h"
#include "libsampler/resource/off_cpu.h"
#include "libsampler/signal/disposition.h"
#include "libsampler/stream/atoms.h"
#include "libsampler/stream/loss.h"
#include "libsampler/unwind/cfi.h"
#include "libsampler/unwind/module.h"
#include "libsampler/unwind/registered.h"
#include "libsampler/unwind/row.h"
#include "libsampler/unwind/unlisted.h"
#include "forged_cie.h"
#include "own_modules.h"
#include "weak_memory.h"

TestSuite(memory_order, .timeout = 120);

static void expect_right(void (*write)(void), bool (*read)(void), uint64_t runs_least)
{
	struct weak_memory m = weak_memory_try(write, read);

	cr_log_info("%llu runs", (unsigned long long)m.runs);
	cr_expect_geq(m.runs, runs_least, "only %llu runs", (unsigned long long)m.runs);
	cr_expect_eq(m.wrong, 0, "%llu of %llu runs", (unsigned long long)m.wrong,
		     (unsigned long long)m.runs);
	cr_expect_eq(m.races, 0, "%llu races: %s", (unsigned long long)m.races, m.first);
}

/* ---- a code object's memory becomes another function's ------------------------------------------ */

static uint8_t code_type[8], unicode_type[8];
static const struct cps_python_layout layout = {.code_first_line = 72,
						.code_file = 112,
						.code_name = 128,
						.code_lines = 136,
						.string_ascii = 48,
						.string_other = 72};
static const struct cps_python_types types = {(uintptr_t)code_type, (uintptr_t)unicode_type, 1,
					      &layout};
static uint64_t object[CPS_PYTHON_CODE_BYTES / 8], elsewhere[CPS_PYTHON_CODE_BYTES / 8];
static uint32_t second;

static struct string {
	struct cps_python_unicode head;
	uint64_t wide;
	char bytes[16];
} strings[3];

static uint64_t string(int i, const char *text)
{
	struct string *s = &strings[i];

	s->head.type = (uintptr_t)unicode_type;
	s->head.length = (int64_t)strlen(text);
	s->head.state = 1 << 2 | CPS_PYTHON_UNICODE_COMPACT | CPS_PYTHON_UNICODE_ASCII;
	memcpy(s->bytes, text, strlen(text));
	return (uintptr_t)s;
}

static uint32_t number_of(const uint64_t *code)
{
	struct cps_python_memo memo = {.file = 0};
	struct cps_python_known known;

	return cps_python_function((uintptr_t)code, &types, false, &memo, &known);
}

static void begin_python(void)
{
	object[1] = elsewhere[1] = (uintptr_t)code_type;
	object[112 / 8] = elsewhere[112 / 8] = string(0, "x.py");
	object[128 / 8] = string(1, "first");
	elsewhere[128 / 8] = string(2, "second");
	cr_assert_neq(number_of(object), CPS_PYTHON_NONE);
	second = number_of(elsewhere);
	cr_assert_neq(second, number_of(object));
	object[128 / 8] = elsewhere[128 / 8];
}

static void meet_second(void)
{
	number_of(object);
}

static bool is_second(void)
{
	return number_of(object) == second;
}

Test(memory_order, of_a_python_function)
{
	begin_python();
	expect_right(meet_second, is_second, 2);
}

/* ---- a disposition is changed twice --------------------------------------------------------------- */

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

static struct sigaction action_of(unsigned n)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_flags = (int)n;
	action.sa_handler = (sighandler_t)(uintptr_t)(100 + n);
	action.sa_restorer = (void (*)(void))(uintptr_t)n;
	return action;
}

static void set_action(unsigned n)
{
	const struct sigaction action = action_of(n);

	cps_disposition_set(SIGUSR2, &action);
}

static void set_twice(void)
{
	set_action(2);
	set_action(3);
}

static bool is_an_action(void)
{
	struct sigaction action, whole;

	cps_disposition_get(SIGUSR2, &action);
	action.sa_flags &= ~0x04000000; /* SA_RESTORER, which the C library sets */
	whole = action_of((unsigned)action.sa_flags);
	return memcmp(&action, &whole, sizeof(whole)) == 0;
}

Test(memory_order, of_a_disposition)
{
	cr_assert_eq(cps_disposition_take(SIGUSR2, handler), 0);
	set_action(1);
	expect_right(set_twice, is_an_action, 8);
}

/* ---- a section's place is given to another one's ---------------------------------------------------- */

#define CODE   ((uintptr_t)0x100000000)
#define FAR    ((uintptr_t)0x200000000)
#define FDE    32u
#define BEFORE (1u << 20)

static uint8_t
	*sections; /* two, between which there is more than what registered.c looks through */

/* A CIE, "zR" with absolute pointers, and two functions. */
static void put_section(uint8_t *p, uint64_t start, uint64_t apart)
{
	const uint64_t bytes = 50;

	for (uint32_t i = 0, at = (uint32_t)(forged_cie_put(p) - p); i < 2;
	     i++, at += FDE, start += apart) {
		const uint32_t head[2] = {FDE - 4, at + 4};

		memcpy(p + at, head, 8);
		memcpy(p + at + 8, &start, 8);
		memcpy(p + at + 16, &bytes, 8);
	}
}

static void begin_sections(void)
{
	sections =
		mmap(NULL, 4 * BEFORE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(sections, MAP_FAILED);
	own_modules_init(NULL);
	put_section(sections, CODE, 100);
	put_section(sections + 2 * BEFORE, CODE - 50, 2000);
	cps_registered_add((uintptr_t)sections, (uintptr_t)sections);
}

static void replace_section(void)
{
	cps_registered_drop((uintptr_t)sections);
	cps_registered_add((uintptr_t)sections + 2 * BEFORE, (uintptr_t)sections + 2 * BEFORE);
}

/* The second function of the first section has the last of its descriptions. No other section has this code. */
static bool is_described(void)
{
	struct cps_registered registered;
	uintptr_t pc = CODE + 110;
	const struct cps_module *m = cps_registered_module(CPS_MODULE_NONE, &pc, &registered);

	return !m || m->fde == (uintptr_t)sections + 24 + FDE;
}

Test(memory_order, of_registered_sections)
{
	begin_sections();
	expect_right(replace_section, is_described, 8);
}

/* ---- a counter's atom is made --------------------------------------------------------------------------- */

static void make_counter(void)
{
	static const struct cps_atoms_resource resource = {.name = "r", .unit = "u", .engine = "e"};

	cps_atoms_add(NULL, 1u << cps_atoms_add_resource(&resource), 64, true);
}

static bool is_whole_atom(void)
{
	uint32_t grain = cps_atoms_grain(0);

	return (grain == 0 || grain == 64) && (!grain || cps_atoms_is_time(0));
}

Test(memory_order, of_an_atom)
{
	expect_right(make_counter, is_whole_atom, 2);
}

/* ---- recording stops --------------------------------------------------------------------------------- */

static void stop(void)
{
	cps_loss_stop(CPS_STOP_WRITE, -28);
}

static bool has_both_or_none(void)
{
	int error;
	enum cps_stop why = cps_loss_stop_reason(&error);

	return why == CPS_STOP_NONE ? !error : error == 28;
}

Test(memory_order, of_why_recording_stops)
{
	expect_right(stop, has_both_or_none, 2);
}

/* ---- a thread is blocked in another call ----------------------------------------------------------- */

static struct cps_sleep asleep;

static void note_call(uint64_t n)
{
	uint64_t regs[CPS_REGS_KEPT];

	for (int i = 0; i < CPS_REGS_KEPT; i++)
		regs[i] = n;
	cps_sleeper_note(&asleep, (uint32_t)n, n, n, regs);
}

static void sleep_again(void)
{
	cps_sleeper_forget(&asleep);
	note_call(2);
	note_call(3);
}

static bool is_one_call(void)
{
	struct cps_sleep seen;
	bool is_same = true;

	if (!cps_sleeper_read(&asleep, &seen))
		return true;
	for (int i = 0; i < CPS_REGS_KEPT; i++)
		is_same = is_same && seen.regs[i] == seen.state;
	return is_same && seen.since == seen.state && seen.leaf == seen.state;
}

Test(memory_order, of_a_sleeping_thread)
{
	note_call(1);
	expect_right(sleep_again, is_one_call, 8);
}

/* ---- a module is met in a sample --------------------------------------------------------------------- */

static void use_module(void)
{
	cps_module_use(cps_module_get(0));
}

/* Who takes the news sees the module; or else the news stay for the next one. */
static bool sees_module(void)
{
	return !cps_module_take_news() || cps_module_get(0)->used;
}

Test(memory_order, of_news_of_modules)
{
	own_modules_init(NULL);
	cps_module_set_news();
	expect_right(use_module, sees_module, 1);
}

/* ---- a line of the table of rows becomes another one's ------------------------------------------- */

#define SAME 3u

static uintptr_t same
	[SAME]; /* addresses whose rows have the same two lines, the outer ones also the same tag */

static uint64_t key_of(uintptr_t pc)
{
	return pc >> CPS_ROW_BITS;
}

/* Whether a row at the address comes into the first of the two lines, if both have one. */
static bool is_like_first(uintptr_t pc)
{
	return cps_row_line_of(key_of(pc)) == cps_row_line_of(key_of(same[0])) &&
	       key_of(pc) % 2 == 0;
}

static void find_same(void)
{
	uintptr_t pc = same[0] = FAR;

	do
		pc += 1u << CPS_ROW_BITS;
	while (!is_like_first(pc));
	same[1] = pc;
	do
		pc += 1u << CPS_ROW_BITS;
	while (!is_like_first(pc) || cps_row_tag(key_of(pc)) != cps_row_tag(key_of(same[0])));
	same[2] = pc;
}

/* The CFA at that address is the stack pointer + 16 * (i + 1). */
static int64_t cfa_at(uint32_t i)
{
	return cps_row_cfa(cps_row_of(0, same[i], false));
}

static void begin_rows(void)
{
	own_modules_init(NULL);
	cr_assert(cps_row_prepare());
	find_same();
	for (uint32_t i = 0; i < SAME; i++) {
		uint8_t *section = calloc(1, 256);
		const uint8_t set_cfa[] = {0, 0x0e, (uint8_t)(16 * (i + 1))};

		put_section(section, same[i], 1u << 24);
		memcpy(section + 24 + 24, set_cfa, sizeof(set_cfa));
		cps_registered_add((uintptr_t)section, (uintptr_t)section);
	}
	cr_assert_eq(cfa_at(0), 16);
	cr_assert_eq(cfa_at(1), 32);
}

static void learn_another(void)
{
	cfa_at(2);
}

static bool is_row_of_first(void)
{
	return cfa_at(0) == 16;
}

Test(memory_order, of_rows)
{
	begin_rows();
	expect_right(learn_another, is_row_of_first, 2);
	cr_assert_eq(cfa_at(2), 48);
}

/* ---- code is generated elsewhere --------------------------------------------------------------------- */

#define RANGES 64u
#define PAGE   4096u

static uint8_t *pages;

static void generate(uint32_t i, uint32_t n)
{
	cr_assert_eq(mprotect(pages + (size_t)i * PAGE, (size_t)n * PAGE, PROT_READ | PROT_EXEC),
		     0);
	cps_unlisted_is_code((uintptr_t)pages + (size_t)i * PAGE);
}

/* All places are taken, and the next range takes the first one's. */
static void begin_pages(void)
{
	own_modules_init(NULL);
	pages = mmap(NULL, 400 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(pages, MAP_FAILED);
	for (uint32_t i = 0; i < RANGES; i++)
		generate(2 * i, 1);
	cr_assert(cps_unlisted_is_code((uintptr_t)pages));
}

static void generate_more(void)
{
	generate(300, 40);
}

static bool is_no_code(void)
{
	return !cps_unlisted_is_code((uintptr_t)pages + 250 * PAGE);
}

Test(memory_order, of_generated_code)
{
	begin_pages();
	expect_right(generate_more, is_no_code, 2);
}
