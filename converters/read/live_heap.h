/* SPDX-License-Identifier: MIT */
/*
 * live_heap.h - the resource "alloc-live": what was allocated and not freed at a moment.
 *
 * In: a recording whose samples of allocations have numbers. Out: those of blocks that were live.
 */
#ifndef LIVE_HEAP_H
#define LIVE_HEAP_H

#include "read/decode_stream.h"

/* The sink has taken this resource, or none of the stream's resources: then offer it this one, if there is memory with
 * numbers and it has not been offered. If the sink takes it, read the file at `path` twice more, and push all events up to the last
 * one. */
int live_heap_offer(struct decode_stream *s, const char *path);

#endif
