/* SPDX-License-Identifier: MIT */
/*
 * fpe_none.c - the engine of the resource `fpe` for processors whose traps it does not know.
 *
 * In: nothing. Out: a refusal.
 */
#include "resource/fpe.h"

#if !defined(__x86_64__)

#include <errno.h>
#include <stdio.h>

int cps_fpe_probe(char *why, size_t bytes)
{
	snprintf(why, bytes, "only x86-64 has traps that leave results as they are");
	return -ENOTSUP;
}

int cps_fpe_start(uint64_t interval)
{
	(void)interval;
	return -ENOTSUP;
}

void cps_fpe_stop(void)
{
}

void cps_fpe_pause(void)
{
}

void cps_fpe_resume(void)
{
}

void cps_fpe_arm(struct cps_thread *t)
{
	(void)t;
}

void cps_fpe_settle(void)
{
}

void cps_fpe_go_on(void)
{
}

void cps_fpe_yield(void)
{
}

#endif
