/* SPDX-License-Identifier: MIT */
/*
 * perf_map.h - the names of generated code.
 */
#ifndef MODEL_PERF_MAP_H
#define MODEL_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "read/event.h"

/* ---- perf map file --------------------------------------------------------------------------- */
/*
 * The perf map of a process in /tmp, if it can be trusted.
 */

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

/* ---- perf map -------------------------------------------------------------------------------- */
/*
 * Names of generated code by address, from a perf map.
 *
 * In: a text of lines "START SIZE NAME", piece by piece. Out: the name of the line that covers an
 * address. A JIT compiler uses its memory again, so that the last such line counts.
 */

struct perf_map;

struct perf_map *perf_map_new(void); /* NULL: out of memory */
void perf_map_free(struct perf_map *m);

/* Add the next piece of the text, which may end anywhere. Malformed lines are skipped. So is a last
 * line without line feed, because its name may be cut. -1: memory. */
int perf_map_add(struct perf_map *m, const char *bytes, size_t n);

/* The text is complete. -1: memory. */
int perf_map_finish(struct perf_map *m);

/* The name that covers the address, *n bytes long, or NULL. It is valid as long as m. */
const char *perf_map_find(const struct perf_map *m, uint64_t address, size_t *n);

#endif
