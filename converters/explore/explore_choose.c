/* SPDX-License-Identifier: MIT */
/*
 * explore_choose.c - goes to a part of the run, or of the current resource: some states of threads, another moment,
 * or those who hold locks instead of those who wait for them; and back.
 *
 * In: seconds, names of states, a moment. Out: profiles that are read again, or the number of the current one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/explore_command.h"
#include "options/options_table.h"
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

/* Read the files again as the options say, for this profile, of which only these states and this moment are wanted. */
static int read_part(const struct options *wanted, struct explore *e, size_t number,
		     const char *states, const char *at, struct explore_profile *to,
		     struct error *err)
{
	const struct profile *former = e->profiles[number].analysis.profile;
	struct options opt = *wanted;
	struct load_result result;

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
	*to = (struct explore_profile){.states = states, .at = at};
	to->analysis.profile = take_profile(&result, former);
	if (!to->analysis.profile)
		return error_set(err, "the files have changed: nothing counts the same any more");
	return 0;
}

static int read_again(struct explore *e, size_t number, const char *states, const char *at,
		      struct error *err)
{
	struct explore_profile part;

	if (read_part(&e->options, e, number, states, at, &part, err))
		return -1;
	explore_profile_clear(&e->profiles[number]);
	e->profiles[number] = part;
	return 0;
}

/* Read all profiles again, of which only these times are wanted. After an error all is as it was. */
static int read_times(struct explore *e, uint64_t from_ns, uint64_t to_ns, struct error *err)
{
	struct explore_profile *parts = calloc(e->n, sizeof(*parts));
	struct options wanted = e->options;
	int status = parts ? 0 : error_memory(err);
	size_t n = 0;

	wanted.chosen.from_ns = from_ns;
	wanted.chosen.to_ns = to_ns;
	for (; !status && n < e->n; n++)
		status = read_part(&wanted, e, n, e->profiles[n].states, e->profiles[n].at,
				   &parts[n], err);
	for (size_t i = 0; i < n; i++) {
		struct explore_profile *old = &e->profiles[i];

		if (status) {
			if (parts[i].analysis.profile)
				explore_profile_clear(&parts[i]);
			continue;
		}
		explore_profile_clear(old);
		*old = parts[i];
	}
	if (!status)
		e->options = wanted;
	free(parts);
	return status;
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool is_default(const char *word)
{
	return !strcmp(word, "default") || !strcmp(word, "off") || !strcmp(word, "-");
}

/* Write "state        io, of running, io, lock". */
static int show_state(struct explore *e, const char *output, struct error *err)
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
	return explore_close(e, o, err);
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
	if (read_again(e, e->current, states, e->profiles[e->current].at, err))
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
	if (read_again(e, e->current, e->profiles[e->current].states, at, err))
		return -1;
	return explore_list_resources(e, l->output, err);
}

int explore_choose_times(struct explore *e, const struct explore_command *c,
			 const struct explore_line *l, struct error *err)
{
	const struct known_option *option = options_known(c->name);
	struct options wanted = e->options;

	if (l->n < 2) {
		uint64_t ns = option->set ? wanted.chosen.to_ns : wanted.chosen.from_ns;
		char text[32];

		snprintf(text, sizeof(text), "%g s", (double)ns / 1e9);
		return explore_show_word(e, c->name, ns ? text : "default", l->output, err);
	}
	if (l->n > 2)
		return error_set(err, "%s takes one argument at most", c->name);
	options_reset(&wanted, option);
	if (is_default(l->words[1]))
		*(option->set ? &wanted.chosen.to_ns : &wanted.chosen.from_ns) = 0;
	else if (options_apply(&wanted, option, l->words[1], err))
		return -1;
	if (wanted.chosen.to_ns && wanted.chosen.to_ns <= wanted.chosen.from_ns)
		return error_set(err, "to: must be later than from");
	if (read_times(e, wanted.chosen.from_ns, wanted.chosen.to_ns, err))
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

/* ---- undo ------------------------------------------------------------------------------------ */

static void undo_free(struct explore_undo *u)
{
	filter_clear(&u->filter);
	free(u->line);
}

int explore_undo_begin(const struct explore *e, struct explore_undo *u, const char *line, size_t n,
		       struct error *err)
{
	const struct explore_profile *p = &e->profiles[e->current];

	*u = (struct explore_undo){.of_view = e->options.of_view,
				   .of_symbols = e->options.of_symbols,
				   .from_ns = e->options.chosen.from_ns,
				   .to_ns = e->options.chosen.to_ns,
				   .profile = e->current,
				   .states = p->states,
				   .at = p->at};
	if (filter_copy(&u->filter, &e->options.filter, err))
		return -1;
	for (; n > 0 && strchr(" \t", *line); n--)
		line++;
	while (n > 0 && strchr(" \t\r\n", line[n - 1]))
		n--;
	u->line = strndup(line, n);
	if (u->line)
		return 0;
	undo_free(u);
	return error_memory(err);
}

/* Without memory it cannot be undone. */
void explore_undo_end(struct explore *e, struct explore_undo *u, bool is_done)
{
	if (is_done && array_reserve(&e->undos, &e->undos_size, e->n_undos + 1, sizeof(*e->undos)))
		e->undos[e->n_undos++] = *u;
	else
		undo_free(u);
}

void explore_undo_free(struct explore *e)
{
	while (e->n_undos > 0)
		undo_free(&e->undos[--e->n_undos]);
	free(e->undos);
}

/* What was chosen for a profile that there is no longer stays undone. */
static int undo_parts(struct explore *e, const struct explore_undo *u, struct error *err)
{
	const struct explore_profile *p = u->profile < e->n ? &e->profiles[u->profile] : NULL;

	if (p && (p->states != u->states || p->at != u->at))
		return read_again(e, u->profile, u->states, u->at, err);
	if (e->options.chosen.from_ns != u->from_ns || e->options.chosen.to_ns != u->to_ns)
		return read_times(e, u->from_ns, u->to_ns, err);
	return 0;
}

int explore_undo(struct explore *e, const struct explore_command *c, const struct explore_line *l,
		 struct error *err)
{
	struct options wanted;
	struct explore_undo *u;
	int status;

	(void)c;
	if (l->n > 1)
		return error_set(err, "undo takes no argument");
	if (!e->n_undos)
		return error_set(err, "there is nothing to undo: no setting has been changed");
	u = &e->undos[e->n_undos - 1];
	status = undo_parts(e, u, err);
	wanted = e->options;
	wanted.filter = u->filter;
	wanted.of_view = u->of_view;
	wanted.of_symbols = u->of_symbols;
	if (!status)
		status = explore_reshape(e, &wanted, err);
	if (status)
		return -1;
	u->filter = e->options.filter;
	e->options = wanted;
	status = explore_show_word(e, "undone:", u->line, l->output, err);
	undo_free(u);
	e->n_undos--;
	return status;
}
