/* SPDX-License-Identifier: MIT */
/*
 * comparison.c - compares what the runs of two programs have used.
 */
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "compare/comparison.h"

/* ---- discovery ------------------------------------------------------------------------------- */

double discovery_limit(double *p, size_t n, double level)
{
	welch_sort(p, n);
	for (size_t i = n; i-- > 0;)
		if (p[i] <= level * (double)(i + 1) / (double)n)
			return p[i];
	return -1;
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* A row of fewer samples on both sides together is not tested: it could hardly be significant, and each test makes it harder
 * for the others. This says nothing of what has changed, so that what is found is as certain as before. */
#define COMPARISON_SAMPLES 10

#define SCALED_PARTS 1000u /* of a gtick, in which means of scaled runs are rounded */

static double mean_total(const struct comparison *c, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += (double)comparison_run(c, i)->total;
	return to > from ? sum / (double)(to - from) : 0;
}

void comparison_free(struct comparison *c)
{
	free(c->scales);
	free(c->values);
}

bool comparison_is_single(const struct comparison *c)
{
	return c->n_runs == 2;
}

static bool is_counted(const struct comparison *c, size_t run)
{
	return !c->profile->by_name || c->profile->columns[c->first + run].has_counted;
}

bool comparison_is_measured(const struct comparison *c)
{
	return !c->normalizes && is_counted(c, 0) && is_counted(c, c->n_runs - 1);
}

/*
 * The variance that sampling gives to the use of one run. Where the whole is known, because a recorder has measured it or all
 * runs are scaled to it, only the share is a matter of chance. A part that no sample has met could have had one.
 */
static double sampling_variance(const struct comparison *c, size_t run,
				const struct comparison_use *use)
{
	const struct tree *t = comparison_run(c, run);
	double whole = (double)t->total, share = whole > 0 ? (double)use->weight / whole : 0;
	double squares = use->squares, variance;

	if (squares <= 0 && t->hits)
		squares = t->total_squares / (double)t->hits;
	if (c->normalizes || is_counted(c, run))
		variance = (1 - share) * (1 - share) * squares +
			   share * share * (t->total_squares - use->squares);
	else
		variance = squares;
	return (variance > 0 ? variance : 0) * c->scales[run] * c->scales[run];
}

struct welch_side comparison_side(const struct comparison *c, const struct comparison_use *uses,
				  size_t from, size_t to)
{
	double sampling = 0;

	for (size_t i = from; i < to; i++) {
		c->values[i] = (double)uses[i].weight * c->scales[i];
		sampling += sampling_variance(c, i, &uses[i]);
	}
	return welch_side(c->values + from, to - from, sampling / (double)(to - from));
}

/* (W^2) / (sum of w^2), which is n for n samples of the same weight. */
static double count_samples(const struct comparison *c, const struct comparison_use *uses)
{
	double weight = 0, squares = 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		weight += (double)uses[i].weight;
		squares += uses[i].squares;
	}
	return squares > 0 ? weight * weight / squares : 0;
}

static bool is_enough(double samples)
{
	return samples >= COMPARISON_SAMPLES;
}

/* ---- comparison begins ----------------------------------------------------------------------- */

struct named {
	uint32_t name, node;
};

static int compare_names(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return (x->name > y->name) - (x->name < y->name);
}

/* The self of a function in all runs; nodes[0..n-1] are its nodes. */
static void add_uses(const struct comparison *c, const struct named *nodes, size_t n,
		     struct comparison_use *uses)
{
	for (size_t run = 0; run < c->n_runs; run++) {
		const struct tree *t = comparison_run(c, run);

		uses[run] = (struct comparison_use){0};
		for (size_t i = 0; i < n; i++) {
			uses[run].weight += t->nodes[nodes[i].node].self;
			if (t->squares)
				uses[run].squares += t->squares[nodes[i].node].self;
		}
	}
}

/* Put the ratio of each function that is tested into the list. */
static size_t list_ratios(const struct comparison *c, const struct named *nodes,
			  struct comparison_use *uses, double *ratios)
{
	size_t n = c->tree->n_nodes, n_ratios = 0, i, k;

	for (i = 1; i < n; i = k) {
		struct welch_side before, after;
		double freedom;

		for (k = i + 1; k < n && nodes[k].name == nodes[i].name; k++)
			;
		add_uses(c, nodes + i, k - i, uses);
		if (!is_enough(count_samples(c, uses)))
			continue;
		before = comparison_side(c, uses, 0, c->n_base);
		after = comparison_side(c, uses, c->n_base, c->n_runs);
		ratios[n_ratios] = welch_ratio(&before, &after, &freedom);
		n_ratios += freedom > 0;
	}
	return n_ratios;
}

static int find_common(struct comparison *c, struct error *err)
{
	size_t n = c->tree->n_nodes;
	struct comparison_use *uses = calloc(c->n_runs, sizeof(*uses));
	struct named *nodes = calloc(n + 1, sizeof(*nodes));
	double *ratios = calloc(n + 1, sizeof(*ratios));
	int status = uses && nodes && ratios ? 0 : error_memory(err);

	for (size_t i = 0; !status && i < n; i++)
		nodes[i] = (struct named){c->tree->nodes[i].name, (uint32_t)i};
	if (!status) {
		/* Node 0 is the root of all, which has no name and no self. */
		qsort(nodes + 1, n - 1, sizeof(*nodes), compare_names);
		c->common = welch_common(ratios, list_ratios(c, nodes, uses, ratios),
					 (double)c->n_runs - 2);
	}
	free(uses);
	free(nodes);
	free(ratios);
	return status;
}

int comparison_begin(struct comparison *c, const struct profile *p, const struct tree *t,
		     size_t resource, bool normalizes, struct error *err)
{
	*c = (struct comparison){
		.profile = p,
		.tree = t,
		.first = resource * p->n_runs,
		.n_runs = p->n_runs,
		.n_base = p->n_base,
		.normalizes = normalizes,
		.scales = calloc(p->n_runs, sizeof(*c->scales)),
		.values = calloc(p->n_runs, sizeof(*c->values)),
		.common = {.factor = 1},
	};
	if (!c->scales || !c->values)
		return error_memory(err);
	c->before = mean_total(c, 0, c->n_base);
	c->after = mean_total(c, c->n_base, c->n_runs);
	for (size_t i = 0; i < c->n_runs; i++) {
		double total = (double)comparison_run(c, i)->total;

		c->scales[i] = normalizes && total > 0 ? c->before / total : 1;
	}
	if (comparison_is_single(c) || c->n_base == c->n_runs)
		return 0;
	return find_common(c, err);
}

static unsigned __int128 sum(const struct comparison_use *uses, size_t from, size_t to)
{
	unsigned __int128 all = 0;

	for (size_t i = from; i < to; i++)
		all += uses[i].weight;
	return all;
}

struct comparison_row comparison_row(const struct comparison *c, const struct comparison_use *uses)
{
	const struct welch_side before = comparison_side(c, uses, 0, c->n_base),
				after = comparison_side(c, uses, c->n_base, c->n_runs);

	return (struct comparison_row){
		.sum_before = sum(uses, 0, c->n_base),
		.sum_after = sum(uses, c->n_base, c->n_runs),
		.before = before.mean,
		.after = after.mean,
		.samples = count_samples(c, uses),
		.welch = welch_compare(&before, &after, &c->common),
	};
}

struct comparison_row comparison_totals(const struct comparison *c)
{
	struct welch_side before, after;
	struct comparison_row row = {.before = c->before, .after = c->after};

	for (size_t i = 0; i < c->n_runs; i++) {
		uint64_t total = comparison_run(c, i)->total;

		c->values[i] = (double)total;
		if (i < c->n_base)
			row.sum_before += total;
		else
			row.sum_after += total;
	}
	before = welch_side(c->values, c->n_base, 0);
	after = welch_side(c->values + c->n_base, c->n_runs - c->n_base, 0);
	row.welch = welch_compare(&before, &after, &c->common);
	row.is_significant = !comparison_is_single(c) && row.welch.p <= WELCH_LEVEL;
	return row;
}

/* The runs from..to-1 of a node. */
static uint64_t count(const struct comparison *c, size_t node, size_t from, size_t to, bool sums)
{
	uint64_t sum = 0;
	double scaled = 0;

	for (size_t i = from; i < to; i++) {
		uint64_t self = comparison_run(c, i)->nodes[node].self;

		sum += self; /* the sum of all runs fits, which reading has checked */
		scaled += (double)self * c->scales[i];
	}
	if (sums)
		return sum;
	scaled /= (double)(to - from);
	return scaled < 0x1p64 ? (uint64_t)(scaled + 0.5) : UINT64_MAX;
}

int comparison_counts(const struct comparison *c, uint64_t **before, uint64_t **after,
		      struct error *err)
{
	size_t n = c->tree->n_nodes;
	bool sums = !c->normalizes && 2 * c->n_base == c->n_runs;

	*before = calloc(n, sizeof(**before));
	*after = calloc(n, sizeof(**after));
	if (!*before || !*after) {
		free(*before);
		free(*after);
		return error_memory(err);
	}
	for (size_t i = 0; i < n; i++) {
		(*before)[i] = count(c, i, 0, c->n_base, sums);
		(*after)[i] = count(c, i, c->n_base, c->n_runs, sums);
	}
	return 0;
}

static size_t greatest_divisor(size_t a, size_t b)
{
	while (b) {
		size_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The mean of the runs from..to-1 of a node, in parts; `each` is how many of these a gtick of one run is. */
static uint64_t mean(const struct comparison *c, size_t node, size_t from, size_t to, uint64_t each)
{
	double scaled = 0;
	uint64_t all;

	for (size_t i = from; c->normalizes && i < to; i++)
		scaled += (double)comparison_run(c, i)->nodes[node].self * c->scales[i];
	if (!c->normalizes)
		return __builtin_mul_overflow(count(c, node, from, to, true), each, &all)
			       ? UINT64_MAX
			       : all;
	scaled *= (double)each / (double)(to - from);
	return scaled < 0x1p64 ? (uint64_t)(scaled + 0.5) : UINT64_MAX;
}

int comparison_means(const struct comparison *c, uint64_t **before, uint64_t **after,
		     uint64_t *parts, struct error *err)
{
	size_t n = c->tree->n_nodes, n_after = c->n_runs - c->n_base;
	size_t common = greatest_divisor(c->n_base, n_after);

	*parts = c->normalizes ? SCALED_PARTS : c->n_base / common * n_after;
	*before = calloc(n, sizeof(**before));
	*after = calloc(n, sizeof(**after));
	if (!*before || !*after) {
		free(*before);
		free(*after);
		*before = *after = NULL;
		return error_memory(err);
	}
	for (size_t i = 0; i < n; i++) {
		(*before)[i] =
			mean(c, i, 0, c->n_base, c->normalizes ? *parts : *parts / c->n_base);
		(*after)[i] =
			mean(c, i, c->n_base, c->n_runs, c->normalizes ? *parts : *parts / n_after);
	}
	return 0;
}

int comparison_judge(struct comparison_row *const *rows, size_t n, struct error *err)
{
	double *p = malloc((n + 1) * sizeof(*p)), limit;
	size_t n_used = 0;

	if (!p)
		return error_memory(err);
	for (size_t i = 0; i < n; i++)
		if (is_enough(rows[i]->samples))
			p[n_used++] = rows[i]->welch.p;
	limit = discovery_limit(p, n_used, WELCH_LEVEL);
	free(p);
	for (size_t i = 0; i < n; i++)
		rows[i]->is_significant = is_enough(rows[i]->samples) && rows[i]->welch.p <= limit;
	return 0;
}

/* ---- comparison parts ------------------------------------------------------------------------ */
/*
 * Compares whatever can be made of a tree: its calls, its call paths.
 *
 * In: the runs of two programs, a function that measures parts of a tree. Out: a row for each part.
 *
 * The measure of a tree whose weights are squares is the sum of squares of each part. So what adds
 * weights up need not know of squares.
 */

#define LARGEST 0x1p62 /* to which squares are scaled down, since weights have 64 bits */

static uint64_t scaled(double squares, double unit)
{
	return (uint64_t)(squares / unit);
}

/* A copy of a tree, with squares in the place of weights; the nodes are to be freed. -1: memory. */
static int square(struct tree *to, const struct tree *t, double *unit)
{
	*to = *t;
	*unit = t->total_squares > LARGEST ? t->total_squares / LARGEST : 1;
	to->others = NULL;
	to->n_others = 0;
	to->nodes = malloc(t->n_nodes * sizeof(*to->nodes));
	if (!to->nodes)
		return -1;
	memcpy(to->nodes, t->nodes, t->n_nodes * sizeof(*to->nodes));
	for (size_t i = 0; i < t->n_nodes; i++) {
		to->nodes[i].self = t->squares ? scaled(t->squares[i].self, *unit) : 0;
		to->nodes[i].total = t->squares ? scaled(t->squares[i].total, *unit) : 0;
	}
	to->total = scaled(t->total_squares, *unit);
	return 0;
}

struct measuring {
	const struct comparison *c;
	const struct comparison_measure *measure;
	uint64_t *weights;	     /* of the n parts in one tree */
	struct comparison_use *uses; /* by part and run */
	size_t n;
};

static int measure_run(struct measuring *m, size_t run, struct error *err)
{
	const struct tree *t = comparison_run(m->c, run);
	struct tree squares;
	double unit;
	int status = m->measure->weigh(m->measure->context, t, m->weights, err);

	for (size_t i = 0; !status && i < m->n; i++)
		m->uses[i * m->c->n_runs + run].weight = m->weights[i];
	if (status)
		return -1;
	if (square(&squares, t, &unit))
		return error_memory(err);
	status = m->measure->weigh(m->measure->context, &squares, m->weights, err);
	for (size_t i = 0; !status && i < m->n; i++)
		m->uses[i * m->c->n_runs + run].squares = (double)m->weights[i] * unit;
	free(squares.nodes);
	return status;
}

static int judge(struct comparison_row *list, size_t n, struct error *err)
{
	struct comparison_row **rows = calloc(n + 1, sizeof(*rows));
	int status = rows ? 0 : error_memory(err);

	for (size_t i = 0; !status && i < n; i++)
		rows[i] = &list[i];
	if (!status)
		status = comparison_judge(rows, n, err);
	free(rows);
	return status;
}

struct comparison_row *comparison_parts(const struct comparison *c,
					const struct comparison_measure *measure, size_t n,
					struct error *err)
{
	struct measuring m = {
		.c = c,
		.measure = measure,
		.weights = calloc(n + 1, sizeof(*m.weights)),
		.uses = calloc(n + 1, c->n_runs * sizeof(*m.uses)),
		.n = n,
	};
	struct comparison_row *list = calloc(n + 1, sizeof(*list));
	int status = m.weights && m.uses && list ? 0 : error_memory(err);

	for (size_t k = 0; !status && k < c->n_runs; k++)
		status = measure_run(&m, k, err);
	for (size_t i = 0; !status && i < n; i++)
		list[i] = comparison_row(c, m.uses + i * c->n_runs);
	if (!status)
		status = judge(list, n, err);
	free(m.weights);
	free(m.uses);
	if (!status)
		return list;
	free(list);
	return NULL;
}
