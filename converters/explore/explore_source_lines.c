/* SPDX-License-Identifier: MIT */
/*
 * explore_source_lines.c - weighs the source lines of functions.
 *
 * In: a profile shaped by line, and functions. Out: struct explore_source_lines.
 *
 * The tree by line has a name for each place, "f file.c:12". The path, line and function that a
 * name stands for are looked up in the frames.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "base/name_match.h"
#include "explore/explore_source.h"

/* The place that a name of the tree stands for. */
struct place {
	bool is_known;	   /* a frame is at this place */
	bool is_ours;	   /* the place is in one of the chosen functions */
	uint32_t function; /* name of the place's function */
	uint32_t file, line;
};

struct search {
	struct analysis *analysis;
	struct place *places; /* by name */
	size_t n_names;
};

/* Records a place by its name. A name that was added after the tree was built belongs to a frame
 * that a filter has dropped: it is not in the tree, and is ignored. */
static void look_at(struct search *s, const struct symbols_place *place)
{
	if (place->name >= s->n_names)
		return;
	s->places[place->name] = (struct place){
		.is_known = true,
		.function = place->function,
		.file = place->line ? place->file : STRINGS_NONE,
		.line = place->file == STRINGS_NONE ? 0 : place->line,
	};
}

static int look_at_frames(struct search *s, struct error *err)
{
	const struct profile *p = s->analysis->profile;
	const struct symbols_place *places;
	size_t i, k, n;

	for (i = 0; i < p->n_frames; i++) {
		if (p->frames[i].name != STRINGS_NONE)
			continue;
		if (symbols_expand(s->analysis->symbols, &p->frames[i], &places, &n, err))
			return -1;
		for (k = 0; k < n; k++)
			look_at(s, &places[k]);
	}
	return 0;
}

/* Chooses the functions with this name. The command has already completed a part of a function's
 * name to the whole name, so a text that is only a part of a function's name here is the name of
 * something else, such as a module, and chooses no function. */
static int choose_functions(struct search *s, const char *text, struct error *err)
{
	struct name_match match = {.strings = s->analysis->profile->strings, .mark = 1};
	enum name_match_way way;
	size_t i;

	match.n = strings_count(match.strings);
	match.marks = calloc(match.n + 1, 1);
	if (!match.marks)
		return error_memory(err);
	for (i = 0; i < s->n_names; i++)
		if (s->places[i].is_known)
			match.marks[s->places[i].function] = NAME_MATCH_NAME;
	way = name_match(&match, text);
	for (i = 0; i < s->n_names; i++)
		if (s->places[i].is_known && way != NAME_MATCH_PART)
			s->places[i].is_ours = match.marks[s->places[i].function] & match.mark;
	free(match.marks);
	return way == NAME_MATCH_NO_MEMORY ? error_memory(err) : 0;
}

/* ---- weights --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b, void *strings)
{
	const struct source_line *x = a, *y = b;

	if (x->file != y->file) {
		if (x->file == STRINGS_NONE || y->file == STRINGS_NONE)
			return x->file == STRINGS_NONE ? 1 : -1;
		return strings_compare(strings, x->file, y->file);
	}
	return (x->line > y->line) - (x->line < y->line);
}

static int weigh_lines(struct explore_source_lines *l, const struct search *s, struct error *err)
{
	size_t i, n;
	struct tree_function *functions = tree_functions(s->analysis->tree, &n, err);

	l->list = functions ? calloc(n + 1, sizeof(*l->list)) : NULL;
	for (i = 0; l->list && i < n; i++) {
		const struct tree_function *f = &functions[i];
		const struct place *place = &s->places[f->name];

		if (!place->is_ours)
			continue;
		l->list[l->n++] = (struct source_line){
			.file = place->file,
			.line = place->line,
			.self = f->self,
			.total = f->total,
			.hits = f->hits,
		};
		l->self += f->self;
	}
	free(functions);
	if (!l->list)
		return error_memory(err);
	qsort_r(l->list, l->n, sizeof(*l->list), compare,
		(void *)(uintptr_t)s->analysis->profile->strings);
	return 0;
}

/* Adds the weights of all stacks with the functions. Each stack counts once, at the outermost of
 * its places. */
static void weigh_function(struct explore_source_lines *l, const struct search *s)
{
	const struct tree *t = s->analysis->tree;
	size_t i;

	for (i = 1; i < t->n_nodes;) {
		if (!s->places[t->nodes[i].name].is_ours) {
			i++;
			continue;
		}
		l->total += t->nodes[i].total;
		i = t->nodes[i].end;
	}
}

int explore_source_lines_find(struct explore_source_lines *l, struct analysis *s,
			      const char *function, struct error *err)
{
	struct search search = {
		.analysis = s,
		.n_names = strings_count(s->profile->strings),
	};
	int status = 0;

	*l = (struct explore_source_lines){0};
	search.places = calloc(search.n_names + 1, sizeof(*search.places));
	if (!search.places)
		return error_memory(err);
	if (look_at_frames(&search, err) || choose_functions(&search, function, err) ||
	    weigh_lines(l, &search, err))
		status = -1;
	else
		weigh_function(l, &search);
	free(search.places);
	return status;
}

void explore_source_lines_free(struct explore_source_lines *l)
{
	free(l->list);
}
