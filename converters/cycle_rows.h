/* SPDX-License-Identifier: MIT */
/*
 * cycle_rows.h - cycles of calls that were really run, as rows for programs (Spivey 2004).
 *
 * Show room. In: struct contexts. Out: rows.
 */
#ifndef CYCLE_ROWS_H
#define CYCLE_ROWS_H

#include "contexts.h"
#include "history.h"
#include "rows.h"

/* The first cycles: those that --threshold and --top leave. `text_default` is the threshold of a
 * text without --threshold. */
size_t cycle_rows_shown(const struct view_input *in, const struct contexts *c, double text_default);

/* samples, contexts, path of each of these cycles; before them the word "cycle" if there are other
 * kinds of rows in the table. */
void cycle_rows_write(struct rows *r, const struct view_input *in, const struct contexts *c,
		      struct history *history, bool with_kind);

#endif
