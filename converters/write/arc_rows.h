/* SPDX-License-Identifier: MIT */
/*
 * arc_rows.h - functions, arcs and cycles with their times, as rows for programs (Spivey 2004).
 *
 * In: struct gprof_report, struct contexts. Out: rows.
 */
#ifndef ARC_ROWS_H
#define ARC_ROWS_H

#include "contexts/arc_times.h"
#include "contexts/contexts.h"
#include "graph/call_counts.h"
#include "graph/function_names.h"
#include "write/rows.h"

/* The functions that are shown: the first `end` of report->functions, and if has_roots is set, only
 * the roots among them. */
struct arc_choice {
	size_t end;
	bool has_roots;
	struct function_names roots;
	size_t n_small, n_beyond; /* numbers of functions left out by --threshold, by --top */
	double threshold;	  /* in percent; it holds for arcs, too */
};

/* Choose the functions within the threshold and --top. If `root` is not NULL, choose instead the
 * functions that it means; then all of their arcs are shown unless --threshold is given. Returns 0
 * or -1 (memory, no such function). Call arc_rows_choice_free only after success. */
int arc_rows_choose(struct arc_choice *c, const struct gprof_report *report,
		    const struct view_options *options, const char *root, double text_threshold,
		    struct error *err);
void arc_rows_choice_free(struct arc_choice *c);

bool arc_rows_is_chosen(const struct arc_choice *c, const struct gprof_report *report,
			size_t function);

/*
 * Write a row for each chosen function, by total descending, then name: "func", name, self, child,
 * total. Then write a row for each arc, by caller, then callee: "arc", caller, callee, self1,
 * child1, self2, child2 (arc_times.h). An arc is left out if neither of its functions is chosen, or
 * if both of its times are below the threshold. With counts a last value is the number of calls, empty if they were not
 * counted; and if all functions are chosen, arcs that were counted and never sampled follow. -1: memory.
 */
int arc_rows_write(struct rows *r, const struct gprof_report *report, const struct arc_choice *c,
		   const struct call_counts *counts, struct error *err);

/* Write a row for each cycle within --threshold and --top, in their order: "cycle", self, contexts, path, total. -1:
 * memory. */
int arc_rows_cycles(struct rows *r, const struct view_options *options, const struct contexts *c,
		    struct error *err);

#endif
