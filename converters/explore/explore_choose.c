/* SPDX-License-Identifier: MIT */
/*
 * explore_choose.c - goes to a part of the current resource: some states of threads, another moment,
 * or those who hold locks instead of those who wait for them.
 *
 * In: names of states, a moment. Out: the current profile, which is read again, or its number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/explore_command.h"
#include "pipeline/load.h"

#define LOCK  "lock"
#define BLAME "lock-blame"

static const char *text_of(const struct profile *p, uint32_t text)
{
	return text == STRINGS_NONE ? "" : strings_get(p->strings, text, NULL);
}

static const struct profile *current(const struct explore *e)
{
	return e->profiles[e->current].analysis.profile;
}

/* ---- the profile is read again --------------------------------------------------------------- */

const char *explore_name_resources(struct explore *e, const struct profile *p)
{
	const char *kept = NULL;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < profile_count_shown(p); i++)
		fprintf(f, "%s%s", i ? "," : "", text_of(p, profile_shown(p, i)));
	if (f && fclose(f) == 0)
		kept = explore_keep(e, text);
	free(text);
	return kept;
}

/* Take the profile that has the unit of the former one from the list, and free the others. */
static struct profile *take_profile(struct load_result *result, const struct profile *former)
{
	struct profile *found = NULL;

	for (size_t i = 0; i < result->n; i++) {
		struct profile *p = result->list[i];

		if (!found && !strcmp(text_of(p, p->unit), text_of(former, former->unit)))
			found = p;
		else
			profile_free(p);
	}
	free(result->list);
	selection_match_free(&result->match);
	return found;
}

/* Read the files again for the current profile, of which only these states and this moment are
 * wanted. */
static int read_again(struct explore *e, const char *states, const char *at, struct error *err)
{
	struct explore_profile *p = &e->profiles[e->current];
	const struct profile *former = p->analysis.profile;
	struct options opt = e->options;
	struct load_result result;
	struct profile *profile;

	if (e->from->is_read_once_only)
		return error_set(err, "an input that can be read only once cannot be read again");
	opt.chosen.resource = explore_name_resources(e, former);
	opt.chosen.states = states;
	opt.chosen.at = at;
	if (!opt.chosen.resource)
		return error_memory(err);
	if (load_profiles(e->from, &opt, former->n_columns ? LOAD_AS_COLUMNS : LOAD_BY_RESOURCE,
			  &result, err))
		return -1;
	profile = take_profile(&result, former);
	if (!profile)
		return error_set(err, "the files have changed: nothing counts the same any more");
	explore_profile_clear(p);
	e->numbers.n = 0; /* their names were the profile's */
	*p = (struct explore_profile){.analysis.profile = profile, .states = states, .at = at};
	return 0;
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool is_default(const char *word)
{
	return !strcmp(word, "default") || !strcmp(word, "off") || !strcmp(word, "-");
}

/* Write "state        io, of running, io, lock". */
static int show_state(const struct explore *e, const char *output, struct error *err)
{
	const struct profile *p = current(e);
	struct out *o = explore_open(e, output, err);
	size_t n = 0;

	if (!o)
		return -1;
	out_text(o, "state        ");
	out_name(o, p->states ? p->states : "all", strlen(p->states ? p->states : "all"));
	for (size_t i = 0; i < profile_count_shown(p); i++) {
		struct strings *states = profile_states(p, profile_shown(p, i));

		for (uint32_t k = 0; states && k < strings_count(states); k++) {
			size_t length;
			const char *name = strings_get(states, k, &length);

			out_text(o, n++ ? ", " : ", of ");
			out_name(o, name, length);
		}
		if (states)
			strings_free(states);
	}
	out_text(o, n ? "\n" : "; it has no states\n");
	return out_close(o, true, err);
}

int explore_choose_state(struct explore *e, const struct explore_command *c,
			 const struct explore_line *l, struct error *err)
{
	const char *states = NULL;

	(void)c;
	if (l->n < 2)
		return show_state(e, l->output, err);
	if (l->n > 2 || !is_default(l->words[1])) {
		states = explore_join(e, l);
		if (!states)
			return error_memory(err);
	}
	if (read_again(e, states, e->profiles[e->current].at, err))
		return -1;
	return explore_list_resources(e, l->output, err);
}

int explore_choose_moment(struct explore *e, const struct explore_command *c,
			  const struct explore_line *l, struct error *err)
{
	const char *at = NULL, *now = e->profiles[e->current].at;

	if (l->n < 2)
		return explore_show_word(e, c->name, now ? now : "end", l->output, err);
	if (l->n > 2)
		return error_set(err, "%s takes one argument at most", c->name);
	if (!is_default(l->words[1])) {
		at = explore_keep(e, l->words[1]);
		if (!at)
			return error_memory(err);
	}
	if (read_again(e, e->profiles[e->current].states, at, err))
		return -1;
	return explore_list_resources(e, l->output, err);
}

int explore_choose_blame(struct explore *e, const struct explore_command *c,
			 const struct explore_line *l, struct error *err)
{
	bool is_off = l->n == 2 && is_default(l->words[1]);
	const char *wanted = is_off ? LOCK : BLAME;

	if (l->n > 2 || (l->n == 2 && !is_off && strcmp(l->words[1], "on") != 0))
		return error_set(err, "%s is on or off", c->name);
	for (size_t i = 0; i < e->n; i++) {
		const struct profile *p = e->profiles[i].analysis.profile;

		if (p->n_columns || strcmp(text_of(p, p->resource), wanted) != 0)
			continue;
		e->current = i;
		return explore_list_resources(e, l->output, err);
	}
	return error_set(err, "%s: nothing that was read counts %s (cpsample -r lock)", c->name,
			 wanted);
}
