/* SPDX-License-Identifier: MIT */
/*
 * call_costs.c - walks the calling context tree, and adds up what lines and calls have used.
 */
#include "export/call_costs.h"

#include <stdlib.h>
#include <string.h>

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

/* A function in a module. */
struct owned {
	uint32_t module;
	uint32_t
		earlier; /* the same function in another module, another number; NONE: there is none */
	uint32_t level; /* how often it is active */
	uint32_t file;	/* a file that has it; STRINGS_NONE: not known */
	enum call_costs_namesakes namesakes;
};

struct walk {
	struct call_costs *costs;
	const struct profile *profile;
	const struct places *places;
	struct step *steps;  /* by node */
	uint32_t *which;     /* by place: its function and module, a number of costs.of_module */
	struct owned *owned; /* by that number */
	uint32_t *last;	     /* by function of places: its last number; NONE: it has none */
	bool is_of_calls;    /* nodes are those of profile_of_calls */
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

/* The function of a place, one level deeper than it is active already. All levels have one file: readers take
 * functions of one name in two files for two. */
static uint32_t enter(struct walk *w, uint32_t place)
{
	struct call_costs *c = w->costs;
	struct owned *o = &w->owned[w->which[place]];
	uint32_t level = ++o->level;
	uint32_t number = pair_table_number(&c->of_level, w->which[place], level);

	if (number == PAIR_TABLE_NONE ||
	    !array_reserve(&c->functions, &c->functions_size, number + 1, sizeof(*c->functions)))
		return NONE;
	if (number == c->n_functions)
		c->functions[c->n_functions++] = (struct call_costs_function){
			.function = w->places->all[place].function,
			.module = o->module,
			.level = level,
			.file = o->file,
			.namesakes = o->namesakes,
			.owner = w->which[place],
		};
	return number;
}

static const struct places_chain *chain_of(const struct walk *w, size_t node)
{
	static const struct places_chain none;

	const struct places_chain *of = w->is_of_calls ? w->places->of_called : w->places->of_frame;

	return places_is_none(w->profile, node) ? &none : &of[w->profile->nodes[node].frame];
}

const char *call_costs_module_name(const struct profile *p, uint32_t module, bool is_path)
{
	const char *path = module == PROFILE_NO_MODULE
				   ? "???"
				   : strings_get(p->strings, p->modules[module].path, NULL);
	const char *slash = is_path ? NULL : strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The function is in one more module. Those of its name are told apart by the names of their modules, if these differ. */
static void meet_namesakes(struct walk *w, struct owned *o)
{
	const char *name = call_costs_module_name(w->profile, o->module, false);

	for (uint32_t i = o->earlier; i != NONE; i = w->owned[i].earlier) {
		struct owned *other = &w->owned[i];
		bool is_alike =
			!strcmp(name, call_costs_module_name(w->profile, other->module, false));
		enum call_costs_namesakes how = is_alike ? CALL_COSTS_BY_PATH : CALL_COSTS_BY_NAME;

		o->namesakes = how > o->namesakes ? how : o->namesakes;
		other->namesakes = how > other->namesakes ? how : other->namesakes;
	}
}

static int number_place(struct walk *w, uint32_t i, uint32_t module)
{
	const struct place *place = &w->places->all[i];
	size_t known = w->costs->of_module.count;
	uint32_t which = pair_table_number(&w->costs->of_module, place->function, module);

	if (which == PAIR_TABLE_NONE)
		return -1;
	w->which[i] = which;
	if (which == known) {
		w->owned[which] = (struct owned){
			.module = module,
			.earlier = w->last[place->function],
			.file = STRINGS_NONE,
		};
		w->last[place->function] = which;
		meet_namesakes(w, &w->owned[which]);
	}
	if (w->owned[which].file == STRINGS_NONE)
		w->owned[which].file = place->file;
	return 0;
}

static int begin_numbers(struct walk *w)
{
	w->which = calloc(w->places->n + 1, sizeof(*w->which));
	w->owned = calloc(w->places->n + 1, sizeof(*w->owned));
	w->last = malloc((w->places->n_functions + 1) * sizeof(*w->last));
	if (!w->which || !w->owned || !w->last)
		return -1;
	for (size_t i = 0; i < w->places->n_functions; i++)
		w->last[i] = NONE;
	return 0;
}

/* Number the functions of all places, each in its module. -1: memory. */
static int number_functions(struct walk *w)
{
	const struct profile *p = w->profile;

	for (size_t node = 1; node < p->n_nodes; node++) {
		const struct places_chain *chain = chain_of(w, node);

		for (uint32_t i = 0; i < chain->n; i++)
			if (number_place(w, chain->first + i,
					 p->frames[p->nodes[node].frame].module))
				return -1;
	}
	return 0;
}

/* ---- arcs ------------------------------------------------------------------------------------ */

/* Of a caller that is NONE it is what no counted function has called. NULL: memory. */
static struct call_costs_arc *arc_of(struct call_costs *c, uint32_t caller, uint32_t callee)
{
	uint32_t number = pair_table_number(&c->of_arc, caller, callee);

	if (number == PAIR_TABLE_NONE ||
	    !array_reserve(&c->arcs, &c->arcs_size, (size_t)number + 1, sizeof(*c->arcs)))
		return NULL;
	if (number == c->n_arcs)
		c->arcs[c->n_arcs++] = (struct call_costs_arc){
			.caller = caller, .callee = callee, .row = CALL_COSTS_NO_ROW};
	return &c->arcs[number];
}

static int add_calls(struct call_costs *c, uint32_t caller, uint32_t callee, uint64_t calls)
{
	struct call_costs_arc *arc = calls ? arc_of(c, caller, callee) : NULL;

	if (!arc)
		return calls ? -1 : 0;
	arc->calls += calls;
	arc->is_counted = true;
	return 0;
}

/* A function that was called, by that of the parent and by itself. */
static int begin_called(struct walk *w, uint32_t node)
{
	const struct profile_node *n = &w->profile->nodes[node];
	const struct places_chain *chain = chain_of(w, node);
	struct step *step = &w->steps[node];
	uint32_t callee;

	step->inner = w->steps[n->parent].inner;
	if (!chain->n)
		return 0;
	callee = enter(w, chain->first);
	if (callee == NONE || add_calls(w->costs, step->inner, callee, n->self_weight))
		return -1;
	step->inner = callee;
	if (!n->self_hits)
		return 0;
	callee = enter(w, chain->first);
	w->owned[w->which[chain->first]].level--;
	return callee == NONE ? -1 : add_calls(w->costs, step->inner, callee, n->self_hits);
}

static bool is_heavier(const struct call_costs *c, const struct call_costs_row *row, uint32_t than)
{
	const struct call_costs_row *other;
	uint64_t costs, others;

	if (than == CALL_COSTS_NO_ROW)
		return true;
	other = &c->rows[than];
	costs = c->costs[row->costs * c->n_columns];
	others = c->costs[other->costs * c->n_columns];
	return costs != others ? costs > others : row->hits > other->hits;
}

/* Find the heaviest row of each arc. What no counted function has called stands where one that is not counted calls. */
static int find_heaviest(struct call_costs *c)
{
	for (uint32_t i = 0; i < c->n_rows; i++) {
		const struct call_costs_row *row = &c->rows[i];
		struct call_costs_arc *arc;

		if (row->callee == CALL_COSTS_SELF)
			continue;
		arc = arc_of(c, row->caller, row->callee);
		if (!arc)
			return -1;
		if (is_heavier(c, row, arc->row))
			arc->row = i;
	}
	for (size_t i = 0, n = c->n_arcs; i < n; i++) {
		uint32_t callee = c->arcs[i].callee, row = c->arcs[i].row;
		struct call_costs_arc *from_none;

		if (c->arcs[i].is_counted || c->arcs[i].caller == NONE || row == CALL_COSTS_NO_ROW)
			continue;
		from_none = arc_of(c, NONE, callee);
		if (!from_none)
			return -1;
		if (from_none->is_counted && is_heavier(c, &c->rows[row], from_none->row))
			from_none->row = row;
	}
	return 0;
}

/* Rows without costs for what was called and is in no sample, so that each function has one. -1: memory. */
static int add_rows(struct walk *w, const struct place *nowhere)
{
	struct call_costs *c = w->costs;
	bool *has_row = calloc(c->n_functions + 1, sizeof(*has_row));
	bool is_out = !has_row;

	for (size_t i = 0; !is_out && i < c->n_arcs; i++) {
		struct call_costs_arc *arc = &c->arcs[i];

		if (arc->caller == NONE || arc->row != CALL_COSTS_NO_ROW)
			continue;
		arc->row = (uint32_t)c->n_rows;
		is_out = !row_of(c, arc->caller, arc->callee, nowhere);
	}
	for (size_t i = 0; !is_out && i < c->n_rows; i++)
		has_row[c->rows[i].caller] = true;
	for (uint32_t i = 0; !is_out && i < c->n_functions; i++)
		is_out = !has_row[i] && !row_of(c, i, CALL_COSTS_SELF, nowhere);
	free(has_row);
	return is_out ? -1 : 0;
}

static void count_samples(struct call_costs *c)
{
	for (size_t i = 0; i < c->n_rows; i++)
		c->rows[i].calls = c->rows[i].hits ? c->rows[i].hits : 1;
}

/* Each row has a call, which the arc of most calls of the same functions has less. -1: memory. */
static int share_calls(struct call_costs *c)
{
	struct pair_table pairs = {0};
	uint32_t *most =
		calloc(c->n_arcs + 1, sizeof(*most)); /* by pair of owners: that arc, plus 1 */
	bool is_out = !most;

	for (uint32_t i = 0; !is_out && i < c->n_arcs; i++) {
		const struct call_costs_arc *arc = &c->arcs[i];
		uint32_t pair;

		if (!arc->is_counted || arc->row == CALL_COSTS_NO_ROW)
			continue;
		c->rows[arc->row].calls += arc->calls;
		if (arc->caller == NONE)
			continue;
		pair = pair_table_number(&pairs, c->functions[arc->caller].owner,
					 c->functions[arc->callee].owner);
		is_out = pair == PAIR_TABLE_NONE;
		if (!is_out && (!most[pair] || c->arcs[most[pair] - 1].calls < arc->calls))
			most[pair] = i + 1;
	}
	for (size_t i = 0, known = pairs.count; !is_out && i < c->n_rows; i++) {
		struct call_costs_row *row = &c->rows[i], *from;
		uint32_t pair;

		if (row->calls || row->callee == CALL_COSTS_SELF)
			continue;
		row->calls = 1;
		pair = pair_table_number(&pairs, c->functions[row->caller].owner,
					 c->functions[row->callee].owner);
		is_out = pair == PAIR_TABLE_NONE;
		if (is_out || pair >= known)
			continue;
		from = &c->rows[c->arcs[most[pair] - 1].row];
		from->calls -= from->calls > 1;
	}
	pair_table_clear(&pairs);
	free(most);
	return is_out ? -1 : 0;
}

/* ---- the walk -------------------------------------------------------------------------------- */

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
		uint32_t callee = enter(w, place);

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
		w->owned[w->which[chain->first + i]].level--;
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
		if (w->is_of_calls ? begin_called(w, node) : begin(w, node))
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

/* A walk over one of the two trees. */
static int walk_all(struct walk *w, const struct profile *p, bool is_of_calls, struct error *err)
{
	int status;

	w->profile = p;
	w->is_of_calls = is_of_calls;
	w->steps = calloc(p->n_nodes, sizeof(*w->steps));
	if (!w->steps)
		return error_memory(err);
	link_nodes(w);
	status = walk(w, err);
	free(w->steps);
	return status;
}

static int count_calls(struct walk *w, const struct profile *calls, struct error *err)
{
	static const struct place nowhere = {.file = STRINGS_NONE};

	if (walk_all(w, calls, true, err))
		return -1;
	return find_heaviest(w->costs) || add_rows(w, &nowhere) || share_calls(w->costs)
		       ? error_memory(err)
		       : 0;
}

int call_costs_find(struct call_costs *c, const struct profile *p, const struct places *places,
		    struct error *err)
{
	struct walk w = {.costs = c, .profile = p, .places = places};
	struct profile calls = {0};
	int status;

	*c = (struct call_costs){.n_columns = profile_count_shown(p)};
	status = begin_numbers(&w) || number_functions(&w) ? error_memory(err) : 0;
	if (!status && places->of_called) {
		calls = profile_of_calls(p);
		w.profile = &calls;
		w.is_of_calls = true;
		status = number_functions(&w) ? error_memory(err) : 0;
	}
	if (!status)
		status = walk_all(&w, p, false, err);
	if (!status && places->of_called)
		status = count_calls(&w, &calls, err);
	else
		count_samples(c);
	if (c->n_rows)
		qsort(c->rows, c->n_rows, sizeof(*c->rows), compare);
	free(w.which);
	free(w.owned);
	free(w.last);
	return status;
}

void call_costs_free(struct call_costs *c)
{
	pair_table_clear(&c->of_module);
	pair_table_clear(&c->of_level);
	pair_table_clear(&c->of_line);
	pair_table_clear(&c->of_callee);
	pair_table_clear(&c->of_row);
	pair_table_clear(&c->of_arc);
	free(c->functions);
	free(c->rows);
	free(c->costs);
	free(c->arcs);
}
