/* SPDX-License-Identifier: MIT */
/*
 * frame_names.c - finds the names of each frame once and keeps them.
 *
 * In: a frame of the profile. Out: its names, outermost function first.
 *
 * The names are kept because many nodes have the same frame, and finding its names takes a search.
 */
#include "tree/frame_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/stop.h"
#include "tree/tree.h"

void frame_names_clear(struct frame_names *c)
{
	free(c->frames);
	free(c->all);
	free(c->functions);
	memset(c, 0, sizeof(*c));
}

static int add(struct frame_names *c, struct chain *chain, uint32_t name, uint32_t function,
	       struct error *err)
{
	if (name == STRINGS_NONE || c->n_all >= UINT32_MAX ||
	    !array_reserve(&c->all, &c->room, c->n_all + 1, sizeof(*c->all)) ||
	    !array_reserve(&c->functions, &c->functions_room, c->n_all + 1, sizeof(*c->functions)))
		return error_memory(err);
	c->functions[c->n_all] = function;
	c->all[c->n_all++] = name;
	chain->n++;
	return 0;
}

/* The names of groups are taken as they are, because groups are not functions of the program. */
static int add_groups(struct frame_names *c, struct error *err)
{
	const struct profile *p = c->profile;
	size_t i;

	for (i = 1; p->by && i < p->n_nodes; i++) {
		uint32_t number = p->nodes[i].frame;
		struct chain *chain = &c->frames[number];

		if (!profile_is_group(p, i) || chain->n)
			continue;
		chain->first = (uint32_t)c->n_all;
		if (add(c, chain, p->frames[number].name, p->frames[number].name, err))
			return -1;
	}
	return 0;
}

int frame_names_init(struct frame_names *c, const struct profile *p, struct symbols *s,
		     struct error *err)
{
	*c = (struct frame_names){.profile = p, .symbols = s};
	c->merge_calls = s && symbols_merge_calls(s);
	c->frames = calloc(p->n_frames + 1, sizeof(*c->frames));
	return c->frames ? add_groups(c, err) : error_memory(err);
}

/* A function of one name may be in several modules. */
static int note_module(struct frame_names *c, uint32_t name, uint32_t module, struct error *err)
{
	uint32_t *known;

	if (!array_reserve(&c->modules, &c->modules_room, (size_t)name + 1, sizeof(*c->modules)))
		return error_memory(err);
	for (; c->n_modules <= name; c->n_modules++)
		c->modules[c->n_modules] = 0;
	known = &c->modules[name];
	*known = *known && *known != module + 1 ? TREE_SEVERAL_MODULES : module + 1;
	return 0;
}

static int expand(struct frame_names *c, const struct profile_frame *frame, struct chain *chain,
		  struct error *err)
{
	const struct symbols_place *places;
	size_t i, n;

	if (symbols_expand(c->symbols, frame, &places, &n, err))
		return -1;
	for (i = 0; i < n; i++)
		if (add(c, chain, places[i].name, places[i].function, err) ||
		    note_module(c, places[i].name, frame->module, err))
			return -1;
	return 0;
}

/* The name of a frame if there are no symbols. A frame without a name stands for the middle of a
 * stack that was left out. */
static uint32_t own_name(struct frame_names *c, const struct profile_frame *frame)
{
	if (frame->name != STRINGS_NONE)
		return frame->name;
	return strings_add(c->profile->strings, PROFILE_CUT, strlen(PROFILE_CUT));
}

int frame_names_get(struct frame_names *c, uint32_t number, const uint32_t **names, uint32_t *n,
		    struct error *err)
{
	const struct profile_frame *frame = &c->profile->frames[number];
	struct chain *chain = &c->frames[number];
	uint32_t own;
	int status = 0;

	if (!chain->n) {
		if (stop_check(err))
			return -1;
		chain->first = (uint32_t)c->n_all;
		own = c->symbols ? STRINGS_NONE : own_name(c, frame);
		status = c->symbols ? expand(c, frame, chain, err) : add(c, chain, own, own, err);
	}
	*names = &c->all[chain->first];
	*n = chain->n;
	return status;
}
