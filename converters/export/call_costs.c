/* SPDX-License-Identifier: MIT */
/*
 * call_costs.c - walks the calling context tree, and adds up what lines and calls have used.
 */
#include "export/call_costs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/stop.h"

#define NONE UINT32_MAX

/* A node of the tree on the walk's way: its children follow each other by `sibling`. */
struct step {
	uint32_t child, sibling;
	uint32_t inner;	       /* the function that is innermost there; NONE above all */
	uint32_t place;	       /* of that function, in places.all */
	uint32_t column;       /* that the node counts */
	uint64_t weight, hits; /* of the node and all below it */
};

struct walk {
	struct call_costs *costs;
	const struct profile *profile;
	const struct places *places;
	struct step *steps; /* by node */
	uint32_t *levels;   /* by function of places: how often it is active */
};

/* ---- rows ------------------------------------------------------------------------------------ */

static struct call_costs_row *row_of(struct call_costs *c, uint32_t caller, uint32_t callee,
				     const struct place *place)
{
	uint32_t line = pair_table_number(&c->of_line, place->file, place->line), what, number;
	size_t n = c->n_columns;

	if (line == PAIR_TABLE_NONE)
		return NULL;
	what = pair_table_number(&c->of_callee, callee, line);
	number = what == PAIR_TABLE_NONE ? what : pair_table_number(&c->of_row, caller, what);
	if (number == PAIR_TABLE_NONE)
		return NULL;
	if (number < c->n_rows)
		return &c->rows[number];
	if (!array_reserve(&c->rows, &c->rows_size, c->n_rows + 1, sizeof(*c->rows)) ||
	    !array_reserve(&c->costs, &c->costs_size, (c->n_rows + 1) * n, sizeof(*c->costs)))
		return NULL;
	for (size_t i = 0; i < n; i++)
		c->costs[c->n_rows * n + i] = 0;
	c->rows[c->n_rows] = (struct call_costs_row){
		.caller = caller,
		.callee = callee,
		.file = place->file,
		.line = place->line,
		.costs = number,
	};
	return &c->rows[c->n_rows++];
}

static int add(struct walk *w, uint32_t caller, uint32_t callee, uint32_t place, uint32_t column,
	       uint64_t weight, uint64_t hits)
{
	struct call_costs *c = w->costs;
	struct call_costs_row *row;

	if (!weight && !hits)
		return 0;
	row = row_of(c, caller, callee, &w->places->all[place]);
	if (!row)
		return -1;
	c->costs[row->costs * c->n_columns + column] += weight;
	row->hits += hits;
	return 0;
}

/* The function of a place, one level deeper than it is active already. */
static uint32_t enter(struct walk *w, const struct place *place, uint32_t module)
{
	struct call_costs *c = w->costs;
	uint32_t level = ++w->levels[place->function];
	uint32_t which = pair_table_number(&c->of_module, place->function, module), number;

	if (which == PAIR_TABLE_NONE)
		return NONE;
	number = pair_table_number(&c->of_level, which, level);
	if (number == PAIR_TABLE_NONE ||
	    !array_reserve(&c->functions, &c->functions_size, number + 1, sizeof(*c->functions)))
		return NONE;
	if (number == c->n_functions)
		c->functions[c->n_functions++] = (struct call_costs_function){
			.function = place->function,
			.module = module,
			.level = level,
			.file = STRINGS_NONE,
		};
	if (c->functions[number].file == STRINGS_NONE)
		c->functions[number].file = place->file;
	return number;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static const struct places_chain *chain_of(const struct walk *w, size_t node)
{
	static const struct places_chain none;

	return places_is_none(w->profile, node)
		       ? &none
		       : &w->places->of_frame[w->profile->nodes[node].frame];
}

/* The functions of a node are called, one by the other, and the outermost by that of the parent. */
static int begin(struct walk *w, uint32_t node)
{
	const struct profile *p = w->profile;
	const struct places_chain *chain = chain_of(w, node);
	struct step *step = &w->steps[node], *parent = &w->steps[p->nodes[node].parent];

	step->inner = parent->inner;
	step->place = parent->place;
	for (uint32_t i = 0; i < chain->n; i++) {
		uint32_t place = chain->first + i;
		uint32_t callee =
			enter(w, &w->places->all[place], p->frames[p->nodes[node].frame].module);

		if (callee == NONE ||
		    (step->inner != NONE && add(w, step->inner, callee, step->place, step->column,
						step->weight, step->hits)))
			return -1;
		step->inner = callee;
		step->place = place;
	}
	if (step->inner == NONE)
		return 0;
	return add(w, step->inner, CALL_COSTS_SELF, step->place, step->column,
		   p->nodes[node].self_weight, p->nodes[node].self_hits);
}

static void end(struct walk *w, uint32_t node)
{
	const struct places_chain *chain = chain_of(w, node);

	for (uint32_t i = 0; i < chain->n; i++)
		w->levels[w->places->all[chain->first + i].function]--;
}

static int walk(struct walk *w, struct error *err)
{
	uint32_t node = 0;

	for (;;) {
		if (stop_check(err))
			return -1;
		uint32_t next = w->steps[node].child;

		while (!next) {
			if (!node)
				return 0;
			end(w, node);
			next = w->steps[node].sibling;
			node = next ? node : w->profile->nodes[node].parent;
			if (!next && !node)
				return 0;
		}
		node = next;
		if (begin(w, node))
			return error_memory(err);
	}
}

/* Parents come before their children. */
static void link_nodes(struct walk *w)
{
	const struct profile *p = w->profile;

	w->steps[0].inner = NONE;
	for (size_t i = 1; i < p->n_nodes; i++) {
		struct step *step = &w->steps[i], *parent = &w->steps[p->nodes[i].parent];

		step->column = profile_is_column(p, i)
				       ? (uint32_t)p->frames[p->nodes[i].frame].address
				       : parent->column;
		step->weight = p->nodes[i].self_weight;
		step->hits = p->nodes[i].self_hits;
	}
	for (size_t i = p->n_nodes; i-- > 1;) {
		struct step *step = &w->steps[i], *parent = &w->steps[p->nodes[i].parent];

		parent->weight += step->weight;
		parent->hits += step->hits;
		if (!step->weight && !step->hits)
			continue;
		step->sibling = parent->child;
		parent->child = (uint32_t)i;
	}
}

static int compare(const void *a, const void *b)
{
	const struct call_costs_row *x = a, *y = b;
	/* What is self comes first. */
	const uint32_t of_x[] = {x->caller, x->file, x->line, x->callee + 1};
	const uint32_t of_y[] = {y->caller, y->file, y->line, y->callee + 1};

	for (size_t i = 0; i < sizeof(of_x) / sizeof(*of_x); i++)
		if (of_x[i] != of_y[i])
			return of_x[i] < of_y[i] ? -1 : 1;
	return 0;
}

int call_costs_find(struct call_costs *c, const struct profile *p, const struct places *places,
		    struct error *err)
{
	struct walk w = {.costs = c,
			 .profile = p,
			 .places = places,
			 .steps = calloc(p->n_nodes, sizeof(*w.steps))};
	int status;

	w.levels = calloc(places->n_functions + 1, sizeof(*w.levels));
	*c = (struct call_costs){.n_columns = profile_count_shown(p)};
	if (w.steps && w.levels) {
		link_nodes(&w);
		status = walk(&w, err);
	} else {
		status = error_memory(err);
	}
	if (c->n_rows)
		qsort(c->rows, c->n_rows, sizeof(*c->rows), compare);
	free(w.steps);
	free(w.levels);
	return status;
}

void call_costs_free(struct call_costs *c)
{
	pair_table_clear(&c->of_module);
	pair_table_clear(&c->of_level);
	pair_table_clear(&c->of_line);
	pair_table_clear(&c->of_callee);
	pair_table_clear(&c->of_row);
	free(c->functions);
	free(c->rows);
	free(c->costs);
}
