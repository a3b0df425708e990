/* SPDX-License-Identifier: MIT */
/*
 * perf_map.h - names of generated code by address, out of a perf map.
 *
 * In: a text of lines "START SIZE NAME", piece by piece. Out: the name that covers an
 * address. Where several lines do, the last one holds: a JIT uses its memory again.
 */
#ifndef PERF_MAP_H
#define PERF_MAP_H

#include <stddef.h>
#include <stdint.h>

struct perf_map;

struct perf_map *perf_map_new(void); /* NULL: out of memory */
void perf_map_free(struct perf_map *m);

/*
 * The next piece of the text, which may end anywhere. Lines that are not as they should be are
 * passed over, and so is a last one without line feed: its name may be cut. -1: memory.
 */
int perf_map_add(struct perf_map *m, const char *bytes, size_t n);

/* All of the text is there. -1: memory. */
int perf_map_finish(struct perf_map *m);

/* The name, *n bytes of it, or NULL. Valid as long as m. */
const char *perf_map_find(const struct perf_map *m, uint64_t address, size_t *n);

#endif
