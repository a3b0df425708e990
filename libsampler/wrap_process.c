/* SPDX-License-Identifier: MIT */
/*
 * wrap_process.c - the recording ends with a process that does not call exit(3).
 *
 * Room: door. In: _exit. Out: the real one, after the recording has been closed. GNU sort ends
 * so. A child of vfork(2), which shares our memory, goes straight through.
 */
#include <stdlib.h>
#include <unistd.h>

#include "door.h"
#include "sys.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void _exit(int status)
{
	cps_door_close();
	if (cps_real.exit_now)
		cps_real.exit_now(status);
	for (;;)
		CPS_SYS(exit_group, status, 0, 0, 0);
}

EXPORT void _Exit(int status)
{
	_exit(status);
}
