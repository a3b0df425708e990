/* SPDX-License-Identifier: MIT */
/*
 * libunwind.c - follows a stack by libunwind.
 *
 * In: the context of a signal. Out: addresses, innermost first, as unwind.c has them. The layout of
 * a table of functions is that of the Linux Standard Base, "Exception Frames", .eh_frame_hdr.
 *
 * Order: `walker` is a lock: who becomes it has acquired what the one before has left in libunwind's caches, and its release is
 * the last that a walk does. A thread that asks whether it is the walker itself has written that, or not.
 */
#include <stdatomic.h>
#include <string.h>

#include "arch/arch.h"
#include "base/moment.h"
#include "unwind/cfi.h"
#include "unwind/libunwind.h"
#include "unwind/module.h"
#include "unwind/row.h"
#include "unwind/signal_frame.h"
#include "unwind/unwind.h"
#include "base/poison.h"

#define STEPS_MAX (1u << 22)

/* What libunwind's calls are about: the thread that is walked. */
struct subject {
	struct cps_regs regs;
	struct cps_peek stack, elsewhere;
	bool has_no_info, has_bad_memory; /* what this step has met */
};

static struct cps_libunwind_calls calls;
static void *space;
static uint32_t generation;	 /* of the module table, which libunwind's cache knows */
static uintptr_t code, code_end; /* where libunwind is */
static bool has_asked;		 /* it has called a function of ours instead of sigprocmask */
static _Atomic uintptr_t walker; /* the thread that is using it, by its control block; 0: none */

/* Finds a module's table of functions, which its .eh_frame_hdr has behind a head of twelve bytes:
 * version, three encodings, where .eh_frame is, how many functions there are. */
static bool find_table(const struct cps_module *m, struct cps_libunwind_table *table)
{
	enum { RELATIVE = 0x1b, NUMBER = 3, TABLE = 0x3b, HEAD = 12 };
	uint8_t head[HEAD];
	uint32_t n;

	if (!m->eh_frame_hdr || m->eh_frame_hdr_bytes < HEAD ||
	    !cps_module_copy(head, (uintptr_t)m->eh_frame_hdr, HEAD) || head[0] != 1 ||
	    head[1] != RELATIVE || head[2] != NUMBER || head[3] != TABLE)
		return false;
	memcpy(&n, head + 8, sizeof(n));
	if (!n || n > (m->eh_frame_hdr_bytes - HEAD) / 8)
		return false;
	memset(table, 0, sizeof(*table));
	table->format = CPS_LIBUNWIND_REMOTE_TABLE;
	table->start = m->start;
	table->end = m->end;
	table->base = (uintptr_t)m->eh_frame_hdr;
	table->data = table->base + HEAD;
	table->words = n;
	return true;
}

static int find_proc_info(void *in, uint64_t pc, void *info, int need_unwind_info, void *argument)
{
	struct subject *s = argument;
	struct cps_libunwind_table table;
	bool is_sure;
	uint32_t number = cps_module_find_now(pc, &is_sure);
	int result = -CPS_LIBUNWIND_NOINFO;

	if (number != CPS_MODULE_NONE && find_table(cps_module_get(number), &table))
		result = calls.dwarf_search_unwind_table(in, pc, &table, info, need_unwind_info,
							 argument);
	if (result < 0) {
		s->has_no_info = true;
		cps_peek_guess(&s->stack); /* libunwind now guesses, and so will all that follows */
	}
	return result;
}

static void put_unwind_info(void *in, void *info, void *argument)
{
	(void)in;
	(void)info;
	(void)argument;
}

static int find_dynamic_info(void *in, uint64_t *address, void *argument)
{
	(void)in;
	(void)address;
	(void)argument;
	return -CPS_LIBUNWIND_NOINFO;
}

/* Reads the stack as the native unwinder does, tables as it reads those, and anything else only if
 * the kernel can be asked for it. */
static int access_mem(void *in, uint64_t address, uint64_t *value, int is_write, void *argument)
{
	struct subject *s = argument;

	(void)in;
	if (!is_write) {
		if (address - s->stack.low < s->stack.high - s->stack.low) {
			if (cps_peek(&s->stack, address, value))
				return 0;
		} else if (cps_module_find(address) != CPS_MODULE_NONE) {
			if (cps_module_copy(value, address, sizeof(*value)))
				return 0;
		} else if (cps_peek(&s->elsewhere, address, value)) {
			return 0;
		}
		s->has_bad_memory = true;
	}
	return -CPS_LIBUNWIND_INVAL;
}

/* libunwind asks for registers by DWARF's numbers, but for pc. */
static int access_reg(void *in, int number, uint64_t *value, int is_write, void *argument)
{
	const struct subject *s = argument;

	(void)in;
	if (number == CPS_LIBUNWIND_PC)
		number = CPS_REG_PC;
	if (is_write || number < 0 || number >= CPS_REGS)
		return -CPS_LIBUNWIND_BADREG;
	*value = s->regs.r[number];
	return 0;
}

static int access_fpreg(void *in, int number, void *value, int is_write, void *argument)
{
	(void)in;
	(void)number;
	(void)value;
	(void)is_write;
	(void)argument;
	return -CPS_LIBUNWIND_BADREG;
}

static int resume(void *in, void *cursor, void *argument)
{
	(void)in;
	(void)cursor;
	(void)argument;
	return -CPS_LIBUNWIND_INVAL;
}

static int get_proc_name(void *in, uint64_t address, char *name, size_t bytes, uint64_t *offset,
			 void *argument)
{
	(void)in;
	(void)address;
	(void)name;
	(void)bytes;
	(void)offset;
	(void)argument;
	return -CPS_LIBUNWIND_NOINFO;
}

struct cps_libunwind_accessors cps_libunwind_accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = put_unwind_info,
	.get_dyn_info_list_addr = find_dynamic_info,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = access_fpreg,
	.resume = resume,
	.get_proc_name = get_proc_name,
};

static bool is_own(uint64_t pc)
{
	uint32_t number = cps_module_find(pc);

	return number != CPS_MODULE_NONE && cps_module_get(number)->is_own;
}

/* Such a frame is never taken for unchanged (trail.c). */
static void put(struct cps_stack *stack, uint64_t pc, uint64_t sp)
{
	uint32_t inner = stack->room / 2;
	uint64_t i;

	if (is_own(pc) || (!stack->seen && cps_trail_is_inner(stack, pc)))
		return;
	i = stack->seen++;
	if (i >= stack->room)
		i = inner + (i - inner) % (stack->room - inner);
	stack->frames[i] = (struct cps_frame){.pc = pc, .sp = sp, .fp_at = CPS_TRAIL_OTHER};
}

static bool is_over(const struct cps_stack *stack, uint32_t steps)
{
	return steps >= STEPS_MAX || (stack->until && steps >= CPS_UNWIND_LEAST &&
				      steps % 64 == 0 && cps_moment_ns() >= stack->until);
}

/* Whether the return address of the frame at this address is undefined. */
static bool is_outermost(uint64_t pc)
{
	return cps_row_prepare() &&
	       (cps_row_of(cps_row_key_high(generation), pc, true) & CPS_ROW_KIND) == CPS_ROW_END;
}

/* Why the walk has ended. libunwind says that there is no caller also where it does not find it. */
static uint32_t mark_of(const struct subject *s, int result, bool is_end)
{
	if (s->has_no_info)
		return CPS_MARK_NO_RECIPE;
	if (s->has_bad_memory)
		return CPS_MARK_BAD_MEMORY;
	if (result == -CPS_LIBUNWIND_BADFRAME)
		return CPS_MARK_NO_PROGRESS;
	return result >= 0 && is_end ? CPS_MARK_COMPLETE : CPS_MARK_NO_RECIPE;
}

static void follow(struct subject *s, struct cps_stack *stack)
{
	struct cps_libunwind_cursor cursor;
	int result = calls.init_remote(&cursor, space, s);
	bool is_exact = true;
	uint64_t pc = 0, sp;

	for (uint32_t steps = 0; result >= 0; steps++) {
		result = calls.get_reg(&cursor, CPS_LIBUNWIND_IP, &pc);
		if (result < 0 || pc == 0)
			break;
		if (calls.get_reg(&cursor, CPS_LIBUNWIND_SP, &sp) < 0)
			sp = 0;
		put(stack, pc - !is_exact, sp);
		if (is_over(stack, steps)) {
			stack->mark = CPS_MARK_BOUNDED;
			return;
		}
		s->has_no_info = s->has_bad_memory = false;
		result = calls.step(&cursor);
		if (result <= 0)
			break;
		is_exact = calls.is_signal_frame(&cursor) > 0;
	}
	stack->mark = mark_of(s, result, !pc || is_outermost(pc - !is_exact));
}

static bool acquire(void)
{
	uintptr_t none = 0;

	return atomic_compare_exchange_strong(&walker, &none, cps_regs_thread_pointer());
}

bool cps_libunwind_calls_for(uintptr_t caller)
{
	uintptr_t now = atomic_load_explicit(&walker, memory_order_relaxed);

	if (!now || caller - code >= code_end - code || now != cps_regs_thread_pointer())
		return false;
	has_asked = true;
	return true;
}

static void walk(const ucontext_t *context, const struct cps_peek *bounds, struct cps_stack *stack)
{
	struct cps_peek_copy on_stack = {.page = 0}, other = {.page = 0};
	struct subject s = {.stack = {.low = bounds->low,
				      .high = bounds->high,
				      .direct = bounds->high - bounds->low,
				      .copy = &on_stack},
			    .elsewhere = {.is_guess = true, .copy = &other}};

	stack->generation = cps_module_generation();
	stack->depth = stack->fresh = 0;
	stack->seen = 0;
	stack->is_busy = !acquire();
	if (stack->is_busy)
		return;
	if (generation != stack->generation)
		calls.flush_cache(space, 0, 0);
	generation = stack->generation;
	cps_regs_of_context(&s.regs, context);
	if (cps_row_prepare())
		cps_signal_frame_skip_new(&s.regs, cps_row_key_high(generation), &s.stack);
	follow(&s, stack);
	atomic_store_explicit(&walker, 0, memory_order_release);
	stack->depth = stack->fresh = (uint32_t)stack->seen;
	if (stack->seen > stack->room) {
		cps_trail_stack_close_ring(stack, stack->seen);
		stack->depth = stack->fresh;
	}
}

const struct cps_unwinder cps_unwinder_libunwind = {CPS_UNWINDER_LIBUNWIND, walk};

void cps_libunwind_begin(const struct cps_libunwind_calls *c, void *s)
{
	bool is_sure;
	uint32_t number = cps_module_find_now((uintptr_t)c->step, &is_sure);

	calls = *c;
	space = s;
	generation = cps_module_generation();
	if (number != CPS_MODULE_NONE) {
		code = cps_module_get(number)->start;
		code_end = cps_module_get(number)->end;
	}
}

bool cps_libunwind_has_asked(void)
{
	return has_asked;
}

bool cps_libunwind_reset(void)
{
	return !atomic_load(&walker);
}
