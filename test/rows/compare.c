/* SPDX-License-Identifier: MIT */
/*
 * compare.c - compares the unwind information of one address as the recorder and as libdw see it.
 *
 * In: an address. Out: counts, and a line for each difference.
 *
 * Three things must agree with libdw's rules: the row (cps_cfi_row) and the range that it is said to
 * hold for, the same row out of the packed table (cps_row_of), and the registers of the caller
 * (cps_cfi_step), for a frame whose registers and stack have values that no two rules map to the
 * same result.
 */
#include "compare.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "location.h"
#include "base/memory.h"
#include "unwind/registered.h"
#include "unwind/row.h"

#define STACK_WORDS	 (1u << 17)
#define SHOWN		 10		     /* differences of one file that are printed */
#define TABLE_GENERATION cps_row_key_high(1) /* any that is not 0 */

/* ---- the recorder's table of modules, which has one module here --------------------------------- */

static struct cps_module *the_module;

uint32_t cps_module_find_now(uintptr_t pc, bool *is_sure)
{
	*is_sure = true;
	return pc >= the_module->start && pc < the_module->end ? 0 : CPS_MODULE_NONE;
}

struct cps_module *cps_module_get(uint32_t number)
{
	return number == 0 ? the_module : NULL;
}

const struct cps_module *cps_registered_module(uint32_t number, uintptr_t *pc,
					       struct cps_registered *registered)
{
	(void)pc;
	(void)registered;
	return number == 0 ? the_module : NULL;
}

uint32_t cps_registered_count(void)
{
	return 0;
}

uint32_t cps_module_count(void)
{
	return 1;
}

/* All of the file's addresses are mapped, gaps included. */
bool cps_module_copy(void *to, uintptr_t from, size_t n)
{
	if (from < the_module->start || from >= the_module->end || n > the_module->end - from)
		return false;
	memcpy(to, (const void *)from, n);
	return true;
}

/* ---- what libdw says ---------------------------------------------------------------------------- */

/* The rule of one register; with n == 0 it is undefined, or keeps its value. */
struct rule {
	Dwarf_Op memory[3], *ops;
	size_t n;
};

struct opinion {
	Dwarf_Frame *frame;
	uint64_t end; /* it holds for the addresses before */
	bool is_signal_frame;
	int return_register;
	struct rule cfa, registers[LOCATION_REGISTERS];
};

static bool is_same_value(const struct rule *r)
{
	return r->n == 0 && !r->ops;
}

static bool is_undefined(const struct rule *r)
{
	return r->n == 0 && r->ops;
}

enum answer { SAYS_NOTHING, SAYS, REFUSES };

/* libdw's errors have numbers that only itself knows. */
static enum answer of_error(void)
{
	const char *text = dwarf_errmsg(-1);

	return text && !strcmp(text, "no matching address range") ? SAYS_NOTHING : REFUSES;
}

/* Where an opinion begins to hold is not asked for: after DW_CFA_restore_state, libdw gives the
 * beginning of the state that was restored. */
static enum answer ask_libdw(Dwarf_CFI *cfi, uint64_t address, struct opinion *o)
{
	Dwarf_Addr ignored;
	bool ok = true;

	if (dwarf_cfi_addrframe(cfi, address, &o->frame))
		return of_error();
	o->return_register = dwarf_frame_info(o->frame, &ignored, &o->end, &o->is_signal_frame);
	ok = dwarf_frame_cfa(o->frame, &o->cfa.ops, &o->cfa.n) == 0;
	for (int i = 0; ok && i < LOCATION_REGISTERS; i++) {
		struct rule *r = &o->registers[i];

		ok = dwarf_frame_register(o->frame, i, r->memory, &r->ops, &r->n) == 0;
	}
	if (ok && o->return_register >= 0)
		return SAYS;
	free(o->frame);
	return REFUSES;
}

/* Is the register saved at CFA + *offset? */
static bool is_at_cfa(const struct rule *r, int64_t *offset)
{
	*offset = r->n == 2 ? (int64_t)r->ops[1].number : 0;
	return (r->n == 1 && r->ops[0].atom == DW_OP_call_frame_cfa) ||
	       (r->n == 2 && r->ops[0].atom == DW_OP_call_frame_cfa &&
		r->ops[1].atom == DW_OP_plus_uconst);
}

/* Is it the CFA itself? */
static bool is_cfa(const struct rule *r)
{
	return r->n == 2 && r->ops[0].atom == DW_OP_call_frame_cfa &&
	       r->ops[1].atom == DW_OP_stack_value;
}

/* Where the return address of a fast row is. False: in none of the places that such a row knows. */
static bool find_ra(const struct opinion *o, struct cps_row *row)
{
	const struct rule *fp = &o->registers[CPS_REG_FP], *ra = &o->registers[CPS_REG_RA];
	int64_t fp_offset, ra_offset;
	bool has_fp = is_at_cfa(fp, &fp_offset), has_ra = is_at_cfa(ra, &ra_offset);

	if ((!has_fp && !is_same_value(fp)) || (has_fp && !fp_offset) || (has_ra && !ra_offset))
		return false;
	row->fp_offset = (int32_t)fp_offset;
	row->ra = CPS_RA_BELOW_CFA;
	if (!CPS_REGS_HAS_LINK)
		return has_ra && ra_offset == -CPS_REGS_RA_BELOW;
	row->ra = CPS_RA_BESIDE_FP;
	if (has_fp)
		return has_ra && ra_offset == fp_offset + CPS_REGS_RA_ABOVE_FP;
	row->ra = has_ra ? CPS_RA_ALONE : CPS_RA_IN_REGISTER;
	row->fp_offset = (int32_t)ra_offset;
	return has_ra || is_same_value(ra);
}

/* The stack pointer's rule may be missing: it is the CFA. */
static bool has_cfa_as_sp(const struct opinion *o)
{
	return is_cfa(&o->registers[CPS_REG_SP]) ||
	       (CPS_REGS_HAS_LINK && is_undefined(&o->registers[CPS_REG_SP]));
}

/* The row that follows from libdw's rules, by the definitions in cfi.h. */
static struct cps_row row_of(const struct opinion *o)
{
	struct cps_row row = {.kind = CPS_ROW_SLOW};

	if (is_undefined(&o->registers[CPS_REG_RA]))
		row.kind = CPS_ROW_END;
	if (row.kind == CPS_ROW_END || o->is_signal_frame || o->cfa.n != 1 ||
	    o->cfa.ops->atom != DW_OP_bregx ||
	    (o->cfa.ops->number != CPS_REG_SP && o->cfa.ops->number != CPS_REG_FP) ||
	    !has_cfa_as_sp(o) || !find_ra(o, &row))
		return row;
	row.kind = CPS_ROW_FAST;
	row.from_fp = o->cfa.ops->number == CPS_REG_FP;
	row.cfa_offset = (int32_t)o->cfa.ops->number2;
	return row;
}

/* ---- differences -------------------------------------------------------------------------------- */

static __attribute__((format(printf, 3, 4))) void differs(struct rows_file *f, uint64_t address,
							  const char *format, ...)
{
	char text[400];
	va_list list;

	if (f->count->differences++ >= SHOWN)
		return;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	printf("%s 0x%" PRIx64 ": %s%s\n", f->path, address, text,
	       f->count->differences == SHOWN ? " (more of this file are not shown)" : "");
	fflush(stdout);
}

static const char *kind_name(enum cps_row_kind kind)
{
	static const char *const names[] = {"none", "fast", "end", "signal", "slow"};

	return kind <= CPS_ROW_SLOW ? names[kind] : "?";
}

static const char *ra_name(enum cps_row_ra ra)
{
	static const char *const names[] = {"below CFA", "beside fp", "in its register", "alone"};

	return ra <= CPS_RA_ALONE ? names[ra] : "?";
}

static void describe(char text[128], const struct cps_row *row)
{
	if (row->kind == CPS_ROW_FAST)
		snprintf(text, 128, "CFA %s%+d, fp %d, return address %s",
			 row->from_fp ? "fp" : "sp", row->cfa_offset, row->fp_offset,
			 ra_name((enum cps_row_ra)row->ra));
	else
		snprintf(text, 128, "%s", kind_name(row->kind));
}

static bool is_same_row(const struct cps_row *a, const struct cps_row *b)
{
	return a->kind == b->kind &&
	       (a->kind != CPS_ROW_FAST ||
		(a->from_fp == b->from_fp && a->ra == b->ra && a->cfa_offset == b->cfa_offset &&
		 a->fp_offset == b->fp_offset));
}

/* One row, and the other that it should be. */
static void compare_rows(struct rows_file *f, uint64_t address, const char *whose,
			 const struct cps_row *row, const char *other_whose,
			 const struct cps_row *other)
{
	char text[128], other_text[128];

	if (is_same_row(row, other))
		return;
	describe(text, row);
	describe(other_text, other);
	differs(f, address, "%s: %s, %s: %s", whose, text, other_whose, other_text);
}

/* ---- the three comparisons ---------------------------------------------------------------------- */

static uint64_t stack[STACK_WORDS];

/* Some aligned address in the middle third of the stack. */
static uint64_t some_address(void)
{
	return (uintptr_t)&stack[STACK_WORDS / 3 + (unsigned)rand() % (STACK_WORDS / 3)];
}

static uint64_t some_registers[LOCATION_REGISTERS];

void compare_prepare(void)
{
	srand(1);
	for (size_t i = 0; i < STACK_WORDS; i++)
		stack[i] = some_address();
	for (size_t i = 0; i < LOCATION_REGISTERS; i++)
		some_registers[i] = some_address();
	if (!cps_row_prepare())
		abort();
}

/* The packed row is a slow one if its offsets do not fit into a word. */
static void compare_packed(struct rows_file *f, uint64_t address, const struct cps_row *row)
{
	uint64_t packed = cps_row_of(TABLE_GENERATION, f->module.bias + address, false);
	struct cps_row unpacked = {.kind = packed & CPS_ROW_KIND};
	bool fits = row->cfa_offset >= -(1 << 19) && row->cfa_offset < 1 << 19 &&
		    row->fp_offset % 8 == 0 && row->fp_offset >= -(1 << 17) &&
		    row->fp_offset < 1 << 17 && (!CPS_REGS_HAS_LINK || row->cfa_offset % 16 == 0);

	if (unpacked.kind == CPS_ROW_FAST) {
		unpacked.from_fp = packed & CPS_ROW_FROM_FP;
		unpacked.ra = (uint8_t)cps_row_ra(packed);
		unpacked.cfa_offset = (int32_t)cps_row_cfa(packed);
		unpacked.fp_offset = (int32_t)cps_row_fp(packed);
	}
	if (fits || unpacked.kind != CPS_ROW_SLOW)
		compare_rows(f, address, "row in the table", &unpacked, "row", row);
}

static void compare_range(struct rows_file *f, uint64_t first, uint64_t address,
			  const struct cps_row *row, const struct opinion *o)
{
	uint64_t from = row->from - f->module.bias, until = row->until - f->module.bias;

	if (from != first || until != o->end)
		differs(f, address,
			"row holds for 0x%" PRIx64 "-0x%" PRIx64 ", libdw: 0x%" PRIx64
			"-0x%" PRIx64,
			from, until, first, o->end);
}

static const char *step_name(enum cps_step step)
{
	static const char *const names[] = {"ok", "no recipe", "bad memory", "unknown register"};

	return step < sizeof(names) / sizeof(*names) ? names[step] : "?";
}

/* Registers without a rule keep their values in the recorder's opinion, and are undefined in
 * libdw's unless functions must preserve them (on x86-64 it forgets rbx among those). */
static bool is_preserved(int number)
{
	if (CPS_REGS_HAS_LINK)
		return number >= 19 && number <= CPS_REG_RA;
	return number == 6 || number == 7 || number >= 12;
}

/* The caller's register of return addresses is its pc in the recorder's opinion. */
static void compare_register(struct rows_file *f, uint64_t address, int number,
			     const struct rule *rule, const struct location_frame *frame,
			     const struct cps_regs *caller)
{
	int ours = number == CPS_REG_RA ? CPS_REG_PC : number;
	bool is_known = caller->valid & CPS_REGS_BIT(ours);
	uint64_t value = number == CPS_REG_SP ? frame->cfa : frame->registers[number];

	if (is_undefined(rule) && number != CPS_REG_SP) {
		if (is_known && is_preserved(number))
			differs(f, address, "register %d is undefined in libdw's opinion", number);
		return;
	}
	if (rule->n && location_register(frame, rule->ops, rule->n, &value) != LOCATION_VALUE)
		differs(f, address, "libdw's rule of register %d has no value", number);
	else if (!is_known)
		differs(f, address, "register %d is known to libdw", number);
	else if (caller->r[ours] != value)
		differs(f, address, "register %d is not what libdw's rule gives", number);
}

/* Whether libdw's rules lead to no caller: an outermost frame, or memory that cannot be read. */
static bool leads_nowhere(const struct opinion *o, const struct location_frame *frame)
{
	uint64_t value;

	for (int i = 0; i < LOCATION_REGISTERS; i++)
		if (o->registers[i].n &&
		    location_register(frame, o->registers[i].ops, o->registers[i].n, &value) ==
			    LOCATION_BAD_MEMORY)
			return true;
	return is_undefined(&o->registers[CPS_REG_RA]);
}

static void compare_steps(struct rows_file *f, uint64_t address, const struct opinion *o)
{
	struct location_frame frame = {.memory = stack, .memory_bytes = sizeof(stack)};
	struct cps_peek peek = {.low = (uintptr_t)stack,
				.high = (uintptr_t)(stack + STACK_WORDS),
				.direct = sizeof(stack)};
	struct cps_regs caller = {.valid = CPS_REGS_ALL};
	uintptr_t pc = f->module.bias + address;
	enum location cfa;
	enum cps_step step;
	bool is_exact;

	memcpy(frame.registers, some_registers, sizeof(frame.registers));
	if (CPS_REG_PC < LOCATION_REGISTERS)
		frame.registers[CPS_REG_PC % LOCATION_REGISTERS] = pc;
	memcpy(caller.r, frame.registers, sizeof(frame.registers));
	caller.r[CPS_REG_PC] = pc;
	*f->stage = ROWS_RECORDER;
	step = cps_cfi_step(&f->module, pc, &caller, &peek, &is_exact);
	*f->stage = ROWS_LIBDW;
	cfa = location_evaluate(&frame, o->cfa.ops, o->cfa.n, &frame.cfa);
	if (step != CPS_STEP_OK) {
		if (cfa == LOCATION_VALUE && !leads_nowhere(o, &frame))
			differs(f, address, "no step (%s), libdw has a caller", step_name(step));
		return;
	}
	if (cfa != LOCATION_VALUE)
		differs(f, address, "libdw's rule of the CFA has no value");
	if (is_exact != o->is_signal_frame)
		differs(f, address, "libdw says that the caller's pc %s exact",
			o->is_signal_frame ? "is" : "is not");
	for (int i = 0; cfa == LOCATION_VALUE && i < LOCATION_REGISTERS; i++)
		compare_register(f, address, i, &o->registers[i], &frame, &caller);
}

/* Whether the code that signal handlers return to is at the address, or begins after it. The recorder
 * also knows it without unwind information. */
static bool is_restorer(const struct rows_file *f, uint64_t address)
{
	uint8_t code[CPS_REGS_RESTORER_BYTES];

	for (uint64_t back = 0; back <= sizeof(code); back++)
		if (cps_module_copy(code, f->module.bias + address + 1 - back, sizeof(code)) &&
		    cps_regs_is_restorer(code))
			return true;
	return false;
}

static void compare_opinion(struct rows_file *f, uint64_t first, uint64_t address,
			    const struct cps_row *row, const struct opinion *o)
{
	struct cps_row theirs = row_of(o);

	if (row->kind == CPS_ROW_SIGNAL && o->is_signal_frame)
		theirs = *row;
	if (row->kind == CPS_ROW_NONE && o->return_register != CPS_REG_RA)
		return;
	compare_rows(f, address, "row", row, "libdw", &theirs);
	if (row->kind == CPS_ROW_NONE)
		return;
	compare_range(f, first, address, row, o);
	compare_steps(f, address, o);
}

enum cps_row_kind compare_address(struct rows_file *f, uint64_t first, uint64_t address,
				  uint64_t *end)
{
	struct opinion o;
	struct cps_row row;
	enum answer answer;

	the_module = &f->module;
	*end = address;
	f->count->addresses++;
	*f->stage = ROWS_RECORDER;
	cps_cfi_row(&f->module, f->module.bias + address, false, &row);
	compare_packed(f, address, &row);
	*f->stage = ROWS_LIBDW;
	answer = ask_libdw(f->cfi, address, &o);
	if (answer == REFUSES)
		f->count->refused++;
	if (answer == SAYS_NOTHING && row.kind != CPS_ROW_NONE &&
	    !(row.kind == CPS_ROW_SIGNAL && is_restorer(f, address)))
		differs(f, address, "row: %s, libdw: none", kind_name(row.kind));
	if (answer != SAYS)
		return row.kind;
	compare_opinion(f, first, address, &row, &o);
	*end = o.end;
	free(o.frame);
	return row.kind;
}
