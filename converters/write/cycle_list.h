/* SPDX-License-Identifier: MIT */
/*
 * cycle_list.h - cycles of calls that were really run, one after the other (Spivey 2004).
 *
 * In: struct contexts. Out: rows, or each cycle with its path.
 */
#ifndef CYCLE_LIST_H
#define CYCLE_LIST_H

#include "contexts/contexts.h"
#include "contexts/history.h"
#include "write/rows.h"

/* For people by total, for programs by samples. */
struct cycle_list {
	struct context_cycle *cycles; /* whose total is not below --threshold, */
	size_t n_heavy;
	size_t n; /* and of those the --top first ones, which are listed */
	size_t next;
	struct history_item *items;
	struct history_reader reader;
};

/* `text_default` is the threshold of a text without --threshold. Returns 0 or -1 (memory);
 * cycle_list_close in any case. */
int cycle_list_open(struct cycle_list *l, const struct view_input *in, const struct contexts *c,
		    double text_default, struct error *err);
/* The next cycle; NULL after the last one. It and its path are valid until the one after it.
 * Returns 0 or -1 (memory). */
int cycle_list_next(struct cycle_list *l, const struct context_cycle **cycle, struct history *path,
		    struct error *err);
void cycle_list_close(struct cycle_list *l);

/* samples, contexts, path of each of them; before them the word "cycle" if there are other kinds of
 * rows in the table. Returns 0 or -1 (memory). */
int cycle_list_rows(struct rows *r, const struct view_input *in, const struct contexts *c,
		    bool with_kind, struct error *err);

#endif
