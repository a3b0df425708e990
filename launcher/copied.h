/* SPDX-License-Identifier: MIT */
/*
 * copied.h - copies of a process's memory, made while it is stopped and read when it runs again.
 */
#ifndef LAUNCHER_COPIED_H
#define LAUNCHER_COPIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launcher/target.h"

struct copied_range {
	uint64_t begin;
	size_t n;
	unsigned char *bytes;
};

/* Begins as all zero but for the target. */
struct copied {
	const struct target *target;
	bool is_live;	/* what is read and was not copied yet is copied now */
	uint64_t until; /* a range ends early there, by stop_now() */
	struct copied_range *ranges;
	size_t n_ranges, ranges_room;
	struct copied_range *pages; /* a hash table of single ones, by number; bytes NULL: free */
	size_t n_pages, pages_room;
};

/* Copy a range, as much of it as there is and as there is time for. Returns how many bytes. */
size_t copied_add(struct copied *c, uint64_t begin, size_t n);

/* Read n bytes. False: they are not there, or were not copied. */
bool copied_read(struct copied *c, uint64_t at, void *to, size_t n);

/* Read up to n bytes, as many as there are before the first that is not. */
size_t copied_read_some(struct copied *c, uint64_t at, void *to, size_t n);

void copied_free(struct copied *c);

#endif
