/* SPDX-License-Identifier: MIT */
/*
 * bytes.c - lets the wrappers of transfers count bytes if that is asked for.
 *
 * In: what is counted. Out: wrappers that count.
 */
#include "door/again.h"
#include "door/bytes.h"
#include "door/kernel_io.h"
#include "door/stdio.h"

atomic_bool cps_bytes_wanted;

static uint64_t waiting; /* bytes in buffers, which exit will write */

void cps_bytes_begin(void)
{
	if (!cps_resource_is_counted(CPS_RESOURCE_OF_bytes_read) &&
	    !cps_resource_is_counted(CPS_RESOURCE_OF_bytes_write))
		return;
	atomic_store(&cps_bytes_wanted, true);
	cps_again_watch_fully();
	cps_stdio_begin();
	cps_kernel_io_begin();
}

void cps_bytes_settle(void)
{
	if (cps_bytes_are_wanted())
		waiting = cps_stdio_settle();
}

void cps_bytes_end(void)
{
	if (cps_bytes_are_wanted())
		cps_kernel_io_end(waiting);
}
