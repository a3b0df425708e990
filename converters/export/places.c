/* SPDX-License-Identifier: MIT */
/*
 * places.c - where samples are, and how two profiles differ there.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/numbers.h"
#include "base/stop.h"
#include "export/places.h"

/* ---- places ---------------------------------------------------------------------------------- */

bool places_is_none(const struct profile *p, size_t node)
{
	return !node || profile_is_column(p, node) || profile_is_group(p, node);
}

/* The number of the function of that name. ID_TABLE_NONE: memory. */
static uint32_t function(struct places *x, struct id_table *names,
			 const struct symbols_place *place, uint32_t module)
{
	size_t known = id_table_count(names);
	uint32_t number = id_table_add(names, place->function);

	if (number == ID_TABLE_NONE)
		return number;
	if (number == known) {
		if (!array_reserve(&x->names, &x->names_size, known + 1, sizeof(*x->names)) ||
		    !array_reserve(&x->files, &x->files_size, known + 1, sizeof(*x->files)) ||
		    !array_reserve(&x->modules, &x->modules_size, known + 1, sizeof(*x->modules)))
			return ID_TABLE_NONE;
		x->names[known] = place->function;
		x->files[known] = place->file;
		x->modules[known] = module;
		x->n_functions = known + 1;
	}
	if (x->files[number] == STRINGS_NONE)
		x->files[number] = place->file;
	return number;
}

static int add_frame(struct places *x, struct id_table *names, const struct view_input *in,
		     uint32_t frame, struct error *err)
{
	const struct symbols_place *list;
	size_t n;

	if (symbols_expand(in->symbols, &in->profile->frames[frame], &list, &n, err))
		return -1;
	if (!array_reserve(&x->all, &x->size, x->n + n, sizeof(*x->all)))
		return error_memory(err);
	x->of_frame[frame] = (struct places_chain){(uint32_t)x->n, (uint32_t)n};
	for (size_t i = 0; i < n; i++) {
		uint32_t number = function(x, names, &list[i], in->profile->frames[frame].module);

		if (number == ID_TABLE_NONE)
			return error_memory(err);
		x->all[x->n++] = (struct place){
			.function = number,
			.file = list[i].file,
			.line = list[i].line,
			.column = list[i].column,
		};
	}
	return 0;
}

/* A node is used if a sample is credited to it or below. Children come after their parents. */
static int add_frames(struct places *x, struct id_table *names, unsigned char *used,
		      const struct view_input *in, struct error *err)
{
	const struct profile *p = in->profile;

	for (size_t i = p->n_nodes; i-- > 1;) {
		const struct profile_node *node = &p->nodes[i];

		used[i] |= node->self_weight || node->self_hits;
		used[node->parent] |= used[i];
	}
	for (size_t i = 1; i < p->n_nodes; i++)
		if (stop_check(err) ||
		    (used[i] && !places_is_none(p, i) && !x->of_frame[p->nodes[i].frame].n &&
		     add_frame(x, names, in, p->nodes[i].frame, err)))
			return -1;
	return 0;
}

/* Of a function that was called its first place is all: what is inlined there is not what was called. */
static int add_called(struct places *x, struct id_table *names, const struct view_input *in,
		      const struct profile_frame *frame, struct places_chain *chain,
		      struct error *err)
{
	const struct symbols_place *list;
	uint32_t number;
	size_t n;

	if (symbols_expand(in->symbols, frame, &list, &n, err))
		return -1;
	number = function(x, names, &list[0], frame->module);
	if (number == ID_TABLE_NONE || !array_reserve(&x->all, &x->size, x->n + 1, sizeof(*x->all)))
		return error_memory(err);
	*chain = (struct places_chain){(uint32_t)x->n, 1};
	x->all[x->n++] = (struct place){
		.function = number,
		.file = list[0].file,
		.line = list[0].line,
		.column = list[0].column,
	};
	return 0;
}

static int add_calls(struct places *x, struct id_table *names, const struct view_input *in,
		     struct error *err)
{
	const struct profile_counted *c = view_input_counted(in);

	if (!c)
		return 0;
	x->of_called = calloc(c->n_frames + 1, sizeof(*x->of_called));
	if (!x->of_called)
		return error_memory(err);
	for (size_t i = 0; i < c->n_frames; i++)
		if (stop_check(err) ||
		    (!profile_stand_in(&c->frames[i]) &&
		     add_called(x, names, in, &c->frames[i], &x->of_called[i], err)))
			return -1;
	return 0;
}

/* Each name becomes the one that a file for another program has. */
static int settle(struct places *x, const struct view_input *in, struct error *err)
{
	if (!symbols_exports_short(in->symbols))
		return 0;
	if (symbols_shorten(in->symbols, x->names, x->n_functions, err))
		return -1;
	for (size_t i = 0; i < x->n_functions; i++)
		x->names[i] = symbols_exported(in->symbols, x->names[i]);
	return 0;
}

int places_find(struct places *x, const struct view_input *in, struct error *err)
{
	struct id_table *names = id_table_new();
	unsigned char *used = calloc(in->profile->n_nodes, 1);
	int status;

	*x = (struct places){.of_frame = calloc(in->profile->n_frames + 1, sizeof(*x->of_frame))};
	status = names && used && x->of_frame ? add_frames(x, names, used, in, err)
					      : error_memory(err);
	if (!status)
		status = add_calls(x, names, in, err);
	if (!status)
		status = settle(x, in, err);
	id_table_free(names);
	free(used);
	return status;
}

int places_settle(const struct view_input *in, struct error *err)
{
	struct places x;
	int status;

	if (!symbols_exports_short(in->symbols))
		return 0;
	status = places_find(&x, in, err);
	places_free(&x);
	return status;
}

void places_free(struct places *x)
{
	free(x->all);
	free(x->of_frame);
	free(x->of_called);
	free(x->names);
	free(x->files);
	free(x->modules);
}

/* ---- differences ----------------------------------------------------------------------------- */

/* What all nodes so far have, before anything is rounded. */
struct sums {
	uint64_t hits, weight;
};

struct differences {
	const struct profile *profile;
	bool normalizes;
	struct sums sums[]; /* by column */
};

struct differences *differences_new(const struct profile *p, bool normalizes)
{
	struct differences *d = calloc(1, sizeof(*d) + (p->n_columns + 1) * sizeof(d->sums[0]));

	if (d) {
		d->profile = p;
		d->normalizes = normalizes;
	}
	return d;
}

/* value * part / whole, rounded. */
static uint64_t scaled(uint64_t value, uint64_t part, unsigned __int128 whole)
{
	unsigned __int128 product = (unsigned __int128)value * part;
	unsigned __int128 quotient = whole ? product / whole : 0,
			  rest = whole ? product % whole : 0;

	quotient += whole && rest >= whole - rest;
	return quotient < INT64_MAX ? (uint64_t)quotient : INT64_MAX;
}

/* What a run has used, as --base counts it: the sums of all runs if there are as many on both sides and they are not
 * scaled, else means. */
static uint64_t mean(const struct differences *d, size_t column, uint64_t value)
{
	const struct profile *p = d->profile;
	size_t n_after = p->n_columns - p->n_base, n = column < p->n_base ? p->n_base : n_after;
	uint64_t before = 0;

	for (size_t i = 0; i < p->n_base; i++)
		before += p->columns[i].weight; /* a part of the sum of all, which fits */
	if (d->normalizes)
		value = scaled(value, before,
			       (unsigned __int128)p->columns[column].weight * n * p->n_base);
	else if (p->n_base != n_after)
		value = scaled(value, 1, n);
	return value;
}

/* Add a value to the sum of its column, and return by how much the mean has grown: so the parts add up, however small they
 * are. Those of the runs before are negative. */
static uint64_t grow(const struct differences *d, size_t column, uint64_t *sum, uint64_t value)
{
	uint64_t before = mean(d, column, *sum), grown;

	*sum += value;
	grown = mean(d, column, *sum) - before;
	return column < d->profile->n_base ? -grown : grown;
}

struct difference differences_add(struct differences *d, size_t column,
				  const struct profile_node *node)
{
	struct sums *s = &d->sums[column];

	return (struct difference){grow(d, column, &s->hits, node->self_hits),
				   grow(d, column, &s->weight, node->self_weight)};
}
