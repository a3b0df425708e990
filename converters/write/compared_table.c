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
#include <stdlib.h>
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

static void set_unit(struct compared_resource *r, const struct view_options *options)
{
	const struct profile *p = r->comparison.profile;
	uint32_t gtick = p->columns[r->comparison.first].unit;
	const char *name = options->unit == VIEW_UNIT_SAMPLES || gtick == STRINGS_NONE
				   ? ""
				   : strings_get(p->strings, gtick, NULL);
	bool is_scaled = !strcmp(name, "ns") || !strcmp(name, "bytes");
	struct unit unit = !strcmp(name, "ns")	    ? choose(times, 4, r->largest, 100)
			   : !strcmp(name, "bytes") ? choose(sizes, 4, r->largest, 100)
						    : choose(counts, 6, r->largest, 1e5);
	double figure = r->largest / unit.divisor;

	r->divisor = unit.divisor;
	r->unit = unit.name;
	if (unit.divisor > 1)
		r->decimals = figure < 1000 ? 2 : 1;
	else
		r->decimals = !is_scaled && !comparison_is_single(&r->comparison);
}

/* ---- beginning ------------------------------------------------------------------------------- */

#define NAME_ROOM   16 /* columns, below which a resource that stands alone has few figures, too */
#define COLUMN	    51 /* of names behind the figures of one resource */
#define WIDTH_LEAST ((int)strlen("before")) /* of a mean, beside those of other resources */
/* Two means, a change that has a sign, a mark, and spaces between. */
#define GROUP(width) (3 * (width) + 6)

static int begin_resource(struct compared_resource *r, const struct view_input *in, size_t i,
			  struct error *err)
{
	const struct view_options *options = in->options;

	if (comparison_begin(&r->comparison, in->profile, in->tree, i, options->normalize, err))
		return -1;
	r->largest = r->comparison.before;
	if (!options->normalize && r->comparison.after > r->largest)
		r->largest = r->comparison.after;
	set_unit(r, options);
	r->width = snprintf(NULL, 0, "%.*f", r->decimals, r->largest / r->divisor);
	if (r->width < WIDTH_LEAST)
		r->width = WIDTH_LEAST;
	return 0;
}

int compared_table_begin(struct compared_table *t, const struct view_input *in, struct out *o,
			 const char *what, struct error *err)
{
	*t = (struct compared_table){
		.in = in,
		.out = o,
		.what = what,
		.threshold = view_input_threshold(in->options, TEXT_THRESHOLD),
	};
	t->n = in->profile->n_columns / in->profile->n_runs;
	t->of = calloc(t->n, sizeof(*t->of));
	if (!t->of)
		return error_memory(err);
	for (size_t k = 0; k < t->n; k++) {
		if (begin_resource(&t->of[k], in, k, err))
			return -1;
		t->column += GROUP(t->of[k].width);
	}
	t->has_few = t->n > 1 || (out_width(o) && out_width(o) < COLUMN + NAME_ROOM);
	if (!t->has_few)
		t->column = COLUMN;
	return 0;
}

void compared_table_free(struct compared_table *t)
{
	for (size_t k = 0; t->of && k < t->n; k++)
		comparison_free(&t->of[k].comparison);
	free(t->of);
}

/* ---- the heading ----------------------------------------------------------------------------- */

/* Of all resources. */
static uint64_t count_samples(const struct profile *p, size_t from, size_t to)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_columns; i++)
		if (i % p->n_runs >= from && i % p->n_runs < to)
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

/* A comparison of one run with another says nothing of how much the totals of runs vary. The line begins with "total", or
 * the name of the resource. */
static void write_total(struct out *o, const struct compared_resource *r)
{
	const struct comparison_row row = comparison_totals(&r->comparison);
	bool is_single = comparison_is_single(&r->comparison);
	char relative[16];

	out_format(o, "%s: %.*f -> %.*f%s%s, ", is_single ? "" : " of a run", r->decimals,
		   row.before / r->divisor, r->decimals, row.after / r->divisor,
		   *r->unit ? " " : "", r->unit);
	write_relative(relative, row.before, row.after);
	if (row.before <= 0 || row.after <= 0)
		*relative = '\0';
	out_format(o, "%+.*f", r->decimals, row.welch.change / r->divisor);
	if (!is_single)
		out_format(o, " +- %.*f", r->decimals, row.welch.plus_minus / r->divisor);
	out_format(o, "%s%s%s%s%s", *r->unit ? " " : "", r->unit, *relative ? " (" : "", relative,
		   *relative ? " %)" : "");
	if (is_single)
		out_text(o, "\n");
	else
		out_text(o, row.is_significant ? ": changed\n" : ": may be chance\n");
}

/* The name of a resource, or its first bytes. Returns how many. */
static size_t write_name(const struct compared_table *t, size_t k, size_t most)
{
	const struct profile *p = t->in->profile;
	size_t n;
	const char *name =
		strings_get(p->strings, p->columns[t->of[k].comparison.first].resource, &n);

	n = n < most ? n : most;
	out_name(t->out, name, n);
	return n;
}

static void write_totals(const struct compared_table *t)
{
	for (size_t k = 0; k < t->n; k++) {
		if (t->n == 1)
			out_text(t->out, "total");
		else
			write_name(t, k, SIZE_MAX);
		write_total(t->out, &t->of[k]);
	}
}

#define ALONE                                                                                      \
	" the error of sampling alone, not how\n"                                                  \
	"much runs differ by themselves; cpsample --repeat 10 records what they need\n"

/* What +- and the mark mean. */
static void write_method(const struct compared_table *t)
{
	const struct comparison *c = &t->of->comparison;

	if (c->normalizes)
		out_text(t->out,
			 "each run is scaled to the total before: what is compared are shares\n");
	if (comparison_is_single(c))
		caption_text(t->out, t->has_few
					     ? "one run on each side: * knows" ALONE
					     : "one run on each side: +- (95 %) and * know" ALONE);
	else if (c->n_base == 1 || c->n_runs - c->n_base == 1)
		caption_text(t->out, "+- is a 95 % interval; the single run of one side is taken\n"
				     "to vary as those of the other do\n");
	else
		out_text(t->out, "figures are of a run on the average; +- is a 95 % interval\n");
	out_format(t->out, "* changed: of the %ss with this mark one in twenty may be chance\n",
		   t->what);
}

/* The name and the unit of a resource in the middle above its figures. */
static void write_group(const struct compared_table *t, size_t k)
{
	const struct profile *p = t->in->profile;
	const struct compared_resource *r = &t->of[k];
	const char *name = strings_get(p->strings, p->columns[r->comparison.first].resource, NULL);
	const char *unit = r->unit;
	int room = 3 * r->width + 3, of_unit = (int)strlen(unit) + (*unit != '\0');
	int n = (int)strlen(name), indent = (room - n - of_unit) / 2;

	indent = indent > 0 ? indent : 0;
	out_format(t->out, "%*s", indent, "");
	n = indent + (int)write_name(t, k, (size_t)(room - of_unit)) + of_unit;
	out_format(t->out, "%s%s", *unit ? " " : "", unit);
	if (k + 1 < t->n)
		out_format(t->out, "%*s", GROUP(r->width) - n, "");
}

static void write_groups(const struct compared_table *t, const char *last)
{
	out_text(t->out, "\n");
	for (size_t k = 0; k < t->n; k++)
		write_group(t, k);
	out_text(t->out, "\n");
	for (size_t k = 0; k < t->n; k++) {
		int width = t->of[k].width;

		out_format(t->out, "%*s %*s %*s   ", width, "before", width, "after", width + 1,
			   "change");
	}
	out_format(t->out, "%s\n", last);
}

static void write_columns(const struct compared_table *t, const char *last)
{
	const char *unit = t->of->unit, *space = *unit ? " " : "";
	char before[16], after[16];

	if (t->has_few) {
		write_groups(t, last);
	} else {
		snprintf(before, sizeof(before), "before%s%s", space, unit);
		snprintf(after, sizeof(after), "after%s%s", space, unit);
		out_format(t->out, "\n%9s %9s %10s %8s %8s   %s\n", before, after, "change", "+-",
			   "in %", last);
	}
	caption_rule(t->out);
}

static int begin_rows(struct compared_table *t, const char *view, struct error *err)
{
	const struct comparison *c = &t->of->comparison;
	struct rows_compared sides = {
		.runs_before = c->n_base,
		.runs_after = c->n_runs - c->n_base,
		.n = t->n,
		.keys = t->keys,
		.totals = calloc(t->n, sizeof(*sides.totals)),
		.is_normalized = c->normalizes,
	};

	if (!sides.totals)
		return error_memory(err);
	for (size_t k = 0; k < t->n; k++) {
		sides.totals[k].before = t->of[k].comparison.before;
		sides.totals[k].after = t->of[k].comparison.after;
	}
	rows_begin_compared(&t->rows, t->out, view, t->in, &sides);
	free(sides.totals);
	return 0;
}

int compared_table_head(struct compared_table *t, const char *title, const char *view,
			const char *last, struct error *err)
{
	const struct comparison *c = &t->of->comparison;

	if (view_input_is_rows(t->in->options))
		return begin_rows(t, view, err);
	caption_compared(t->out, title, t->in);
	write_side(t, "before: ", 0, c->n_base);
	write_side(t, "after: ", c->n_base, c->n_runs);
	caption_cost_compared(t->out, t->in->profile);
	caption_parts(t->out, t->in);
	caption_root(t->out, t->root);
	write_totals(t);
	write_method(t);
	write_columns(t, last);
	return 0;
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
	if (t->has_few && t->n == 1)
		out_text(t->out, "not shown in so few columns: +-, in %\n");
	if (t->beyond) {
		out_format(t->out, "not shown: %" PRIu64 " %s%s beyond the first %" PRIu64,
			   t->beyond, t->what, t->beyond == 1 ? "" : "s", t->in->options->top);
		if (t->above)
			out_format(t->out, " and the %" PRIu64 " above them", t->above);
		out_text(t->out, "\n");
	}
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether no run before has used anything of it, or no run after. */
static bool is_new(const struct compared_table *t, const struct comparison_row *row)
{
	for (size_t k = 0; k < t->n; k++)
		if (row[k].sum_before)
			return false;
	return true;
}

static bool is_gone(const struct compared_table *t, const struct comparison_row *row)
{
	for (size_t k = 0; k < t->n; k++)
		if (row[k].sum_after)
			return false;
	return true;
}

bool compared_table_is_nothing(const struct compared_table *t, const struct comparison_row *row)
{
	return is_new(t, row) && is_gone(t, row);
}

static bool is_significant(const struct compared_table *t, const struct comparison_row *row)
{
	bool any = false;

	for (size_t k = 0; k < t->n; k++)
		any |= row[k].is_significant;
	return any;
}

/* Where nothing was used, of a resource of which nothing was at all, no change is large. */
bool compared_table_is_small(const struct compared_table *t, const struct comparison_row *row)
{
	for (size_t k = 0; k < t->n; k++)
		if (t->of[k].largest > 0 &&
		    (row[k].is_significant ||
		     fabs(row[k].welch.change) * 100 >= t->threshold * t->of[k].largest))
			return false;
	return true;
}

void compared_table_unhide(struct compared_table *t, const struct comparison_row *row)
{
	t->above++;
	if (!compared_table_is_small(t, row)) {
		t->beyond--;
		return;
	}
	t->small--;
	t->small_new -= is_new(t, row);
	t->small_gone -= is_gone(t, row);
}

bool compared_table_hides(struct compared_table *t, const struct comparison_row *row)
{
	uint64_t top = t->in->options->top;

	if (compared_table_is_nothing(t, row))
		return true;
	if (compared_table_is_small(t, row)) {
		t->small++;
		t->small_new += is_new(t, row);
		t->small_gone += is_gone(t, row);
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
	if (!t->in->options->normalize && sum % n == 0)
		rows_count(&t->rows, sum / n);
	else
		rows_fraction(&t->rows, mean);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void write_values(struct compared_table *t, const struct comparison *c,
			 const struct comparison_row *row)
{
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

static void write_figures(struct out *o, const struct compared_resource *r,
			  const struct comparison_row *row)
{
	char relative[16];

	write_relative(relative, (double)row->sum_before > 0 ? row->before : 0,
		       (double)row->sum_after > 0 ? row->after : 0);
	out_format(o, "%9.*f %9.*f %+10.*f %8.*f %8s %c ", r->decimals, row->before / r->divisor,
		   r->decimals, row->after / r->divisor, r->decimals,
		   row->welch.change / r->divisor, r->decimals, row->welch.plus_minus / r->divisor,
		   relative, row->is_significant ? '*' : ' ');
}

/* Beside other resources there is no room for what may be chance, and for percentages. */
static void write_few(struct out *o, const struct compared_resource *r,
		      const struct comparison_row *row)
{
	out_format(o, "%*.*f %*.*f %+*.*f %c ", r->width, r->decimals, row->before / r->divisor,
		   r->width, r->decimals, row->after / r->divisor, r->width + 1, r->decimals,
		   row->welch.change / r->divisor, row->is_significant ? '*' : ' ');
}

void compared_table_row(struct compared_table *t, const struct comparison_row *row,
			const char *const *columns)
{
	if (view_input_is_rows(t->in->options)) {
		rows_row(&t->rows, columns);
		for (size_t k = 0; k < t->n; k++)
			write_values(t, &t->of[k].comparison, &row[k]);
		return;
	}
	if (!is_significant(t, row) && out_colour(t->out))
		out_text(t->out, DIM);
	if (!t->has_few)
		write_figures(t->out, t->of, row);
	for (size_t k = 0; t->has_few && k < t->n; k++)
		write_few(t->out, &t->of[k], &row[k]);
}

void compared_table_row_end(struct compared_table *t, const struct comparison_row *row)
{
	if (view_input_is_rows(t->in->options))
		return;
	if (!is_significant(t, row) && out_colour(t->out))
		out_text(t->out, DIM_END);
	out_text(t->out, "\n");
}

static int compare(const struct comparison_row *x, const struct comparison_row *y)
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

int compared_table_compare(const struct comparison_row *x, const struct comparison_row *y, size_t n)
{
	int order = 0;

	for (size_t k = 0; !order && k < n; k++)
		order = compare(&x[k], &y[k]);
	return order;
}
