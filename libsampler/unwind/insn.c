/* SPDX-License-Identifier: MIT */
/*
 * insn.c - reads machine instructions where they lie.
 */
#include <stdatomic.h>
#include <string.h>

#include "arch/arch.h"
#include "unwind/insn.h"
#include "unwind/module.h"
#include "unwind/unlisted.h"
#include "base/poison.h"

/* ---- insn ------------------------------------------------------------------------------------ */
/*
 * Gets the bytes of instructions, which the machine's part of the recorder reads (arch/arch.h).
 *
 * In: addresses of code. Out: struct cps_insn.
 */

int cps_insn_call_number(const struct cps_regs *regs)
{
	uintptr_t end = regs->r[CPS_REG_PC];
	uint8_t code[40];
	size_t n = sizeof(code);

	if (!cps_module_copy(code, end - n, n)) {
		n = end % 4096 < n ? end % 4096 : n;
		if (!n || !cps_module_copy(code, end - n, n))
			return -1;
	}
	return cps_insn_number_before(code, n, regs);
}

/* The page after the code may not be there, so that no more than the rest of its page is read. */
bool cps_insn_at(struct cps_insn_window *w, uintptr_t pc, struct cps_insn *insn)
{
	size_t rest = 4096 - pc % 4096;

	if (pc < w->at || pc - w->at >= w->n || w->n - (pc - w->at) < CPS_INSN_BYTES) {
		w->n = 0;
		w->at = pc;
		if (cps_module_copy(w->bytes, pc, sizeof(w->bytes)))
			w->n = sizeof(w->bytes);
		else if (rest < sizeof(w->bytes) && cps_module_copy(w->bytes, pc, rest))
			w->n = rest;
		else
			return false;
	}
	cps_insn_read(w->bytes + (pc - w->at), w->n - (pc - w->at), pc, insn);
	return insn->op != CPS_INSN_UNKNOWN;
}

bool cps_insn_is_fatal_call(const struct cps_insn *insn)
{
	struct cps_insn_window w = {.n = 0};
	struct cps_insn first;

	return insn->op == CPS_INSN_CALL &&
	       cps_module_find((uintptr_t)insn->value) != CPS_MODULE_NONE &&
	       cps_insn_at(&w, (uintptr_t)insn->value, &first) && first.op == CPS_INSN_TRAP;
}

/* ---- call ------------------------------------------------------------------------------------ */
/*
 * Looks for a call instruction before an address.
 *
 * In: an address, the code before it, and the frame that it was found in. Out: whether it may be a
 * return address.
 *
 * Order: each word of `calls` is an address by itself.
 */

#define BITS	  10
#define FRAME_MAX (1u << 20) /* bytes of a frame on a stack whose bounds are not known */

/* Addresses that were seen to follow a call. To read code that is not part of a module takes a
 * system call. */
static _Atomic uint64_t calls[1u << BITS];

bool cps_call_comes_before(uint64_t ra)
{
	_Atomic uint64_t *known = &calls[ra * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS)];
	uint8_t before[CPS_REGS_CALL_BYTES];

	if (ra < 4096)
		return false;
	if (atomic_load_explicit(known, memory_order_relaxed) == ra)
		return true;
	if (!cps_module_copy(before, ra - sizeof(before), sizeof(before)) ||
	    !cps_regs_is_call(before + sizeof(before)))
		return false;
	atomic_store_explicit(known, ra, memory_order_relaxed);
	return true;
}

bool cps_call_returns(uint64_t ra, const struct cps_call_chain *chain)
{
	uint64_t high = chain->high ? chain->high : chain->fp + FRAME_MAX;
	bool holds = chain->next > chain->fp && chain->next < high && !(chain->next & 7);

	return (holds && cps_unlisted_is_code(ra - 1)) || cps_call_comes_before(ra);
}
