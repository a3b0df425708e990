/* SPDX-License-Identifier: MIT */
/*
 * wrap_gmon.c - keeps the C library's own counting of calls out of programs whose calls are counted here.
 *
 * In: what the start of a program that was linked with -pg calls. Out: nothing while calls are counted, so that no gmon.out is
 * written and its clock does not tick; otherwise the real calls. What compilers call at each function is in collector/machine.c.
 */
#include <stdbool.h>
#include <sys/gmon.h>

#include "collector/calls.h"
#include "process/start.h"
#include "wrap/real.h"
#include "wrap/wrap.h"

#define EXPORT __attribute__((visibility("default")))

static bool is_kept_out;

/* The program's own choice, at its start. */
static bool keeps_out(void)
{
	cps_start();
	is_kept_out |= cps_calls_are_counted;
	return is_kept_out;
}

EXPORT void __monstartup(u_long low, u_long high)
{
	if (!keeps_out() && cps_real.__monstartup)
		cps_real.__monstartup(low, high);
}

EXPORT void monstartup(u_long low, u_long high)
{
	if (!keeps_out() && cps_real.monstartup)
		cps_real.monstartup(low, high);
}

EXPORT void _mcleanup(void)
{
	if (!is_kept_out && cps_real._mcleanup)
		cps_real._mcleanup();
}

EXPORT void moncontrol(int mode)
{
	if (!is_kept_out && cps_real.moncontrol)
		cps_real.moncontrol(mode);
}
