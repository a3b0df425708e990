/* SPDX-License-Identifier: MIT */
/*
 * view_timeline.c - shows when the processes or threads used how much, as bars of text.
 *
 * In: when threads have used what. Out: a line for each process, or of a single process for each thread.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/processes.h"
#include "view/thread_uses.h"
#include "view/timeline_rows.h"
#include "view/view.h"
#include "write/bars.h"
#include "write/caption.h"
#include "write/weight.h"

#define ROWS	   20
#define NAME_WIDTH 16
#define MARKS_MOST 20
#define DENSE	   0.35 /* of the time, for half of the weight to be worth a word */
#define SPARSE	   0.1

struct row {
	struct slices times;
	uint32_t name; /* in strings */
	uint64_t id;   /* of the process or thread */
	uint64_t weight;
};

struct timeline {
	const struct view_input *in;
	struct bars bars;
	struct row all, *rows, others;
	struct slices *columns; /* of several resources, from the second one on */
	size_t n, shown;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static uint64_t sum(const struct slices *s)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < s->n; i++)
		all += s->weights[i];
	return all;
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

/* A row for each process. */
static int add_processes(struct timeline *t, const struct thread_uses *u, const uint32_t *commands)
{
	const struct profile *p = t->in->profile;

	for (; t->n < p->n_processes; t->n++)
		t->rows[t->n] = (struct row){.name = commands[t->n], .id = p->processes[t->n].pid};
	for (size_t i = 0; i < u->n; i++)
		if (slices_join(&t->rows[u->list[i].process].times, &u->list[i].times))
			return -1;
	return 0;
}

static int add_threads(struct timeline *t, const struct thread_uses *u, const uint32_t *commands)
{
	const struct profile *p = t->in->profile;

	for (size_t i = 0; i < u->n; i++) {
		const struct profile_thread *from = u->list[i].thread;
		struct row *row = &t->rows[t->n++];
		uint32_t name =
			commands_thread(p->strings, p->processes, 1, commands, 0, from->name);

		*row = (struct row){.name = name, .id = from->tid};
		if (slices_join(&row->times, &u->list[i].times))
			return -1;
	}
	return 0;
}

/* Weigh the rows, and put those together that are not shown. */
static int rank(struct timeline *t)
{
	size_t top = t->in->options->top ? t->in->options->top : ROWS;

	for (size_t i = 0; i < t->n; i++) {
		t->rows[i].weight = sum(&t->rows[i].times);
		if (slices_join(&t->all.times, &t->rows[i].times))
			return -1;
	}
	t->all.weight = sum(&t->all.times);
	qsort(t->rows, t->n, sizeof(*t->rows), compare);
	while (t->n > 1 && !t->rows[t->n - 1].weight)
		slices_clear(&t->rows[--t->n].times);
	t->shown = t->n < top + 1 ? t->n : top;
	for (size_t i = t->shown; i < t->n; i++)
		if (slices_join(&t->others.times, &t->rows[i].times))
			return -1;
	t->others.weight = sum(&t->others.times);
	return 0;
}

static int gather(struct timeline *t, const struct thread_uses *u)
{
	const struct profile *p = t->in->profile;
	uint32_t *commands = commands_name(p->strings, p->processes, p->n_processes);
	size_t n = p->n_processes == 1 ? u->n : p->n_processes;
	bool ok = commands && (t->rows = calloc(n + 1, sizeof(*t->rows)));

	ok = ok &&
	     !(p->n_processes == 1 ? add_threads(t, u, commands) : add_processes(t, u, commands));
	free(commands);
	return ok && !rank(t) ? 0 : -1;
}

/* When the other resources were used. */
static int gather_columns(struct timeline *t, struct error *err)
{
	const struct profile *p = t->in->profile;

	t->columns = calloc(p->n_columns + 1, sizeof(*t->columns));
	if (!t->columns)
		return error_memory(err);
	for (size_t i = 1; i < p->n_columns; i++)
		if (thread_uses_of_column(&t->columns[i], t->in, i, err))
			return -1;
	return 0;
}

static void timeline_free(struct timeline *t)
{
	for (size_t i = 0; i < t->n; i++)
		slices_clear(&t->rows[i].times);
	for (size_t i = 1; t->columns && i < t->in->profile->n_columns; i++)
		slices_clear(&t->columns[i]);
	slices_clear(&t->all.times);
	slices_clear(&t->others.times);
	free(t->columns);
	free(t->rows);
}

/* ---- text ------------------------------------------------------------------------------------ */

static double largest(const struct bars *b, const double values[BARS_MOST])
{
	double most = 0;

	for (int i = 0; i < b->n; i++)
		most = values[i] > most ? values[i] : most;
	return most;
}

static void write_label(const struct timeline *t, const char *name, size_t n, uint64_t weight,
			const char *unit)
{
	struct out *o = t->bars.out;
	char text[WEIGHT_BYTES];
	int used = 0;

	for (size_t i = 0; i < n && used < NAME_WIDTH; i++) {
		int columns = out_columns(name + i, n - i);

		if (columns != 1)
			continue; /* a control character, or the rest of a longer one */
		out_name(o, (name[i] & 0x80) ? "?" : name + i, 1);
		used++;
	}
	out_format(o, "%*s", NAME_WIDTH - used, "");
	out_format(o, "%*s ", t->bars.label - NAME_WIDTH, weight_brief(text, unit, weight));
}

static void write_row(const struct timeline *t, const struct row *row, const char *name, size_t n,
		      double whole)
{
	const struct profile *p = t->in->profile;
	double values[BARS_MOST];

	bars_fill(&t->bars, values, &row->times);
	write_label(t, name, n, row->weight, strings_get(p->strings, p->unit, NULL));
	bars_write(&t->bars, values, whole);
}

/* Rows of the same name are told apart by the numbers of their processes or threads. */
static bool is_twin(const struct timeline *t, const struct row *row)
{
	for (size_t i = 0; i < t->shown; i++)
		if (&t->rows[i] != row && t->rows[i].name == row->name)
			return true;
	return false;
}

static void write_named(const struct timeline *t, const struct row *row, double whole)
{
	char text[4 * NAME_WIDTH], number[24] = "";
	size_t n;
	const char *name = strings_get(t->in->profile->strings, row->name, &n);
	size_t digits = 0, room;

	if (is_twin(t, row))
		digits = (size_t)snprintf(number, sizeof(number), " %" PRIu64, row->id);
	room = digits < NAME_WIDTH ? NAME_WIDTH - digits : 0;
	n = n < room ? n : room;
	memcpy(text, name, n);
	memcpy(text + n, number, digits);
	write_row(t, row, text, n + digits, whole);
}

/* A thread uses at most one processor, whatever its samples say of when that was. */
static double whole_of(const struct timeline *t, double most, size_t n_threads)
{
	if (!weight_is_time(t->in->profile))
		return most;
	return n_threads <= 1 || most < 1 ? 1 : most;
}

static double whole_of_rows(const struct timeline *t)
{
	const struct profile *p = t->in->profile;
	double values[BARS_MOST], most = 0;
	size_t n_threads = 1;

	for (size_t i = 0; p->n_processes > 1 && i < p->n_processes; i++)
		n_threads = p->processes[i].n_threads > n_threads ? p->processes[i].n_threads
								  : n_threads;
	for (size_t i = 0; i < t->shown; i++) {
		double its;

		bars_fill(&t->bars, values, &t->rows[i].times);
		its = largest(&t->bars, values);
		most = its > most ? its : most;
	}
	return whole_of(t, most, n_threads);
}

static void write_scale(const struct timeline *t, const char *what, double whole)
{
	const struct profile *p = t->in->profile;
	const char *unit = strings_get(p->strings, p->unit, NULL),
		   *sign = t->bars.is_utf8 ? "\u2588" : "#";
	char text[WEIGHT_BYTES];

	if (weight_is_cpu(p))
		out_format(t->bars.out, "%s: %s is %.3g processor%s", what, sign, whole,
			   whole == 1 ? "" : "s");
	else if (weight_is_time(p))
		out_format(t->bars.out, "%s: %s is %.3g thread%s", what, sign, whole,
			   whole == 1 ? "" : "s");
	else
		out_format(t->bars.out, "%s: %s is %s a second", what, sign,
			   weight_brief(text, unit, (uint64_t)(whole * 1e9)));
}

/* The other resources have a line each. */
static void write_columns(const struct timeline *t)
{
	const struct profile *p = t->in->profile;

	for (size_t i = 1; i < p->n_columns; i++) {
		const struct profile_column *c = &p->columns[i];
		double values[BARS_MOST];
		size_t n;
		const char *name = strings_get(p->strings, c->resource, &n);

		bars_fill(&t->bars, values, &t->columns[i]);
		write_label(t, name, n, sum(&t->columns[i]),
			    strings_get(p->strings, c->unit, NULL));
		bars_write(&t->bars, values, largest(&t->bars, values));
	}
}

static void write_rows(const struct timeline *t)
{
	const struct profile *p = t->in->profile;
	struct out *o = t->bars.out;
	double values[BARS_MOST], of_all, of_rows = whole_of_rows(t);
	char others[48];
	size_t n;
	const char *name = strings_get(p->strings, p->resource, &n);

	bars_fill(&t->bars, values, &t->all.times);
	of_all = whole_of(t, largest(&t->bars, values), t->n);
	write_scale(t, t->n > 1 ? "all" : "bars", of_all);
	if (t->n > 1)
		out_text(o, "; ");
	if (t->n > 1)
		write_scale(t, p->n_processes == 1 ? "a thread" : "a process", of_rows);
	out_text(o, "\n\n");
	bars_axis(&t->bars);
	write_row(t, &t->all, name, n, of_all);
	write_columns(t);
	for (size_t i = 0; t->n > 1 && i < t->shown; i++)
		write_named(t, &t->rows[i], of_rows);
	if (t->shown == t->n)
		return;
	n = (size_t)snprintf(others, sizeof(others), "%zu others", t->n - t->shown);
	bars_fill(&t->bars, values, &t->others.times);
	of_all = largest(&t->bars, values);
	write_row(t, &t->others, others, n, of_all > of_rows ? of_all : of_rows);
}

/* Moments that the program gave names to. */
static void write_marks(const struct timeline *t)
{
	const struct profile *p = t->in->profile;
	struct out *o = t->bars.out;
	size_t shown = 0, all = 0;

	for (size_t i = 0; i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_marks; k++) {
			const struct profile_mark *m = &p->processes[i].marks[k];
			uint64_t ns = p->processes[i].start_ns + m->time_us * 1000;
			size_t n;
			const char *name = strings_get(p->strings, m->name, &n);

			if (m->time_us > UINT64_MAX / 2000 || ns < t->bars.from_ns ||
			    ns > t->bars.to_ns)
				continue;
			if (++all > MARKS_MOST)
				continue;
			shown++;
			out_format(o, "%*.*f %*s^ ", t->bars.label, bars_digits(&t->bars),
				   (double)(ns - t->bars.begin_ns) / 1e9, bars_column(&t->bars, ns),
				   "");
			out_name_fit(o, name, n, t->bars.label + bars_column(&t->bars, ns) + 4);
			out_text(o, "\n");
		}
	if (all > shown)
		out_format(o, "and %zu more marks (--info has them all)\n", all - shown);
}

/* What is worth a closer look. */
static void write_hints(const struct timeline *t)
{
	struct out *o = t->bars.out;
	double values[BARS_MOST], share;
	int from, to, digits = bars_digits(&t->bars);

	bars_fill(&t->bars, values, &t->all.times);
	share = bars_half(&t->bars, values, &from, &to);
	if (share > 0 && to - from < t->bars.n * DENSE)
		out_format(o, "%.0f %% of it: --from %.*f --to %.*f\n", share * 100, digits,
			   bars_seconds(&t->bars, from), digits, bars_seconds(&t->bars, to));
	bars_idle(&t->bars, values, &from, &to);
	if (share > 0 && to - from > t->bars.n * SPARSE)
		out_format(o, "next to nothing: --from %.*f --to %.*f\n", digits,
			   bars_seconds(&t->bars, from), digits, bars_seconds(&t->bars, to));
}

static struct timeline_span span_of(const struct profile *p)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];
		uint64_t over = process->start_ns + run_times_lasted(process);

		begin = process->start_ns < begin ? process->start_ns : begin;
		end = over > end ? over : end;
	}
	if (p->to_ns && begin + p->to_ns < end)
		end = begin + p->to_ns;
	if (end <= begin + p->from_ns)
		end = begin + p->from_ns + 1;
	return (struct timeline_span){begin, begin + p->from_ns, end};
}

static void write_timeline(struct timeline *t, struct out *o)
{
	const struct timeline_span span = span_of(t->in->profile);

	bars_begin(&t->bars, o, span.begin_ns, span.from_ns, span.to_ns);
	caption_write(o, "Timeline", t->in);
	write_rows(t);
	write_marks(t);
	caption_rule(o);
	write_hints(t);
}

/* Inputs that begin at different times have to say when. Those of other profilers do not, and then are shown only without
 * others. */
static bool is_timed(const struct profile *p)
{
	size_t n = 0;

	if (!p->has_times || !p->n_processes || (p->by_name && !p->by_name->has_times))
		return false;
	for (size_t i = 0; i < p->n_processes; i++)
		n += p->processes[i].start_ns != 0;
	return n == p->n_processes || (p->by_name && p->n_processes == 1);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct timeline t = {.in = in};
	struct timeline_span span;
	struct thread_uses u;
	int status;

	if (!is_timed(in->profile))
		return error_usage(err, "the input does not say when its samples were taken: "
					"--timeline needs recordings");
	if (view_input_is_rows(in->options)) {
		span = span_of(in->profile);
		return timeline_rows(in, &span, o, err);
	}
	status = thread_uses_find(&u, in, true, err);
	if (!status && gather(&t, &u))
		status = error_memory(err);
	thread_uses_free(&u);
	if (!status)
		status = gather_columns(&t, err);
	if (!status)
		write_timeline(&t, o);
	timeline_free(&t);
	return status;
}

const struct view view_timeline = {
	.name = "timeline",
	.help = "when processes or threads used how much; marks",
	.needs = VIEW_NEEDS_TIMES | VIEW_TELLS_THREADS,
	.ignores = VIEW_OPTIONS("unit", "hide", "collapse", "kernel", "by", "granularity", "names",
				"no-inlines"),
	.has_rows = true,
	.has_columns = true,
	.commands = {{.argument = VIEW_ARGUMENT_COUNT}},
	.emit = emit,
};
