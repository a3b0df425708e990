/* SPDX-License-Identifier: MIT */
/*
 * tracks.h - the samples of a profile, thread by thread and in order of time, for tools that show them so.
 *
 * In: a profile. Out: tracks.
 *
 * If stacks are grouped, each group is a track; else each thread is, if samples have times; else there is one track. Of
 * several resources each has its own tracks.
 */
#ifndef TRACKS_H
#define TRACKS_H

#include <stdbool.h>

#include "base/error.h"
#include "model/profile.h"

struct track_sample {
	uint64_t time_ns; /* of the real-time clock; 0 without times */
	uint64_t weight;
	uint32_t node;
	uint32_t state; /* as in struct moment */
};

struct track {
	char *name;	 /* of the group, or "worker-1 (tid 1235)", or of the resource */
	uint32_t column; /* 0 unless there are several resources */
	/* The first of its threads; NULL without times. */
	const struct moments_thread *thread;
	size_t first, n; /* in tracks.samples */
	uint64_t weight; /* of all its samples */
};

struct tracks {
	struct track
		*list; /* n of them, at least one; with the resources in order, and then threads */
	struct track_sample *samples;
	size_t n, n_samples;
	size_t heaviest; /* index of a track: of the first resource, the one that weighs most */
	bool has_times;
	bool has_same_pids; /* of several processes, as those of several containers may have; all tracks have threads */
};

/* Fills *t; tracks_free frees it, also after an error. -1: memory, or more samples than are kept. */
int tracks_find(struct tracks *t, const struct profile *p, struct error *err);
void tracks_free(struct tracks *t);

#endif
