/* SPDX-License-Identifier: MIT */
/*
 * fpe.h - the engine of the resource `fpe`: exceptions of floating-point arithmetic, by traps of the processor.
 *
 * A thread's exceptions are unmasked at a tick of the clock. The next one traps, before its instruction has had any
 * effect. The instruction is then executed alone, with all exceptions masked again and all flags cleared, so that it is known
 * which it raises. The flags from before are put back, and the result is what it would have been. Kinds that it has raised stay
 * masked until the next tick; with `fpe:exact` they are unmasked at once (doc/decisions/0080).
 *
 * Whoever wants such traps itself gets them: nothing is unmasked once the program has enabled one, and while it
 * has a handler for SIGFPE.
 */
#ifndef CPS_FPE_H
#define CPS_FPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/thread.h"

#define CPS_FPE_STATES 6 /* of its samples: the kinds, as the bits of MXCSR are */

/* Whether the processor has such traps: as `probe` of struct cps_resource. */
int cps_fpe_probe(char *why, size_t bytes);

/* As the functions of struct cps_resource. */
int cps_fpe_start(uint64_t interval);
void cps_fpe_stop(void);
void cps_fpe_pause(void);
void cps_fpe_resume(void);
void cps_fpe_arm(struct cps_thread *t);

/* [signal] To be called in a wrapper, before the calling thread passes its exceptions on to another thread, saves or
 * changes them, or blocks signals; and after that. In between they are masked as the program has them. */
void cps_fpe_settle(void);
/* [signal] */
void cps_fpe_go_on(void);

/* [signal] The program enables exceptions itself. */
void cps_fpe_yield(void);

/* [signal] In MXCSR or in a copy of it: whether any exception is enabled. */
static inline bool cps_fpe_is_enabled(uint32_t mxcsr)
{
	return (~mxcsr >> 7 & 0x3f) != 0;
}

#endif
