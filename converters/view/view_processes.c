/* SPDX-License-Identifier: MIT */
/*
 * view_processes.c - lists the processes: who started them, when, how long they ran, what they used.
 *
 * In: what threads have used. Out: a line for each process, the one that used most first; with --by for each program, command
 * or rank.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/processes.h"
#include "model/short_processes.h"
#include "view/thread_uses.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/looks.h"
#include "write/rows.h"
#include "write/stop_text.h"
#include "write/weight.h"

#define ID_WIDTH      7
#define SECONDS_WIDTH 9
#define NOT_RECORDED  "not recorded"
#define COMMAND_ROOM  20 /* columns, below which columns of figures are left out */

struct line {
	const struct profile_process *process;
	uint32_t command;
	uint64_t weight, hits; /* of what is shown */
	uint64_t short_ns;     /* CPU time of one that left no recording */
	bool has_any;
};

/* Processes of one name. */
struct group {
	uint32_t name;
	uint64_t n, cpu_ns, weight, hits;
	bool is_timed; /* the CPU time of all is known */
};

/* What is above the lines, and what they are shown in proportion to. */
struct listing {
	const struct view_input *in;
	struct line *list;
	size_t n;
	uint64_t begin_ns, kept;
	uint64_t missing_ns; /* CPU time of children of which nothing is known */
	bool is_part;	     /* processes of which nothing is shown are left out */
};

static int compare(const void *a, const void *b)
{
	const struct profile_process *x = ((const struct line *)a)->process;
	const struct profile_process *y = ((const struct line *)b)->process;
	uint64_t of_x = ((const struct line *)a)->weight, of_y = ((const struct line *)b)->weight;

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	of_x = ((const struct line *)a)->short_ns;
	of_y = ((const struct line *)b)->short_ns;
	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	if (x->start_ns != y->start_ns)
		return x->start_ns > y->start_ns ? 1 : -1;
	return (x > y) - (x < y);
}

enum { PID, PARENT, RANK, START, ELAPSED, USED, SHARE, COLUMNS };

static void write_number_or(struct out *o, const struct looks_columns *c, size_t i, uint64_t number,
			    bool is_known)
{
	if (is_known)
		looks_format(o, c, i, "%" PRIu64, number);
	else
		looks_cell(o, c, i, "-");
}

/* There is a column of ranks if a process has one. */
static bool has_ranks(const struct profile *p)
{
	for (size_t i = 0; i < p->n_processes; i++)
		if (p->processes[i].has_rank)
			return true;
	return false;
}

static void write_seconds(struct out *o, const struct looks_columns *c, size_t i, uint64_t ns,
			  bool is_known)
{
	if (is_known)
		looks_format(o, c, i, "%.3f", (double)ns / 1e9);
	else
		looks_cell(o, c, i, "-");
}

/* How the process ended, if not as usual. */
static const char *end_of(const struct profile_process *process)
{
	const char *word = stop_text_word(process);

	return strcmp(word, "clean") == 0 || !process->start_ns ? NULL : word;
}

static bool shows_cpu(const struct listing *l)
{
	return weight_is_cpu(l->in->profile) && !l->is_part;
}

/* CPU time is the kernel's word. What was credited of another resource, or in a part of the run, stands in its
 * place. */
static void write_used(struct out *o, const struct looks_columns *c, const struct listing *l,
		       const struct line *line, bool is_timed)
{
	const struct profile *p = l->in->profile;
	char text[WEIGHT_BYTES];
	uint64_t cpu_ns = 0;

	if (shows_cpu(l)) {
		is_timed = run_times_cpu(p, line->process, &cpu_ns) && is_timed;
		write_seconds(o, c, USED, cpu_ns, is_timed);
	} else {
		looks_cell(
			o, c, USED,
			weight_brief(text, strings_get(p->strings, p->unit, NULL), line->weight));
	}
}

static struct looks_columns columns_of(const struct out *o, const struct listing *l)
{
	struct looks_columns c = {
		.list = {{"pid", ID_WIDTH, 0},
			 {"parent", ID_WIDTH, 4},
			 {"rank", has_ranks(l->in->profile) ? ID_WIDTH : 0, 0},
			 {"start s", SECONDS_WIDTH, 3},
			 {"elapsed s", SECONDS_WIDTH, 2},
			 {shows_cpu(l) ? "CPU s" : "used", SECONDS_WIDTH, 0},
			 {"%", 5, 1}},
		.n = COLUMNS,
	};

	looks_fit(&c, o, COMMAND_ROOM);
	return c;
}

/* A program without a sample may have begun before the first recording, from which all times are counted. */
static bool has_begin(const struct listing *l, const struct profile_process *process)
{
	return process->start_ns != 0 && process->start_ns >= l->begin_ns;
}

static void write_line(struct out *o, const struct listing *l, const struct line *line,
		       const struct looks_columns *c)
{
	const struct profile *p = l->in->profile;
	const struct profile_process *process = line->process;
	const char *name, *end = end_of(process);
	bool is_timed = process->start_ns != 0;
	size_t n;

	write_number_or(o, c, PID, process->pid, process->pid != 0);
	write_number_or(o, c, PARENT, process->ppid, process->ppid != 0);
	write_number_or(o, c, RANK, process->rank, process->has_rank);
	write_seconds(o, c, START, process->start_ns - l->begin_ns, has_begin(l, process));
	write_seconds(o, c, ELAPSED, run_times_lasted(process), is_timed);
	write_used(o, c, l, line, is_timed);
	looks_format(o, c, SHARE, "%.1f", weight_fraction(line->weight, p->weight) * 100);
	out_text(o, " ");
	name = strings_get(p->strings, line->command, &n);
	out_name_fit(o, name, n, looks_width(c) + 1 + (end ? (int)strlen(end) + 3 : 0));
	if (end)
		out_format(o, " [%s]", end);
	out_text(o, "\n");
}

/* What children used that no line has. */
static void write_missing(struct out *o, const struct listing *l, const struct looks_columns *c)
{
	for (size_t i = PID; i < USED; i++)
		looks_cell(o, c, i, "-");
	write_seconds(o, c, USED, l->missing_ns, true);
	looks_cell(o, c, SHARE, "-");
	out_text(o, " " NOT_RECORDED "\n");
}

static void write_number(struct rows *r, uint64_t ns, bool is_known)
{
	if (is_known)
		rows_count(r, ns);
	else
		rows_none(r);
}

static const char *const columns[] = {
	"pid",	   "ppid",  "begin_ns", "elapsed_ns", "cpu_ns", "credited", "credited_fraction",
	"samples", "ended", "command",	"rank",	      NULL};

static void write_row(struct rows *r, const struct listing *l, const struct line *line)
{
	const struct profile *p = l->in->profile;
	const struct profile_process *process = line->process;
	bool is_timed = process->start_ns != 0;
	uint64_t cpu_ns = 0;

	rows_row(r, columns);
	write_number(r, process->pid, process->pid != 0);
	write_number(r, process->ppid, process->ppid != 0);
	write_number(r, process->start_ns - l->begin_ns, has_begin(l, process));
	write_number(r, run_times_lasted(process), is_timed);
	is_timed = run_times_cpu(p, process, &cpu_ns) && is_timed;
	write_number(r, cpu_ns, is_timed);
	rows_count(r, line->weight);
	rows_fraction(r, weight_fraction(line->weight, p->weight));
	rows_count(r, line->hits);
	if (process->start_ns)
		rows_word(r, stop_text_word(process));
	else
		rows_none(r);
	rows_name(r, p->strings, line->command);
	write_number(r, process->rank, process->has_rank);
}

static void write_missing_row(struct rows *r, const struct listing *l)
{
	rows_row(r, columns);
	for (unsigned i = 0; i < 4; i++)
		rows_none(r);
	rows_count(r, l->missing_ns);
	rows_count(r, 0);
	rows_fraction(r, 0);
	rows_count(r, 0);
	rows_none(r);
	rows_word(r, NOT_RECORDED);
	rows_none(r);
}

static void write_rows(struct out *o, const struct listing *l)
{
	size_t top = l->in->options->top ? l->in->options->top : SIZE_MAX;
	struct rows r;

	rows_begin_threads(&r, o, "processes", l->in, l->kept);
	for (size_t i = 0; i < l->n && i < top; i++)
		write_row(&r, l, &l->list[i]);
	if (l->missing_ns)
		write_missing_row(&r, l);
	rows_end(&r);
}

static void write_heading(struct out *o, const struct listing *l)
{
	caption_write(o, "Processes", l->in);
	if (l->n < l->in->profile->n_processes)
		out_format(o, "%zu of %zu processes %s any of it\n", l->n,
			   l->in->profile->n_processes, l->n == 1 ? "has" : "have");
	out_text(o, "\n");
}

static void write_lines(struct out *o, const struct listing *l)
{
	struct footer footer = {.what = "process", .plural = "processes"};
	size_t i, top = l->in->options->top ? l->in->options->top : SIZE_MAX;
	const struct looks_columns c = columns_of(o, l);

	write_heading(o, l);
	looks_headings(o, &c);
	out_text(o, " command\n");
	caption_rule(o);
	for (i = 0; i < l->n && i < top; i++)
		write_line(o, l, &l->list[i], &c);
	if (l->missing_ns)
		write_missing(o, l, &c);
	footer.beyond = l->n - i;
	footer_write(o, &footer, l->in->options, 0);
	looks_say_left_out(o, &c);
}

/* What threads have used, by process. Processes of calls without stacks have no threads. */
static void gather(struct listing *l, const struct thread_uses *u, const uint32_t *commands)
{
	const struct profile *p = l->in->profile;
	size_t i;

	for (i = 0; i < p->n_processes; i++)
		l->list[i] = (struct line){.process = &p->processes[i],
					   .command = commands[i],
					   .weight = p->given_calls ? p->processes[i].weight : 0,
					   .has_any = !u->is_part};
	for (i = 0; i < u->n; i++) {
		struct line *line = &l->list[u->list[i].process];

		line->has_any = true;
		line->hits += u->list[i].hits;
		if (!p->given_calls)
			line->weight += u->list[i].weight;
	}
	for (i = 0; i < p->n_processes; i++)
		if (l->list[i].has_any)
			l->list[l->n++] = l->list[i];
	for (i = 0; shows_cpu(l) && i < p->n_shorts; i++)
		l->list[l->n++] = (struct line){.process = &p->shorts[i],
						.command = commands[p->n_processes + i],
						.short_ns = p->shorts[i].cpu_ns};
	qsort(l->list, l->n, sizeof(*l->list), compare);
}

/* It is of all processes, so not of a part of the run, nor of processes that were chosen. */
static int find_missing(struct listing *l, struct error *err)
{
	struct children c;

	if (!shows_cpu(l) || !l->in->profile->has_shorts)
		return 0;
	if (children_find(&c, l->in->profile, err))
		return -1;
	l->missing_ns = c.missing_ns;
	children_free(&c);
	return 0;
}

/* By rank, of which processes without a recording have none. NULL: memory. */
static uint32_t *name_ranks(struct strings *strings, const struct profile_process *list, size_t n)
{
	uint32_t *names = calloc(n + 1, sizeof(*names));

	for (size_t i = 0; names && i < n; i++) {
		char *text = group_names_rank(list[i].has_rank, list[i].rank);

		names[i] = text ? strings_add(strings, text, strlen(text)) : STRINGS_NONE;
		free(text);
		if (names[i] != STRINGS_NONE)
			continue;
		free(names);
		return NULL;
	}
	return names;
}

/* What the lines show. NULL: memory. */
static uint32_t *name_lines(const struct profile *p)
{
	struct profile_process *all = short_processes_and_others(p);
	size_t n = p->n_processes + p->n_shorts;
	uint32_t *names = !all			     ? NULL
			  : p->by == PROFILE_BY_EXE  ? commands_executables(p->strings, all, n)
			  : p->by == PROFILE_BY_RANK ? name_ranks(p->strings, all, n)
						     : commands_name(p->strings, all, n);

	free(all);
	return names;
}

/* ---- groups ----------------------------------------------------------------------------------- */

static bool is_grouped(const struct profile *p)
{
	return p->by == PROFILE_BY_EXE || p->by == PROFILE_BY_COMMAND || p->by == PROFILE_BY_RANK;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int compare_names(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return (x->name > y->name) - (x->name < y->name);
}

/* By what the table shows. */
static int compare_groups(const void *a, const void *b, void *context)
{
	const struct listing *l = context;
	const struct group *x = a, *y = b;

	if (shows_cpu(l) && x->cpu_ns != y->cpu_ns)
		return x->cpu_ns < y->cpu_ns ? 1 : -1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strings_compare(l->in->profile->strings, x->name, y->name);
}

static struct group group_of(const struct profile *p, const struct line *line)
{
	struct group g = {
		.name = line->command, .n = 1, .weight = line->weight, .hits = line->hits};

	g.is_timed = run_times_cpu(p, line->process, &g.cpu_ns) && line->process->start_ns != 0;
	if (!g.is_timed)
		g.cpu_ns = 0;
	return g;
}

/* Returns how many there are. */
static size_t group_lines(const struct listing *l, struct group *list)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		list[i] = group_of(l->in->profile, &l->list[i]);
	qsort(list, l->n, sizeof(*list), compare_names);
	for (size_t i = 0; i < l->n; i++) {
		struct group *last = n ? &list[n - 1] : NULL;

		if (!last || last->name != list[i].name) {
			list[n++] = list[i];
			continue;
		}
		last->n++;
		last->cpu_ns = sum_of(last->cpu_ns, list[i].cpu_ns);
		last->weight = sum_of(last->weight, list[i].weight);
		last->hits = sum_of(last->hits, list[i].hits);
		last->is_timed &= list[i].is_timed;
	}
	qsort_r(list, n, sizeof(*list), compare_groups, (void *)(uintptr_t)l);
	return n;
}

static void write_group_rows(struct out *o, const struct listing *l, const struct group *list,
			     size_t n)
{
	static const char *const keys[] = {"processes", "cpu_ns", "credited", "credited_fraction",
					   "samples",	"name",	  NULL};
	const struct profile *p = l->in->profile;
	size_t top = l->in->options->top ? l->in->options->top : SIZE_MAX;
	struct rows r;

	rows_begin_threads(&r, o, "processes", l->in, l->kept);
	for (size_t i = 0; i < n && i < top; i++) {
		rows_row(&r, keys);
		rows_count(&r, list[i].n);
		write_number(&r, list[i].cpu_ns, list[i].is_timed);
		rows_count(&r, list[i].weight);
		rows_fraction(&r, weight_fraction(list[i].weight, p->weight));
		rows_count(&r, list[i].hits);
		rows_name(&r, p->strings, list[i].name);
	}
	if (l->missing_ns) {
		rows_row(&r, keys);
		rows_none(&r);
		rows_count(&r, l->missing_ns);
		rows_count(&r, 0);
		rows_fraction(&r, 0);
		rows_count(&r, 0);
		rows_word(&r, NOT_RECORDED);
	}
	rows_end(&r);
}

enum { GROUP_PROCESSES, GROUP_USED, GROUP_SHARE, GROUP_COLUMNS };

static void write_group(struct out *o, const struct listing *l, const struct group *g,
			const struct looks_columns *c)
{
	const struct profile *p = l->in->profile;
	const char *unit = strings_get(p->strings, p->unit, NULL), *name;
	char text[WEIGHT_BYTES];
	size_t n;

	looks_format(o, c, GROUP_PROCESSES, "%" PRIu64, g->n);
	if (shows_cpu(l))
		write_seconds(o, c, GROUP_USED, g->cpu_ns, g->is_timed);
	else
		looks_cell(o, c, GROUP_USED, weight_brief(text, unit, g->weight));
	looks_format(o, c, GROUP_SHARE, "%.1f", weight_fraction(g->weight, p->weight) * 100);
	out_text(o, " ");
	name = strings_get(p->strings, g->name, &n);
	out_name_fit(o, name, n, looks_width(c) + 1);
	out_text(o, "\n");
}

static void write_groups(struct out *o, const struct listing *l, const struct group *list, size_t n)
{
	const enum profile_by by = l->in->profile->by;
	const char *what = by == PROFILE_BY_EXE	   ? "program"
			   : by == PROFILE_BY_RANK ? "rank"
						   : "command";
	struct footer footer = {.what = what};
	struct looks_columns c = {
		.list = {{"processes", SECONDS_WIDTH, 0},
			 {shows_cpu(l) ? "CPU s" : "used", SECONDS_WIDTH, 0},
			 {"%", 5, 1}},
		.n = GROUP_COLUMNS,
	};
	size_t i, top = l->in->options->top ? l->in->options->top : SIZE_MAX;

	looks_fit(&c, o, COMMAND_ROOM);
	write_heading(o, l);
	looks_headings(o, &c);
	out_format(o, " %s\n", what);
	caption_rule(o);
	for (i = 0; i < n && i < top; i++)
		write_group(o, l, &list[i], &c);
	if (l->missing_ns) {
		looks_cell(o, &c, GROUP_PROCESSES, "-");
		write_seconds(o, &c, GROUP_USED, l->missing_ns, true);
		looks_cell(o, &c, GROUP_SHARE, "-");
		out_text(o, " " NOT_RECORDED "\n");
	}
	footer.beyond = n - i;
	footer_write(o, &footer, l->in->options, 0);
	looks_say_left_out(o, &c);
}

static int emit_groups(const struct listing *l, struct out *o, struct error *err)
{
	struct group *list = calloc(l->n + 1, sizeof(*list));
	size_t n = list ? group_lines(l, list) : 0;

	if (!list)
		return error_memory(err);
	if (view_input_is_rows(l->in->options))
		write_group_rows(o, l, list, n);
	else
		write_groups(o, l, list, n);
	free(list);
	return 0;
}

/* ---- the view --------------------------------------------------------------------------------- */

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct profile *p = in->profile;
	uint32_t *commands = name_lines(p);
	struct listing l = {.in = in, .begin_ns = run_times_begin(p)};
	struct thread_uses u;
	int status = thread_uses_find(&u, in, false, err);

	l.list = calloc(p->n_processes + p->n_shorts + 1, sizeof(*l.list));
	l.is_part = u.is_part;
	l.kept = p->given_calls ? p->weight : u.weight;
	if (!status && !(commands && l.list))
		status = error_memory(err);
	if (!status)
		status = find_missing(&l, err);
	if (!status)
		gather(&l, &u, commands);
	if (!status && p->by == PROFILE_BY_THREAD)
		status = error_usage(err,
				     "--processes takes no --by thread; --threads lists threads");
	if (!status && is_grouped(p))
		status = emit_groups(&l, o, err);
	else if (!status && view_input_is_rows(in->options))
		write_rows(o, &l);
	else if (!status)
		write_lines(o, &l);
	thread_uses_free(&u);
	free(commands);
	free(l.list);
	return status;
}

const struct view view_processes = {
	.name = "processes",
	.help = "the processes: who, when, for how long, how much",
	.fits_screen = true,
	.needs = VIEW_TAKES_CALLS | VIEW_TELLS_THREADS,
	.ignores = VIEW_OPTIONS("unit", "hide", "collapse", "kernel", "granularity", "names",
				"no-inlines"),
	.has_rows = true,
	.commands = {{.argument = VIEW_ARGUMENT_COUNT}},
	.emit = emit,
};
