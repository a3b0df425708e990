/* SPDX-License-Identifier: MIT */
/*
 * select.h - which processes, threads and times the command line asks for.
 *
 * Main room. In: --pid, --exe, --resource, --thread, --from, --to. Out: yes or no for a process
 * record, a part of the profile for the builder.
 */
#ifndef SELECT_H
#define SELECT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "read/event.h"
#include "options/shortlist.h"
#include "base/patterns.h"
#include "model/profile.h"
#include "model/profile_builder.h"

struct select {
	uint64_t *pids;
	size_t n_pids, pids_size;
	regex_t *exe;	      /* NULL: any */
	const char *regex;    /* its text */
	const char *resource; /* NULL: any */
	struct patterns threads;
	char *threads_text;	 /* all values */
	uint64_t from_ns, to_ns; /* since the run began; to_ns 0: to its end */
	/* What has been asked about: */
	size_t n_taken;
	struct listing processes, resources; /* that were passed over */
	struct listing threads_there;	     /* all of them */
};

/* Begins as all zero. The values of --pid ("1,2,3"), --exe and --thread. -1: not a list, not an
 * expression, memory. */
int select_add_pids(struct select *s, const char *list, struct error *err);
int select_set_exe(struct select *s, const char *regex, struct error *err);
int select_add_threads(struct select *s, const char *value, struct error *err);
void select_free(struct select *s);

/* The same choice, for another thread to ask, and to be made there: only of what does not change
 * while s is asked. It is valid as long as s. -1: memory. */
int select_fork(struct select *fork, const struct select *s, struct error *err);
/* What the fork was asked about counts as if s had been asked. */
void select_join(struct select *s, const struct select *fork);
void select_fork_free(struct select *fork);

/* Is a choice of processes asked for, or of resources? */
bool select_is_set(const struct select *s);

/* 1: take this process, 0: pass its input over, -1: error. */
int select_process(struct select *s, const struct event_process *e, struct error *err);

/* All inputs were read: -1, with a list of what there is, if none was taken, or no thread. */
int select_check(const struct select *s, struct error *err);

/* The part of these processes that is asked for, of a run that began at run_ns. It is valid as long
 * as s. -1: --to is not after --from, memory. */
int select_part(struct select *s, uint64_t run_ns, struct profile_part *part, struct error *err);

/* As far as threads are concerned. */
int select_check_threads(const struct select *s, struct error *err);

#endif
