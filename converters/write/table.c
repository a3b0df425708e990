/* SPDX-License-Identifier: MIT */
/*
 * table.c - decides which rows of a table are shown, and in which order.
 *
 * In: rows, with a weight for each column of the profile. Out: the rows that are shown.
 */
#include "write/table.h"

#include <stdlib.h>

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
	struct comparison_row *rows;	  /* by node */
	struct comparison_use *uses;	  /* of a node, by run */
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

static int begin(struct table *t, struct error *err)
{
	return t->is_rows ? table_rows_begin(t, err) : table_text_begin(t, err);
}

static int write_row(struct table *t, const struct table_row *row,
		     const struct comparison_row *change, struct error *err)
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

static int end(struct table *t, int status, struct error *err)
{
	int last = 0;

	if (t->shape == TABLE_COMPARED)
		compared_table_end(&t->compared);
	else
		last = t->is_rows ? end_rows(t, err) : table_text_end(t, err);
	return status ? status : last;
}

/* Make a table with `fill`, which is given what the view has given. */
static int make(const struct view_input *in, struct out *o, const struct table_about *about,
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
static bool is_small(const struct table *t, const uint64_t *weights)
{
	for (size_t k = 0; k < t->n_columns; k++) {
		bool is_nothing = t->shape != TABLE_ONE && !t->totals[k];

		if (is_nothing ? t->threshold <= 0
			       : !weight_below(weights[k], t->totals[k], t->threshold))
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
	return is_small(t, weights) || is_deep(t, depth);
}

/* ---- lists ----------------------------------------------------------------------------------- */

struct listing {
	struct table *table;
	const struct table_parts *parts;
	uint64_t *weights;		/* by part and column */
	struct comparison_row *changes; /* by part, if programs are compared */
	uint32_t *shown;		/* parts */
	size_t n;			/* of them */
};

static int weigh(struct listing *l, struct error *err)
{
	const struct table_parts *p = l->parts;
	size_t n_columns = l->table->n_columns;
	uint64_t *column = calloc(p->n + 1, sizeof(*column));
	int status = column ? 0 : error_memory(err);

	for (size_t k = 0; !status && k < n_columns; k++) {
		status =
			p->measure.weigh(p->measure.context, column_tree(l->table, k), column, err);
		for (size_t i = 0; !status && i < p->n; i++)
			l->weights[i * n_columns + k] = column[i];
	}
	free(column);
	return status;
}

static int compare_weights(const void *a, const void *b, void *context)
{
	const struct listing *l = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	size_t n = l->table->n_columns;

	for (size_t k = 0; k < n; k++)
		if (l->weights[x * n + k] != l->weights[y * n + k])
			return l->weights[x * n + k] < l->weights[y * n + k] ? 1 : -1;
	return (x > y) - (x < y);
}

static int compare_changes(const void *a, const void *b, void *context)
{
	const struct comparison_row *rows = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compared_table_compare(&rows[x], &rows[y]);

	return order ? order : (x > y) - (x < y);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void choose_heavy(struct listing *l, const uint32_t *order)
{
	struct table *t = l->table;
	uint64_t top = t->in->options->top;

	for (size_t i = 0; i < l->parts->n; i++) {
		uint32_t part = order[i];
		const uint64_t *weights = &l->weights[part * t->n_columns];

		if (is_small(t, weights))
			t->footer.small++;
		else if (is_nil(t, weights))
			t->footer.nil++;
		else if (l->parts->is_said && l->parts->is_said[part])
			continue;
		else if (l->parts->depths && is_deep(t, l->parts->depths[part]))
			t->footer.deep++;
		else if (top && l->n == top)
			t->footer.beyond++;
		else
			l->shown[l->n++] = part;
	}
}

static void choose_changed(struct listing *l, const uint32_t *order)
{
	for (size_t i = 0; i < l->parts->n; i++)
		if ((!l->parts->depths || !is_deep(l->table, l->parts->depths[order[i]])) &&
		    !compared_table_hides(&l->table->compared, &l->changes[order[i]]))
			l->shown[l->n++] = order[i];
}

static int choose(struct listing *l, struct error *err)
{
	const struct table_parts *p = l->parts;
	bool is_compared = l->table->shape == TABLE_COMPARED;
	uint32_t *order = calloc(p->n + 1, sizeof(*order));

	l->shown = calloc(p->n + 1, sizeof(*l->shown));
	if (!order || !l->shown) {
		free(order);
		return error_memory(err);
	}
	for (size_t i = 0; i < p->n; i++)
		order[i] = p->order && !is_compared ? p->order[i] : (uint32_t)i;
	if (is_compared)
		qsort_r(order, p->n, sizeof(*order), compare_changes, l->changes);
	else if (!p->order)
		qsort_r(order, p->n, sizeof(*order), compare_weights, l);
	if (is_compared)
		choose_changed(l, order);
	else
		choose_heavy(l, order);
	if (p->in_order && l->table->is_rows && !is_compared)
		qsort(l->shown, l->n, sizeof(*l->shown), compare_numbers);
	free(order);
	return 0;
}

static int measure(struct listing *l, struct error *err)
{
	const struct table_parts *p = l->parts;

	if (l->table->shape == TABLE_COMPARED) {
		l->changes =
			comparison_parts(&l->table->compared.comparison, &p->measure, p->n, err);
		return l->changes ? 0 : -1;
	}
	l->weights = calloc(p->n + 1, l->table->n_columns * sizeof(*l->weights));
	return l->weights ? weigh(l, err) : error_memory(err);
}

static int write_parts(struct listing *l, struct error *err)
{
	struct table *t = l->table;
	void *context = t->about->context;
	int status = l->parts->prepare ? l->parts->prepare(context, l->shown, l->n, err) : 0;

	if (status || begin(t, err))
		return -1;
	for (size_t i = 0; !status && i < l->n; i++) {
		uint32_t part = l->shown[i];
		struct table_row row = {0};

		if (l->weights)
			row.weights = &l->weights[part * t->n_columns];
		if (l->weights && l->parts->parents && t->in->options->of_parent &&
		    l->parts->parents[part] != TABLE_NO_PART)
			row.wholes = &l->weights[l->parts->parents[part] * t->n_columns];
		status = t->about->describe(context, part, &row, err) ||
			 write_row(t, &row, l->changes ? &l->changes[part] : NULL, err);
	}
	return end(t, status ? -1 : 0, err);
}

static int fill_parts(struct table *t, const void *from, struct error *err)
{
	struct listing l = {.table = t, .parts = from};
	int status = measure(&l, err);

	if (!status)
		status = choose(&l, err);
	if (!status)
		status = write_parts(&l, err);
	free(l.weights);
	free(l.changes);
	free(l.shown);
	return status;
}

int table_parts(const struct view_input *in, struct out *o, const struct table_about *about,
		const struct table_parts *parts, struct error *err)
{
	return make(in, o, about, fill_parts, parts, err);
}

/* ---- trees ----------------------------------------------------------------------------------- */

static int append(struct table_gathering *g, const struct table_row *row,
		  const struct comparison_row *change)
{
	if (!array_reserve(&g->list, &g->n_list, g->n + 1, sizeof(*g->list)) ||
	    !array_reserve(&g->rows, &g->n_rows, g->n + 1, sizeof(*g->rows)) ||
	    !array_reserve(&g->path, &g->n_path, (size_t)row->depth + 2, sizeof(*g->path)))
		return -1;
	g->path[0] = 0;
	g->path[row->depth + 1] = (uint32_t)g->n;
	g->list[g->n] = (struct node){g->path[row->depth], row->depth, row->name, row->is_inline};
	g->rows[g->n++] = *change;
	return 0;
}

static int gather(struct table *t, const struct table_row *row, struct error *err)
{
	double least = t->threshold * t->compared.largest / 100;
	struct table_gathering *g = t->gathering;
	struct comparison_row change;

	if (stop_check(err))
		return -1;
	if (t->about->prunes && is_deep(t, row->depth))
		return 1;
	for (size_t k = 0; k < t->n_columns; k++)
		g->uses[k] = (struct comparison_use){row->weights[k], row->squares[k]};
	change = comparison_row(&t->compared.comparison, g->uses);
	if (t->about->prunes && change.before < least && change.after < least)
		return 1;
	if (t->about->prunes && g->n > NODES_MAX)
		return error_set(err,
				 "there are more than %u branches; --depth 20 or --threshold "
				 "1 leaves out some",
				 NODES_MAX);
	return append(g, row, &change) ? error_memory(err) : 0;
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
	if (is_small(t, row->weights))
		t->footer.small += n;
	else if (is_deep(t, row->depth))
		t->footer.deep += n;
	else if (!heaviest_take(&t->top, row->weights[0]))
		t->footer.beyond += n;
	else
		return write_row(t, row, NULL, err);
	return 1;
}

/* Judge all nodes but the first, which stands for none. */
static int judge(const struct table_gathering *g, struct error *err)
{
	struct comparison_row **rows = calloc(g->n, sizeof(*rows));
	int status;

	if (!rows)
		return error_memory(err);
	for (size_t i = 1; i < g->n; i++)
		rows[i - 1] = &g->rows[i];
	status = comparison_judge(rows, g->n - 1, err);
	free(rows);
	return status;
}

/* Take those that have changed most, and then all that they are below: a node that is left out would leave those below
 * it without their callers. */
static int choose_nodes(struct table *t, struct table_gathering *g, struct error *err)
{
	uint32_t *order = calloc(g->n, sizeof(*order));
	size_t n = 0;

	g->is_shown = calloc(g->n, sizeof(*g->is_shown));
	if (!order || !g->is_shown) {
		free(order);
		return error_memory(err);
	}
	for (size_t i = 1; i < g->n; i++)
		if (!is_deep(t, g->list[i].depth))
			order[n++] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), compare_changes, g->rows);
	for (size_t i = 0; i < n; i++)
		g->is_shown[order[i]] = !compared_table_hides(&t->compared, &g->rows[order[i]]);
	for (size_t i = g->n; i-- > 1;) {
		uint32_t parent = g->list[i].parent;

		if (parent && g->is_shown[i] && !g->is_shown[parent])
			compared_table_unhide(&t->compared, &g->rows[parent]);
		g->is_shown[parent] |= g->is_shown[i];
	}
	free(order);
	return 0;
}

static int write_gathered(struct table *t, const struct table_gathering *g, struct error *err)
{
	int status = begin(t, err);

	if (status)
		return -1;
	for (size_t i = 1; !status && i < g->n; i++) {
		const struct table_row row = {
			.name = g->list[i].name,
			.depth = g->list[i].depth,
			.is_inline = g->list[i].is_inline,
		};

		if (g->is_shown[i])
			status = write_row(t, &row, &g->rows[i], err);
	}
	return end(t, status, err);
}

static int fill_compared(struct table *t, table_walk *walk, struct error *err)
{
	struct table_gathering *g = t->gathering = calloc(1, sizeof(*g));
	int status;

	if (!g)
		return error_memory(err);
	g->uses = calloc(t->n_columns, sizeof(*g->uses));
	if (!g->uses || append(g, &(struct table_row){0}, &(struct comparison_row){0}))
		return error_memory(err);
	status = walk(t, t->about->context, err);
	if (!status)
		status = judge(g, err);
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
	if (status || begin(t, err))
		return -1;
	return end(t, walk(t, t->about->context, err), err);
}

int table_nodes(const struct view_input *in, struct out *o, const struct table_about *about,
		table_walk *walk, struct error *err)
{
	return make(in, o, about, fill_nodes, &(struct nodes){walk}, err);
}
