/* SPDX-License-Identifier: MIT */
/*
 * mode.c - tells whether a tick has met its thread in the kernel or in the program's own code.
 *
 * In: a thread, the interrupted context. Out: the atom of its sample.
 */
#include <stdbool.h>

#include "base/sys.h"
#include "signal/mode.h"
#include "signal/sample.h"
#include "stream/atoms.h"
#include "unwind/regs.h"
#include "base/poison.h"

/* What the kernel's ticks have met the thread in since this was asked for the last time, in ns. */
struct passed {
	uint64_t user, system;
};

static struct passed take_passed(struct cps_thread *t)
{
	uint64_t user = cps_sys_clock_ns(cps_sys_user_clock(t->tid));
	uint64_t both = cps_sys_clock_ns(cps_sys_tick_clock(t->tid));
	struct passed p = {user - t->user_ticks, both - user - t->system_ticks};

	if (both < user || p.user > both || p.system > both)
		p = (struct passed){0, 0};
	t->user_ticks = user;
	t->system_ticks = both - user;
	return p;
}

uint32_t cps_mode_atom(struct cps_thread *t, const ucontext_t *context,
		       struct cps_kernel_chain *chain)
{
	uint32_t kernel = cps_atoms_kernel();
	const struct cps_meter *m = cps_sample_meter();
	struct passed p = {0, 0};
	int mode = -1;

	chain->n = 0;
	if (!kernel)
		return 0;
	if (m->mode)
		mode = m->mode(t, chain);
	if (mode >= 0)
		return mode ? kernel : 0;
	if (m->is_kernels_tick)
		p = take_passed(t);
	if (!p.user != !p.system)
		return p.system ? kernel : 0;
	return cps_regs_is_from_call(context) ? kernel : 0;
}

uint32_t cps_mode_atom_of_rest(struct cps_thread *t)
{
	struct passed p = {0, 0};

	if (cps_atoms_kernel())
		p = take_passed(t);
	return p.system > p.user ? cps_atoms_kernel() : 0;
}
