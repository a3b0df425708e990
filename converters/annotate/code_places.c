/* SPDX-License-Identifier: MIT */
/*
 * code_places.c - finds the places in functions.
 *
 * Such a tree has a name for each place, "f file.c:12". What a name stands for is looked up in the
 * frames of the profile.
 */
#include "annotate/code_places.h"

#include <stdlib.h>
#include <string.h>

#include "graph/function_names.h"

/* A name that was added after the tree was built belongs to a frame that a filter has dropped: it is
 * not in the tree, and is ignored. */
static void look_at(struct code_places *p, const struct profile_frame *frame,
		    const struct symbols_place *place)
{
	if (place->name < p->n_names)
		p->by_name[place->name] = (struct code_place){
			.is_known = true,
			.module = frame->module,
			.address = frame->address,
			.is = *place,
		};
}

static int look_at_frames(struct code_places *p, const struct profile *profile,
			  struct symbols *symbols, struct error *err)
{
	const struct symbols_place *places;
	size_t i, k, n;

	for (i = 0; i < profile->n_frames; i++) {
		if (symbols_expand(symbols, &profile->frames[i], &places, &n, err))
			return -1;
		for (k = 0; k < n; k++)
			look_at(p, &profile->frames[i], &places[k]);
	}
	return 0;
}

static int choose(struct code_places *p, const struct tree *tree, const char *text,
		  struct error *err)
{
	struct function_names functions;

	for (size_t i = 0; !text && i < p->n_names; i++)
		p->by_name[i].is_ours = p->by_name[i].is_known;
	if (!text)
		return 0;
	if (function_names_of_tree(&functions, tree, text, err))
		return -1;
	for (size_t i = 0; i < functions.n; i++)
		p->by_name[functions.list[i]].is_ours = p->by_name[functions.list[i]].is_known;
	p->title = strdup(functions.title);
	function_names_free(&functions);
	return p->title ? 0 : error_memory(err);
}

/* Add the weights of all stacks with the functions. Each stack counts once for the total, at the
 * outermost of its places. */
static void weigh(struct code_places *p, const struct tree *t)
{
	size_t i, until = 0;

	for (i = 1; i < t->n_nodes; i++) {
		if (!p->by_name[t->nodes[i].name].is_ours)
			continue;
		p->self += t->nodes[i].self;
		if (i < until)
			continue;
		p->total += t->nodes[i].total;
		until = t->nodes[i].end;
	}
}

int code_places_find(struct code_places *p, const struct profile *profile, struct symbols *symbols,
		     const struct tree *tree, const char *text, struct error *err)
{
	*p = (struct code_places){.n_names = strings_count(profile->strings)};
	p->by_name = calloc(p->n_names + 1, sizeof(*p->by_name));
	if (!p->by_name)
		return error_memory(err);
	if (text && !tree->nodes[0].total && !tree->nodes[0].hits)
		return error_set(err, "no sample is shown, so none of \"%s\"", text);
	if (look_at_frames(p, profile, symbols, err) || choose(p, tree, text, err))
		return -1;
	if (text)
		weigh(p, tree);
	return 0;
}

void code_places_free(struct code_places *p)
{
	free(p->by_name);
	free(p->title);
	*p = (struct code_places){0};
}

/* ---- functions without code of their own --------------------------------------------------------- */

#define HOSTS 3 /* are named */

static bool is_called(const struct strings *strings, const struct symbols_place *place,
		      const char *text)
{
	return !strcmp(strings_get(strings, place->function, NULL), text) ||
	       !strcmp(strings_shown(strings, place->function, NULL), text);
}

void code_places_explain(const struct profile *profile, struct symbols *symbols, const char *text,
			 struct error *err)
{
	const struct symbols_place *places;
	uint32_t hosts[HOSTS];
	struct error unused;
	size_t i, k, n, n_hosts = 0;

	for (i = 0; i < profile->n_frames && n_hosts < HOSTS; i++) {
		if (profile_is_named(&profile->frames[i]))
			continue;
		if (symbols_source(symbols, &profile->frames[i], &places, &n, &unused))
			return;
		for (k = 1; k < n && !is_called(profile->strings, &places[k], text); k++)
			;
		if (k >= n)
			continue;
		for (k = 0; k < n_hosts && hosts[k] != places[0].function; k++)
			;
		hosts[k] = places[0].function;
		n_hosts += k == n_hosts;
	}
	if (!n_hosts)
		return;
	error_set(err, "\"%s\" has no instructions of its own, because it is inlined in", text);
	for (i = 0; i < n_hosts; i++)
		error_append(err, "%s %s", i ? "," : "",
			     strings_shown(profile->strings, hosts[i], NULL));
}
