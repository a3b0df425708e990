/* SPDX-License-Identifier: MIT */
/*
 * resource_fpe.c - exceptions of floating-point arithmetic.
 *
 * In: nothing. Out: the line of the table, and how its name is read; fpe.h has the rest.
 */
#include <string.h>

#include "resource/fpe.h"
#include "resource/resource.h"

static const char *const states[] = {"invalid",	  "denormal", "divide", "overflow",
				     "underflow", "inexact",  NULL};

_Static_assert(sizeof(states) / sizeof(states[0]) == CPS_FPE_STATES + 1, "fpe.h has them");

/* "fpe", which needs no name of its own, or "fpe:exact". */
static int read_name(const char *text, const char *end, char name[CPS_RESOURCE_NAME_BYTES])
{
	static const char exact[] = "fpe:exact";
	size_t n = (size_t)(end - text);

	name[0] = '\0';
	if (n == 3)
		return 0;
	if (n != sizeof(exact) - 1 || memcmp(text, exact, n) != 0)
		return -1;
	memcpy(name, exact, sizeof(exact));
	return 0;
}

const struct cps_resource cps_resource_fpe = {
	.name = "fpe",
	.unit = "exceptions",
	.engine = "traps",
	.about = "floating-point exceptions",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 1,
	.states = states,
	.needs_ticks = true,
	.read_name = read_name,
	.probe = cps_fpe_probe,
	.start = cps_fpe_start,
	.stop = cps_fpe_stop,
	.pause = cps_fpe_pause,
	.resume = cps_fpe_resume,
	.arm = cps_fpe_arm,
};
