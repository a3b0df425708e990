/* SPDX-License-Identifier: MIT */
/*
 * slices.h - when a thread used how much: weights by slices of time.
 *
 * In: weights and the times in which they were used. Out: weights between two times.
 *
 * All slices of a table are equally long, 2^shift nanoseconds, and begin at multiples of that on the
 * real-time clock. So tables of several threads can be added up. If there would be too many slices,
 * they become longer.
 */
#ifndef SLICES_H
#define SLICES_H

#include <stddef.h>
#include <stdint.h>

#define SLICES_MOST 512

/* All zero: no weight. */
struct slices {
	uint64_t first; /* the number of the first slice: its begin >> shift */
	uint64_t *weights;
	uint32_t n, shift;
};

/* Add a weight that was used from one time to another, evenly. If both are the same, at that time.
 * -1: memory. */
int slices_add(struct slices *s, uint64_t from_ns, uint64_t to_ns, uint64_t weight);
/* Add all weights of another table. */
int slices_join(struct slices *s, const struct slices *other);
/* The weight between two times, as if that of each slice had been used evenly. */
double slices_between(const struct slices *s, uint64_t from_ns, uint64_t to_ns);
void slices_clear(struct slices *s);

#endif
