/* SPDX-License-Identifier: MIT */
/*
 * compared_table.c - writes tables of what two programs have used.
 *
 * In: rows of a comparison. Out: text, or rows for programs.
 */
#include "write/compared_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "write/caption.h"
#include "write/weight.h"

#define TEXT_THRESHOLD 0.5
#define DIM	       "\033[2m"
#define DIM_END	       "\033[22m"

/* ---- units ----------------------------------------------------------------------------------- */

struct unit {
	double divisor;
	const char *name;
};

static const struct unit times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
static const struct unit sizes[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "B"}};
static const struct unit counts[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"},
				     {1e6, "M"},  {1e3, "K"},  {1, ""}};

/* The largest unit of which there are a hundred, or of counts ten thousand; else the smallest. */
static struct unit choose(const struct unit *list, size_t n, double largest, double least)
{
	size_t i = 0;

	while (i + 1 < n && largest < list[i].divisor * least)
		i++;
	return list[i];
}

static void set_unit(struct compared_table *t)
{
	const struct profile *p = t->in->profile;
	const char *name = t->in->options->unit == VIEW_UNIT_SAMPLES || p->unit == STRINGS_NONE
				   ? ""
				   : strings_get(p->strings, p->unit, NULL);
	bool is_scaled = !strcmp(name, "ns") || !strcmp(name, "bytes");
	struct unit unit = !strcmp(name, "ns")	    ? choose(times, 4, t->largest, 100)
			   : !strcmp(name, "bytes") ? choose(sizes, 4, t->largest, 100)
						    : choose(counts, 6, t->largest, 1e5);
	double figure = t->largest / unit.divisor;

	t->divisor = unit.divisor;
	t->unit = unit.name;
	if (unit.divisor > 1)
		t->decimals = figure < 1000 ? 2 : 1;
	else
		t->decimals = !is_scaled && !comparison_is_single(&t->comparison);
}

/* ---- beginning ------------------------------------------------------------------------------- */

int compared_table_begin(struct compared_table *t, const struct view_input *in, struct out *o,
			 const char *what, struct error *err)
{
	*t = (struct compared_table){
		.in = in,
		.out = o,
		.what = what,
		.threshold = view_input_threshold(in->options, TEXT_THRESHOLD),
	};
	if (comparison_begin(&t->comparison, in->profile, in->tree, in->options->normalize, err))
		return -1;
	t->largest = t->comparison.before;
	if (!in->options->normalize && t->comparison.after > t->largest)
		t->largest = t->comparison.after;
	set_unit(t);
	return 0;
}

void compared_table_free(struct compared_table *t)
{
	comparison_free(&t->comparison);
}

/* ---- the heading ----------------------------------------------------------------------------- */

static uint64_t count_samples(const struct profile *p, size_t from, size_t to)
{
	uint64_t n = 0;

	for (size_t i = from; i < to; i++)
		n += p->columns[i].hits;
	return n;
}

/* The process of the first run that began first; it is the program, or what is recorded of those that it has started. */
static const struct profile_process *first_process(const struct profile *p, size_t from, size_t to)
{
	const struct profile_process *first = NULL;

	for (size_t i = from; !first && i < to; i++)
		for (size_t k = 0; k < p->columns[i].n_processes; k++) {
			const struct profile_process *its =
				&p->processes[p->columns[i].first_process + k];

			if (!first || its->start_ns < first->start_ns)
				first = its;
		}
	return first;
}

static void write_program(struct out *o, const struct profile *p,
			  const struct profile_process *process, int column)
{
	size_t n;
	const char *file = strings_get(p->strings, process->file, &n);

	if (process->n_args > 0 || process->exe != STRINGS_NONE)
		caption_command(o, p, process, column);
	else
		out_name_fit(o, file, n, column);
}

/* "before: 10 runs, 2178 samples: ./sort words" */
static void write_side(const struct compared_table *t, const char *name, size_t from, size_t to)
{
	const struct profile *p = t->in->profile;
	const struct profile_process *process = first_process(p, from, to);
	uint64_t samples = count_samples(p, from, to);
	char text[128];
	int n = snprintf(text, sizeof(text), "%s%zu run%s, %" PRIu64 " sample%s%s", name, to - from,
			 to - from == 1 ? "" : "s", samples, samples == 1 ? "" : "s",
			 process ? ": " : "");

	out_text(t->out, text);
	if (process)
		write_program(t->out, p, process, n);
	out_text(t->out, "\n");
}

/* "+6.9", "new", "gone", or nothing where nothing was used. */
static void write_relative(char text[16], double before, double after)
{
	double percent = before > 0 ? (after / before - 1) * 100 : 0;

	if (before <= 0 || after <= 0)
		snprintf(text, 16, "%s", after > 0 ? "new" : before > 0 ? "gone" : "");
	else if (fabs(percent) < 0.05)
		snprintf(text, 16, "0.0");
	else if (percent > 9999)
		snprintf(text, 16, ">9999");
	else
		snprintf(text, 16, "%+.1f", percent);
}

/* A comparison of one run with another says nothing of how much the totals of runs vary. */
static void write_total(const struct compared_table *t)
{
	const struct comparison_row row = comparison_totals(&t->comparison);
	char relative[16];

	out_format(t->out, "total%s: %.*f -> %.*f%s%s, ",
		   comparison_is_single(&t->comparison) ? "" : " of a run", t->decimals,
		   row.before / t->divisor, t->decimals, row.after / t->divisor,
		   *t->unit ? " " : "", t->unit);
	write_relative(relative, row.before, row.after);
	if (row.before <= 0 || row.after <= 0)
		*relative = '\0';
	out_format(t->out, "%+.*f", t->decimals, row.welch.change / t->divisor);
	if (!comparison_is_single(&t->comparison))
		out_format(t->out, " +- %.*f", t->decimals, row.welch.plus_minus / t->divisor);
	out_format(t->out, "%s%s%s%s%s", *t->unit ? " " : "", t->unit, *relative ? " (" : "",
		   relative, *relative ? " %)" : "");
	if (comparison_is_single(&t->comparison))
		out_text(t->out, "\n");
	else
		out_text(t->out, row.is_significant ? ": changed\n" : ": may be chance\n");
}

/* What +- and the mark mean. */
static void write_method(const struct compared_table *t)
{
	const struct comparison *c = &t->comparison;

	if (c->normalizes)
		out_text(t->out,
			 "each run is scaled to the total before: what is compared are shares\n");
	if (comparison_is_single(c))
		out_text(t->out, "one run on each side: +- (95 %) and * know the error of sampling "
				 "alone, not how\n"
				 "much runs differ by themselves; cpsample --repeat 10 records "
				 "what they need\n");
	else if (c->n_base == 1 || c->n_runs - c->n_base == 1)
		out_text(t->out, "+- is a 95 % interval (Welch's t test); the single run of one "
				 "side is taken\n"
				 "to vary as those of the other do\n");
	else
		out_text(t->out, "figures are of a run on the average; +- is a 95 % interval "
				 "(Welch's t test)\n");
	out_format(t->out, "* changed: of the %ss with this mark one in twenty may be chance\n",
		   t->what);
}

static void write_columns(const struct compared_table *t, const char *last)
{
	char before[16], after[16];

	snprintf(before, sizeof(before), "before%s%s", *t->unit ? " " : "", t->unit);
	snprintf(after, sizeof(after), "after%s%s", *t->unit ? " " : "", t->unit);
	out_format(t->out, "\n%9s %9s %10s %8s %8s   %s\n", before, after, "change", "+-", "in %",
		   last);
	caption_rule(t->out);
}

static void begin_rows(struct compared_table *t, const char *view)
{
	const struct comparison *c = &t->comparison;
	const struct rows_compared sides = {
		.runs_before = c->n_base,
		.runs_after = c->n_runs - c->n_base,
		.total_before = c->before,
		.total_after = c->after,
		.is_normalized = c->normalizes,
	};

	rows_begin_compared(&t->rows, t->out, view, t->in, &sides);
}

void compared_table_head(struct compared_table *t, const char *title, const char *view,
			 const char *last)
{
	const struct comparison *c = &t->comparison;
	struct out_mark begin = out_mark(t->out);

	if (view_input_is_rows(t->in->options)) {
		begin_rows(t, view);
		return;
	}
	caption_compared(t->out, title, t->in);
	write_side(t, "before: ", 0, c->n_base);
	write_side(t, "after: ", c->n_base, c->n_runs);
	caption_parts(t->out, t->in);
	caption_root(t->out, t->root);
	write_total(t);
	write_method(t);
	out_fold(t->out, begin);
	write_columns(t, last);
}

void compared_table_end(struct compared_table *t)
{
	if (view_input_is_rows(t->in->options)) {
		rows_end(&t->rows);
		return;
	}
	caption_rule(t->out);
	if (t->small) {
		out_format(t->out,
			   "not shown: %" PRIu64
			   " %s%s without * whose change is below %g %% of the total",
			   t->small, t->what, t->small == 1 ? "" : "s", t->threshold);
		if (t->small_new || t->small_gone)
			out_format(t->out, ";\n  of these are new %" PRIu64 ", gone %" PRIu64,
				   t->small_new, t->small_gone);
		out_text(t->out, "\n");
	}
	if (t->beyond)
		out_format(t->out, "not shown: %" PRIu64 " %s%s beyond the first %" PRIu64 "\n",
			   t->beyond, t->what, t->beyond == 1 ? "" : "s", t->in->options->top);
}

/* ---- rows ------------------------------------------------------------------------------------ */

bool compared_table_is_small(const struct compared_table *t, const struct comparison_row *row)
{
	return !row->is_significant && fabs(row->welch.change) * 100 < t->threshold * t->largest;
}

void compared_table_unhide(struct compared_table *t, const struct comparison_row *row)
{
	if (!compared_table_is_small(t, row)) {
		t->beyond--;
		return;
	}
	t->small--;
	t->small_new -= !row->sum_before;
	t->small_gone -= !row->sum_after;
}

bool compared_table_hides(struct compared_table *t, const struct comparison_row *row)
{
	uint64_t top = t->in->options->top;

	if (!row->sum_before && !row->sum_after)
		return true;
	if (compared_table_is_small(t, row)) {
		t->small++;
		t->small_new += !row->sum_before;
		t->small_gone += !row->sum_after;
		return true;
	}
	if (top && t->n_shown >= top) {
		t->beyond++;
		return true;
	}
	t->n_shown++;
	return false;
}

/* A mean is exact if it is a whole number. */
static void write_mean(struct compared_table *t, unsigned __int128 sum, size_t n, double mean)
{
	if (!t->comparison.normalizes && sum % n == 0)
		rows_count(&t->rows, sum / n);
	else
		rows_fraction(&t->rows, mean);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void write_values(struct compared_table *t, const struct comparison_row *row)
{
	const struct comparison *c = &t->comparison;
	double after = c->normalizes ? c->before : c->after;

	write_mean(t, row->sum_before, c->n_base, row->before);
	write_mean(t, row->sum_after, c->n_runs - c->n_base, row->after);
	rows_fraction(&t->rows, row->welch.change);
	rows_fraction(&t->rows, row->welch.plus_minus);
	rows_fraction(&t->rows, row->welch.p);
	rows_word(&t->rows, !row->is_significant    ? "unclear"
			    : row->welch.change < 0 ? "less"
						    : "more");
	rows_fraction(&t->rows, share(row->before, c->before));
	rows_fraction(&t->rows, share(row->after, after));
}

void compared_table_row(struct compared_table *t, const struct comparison_row *row,
			const char *const *columns)
{
	char relative[16];

	if (view_input_is_rows(t->in->options)) {
		rows_row(&t->rows, columns);
		write_values(t, row);
		return;
	}
	write_relative(relative, (double)row->sum_before > 0 ? row->before : 0,
		       (double)row->sum_after > 0 ? row->after : 0);
	if (!row->is_significant && out_colour(t->out))
		out_text(t->out, DIM);
	out_format(t->out, "%9.*f %9.*f %+10.*f %8.*f %8s %c ", t->decimals,
		   row->before / t->divisor, t->decimals, row->after / t->divisor, t->decimals,
		   row->welch.change / t->divisor, t->decimals, row->welch.plus_minus / t->divisor,
		   relative, row->is_significant ? '*' : ' ');
}

void compared_table_row_end(struct compared_table *t, const struct comparison_row *row)
{
	if (view_input_is_rows(t->in->options))
		return;
	if (!row->is_significant && out_colour(t->out))
		out_text(t->out, DIM_END);
	out_text(t->out, "\n");
}

int compared_table_compare(const struct comparison_row *x, const struct comparison_row *y)
{
	double of_x = fabs(x->welch.change), of_y = fabs(y->welch.change);

	if (x->is_significant != y->is_significant)
		return y->is_significant - x->is_significant;
	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	if (x->after != y->after)
		return x->after < y->after ? 1 : -1;
	return 0;
}
