/* SPDX-License-Identifier: MIT */
/*
 * view_callgraph.c - gprof's report, with times that are correct for recursion (Spivey 2004).
 *
 * In: struct tree. Out: the flat profile, then a block for each function with its callers and
 * callees, in a form that programs for gprof's report read (gprof2dot).
 *
 * Such a program takes a line for a call if it has a number below `called` and ends with the number of a block in
 * brackets. It passes over a line that ends with a number in parentheses. From the blocks it keeps the selfs, and what
 * stands below `called` of the callees. With that it divides the total of each function among its callers. It goes
 * round for ever in a cycle that is not marked as one, and ends at a form feed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/graphs.h"
#include "contexts/arc_times.h"
#include "view/compared.h"
#include "view/view.h"
#include "write/arc_rows.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/looks.h"
#include "write/name_text.h"
#include "write/rows.h"
#include "write/table.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5
#define SHARE_WIDTH    8
#define NAME_ROOM      16      /* columns, below which columns of figures are left out */
#define INDENT	       2       /* of the names of callers and callees */
#define BEFORE_SELF    14      /* columns of the index and the percentage */
#define PARTS	       1000000 /* of the total, the least that is told apart below `called` */

/* Functions that call each other. */
struct cycle {
	uint64_t self, total;
};

struct shortlist {
	const struct view_input *in;
	struct gprof_report *report;
	struct out *out;
	struct weight_scale scale;	  /* of all columns but `called` */
	int block_width;		  /* of a column in blocks, which name the unit once */
	struct weight_scale called;	  /* of the column `called` */
	const struct call_counts *counts; /* NULL: calls were not counted */
	struct arc_choice choice;	  /* the functions that have a block */
	struct strong_components of;	  /* the functions, by the calls that blocks show */
	uint32_t *cycle_of;   /* by component: the number of its cycle, from 1 up; 0: it is none */
	struct cycle *cycles; /* by number */
	uint32_t n_cycles;
	/* Whether stacks begin with a function that others call, too. Then <spontaneous> has a block. */
	bool has_starts;
};

static bool has_block(const struct shortlist *l, uint32_t function)
{
	return arc_rows_is_chosen(&l->choice, l->report, function);
}

/* Blocks behind those of functions have the next numbers. */
static size_t number_of_starts(const struct shortlist *l)
{
	return l->report->n + 1;
}

static size_t number_of_cycle(const struct shortlist *l, uint32_t cycle)
{
	return l->report->n + 1 + cycle;
}

static uint32_t cycle_of(const struct shortlist *l, uint32_t function)
{
	return l->cycle_of ? l->cycle_of[l->of.of[function]] : 0;
}

/* Write the function's name, its cycle if that is not 0, and the number of its block: [n], or (n) if the block is not
 * shown. */
static void write_marked(const struct shortlist *l, uint32_t function, uint32_t cycle, int column)
{
	const struct tree_function *f = &l->report->functions[function];
	char mark[64] = "";
	int n = 0;

	if (cycle)
		n = snprintf(mark, sizeof(mark), " <cycle %" PRIu32 ">", cycle);
	snprintf(mark + n, sizeof(mark) - (size_t)n,
		 has_block(l, function) ? " [%" PRIu32 "]" : " (%" PRIu32 ")", function + 1);
	name_text_last(l->out, l->in->tree->strings, f->name, f->is_inline,
		       column + (int)strlen(mark));
	out_format(l->out, "%s\n", mark);
}

static void write_name(const struct shortlist *l, uint32_t function, int column)
{
	write_marked(l, function, cycle_of(l, function), column);
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

enum { SELF_SHARE, CUMULATIVE, SELF, TOTAL, CALLS, COLUMNS };

#define CALLS_WIDTH 12

static void write_number_of_calls(const struct shortlist *l, const struct looks_columns *c,
				  uint32_t name)
{
	if (l->counts && call_counts_knows(l->counts, name))
		looks_format(l->out, c, CALLS, "%" PRIu64, l->counts->calls[name]);
	else if (l->counts)
		looks_cell(l->out, c, CALLS, "");
}

static int write_flat(const struct shortlist *l, struct error *err)
{
	const struct tree_function *f = l->report->functions;
	size_t i, n = l->choice.end;
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	char cumulative[WEIGHT_BYTES], self[WEIGHT_BYTES], total[WEIGHT_BYTES];
	struct looks_columns c = {
		.list = {{"self %", SHARE_WIDTH, 0},
			 {"cumulative", l->scale.width, 3},
			 {"self", l->scale.width, 2},
			 {"total", l->scale.width, 1},
			 {"calls", CALLS_WIDTH, 0}},
		.n = l->counts ? COLUMNS : CALLS,
	};
	uint64_t sum = 0;

	if (!order)
		return error_memory(err);
	for (i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), compare_self, l->report->functions);
	looks_fit(&c, l->out, NAME_ROOM);
	out_text(l->out, "\n");
	looks_headings(l->out, &c);
	out_text(l->out, " function\n");
	caption_rule(l->out);
	for (i = 0; i < n; i++) {
		const struct tree_function *function = &f[order[i]];

		sum += function->self;
		looks_format(l->out, &c, SELF_SHARE, "%.2f",
			     weight_fraction(function->self, l->in->tree->total) * 100);
		looks_cell(l->out, &c, CUMULATIVE, weight_text(cumulative, l->scale, sum));
		looks_cell(l->out, &c, SELF, weight_text(self, l->scale, function->self));
		looks_cell(l->out, &c, TOTAL, weight_text(total, l->scale, function->total));
		write_number_of_calls(l, &c, function->name);
		out_text(l->out, " ");
		write_marked(l, order[i], 0, looks_width(&c) + 1);
	}
	caption_rule(l->out);
	looks_say_left_out(l->out, &c);
	free(order);
	return 0;
}

/* ---- cycles ---------------------------------------------------------------------------------- */
/*
 * Finds the cycles among the calls that a program for gprof's report reads.
 *
 * In: struct gprof_report, the functions that have blocks. Out: cycles, and their selfs and totals.
 */

/* The times that callers or callees account for. */
struct share {
	uint64_t self, child;
};

static bool is_small(const struct shortlist *l, struct share share)
{
	return weight_below(share.self + share.child, l->in->tree->total, l->choice.threshold);
}

/* Whether the call stands in the block of its caller, and its callee has a block. */
static bool is_read(const struct shortlist *l, const struct arc_time *a)
{
	return has_block(l, l->report->number[a->caller]) &&
	       has_block(l, l->report->number[a->callee]) &&
	       !is_small(l, (struct share){a->self1, a->child1});
}

static int find_components(struct shortlist *l, struct error *err)
{
	const struct gprof_report *r = l->report;
	uint32_t *first = calloc(r->n + 1, sizeof(*first));
	uint32_t *target = calloc(r->times->n + 1, sizeof(*target));
	int status = first && target ? 0 : error_memory(err);
	uint32_t n = 0;

	for (size_t i = 0; !status && i < r->n; i++) {
		struct gprof_report_arcs arcs = gprof_report_callees(r, i);

		for (size_t k = 0; k < arcs.n; k++) {
			const struct arc_time *a = &r->times->arcs[arcs.list[k]];

			if (is_read(l, a))
				target[n++] = r->number[a->callee];
		}
		first[i + 1] = n;
	}
	if (!status)
		status = strong_components_find(
			&l->of, &(struct successors){(uint32_t)r->n, first, target}, err);
	free(first);
	free(target);
	return status;
}

/* Number the components of several functions, and add up their selfs. */
static int number_cycles(struct shortlist *l, struct error *err)
{
	const struct gprof_report *r = l->report;

	l->cycle_of = calloc((size_t)l->of.n + 1, sizeof(*l->cycle_of));
	l->cycles = calloc((size_t)l->of.n + 1, sizeof(*l->cycles));
	if (!l->cycle_of || !l->cycles)
		return error_memory(err);
	for (size_t i = 0; i < r->n; i++) {
		uint32_t c = l->of.of[i];

		if (l->of.first[c + 1] - l->of.first[c] < 2)
			continue;
		if (!l->cycle_of[c])
			l->cycle_of[c] = ++l->n_cycles;
		l->cycles[l->cycle_of[c]].self += r->functions[i].self;
		l->cycles[l->cycle_of[c]].total += r->starts[i];
	}
	return 0;
}

/* A stack enters a cycle once: where it begins, or by a call from outside, whether that is shown or not. */
static int find_cycles(struct shortlist *l, struct error *err)
{
	const struct gprof_report *r = l->report;

	if (find_components(l, err) || number_cycles(l, err))
		return -1;
	for (size_t i = 0; i < r->times->n; i++) {
		const struct arc_time *a = &r->times->arcs[i];
		uint32_t callee = r->number[a->callee], cycle = cycle_of(l, callee);

		if (cycle && cycle_of(l, r->number[a->caller]) != cycle)
			l->cycles[cycle].total += r->weights[i];
		if (r->starts[callee] && is_read(l, a))
			l->has_starts = true;
	}
	return 0;
}

/* ---- the blocks ------------------------------------------------------------------------------ */

/* A weight without its unit; a millionth of the total is seen. One without a scale is a whole number, which has a
 * decimal all the same. */
static const char *number_text(const struct shortlist *l, char text[WEIGHT_BYTES], uint64_t weight)
{
	double divisor = l->scale.divisor;

	if (divisor > 1)
		snprintf(text, WEIGHT_BYTES, "%.*f",
			 (double)l->in->tree->total / divisor < 1000 ? 6 : 3,
			 (double)weight / divisor);
	else
		snprintf(text, WEIGHT_BYTES, "%" PRIu64 ".0", weight);
	return text;
}

static void write_share(const struct shortlist *l, struct share share)
{
	char self[WEIGHT_BYTES], child[WEIGHT_BYTES];

	out_format(l->out, "%*s %*s ", l->block_width, number_text(l, self, share.self),
		   l->block_width, number_text(l, child, share.child));
}

/* What a program takes for a number of calls is a whole number, and 0 only if nothing was used. */
static uint64_t called_number(const struct shortlist *l, uint64_t weight)
{
	uint64_t divisor = (uint64_t)l->called.divisor;

	return weight / divisor + (weight % divisor != 0);
}

static void write_called(const struct shortlist *l, uint64_t weight)
{
	out_format(l->out, "%*" PRIu64 "  ", l->called.width, called_number(l, weight));
}

static int name_column(const struct shortlist *l)
{
	return BEFORE_SELF + 2 * l->block_width + l->called.width + 4;
}

/* Write what stands before the name of a caller or callee; `called` may be NULL. */
static void write_call(const struct shortlist *l, struct share share, const uint64_t *called)
{
	out_format(l->out, "%*s", BEFORE_SELF, "");
	write_share(l, share);
	if (called)
		write_called(l, *called);
	else
		out_format(l->out, "%*s", l->called.width + 2, "");
	out_format(l->out, "%*s", INDENT, "");
}

/* The number of a block, and its times. */
static void write_figures(const struct shortlist *l, size_t number, struct share share)
{
	char index[24];

	snprintf(index, sizeof(index), "[%zu]", number);
	out_format(l->out, "%-6s%6.2f  ", index,
		   weight_fraction(share.self + share.child, l->in->tree->total) * 100);
	write_share(l, share);
}

/* Write what stands before the name of a block. */
static void write_index(const struct shortlist *l, size_t number, struct share share,
			const uint64_t *called)
{
	write_figures(l, number, share);
	if (called)
		write_called(l, *called);
	else
		out_format(l->out, "%*s", l->called.width + 2, "");
}

/* Write one line for all n arcs that are below the threshold. */
static void write_small(const struct shortlist *l, size_t n, struct share sum, const char *what)
{
	if (n == 0)
		return;
	write_call(l, sum, NULL);
	out_format(l->out, "%ss below %g %% (%zu)\n", what, l->choice.threshold, n);
}

/* Calls of the function by others: "CALLS/ALL" as gprof has it, or nothing if they were not counted. */
static void write_counted(const struct shortlist *l, uint32_t caller, uint32_t callee,
			  struct share share)
{
	const struct call_counts *c = l->counts;
	char text[64] = "";
	uint64_t calls;

	if (call_counts_find(c, caller, callee, &calls))
		snprintf(text, sizeof(text), "%" PRIu64 "/%" PRIu64, calls,
			 c->calls[callee] - c->own[callee]);
	out_format(l->out, "%*s", BEFORE_SELF, "");
	write_share(l, share);
	out_format(l->out, "%*s  %*s", l->called.width, text, INDENT, "");
}

/* Write the line for stacks that begin with the function, or seem to. <spontaneous> is what gprof
 * calls the caller that is missing. */
static void write_spontaneous(const struct shortlist *l, size_t function, struct share share)
{
	bool is_called = l->report->starts[function] && l->has_starts;

	if (l->counts)
		write_counted(l, STRINGS_NONE, l->report->functions[function].name, share);
	else
		write_call(l, share, is_called ? &l->report->starts[function] : NULL);
	out_format(l->out, is_called ? "<spontaneous> [%zu]\n" : "<spontaneous> (%zu)\n",
		   number_of_starts(l));
}

static void write_arc(const struct shortlist *l, uint32_t arc, struct share share,
		      uint32_t function)
{
	const struct arc_time *a = &l->report->times->arcs[arc];

	if (l->counts) {
		write_counted(l, a->caller, a->callee, share);
		write_name(l, function, name_column(l) + INDENT);
		return;
	}
	write_call(l, share, &l->report->weights[arc]);
	write_name(l, function, name_column(l) + INDENT);
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
		write_spontaneous(l, function, outermost);
	write_small(l, n_small, small, "caller");
	for (i = n_small; i < arcs.n; i++) {
		const struct arc_time *a = &r->times->arcs[arcs.list[i]];

		write_arc(l, arcs.list[i], (struct share){a->self2, a->child2},
			  r->number[a->caller]);
	}
}

/* Whether a name begins like a number of calls, "7 f" or "7+1 f", or is one with more behind it. A program that reads
 * the report would take that for one, unless there is one before the name. */
static bool looks_called(const struct shortlist *l, uint32_t name, bool has_more)
{
	static const char digits[] = "0123456789";
	const char *text = strings_shown(l->in->profile->strings, name, NULL);
	size_t n = strspn(text, digits);

	if (n && text[n] == '+' && text[n + 1])
		n += 1 + strspn(text + n + 1, digits);
	return n && (text[n] == ' ' || (!text[n] && has_more));
}

/* "CALLED+SELF": by others, and by itself. */
static void write_called_self(const struct shortlist *l, size_t function)
{
	const struct tree_function *f = &l->report->functions[function];
	const struct call_counts *c = l->counts;
	char text[64] = "";
	uint64_t own = call_counts_knows(c, f->name) ? c->own[f->name] : 0;

	if (call_counts_knows(c, f->name) && own)
		snprintf(text, sizeof(text), "%" PRIu64 "+%" PRIu64, c->calls[f->name] - own, own);
	else if (call_counts_knows(c, f->name))
		snprintf(text, sizeof(text), "%" PRIu64, c->calls[f->name]);
	write_figures(l, function + 1, (struct share){f->self, f->total - f->self});
	out_format(l->out, "%*s  ", l->called.width, text);
}

static void write_function(const struct shortlist *l, size_t function)
{
	const struct tree_function *f = &l->report->functions[function];
	bool has_more = cycle_of(l, (uint32_t)function) || f->is_inline;

	if (l->counts)
		write_called_self(l, function);
	else
		write_index(l, function + 1, (struct share){f->self, f->total - f->self},
			    looks_called(l, f->name, has_more) ? &f->total : NULL);
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
		write_arc(l, arcs.list[i], share, r->number[a->callee]);
	}
	write_small(l, n_small, small, "callee");
}

static void write_line_before_index(const struct shortlist *l)
{
	out_format(l->out, "%*s<spontaneous>\n", name_column(l) + INDENT, "");
}

/* The functions that others call, too, with the stacks that begin there. */
static void write_starts(const struct shortlist *l)
{
	const struct gprof_report *r = l->report;
	uint64_t sum = 0;

	if (!l->has_starts)
		return;
	for (size_t i = 0; i < l->choice.end; i++)
		sum += has_block(l, (uint32_t)i) ? r->starts[i] : 0;
	caption_rule(l->out);
	write_line_before_index(l);
	write_index(l, number_of_starts(l), (struct share){0, sum}, NULL);
	out_format(l->out, "<spontaneous> [%zu]\n", number_of_starts(l));
	for (size_t i = 0; i < l->choice.end; i++) {
		if (!r->starts[i] || !has_block(l, (uint32_t)i))
			continue;
		write_call(l, (struct share){0, r->starts[i]}, l->counts ? NULL : &r->starts[i]);
		write_name(l, (uint32_t)i, name_column(l) + INDENT);
	}
}

static void write_cycle(const struct shortlist *l, uint32_t cycle)
{
	const struct gprof_report *r = l->report;
	const struct cycle *c = &l->cycles[cycle];

	caption_rule(l->out);
	write_index(l, number_of_cycle(l, cycle), (struct share){c->self, c->total - c->self},
		    NULL);
	out_format(l->out, "<cycle %" PRIu32 " as a whole> [%zu]\n", cycle,
		   number_of_cycle(l, cycle));
	for (uint32_t i = 0; i < r->n; i++) {
		const struct tree_function *f = &r->functions[i];

		if (cycle_of(l, i) != cycle)
			continue;
		write_call(l, (struct share){f->self, f->total - f->self},
			   l->counts ? NULL : &f->total);
		write_name(l, i, name_column(l) + INDENT);
	}
}

/* The unit of numbers in that scale: "ms", "faults". */
static const char *unit_of(const struct shortlist *l, struct weight_scale scale)
{
	const struct profile *p = l->in->profile;

	if (scale.suffix[0])
		return scale.suffix + 1;
	if (l->in->tree->unit == TREE_HITS || p->unit == STRINGS_NONE)
		return "samples";
	return strings_get(p->strings, p->unit, NULL);
}

#define ABOUT_BLOCKS                                                                               \
	"\nA block for each function. Above its line stand its callers, with what is due to\n"     \
	"their calls of its self and children; below, its callees, with what they add to\n"        \
	"its children. If it is called again while it is active, only its latest call\n"           \
	"counts: a call may have one time here and another in the other function's block.\n"

static void write_head(const struct shortlist *l)
{
	caption_text(
		l->out,
		l->counts ? ABOUT_BLOCKS
			"Below called stands how often that caller has called the function, of\n"
			"all calls by others; in its own line those by others, + those by itself.\n"
			"Nothing stands there if they were not counted.\n"
			  : ABOUT_BLOCKS "Samples count no calls. Below called stands, for "
					 "programs that read gprof's\n"
					 "report, the weight of the samples with the call.\n");
	caption_calls(l->out, l->in);
	if (l->counts)
		out_format(l->out, "Units: %s.\n", unit_of(l, l->scale));
	else
		out_format(l->out, "Units: %s below called, else %s.\n", unit_of(l, l->called),
			   unit_of(l, l->scale));
	/* A rule would end a block. */
	out_format(l->out, "\nindex %% time  %*s %*s %*s  name\n\n", l->block_width, "self",
		   l->block_width, "children", l->called.width, "called");
}

static void write_blocks(const struct shortlist *l)
{
	size_t i, n = 0;

	write_head(l);
	for (i = 0; i < l->choice.end; i++) {
		if (!has_block(l, (uint32_t)i))
			continue;
		if (n++ > 0)
			caption_rule(l->out);
		write_callers(l, i);
		write_function(l, i);
		write_callees(l, i);
	}
	write_starts(l);
	for (uint32_t cycle = 1; cycle <= l->n_cycles; cycle++)
		write_cycle(l, cycle);
}

/* Of "CALLS/ALL" and "CALLED+SELF". */
static int called_width(const struct call_counts *c)
{
	uint64_t most = 0;
	int width;

	for (size_t i = 0; i < c->n_names; i++)
		most = c->calls[i] > most ? c->calls[i] : most;
	width = 2 * snprintf(NULL, 0, "%" PRIu64, most) + 1;
	return width > 8 ? width : 8;
}

/* Columns as wide as the largest number, and not narrower than their headings. */
static void choose_scales(struct shortlist *l)
{
	const struct profile *p = l->in->profile;
	const struct tree *t = l->in->tree;
	char text[WEIGHT_BYTES];
	int width;

	l->scale = weight_scale(p, t->unit, t->total);
	width = (int)strlen(number_text(l, text, t->total));
	l->block_width = width > 8 ? width : 8;
	l->called = weight_scale(p, t->unit, t->total / PARTS);
	width = snprintf(text, sizeof(text), "%" PRIu64, called_number(l, t->total));
	l->called.width = width > 6 ? width : 6;
	if (l->counts)
		l->called.width = called_width(l->counts);
}

/* With --root, only the blocks of the root functions are written, and no flat profile. */
static int write_report(struct shortlist *l, struct error *err)
{
	struct footer footer = {
		.what = "function",
		.small = l->choice.n_small,
		.beyond = l->choice.n_beyond,
	};

	if (gprof_report_weigh(l->report, err) || find_cycles(l, err))
		return -1;
	choose_scales(l);
	caption_write(l->out, "Call Graph Profile", l->in);
	if (!l->in->options->root && write_flat(l, err))
		return -1;
	write_blocks(l);
	footer_write(l->out, &footer, l->in->options, l->choice.threshold);
	if (!out_width(l->out))
		out_text(l->out, "\f\n");
	return 0;
}

static int write_rows(const struct shortlist *l, struct error *err)
{
	struct rows r;
	int status;

	rows_begin(&r, l->out, "callgraph", l->in);
	status = arc_rows_write(&r, l->report, &l->choice, l->counts, err);
	rows_end(&r);
	return status;
}

static int show(struct shortlist *l, struct error *err)
{
	const struct view_input *in = l->in;
	int status = 0;

	if (arc_rows_choose(&l->choice, l->report, in->options, in->options->root, TEXT_THRESHOLD,
			    err))
		return -1;
	if (view_input_is_rows(in->options))
		status = write_rows(l, err);
	else
		status = write_report(l, err);
	arc_rows_choice_free(&l->choice);
	strong_components_free(&l->of);
	free(l->cycle_of);
	free(l->cycles);
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct gprof_report report;
	struct shortlist l = {.in = in, .report = &report, .out = o};
	struct call_counts counts = {0};
	int status;

	if (table_shape(in) != TABLE_ONE)
		return blocks_callgraph(in, o, err);
	status = gprof_report_open(&report, in->tree, err);
	if (!status && in->calls) {
		status = call_counts_build(&counts, in->calls, err);
		l.counts = &counts;
	}
	if (!status)
		status = show(&l, err);
	gprof_report_close(&report);
	call_counts_free(&counts);
	return status;
}

const struct view view_callgraph = {
	.name = "callgraph",
	.help = "gprof's report: flat profile, callers and callees",
	.needs = VIEW_NEEDS_TREE,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "threshold", "calls-from"),
	.commands = {{.argument = VIEW_ARGUMENT_FUNCTION,
		      .help = "gprof's report, or the block of one function"}},
	.emit = emit,
};
