/* SPDX-License-Identifier: MIT */
/*
 * view_parquet.c - the calling context tree as a table in a Parquet file, for engines of tables.
 *
 * In: a profile, and the symbols of its frames. Out: a row for each function on each call path, with the row of its
 * caller.
 *
 * A frame is several rows if functions are inlined in it: the innermost one has what was counted, and is inlined in
 * the one that is its parent. Several resources have columns of their own, beside each other. The paths of calls that were counted
 * are rows behind those of samples, without weights; only they have calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "export/parquet.h"
#include "export/places.h"
#include "export/tracks.h"
#include "view/view.h"

/* A call path. */
struct node {
	uint32_t parent; /* 0: the root */
	uint32_t frame;
	uint32_t group;	   /* name of the group, or STRINGS_NONE */
	bool is_group;	   /* it is no function, but the group itself */
	uint64_t last_row; /* that of its innermost function */
	uint32_t depth;	   /* of that row */
};

/* What was counted of one resource at one call path. */
struct counted {
	uint64_t weight, hits;
	double squares;
};

struct writer {
	const struct view_input *in;
	const struct profile *profile;
	struct parquet *file;
	struct stack_groups *groups;
	struct pair_table paths; /* the node's number is one more, because the root has 0 */
	struct node *nodes;
	struct counted *counted; /* by node, then by resource */
	size_t n, n_resources;
	uint64_t rows;
	char *text; /* of a text that is cleaned */
	size_t text_room;
	bool is_out_of_memory; /* the file lacks a text, and is not to be kept */
	struct error *err;
};

/* ---- call paths -------------------------------------------------------------------------------- */

/* In the profile each resource has a tree of its own, below a node that stands for it. They become one. */
static int add_node(struct writer *w, const uint32_t *map, size_t i)
{
	const struct profile *p = w->profile;
	const struct profile_node *from = &p->nodes[i];
	uint32_t parent = map[from->parent];
	uint32_t number = pair_table_child(&w->paths, parent, from->frame);

	if (number == PAIR_TABLE_NONE)
		return -1;
	if (number + 1 == w->n) {
		struct node *node = &w->nodes[w->n++];

		*node = (struct node){
			.parent = parent,
			.frame = from->frame,
			.group = w->nodes[parent].group,
			.is_group = profile_is_group(p, i),
		};
		if (node->is_group)
			node->group = p->frames[from->frame].name;
	}
	return (int)(number + 1);
}

static size_t column_of(const struct profile *p, const size_t *columns, size_t i)
{
	if (!p->n_columns)
		return 0;
	return profile_is_column(p, i) ? (size_t)p->frames[p->nodes[i].frame].address
				       : columns[p->nodes[i].parent];
}

static void count_node(struct writer *w, uint32_t to, size_t column, size_t i)
{
	struct counted *c = &w->counted[to * w->n_resources + column];

	c->weight += w->profile->nodes[i].self_weight;
	c->hits += w->profile->nodes[i].self_hits;
	c->squares += (double)squares_get(&w->profile->squares, i);
}

static int find_paths(struct writer *w)
{
	const struct profile *p = w->profile;
	uint32_t *map = calloc(p->n_nodes, sizeof(*map));
	size_t *columns = calloc(p->n_nodes, sizeof(*columns));
	bool ok = map && columns;

	w->n_resources = profile_count_shown(p);
	w->nodes = calloc(p->n_nodes + 1, sizeof(*w->nodes));
	w->counted = calloc(p->n_nodes * w->n_resources + 1, sizeof(*w->counted));
	w->n = 1;
	ok = ok && w->nodes && w->counted;
	if (ok)
		w->nodes[0] = (struct node){.group = STRINGS_NONE, .is_group = true};
	for (size_t i = 1; ok && i < p->n_nodes; i++) {
		columns[i] = column_of(p, columns, i);
		if (!profile_is_column(p, i)) {
			int number = add_node(w, map, i);

			ok = number >= 0;
			map[i] = ok ? (uint32_t)number : 0;
		}
		if (ok)
			count_node(w, map[i], columns[i], i);
	}
	free(map);
	free(columns);
	return ok ? 0 : error_memory(w->err);
}

/* ---- texts ------------------------------------------------------------------------------------- */

/* Parquet wants UTF-8: other bytes become question marks. */
static void clean(char *bytes, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t character = utf8_length(bytes + i, n - i);

		if (!character)
			bytes[i] = '?';
		i += character ? character : 1;
	}
}

static void put_text(struct writer *w, const char *bytes, size_t n)
{
	if (n > w->text_room || !w->text) {
		char *room = realloc(w->text, 2 * n + 64);

		if (!room) {
			w->is_out_of_memory = true;
			return;
		}
		w->text = room;
		w->text_room = 2 * n + 64;
	}
	if (n)
		memcpy(w->text, bytes, n);
	clean(w->text, n);
	parquet_text(w->file, w->text, n);
}

static void put_string(struct writer *w, uint32_t number)
{
	size_t n;
	const char *bytes;

	if (number == STRINGS_NONE) {
		parquet_none(w->file);
		return;
	}
	bytes = strings_get(w->profile->strings, number, &n);
	put_text(w, bytes, n);
}

static void put_number(struct writer *w, bool is_known, uint64_t number)
{
	if (is_known)
		parquet_number(w->file, number);
	else
		parquet_none(w->file);
}

/* ---- columns ----------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum parquet_type type;
	bool has_none;
} columns[] = {
	{"run", PARQUET_TEXT, true},	  {"host", PARQUET_TEXT, true},
	{"rank", PARQUET_NUMBER, true},	  {"exe", PARQUET_TEXT, true},
	{"pid", PARQUET_NUMBER, true},	  {"tid", PARQUET_NUMBER, true},
	{"thread", PARQUET_TEXT, true},	  {"group", PARQUET_TEXT, true},
	{"node", PARQUET_NUMBER, false},  {"parent", PARQUET_NUMBER, true},
	{"depth", PARQUET_SMALL, false},  {"function", PARQUET_TEXT, false},
	{"module", PARQUET_TEXT, true},	  {"file", PARQUET_TEXT, true},
	{"line", PARQUET_SMALL, true},	  {"address", PARQUET_NUMBER, true},
	{"inlined", PARQUET_BOOL, false},
};

/* Add a column of numbers by the name, which becomes UTF-8; one that is there already, in whatever case, gets _2 or a
 * higher number, since SQL does not tell the case of names apart. -1: memory. */
static int add_named(struct writer *w, const char *name, enum parquet_type type, bool has_none)
{
	size_t n = strlen(name);
	char *unique = malloc(n + sizeof("_18446744073709551615"));
	int status = -1;

	if (!unique)
		return -1;
	memcpy(unique, name, n + 1);
	clean(unique, n);
	for (size_t i = 2; parquet_has_column(w->file, unique); i++)
		sprintf(unique + n, "_%zu", i);
	status = parquet_column(w->file, unique, type, has_none);
	free(unique);
	return status;
}

/* "cpu_ns", or "signals", whose unit has the same name; "cpu_samples"; and the sum of the samples' squared weights, of which errors are computed. */
static int add_resource(struct writer *w, size_t i)
{
	const struct profile *p = w->profile;
	const char *name = strings_get(p->strings, profile_shown(p, i), NULL);
	const char *unit =
		strings_get(p->strings, p->n_columns ? p->columns[i].unit : p->unit, NULL);
	bool has_unit = *unit && strcmp(unit, name) != 0;
	const char *line = *name ? "_" : "";
	char *column[3] = {NULL};
	int status = asprintf(&column[0], "%s%s%s", *name || has_unit ? name : "weight",
			      has_unit ? line : "", has_unit ? unit : "") < 0 ||
		     asprintf(&column[1], "%s%ssamples", name, line) < 0 ||
		     asprintf(&column[2], "%s%ssquared", name, line) < 0;

	if (!status)
		status = add_named(w, column[0], PARQUET_NUMBER, false) ||
			 add_named(w, column[1], PARQUET_NUMBER, false) ||
			 add_named(w, column[2], PARQUET_DOUBLE, true);
	for (size_t k = 0; k < 3; k++)
		free(column[k]);
	return status ? -1 : 0;
}

static int add_columns(struct writer *w)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (parquet_column(w->file, columns[i].name, columns[i].type, columns[i].has_none))
			return error_memory(w->err);
	for (size_t i = 0; i < w->n_resources; i++)
		if (add_resource(w, i))
			return error_memory(w->err);
	return add_named(w, "calls", PARQUET_NUMBER, true) ? error_memory(w->err) : 0;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static void put_group(struct writer *w, const struct node *node)
{
	const struct stack_group g = stack_groups_find(w->groups, node->group);

	if (g.run)
		put_text(w, g.run, strlen(g.run));
	else
		parquet_none(w->file);
	put_string(w, g.host);
	put_number(w, g.has_rank, g.rank);
	put_string(w, g.process ? g.process->exe : STRINGS_NONE);
	put_number(w, g.process && g.process->pid, g.process ? g.process->pid : 0);
	put_number(w, g.thread && g.thread->tid, g.thread ? g.thread->tid : 0);
	put_string(w, g.thread ? g.thread->name : STRINGS_NONE);
	put_string(w, node->group);
}

static void put_place(struct writer *w, const struct profile_frame *frame,
		      const struct symbols_place *place)
{
	bool has_module = frame->module < w->profile->n_modules;

	put_string(w, symbols_exported(w->in->symbols, place->function));
	put_string(w, has_module ? w->profile->modules[frame->module].path : STRINGS_NONE);
	put_string(w, place->file);
	put_number(w, place->line, place->line);
	put_number(w, has_module, frame->address);
	parquet_number(w->file, place->is_inline);
}

/* `calls`: NULL if it is a row of samples. */
static void put_row(struct writer *w, const struct node *node, const struct profile_frame *frame,
		    const struct symbols_place *place, const struct counted *counted,
		    const uint64_t *calls)
{
	uint64_t parent = node->last_row;
	bool has_parent = node->depth > 0;

	put_group(w, node);
	parquet_number(w->file, w->rows);
	put_number(w, has_parent, parent);
	parquet_number(w->file, node->depth);
	put_place(w, frame, place);
	for (size_t i = 0; i < w->n_resources; i++) {
		parquet_number(w->file, counted ? counted[i].weight : 0);
		parquet_number(w->file, counted ? counted[i].hits : 0);
		if (w->profile->squares.n)
			parquet_double(w->file, counted ? counted[i].squares : 0);
		else
			parquet_none(w->file); /* cpprof does not keep them */
	}
	put_number(w, calls, calls ? *calls : 0);
}

/* While the rows of a node are written, last_row and depth are those of the row before, and of the next. */
static int write_node(struct writer *w, size_t number)
{
	struct node *node = &w->nodes[number];
	const struct node *parent = &w->nodes[node->parent];
	const struct profile_frame *frame = &w->profile->frames[node->frame];
	const struct symbols_place *places;
	size_t n;

	node->last_row = parent->last_row;
	node->depth = parent->is_group ? 0 : parent->depth + 1;
	if (node->is_group)
		return 0;
	if (symbols_expand(w->in->symbols, frame, &places, &n, w->err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		bool is_last = i + 1 == n;

		put_row(w, node, frame, &places[i],
			is_last ? &w->counted[number * w->n_resources] : NULL, NULL);
		node->last_row = w->rows++;
		node->depth += !is_last;
	}
	return 0;
}

/* What was cut is no function, and of a caller below it nobody has counted the calls. */
static bool is_known(const struct profile_counted *c, size_t number)
{
	const struct profile_node *n = &c->nodes[number];
	bool is_below_cut = n->parent && profile_stand_in(&c->frames[c->nodes[n->parent].frame]);

	return !profile_stand_in(&c->frames[n->frame]) &&
	       (!is_below_cut || n->self_weight || n->self_hits);
}

/* A row for the path of the calls that led to a node, and one below it for the calls of its function by itself. What is inlined where
 * a function begins is not what was called. */
static int write_called(struct writer *w, struct node *nodes, size_t number)
{
	const struct profile_counted *c = view_input_counted(w->in);
	const struct profile_node *from = &c->nodes[number];
	const struct profile_frame *frame = &c->frames[from->frame];
	struct node *node = &nodes[number];
	const struct symbols_place *places;
	size_t n;

	*node = (struct node){
		.last_row = nodes[from->parent].last_row,
		.depth = from->parent ? nodes[from->parent].depth + 1 : 0,
		.group = STRINGS_NONE,
	};
	if (symbols_expand(w->in->symbols, frame, &places, &n, w->err))
		return -1;
	put_row(w, node, frame, &places[0], NULL, is_known(c, number) ? &from->self_weight : NULL);
	node->last_row = w->rows++;
	if (from->self_hits) {
		struct node direct = *node;

		direct.depth++;
		put_row(w, &direct, frame, &places[0], NULL, &from->self_hits);
		w->rows++;
	}
	return 0;
}

static int write_calls(struct writer *w)
{
	const struct profile_counted *c = view_input_counted(w->in);
	struct node *nodes = c ? calloc(c->n_nodes, sizeof(*nodes)) : NULL;
	int status = 0;

	if (c && !nodes)
		return error_memory(w->err);
	for (size_t i = 1; c && !status && i < c->n_nodes; i++)
		status = stop_check(w->err) || write_called(w, nodes, i) ? -1 : 0;
	free(nodes);
	return status;
}

static int write_all(struct writer *w)
{
	if (places_settle(w->in, w->err) || find_paths(w) || add_columns(w))
		return -1;
	for (size_t i = 1; i < w->n; i++)
		if (stop_check(w->err) || write_node(w, i))
			return -1;
	if (write_calls(w))
		return -1;
	if (w->is_out_of_memory)
		return error_memory(w->err);
	return parquet_end(w->file, w->err);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct writer w = {.in = in, .profile = in->profile, .err = err};
	int status = -1;

	if (out_width(o))
		return error_usage(err,
				   "a Parquet file is not to be read on a terminal: say where to "
				   "write it, -o profile.parquet, or send it through a pipe");
	w.file = parquet_new(o);
	w.groups = stack_groups_new(in->profile);
	if (w.file && w.groups)
		status = write_all(&w);
	else
		error_memory(err);
	parquet_free(w.file);
	stack_groups_free(w.groups);
	pair_table_clear(&w.paths);
	free(w.nodes);
	free(w.counted);
	free(w.text);
	return status;
}

const struct view view_parquet = {
	.name = "parquet",
	.help = "each call path as a row of a Parquet file, for SQL",
	.needs = VIEW_NEEDS_NAMES | VIEW_NEEDS_LINES | VIEW_NEEDS_SQUARES,
	.ignores = VIEW_OPTIONS("top", "unit", "granularity"),
	.has_columns = true,
	.commands = {{.argument = VIEW_ARGUMENT_FILE,
		      .is_needed = true,
		      .help = "write each call path as a row of a Parquet file"}},
	.emit = emit,
};
