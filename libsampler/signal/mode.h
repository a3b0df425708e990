/* SPDX-License-Identifier: MIT */
/*
 * mode.h - tells whether a tick has met its thread in the kernel or in the program's own code.
 *
 * Ticks of CPU timers come together with the kernel's own tick, at which that decides whether a thread's time
 * was user or system time. What it has decided can be read: the clocks of getitimer(2) for a single thread, by
 * their numbers (CPUCLOCK_VIRT and CPUCLOCK_PROF in the kernel), count such ticks. So page faults are system time,
 * too, as getrusage(2) has them. Other ticks are told apart by the registers of the interrupted code, which know
 * system calls only (doc/decisions/0072).
 */
#ifndef CPS_MODE_H
#define CPS_MODE_H

#include <stdint.h>
#include <ucontext.h>

#include "stream/kernel.h"
#include "stream/thread.h"

/* [signal] The atom of a sample of the calling thread (atoms.h), whose tick has come in this context, and the kernel's
 * functions that it has met. */
uint32_t cps_mode_atom(struct cps_thread *t, const ucontext_t *context,
		       struct cps_kernel_chain *chain);

/* [signal] The atom of what a thread has used since its latest tick, of which it is not known where that was. */
uint32_t cps_mode_atom_of_rest(struct cps_thread *t);

#endif
