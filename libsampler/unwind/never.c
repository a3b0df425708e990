/* SPDX-License-Identifier: MIT */
/*
 * never.c - follows all ways that code can go, to see whether one of them returns.
 *
 * In: an address. Out: whether the code there comes back. Calls are taken to return, except to code
 * that traps at once.
 */
#include <string.h>

#include "unwind/insn.h"
#include "unwind/module.h"
#include "unwind/never.h"
#include "base/poison.h"

#define STEPS  48u /* instructions that are looked at */
#define PLACES 16u /* where branches lead to */

struct ways {
	uintptr_t place[PLACES]; /* where a way begins, or begins anew after a jump */
	unsigned n;
	unsigned steps;
};

static bool lead_to(struct ways *w, uintptr_t pc)
{
	for (unsigned i = 0; i < w->n; i++)
		if (w->place[i] == pc)
			return true;
	if (w->n == PLACES)
		return false;
	w->place[w->n++] = pc;
	return true;
}

/* Follows one way. False: it returns, or leads where is not known. */
static bool goes_nowhere(struct ways *w, uintptr_t pc)
{
	struct cps_insn_window code = {.n = 0};
	struct cps_insn i;

	while (w->steps++ < STEPS && cps_insn_at(&code, pc, &i)) {
		if (i.op == CPS_INSN_TRAP || cps_insn_is_fatal_call(&i))
			return true;
		if (i.op == CPS_INSN_RETURN)
			return false;
		if ((i.op == CPS_INSN_BRANCH || i.op == CPS_INSN_JUMP) &&
		    !lead_to(w, (uintptr_t)i.value))
			return false;
		if (i.op == CPS_INSN_JUMP)
			return true; /* that way is followed on its own */
		pc += i.length;
	}
	return false;
}

bool cps_never_returns(uintptr_t pc)
{
	struct ways w = {.place = {pc}, .n = 1};

	for (unsigned i = 0; i < w.n; i++)
		if (!goes_nowhere(&w, w.place[i]))
			return false;
	return true;
}

/* call *%r12, pops, and a jump to a function that complains: "mcall function returned". */
bool cps_never_is_mcall(uintptr_t ra)
{
	static const uint8_t call[] = {0x41, 0xff, 0xd4};
	struct cps_insn_window w = {.n = 0};
	uint8_t before[sizeof(call)];
	struct cps_insn i;
	unsigned pops = 0;

	if (!cps_module_copy(before, ra - sizeof(before), sizeof(before)) ||
	    memcmp(before, call, sizeof(call)) != 0)
		return false;
	while (cps_insn_at(&w, ra, &i) && i.op == CPS_INSN_POP && pops < 3) {
		ra += i.length;
		pops++;
	}
	return pops && cps_insn_at(&w, ra, &i) && i.op == CPS_INSN_JUMP;
}
