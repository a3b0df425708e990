/* SPDX-License-Identifier: MIT */
/*
 * arc_rows.c - writes functions and arcs with their times as rows for programs.
 *
 * Show room. In: struct call_report. Out: rows.
 */
#include "arc_rows.h"

#include "amount.h"

size_t arc_rows_heavy(const struct call_report *report, double threshold)
{
	size_t n = 0;

	while (n < report->n &&
	       !amount_below(report->functions[n].total, report->tree->total, threshold))
		n++;
	return n;
}

static void write_function(struct rows *r, const struct tree *t, const struct tree_function *f)
{
	static const char *const columns[] = {"row", "name", "self", "child", "total", NULL};

	rows_row(r, columns);
	rows_word(r, "func");
	rows_name(r, t->strings, f->name);
	rows_count(r, f->self);
	rows_count(r, f->total - f->self);
	rows_count(r, f->total);
}

static void write_arc(struct rows *r, const struct tree *t, const struct arc_time *a)
{
	static const char *const columns[] = {"row",	"caller", "callee", "self1",
					      "child1", "self2",  "child2", NULL};

	rows_row(r, columns);
	rows_word(r, "arc");
	rows_name(r, t->strings, a->caller);
	rows_name(r, t->strings, a->callee);
	rows_count(r, a->self1);
	rows_count(r, a->child1);
	rows_count(r, a->self2);
	rows_count(r, a->child2);
}

void arc_rows_write(struct rows *r, const struct view_input *in, const struct call_report *report)
{
	const struct tree *t = report->tree;
	double threshold = view_threshold(in->options, 0);
	size_t i, n = arc_rows_heavy(report, threshold);

	if (in->options->top && in->options->top < n)
		n = (size_t)in->options->top;
	for (i = 0; i < n; i++)
		write_function(r, t, &report->functions[i]);
	for (i = 0; i < report->times->n; i++) {
		const struct arc_time *a = &report->times->arcs[i];

		if (report->number[a->caller] >= n && report->number[a->callee] >= n)
			continue;
		if (!amount_below(a->self1 + a->child1, t->total, threshold) ||
		    !amount_below(a->self2 + a->child2, t->total, threshold))
			write_arc(r, t, a);
	}
}
