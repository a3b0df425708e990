/* SPDX-License-Identifier: MIT */
/*
 * moments.h - samples and weights in order of time.
 */
#ifndef MODEL_MOMENTS_H
#define MODEL_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* ---- moments --------------------------------------------------------------------------------- */
/*
 * Each sample with its time and thread, for views that show what happened after what.
 *
 * In: samples. Out: a list of them, in order of arrival.
 *
 * A profile has this only if a view wants it, because it grows with samples, and not with call
 * paths.
 */

/* More samples are not kept, so that memory is bounded: they fill 256 MB. */
#define MOMENTS_MOST (1u << 23)

enum moments_kept {
	MOMENTS_NOT_WANTED,
	MOMENTS_KEPT,
	MOMENTS_UNTIMED, /* an input has no times: there are none of the others either */
	MOMENTS_TOO_MANY,
};

struct moment {
	uint64_t time_ns; /* of the real-time clock, at the end of what the sample stands for */
	uint64_t weight;  /* gticks */
	uint32_t node;	  /* of the profile */
	uint32_t thread;  /* index in moments.threads */
	uint32_t state;	  /* what the thread did, in strings; STRINGS_NONE: not known */
	uint32_t hits;	  /* UINT32_MAX: so many or more */
};

struct moments_thread {
	uint64_t pid, tid;   /* 0: not known */
	uint64_t process_ns; /* when the process began, of the real-time clock */
	uint32_t name;	     /* in strings */
	uint32_t program;    /* in strings: the last part of the executable's path */
};

/* All zero: nothing is kept. */
struct moments {
	enum moments_kept kept;
	struct moment *list;
	struct moments_thread *threads;
	size_t n, n_threads, size, threads_size;
};

/* Add a sample, unless samples are not kept. -1: memory. */
int moments_add(struct moments *m, const struct moment *sample);
/* Add a thread. -1: memory. */
int moments_add_thread(struct moments *m, const struct moments_thread *thread);
/* No samples are kept from now on, for this reason. */
void moments_drop(struct moments *m, enum moments_kept why);
/*
 * Add all samples of another list, whose threads become those from `first_thread` on. nodes[] has the nodes' new
 * numbers, and those with the new number 0 are left out; strings[] has the strings'. NULL: they stay. -1: memory.
 */
int moments_join(struct moments *m, const struct moments *other, size_t first_thread,
		 const uint32_t *nodes, const uint32_t *strings);
/* Add the threads of another list likewise. */
int moments_join_threads(struct moments *m, const struct moments *other, const uint32_t *strings);
void moments_clear(struct moments *m);

/* ---- slices ---------------------------------------------------------------------------------- */
/*
 * When a thread used how much: weights by slices of time.
 *
 * In: weights and the times in which they were used. Out: weights between two times.
 *
 * All slices of a table are equally long, 2^shift nanoseconds, and begin at multiples of that on
 * the real-time clock. So tables of several threads can be added up. If there would be too many
 * slices, they become longer.
 */

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
