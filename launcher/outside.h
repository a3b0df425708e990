/* SPDX-License-Identifier: MIT */
/*
 * outside.h - records a process without touching it.
 */
#ifndef LAUNCHER_OUTSIDE_H
#define LAUNCHER_OUTSIDE_H

#include <signal.h>
#include <stdint.h>

#include "launcher/target.h"

/* Begin to record, with the settings of the environment. Refuses the process if that cannot be done. */
void outside_begin(struct target *t);

/* Read what the kernel has kept. False: it has ended. */
bool outside_look(void);

/* After how many ns to look again. */
uint64_t outside_patience_ns(void);

/* End the recording: somebody wants that, or the process has ended. False: something is lost, which a line on standard error has told;
 * `directory`: of the recordings. */
bool outside_end(bool has_ended, const char *directory);

#endif
