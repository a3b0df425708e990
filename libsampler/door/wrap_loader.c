/* SPDX-License-Identifier: MIT */
/*
 * wrap_loader.c - notices when a library is unloaded.
 *
 * In: dlclose. Out: an up to date table of modules. dlopen is not wrapped: the real one looks at
 * its return address to find the caller's RUNPATH, and new libraries are noticed without it
 * (unwind/module.h, doc/decisions/0022).
 */
#include <dlfcn.h>
#include <errno.h>

#include "door/calls.h"
#include "door/door.h"
#include "door/life.h"
#include "unwind/module.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int dlclose(void *handle)
{
	int result, error;

	cps_door_open();
	if (!cps_door_real.dlclose)
		return -1;
	if (!cps_life_clock())
		return cps_door_real.dlclose(handle);
	result = cps_door_real.dlclose(handle);
	error = errno;
	cps_module_closed();
	cps_calls_closed();
	errno = error;
	return result;
}
