/* SPDX-License-Identifier: MIT */
/*
 * identity.h - reads what the kernel knows of this process.
 */
#ifndef CPS_IDENTITY_H
#define CPS_IDENTITY_H

#include <stdbool.h>

#include "clock/clock.h"
#include "stream/record.h"

/* ---- identity -------------------------------------------------------------------------------- */
/*
 * Finds out at the start which process this is.
 */

/* Fill in what the process itself knows: exe, cwd, args, times, journal id. The rest stays as it
 * is. */
void cps_identity_read(struct cps_identity *identity);

/* What people call the program: the name of the file, or of the link by which it was executed. */
const char *cps_identity_name(const struct cps_identity *identity);

/* A recording begins now: set what the clocks and the counters of the kernel say at its start. */
void cps_identity_start(struct cps_identity *identity);

/* ---- describe -------------------------------------------------------------------------------- */
/*
 * What the recording says of its resources.
 */

/* Describe the resource that the clock measures, and set the grain of its weights. */
void cps_describe(struct cps_identity *identity, const struct cps_clock *clock,
		  const struct cps_clock_settings *settings);

/* ---- own memory ------------------------------------------------------------------------------ */
/*
 * Tells the recorded process from its children.
 *
 * A child of vfork(2) shares the memory of the recorded process, where nothing of the recording may
 * be changed on its behalf; a child of fork(2) has a copy, and begins a recording of its own.
 */

/* The calling process is the recorded one from now on. */
void cps_own_memory_begin(void);

/* Is it the calling process, or was it, in memory of its own? Costs a system call. */
bool cps_own_memory_is_here(void);

/* Is the calling process a child that has a copy of the recorded one's memory? */
bool cps_own_memory_is_copy(void);

/* The number of the recorded process. */
int cps_own_memory_pid(void);

/* ---- go runtime ------------------------------------------------------------------------------ */
/*
 * Finds out whether the program contains Go's runtime.
 */

/* Whether the program, or a library that is loaded, was linked by Go's linker. Not for the
 * handler. */
bool cps_go_runtime_is_here(void);

/* Whether that is so of the program itself. Then it ends by a system call of its own, and not by the
 * C library. Not for the handler. */
bool cps_go_runtime_is_program(void);

#endif
