/* SPDX-License-Identifier: MIT */
/*
 * resource_user.c - the two parts of CPU time: in the program's own code, and in the kernel for it.
 *
 * In: nothing. Out: two lines of the table. The samples are the clock's; the handler tells them apart
 * (cps_atoms_kernel).
 */
#include <errno.h>

#include "base/error_text.h"
#include "resource/resource.h"
#include "base/poison.h"

int cps_resource_probe_clock(char *why, size_t bytes)
{
	const struct cps_meter *m = cps_sample_meter();

	if (!m || m->read)
		return 0;
	cps_error_text_join(why, bytes, "not together with a resource that is not measured in time",
			    NULL);
	return -ENOTSUP;
}

#define PART(a_name, an_about, a_part, the_other)                                                  \
	{                                                                                          \
		.name = a_name, .unit = "ns", .engine = "clock", .about = an_about,                \
		.kind = CPS_RESOURCE_TIME, .part = a_part, .with = &the_other,                     \
		.probe = cps_resource_probe_clock,                                                 \
	}

const struct cps_resource cps_resource_user = PART("user", "CPU time outside of the kernel",
						   CPS_RESOURCE_IN_PROGRAM, cps_resource_system);
const struct cps_resource cps_resource_system =
	PART("system", "CPU time in the kernel", CPS_RESOURCE_IN_KERNEL, cps_resource_user);
