/* SPDX-License-Identifier: MIT */
/*
 * compared_tree.c - shows the call paths of two programs as one tree.
 *
 * In: struct tree whose columns are runs, or nodes made of it. Out: text, or rows.
 *
 * A node that is left out would leave those below it without their callers. So it stays if one of them is shown.
 */
#include <stdio.h>
#include <stdlib.h>

#include "view/compared.h"
#include "write/name_text.h"

#define INDENT_MAX 20  /* levels, on a terminal as many as leave room for names */
#define NAME_LEAST 18  /* columns, with the level before the name */
#define WIDE	   100 /* columns of a terminal that has room for "(inlined)" behind names */

struct drawing {
	struct compared_table *table;
	const struct compared_nodes *nodes;
	bool *is_shown;	 /* by node */
	uint32_t *order; /* nodes, those that have changed most first */
};

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct drawing *d = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compared_table_compare(&d->nodes->rows[x], &d->nodes->rows[y]);

	return order ? order : (x > y) - (x < y);
}

static bool is_too_deep(const struct drawing *d, size_t node)
{
	uint64_t depth = d->table->in->options->depth;

	return depth && d->nodes->list[node].depth >= depth;
}

/* Take those that have changed most, and then all that they are below. */
static void choose(struct drawing *d)
{
	const struct comparison_row *rows = d->nodes->rows;
	size_t i, n = 0;

	for (i = 1; i < d->nodes->n; i++)
		if (!is_too_deep(d, i))
			d->order[n++] = (uint32_t)i;
	qsort_r(d->order, n, sizeof(*d->order), compare_nodes, d);
	for (i = 0; i < n; i++)
		d->is_shown[d->order[i]] = !compared_table_hides(d->table, &rows[d->order[i]]);
	for (i = d->nodes->n; i-- > 1;) {
		uint32_t parent = d->nodes->list[i].parent;

		if (parent && d->is_shown[i] && !d->is_shown[parent])
			compared_table_unhide(d->table, &rows[parent]);
		d->is_shown[parent] |= d->is_shown[i];
	}
}

static uint32_t levels_of(const struct out *o, uint32_t depth)
{
	int room = (out_width(o) - COMPARED_COLUMN - NAME_LEAST) / 2, most = INDENT_MAX;

	if (out_width(o) && room < most)
		most = room > 0 ? room : 0;
	return depth < (uint32_t)most ? depth : (uint32_t)most;
}

static void write_node(struct drawing *d, size_t i)
{
	static const char *const columns[] = {COMPARED_KEYS, "depth", "name", NULL};
	struct compared_table *t = d->table;
	const struct compared_node *node = &d->nodes->list[i];
	const struct strings *strings = t->in->profile->strings;
	uint32_t levels = levels_of(t->out, node->depth);
	char level[32] = "";
	int indent = (int)(2 * levels);

	compared_table_row(t, &d->nodes->rows[i], columns);
	if (view_input_is_rows(t->in->options)) {
		rows_count(&t->rows, node->depth);
		rows_name(&t->rows, strings, node->name);
		return;
	}
	if (node->depth > levels)
		indent += snprintf(level, sizeof(level), "(%u) ", (unsigned)node->depth);
	out_format(t->out, "%*s%s", (int)(2 * levels), "", level);
	name_text_last(t->out, strings, node->name,
		       node->is_inline && (!out_width(t->out) || out_width(t->out) >= WIDE),
		       COMPARED_COLUMN + indent);
	compared_table_row_end(t, &d->nodes->rows[i]);
}

int compared_nodes_write(struct compared_table *t, const struct compared_nodes *nodes,
			 struct error *err)
{
	struct drawing d = {
		.table = t,
		.nodes = nodes,
		.is_shown = calloc(nodes->n, sizeof(*d.is_shown)),
		.order = calloc(nodes->n, sizeof(*d.order)),
	};
	int status = d.is_shown && d.order ? 0 : error_memory(err);

	if (!status) {
		choose(&d);
		compared_table_head(t, nodes->title, nodes->view, nodes->last);
		for (size_t i = 1; i < nodes->n; i++)
			if (d.is_shown[i])
				write_node(&d, i);
		compared_table_end(t);
	}
	free(d.is_shown);
	free(d.order);
	return status;
}

static int draw(struct compared_table *table, struct compared_nodes *nodes, struct error *err)
{
	const struct tree *t = table->in->tree;

	nodes->rows = comparison_nodes(&table->comparison, err);
	if (!nodes->rows)
		return -1;
	nodes->list = calloc(t->n_nodes, sizeof(*nodes->list));
	if (!nodes->list)
		return error_memory(err);
	for (size_t i = 1; i < t->n_nodes; i++)
		nodes->list[i] = (struct compared_node){t->nodes[i].parent, t->nodes[i].depth,
							t->nodes[i].name, tree_is_inline(t, i)};
	return compared_nodes_write(table, nodes, err);
}

int compared_tree(const struct view_input *in, struct out *o, struct error *err)
{
	struct compared_nodes nodes = {
		.title = "Sample Tree Profile",
		.view = "tree",
		.last = "function (total)",
		.n = in->tree->n_nodes,
	};
	struct compared_table t;
	int status = compared_table_begin(&t, in, o, "call path", err);

	if (!status)
		status = draw(&t, &nodes, err);
	compared_table_free(&t);
	free(nodes.list);
	free(nodes.rows);
	return status;
}
