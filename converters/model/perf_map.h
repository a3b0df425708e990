/* SPDX-License-Identifier: MIT */
/*
 * perf_map.h - names of generated code by address, from a perf map.
 *
 * In: a text of lines "START SIZE NAME", piece by piece. Out: the name of the line that covers an
 * address. A JIT compiler uses its memory again, so that the last such line counts.
 */
#ifndef PERF_MAP_H
#define PERF_MAP_H

#include <stddef.h>
#include <stdint.h>

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
