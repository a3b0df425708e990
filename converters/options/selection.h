/* SPDX-License-Identifier: MIT */
/*
 * selection.h - which processes and resources are read, and which are shown.
 */
#ifndef OPTIONS_SELECTION_H
#define OPTIONS_SELECTION_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/patterns.h"
#include "base/stop.h"
#include "model/builder_join.h"
#include "model/profile.h"
#include "read/event.h"

/* ---- shortlist ------------------------------------------------------------------------------- */
/*
 * A list for the end of an error: what there is instead of what was asked for.
 *
 * In: texts. Out: the distinct ones, or the first few of them and how many more there are.
 */

/* All members are zero at first. */
struct shortlist {
	struct strings *seen; /* each text once */
};

#define SHORTLIST_FEW 10u /* of what there may be thousands */
#define SHORTLIST_ALL SIZE_MAX

/* Add a text. If memory is out, the text is left out. */
void shortlist_add(struct shortlist *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void shortlist_clear(struct shortlist *l);

/* The same with "; there are: " before it. */
int shortlist_append(const struct shortlist *l, size_t most, struct error *err);

/* ---- selection ------------------------------------------------------------------------------- */
/*
 * Which processes, threads and times the command line asks for, and which of them the inputs have.
 *
 * In: --pid, --exe, --resource, --state, --thread, --from, --to. Out: yes or no for a process
 * record, a part of the profile for the builder, what has matched.
 */

/* What the command line says. Begins as all zero; reading inputs does not change it. */
struct selection {
	uint64_t *pids;
	size_t n_pids, pids_size;
	regex_t *exe;	      /* NULL: any */
	const char *regex;    /* its text */
	const char *resource; /* NULL: any; with commas: several, side by side */
	const char *states;   /* with commas; NULL: any, and none */
	struct patterns threads;
	const char *at;		 /* the moment of alloc-live; NULL: the end */
	uint64_t from_ns, to_ns; /* since the run began; to_ns 0: to its end */
};

/* What the inputs have of it, for warnings and errors. */
struct selection_match {
	const struct selection *wanted;
	struct patterns threads; /* a copy of the wanted ones, which notes those that were found */
	char *threads_text;	 /* the values of --thread, for people; NULL: there are none */
	size_t n_taken;		 /* processes */
	struct shortlist processes;	/* that were passed over */
	struct shortlist resources;	/* all that were offered */
	struct shortlist threads_there; /* all threads of the processes taken */
};

/* Add the value of --pid ("1,2,3"), --exe or --thread. They return -1 if the value is not a list or
 * not an expression, or if memory is out. */
int selection_add_pids(struct selection *s, const char *list, struct error *err);
int selection_set_exe(struct selection *s, const char *regex, struct error *err);
int selection_add_threads(struct selection *s, const char *value, struct error *err);
void selection_free(struct selection *s);

#define SELECTION_RESOURCES_MAX 64 /* side by side */

/* Check the list of --resource. -1: a name is empty or comes twice, or there are too many. */
int selection_check_resources(const struct selection *s, struct error *err);
/* The resources that --resource names: how many, 0 without that option; and number i of them. */
size_t selection_count_resources(const struct selection *s);
struct event_text selection_resource(const struct selection *s, size_t i);

/* Whether only some processes or resources are wanted. */
bool selection_is_set(const struct selection *s);

/* Begin to compare inputs with the selection, which has to live as long as *m. Each thread that
 * reads inputs has a match of its own. -1: memory; there is nothing to be freed. */
int selection_match_begin(struct selection_match *m, const struct selection *wanted,
			  struct error *err);
/* Add what another match of the same selection has seen. */
void selection_match_join(struct selection_match *m, const struct selection_match *other);
void selection_match_free(struct selection_match *m);

/* Returns 1 if this process is wanted, 0 if its input is to be passed over, -1 on an error. */
int selection_match_process(struct selection_match *m, const struct event_process *e,
			    struct error *err);

/* The threads and times that are wanted, of a run that began at run_ns, for the builder. It is valid
 * as long as *m. -1: --to is not after --from, or memory is out. */
int selection_match_part(struct selection_match *m, uint64_t run_ns, struct profile_part *part,
			 struct error *err);

/* The moment of --at, without run_ns. -1: it is none. */
int selection_at(const struct selection *s, struct event_at *at, struct error *err);

/* To be called when all inputs have been read. Returns -1 if no process or no thread was taken; the
 * error lists what there is. */
int selection_match_check(const struct selection_match *m, struct error *err);

/* Set the error that no input counts a resource. Returns -1. */
int selection_match_no_resource(const struct selection_match *m, struct event_text name,
				struct error *err);

/* selection.c: to be called with all that was read; run_ns as selection_match_part takes it. -1: --state or --at is of
 * none of the resources that are shown, or the run was over before --from. */
int selection_check_shown(const struct selection *s, uint64_t run_ns, struct profile *const *list,
			  size_t n, struct error *err);

#endif
