/* SPDX-License-Identifier: MIT */
/*
 * table.c - decides which rows of a table are shown, and in which order.
 *
 * In: rows, with a weight for each column of the profile. Out: the rows that are shown.
 */
#include "write/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/stop.h"

#define NIL	  0.005	     /* percent, that become 0.01 in a table */
#define NODES_MAX (1u << 22) /* of a comparison; they take 600 MB */

enum table_shape table_shape(const struct view_input *in)
{
	if (in->profile->n_base)
		return TABLE_COMPARED;
	return in->tree && in->tree->n_others ? TABLE_SEVERAL : TABLE_ONE;
}

struct node {
	uint32_t parent, depth, name;
	bool is_inline;
};

/* The nodes of a comparison, which are judged together before one is shown. The first one is above the outermost. */
struct table_gathering {
	struct node *list;
	struct comparison_row *rows;	  /* by node and resource */
	struct comparison_row *row;	  /* of a node, by resource */
	struct comparison_use *uses;	  /* of a node, by column */
	uint32_t *path;			  /* by depth: the last node */
	bool *is_shown;			  /* by node */
	size_t n, n_list, n_rows, n_path; /* allocated elements */
};

static void gathering_free(struct table_gathering *g)
{
	if (!g)
		return;
	free(g->list);
	free(g->rows);
	free(g->row);
	free(g->uses);
	free(g->path);
	free(g->is_shown);
	free(g);
}

/* ---- the table as a whole -------------------------------------------------------------------- */

static const struct tree *column_tree(const struct table *t, size_t column)
{
	return t->in->tree ? tree_column(t->in->tree, column) : NULL;
}

static int set_up(struct table *t, struct error *err)
{
	const struct table_about *about = t->about;

	if (t->shape == TABLE_COMPARED) {
		if (compared_table_begin(&t->compared, t->in, t->out,
					 about->compared ? about->compared : about->what, err))
			return -1;
		t->compared.root = about->root ? about->root : t->in->root;
	}
	t->totals = calloc(t->n_columns, sizeof(*t->totals));
	if (!t->totals)
		return error_memory(err);
	for (size_t k = 0; k < t->n_columns; k++)
		t->totals[k] = t->in->tree ? column_tree(t, k)->total : t->in->graph->total;
	return 0;
}

static void clear(struct table *t)
{
	if (t->shape == TABLE_COMPARED)
		compared_table_free(&t->compared);
	table_rows_free(t);
	table_text_free(t);
	gathering_free(t->gathering);
	heaviest_free(&t->top);
	free(t->totals);
}

int table_begin(struct table *t, struct error *err)
{
	return t->is_rows ? table_rows_begin(t, err) : table_text_begin(t, err);
}

int table_row(struct table *t, const struct table_row *row, const struct comparison_row *change,
	      struct error *err)
{
	if (t->is_rows)
		return table_rows_row(t, row, change, err);
	table_text_row(t, row, change);
	return 0;
}

static int end_rows(struct table *t, struct error *err)
{
	const struct table_about *about = t->about;
	int status = 0;

	if (t->shape == TABLE_ONE && about->below)
		status = about->below(t, about->context, err);
	rows_end(&t->rows);
	return status;
}

int table_end(struct table *t, int status, struct error *err)
{
	int last = 0;

	if (t->shape == TABLE_COMPARED)
		compared_table_end(&t->compared);
	else
		last = t->is_rows ? end_rows(t, err) : table_text_end(t, err);
	return status ? status : last;
}

int table_make(const struct view_input *in, struct out *o, const struct table_about *about,
	       int (*fill)(struct table *t, const void *from, struct error *err), const void *from,
	       struct error *err)
{
	struct table t = {
		.in = in,
		.out = o,
		.about = about,
		.shape = table_shape(in),
		.is_rows = view_input_is_rows(in->options),
		.threshold = view_input_threshold(in->options, about->text_threshold),
		.footer = {.what = about->what, .plural = about->plural},
		.top = {.n = in->options->top},
	};
	int status;

	t.n_columns = t.shape == TABLE_ONE ? 1 : in->profile->n_columns;
	status = set_up(&t, err);
	if (!status)
		status = fill(&t, from, err);
	clear(&t);
	return status;
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Whether the weight is below the threshold in each column. Of nothing, no share of one of several is large. */
bool table_is_small(const struct table *t, const uint64_t *weights, double threshold)
{
	for (size_t k = 0; k < t->n_columns; k++) {
		bool is_nothing = t->shape != TABLE_ONE && !t->totals[k];

		if (is_nothing ? threshold <= 0
			       : !weight_below(weights[k], t->totals[k], threshold))
			return false;
	}
	return true;
}

/* Whether a line of text would have nothing but 0.00 in it, and nobody has asked for such lines by the threshold 0. */
static bool is_nil(const struct table *t, const uint64_t *weights)
{
	if (!t->about->hides_nil || t->shape != TABLE_SEVERAL || t->is_rows ||
	    t->in->options->threshold == 0)
		return false;
	for (size_t k = 0; k < t->n_columns; k++)
		if (weight_fraction(weights[k], t->totals[k]) * 100 >= NIL)
			return false;
	return true;
}

static bool is_deep(const struct table *t, uint32_t depth)
{
	return t->in->options->depth && depth >= t->in->options->depth;
}

bool table_hides(const struct table *t, const uint64_t *weights, uint32_t depth)
{
	return table_is_small(t, weights, t->threshold) || is_deep(t, depth);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static int weigh(struct table_ranking *r, struct error *err)
{
	const struct table_parts *p = r->parts;
	size_t n_columns = r->table->n_columns;
	uint64_t *column = calloc(p->n + 1, sizeof(*column));
	int status = column ? 0 : error_memory(err);

	r->weights = calloc(p->n + 1, n_columns * sizeof(*r->weights));
	if (!status && !r->weights)
		status = error_memory(err);
	for (size_t k = 0; !status && k < n_columns; k++) {
		status =
			p->measure.weigh(p->measure.context, column_tree(r->table, k), column, err);
		for (size_t i = 0; !status && i < p->n; i++)
			r->weights[i * n_columns + k] = column[i];
	}
	free(column);
	return status;
}

static int compare_weights(const void *a, const void *b, void *context)
{
	const struct table_ranking *r = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	size_t n = r->table->n_columns;

	for (size_t k = 0; k < n; k++)
		if (r->weights[x * n + k] != r->weights[y * n + k])
			return r->weights[x * n + k] < r->weights[y * n + k] ? 1 : -1;
	return (x > y) - (x < y);
}

/* Rows of n resources. */
struct changes {
	const struct comparison_row *rows;
	size_t n;
};

static int compare_changes(const void *a, const void *b, void *context)
{
	const struct changes *c = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compared_table_compare(&c->rows[x * c->n], &c->rows[y * c->n], c->n);

	return order ? order : (x > y) - (x < y);
}

/* Compare the parts, and judge them by each resource. */
static int compare_parts(struct table_ranking *r, struct error *err)
{
	const struct compared_table *compared = &r->table->compared;
	size_t n_parts = r->parts->n, n = compared->n;

	r->changes = calloc(n_parts + 1, n * sizeof(*r->changes));
	if (!r->changes)
		return error_memory(err);
	for (size_t k = 0; k < n; k++) {
		struct comparison_row *list = comparison_parts(&compared->of[k].comparison,
							       &r->parts->measure, n_parts, err);

		if (!list)
			return -1;
		for (size_t i = 0; i < n_parts; i++)
			r->changes[i * n + k] = list[i];
		free(list);
	}
	return 0;
}

int table_rank(struct table_ranking *r, struct table *t, const struct table_parts *parts,
	       struct error *err)
{
	bool is_compared = t->shape == TABLE_COMPARED;

	*r = (struct table_ranking){.table = t, .parts = parts};
	if (is_compared ? compare_parts(r, err) : weigh(r, err))
		return -1;
	r->order = calloc(parts->n + 1, sizeof(*r->order));
	if (!r->order)
		return error_memory(err);
	for (size_t i = 0; i < parts->n; i++)
		r->order[i] = parts->order && !is_compared ? parts->order[i] : (uint32_t)i;
	if (is_compared)
		qsort_r(r->order, parts->n, sizeof(*r->order), compare_changes,
			&(struct changes){r->changes, t->compared.n});
	else if (!parts->order)
		qsort_r(r->order, parts->n, sizeof(*r->order), compare_weights, r);
	return 0;
}

void table_ranking_free(struct table_ranking *r)
{
	free(r->weights);
	free(r->changes);
	free(r->order);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

struct listing {
	struct table *table;
	const struct table_parts *parts;
	struct table_ranking ranking;
	uint32_t *shown; /* parts */
	size_t n;	 /* of them */
};

/* How many rows there may be of the parts that are counted by themselves, [1], and of the others. What fits a terminal is for both
 * of them. 0: no limit. */
static void find_tops(const struct listing *l, uint64_t tops[2])
{
	const struct view_options *options = l->table->in->options;
	uint64_t apart = 0;

	tops[0] = tops[1] = options->top;
	if (!options->top_fits || !l->parts->is_apart)
		return;
	for (size_t i = 0; i < l->parts->n; i++)
		apart += l->parts->is_apart[i];
	tops[1] = apart < options->top / 2 ? apart : options->top / 2;
	tops[0] = options->top - tops[1];
}

static void choose_heavy(struct listing *l)
{
	struct table *t = l->table;
	uint64_t tops[2], n[2] = {0, 0};

	find_tops(l, tops);
	for (size_t i = 0; i < l->parts->n; i++) {
		uint32_t part = l->ranking.order[i];
		const uint64_t *weights = &l->ranking.weights[part * t->n_columns];
		bool is_apart = l->parts->is_apart && l->parts->is_apart[part];

		if (table_is_small(t, weights, t->threshold))
			t->footer.small++;
		else if (is_nil(t, weights))
			t->footer.nil++;
		else if (l->parts->is_said && l->parts->is_said[part])
			continue;
		else if (l->parts->depths && is_deep(t, l->parts->depths[part]))
			t->footer.deep++;
		else if (t->in->options->top && n[is_apart] == tops[is_apart])
			t->footer.beyond++;
		else {
			l->shown[l->n++] = part;
			n[is_apart]++;
		}
	}
}

static void choose_changed(struct listing *l)
{
	const uint32_t *order = l->ranking.order;

	for (size_t i = 0; i < l->parts->n; i++)
		if ((!l->parts->depths || !is_deep(l->table, l->parts->depths[order[i]])) &&
		    !compared_table_hides(&l->table->compared, table_change(&l->ranking, order[i])))
			l->shown[l->n++] = order[i];
}

static int choose(struct listing *l, struct error *err)
{
	bool is_compared = l->table->shape == TABLE_COMPARED;

	l->shown = calloc(l->parts->n + 1, sizeof(*l->shown));
	if (!l->shown)
		return error_memory(err);
	if (is_compared)
		choose_changed(l);
	else
		choose_heavy(l);
	if (l->parts->in_order && l->table->is_rows && !is_compared)
		qsort(l->shown, l->n, sizeof(*l->shown), compare_numbers);
	return 0;
}

static int write_parts(struct listing *l, struct error *err)
{
	const struct table_ranking *r = &l->ranking;
	struct table *t = l->table;
	void *context = t->about->context;
	int status = l->parts->prepare ? l->parts->prepare(context, l->shown, l->n, err) : 0;

	t->n_shown = l->n;
	if (status || table_begin(t, err))
		return -1;
	for (size_t i = 0; !status && i < l->n; i++) {
		uint32_t part = l->shown[i];
		struct table_row row = {0};

		if (r->weights)
			row.weights = &r->weights[part * t->n_columns];
		if (r->weights && l->parts->parents && t->in->options->of_parent &&
		    l->parts->parents[part] != TABLE_NO_PART)
			row.wholes = &r->weights[l->parts->parents[part] * t->n_columns];
		status = t->about->describe(context, part, &row, err) ||
			 table_row(t, &row, table_change(r, part), err);
	}
	return table_end(t, status ? -1 : 0, err);
}

static int fill_parts(struct table *t, const void *from, struct error *err)
{
	struct listing l = {.table = t, .parts = from};
	int status = table_rank(&l.ranking, t, l.parts, err);

	if (!status)
		status = choose(&l, err);
	if (!status)
		status = write_parts(&l, err);
	table_ranking_free(&l.ranking);
	free(l.shown);
	return status;
}

int table_parts(const struct view_input *in, struct out *o, const struct table_about *about,
		const struct table_parts *parts, struct error *err)
{
	return table_make(in, o, about, fill_parts, parts, err);
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Take a node, whose changes are in g->row. */
static int append(struct table_gathering *g, const struct table_row *row, size_t n_resources)
{
	if (!array_reserve(&g->list, &g->n_list, g->n + 1, sizeof(*g->list)) ||
	    !array_reserve(&g->rows, &g->n_rows, (g->n + 1) * n_resources, sizeof(*g->rows)) ||
	    !array_reserve(&g->path, &g->n_path, (size_t)row->depth + 2, sizeof(*g->path)))
		return -1;
	g->path[0] = 0;
	g->path[row->depth + 1] = (uint32_t)g->n;
	g->list[g->n] = (struct node){g->path[row->depth], row->depth, row->name, row->is_inline};
	memcpy(&g->rows[g->n++ * n_resources], g->row, n_resources * sizeof(*g->row));
	return 0;
}

/* Whether the node is small before and after. */
static bool is_branch_small(const struct table *t, const struct comparison_row *row)
{
	for (size_t k = 0; k < t->compared.n; k++) {
		double least = t->threshold * t->compared.of[k].largest / 100;

		if (t->compared.of[k].largest > 0 &&
		    (row[k].before >= least || row[k].after >= least))
			return false;
	}
	return true;
}

static int gather(struct table *t, const struct table_row *row, struct error *err)
{
	struct table_gathering *g = t->gathering;
	size_t n = t->compared.n;

	if (stop_check(err))
		return -1;
	if (t->about->prunes && is_deep(t, row->depth))
		return 1;
	for (size_t k = 0; k < t->n_columns; k++)
		g->uses[k] = (struct comparison_use){row->weights[k], row->squares[k]};
	for (size_t k = 0; k < n; k++) {
		const struct comparison *c = &t->compared.of[k].comparison;

		g->row[k] = comparison_row(c, g->uses + c->first);
	}
	if (t->about->prunes && is_branch_small(t, g->row))
		return 1;
	if (t->about->prunes && g->n > NODES_MAX)
		return error_set(err,
				 "there are more than %u branches; --depth 20 or --threshold "
				 "1 leaves out some",
				 NODES_MAX);
	return append(g, row, n) ? error_memory(err) : 0;
}

int table_node(struct table *t, const struct table_row *row, struct error *err)
{
	uint64_t n = row->n_below ? row->n_below : 1;

	if (t->gathering)
		return gather(t, row, err);
	if (t->is_counting) {
		if (table_hides(t, row->weights, row->depth) ||
		    heaviest_is_passed(&t->top, row->weights[0]))
			return 1;
		return heaviest_add(&t->top, row->weights[0]) ? error_memory(err) : 0;
	}
	if (table_is_small(t, row->weights, t->threshold))
		t->footer.small += n;
	else if (is_deep(t, row->depth))
		t->footer.deep += n;
	else if (!heaviest_take(&t->top, row->weights[0]))
		t->footer.beyond += n;
	else
		return table_row(t, row, NULL, err);
	return 1;
}

/* Judge all nodes but the first, which stands for none, by each resource. */
static int judge(const struct table_gathering *g, size_t n_resources, struct error *err)
{
	struct comparison_row **rows = calloc(g->n, sizeof(*rows));
	int status = rows ? 0 : error_memory(err);

	for (size_t k = 0; !status && k < n_resources; k++) {
		for (size_t i = 1; i < g->n; i++)
			rows[i - 1] = &g->rows[i * n_resources + k];
		status = comparison_judge(rows, g->n - 1, err);
	}
	free(rows);
	return status;
}

/* Take those that have changed most, and then all that they are below: a node that is left out would leave those below
 * it without their callers. */
static int choose_nodes(struct table *t, struct table_gathering *g, struct error *err)
{
	uint32_t *order = calloc(g->n, sizeof(*order));
	struct changes changes = {g->rows, t->compared.n};
	size_t n = 0;

	g->is_shown = calloc(g->n, sizeof(*g->is_shown));
	if (!order || !g->is_shown) {
		free(order);
		return error_memory(err);
	}
	for (size_t i = 1; i < g->n; i++)
		if (!is_deep(t, g->list[i].depth))
			order[n++] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), compare_changes, &changes);
	for (size_t i = 0; i < n; i++)
		g->is_shown[order[i]] =
			!compared_table_hides(&t->compared, &g->rows[order[i] * changes.n]);
	for (size_t i = g->n; i-- > 1;) {
		uint32_t parent = g->list[i].parent;

		if (parent && g->is_shown[i] && !g->is_shown[parent])
			compared_table_unhide(&t->compared, &g->rows[parent * changes.n]);
		g->is_shown[parent] |= g->is_shown[i];
	}
	free(order);
	return 0;
}

/* ---- chains of a comparison ------------------------------------------------------------------- */

/* How nodes that are shown stand to each other; by node, 0: none. */
struct lines {
	uint32_t *only;	  /* the only one below it */
	uint32_t *below;  /* how many are below it */
	uint32_t *indent; /* of the line that ends with it */
};

static void lines_free(struct lines *l)
{
	free(l->only);
	free(l->below);
	free(l->indent);
}

static int lines_find(struct lines *l, const struct table_gathering *g, struct error *err)
{
	l->only = calloc(g->n, sizeof(*l->only));
	l->below = calloc(g->n, sizeof(*l->below));
	l->indent = calloc(g->n, sizeof(*l->indent));
	if (!l->only || !l->below || !l->indent)
		return error_memory(err);
	for (size_t i = 1; i < g->n; i++) {
		uint32_t parent = g->list[i].parent;

		if (g->is_shown[i])
			l->only[parent] = l->below[parent]++ ? 0 : (uint32_t)i;
	}
	return 0;
}

/* Whether a table shows both nodes with the same shares, before and after. */
static bool is_same_share(const struct table *t, const struct comparison_row *of,
			  const struct comparison_row *below)
{
	for (size_t k = 0; k < t->compared.n; k++) {
		const struct comparison *c = &t->compared.of[k].comparison;

		if (fabs(of[k].before - below[k].before) > TABLE_NIL * c->before ||
		    fabs(of[k].after - below[k].after) > TABLE_NIL * c->after)
			return false;
	}
	return true;
}

/* The chain that begins at the node. Returns its end. */
static size_t find_chain(const struct table *t, const struct table_gathering *g,
			 const struct lines *l, size_t i, struct table_chain *chain)
{
	const uint32_t parent = g->list[i].parent;
	unsigned best = 0;

	*chain = (struct table_chain){
		.indent = parent ? l->indent[parent] + (l->below[parent] > 1) : 0,
		.is_only = parent && l->only[parent],
	};
	for (;; i = l->only[i]) {
		const struct node *node = &g->list[i];
		unsigned tells = tree_tells(t->in->tree, node->name, node->is_inline);

		chain->n++;
		chain->last = node->name;
		if (tells && tells >= best) {
			best = tells;
			chain->own = node->name;
		}
		if (!l->only[i] || !is_same_share(t, &g->rows[i * t->compared.n],
						  &g->rows[l->only[i] * t->compared.n]))
			break;
	}
	if (!best)
		chain->own = chain->last;
	return i;
}

static int write_chains(struct table *t, const struct table_gathering *g, struct error *err)
{
	struct lines l = {0};
	int status = lines_find(&l, g, err);

	for (size_t i = 1, last; !status && i < g->n; i = last + 1) {
		struct table_chain chain;
		const struct table_row row = {
			.name = g->list[i].name,
			.depth = g->list[i].depth,
			.is_inline = g->list[i].is_inline,
			.chain = &chain,
		};

		last = i;
		if (!g->is_shown[i])
			continue;
		last = find_chain(t, g, &l, i, &chain);
		status = table_row(t, &row, &g->rows[i * t->compared.n], err);
		l.indent[last] = chain.indent;
	}
	lines_free(&l);
	return status;
}

static int write_gathered(struct table *t, const struct table_gathering *g, struct error *err)
{
	int status = table_begin(t, err);

	if (status)
		return -1;
	if (t->about->has_chains && !t->is_rows && out_width(t->out))
		return table_end(t, write_chains(t, g, err), err);
	for (size_t i = 1; !status && i < g->n; i++) {
		const struct table_row row = {
			.name = g->list[i].name,
			.depth = g->list[i].depth,
			.is_inline = g->list[i].is_inline,
		};

		if (g->is_shown[i])
			status = table_row(t, &row, &g->rows[i * t->compared.n], err);
	}
	return table_end(t, status, err);
}

static int fill_compared(struct table *t, table_walk *walk, struct error *err)
{
	struct table_gathering *g = t->gathering = calloc(1, sizeof(*g));
	int status;

	if (!g)
		return error_memory(err);
	g->uses = calloc(t->n_columns, sizeof(*g->uses));
	g->row = calloc(t->compared.n, sizeof(*g->row));
	if (!g->uses || !g->row || append(g, &(struct table_row){0}, t->compared.n))
		return error_memory(err);
	status = walk(t, t->about->context, err);
	if (!status)
		status = judge(g, t->compared.n, err);
	if (!status)
		status = choose_nodes(t, g, err);
	if (!status)
		status = write_gathered(t, g, err);
	if (!status && t->about->prunes && t->threshold > 0 && !t->is_rows)
		out_format(t->out,
			   "not compared: call paths below %g %% of the total before and after\n",
			   t->threshold);
	return status;
}

struct nodes {
	table_walk *walk;
};

static int fill_nodes(struct table *t, const void *from, struct error *err)
{
	const struct nodes *nodes = from;
	table_walk *walk = nodes->walk;
	int status = 0;

	if (t->shape == TABLE_COMPARED)
		return fill_compared(t, walk, err);
	t->is_counting = true;
	if (t->top.n)
		status = walk(t, t->about->context, err);
	heaviest_close(&t->top);
	t->is_counting = false;
	if (status || table_begin(t, err))
		return -1;
	return table_end(t, walk(t, t->about->context, err), err);
}

int table_nodes(const struct view_input *in, struct out *o, const struct table_about *about,
		table_walk *walk, struct error *err)
{
	return table_make(in, o, about, fill_nodes, &(struct nodes){walk}, err);
}
