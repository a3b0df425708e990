/* SPDX-License-Identifier: MIT */
/*
 * select.h - which processes the command line asks for.
 *
 * Main room. In: --pid, --exe. Out: yes or no for a process record.
 */
#ifndef SELECT_H
#define SELECT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "event.h"

struct select {
	uint64_t *pids;
	size_t n_pids, pids_size;
	regex_t *exe;	   /* NULL: any */
	const char *regex; /* its text */
	/* What has been asked about: */
	size_t n_taken, n_passed;
	struct error passed; /* the first ones that were passed over, as a list */
};

/* Begins as all zero. The values of --pid ("1,2,3") and --exe. -1: not a list, not an expression. */
int select_add_pids(struct select *s, const char *list, struct error *err);
int select_set_exe(struct select *s, const char *regex, struct error *err);
void select_free(struct select *s);

/* Is anything asked for? */
bool select_is_set(const struct select *s);

/* A profile_filter; the context is a struct select. */
int select_process(void *context, const struct event_process *e, struct error *err);

/* All inputs were asked about: -1, with a list of what there is, if none was taken. */
int select_check(const struct select *s, struct error *err);

#endif
