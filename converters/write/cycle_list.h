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

/* The cycles are sorted by total for people, and by samples for programs. */
struct cycle_list {
	struct context_cycle *cycles; /* those whose total is not below --threshold */
	size_t n_heavy;
	size_t n; /* how many of them, from the first, are listed: at most --top */
	size_t next;
	struct history_item *items;
	struct history_reader reader;
};

/* `text_default` is the threshold of a text if there is no --threshold. Returns 0, or -1 if memory is
 * out. Call cycle_list_close in any case. */
int cycle_list_open(struct cycle_list *l, const struct view_input *in, const struct contexts *c,
		    double text_default, struct error *err);
/* Get the next cycle, or NULL after the last one. The cycle and its path are valid until the next
 * call. Returns 0, or -1 if memory is out. */
int cycle_list_next(struct cycle_list *l, const struct context_cycle **cycle, struct history *path,
		    struct error *err);
void cycle_list_close(struct cycle_list *l);

/* Write a row for each cycle: its samples, contexts and path, after the word "cycle" if the table has
 * other kinds of rows, too. Returns 0, or -1 if memory is out. */
int cycle_list_rows(struct rows *r, const struct view_input *in, const struct contexts *c,
		    bool with_kind, struct error *err);

#endif
