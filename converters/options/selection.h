/* SPDX-License-Identifier: MIT */
/*
 * selection.h - which processes, threads and times the command line asks for.
 *
 * In: --pid, --exe, --resource, --thread, --from, --to. Out: yes or no for a process
 * record, a part of the profile for the builder.
 */
#ifndef SELECTION_H
#define SELECTION_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/patterns.h"
#include "model/profile.h"
#include "model/profile_builder.h"
#include "options/shortlist.h"
#include "read/event.h"

struct selection {
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
	struct shortlist processes, resources; /* that were passed over */
	struct shortlist threads_there;	       /* all of them */
};

/* Begins as all zero. The values of --pid ("1,2,3"), --exe and --thread. -1: not a list, not an
 * expression, memory. */
int selection_add_pids(struct selection *s, const char *list, struct error *err);
int selection_set_exe(struct selection *s, const char *regex, struct error *err);
int selection_add_threads(struct selection *s, const char *value, struct error *err);
void selection_free(struct selection *s);

/* The same choice, for another thread to ask, and to be made there: only of what does not change
 * while s is asked. It is valid as long as s. -1: memory. */
int selection_fork(struct selection *fork, const struct selection *s, struct error *err);
/* What the fork was asked about counts as if s had been asked. */
void selection_join(struct selection *s, const struct selection *fork);
void selection_fork_free(struct selection *fork);

/* Is a choice of processes asked for, or of resources? */
bool selection_is_set(const struct selection *s);

/* 1: take this process, 0: pass its input over, -1: error. */
int selection_process(struct selection *s, const struct event_process *e, struct error *err);

/* All inputs were read: -1, with a list of what there is, if none was taken, or no thread. */
int selection_check(const struct selection *s, struct error *err);

/* The part of these processes that is asked for, of a run that began at run_ns. It is valid as long
 * as s. -1: --to is not after --from, memory. */
int selection_part(struct selection *s, uint64_t run_ns, struct profile_part *part,
		   struct error *err);

/* As far as threads are concerned. */
int selection_check_threads(const struct selection *s, struct error *err);

#endif
