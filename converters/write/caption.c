/* SPDX-License-Identifier: MIT */
/*
 * caption.c - writes the lines above a table.
 *
 * In: a profile. Out: text.
 */
#include "write/caption.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write/weight.h"

#define PROCESSES_NAMED 4u

static const char *string(const struct profile *p, uint32_t number, size_t *length)
{
	*length = 0;
	return number == STRINGS_NONE ? "" : strings_get(p->strings, number, length);
}

/* The papers call the resource "cpu" CPU Time. Each word of another one gets a capital:
 * "page-faults" becomes Page Faults. */
static void write_resource(struct out *o, const struct profile *p)
{
	size_t n, i;
	const char *name = string(p, p->resource, &n);
	bool begins = true;

	if (n == 3 && memcmp(name, "cpu", 3) == 0) {
		out_text(o, "CPU Time");
		return;
	}
	for (i = 0; i < n; i++) {
		char c = name[i] == '-' || name[i] == '_' ? ' ' : name[i];

		if (begins)
			c = (char)toupper((unsigned char)c);
		out_name(o, &c, 1);
		begins = c == ' ';
	}
}

/* Describe a profile of calls without stacks, which were counted or sampled. */
static void write_calls(struct out *o, const struct calls *c)
{
	out_format(o, "calls without stacks: %zu function%s, %zu call%s of one by another\n",
		   c->n_functions, c->n_functions == 1 ? "" : "s", c->n_arcs,
		   c->n_arcs == 1 ? "" : "s");
}

/* Merged recordings may differ in their intervals. */
static void write_samples(struct out *o, const struct profile *p)
{
	uint64_t interval = p->n_processes ? p->processes[0].interval : 0;
	bool same = true;
	char text[WEIGHT_BYTES];
	size_t i;

	for (i = 1; i < p->n_processes; i++)
		same = same && p->processes[i].interval == interval;
	if (p->calls && p->calls->has_inclusive)
		out_format(o, "%" PRIu64 " counted", p->hits);
	else
		out_format(o, "%" PRIu64 " %s", p->hits, p->hits == 1 ? "sample" : "samples");
	if (!same)
		out_text(o, ", sampled at different intervals");
	else if (interval && weight_is_time(p))
		out_format(o, ", sampled every %s", weight_ns(text, interval));
	else if (interval)
		out_format(o, ", sampled every %" PRIu64 " gtick%s", interval,
			   interval == 1 ? "" : "s");
	out_text(o, "\n");
}

/* The kernel may tick at longer intervals than it was asked to. Then a sample stands for more time
 * than the interval. */
static void write_credit(struct out *o, const struct profile *p)
{
	char text[WEIGHT_BYTES];

	if (weight_is_time(p)) {
		out_format(o, "%s credited", weight_alone(text, p, p->weight));
		if (p->hits)
			out_format(o, ", %s per sample",
				   weight_alone(text, p, p->weight / p->hits));
		out_text(o, "\n");
	} else if (p->weight != p->hits) {
		out_format(o, "%" PRIu64 " gticks credited\n", p->weight);
	}
}

/* An argument is written in quotes if a shell would split or expand it. */
static void put_argument(FILE *f, const char *bytes, size_t n)
{
	bool quote = n == 0 || memchr(bytes, ' ', n) || memchr(bytes, '\'', n);

	fputs(quote ? "\"" : "", f);
	fwrite(bytes, 1, n, f);
	fputs(quote ? "\"" : "", f);
}

static void put_command(FILE *f, const struct profile *p, const struct profile_process *process)
{
	const char *bytes;
	size_t i, n;

	for (i = 0; i < process->n_args; i++) {
		fputs(i ? " " : "", f);
		bytes = string(p, process->args[i], &n);
		put_argument(f, bytes, n);
	}
	if (process->n_args > 0)
		return;
	bytes = string(p, process->exe, &n);
	fwrite(bytes, 1, n, f);
}

void caption_command(struct out *o, const struct profile *p, const struct profile_process *process,
		     int column)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return;
	put_command(f, p, process);
	if (fclose(f) == 0 && column)
		out_name_fit(o, text, n, column);
	else if (text)
		out_name(o, text, n);
	free(text);
}

static void write_processes(struct out *o, const struct profile *p)
{
	const char *file;
	char label[40];
	size_t i, n;

	for (i = 0; i < p->n_processes && i < PROCESSES_NAMED; i++) {
		const struct profile_process *process = &p->processes[i];

		if (process->n_args > 0 || process->exe != STRINGS_NONE) {
			n = (size_t)snprintf(label, sizeof(label), "process %" PRIu64 ": ",
					     process->pid);
			out_text(o, label);
			caption_command(o, p, process, (int)n);
		} else {
			out_text(o, "file: ");
			file = string(p, process->file, &n);
			out_name_fit(o, file, n, (int)strlen("file: "));
		}
		out_text(o, "\n");
	}
	if (i < p->n_processes)
		out_format(o, "and %zu more process%s\n", p->n_processes - i,
			   p->n_processes - i == 1 ? "" : "es");
}

static bool is_part(const struct profile *p)
{
	return p->threads || p->from_ns || p->to_ns;
}

/* Say which threads and times were selected, so that nobody thinks that they are all. */
static void write_part(struct out *o, const struct profile *p)
{
	char from[WEIGHT_BYTES], to[WEIGHT_BYTES];

	if (p->threads) {
		out_text(o, "only threads: ");
		out_name(o, p->threads, strlen(p->threads));
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
	out_text(o, "no samples");
	if (is_part(p))
		out_text(o, " in this part of the run");
	else if (lost)
		out_format(o, ": %" PRIu64 " ticks were lost (see --info)", lost);
	else if (ended && weight_is_time(p))
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

/* Say what the filter has left out, so that nobody thinks that the view shows all. */
static void write_filter(struct out *o, const struct tree *t)
{
	const struct patterns *of = t->filter->of;
	bool has_focus = of[FILTER_FOCUS].n_values;

	write_values(o, "focus on ", &of[FILTER_FOCUS]);
	write_values(o, has_focus ? ", without " : "without ", &of[FILTER_IGNORE]);
	if (has_focus || of[FILTER_IGNORE].n_values)
		out_format(o, ": %" PRIu64 " of %" PRIu64 " sample%s, %.2f %%\n", t->nodes[0].hits,
			   t->hits, t->hits == 1 ? "" : "s",
			   weight_fraction(t->nodes[0].total, t->total) * 100);
	if (!of[FILTER_HIDE].n_values)
		return;
	write_values(o, "hidden: ", &of[FILTER_HIDE]);
	out_text(o, "\n");
}

void caption_write(struct out *o, const char *title, const struct view_input *in)
{
	const struct profile *p = in->profile;

	out_format(o, "%s for resource: ", title);
	write_resource(o, p);
	out_text(o, "\n");
	if (p->hits || !p->calls)
		write_samples(o, p);
	write_credit(o, p);
	if (p->calls)
		write_calls(o, p->calls);
	write_processes(o, p);
	write_part(o, p);
	if (in->tree && in->tree->filter)
		write_filter(o, in->tree);
	if (p->hits == 0 && p->weight == 0)
		write_why_empty(o, p);
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

void caption_rule(struct out *o)
{
	out_text(o, "-----------------------------------------------------\n");
}
