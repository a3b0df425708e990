/* SPDX-License-Identifier: MIT */
/*
 * view_callgraph.c - gprof's report, with times that are correct for recursion (Spivey 2004).
 *
 * In: struct tree. Out: the flat profile, then a block for each function with its callers and
 * callees.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contexts/arc_times.h"
#include "view/compared.h"
#include "view/view.h"
#include "write/arc_rows.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/name_text.h"
#include "write/rows.h"
#include "write/table.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5
#define INDENT	       4 /* of the names of callers and callees */

struct shortlist {
	const struct view_input *in;
	const struct gprof_report *report;
	struct out *out;
	struct weight_scale scale;
	struct arc_choice choice; /* the functions that have a block */
};

/* The column where the name of a block's function begins. */
static int name_column(const struct shortlist *l)
{
	return 18 + 2 * l->scale.width + 5; /* 18: the index and the percentage */
}

/* Write the function's name and the number of its block: [n], or (n) if the block is not shown. */
static void write_name(const struct shortlist *l, uint32_t function, int column)
{
	const struct tree_function *f = &l->report->functions[function];
	bool has_block = arc_rows_is_chosen(&l->choice, l->report, function);
	char number[16];

	snprintf(number, sizeof(number), has_block ? " [%" PRIu32 "]" : " (%" PRIu32 ")",
		 function + 1);
	name_text_last(l->out, l->in->tree->strings, f->name, f->is_inline,
		       column + (int)strlen(number));
	out_format(l->out, "%s\n", number);
}

/* ---- the flat profile ------------------------------------------------------------------------ */

static int compare_self(const void *a, const void *b, void *functions)
{
	const struct tree_function *f = functions;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (f[i].self != f[k].self)
		return f[i].self < f[k].self ? 1 : -1;
	return (i > k) - (i < k);
}

static int write_flat(const struct shortlist *l, struct error *err)
{
	const struct tree_function *f = l->report->functions;
	size_t i, n = l->choice.end;
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	char cumulative[WEIGHT_BYTES], self[WEIGHT_BYTES], total[WEIGHT_BYTES];
	int width = l->scale.width;
	uint64_t sum = 0;

	if (!order)
		return error_memory(err);
	for (i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), compare_self, l->report->functions);
	out_format(l->out, "\n  self %% %*s %*s %*s  function\n", width, "cumulative", width,
		   "self", width, "total");
	caption_rule(l->out);
	for (i = 0; i < n; i++) {
		const struct tree_function *function = &f[order[i]];

		sum += function->self;
		out_format(l->out, "%8.2f %*s %*s %*s  ",
			   weight_fraction(function->self, l->in->tree->total) * 100, width,
			   weight_text(cumulative, l->scale, sum), width,
			   weight_text(self, l->scale, function->self), width,
			   weight_text(total, l->scale, function->total));
		write_name(l, order[i], 3 * width + 13);
	}
	caption_rule(l->out);
	free(order);
	return 0;
}

/* ---- the blocks ------------------------------------------------------------------------------ */

/* Write the times that callers or callees account for. */
struct share {
	uint64_t self, child;
};

static void write_share(const struct shortlist *l, struct share share)
{
	char self[WEIGHT_BYTES], child[WEIGHT_BYTES];

	out_format(l->out, "%18s%*s %*s  %*s", "", l->scale.width,
		   weight_text(self, l->scale, share.self), l->scale.width,
		   weight_text(child, l->scale, share.child), INDENT, "");
}

static bool is_small(const struct shortlist *l, struct share share)
{
	return weight_below(share.self + share.child, l->in->tree->total, l->choice.threshold);
}

/* Write one line for all n arcs that are below the threshold. */
static void write_small(const struct shortlist *l, size_t n, struct share sum, const char *what)
{
	if (n == 0)
		return;
	write_share(l, sum);
	out_format(l->out, "%zu %s%s below %g %%\n", n, what, n == 1 ? "" : "s",
		   l->choice.threshold);
}

/* Write the line for stacks that begin with the function, or seem to. <spontaneous> is what gprof
 * calls the caller that is missing. */
static void write_spontaneous(const struct shortlist *l, struct share share)
{
	write_share(l, share);
	out_text(l->out, "<spontaneous>\n");
}

/* The caller that accounts for most is written last, next to the function's own line. */
static void write_callers(const struct shortlist *l, size_t function)
{
	const struct gprof_report *r = l->report;
	const struct tree_function *f = &r->functions[function];
	struct gprof_report_arcs arcs = gprof_report_callers(r, function);
	struct share outermost = {f->self, f->total - f->self}, small = {0};
	size_t i, n_small = 0;

	for (i = 0; i < arcs.n; i++) {
		const struct arc_time *a = &r->times->arcs[arcs.list[i]];
		struct share share = {a->self2, a->child2};

		outermost.self -= share.self;
		outermost.child -= share.child;
		if (!is_small(l, share))
			continue;
		n_small++;
		small.self += share.self;
		small.child += share.child;
	}
	if (outermost.self || outermost.child || arcs.n == 0)
		write_spontaneous(l, outermost);
	write_small(l, n_small, small, "caller");
	for (i = n_small; i < arcs.n; i++) {
		const struct arc_time *a = &r->times->arcs[arcs.list[i]];

		write_share(l, (struct share){a->self2, a->child2});
		write_name(l, r->number[a->caller], name_column(l) + INDENT);
	}
}

static void write_function(const struct shortlist *l, size_t function)
{
	const struct tree_function *f = &l->report->functions[function];
	char index[24], self[WEIGHT_BYTES], child[WEIGHT_BYTES];

	snprintf(index, sizeof(index), "[%zu]", function + 1);
	out_format(l->out, "%-8s%8.2f  %*s %*s  ", index,
		   weight_fraction(f->total, l->in->tree->total) * 100, l->scale.width,
		   weight_text(self, l->scale, f->self), l->scale.width,
		   weight_text(child, l->scale, f->total - f->self));
	write_name(l, (uint32_t)function, name_column(l));
}

static void write_callees(const struct shortlist *l, size_t function)
{
	const struct gprof_report *r = l->report;
	struct gprof_report_arcs arcs = gprof_report_callees(r, function);
	struct share small = {0};
	size_t i, n_small = 0;

	for (i = 0; i < arcs.n; i++) {
		const struct arc_time *a = &r->times->arcs[arcs.list[i]];
		struct share share = {a->self1, a->child1};

		if (is_small(l, share)) {
			n_small++;
			small.self += share.self;
			small.child += share.child;
			continue;
		}
		write_share(l, share);
		write_name(l, r->number[a->callee], name_column(l) + INDENT);
	}
	write_small(l, n_small, small, "callee");
}

static void write_blocks(const struct shortlist *l)
{
	size_t i, n = 0;

	out_format(
		l->out,
		"\nA block for each function. Above its line stand its callers, with what is due "
		"to\n"
		"their calls of its self and children; below, its callees, with what they add to\n"
		"its children. If it is called again while it is active, only its latest call\n"
		"counts: a call may have one time here and another in the other function's block.\n"
		"Samples count no calls: there is no column for them.\n"
		"\nindex    total %%  %*s %*s  function\n",
		l->scale.width, "self", l->scale.width, "children");
	caption_rule(l->out);
	for (i = 0; i < l->choice.end; i++) {
		if (!arc_rows_is_chosen(&l->choice, l->report, i))
			continue;
		if (n++ > 0)
			caption_rule(l->out);
		write_callers(l, i);
		write_function(l, i);
		write_callees(l, i);
	}
}

/* With --root, only the blocks of the root functions are written, and no flat profile. */
static int write_report(struct shortlist *l, struct error *err)
{
	struct footer footer = {
		.what = "function",
		.small = l->choice.n_small,
		.beyond = l->choice.n_beyond,
	};

	caption_write(l->out, "Call Graph Profile", l->in);
	if (!l->in->options->root && write_flat(l, err))
		return -1;
	write_blocks(l);
	footer_write(l->out, &footer, l->in->options, l->choice.threshold);
	return 0;
}

static void write_rows(const struct shortlist *l)
{
	struct rows r;

	rows_begin(&r, l->out, "callgraph", l->in);
	arc_rows_write(&r, l->report, &l->choice);
	rows_end(&r);
}

static int show(struct shortlist *l, struct error *err)
{
	const struct view_input *in = l->in;
	int status = 0;

	if (arc_rows_choose(&l->choice, l->report, in->options, in->options->root, TEXT_THRESHOLD,
			    err))
		return -1;
	if (view_input_is_rows(in->options))
		write_rows(l);
	else
		status = write_report(l, err);
	arc_rows_choice_free(&l->choice);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct gprof_report report;
	struct shortlist l = {.in = in, .report = &report, .out = o};
	int status;

	if (table_shape(in) != TABLE_ONE)
		return blocks_callgraph(in, o, err);
	l.scale = weight_scale(in->profile, in->tree->unit, in->tree->total);
	status = gprof_report_open(&report, in->tree, err);
	if (!status)
		status = show(&l, err);
	gprof_report_close(&report);
	return status;
}

const struct view view_callgraph = {
	.name = "callgraph",
	.help = "gprof's report: flat profile, callers and callees",
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "threshold"),
	.commands = {{.argument = VIEW_ARGUMENT_FUNCTION,
		      .help = "gprof's report, or the block of one function"}},
	.emit = emit,
};
