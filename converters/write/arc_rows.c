/* SPDX-License-Identifier: MIT */
/*
 * arc_rows.c - writes functions, arcs and cycles with their times as rows for programs.
 *
 * In: struct gprof_report, struct contexts. Out: rows.
 */
#include "write/arc_rows.h"

#include <stdlib.h>

#include "contexts/history.h"
#include "write/weight.h"

int arc_rows_choose(struct arc_choice *c, const struct gprof_report *report,
		    const struct view_options *options, const char *root, double text_threshold,
		    struct error *err)
{
	size_t heavy = 0;

	*c = (struct arc_choice){.threshold =
					 view_input_threshold(options, root ? 0 : text_threshold)};
	if (root) {
		c->has_roots = true;
		c->end = report->n;
		return function_names_of_tree(&c->roots, report->tree, root, err);
	}
	while (heavy < report->n &&
	       !weight_below(report->functions[heavy].total, report->tree->total, c->threshold))
		heavy++;
	c->end = options->top && options->top < heavy ? (size_t)options->top : heavy;
	c->n_small = report->n - heavy;
	c->n_beyond = heavy - c->end;
	return 0;
}

bool arc_rows_is_chosen(const struct arc_choice *c, const struct gprof_report *report,
			size_t function)
{
	return function < c->end &&
	       (!c->has_roots || function_names_has(&c->roots, report->functions[function].name));
}

void arc_rows_choice_free(struct arc_choice *c)
{
	if (c->has_roots)
		function_names_free(&c->roots);
}

static void write_calls(struct rows *r, bool is_known, uint64_t calls)
{
	if (is_known)
		rows_count(r, calls);
	else
		rows_empty(r);
}

static void write_function(struct rows *r, const struct tree *t, const struct tree_function *f,
			   const struct call_counts *counts)
{
	static const char *const columns[] = {"row", "name", "self", "child", "total", NULL};
	static const char *const with_calls[] = {"row",	  "name",  "self", "child",
						 "total", "calls", NULL};

	rows_row(r, counts ? with_calls : columns);
	rows_word(r, "func");
	rows_name(r, t->strings, f->name);
	rows_count(r, f->self);
	rows_count(r, f->total - f->self);
	rows_count(r, f->total);
	if (counts)
		write_calls(r, call_counts_knows(counts, f->name),
			    f->name < counts->n_names ? counts->calls[f->name] : 0);
}

static void write_arc(struct rows *r, const struct tree *t, const struct arc_time *a,
		      const struct call_counts *counts)
{
	static const char *const columns[] = {"row",	"caller", "callee", "self1",
					      "child1", "self2",  "child2", NULL};
	static const char *const with_calls[] = {"row",	  "caller", "callee", "self1", "child1",
						 "self2", "child2", "calls",  NULL};
	uint64_t calls;
	bool is_known;

	rows_row(r, counts ? with_calls : columns);
	rows_word(r, "arc");
	rows_name(r, t->strings, a->caller);
	rows_name(r, t->strings, a->callee);
	rows_count(r, a->self1);
	rows_count(r, a->child1);
	rows_count(r, a->self2);
	rows_count(r, a->child2);
	if (!counts)
		return;
	is_known = call_counts_find(counts, a->caller, a->callee, &calls);
	write_calls(r, is_known, calls);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct call_count *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Calls that no sample has met, and those of functions by themselves, which have no time of their own. -1: memory. */
static int write_unsampled(struct rows *r, const struct gprof_report *report,
			   const struct call_counts *counts)
{
	size_t n = report->times->n;
	struct call_count *met = malloc((n + 1) * sizeof(*met));

	if (!met)
		return -1;
	for (size_t i = 0; i < n; i++)
		met[i] = (struct call_count){report->times->arcs[i].caller,
					     report->times->arcs[i].callee, 0};
	if (n)
		qsort(met, n, sizeof(*met), compare_pairs);
	for (size_t i = 0; i < counts->n_arcs; i++) {
		const struct call_count *a = &counts->arcs[i];
		const struct arc_time none = {.caller = a->caller, .callee = a->callee};

		if (a->caller != STRINGS_NONE &&
		    !(n && bsearch(a, met, n, sizeof(*met), compare_pairs)))
			write_arc(r, report->tree, &none, counts);
	}
	free(met);
	return 0;
}

int arc_rows_write(struct rows *r, const struct gprof_report *report, const struct arc_choice *c,
		   const struct call_counts *counts, struct error *err)
{
	const struct tree *t = report->tree;
	size_t i;

	for (i = 0; i < c->end; i++)
		if (arc_rows_is_chosen(c, report, i))
			write_function(r, t, &report->functions[i], counts);
	for (i = 0; i < report->times->n; i++) {
		const struct arc_time *a = &report->times->arcs[i];

		if (!arc_rows_is_chosen(c, report, report->number[a->caller]) &&
		    !arc_rows_is_chosen(c, report, report->number[a->callee]))
			continue;
		if (!weight_below(a->self1 + a->child1, t->total, c->threshold) ||
		    !weight_below(a->self2 + a->child2, t->total, c->threshold))
			write_arc(r, t, a, counts);
	}
	if (!counts || c->has_roots || c->end < report->n)
		return 0;
	return write_unsampled(r, report, counts) ? error_memory(err) : 0;
}

static int write_cycles(struct rows *r, const struct contexts *c, const uint32_t *list,
			const struct history_item *items, size_t n, struct error *err)
{
	static const char *const columns[] = {"row", "self", "contexts", "path", "total", NULL};
	struct history_reader reader;
	struct history path;
	int status = history_open(&reader, c->tree, items, n, err);

	for (size_t i = 0; !status && i < n; i++) {
		const struct context_cycle *cycle = &c->cycles[list[i]];

		if (history_next(&reader, &path, err) <= 0) {
			status = -1;
			break;
		}
		rows_row(r, columns);
		rows_word(r, "cycle");
		rows_count(r, cycle->samples);
		rows_count(r, cycle->contexts);
		rows_path_begin(r);
		for (uint32_t k = 0; k < path.length; k++)
			rows_path_name(r, c->tree->strings, path.entries[k].name);
		rows_path_end(r);
		rows_json_count(r, cycle->total);
	}
	history_close(&reader);
	return status;
}

int arc_rows_cycles(struct rows *r, const struct view_options *options, const struct contexts *c,
		    struct error *err)
{
	double threshold = view_input_threshold(options, 0);
	uint32_t *list = calloc(c->n_cycles + 1, sizeof(*list));
	struct history_item *items = calloc(c->n_cycles + 1, sizeof(*items));
	size_t n = 0;
	int status;

	for (size_t i = 0; list && items && i < c->n_cycles; i++) {
		const struct context_cycle *cycle = &c->cycles[i];

		if ((options->top && n == options->top) ||
		    weight_below(cycle->total, c->tree->total, threshold))
			continue;
		items[n] = (struct history_item){cycle->node, cycle->length};
		list[n++] = (uint32_t)i;
	}
	status = list && items ? write_cycles(r, c, list, items, n, err) : error_memory(err);
	free(list);
	free(items);
	return status;
}
