/* SPDX-License-Identifier: MIT */
/*
 * caller.c - finds the caller by where functions begin and end, which their unwind tables say.
 *
 * In: calls that seem to be active, a return address. Out: the call that it belongs to. Tables are looked at once for each function.
 */
#include <stdatomic.h>

#include "arch/arch.h"
#include "collector/caller.h"
#include "unwind/fde.h"
#include "unwind/module.h"
#include "base/poison.h"

#define FARTHEST (1u << 16)  /* so many calls are looked at */
#define ROOM	 (24u << 10) /* that looking at tables takes at most */
#define NOWHERE	 1u	     /* what `code` is of a function that no table knows */

struct question {
	uintptr_t address;
	uintptr_t code, bytes; /* 0: the loader cannot be asked now */
};

static void look_up(void *of)
{
	struct question *q = of;
	struct cps_fde_window window;
	struct cps_fde fde;
	bool is_sure;
	uint32_t number = cps_module_find_now(q->address, &is_sure);

	if (number != CPS_MODULE_NONE &&
	    cps_fde_find(cps_module_get(number), q->address, &window, &fde)) {
		/* A call that is a function's last instruction returns to its end, and none to its beginning. */
		q->code = fde.start + 1;
		q->bytes = fde.end - fde.start;
	} else if (is_sure) {
		q->code = NOWHERE;
		q->bytes = CPS_MACHINE_ANYWHERE;
	}
}

CPS_HOOK_KEEPS __attribute__((noinline)) void cps_caller_learn(struct cps_machine *m,
							       struct cps_state *s, uintptr_t room)
{
	struct cps_called *called = &m->called[s->origin->function >> 1];
	struct question q = {called->address, called->code, called->code_bytes};

	if (!q.code && room >= ROOM)
		cps_entry_keep_vectors(look_up, &q);
	if (!q.code)
		return;
	called = &m->called[s->origin->function >> 1]; /* a handler may have moved it */
	called->code_bytes = q.bytes;
	called->code = q.code;
	s->code = q.code;
	atomic_signal_fence(memory_order_seq_cst);
	s->code_bytes = q.bytes;
}

CPS_HOOK_KEEPS __attribute__((noinline)) struct cps_calls_frame *
cps_caller_find(struct cps_machine *m, const struct cps_calls_frame *first,
		struct cps_calls_frame *f, uintptr_t back)
{
	const struct cps_calls_frame *last = f - first > FARTHEST ? f - FARTHEST : first;

	if (cps_machine_has_adopted(m, f->state, back))
		return f;
	for (struct cps_calls_frame *g = f - 1; g > last; g--)
		if (cps_caller_has(g->state, back) && !cps_calls_is_left(g))
			return g;
	cps_machine_adopt(m, f->state, back);
	return f;
}
