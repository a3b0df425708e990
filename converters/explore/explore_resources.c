/* SPDX-License-Identifier: MIT */
/*
 * explore_resources.c - lists the resources that the files have counted, and makes one of them
 * current.
 *
 * In: the profiles. Out: a table, the number of the current profile.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explore_command.h"
#include "write/weight.h"

static const char *text_of(const struct profile *p, uint32_t text)
{
	return text == STRINGS_NONE ? "" : strings_get(p->strings, text, NULL);
}

/* Write "sampled every 1 ms", or nothing if the inputs have different intervals or do not say
 * them. */
static void write_interval(struct out *o, const struct profile *p)
{
	uint64_t interval = p->n_processes ? p->processes[0].interval : 0;
	char text[WEIGHT_BYTES];
	size_t i;

	for (i = 1; i < p->n_processes; i++)
		if (p->processes[i].interval != interval)
			interval = 0;
	if (interval && weight_is_time(p))
		out_format(o, ", sampled every %s", weight_ns(text, interval));
	else if (interval)
		out_format(o, ", sampled every %" PRIu64 " %s", interval, text_of(p, p->unit));
}

static void write_profile(struct out *o, const struct explore *e, size_t i)
{
	const struct profile *p = e->profiles[i].analysis.profile;
	const char *resource = text_of(p, p->resource);
	char text[WEIGHT_BYTES];

	out_format(o, "%c %zu ", i == e->current ? '*' : ' ', i + 1);
	out_name(o, resource, strlen(resource));
	out_text(o, ": ");
	if (weight_is_time(p))
		out_format(o, "%s in ", weight_alone(text, p, p->weight));
	else if (p->weight != p->hits)
		out_format(o, "%" PRIu64 " %s in ", p->weight, text_of(p, p->unit));
	out_format(o, "%" PRIu64 " samples", p->hits);
	write_interval(o, p);
	out_format(o, "; %zu input%s\n", p->n_processes, p->n_processes == 1 ? "" : "s");
}

static int list(const struct explore *e, const char *output, struct error *err)
{
	struct out *o = explore_open(e, output, err);
	size_t i;

	if (!o)
		return -1;
	for (i = 0; i < e->n; i++)
		write_profile(o, e, i);
	return out_close(o, true, err);
}

/* The word is the name of a resource, or its number in the list. */
static int choose(struct explore *e, const char *word, struct error *err)
{
	char *end;
	unsigned long number = strtoul(word, &end, 10);
	size_t i;

	for (i = 0; i < e->n; i++) {
		const struct profile *p = e->profiles[i].analysis.profile;

		if (strcmp(text_of(p, p->resource), word) == 0 || (!*end && number == i + 1)) {
			e->current = i;
			return 0;
		}
	}
	error_set(err, "no resource \"%s\"; there are:", word);
	for (i = 0; i < e->n; i++) {
		const struct profile *p = e->profiles[i].analysis.profile;

		error_append(err, "%s %s", i ? "," : "", text_of(p, p->resource));
	}
	return -1;
}

int explore_resources(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err)
{
	(void)c;
	if (l->n > 2)
		return error_set(err, "one resource at a time");
	if (l->n == 2 && choose(e, l->words[1], err))
		return -1;
	return list(e, l->output, err);
}
