/* SPDX-License-Identifier: MIT */
/*
 * view_summary.c - one page of text about a profile, for a ticket, a chat or a language model.
 *
 * In: struct tree, or a call graph without stacks. Out: at most 60 lines, of at most 80 columns or as many as the terminal has, but no more than 200.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/processes.h"
#include "model/short_processes.h"
#include "view/summary.h"
#include "view/thread_uses.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/info_text.h"
#include "write/looks.h"
#include "write/sheet.h"
#include "write/weight.h"

#define LINES_MOST 60
#define COLUMNS	   80 /* of so many lines; of fewer columns there may be more lines */
#define FUNCTIONS  8
#define RESOURCES  12 /* more than this are in --info */
#define PARTS	   4  /* of a list in a line */
#define STATES	   16 /* of a resource; more than any has */
#define PART_MOST  24 /* columns of its names */
#define LAST_LINES 4  /* for what was lost */

static double percent_of(uint64_t part, uint64_t whole)
{
	return weight_fraction(part, whole) * 100;
}

/* Whether samples are left out. What recordings say of resources and losses is of all. */
static bool is_part(const struct view_input *in)
{
	const struct profile *p = in->profile;

	return p->threads || p->states || p->from_ns || p->to_ns ||
	       (in->tree && in->tree->filter && filter_drops(in->tree->filter));
}

/* ---- what it is made of: lists in a line ------------------------------------------------------ */

struct part {
	struct event_text name;
	uint64_t id; /* to be shown behind the name; 0: none */
	uint64_t weight;
};

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->weight < y->weight) - (x->weight > y->weight);
}

/* "modules: 62.1 % libc.so.6, 20.0 % prog, 3 others" */
static void write_parts(struct out *o, const char *what, struct part *list, size_t n,
			uint64_t whole)
{
	size_t i;

	qsort(list, n, sizeof(*list), compare_parts);
	while (n && !list[n - 1].weight)
		n--;
	out_format(o, "%s: ", what);
	for (i = 0; i < n && i < PARTS; i++) {
		out_format(o, "%s%.1f %% ", i ? ", " : "", percent_of(list[i].weight, whole));
		out_name_cut(o, list[i].name.bytes, list[i].name.length, PART_MOST - 8);
		if (list[i].id)
			out_format(o, " %" PRIu64, list[i].id);
	}
	out_format(o, n > i ? "%s%zu more\n" : "\n", i ? ", " : "", n - i);
}

static void write_modules(struct out *o, const struct view_input *in,
			  const struct tree_function *functions, size_t n)
{
	const struct profile *p = in->profile;
	struct part *parts = calloc(p->n_modules + 2, sizeof(*parts));
	uint32_t module;
	size_t i, used = 0;

	for (i = 0; parts && in->tree && i < n; i++) {
		module = functions[i].name < in->tree->n_modules
				 ? in->tree->modules[functions[i].name]
				 : 0;
		module = module == TREE_SEVERAL_MODULES || module > p->n_modules ? 0 : module;
		parts[module].weight += functions[i].self;
		if (module)
			parts[module].name = looks_module(in, functions[i].name);
	}
	for (i = 1; parts && i <= p->n_modules; i++)
		if (parts[i].weight)
			parts[used++] = parts[i];
	if (used)
		write_parts(o, "modules", parts, used, view_input_total(in));
	free(parts);
}

static struct event_text text_of(const struct profile *p, uint32_t string)
{
	struct event_text text = {"", 0};

	if (string != STRINGS_NONE)
		text.bytes = strings_get(p->strings, string, &text.length);
	return text;
}

/* The threads of all processes, if there are several. */
static int write_threads(struct out *o, const struct view_input *in, struct error *err)
{
	const struct profile *p = in->profile;
	bool is_samples = in->options->unit == VIEW_UNIT_SAMPLES;
	struct thread_uses u;
	int status = thread_uses_find(&u, in, false, err);
	struct part *parts = !status && u.n > 1 ? calloc(u.n, sizeof(*parts)) : NULL;

	for (size_t i = 0; parts && i < u.n; i++) {
		const struct thread_use *use = &u.list[i];

		parts[i] = (struct part){text_of(p, use->thread->name), use->thread->tid,
					 is_samples ? use->hits : use->weight};
	}
	if (parts)
		write_parts(o, "threads", parts, u.n, is_samples ? p->hits : p->weight);
	free(parts);
	thread_uses_free(&u);
	return status;
}

/* ---- programs without a sample ---------------------------------------------------------------- */

struct program {
	uint32_t name;
	size_t n;
	uint64_t cpu_ns;
};

static int compare_names(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	return (x->name > y->name) - (x->name < y->name);
}

static int compare_programs(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns < y->cpu_ns ? 1 : -1;
	return compare_names(a, b);
}

/* Those of one name become one. Returns how many there are. */
static size_t merge_programs(struct program *list, size_t n)
{
	size_t used = 0;

	qsort(list, n, sizeof(*list), compare_names);
	for (size_t i = 0; i < n; i++) {
		if (!used || list[used - 1].name != list[i].name) {
			list[used++] = list[i];
			continue;
		}
		list[used - 1].n++;
		if (__builtin_add_overflow(list[used - 1].cpu_ns, list[i].cpu_ns,
					   &list[used - 1].cpu_ns))
			list[used - 1].cpu_ns = UINT64_MAX;
	}
	qsort(list, used, sizeof(*list), compare_programs);
	return used;
}

/* "ended without a sample: 310 programs, 1.200 s: as (100) 800.000 ms, sh (210) 400.000 ms (--processes)" */
static int write_shorts(struct out *o, const struct view_input *in, struct error *err)
{
	const struct profile *p = in->profile;
	uint32_t *names;
	struct program *list;
	char text[WEIGHT_BYTES];
	size_t i, n;

	if (!p->n_shorts || !weight_is_cpu(p) || is_part(in))
		return 0;
	names = commands_programs(p->strings, p->shorts, p->n_shorts);
	list = calloc(p->n_shorts, sizeof(*list));
	for (i = 0; names && list && i < p->n_shorts; i++)
		list[i] = (struct program){names[i], 1, p->shorts[i].cpu_ns};
	if (names && list) {
		n = merge_programs(list, p->n_shorts);
		out_format(o,
			   "ended without a sample: %zu program%s, %s of CPU time: ", p->n_shorts,
			   p->n_shorts == 1 ? "" : "s",
			   weight_duration(text, short_processes_used(p)));
		for (i = 0; i < n && i < PARTS; i++) {
			struct event_text name = text_of(p, list[i].name);

			out_text(o, i ? ", " : "");
			out_name_cut(o, name.bytes, name.length, PART_MOST);
			out_format(o, " (%zu) %s", list[i].n,
				   weight_duration(text, list[i].cpu_ns));
		}
		out_format(o, n > i ? ", %zu more\n" : "\n", n - i);
	}
	i = names && list;
	free(names);
	free(list);
	return i ? 0 : error_memory(err);
}

/* ---- resources, and what waited --------------------------------------------------------------- */

/* What a resource has in all processes. */
struct amount {
	uint32_t name, unit;
	uint64_t credited, samples;
	bool is_live;
	struct part states[STATES];
	size_t n_states;
};

static void add_state(struct amount *a, const struct profile *p, const struct profile_state *s)
{
	struct event_text name = text_of(p, s->name);
	size_t i = 0;

	while (i < a->n_states && a->states[i].name.bytes != name.bytes)
		i++;
	if (i == STATES)
		return;
	a->n_states += i == a->n_states;
	a->states[i].name = name;
	if (__builtin_add_overflow(a->states[i].weight, s->credited, &a->states[i].weight))
		a->states[i].weight = UINT64_MAX;
}

static void add_resource(struct amount *list, size_t *n, const struct profile *p,
			 const struct profile_resource *r)
{
	size_t i = 0, k;

	if (!r->credited && !r->samples)
		return;
	while (i < *n && list[i].name != r->name)
		i++;
	if (i == RESOURCES + 1)
		return;
	if (i == *n)
		list[(*n)++] =
			(struct amount){.name = r->name, .unit = r->unit, .is_live = r->is_live};
	if (__builtin_add_overflow(list[i].credited, r->credited, &list[i].credited))
		list[i].credited = UINT64_MAX;
	list[i].samples += r->samples;
	for (k = 0; k < r->n_states; k++)
		add_state(&list[i], p, &r->states[k]);
}

/* "real: 2.890 s, 723 samples: 62.1 % wait, 30.0 % running" */
static void write_amount(struct out *o, const struct profile *p, struct amount *a)
{
	struct event_text name = text_of(p, a->name);
	const char *unit = a->unit == STRINGS_NONE ? "" : text_of(p, a->unit).bytes;
	char text[WEIGHT_BYTES];

	out_text(o, "  ");
	out_name_cut(o, name.bytes, name.length, PART_MOST);
	out_format(o, ": %s, %" PRIu64 " sample%s", weight_with_unit(text, unit, a->credited),
		   a->samples, a->samples == 1 ? "" : "s");
	if (a->is_live) {
		out_text(o, ": live ");
		caption_moment(o, p);
	}
	if (a->n_states > 1)
		write_parts(o, "", a->states, a->n_states, a->credited);
	else
		out_text(o, "\n");
}

/* What was counted at the same time, if it was more than one resource. */
static void write_resources(struct out *o, const struct profile *p, bool is_part)
{
	struct amount list[RESOURCES + 1];
	size_t i, k, n = 0;

	for (i = 0; i < p->n_processes; i++)
		for (k = 0; k < p->processes[i].n_resources; k++)
			add_resource(list, &n, p, &p->processes[i].resources[k]);
	if (n < 2)
		return;
	out_format(o, "counted%s, and in which states threads were (--resource NAME shows one):\n",
		   is_part ? " in the whole run" : "");
	for (i = 0; i < n && i < RESOURCES; i++)
		write_amount(o, p, &list[i]);
	if (n > RESOURCES)
		out_text(o, "  and others (cpconv --info)\n");
}

/* ---- functions, paths, lines ------------------------------------------------------------------ */

static int compare_functions(const void *a, const void *b, void *strings)
{
	const struct tree_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strings_compare(strings, x->name, y->name);
}

static void write_functions(struct out *o, const struct view_input *in,
			    struct tree_function *functions, size_t n)
{
	const struct strings *strings = in->profile->strings;
	uint64_t all = view_input_total(in);
	const char *name;
	size_t i, length;

	qsort_r(functions, n, sizeof(*functions), compare_functions, (void *)(uintptr_t)strings);
	out_text(o, "\n  self %  total %  heaviest functions, by themselves\n");
	for (i = 0; i < n && i < FUNCTIONS && functions[i].self; i++) {
		out_format(o, "%8.2f %8.2f  ", percent_of(functions[i].self, all),
			   percent_of(functions[i].total, all));
		name = strings_shown(strings, functions[i].name, &length);
		out_name_fit(o, name, length, 19);
		out_text(o, "\n");
	}
}

static void write_paths(struct out *o, const struct tree *t)
{
	struct summary_paths p;

	summary_paths_find(&p, t);
	if (!p.n)
		return;
	out_format(o, "\n share %%  heaviest call paths, nothing counted twice (%.1f %% of all)\n",
		   percent_of(p.total, t->total));
	if (p.common) {
		out_text(o, "   below  ");
		summary_path_write(o, t, &p, p.n, 10);
		out_text(o, "\n");
	}
	for (size_t i = 0; i < p.n; i++) {
		out_format(o, "%8.2f  ", percent_of(p.weights[i], t->total));
		summary_path_write(o, t, &p, i, 10);
		out_text(o, "\n");
	}
}

static void write_line(struct out *o, const struct view_input *in, const struct summary_line *l)
{
	size_t n;
	const char *path = strings_get(in->profile->strings, l->file, &n), *name;
	const char *slash = memrchr(path, '/', n);
	char line[16];
	int column;

	out_format(o, "%8.2f  ", percent_of(l->self, view_input_total(in)));
	n -= slash ? (size_t)(slash + 1 - path) : 0;
	name = slash ? slash + 1 : path;
	column = out_name_columns(name, n) < PART_MOST ? out_name_columns(name, n) : PART_MOST;
	out_name_cut(o, name, n, PART_MOST);
	column += 10 + snprintf(line, sizeof(line), ":%" PRIu32 " ", l->line);
	out_text(o, line);
	name = strings_shown(in->profile->strings, l->function, &n);
	out_name_fit(o, name, n, column);
	out_text(o, "\n");
}

static int write_lines(struct out *o, const struct view_input *in, const struct sheet *sheet,
		       struct error *err)
{
	struct summary_lines l;

	if (in->tree->filter || in->profile->n_base)
		return 0;
	if (summary_lines_find(&l, in, err))
		return -1;
	if (!l.n)
		return 0;
	out_text(o, "\n  self %  hottest source lines\n");
	for (size_t i = 0; i < l.n && sheet_left(sheet) > LAST_LINES; i++)
		write_line(o, in, &l.list[i]);
	return 0;
}

/* ---- what was lost ---------------------------------------------------------------------------- */

static void write_losses(struct out *o, const struct profile *p, bool is_part)
{
	uint64_t losses[CPS_LOSS_COUNT + 1] = {0}, weight = 0, whole = 0, lost = 0, cut = 0;
	size_t i, k;

	for (i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];

		for (k = 0; k <= CPS_LOSS_COUNT; k++)
			losses[k] += process->losses[k];
		lost += profile_process_lost(process);
		cut += !process->ended;
		weight += profile_process_sampled(process);
		whole += process->weight_complete;
	}
	if (p->by_name || p->given_calls)
		return;
	out_format(o, "\nlost%s: %s", is_part ? " in the whole run" : "", lost ? "" : "no tick");
	for (k = 0, i = 0; k <= CPS_LOSS_COUNT; k++)
		if (losses[k])
			out_format(o, "%s%" PRIu64 " %s", i++ ? ", " : "", losses[k],
				   info_text_losses[k]);
	out_format(o, "; stacks that are not whole: %.2f %%", percent_of(weight - whole, weight));
	if (cut)
		out_format(o, "\nrecordings without an end: %" PRIu64 " of %zu", cut,
			   p->n_processes);
	out_text(o, "\n");
}

/* ---- the view --------------------------------------------------------------------------------- */

static int write_all(const struct view_input *in, struct out *o, const struct sheet *sheet,
		     struct error *err)
{
	size_t n;
	struct tree_function *functions = view_input_functions(in, &n, err);
	int status = 0;

	if (!functions)
		return -1;
	caption_write(o, "Summary", in);
	caption_self(o, in);
	write_resources(o, in->profile, is_part(in));
	write_modules(o, in, functions, n);
	status = write_shorts(o, in, err) || write_threads(o, in, err) ? -1 : 0;
	write_functions(o, in, functions, n);
	free(functions);
	if (in->tree)
		write_paths(o, in->tree);
	if (!status && in->tree && in->symbols)
		status = write_lines(o, in, sheet, err);
	if (!status)
		write_losses(o, in->profile, is_part(in));
	return status;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct sheet sheet = {.most_lines = LINES_MOST};
	int status, width = out_text_width(o);

	if (width < COLUMNS)
		sheet.most_lines = LINES_MOST * COLUMNS / width;
	sheet_begin(&sheet, o, width);
	status = write_all(in, o, &sheet, err);
	sheet_end(&sheet, o);
	return status;
}

const struct view view_summary = {
	.name = "summary",
	.help = "one page of text: heaviest paths, hottest lines",
	.needs = VIEW_NEEDS_TREE | VIEW_TAKES_CALLS | VIEW_WANTS_LINES | VIEW_TELLS_THREADS,
	.options = VIEW_OPTIONS("self"),
	.ignores = VIEW_OPTIONS("top"),
	.emit = emit,
};
