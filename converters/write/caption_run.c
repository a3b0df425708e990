/* SPDX-License-Identifier: MIT */
/*
 * caption_run.c - says how much of a run was work, what the rest was, and which programs ran.
 *
 * In: a profile. Out: lines above a table.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/caption.h"
#include "write/weight.h"

#define SOME	  100 /* one part in so many of the elapsed time is worth a word */
#define BUSY	  0.95
#define MUCH	  0.1  /* of the time of threads, if they were stalled */
#define DEAR	  0.05 /* of the CPU time, if recording took it */
#define STATES	  8
#define READY	  "ready" /* the state of who waits for a processor */
#define NAME_MOST 24	  /* of a program, in columns */

/* ---- work and waiting ------------------------------------------------------------------------ */

/* Both times of one line have the same unit. */
static void write_cpu(struct out *o, uint64_t cpu_ns, uint64_t elapsed_ns)
{
	double unit = elapsed_ns >= 1000000000 ? 1e9 : elapsed_ns >= 1000000 ? 1e6 : 1e3;
	const char *name = unit > 1e8 ? "s" : unit > 1e5 ? "ms" : "us";

	out_format(o, "%.2f %s CPU of %.2f %s elapsed", (double)cpu_ns / unit, name,
		   (double)elapsed_ns / unit, name);
}

static uint64_t minimum(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_one_thread(const struct profile *p, const struct run_times *r)
{
	return p->n_processes == 1 && r->n_threads <= 1;
}

/* How long a process's threads were ready, by the samples of "real". */
static uint64_t sampled_ready(const struct profile *p, const struct profile_process *process)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < process->n_resources; i++) {
		const struct profile_resource *r = &process->resources[i];

		for (size_t s = 0; profile_text_is(p, r->name, "real") && s < r->n_states; s++)
			if (profile_text_is(p, r->states[s].name, READY))
				ns += minimum(r->states[s].credited, UINT64_MAX - ns);
	}
	return ns;
}

/* How long all threads were ready to run and had no processor, as the kernel has counted it until the end, and of processes
 * without one as samples say; 0: hardly, or that is not known of the part shown. */
static uint64_t ready_of(const struct profile *p, const struct run_times *r)
{
	uint64_t ns = 0, more;

	for (size_t i = 0; i < p->n_processes && !p->from_ns && !p->to_ns; i++) {
		more = p->processes[i].ready_ns;
		more = more ? more : sampled_ready(p, &p->processes[i]);
		ns += minimum(more, UINT64_MAX - ns);
	}
	return ns > r->elapsed_ns / SOME ? ns : 0;
}

/* From outside nothing says how long threads were ready to run. */
static bool is_from_outside(const struct profile *p)
{
	for (size_t i = 0; i < p->n_processes; i++)
		if (profile_text_is(p, p->processes[i].engine, "outside"))
			return true;
	return false;
}

/* What a single thread did while it did not run. Returns whether it says how long it was ready. */
static bool write_rest(struct out *o, const struct profile *p, const struct run_times *r)
{
	uint64_t ready = ready_of(p, r);
	char text[WEIGHT_BYTES];

	double busy = (double)r->cpu_ns + (double)r->own_ns, least = BUSY * (double)r->elapsed_ns;

	if (busy >= least) {
		out_text(o, ")");
		return false;
	}
	if (ready < (1 - BUSY) * (double)r->elapsed_ns || busy + (double)ready < least) {
		out_format(o, "): the rest was waiting%s%s",
			   is_from_outside(p) ? ", also for a processor" : "",
			   (double)r->own_ns > (1 - BUSY) * (double)r->elapsed_ns ? " or recording"
										  : "");
		return false;
	}
	out_format(o, "); %s waited for a processor", weight_duration(text, ready));
	return true;
}

/* What one processor could have done is 100 %. */
static bool write_share(struct out *o, const struct profile *p, const struct run_times *r,
			double share)
{
	bool is_one = is_one_thread(p, r), has_ready = false;

	out_format(o, share < 0.1 ? " (%.1f %%" : " (%.0f %%", share * 100);
	if (is_one && share < BUSY)
		has_ready = write_rest(o, p, r);
	else if (is_one)
		out_text(o, ")");
	else if (share > 1.05)
		out_format(o, "): %.1f processors busy on average", share);
	else
		out_text(o, " of one processor)");
	if (r->n_runs > 1)
		out_format(o, ", in %zu runs", r->n_runs);
	out_text(o, "\n");
	return has_ready;
}

/* What is not yet said of it: a line of its own. */
static void write_ready(struct out *o, const struct profile *p, const struct run_times *r)
{
	uint64_t ready = ready_of(p, r);
	bool is_sampled = false;
	char text[WEIGHT_BYTES];

	for (size_t i = 0; i < p->n_processes && !is_sampled; i++)
		is_sampled = sampled_ready(p, &p->processes[i]) > 0;
	if (ready)
		out_format(o, "%s %s for a processor%s\n",
			   is_one_thread(p, r) ? "waited" : "threads waited",
			   weight_duration(text, ready),
			   is_sampled ? " (--resource real --state " READY ")" : "");
}

/* A part of the run: between two times of it. */
static void cut_times(const struct profile *p, struct run_times *r)
{
	uint64_t to = p->to_ns ? minimum(p->to_ns, r->elapsed_ns) : r->elapsed_ns;
	double part = r->cpu_ns ? (double)p->weight / (double)r->cpu_ns : 0;

	/* Recording is taken to go along with work. */
	r->own_ns = (uint64_t)((part < 1 ? part : 1) * (double)r->own_ns);
	r->elapsed_ns = to - minimum(p->from_ns, to);
	r->cpu_ns = p->weight;
}

/* How long threads were in each state. */
struct waits {
	uint32_t names[STATES];
	uint64_t weights[STATES];
	size_t n;
};

static void waits_add(struct waits *w, const struct profile_state *state)
{
	size_t i = 0;

	while (i < w->n && w->names[i] != state->name)
		i++;
	if (i == STATES)
		return;
	if (i == w->n) {
		w->names[w->n] = state->name;
		w->weights[w->n++] = 0;
	}
	w->weights[i] += minimum(state->credited, UINT64_MAX - w->weights[i]);
}

/* What threads did when they did not run, by the states of the resource "real", but for what is said of a processor. */
static void waits_find(struct waits *w, const struct profile *p)
{
	*w = (struct waits){0};
	for (size_t i = 0; i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_resources; k++) {
			const struct profile_resource *r = &p->processes[i].resources[k];

			for (size_t s = 0; profile_text_is(p, r->name, "real") && s < r->n_states;
			     s++)
				if (!profile_text_is(p, r->states[s].name, "running") &&
				    !profile_text_is(p, r->states[s].name, READY))
					waits_add(w, &r->states[s]);
		}
}

static void write_waits(struct out *o, const struct profile *p, const struct run_times *r)
{
	struct waits w;
	char text[WEIGHT_BYTES];
	const char *name;
	size_t n = 0, length;
	uint32_t first = 0;

	waits_find(&w, p);
	for (;;) {
		size_t most = 0;

		for (size_t i = 1; i < w.n; i++)
			most = w.weights[i] > w.weights[most] ? i : most;
		if (!w.n || w.weights[most] <= r->elapsed_ns / SOME)
			break;
		out_text(o, n++ ? ", " : "waited ");
		out_text(o, weight_duration(text, w.weights[most]));
		out_text(o, " in ");
		name = strings_get(p->strings, w.names[most], &length);
		out_name(o, name, length);
		first = n == 1 ? w.names[most] : first;
		w.weights[most] = 0;
	}
	if (!n)
		return;
	out_text(o, " (--resource real --state ");
	name = strings_get(p->strings, first, &length);
	out_name(o, name, length);
	out_text(o, ")\n");
}

bool caption_run(struct out *o, const struct profile *p, struct run_times *r)
{
	struct error unused;

	if (run_times_find(r, p, &unused) <= 0)
		return false;
	if (p->threads || p->states)
		return false;
	if (p->from_ns || p->to_ns) {
		if (!weight_is_cpu(p) || r->n_runs > 1)
			return false;
		cut_times(p, r);
	}
	if (!r->elapsed_ns)
		return false;
	write_cpu(o, r->cpu_ns, r->elapsed_ns);
	if (!write_share(o, p, r, (double)r->cpu_ns / (double)r->elapsed_ns))
		write_ready(o, p, r);
	if (!p->from_ns && !p->to_ns)
		write_waits(o, p, r);
	return true;
}

/* ---- remarks --------------------------------------------------------------------------------- */

/* CPU time of processes that say what recording took of it. */
struct cost {
	uint64_t own_ns, cpu_ns;
};

static void cost_add(struct cost *c, const struct profile_process *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!list[i].ended)
			continue;
		c->cpu_ns += minimum(list[i].cpu_ns, UINT64_MAX - c->cpu_ns);
		c->own_ns += minimum(list[i].own_ns, UINT64_MAX - c->own_ns);
	}
}

/* 0: it is not known. */
static double cost_share(const struct cost *c)
{
	return c->cpu_ns ? weight_fraction(c->own_ns, c->cpu_ns) : 0;
}

bool caption_says_recording(const struct profile *p)
{
	struct cost cost = {0, 0};

	cost_add(&cost, p->processes, p->n_processes);
	return cost_share(&cost) >= DEAR;
}

static void write_recording(struct out *o, const struct profile *p)
{
	struct cost cost = {0, 0};
	char text[WEIGHT_BYTES];
	double share;

	if (!caption_says_recording(p))
		return;
	cost_add(&cost, p->processes, p->n_processes);
	share = cost_share(&cost);
	if (p->threads || p->states || p->from_ns || p->to_ns)
		out_format(o, "recording itself took %.3g %% of the whole run's CPU time",
			   100 * share);
	else
		out_format(o, "recording itself took %s, %.3g %% of the CPU time",
			   weight_duration(text, cost.own_ns), 100 * share);
	out_text(o, "; no row has it\n");
}

void caption_cost_compared(struct out *o, const struct profile *p)
{
	struct cost sides[2] = {0};
	double before, after;

	for (size_t i = 0; i < p->n_runs && i < p->n_columns; i++)
		cost_add(&sides[i >= p->n_base], p->processes + p->columns[i].first_process,
			 p->columns[i].n_processes);
	before = cost_share(&sides[0]);
	after = cost_share(&sides[1]);
	if (before >= DEAR || after >= DEAR)
		out_format(o,
			   "recording itself took %.3g %% of the CPU time before, %.3g %% after; "
			   "no row has it\n",
			   100 * before, 100 * after);
}

/* What a thread is `stalled` for nobody says, so that a heading says what it may be, if that is much. */
static void write_stalled(struct out *o, const struct profile *p)
{
	static const char text[] =
		"stalled is a wait for pages (-r major-faults), in a call of under 25 us "
		"or without a wrapper, %sor for the host of a virtual machine%s";
	uint64_t all = 0, stalled = 0, ready = 0;
	bool is_attached = false;
	char line[512];
	size_t n;

	for (size_t i = 0; i < p->n_processes; i++) {
		is_attached |= p->processes[i].began_ns != 0;
		ready += minimum(p->processes[i].ready_ns, UINT64_MAX - ready);
		for (size_t k = 0; k < p->processes[i].n_resources; k++) {
			const struct profile_resource *r = &p->processes[i].resources[k];

			for (size_t s = 0; profile_text_is(p, r->name, "real") && s < r->n_states;
			     s++) {
				uint64_t ns = minimum(r->states[s].credited, UINT64_MAX - all);

				all += ns;
				stalled +=
					profile_text_is(p, r->states[s].name, "stalled") ? ns : 0;
			}
		}
	}
	if (weight_fraction(stalled, all) < MUCH)
		return;
	n = (size_t)snprintf(line, sizeof(line), text,
			     is_attached ? "one that had begun before cpsample -p, " : "",
			     ready ? ""
				   : ", or for a processor, of which the kernel says nothing here");
	caption_folded(o, line, n, 0, 0);
	out_text(o, "\n");
}

void caption_remarks(struct out *o, const struct profile *p)
{
	write_recording(o, p);
	write_stalled(o, p);
}

/* ---- programs -------------------------------------------------------------------------------- */

struct program {
	struct event_text name;
	size_t n;
};

static int compare_names(const void *a, const void *b)
{
	const struct program *x = a, *y = b;
	size_t n = x->name.length < y->name.length ? x->name.length : y->name.length;
	int order = n ? memcmp(x->name.bytes, y->name.bytes, n) : 0;

	return order ? order
		     : (x->name.length > y->name.length) - (x->name.length < y->name.length);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : compare_names(a, b);
}

static size_t count_programs(struct program *list, size_t n)
{
	size_t programs = 0;

	qsort(list, n, sizeof(*list), compare_names);
	for (size_t i = 0; i < n; i++) {
		if (programs && !compare_names(&list[programs - 1], &list[i]))
			list[programs - 1].n++;
		else
			list[programs++] = list[i];
	}
	qsort(list, programs, sizeof(*list), compare_numbers);
	return programs;
}

/* "258 cc1, 33 sh": as many as fit the line, and at least one. */
static void write_programs(struct out *o, const struct program *list, size_t n, size_t all)
{
	int used = snprintf(NULL, 0, "%zu processes: ", all);
	size_t rest = all;

	out_format(o, "%zu processes: ", all);
	for (size_t i = 0; i < n; i++) {
		int columns = (int)snprintf(NULL, 0, ", %zu ", list[i].n) +
			      (int)minimum(list[i].name.length, NAME_MOST);
		size_t length = list[i].name.length;

		if (i && used + columns > out_text_width(o) - (int)strlen(", 100000 others"))
			break;
		out_format(o, "%s%zu ", i ? ", " : "", list[i].n);
		out_name(o, list[i].name.bytes, length > NAME_MOST ? NAME_MOST : length);
		used += columns;
		rest -= list[i].n;
	}
	if (rest)
		out_format(o, ", %zu other%s", rest, rest == 1 ? "" : "s");
	out_text(o, "\n");
}

bool caption_programs(struct out *o, const struct profile *p)
{
	struct program *list = calloc(p->n_processes + 1, sizeof(*list));
	bool is_known = list != NULL;

	for (size_t i = 0; list && i < p->n_processes; i++) {
		list[i] = (struct program){profile_program_of(p->strings, &p->processes[i]), 1};
		is_known &= list[i].name.length > 0;
	}
	if (is_known)
		write_programs(o, list, count_programs(list, p->n_processes), p->n_processes);
	free(list);
	return is_known;
}
