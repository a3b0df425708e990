/* SPDX-License-Identifier: MIT */
/*
 * tracks.h - samples by thread and time, and their marks.
 */
#ifndef EXPORT_TRACKS_H
#define EXPORT_TRACKS_H

#include <stdbool.h>

#include "base/stop.h"
#include "model/profile.h"

/* ---- stack groups ---------------------------------------------------------------------------- */
/*
 * The process, thread and rank that a group of stacks is of.
 */

struct stack_group {
	const struct profile_process *process; /* NULL: of several */
	const struct profile_thread *thread;   /* likewise */
	bool has_rank;			       /* all of it has this one */
	uint64_t rank;
	const char *run; /* what all of a process tree have; NULL: not known, or of several */
	uint32_t host;	 /* a string; STRINGS_NONE: likewise */
};

struct stack_groups;

struct stack_groups *stack_groups_new(const struct profile *p); /* NULL: out of memory */
void stack_groups_free(struct stack_groups *g);

/* The group of that name, in strings; STRINGS_NONE: all stacks. */
struct stack_group stack_groups_find(const struct stack_groups *g, uint32_t name);

/* ---- tracks ---------------------------------------------------------------------------------- */
/*
 * The samples of a profile, thread by thread and in order of time, for tools that show them so.
 *
 * In: a profile. Out: tracks.
 *
 * If stacks are grouped, each group is a track; else each thread is, if samples have times; else
 * there is one track. Of several resources each has its own tracks.
 */

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

/* ---- track marks ----------------------------------------------------------------------------- */
/*
 * The moments that programs gave names to, track by track.
 *
 * In: a profile, its tracks. Out: struct track_marks.
 */

struct track_mark {
	size_t track;  /* its number */
	uint64_t ns;   /* since begin_ns */
	uint32_t name; /* in profile.strings */
	size_t place;  /* in order of arrival */
};

struct track_marks {
	struct track_mark *list; /* by track, and then as the profile has them */
	size_t n;
};

/* Find the marks in the time that is selected. A mark is in the track of its thread, or if that has none, in the first one
 * of its process. Marks of others, and all marks if stacks are grouped, are left out. -1: out of memory. To be freed in any
 * case. */
int track_marks_find(struct track_marks *m, const struct profile *p, const struct tracks *tracks,
		     uint64_t begin_ns, struct error *err);
void track_marks_free(struct track_marks *m);

#endif
