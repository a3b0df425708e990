/* SPDX-License-Identifier: MIT */
/*
 * resource_bytes.c - the bytes that the program reads, and those that it writes.
 *
 * In: nothing. Out: the lines of the table; door/bytes.h has what the wrappers count.
 */
#include "resource/resource.h"
#include "base/poison.h"

const struct cps_resource cps_resource_bytes_read = {
	.name = "read",
	.unit = "bytes",
	.engine = "wrappers",
	.about = "bytes read, also by stdio",
	.kind = CPS_RESOURCE_BYTES,
	.interval = 512 << 10,
};

const struct cps_resource cps_resource_bytes_write = {
	.name = "write",
	.unit = "bytes",
	.engine = "wrappers",
	.about = "bytes written, also by stdio",
	.kind = CPS_RESOURCE_BYTES,
	.interval = 512 << 10,
};
