/* SPDX-License-Identifier: MIT */
/*
 * injected.h - the recorder in a process: loaded and begun, kept, and ended.
 */
#ifndef LAUNCHER_INJECTED_H
#define LAUNCHER_INJECTED_H

#include <signal.h>

#include "launcher/hijack.h"

struct injected {
	struct target *target;
	const char *directory; /* of the recordings */
	bool is_threaded;
	uint64_t control;  /* address of its struct cps_attach_control */
	uint64_t began_ns; /* when the recording began, by stop_now */
};

/* Load the library into the process and begin to record, with the settings of the environment. Refuses the process if that
 * cannot be done, and leaves it as it was then. *stop: somebody does not want it any more.
 * is_anywhere, for a test: whichever locks the thread holds. */
void injected_begin(struct injected *in, struct target *t, const char *library,
		    const char *directory, bool is_anywhere, const volatile sig_atomic_t *stop);

/* To be called at least every second: say that the recording is wanted. False: it is over, or the process is another program. */
bool injected_beat(struct injected *in);

/* End it, and wait until all is given back. False: something is lost, or all is, which a line on standard error has told. */
bool injected_end(struct injected *in);

#endif
