/* SPDX-License-Identifier: MIT */
/*
 * caption.c - writes the lines above a table.
 *
 * In: a profile. Out: text.
 */
#include "write/caption.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/processes.h"
#include "model/short_processes.h"
#include "write/rate.h"
#include "write/weight.h"

#define PROCESSES_NAMED 4u
#define CONSIDERABLE	19u /* one part in so many of what is shown: a twentieth of both */
#define NEARLY_ALL	0.99
#define NORMAL_95	1.96 /* standard deviations of an interval of 95 % */
#define SAMPLES_FEW	400  /* of the same weight: a half is known to a twentieth */
#define SAMPLES_TOO_FEW 4    /* a half may be anything */
/* A late tick is worth a line if it is so many times the mean, one part in so many of all, and there are some to tell the mean. */
#define MANY_MISSED 0.001 /* of the calls that were counted */

#define LATE_TIMES 8
#define LATE_SHARE 50
#define LATE_LEAST 10

static const char *string(const struct profile *p, uint32_t number, size_t *length)
{
	*length = 0;
	return number == STRINGS_NONE ? "" : strings_get(p->strings, number, length);
}

/* The papers call the resource "cpu" CPU Time. Each word of another one gets a capital:
 * "page-faults" becomes Page Faults. What is behind a colon is a name of the program's. */
static void write_resource(struct out *o, const struct profile *p, uint32_t resource)
{
	size_t n, i;
	const char *name = string(p, resource, &n);
	bool begins = true;
	const char *colon = memchr(name, ':', n);

	if (n == 3 && memcmp(name, "cpu", 3) == 0) {
		out_text(o, "CPU Time");
		return;
	}
	for (i = 0; i < n; i++) {
		bool is_word = !colon || name + i < colon;
		char c = is_word && (name[i] == '-' || name[i] == '_') ? ' ' : name[i];

		if (begins)
			c = (char)toupper((unsigned char)c);
		out_name(o, &c, 1);
		begins = c == ' ';
	}
}

/* The line has `column` bytes already. */
static void write_resources(struct out *o, const struct profile *p, size_t column)
{
	size_t i, n;

	if (!p->n_columns)
		write_resource(o, p, p->resource);
	for (i = 0; i < p->n_columns; i += p->n_base ? p->n_runs : 1) {
		const char *name = string(p, p->columns[i].resource, &n);
		size_t bytes = strcmp(name, "cpu") == 0 ? strlen("CPU Time") : n;
		bool is_full = i && column + bytes + strlen(", ,") > (size_t)out_text_width(o);

		if (i)
			out_text(o, is_full ? ",\n  " : ", ");
		column = (is_full ? 0 : column) + bytes + strlen(", ");
		write_resource(o, p, p->columns[i].resource);
	}
}

/* Describe a profile of calls without stacks, which were counted or sampled. */
static void write_calls(struct out *o, const struct given_calls *c)
{
	out_format(o, "calls without stacks: %zu function%s, %zu call%s of one by another\n",
		   c->n_functions, c->n_functions == 1 ? "" : "s", c->n_arcs,
		   c->n_arcs == 1 ? "" : "s");
}

static bool shows(const struct profile *p, const char *resource)
{
	bool is_shown = !p->n_columns && profile_text_is(p, p->resource, resource);

	for (size_t i = 0; i < p->n_columns; i++)
		is_shown |= profile_text_is(p, p->columns[i].resource, resource);
	return is_shown;
}

static bool is_part(const struct profile *p)
{
	return p->threads || p->states || p->from_ns || p->to_ns;
}

/* Ticks that gave no sample. What is not a recording does not say how many there were. */
static void write_lost(struct out *o, const struct profile *p)
{
	uint64_t lost = 0;

	if (p->given_calls || p->by_name || !p->n_processes)
		return;
	for (size_t i = 0; i < p->n_processes; i++)
		lost += profile_process_lost(&p->processes[i]);
	if (lost)
		out_format(o, ", %" PRIu64 " lost%s", lost, is_part(p) ? " in the whole run" : "");
	else if (p->hits)
		out_text(o, ", none lost");
}

/* cpu_ns is what processes used, 0 if that is not known. It is said how much has found its place,
 * if that is not nearly all. */
static void write_samples(struct out *o, const struct profile *p, uint64_t cpu_ns)
{
	if (p->given_calls && p->given_calls->has_inclusive && weight_is_scaled(p))
		return; /* how much it is stands in the next line; there is no number */
	if (p->given_calls && p->given_calls->has_inclusive)
		out_format(o, "%" PRIu64 " counted", p->hits);
	else if (profile_is_measured(p))
		out_format(o, "%" PRIu64 " %s, each with what was measured in it", p->hits,
			   p->hits == 1 ? "context" : "contexts");
	else
		out_format(o, "%" PRIu64 " %s", p->hits, p->hits == 1 ? "sample" : "samples");
	rate_write(o, p, false);
	write_lost(o, p);
	if (cpu_ns && weight_is_cpu(p) && !is_part(p) &&
	    weight_fraction(p->weight, cpu_ns) < NEARLY_ALL)
		out_format(o, ", %.1f %% credited", weight_fraction(p->weight, cpu_ns) * 100);
	out_text(o, "\n");
}

#define ABOVE "credited by what samples have met, so it may be above what was counted\n"

static void write_credit(struct out *o, const struct profile *p)
{
	const char *unit = p->unit == STRINGS_NONE ? "" : strings_get(p->strings, p->unit, NULL);
	bool is_counted;
	char text[WEIGHT_BYTES];
	uint64_t counted;

	is_counted = profile_counted(p, &counted) && !is_part(p);
	if (is_counted && profile_nothing(p, p->resource) != PROFILE_SOMETHING)
		return; /* write_why_empty() says it */
	if (is_counted || weight_is_scaled(p)) {
		out_format(o, "%s credited", weight_with_unit(text, unit, p->weight));
		if (profile_text_is(p, p->resource, "alloc-live") && p->hits)
			out_format(o, ", +- %s (95 %%)",
				   weight_with_unit(
					   text, unit,
					   (uint64_t)(NORMAL_95 * sqrt((double)p->total_squares))));
		if (is_counted)
			out_format(o, " of %s counted", weight_with_unit(text, unit, counted));
		out_text(o, "\n");
		if (is_counted && weight_shows_more(unit, p->weight, counted))
			out_text(o, ABOVE);
	} else if (p->weight != p->hits) {
		out_format(o, "%" PRIu64 " gticks credited\n", p->weight);
	}
}

/* Say what children used, such as programs that ran too briefly to be recorded, if it is more than a
 * twentieth of all. What is shown of a part of the run cannot be compared with it. */
/* How exact the figures are, where that is worth a line: with few samples, or if one of them weighs as much as many. */
static void write_precision(struct out *o, const struct profile *p)
{
	double squares = (double)p->total_squares, weight = (double)p->weight;
	double samples = squares > 0 ? weight * weight / squares : 0;
	char text[WEIGHT_BYTES];

	if (p->given_calls || p->by_name || !(squares > 0))
		return;
	if (weight_is_cpu(p) && p->hits >= LATE_LEAST &&
	    (double)p->heaviest * (double)p->hits > LATE_TIMES * weight &&
	    (double)p->heaviest * LATE_SHARE > weight)
		out_format(o, "one sample is of %s, %.1f times the mean: its tick came late\n",
			   weight_alone(text, p, p->heaviest),
			   (double)p->heaviest * (double)p->hits / weight);
	if (samples < SAMPLES_TOO_FEW)
		out_text(o, "too few samples for shares\n");
	else if (samples < SAMPLES_FEW)
		out_format(o, "few samples: what has 50 %% has it +- %.2g %% (95 %%)\n",
			   100 * NORMAL_95 * sqrt(0.25 / samples));
}

static void write_children(struct out *o, const struct profile *p)
{
	char text[WEIGHT_BYTES];
	struct error unused;
	uint64_t short_ns = short_processes_used(p);
	struct children c;

	if (!weight_is_cpu(p) || is_part(p) || children_find(&c, p, &unused))
		return;
	if (c.missing_ns > p->weight / CONSIDERABLE)
		out_format(o, "%s more was used by children, in no recording here (see --info)\n",
			   weight_duration(text, c.missing_ns));
	if (short_ns > p->weight / CONSIDERABLE)
		out_format(
			o, "%s more was used by %zu program%s without a sample (see --processes)\n",
			weight_duration(text, short_ns), p->n_shorts, p->n_shorts == 1 ? "" : "s");
	children_free(&c);
}

static void write_process(struct out *o, const struct profile *p,
			  const struct profile_process *process, const char *what)
{
	const char *file;
	char label[60];
	size_t n;

	if (process->n_args > 0 || process->exe != STRINGS_NONE) {
		n = process->pid ? (size_t)snprintf(label, sizeof(label), "%sprocess %" PRIu64 ": ",
						    what, process->pid)
				 : (size_t)snprintf(label, sizeof(label), "%sprogram: ", what);
		out_text(o, label);
		caption_command(o, p, process, (int)n);
	} else {
		out_text(o, "file: ");
		file = string(p, process->file, &n);
		out_name_fit(o, file, n, (int)strlen("file: "));
	}
	out_text(o, "\n");
}

/* What was launched, if none of the processes that follow is that. */
static void write_launched(struct out *o, const struct profile *p)
{
	const struct event_text text =
		commands_launched_elsewhere(p->strings, p->processes, p->n_processes);

	if (!text.length)
		return;
	out_text(o, "launched: ");
	out_name_fit(o, text.bytes, text.length, (int)strlen("launched: "));
	out_text(o, "\n");
}

static bool has_same_command(const struct profile_process *a, const struct profile_process *b)
{
	return a->exe == b->exe && a->n_args == b->n_args && a->n_args &&
	       memcmp(a->args, b->args, a->n_args * sizeof(*a->args)) == 0;
}

/* Write "10 runs of ./program" if each process is a run of its own, and all are of one command. */
static bool write_runs(struct out *o, const struct profile *p, const struct run_times *r)
{
	char label[60];
	int column;

	if (p->n_processes < 2 || r->n_runs != p->n_processes)
		return false;
	for (size_t i = 1; i < p->n_processes; i++)
		if (!has_same_command(&p->processes[0], &p->processes[i]))
			return false;
	column = snprintf(label, sizeof(label), "%zu runs of ", p->n_processes);
	out_text(o, label);
	caption_command(o, p, &p->processes[0], column);
	out_text(o, "\n");
	return true;
}

static void write_processes(struct out *o, const struct profile *p, const struct run_times *r)
{
	size_t i;

	if (write_runs(o, p, r))
		return;
	write_launched(o, p);
	if (p->n_processes > PROCESSES_NAMED && caption_programs(o, p)) {
		write_process(o, p, &p->processes[r->first], "first ");
		return;
	}
	for (i = 0; i < p->n_processes && i < PROCESSES_NAMED; i++)
		write_process(o, p, &p->processes[i], "");
	if (i < p->n_processes)
		out_format(o, "and %zu more process%s\n", p->n_processes - i,
			   p->n_processes - i == 1 ? "" : "es");
}

void caption_moment(struct out *o, const struct profile *p)
{
	char text[WEIGHT_BYTES];

	if (p->at.what == EVENT_AT_TIME)
		out_format(o, "%s into the run", weight_ns(text, p->at.ns));
	else
		out_text(o, p->at.what == EVENT_AT_PEAK ? "when each process had the most of it"
							: "at the end");
}

/* Memory is live at a moment. */
static void write_at(struct out *o, const struct profile *p)
{
	if (!shows(p, "alloc-live"))
		return;
	out_text(o, "live ");
	caption_moment(o, p);
	out_text(o, p->at.what == EVENT_AT_END ? " (--at peak: when there was most)\n" : "\n");
}

/* Say which threads, states and times were selected, so that nobody thinks that they are all. */
static void write_part(struct out *o, const struct profile *p)
{
	char from[WEIGHT_BYTES], to[WEIGHT_BYTES];

	if (p->threads) {
		out_text(o, "only threads: ");
		out_name(o, p->threads, strlen(p->threads));
		out_text(o, "\n");
	}
	if (p->states) {
		out_text(o, "only in state: ");
		out_name(o, p->states, strlen(p->states));
		out_text(o, "\n");
	}
	if (p->from_ns && p->to_ns)
		out_format(o, "only from %s to %s into the run\n", weight_ns(from, p->from_ns),
			   weight_ns(to, p->to_ns));
	else if (p->to_ns)
		out_format(o, "only the first %s of the run\n", weight_ns(to, p->to_ns));
	else if (p->from_ns)
		out_format(o, "only from %s into the run on\n", weight_ns(from, p->from_ns));
}

static const char *why_not(const struct profile *p, uint32_t resource, size_t *n)
{
	for (size_t i = 0; i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_resources; k++) {
			const struct profile_resource *r = &p->processes[i].resources[k];

			if (r->name == resource && r->why != STRINGS_NONE)
				return strings_get(p->strings, r->why, n);
		}
	return NULL;
}

/* Ends the line with what has become of the resource. Of several reasons, between semicolons, the first one is enough. */
static void write_nothing(struct out *o, const struct profile *p, uint32_t resource, size_t column)
{
	static const char not_counted[] = "was not seen: ", more[] = " (see --info)";
	char text[512];
	size_t n = 0;
	const char *why = profile_nothing(p, resource) == PROFILE_NOT_COUNTED
				  ? why_not(p, resource, &n)
				  : NULL;
	const char *end = why ? memmem(why, n, "; ", 2) : NULL;

	if (!why) {
		out_text(o, "did not happen\n");
		return;
	}
	snprintf(text, sizeof(text), "%.*s%s", (int)(end ? end - why : (ptrdiff_t)n), why,
		 end ? more : "");
	out_text(o, not_counted);
	caption_folded(o, text, strlen(text), column + sizeof(not_counted) - 1, 2);
	out_text(o, "\n");
}

/* A short program may end before its first tick. */
static void write_why_empty(struct out *o, const struct profile *p)
{
	uint64_t cpu_ns = 0, lost = 0;
	char text[WEIGHT_BYTES];
	bool ended = p->n_processes > 0;
	size_t i;

	for (i = 0; i < p->n_processes; i++) {
		cpu_ns += p->processes[i].cpu_ns;
		lost += profile_process_lost(&p->processes[i]);
		ended = ended && p->processes[i].ended;
	}
	if (!is_part(p) && !lost && profile_nothing(p, p->resource) != PROFILE_SOMETHING) {
		out_text(o, "it ");
		write_nothing(o, p, p->resource, 3);
		return;
	}
	out_text(o, "no samples");
	if (is_part(p))
		out_text(o, " in this part of the run");
	else if (lost)
		out_format(o, ": %" PRIu64 " ticks were lost (see --info)", lost);
	else if (ended && weight_is_cpu(p))
		out_format(o, ": %s of CPU time", weight_duration(text, cpu_ns));
	else if (!ended)
		out_text(o, ": the recording ends before the first one");
	out_text(o, "\n");
}

/* Write the values of an option as "F, G". */
static void write_values(struct out *o, const char *before, const struct patterns *p)
{
	const char *value;

	for (size_t i = 0; (value = patterns_value(p, i)); i++) {
		out_text(o, i ? ", " : before);
		out_name(o, value, strlen(value));
	}
}

/* What the filter has left of each column. */
static void write_kept(struct out *o, const struct tree *t)
{
	size_t i;

	for (i = 0; i <= t->n_others; i++) {
		const struct tree *column = tree_column(t, i);

		out_format(o, "%s %.2f %%", i ? "," : ":",
			   weight_fraction(column->nodes[0].total, column->total) * 100);
	}
	out_text(o, "\n");
}

/* Say what the filter has left out, so that nobody thinks that the view shows all. */
static void write_filter(struct out *o, const struct tree *t, bool is_compared)
{
	const struct patterns *of = t->filter->of;
	bool has_focus = of[FILTER_FOCUS].n_values;

	write_values(o, "focus on ", &of[FILTER_FOCUS]);
	if (of[FILTER_FOCUS].n_values == 1 && t->n_focused > 1)
		out_format(o, " (%zu functions)", t->n_focused);
	write_values(o, has_focus ? ", without " : "without ", &of[FILTER_IGNORE]);
	if (is_compared && (has_focus || of[FILTER_IGNORE].n_values))
		out_text(o, "\n");
	else if ((has_focus || of[FILTER_IGNORE].n_values) && t->n_others)
		write_kept(o, t);
	else if (has_focus || of[FILTER_IGNORE].n_values)
		out_format(o, ": %" PRIu64 " of %" PRIu64 " sample%s, %.2f %%\n", t->nodes[0].hits,
			   t->hits, t->hits == 1 ? "" : "s",
			   weight_fraction(t->nodes[0].total, t->total) * 100);
	write_values(o, "hidden: ", &of[FILTER_HIDE]);
	out_text(o, of[FILTER_HIDE].n_values ? "\n" : "");
	write_values(o, "collapsed: ", &of[FILTER_COLLAPSE]);
	out_text(o, of[FILTER_COLLAPSE].n_values ? "\n" : "");
}

/* What recording took of a clock's time, counted and not credited: ", 1 ms for recording". */
static void write_recording(struct out *o, const struct profile *p, const char *name, size_t *n)
{
	char text[WEIGHT_BYTES], all[2 * WEIGHT_BYTES];
	uint64_t own_ns = 0;
	size_t i;

	for (i = 0; i < p->n_processes; i++)
		own_ns += p->processes[i].own_ns;
	if (!own_ns || (strcmp(name, "cpu") != 0 && strcmp(name, "real") != 0))
		return;
	*n += (size_t)snprintf(all, sizeof(all), ", %s for recording",
			       weight_duration(text, own_ns));
	out_text(o, all);
}

/* Write the line of a resource. Its last part goes into a line of its own if there is no room. */
static void write_column(struct out *o, const struct profile *p, const struct profile_column *c)
{
	const char *unit = strings_get(p->strings, c->unit, NULL);
	char credited[WEIGHT_BYTES], counted[WEIGHT_BYTES], text[256];
	bool is_counted = c->has_counted && !is_part(p);
	size_t n;
	const char *name = string(p, c->resource, &n);

	out_name(o, name, n);
	if (is_counted && !c->weight && profile_nothing(p, c->resource) != PROFILE_SOMETHING) {
		out_text(o, ": ");
		write_nothing(o, p, c->resource, n + 2);
		return;
	}
	n += (size_t)snprintf(text, sizeof(text), ": %s credited%s%s%s",
			      weight_with_unit(credited, unit, c->weight), is_counted ? " of " : "",
			      is_counted ? weight_with_unit(counted, unit, c->counted) : "",
			      is_counted ? " counted" : "");
	out_text(o, text);
	if (is_counted)
		write_recording(o, p, name, &n);
	n += (size_t)snprintf(text, sizeof(text), "%" PRIu64 " sample%s", c->hits,
			      c->hits == 1 ? "" : "s");
	out_format(o, ",%s%s\n", n + strlen(", ") > (size_t)out_text_width(o) ? "\n  " : " ", text);
}

/* A line for each of several resources. */
static void write_columns(struct out *o, const struct profile *p)
{
	bool is_above = false;

	for (size_t i = 0; i < p->n_columns; i++) {
		const struct profile_column *c = &p->columns[i];

		write_column(o, p, c);
		is_above |=
			c->has_counted && weight_shows_more(strings_get(p->strings, c->unit, NULL),
							    c->weight, c->counted);
	}
	if (is_above && !is_part(p))
		out_text(o, ABOVE);
}

static bool records(const struct profile *p, const char *resource)
{
	bool is_recorded = false;

	for (size_t i = 0; i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_resources; k++)
			is_recorded |=
				profile_text_is(p, p->processes[i].resources[k].name, resource);
	return is_recorded;
}

/* Whether the list of states that were selected has this one. */
static bool has_state(const struct profile *p, const char *state)
{
	size_t n = strlen(state);

	for (const char *at = p->states; at && *at; at += strspn(at, ", ")) {
		size_t length = strcspn(at, ", ");

		if (length == n && !memcmp(at, state, n))
			return true;
		at += length;
	}
	return false;
}

/* Three resources have what threads wait for locks, and each has another part of it. */
static void write_lock(struct out *o, const struct profile *p)
{
	if (!p->n_columns && p->weight && shows(p, "lock"))
		out_text(o, "who held the lock: --blame\n");
	if (shows(p, "lock-blame"))
		out_text(o, "blame lasts until the lock is given back; lock, until the waiter runs "
			    "again\n");
	if (shows(p, "real") && has_state(p, "lock") && records(p, "lock"))
		out_text(o, "lock is without being ready for a processor; --resource lock has all "
			    "of a wait\n");
}

/* Most of what Python programs hold is in mappings that no call of the C library allocates. */
static void write_python_memory(struct out *o, const struct profile *p)
{
	size_t i = 0;

	while (i < p->n_processes && !p->processes[i].python)
		i++;
	if (i < p->n_processes && p->weight &&
	    (profile_text_is(p, p->resource, "alloc") ||
	     profile_text_is(p, p->resource, "allocs") ||
	     profile_text_is(p, p->resource, "alloc-live")))
		out_text(o, "Python's blocks of up to 512 bytes count only with "
			    "PYTHONMALLOC=malloc\n");
}

void caption_profile(struct out *o, const struct profile *p)
{
	struct run_times r;
	bool has_run = caption_run(o, p, &r);

	write_columns(o, p);
	if (!p->n_columns && (p->hits || !p->given_calls))
		write_samples(o, p, has_run ? r.cpu_ns : 0);
	if (!p->n_columns && !(has_run && weight_is_cpu(p)))
		write_credit(o, p);
	if (!p->n_columns)
		write_precision(o, p);
	if (!p->n_columns)
		write_python_memory(o, p);
	caption_remarks(o, p);
	write_children(o, p);
	if (p->given_calls)
		write_calls(o, p->given_calls);
	write_processes(o, p, &r);
}

void caption_compared(struct out *o, const char *title, const struct view_input *in)
{
	static const char before[] = ", before and after, for resources: ";
	const struct profile *p = in->profile;

	out_format(o, "%s, before and after, for resource%s: ", title,
		   p->n_columns > p->n_runs ? "s" : "");
	write_resources(o, p, strlen(title) + strlen(before));
	out_text(o, "\n");
}

void caption_parts(struct out *o, const struct view_input *in)
{
	write_at(o, in->profile);
	write_part(o, in->profile);
	if (in->tree && in->tree->filter)
		write_filter(o, in->tree, in->profile->n_base > 0);
}

void caption_write(struct out *o, const char *title, const struct view_input *in)
{
	const struct profile *p = in->profile;

	out_format(o, "%s for resource%s: ", title, p->n_columns ? "s" : "");
	write_resources(o, p, strlen(title) + strlen(" for resources: "));
	out_text(o, "\n");
	if (!in->is_introduced || !*in->is_introduced)
		caption_profile(o, p);
	if (in->is_introduced)
		*in->is_introduced = true;
	write_lock(o, p);
	caption_parts(o, in);
	if (!p->n_columns && p->hits == 0 && p->weight == 0)
		write_why_empty(o, p);
}

void caption_root(struct out *o, const char *title)
{
	static const char before[] = "root function: ";

	if (!title)
		return;
	out_text(o, before);
	out_name_fit(o, title, strlen(title), (int)strlen(before));
	out_text(o, "\n");
}

void caption_parent(struct out *o, const struct view_options *options, const char *text)
{
	if (options->of_parent)
		out_format(o, "%s\n", text);
}

void caption_totals(struct out *o, const struct view_input *in)
{
	if (!in->tree && !in->graph->has_totals)
		out_text(o, "totals: propagated, cycles split\n");
}

/* The time in which calls were counted is no part of the total, but one of what recording took where a line says that. */
static void caption_profiling(struct out *o, const struct profile *p)
{
	char text[WEIGHT_BYTES];
	uint64_t hooks_ns = 0;

	for (size_t i = 0; i < p->n_processes; i++)
		hooks_ns += p->processes[i].calls.hooks_ns;
	if (hooks_ns && weight_is_cpu(p))
		out_format(o, "[profiling]: %s%s; outside of 100 %%\n",
			   weight_duration(text, hooks_ns),
			   caption_says_recording(p) ? " of what recording took, to count calls"
						     : ", in which calls were counted");
}

/* Those that a signal handler has made while one was being counted are few. */
static void caption_missed(struct out *o, const struct view_input *in)
{
	const struct profile *p = in->profile;
	uint64_t calls = 0, missed = 0;

	for (size_t i = 0; in->calls && i < p->n_processes; i++) {
		calls += p->processes[i].calls.calls; /* their sum fits */
		missed += p->processes[i].calls.missed;
	}
	if (missed && weight_fraction(missed, calls) >= MANY_MISSED)
		out_format(o,
			   "%" PRIu64
			   " more calls are missing: beyond all limits, or by handlers\n",
			   missed);
}

/* A process that was killed, or is still running, has counted until some time before the end. */
void caption_calls(struct out *o, const struct view_input *in)
{
	const struct profile *p = in->profile;
	uint64_t until = 0;
	size_t n = 0;

	if (in->calls_why)
		out_format(o, "calls were counted, and are left out: %s\n", in->calls_why);
	for (size_t i = 0; in->calls && i < p->n_processes; i++) {
		until = p->processes[i].calls.until_us ? p->processes[i].calls.until_us : until;
		n += p->processes[i].calls.until_us > 0;
	}
	caption_missed(o, in);
	if (n == 1)
		out_format(o, "calls are counted until %.3f s\n", (double)until / 1e6);
	else if (n)
		out_format(o, "calls of %zu processes are counted until they were seen last\n", n);
	caption_profiling(o, p);
}

void caption_text(struct out *o, const char *text)
{
	for (const char *end; *text && out_width(o) && (end = strchr(text, '\n')); text = end) {
		bool goes_on = end > text && end[1] && end[1] != '\n';

		out_bytes(o, text, (size_t)(end - text));
		out_text(o, goes_on ? " " : "\n");
		end++;
		end += goes_on ? strspn(end, " ") : 0;
	}
	out_text(o, text);
}

#define COLUMNS 80

void caption_folded(struct out *o, const char *bytes, size_t n, size_t column, size_t indent)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && bytes[end] != ' '; end++)
			;
		if (i && !out_width(o) && column + 1 + (end - i) > COLUMNS) {
			out_format(o, "\n%*s", (int)indent, "");
			column = indent;
		} else if (i) {
			out_text(o, " ");
			column++;
		}
		out_name(o, bytes + i, end - i);
		column += end - i;
		end += end < n;
	}
}

void caption_rule(struct out *o)
{
	static const char rule[] = "-----------------------------------------------------";
	int columns = (int)strlen(rule);

	out_format(o, "%.*s\n", out_width(o) && out_width(o) < columns ? out_width(o) : columns,
		   rule);
}
