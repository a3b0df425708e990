/* SPDX-License-Identifier: MIT */
/*
 * perf_map_file.h - the perf map of a process in /tmp, if it can be trusted.
 */
#ifndef PERF_MAP_FILE_H
#define PERF_MAP_FILE_H

#include <stdint.h>

#include "read/event.h"

/* No program writes a larger map. */
#define PERF_MAP_BYTES_MAX (UINT64_C(1) << 30)

/* What the recording says of the process. */
struct perf_map_process {
	uint64_t pid, start_ns;
	struct event_text host;
	uint64_t owner; /* of the recording: the id of the user */
};

/* Open /tmp/perf-PID.map for reading. It must be of this machine, must belong to the owner of the recording or to
 * us, and must not be older than the process. Returns a descriptor; -1: there is no such file. */
int perf_map_file_open(const struct perf_map_process *p);

#endif
