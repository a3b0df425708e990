/* SPDX-License-Identifier: MIT */
/*
 * compared_bottomup.c - shows what was running in two programs, with its callers, as one tree.
 *
 * In: struct tree whose columns are runs. Out: text, or rows.
 *
 * The bottom-up tree may have as many nodes as all stacks have frames. So branches that are below
 * the threshold on both sides are left out before they are compared.
 */
#include <stdlib.h>

#include "base/array.h"
#include "tree/bottomup.h"
#include "view/compared.h"

#define NODES_MAX (1u << 22) /* they take 600 MB */

struct gathering {
	struct compared_table *table;
	struct compared_nodes *nodes;
	struct comparison_use *uses;   /* of a node, by run */
	uint32_t *path;		       /* by depth: the last node */
	size_t n_list, n_rows, n_path; /* allocated elements */
};

/* Append the node, which is the last one of the walk. */
static int append(struct gathering *g, const struct bottomup_node *node,
		  const struct comparison_row *row)
{
	struct compared_nodes *to = g->nodes;

	if (!array_reserve(&to->list, &g->n_list, to->n + 1, sizeof(*to->list)) ||
	    !array_reserve(&to->rows, &g->n_rows, to->n + 1, sizeof(*to->rows)) ||
	    !array_reserve(&g->path, &g->n_path, (size_t)node->depth + 2, sizeof(*g->path)))
		return -1;
	g->path[0] = 0;
	g->path[node->depth + 1] = (uint32_t)to->n;
	to->list[to->n] = (struct compared_node){
		.parent = g->path[node->depth],
		.depth = node->depth,
		.name = node->name,
		.is_inline = node->is_inline,
	};
	to->rows[to->n++] = *row;
	return 0;
}

/* Returns 1 if the node is left out, with all that is below it. */
static int gather_node(struct gathering *g, const struct bottomup *b,
		       const struct bottomup_node *node, struct error *err)
{
	const struct compared_table *t = g->table;
	double least = t->threshold * t->largest / 100;
	struct comparison_row row;

	for (size_t i = 0; i < t->comparison.n_runs; i++) {
		const struct tree *run = tree_column(t->in->tree, i);

		g->uses[i].weight = bottomup_weight_in(b, run);
		g->uses[i].squares = bottomup_squares_in(b, run);
	}
	row = comparison_row(&t->comparison, g->uses);
	if (row.before < least && row.after < least)
		return 1;
	if (g->nodes->n > NODES_MAX)
		return error_set(err,
				 "there are more than %u branches; --depth 20 or --threshold "
				 "1 leaves out some",
				 NODES_MAX);
	return append(g, node, &row) ? error_memory(err) : 0;
}

static int gather(struct gathering *g, struct error *err)
{
	uint64_t depth = g->table->in->options->depth;
	struct bottomup *b = bottomup_new(g->table->in->tree, NULL, 0, err);
	struct bottomup_node node = {0};
	int status = b ? 0 : -1;

	if (!status)
		status = append(g, &node, &(struct comparison_row){0}) ? error_memory(err) : 0;
	while (!status && bottomup_next(b, &node)) {
		status = depth && node.depth >= depth ? 1 : gather_node(g, b, &node, err);
		if (status > 0) {
			bottomup_skip(b);
			status = 0;
		}
	}
	bottomup_free(b);
	return status;
}

/* Judge all nodes but the first, which stands for none. */
static int judge(const struct compared_nodes *nodes, struct error *err)
{
	struct comparison_row **rows = calloc(nodes->n, sizeof(*rows));
	int status;

	if (!rows)
		return error_memory(err);
	for (size_t i = 1; i < nodes->n; i++)
		rows[i - 1] = &nodes->rows[i];
	status = comparison_judge(rows, nodes->n - 1, err);
	free(rows);
	return status;
}

static int show(struct compared_table *t, struct error *err)
{
	struct compared_nodes nodes = {
		.title = "Bottom-Up Tree Profile",
		.view = "bottomup",
		.last = "function",
	};
	struct gathering g = {
		.table = t,
		.nodes = &nodes,
		.uses = calloc(t->comparison.n_runs, sizeof(*g.uses)),
	};
	int status = g.uses ? gather(&g, err) : error_memory(err);

	if (!status)
		status = judge(&nodes, err);
	if (!status)
		status = compared_nodes_write(t, &nodes, err);
	if (!status && t->threshold > 0 && !view_input_is_rows(t->in->options))
		out_format(t->out,
			   "not compared: call paths below %g %% of the total before and after\n",
			   t->threshold);
	free(g.uses);
	free(g.path);
	free(nodes.list);
	free(nodes.rows);
	return status;
}

int compared_bottomup(const struct view_input *in, struct out *o, struct error *err)
{
	struct compared_table t;
	int status;

	if (in->options->root)
		return error_usage(err, "--root: the callers of a function cannot be compared");
	status = compared_table_begin(&t, in, o, "call path", err);
	if (!status)
		status = show(&t, err);
	compared_table_free(&t);
	return status;
}
