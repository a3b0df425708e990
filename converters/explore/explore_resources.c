/* SPDX-License-Identifier: MIT */
/*
 * explore_resources.c - lists the resources that the files have counted, and makes one of them
 * current, or several side by side.
 *
 * In: the profiles, names. Out: a table, the number of the current profile.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/explore_command.h"
#include "pipeline/load.h"
#include "write/caption.h"
#include "write/rate.h"
#include "write/weight.h"

static const char *text_of(const struct profile *p, uint32_t text)
{
	return text == STRINGS_NONE ? "" : strings_get(p->strings, text, NULL);
}

static void write_name(struct out *o, const struct profile *p, uint32_t resource)
{
	const char *name = text_of(p, resource);

	out_name(o, name, strlen(name));
}

static void write_columns(struct out *o, const struct profile *p)
{
	size_t i;

	for (i = 0; i < p->n_columns; i++) {
		out_text(o, i ? ", " : "");
		write_name(o, p, p->columns[i].resource);
	}
	out_text(o, ": side by side");
}

/* What part of the resource the profile has. */
static void write_part(struct out *o, const struct explore_profile *p)
{
	if (p->states) {
		out_text(o, "; only in state: ");
		out_name(o, p->states, strlen(p->states));
	}
	if (p->at) {
		out_text(o, "; at: ");
		out_name(o, p->at, strlen(p->at));
	}
	out_text(o, "\n");
}

static void write_profile(struct out *o, const struct explore *e, size_t i)
{
	const struct profile *p = e->profiles[i].analysis.profile;
	char text[WEIGHT_BYTES];

	out_format(o, "%c %zu ", i == e->current ? '*' : ' ', i + 1);
	if (p->n_columns) {
		write_columns(o, p);
		write_part(o, &e->profiles[i]);
		return;
	}
	write_name(o, p, p->resource);
	out_text(o, ": ");
	if (weight_is_scaled(p))
		out_format(o, "%s in ", weight_alone(text, p, p->weight));
	else if (p->weight != p->hits)
		out_format(o, "%" PRIu64 " %s in ", p->weight, text_of(p, p->unit));
	out_format(o, "%" PRIu64 " samples", p->hits);
	rate_write(o, p, true);
	out_format(o, "; %zu input%s", p->n_processes, p->n_processes == 1 ? "" : "s");
	write_part(o, &e->profiles[i]);
}

int explore_list_resources(struct explore *e, const char *output, struct error *err)
{
	struct out *o = explore_open(e, output, err);
	size_t i;

	if (!o)
		return -1;
	for (i = 0; i < e->n; i++)
		write_profile(o, e, i);
	return explore_close(e, o, err);
}

/* What headings say of a profile in all views is said here once. Of several resources the list has it, but
 * for the run. */
int explore_introduce(struct explore *e, struct error *err)
{
	const struct profile *p = e->profiles[e->current].analysis.profile;
	struct run_times unused;
	struct out *o;

	if (e->n > 1 && explore_list_resources(e, NULL, err))
		return -1;
	o = explore_open(e, NULL, err);
	if (!o)
		return -1;
	if (e->n > 1) {
		caption_run(o, p, &unused);
		caption_remarks(o, p);
	} else {
		caption_profile(o, p);
	}
	for (size_t i = 0; i < e->n; i++)
		e->profiles[i].is_introduced = true;
	return explore_close(e, o, err);
}

/* Add the names that there are to the error. Returns -1. */
static int add_names(const struct explore *e, struct error *err)
{
	size_t n = 0;

	error_append(err, "; there are: ");
	error_list(err);
	for (size_t i = 0; i < e->n; i++) {
		const struct profile *p = e->profiles[i].analysis.profile;

		if (!p->n_columns)
			error_append(err, "%s%s", n++ ? ", " : "", text_of(p, p->resource));
	}
	return -1;
}

/* The word is the name of a resource, or its number in the list. */
static int choose(struct explore *e, const char *word, struct error *err)
{
	char *end;
	unsigned long number = strtoul(word, &end, 10);
	size_t i;

	for (i = 0; i < e->n; i++) {
		const struct profile *p = e->profiles[i].analysis.profile;

		if ((!p->n_columns && strcmp(text_of(p, p->resource), word) == 0) ||
		    (!*end && number == i + 1)) {
			e->current = i;
			return 0;
		}
	}
	error_set(err, "no resource \"%.128s\"", word);
	return add_names(e, err);
}

int explore_resources(struct explore *e, const struct explore_command *c,
		      const struct explore_line *l, struct error *err)
{
	(void)c;
	if (l->n > 2)
		return error_set(err, "one resource at a time");
	if (l->n == 2 && choose(e, l->words[1], err))
		return -1;
	return explore_list_resources(e, l->output, err);
}

/* ---- several --------------------------------------------------------------------------------- */

/* Make the profile with these columns current, if it has been made already. */
static bool find_columns(struct explore *e, const struct selection *s)
{
	size_t i, k, n = selection_count_resources(s);

	for (i = 0; i < e->n; i++) {
		const struct profile *p = e->profiles[i].analysis.profile;

		for (k = 0; p->n_columns == n && k < n; k++) {
			struct event_text name = selection_resource(s, k);
			const char *column = text_of(p, p->columns[k].resource);

			if (strlen(column) != name.length ||
			    memcmp(column, name.bytes, name.length) != 0)
				break;
		}
		if (p->n_columns != n || k < n)
			continue;
		e->current = i;
		return true;
	}
	return false;
}

/* Read the files again. */
static int make_columns(struct explore *e, const struct options *opt, struct error *err)
{
	struct load_result result;

	if (!array_reserve(&e->profiles, &e->size, e->n + 1, sizeof(*e->profiles)))
		return error_memory(err);
	if (load_profiles(e->from, opt, LOAD_AS_COLUMNS, &result, err))
		return -1;
	e->profiles[e->n] = (struct explore_profile){
		.analysis.profile = result.list[0],
		.states = opt->chosen.states,
		.at = opt->chosen.at,
	};
	e->current = e->n++;
	free(result.list);
	selection_match_free(&result.match);
	return 0;
}

const char *explore_join(struct explore *e, const struct explore_line *l)
{
	struct explore_line names = {.words = l->words + 1, .n = l->n - 1};
	char *text = explore_line_rest(&names, 0), *c;
	const char *kept = text ? explore_keep(e, text) : NULL;

	for (c = (char *)(uintptr_t)kept; c && *c; c++)
		if (*c == ' ')
			*c = ',';
	free(text);
	return kept;
}

static bool is_read(const struct explore *e, struct event_text name)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct profile *p = e->profiles[i].analysis.profile;
		const char *its = p->n_columns ? "" : text_of(p, p->resource);

		if (strlen(its) == name.length && !memcmp(its, name.bytes, name.length))
			return true;
	}
	return false;
}

/* All resources have been read, unless the user has named some. */
static int check_names(const struct explore *e, const struct selection *s, struct error *err)
{
	for (size_t i = 0; !e->options.chosen.resource && i < selection_count_resources(s); i++) {
		struct event_text name = selection_resource(s, i);
		char text[128] = "";

		if (is_read(e, name))
			continue;
		strncat(text, name.bytes,
			name.length < sizeof(text) ? name.length : sizeof(text) - 1);
		error_set(err, "no resource \"%s\"", text);
		return add_names(e, err);
	}
	return 0;
}

static int too_few(const struct explore *e, const struct explore_command *c, struct error *err)
{
	error_set(err, "%s: name two resources or more", c->name);
	return add_names(e, err);
}

int explore_columns(struct explore *e, const struct explore_command *c,
		    const struct explore_line *l, struct error *err)
{
	struct options opt = e->options;

	if (l->n < 2)
		return too_few(e, c, err);
	opt.chosen.resource = explore_join(e, l);
	if (!opt.chosen.resource)
		return error_memory(err);
	if (selection_check_resources(&opt.chosen, err) || check_names(e, &opt.chosen, err))
		return -1;
	if (selection_count_resources(&opt.chosen) < 2)
		return too_few(e, c, err);
	if (!find_columns(e, &opt.chosen) && make_columns(e, &opt, err))
		return -1;
	return explore_list_resources(e, l->output, err);
}
