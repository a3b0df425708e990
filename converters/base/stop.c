/* SPDX-License-Identifier: MIT */
/*
 * stop.c - remembers that the user wants what is being done to end.
 *
 * In: a signal. Out: a flag.
 */
#include "base/stop.h"

#include <signal.h>

static volatile sig_atomic_t requested;

void stop_request(void)
{
	requested = 1;
}

void stop_forget(void)
{
	requested = 0;
}

bool stop_is_requested(void)
{
	return requested;
}

int stop_check(struct error *err)
{
	return requested ? error_set(err, "interrupted") : 0;
}
