/* SPDX-License-Identifier: MIT */
/*
 * bottomup.c - the tree from the leaves: subtrees that are merged, and walks without building it.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/graphs.h"
#include "base/hash.h"
#include "base/stop.h"
#include "tree/bottomup.h"

/* ---- subtree --------------------------------------------------------------------------------- */

struct merge {
	const struct tree *from;
	bool *is_root;	   /* by name */
	uint32_t *numbers; /* by node of `from`: its number; 0: it is not below a root function */
	struct pair_table pairs;
	/* These are by number. Numbers are given in the order of the walk. */
	uint32_t *parents, *names;
	uint64_t *totals; /* and by column */
	uint32_t *place;  /* the index in the new tree */
	size_t n, n_columns;
	struct tree *tree;
};

static int prepare(struct merge *m, const uint32_t *roots, size_t n_roots)
{
	size_t i, n = m->from->n_nodes;

	m->is_root = calloc(strings_count(m->from->strings) + 1, sizeof(*m->is_root));
	m->numbers = calloc(n, sizeof(*m->numbers));
	m->parents = calloc(n, sizeof(*m->parents));
	m->names = calloc(n, sizeof(*m->names));
	m->totals = calloc(n, m->n_columns * sizeof(*m->totals));
	m->tree = calloc(1, sizeof(*m->tree));
	if (!m->is_root || !m->numbers || !m->parents || !m->names || !m->totals || !m->tree)
		return -1;
	for (i = 0; i < n_roots; i++)
		m->is_root[roots[i]] = true;
	m->n = 1;
	return 0;
}

/* The sums cannot overflow, because they are parts of the old tree's total. */
static int merge_nodes(struct merge *m)
{
	const struct tree *t = m->from;
	size_t i;

	for (i = 1; i < t->n_nodes; i++) {
		const struct tree_node *node = &t->nodes[i];
		uint32_t parent = m->numbers[node->parent], pair;

		if (parent == 0 && !m->is_root[node->name])
			continue;
		pair = pair_table_child(&m->pairs, parent, node->name);
		if (pair == PAIR_TABLE_NONE)
			return -1;
		m->numbers[i] = pair + 1;
		m->parents[pair + 1] = parent;
		m->names[pair + 1] = node->name;
		for (size_t k = 0; k < m->n_columns; k++)
			m->totals[(pair + 1) * m->n_columns + k] +=
				tree_column(t, k)->nodes[i].total;
	}
	m->n += m->pairs.count;
	return 0;
}

/* Siblings are sorted by total descending, of the first column that tells them apart, then by name bytewise. */
static int compare_siblings(const void *a, const void *b, void *context)
{
	const struct merge *m = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (size_t k = 0; k < m->n_columns; k++) {
		uint64_t of_x = m->totals[x * m->n_columns + k];
		uint64_t of_y = m->totals[y * m->n_columns + k];

		if (of_x != of_y)
			return of_x < of_y ? 1 : -1;
	}
	return strings_compare(m->from->strings, m->names[x], m->names[y]);
}

static int find_places(struct merge *m, struct error *err)
{
	struct preorder_tree in = {
		.n = m->n,
		.parents = m->parents,
		.compare = compare_siblings,
		.context = m,
	};

	m->place = preorder_places(&in, err);
	return m->place ? 0 : -1;
}

static int place_nodes(struct merge *m)
{
	struct tree *t = m->tree;
	size_t i;

	t->n_nodes = m->n;
	t->nodes = calloc(m->n, sizeof(*t->nodes));
	t->inlined = m->from->inlined ? calloc(m->n, sizeof(*t->inlined)) : NULL;
	if (!t->nodes || (m->from->inlined && !t->inlined))
		return -1;
	t->nodes[0] = (struct tree_node){.depth = UINT32_MAX, .name = STRINGS_NONE};
	for (i = 1; i < m->n; i++) {
		struct tree_node *node = &t->nodes[m->place[i]];

		node->parent = m->place[m->parents[i]];
		node->name = m->names[i];
		node->depth = t->nodes[node->parent].depth + 1;
		if (t->inlined)
			t->inlined[m->place[i]] = true;
	}
	return 0;
}

/* What is known of names. */
static int copy_names(struct tree *to, const struct tree *from)
{
	to->modules = calloc(from->n_modules + 1, sizeof(*to->modules));
	to->origins = calloc(from->n_origins + 1, 1);
	for (size_t i = 0; to->modules && i < from->n_modules; i++)
		to->modules[i] = from->modules[i];
	for (size_t i = 0; to->origins && i < from->n_origins; i++)
		to->origins[i] = from->origins[i];
	to->n_modules = from->n_modules;
	to->n_origins = from->n_origins;
	return to->modules && to->origins ? 0 : -1;
}

/* Give the other columns the same nodes, without weights as yet. */
static int place_columns(struct merge *m)
{
	struct tree *t = m->tree;

	t->others = calloc(m->n_columns, sizeof(*t->others));
	if (!t->others)
		return -1;
	for (; t->n_others + 1 < m->n_columns; t->n_others++) {
		struct tree *other = &t->others[t->n_others];

		*other = *t;
		other->others = NULL;
		other->n_others = 0;
		other->nodes = malloc(t->n_nodes * sizeof(*t->nodes));
		if (!other->nodes)
			return -1;
		memcpy(other->nodes, t->nodes, t->n_nodes * sizeof(*t->nodes));
	}
	return 0;
}

/* Add up the nodes below each node of a column. */
static void sum_nodes(struct tree *t)
{
	for (size_t i = t->n_nodes; i-- > 0;) {
		struct tree_node *node = &t->nodes[i], *parent = &t->nodes[node->parent];

		node->total += node->self;
		node->hits += node->self_hits;
		if (t->squares)
			t->squares[i].total += t->squares[i].self;
		if (node->end == 0)
			node->end = (uint32_t)i + 1;
		if (i == 0)
			break;
		parent->total += node->total;
		parent->hits += node->hits;
		if (t->squares)
			t->squares[node->parent].total += t->squares[i].total;
		if (parent->end == 0) /* the loop comes to the last child first */
			parent->end = node->end;
	}
}

static int weigh_nodes(struct merge *m, const struct tree *from, struct tree *to)
{
	to->strings = from->strings;
	to->unit = from->unit;
	to->filter = from->filter;
	to->total = from->total;
	to->hits = from->hits;
	to->total_squares = from->total_squares;
	to->squares = from->squares ? calloc(m->n, sizeof(*to->squares)) : NULL;
	if (from->squares && !to->squares)
		return -1;
	for (size_t i = 1; i < from->n_nodes; i++) {
		uint32_t place = m->place[m->numbers[i]];

		if (place == 0)
			continue;
		to->nodes[place].self += from->nodes[i].self;
		to->nodes[place].self_hits += from->nodes[i].self_hits;
		if (to->squares)
			to->squares[place].self += from->squares[i].self;
	}
	sum_nodes(to);
	return 0;
}

/* A node is inlined if all are that it stands for. */
static void inline_nodes(struct merge *m)
{
	struct tree *t = m->tree;

	for (size_t i = 1; t->inlined && i < m->from->n_nodes; i++) {
		uint32_t to = m->place[m->numbers[i]];

		t->inlined[to] = t->inlined[to] && m->from->inlined[i];
	}
}

static int build(struct merge *m, const uint32_t *roots, size_t n_roots, struct error *err)
{
	if (prepare(m, roots, n_roots) || merge_nodes(m))
		return error_memory(err);
	if (find_places(m, err))
		return -1;
	if (place_nodes(m) || copy_names(m->tree, m->from) || place_columns(m))
		return error_memory(err);
	inline_nodes(m);
	for (size_t k = 0; k < m->n_columns; k++)
		if (weigh_nodes(m, tree_column(m->from, k), k ? &m->tree->others[k - 1] : m->tree))
			return error_memory(err);
	return 0;
}

struct tree *subtree_build(const struct tree *t, const uint32_t *roots, size_t n_roots,
			   struct error *err)
{
	struct merge m = {.from = t, .n_columns = 1 + t->n_others};
	int status = build(&m, roots, n_roots, err);

	free(m.is_root);
	free(m.numbers);
	free(m.parents);
	free(m.names);
	free(m.totals);
	free(m.place);
	pair_table_clear(&m.pairs);
	if (!status)
		return m.tree;
	tree_free(m.tree);
	return NULL;
}

/* ---- upward order ---------------------------------------------------------------------------- */
/*
 * In round k nodes have ranks by the first 2^k names of their stacks. A pair of ranks, of the node
 * and of the one 2^k levels above it, is the rank by 2^(k + 1) names. The root, above the outermost
 * functions, has rank 0. All rounds are kept: two nodes are compared by the largest round first.
 */

#define ROUNDS_MAX 33

struct sorting {
	const struct tree *tree;
	struct upward_order *out;
	uint32_t *ranks[ROUNDS_MAX];  /* by round, by node */
	uint32_t *above[ROUNDS_MAX];  /* by round: the node 2^round levels above, or the root */
	uint32_t *counts, *by_second; /* room for sorting */
	unsigned round;
};

/* ---- how far texts go ------------------------------------------------------------------------ */

/* A frame of the walk's stack. */
struct frame {
	uint32_t name;
	uint32_t top;	 /* depth of the outermost frame in its text */
	uint32_t latest; /* what latest[name] was without it */
};

/* latest[name] is one more than the depth of the innermost frame that has the name. */
static uint32_t walk(const struct tree *t, uint64_t longest, uint32_t *latest, struct frame *stack,
		     uint32_t *reach)
{
	uint32_t height = 0, most = 0;

	for (uint32_t i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		uint32_t top;

		for (; height > n->depth; height--)
			latest[stack[height - 1].name] = stack[height - 1].latest;
		top = height ? stack[height - 1].top : 0;
		if (latest[n->name] > top)
			top = latest[n->name];
		stack[height++] = (struct frame){n->name, top, latest[n->name]};
		latest[n->name] = height;
		reach[i] = height - top;
		if (longest && reach[i] > longest)
			reach[i] = (uint32_t)longest;
		if (reach[i] > most)
			most = reach[i];
	}
	return most;
}

/* Returns the length of the longest text; 0: memory, or there is no node. */
static uint32_t find_reaches(struct sorting *s, uint64_t longest)
{
	const struct tree *t = s->tree;
	uint32_t *latest = calloc(strings_count(t->strings) + 1, sizeof(*latest));
	struct frame *stack = calloc((size_t)tree_height(t) + 1, sizeof(*stack));
	uint32_t most = 0;

	if (latest && stack)
		most = walk(t, longest, latest, stack, s->out->reach);
	free(latest);
	free(stack);
	return most;
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* Sort the nodes list[0 .. n - 1] to `sorted` by a key that is less than n_keys. */
static void sort_by(struct sorting *s, const uint32_t *list, uint32_t *sorted, const uint32_t *key,
		    size_t n_keys)
{
	uint32_t i, n = s->out->n, sum = 0;

	memset(s->counts, 0, n_keys * sizeof(*s->counts));
	for (i = 0; i < n; i++)
		s->counts[key[list[i]]]++;
	for (i = 0; i < n_keys; i++) {
		uint32_t of_key = s->counts[i];

		s->counts[i] = sum;
		sum += of_key;
	}
	for (i = 0; i < n; i++)
		sorted[s->counts[key[list[i]]]++] = list[i];
}

static int add_round(struct sorting *s, unsigned round)
{
	s->ranks[round] = calloc((size_t)s->out->n + 1, sizeof(uint32_t));
	s->above[round] = calloc((size_t)s->out->n + 1, sizeof(uint32_t));
	s->round = round;
	return s->ranks[round] && s->above[round] ? 0 : -1;
}

/* Ranks by one name: the numbers of names, without gaps. */
static int sort_names(struct sorting *s)
{
	const struct tree_node *nodes = s->tree->nodes;
	struct upward_order *u = s->out;
	uint32_t i, rank = 0;

	if (add_round(s, 0))
		return -1;
	for (i = 1; i <= u->n; i++) {
		s->by_second[i - 1] = i;
		s->ranks[0][i] = nodes[i].name;
		s->above[0][i] = nodes[i].parent;
	}
	sort_by(s, s->by_second, u->order, s->ranks[0], strings_count(s->tree->strings));
	for (i = 0; i < u->n; i++) {
		rank += !i || nodes[u->order[i]].name != nodes[u->order[i - 1]].name;
		s->ranks[0][u->order[i]] = rank;
	}
	return 0;
}

/* From the ranks of the last round those of twice as many names. */
static int double_round(struct sorting *s)
{
	unsigned last = s->round;
	const uint32_t *rank = s->ranks[last], *above = s->above[last];
	struct upward_order *u = s->out;
	uint32_t *second = u->place; /* is not needed yet */
	uint32_t i, new_rank = 0;

	if (add_round(s, last + 1))
		return -1;
	for (i = 1; i <= u->n; i++) {
		second[i] = rank[above[i]];
		s->above[last + 1][i] = above[above[i]];
	}
	sort_by(s, u->order, s->by_second, second, (size_t)u->n + 1);
	sort_by(s, s->by_second, u->order, rank, (size_t)u->n + 1);
	for (i = 0; i < u->n; i++) {
		uint32_t a = u->order[i], b = i ? u->order[i - 1] : 0;

		new_rank += !i || rank[a] != rank[b] || second[a] != second[b];
		s->ranks[last + 1][a] = new_rank;
	}
	return 0;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

static uint32_t common_names(const struct sorting *s, uint32_t a, uint32_t b)
{
	uint32_t names = 0;

	for (unsigned k = s->round + 1; k-- > 0;)
		if (s->ranks[k][a] == s->ranks[k][b]) {
			names += UINT32_C(1) << k;
			a = s->above[k][a];
			b = s->above[k][b];
		}
	return names;
}

static void compare_neighbours(struct sorting *s)
{
	struct upward_order *u = s->out;

	for (uint32_t i = 0; i < u->n; i++)
		u->place[u->order[i]] = i;
	for (uint32_t i = 1; i < u->n; i++) {
		uint32_t a = u->order[i - 1], b = u->order[i];
		uint32_t names = common_names(s, a, b), least = u->reach[a];

		if (u->reach[b] < least)
			least = u->reach[b];
		u->differs[i] = names <= least;
		u->common[i] = names < least ? names : least;
	}
}

static int sort(struct sorting *s, uint64_t longest)
{
	struct upward_order *u = s->out;
	size_t n = u->n, n_keys = strings_count(s->tree->strings);
	uint32_t most;

	u->order = calloc(n + 1, sizeof(*u->order));
	u->place = calloc(n + 1, sizeof(*u->place));
	u->reach = calloc(n + 1, sizeof(*u->reach));
	u->common = calloc(n + 1, sizeof(*u->common));
	u->differs = calloc(n + 1, sizeof(*u->differs));
	s->by_second = calloc(n + 1, sizeof(*s->by_second));
	s->counts = calloc((n_keys > n ? n_keys : n) + 1, sizeof(*s->counts));
	if (!u->order || !u->place || !u->reach || !u->common || !u->differs || !s->by_second ||
	    !s->counts)
		return -1;
	most = find_reaches(s, longest);
	if (!most || sort_names(s))
		return -1;
	while (UINT64_C(1) << s->round <= most)
		if (double_round(s))
			return -1;
	compare_neighbours(s);
	return 0;
}

int upward_order_begin(struct upward_order *u, const struct tree *t, uint64_t longest,
		       struct error *err)
{
	struct sorting s = {.tree = t, .out = u};
	int status;

	*u = (struct upward_order){.n = (uint32_t)t->n_nodes - 1};
	status = u->n ? sort(&s, longest) : 0;
	for (unsigned k = 0; k < ROUNDS_MAX; k++) {
		free(s.ranks[k]);
		free(s.above[k]);
	}
	free(s.by_second);
	free(s.counts);
	return status ? error_memory(err) : 0;
}

void upward_order_free(struct upward_order *u)
{
	free(u->order);
	free(u->place);
	free(u->reach);
	free(u->common);
	free(u->differs);
	*u = (struct upward_order){0};
}

/* ---- bottomup -------------------------------------------------------------------------------- */
/*
 * A node of the bottom-up tree is a group of stacks whose innermost names are the same; the group
 * is a range of an array. Each stack remembers how far outwards the walk has gone on it. To go to
 * the node's children, the group is split into ranges by the name of the next frame. The ranges
 * that the walk has not visited yet are kept in an array of work. No two of them share a stack, so
 * there are never more of them than stacks.
 */

struct stack {
	uint32_t at;   /* the tree's node that the walk has reached */
	uint32_t name; /* the name of that node */
	uint32_t leaf; /* the tree's node where the stack ends */
	uint64_t weight, hits;
};

struct group {
	size_t from, n; /* in bottomup.stacks */
	uint32_t name, depth;
	uint64_t weight, hits;
};

/* What a node has without the root functions below it. */
struct part {
	uint64_t weight, hits;
	double squares;
};

struct bottomup {
	const struct tree *tree;
	struct part *parts; /* by column and node; NULL: there are no root functions */
	struct stack *stacks;
	size_t n_stacks;
	struct group *work; /* the group to be visited next is the last one */
	size_t n_work;
	struct group last; /* the group that bottomup_next returned last */
	bool is_open;	   /* the children of `last` are not in `work` yet */
};

static int compare_names(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	return (x->name > y->name) - (x->name < y->name);
}

/* The order is reversed, because work is taken from the end of the array. */
static int compare_groups(const void *a, const void *b, void *context)
{
	const struct group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return strings_compare(context, y->name, x->name);
}

/* Make a group of the stacks that have the same name as stacks[from] and follow it. */
static struct group gather(const struct bottomup *b, size_t from, size_t end, uint32_t depth)
{
	struct group g = {.from = from, .name = b->stacks[from].name, .depth = depth};

	for (; from < end && b->stacks[from].name == g.name; from++, g.n++) {
		g.weight += b->stacks[from].weight;
		g.hits += b->stacks[from].hits;
	}
	return g;
}

/* Split stacks[from .. end - 1] into groups by name, and append the groups to the work. */
static void split(struct bottomup *b, size_t from, size_t end, uint32_t depth)
{
	size_t i = from, first = b->n_work;

	while (i < end && b->stacks[i].name == b->stacks[from].name)
		i++;
	if (i < end)
		qsort(b->stacks + from, end - from, sizeof(*b->stacks), compare_names);
	for (i = from; i < end; i += b->work[b->n_work++].n)
		b->work[b->n_work] = gather(b, i, end, depth);
	/* The comparison only reads; qsort_r has no const context. */
	if (b->n_work > first + 1)
		qsort_r(b->work + first, b->n_work - first, sizeof(*b->work), compare_groups,
			(void *)(uintptr_t)b->tree->strings);
}

/* Go one frame outwards and add the children of the last group to the work. At most one stack of
 * the group ends here, because two that end here would be the same stack. */
static void open_children(struct bottomup *b)
{
	const struct tree_node *nodes = b->tree->nodes;
	size_t i, from = b->last.from, end = from + b->last.n;

	for (i = from; i < end; i++) {
		struct stack *s = &b->stacks[i];

		s->at = nodes[s->at].parent;
		s->name = nodes[s->at].name;
		if (s->at != 0)
			continue;
		*s = b->stacks[from++];
	}
	split(b, from, end, b->last.depth + 1);
}

bool bottomup_next(struct bottomup *b, struct bottomup_node *node)
{
	const struct tree *t = b->tree;
	size_t i;

	if (stop_is_requested()) /* nothing is written any more */
		return false;
	if (b->is_open)
		open_children(b);
	b->is_open = b->n_work > 0;
	if (!b->is_open)
		return false;
	b->last = b->work[--b->n_work];
	*node = (struct bottomup_node){
		.name = b->last.name,
		.depth = b->last.depth,
		.weight = b->last.weight,
		.hits = b->last.hits,
		.is_inline = true,
	};
	for (i = b->last.from; i < b->last.from + b->last.n; i++) {
		if (t->nodes[b->stacks[i].at].parent == 0)
			node->outermost = b->stacks[i].weight;
		node->is_inline = node->is_inline && tree_is_inline(t, b->stacks[i].at);
	}
	return true;
}

uint64_t bottomup_weight_in(const struct bottomup *b, size_t column)
{
	const struct tree *t = tree_column(b->tree, column);
	const struct part *parts = b->parts ? b->parts + column * t->n_nodes : NULL;
	uint64_t weight = 0;
	size_t i;

	for (i = b->last.from; i < b->last.from + b->last.n; i++) {
		uint32_t leaf = b->stacks[i].leaf;

		weight += parts ? parts[leaf].weight : t->nodes[leaf].self;
	}
	return weight;
}

double bottomup_squares_in(const struct bottomup *b, size_t column)
{
	const struct tree *t = tree_column(b->tree, column);
	const struct part *parts = b->parts ? b->parts + column * t->n_nodes : NULL;
	double squares = 0;

	for (size_t i = b->last.from; t->squares && i < b->last.from + b->last.n; i++) {
		uint32_t leaf = b->stacks[i].leaf;

		squares += parts ? parts[leaf].squares : t->squares[leaf].self;
	}
	return squares;
}

void bottomup_skip(struct bottomup *b)
{
	b->is_open = false;
}

static bool is_stack(const struct tree *t, size_t i)
{
	size_t k;

	for (k = 0; k < t->n_others; k++)
		if (t->others[k].nodes[i].self > 0 || t->others[k].nodes[i].self_hits > 0)
			return true;
	return t->nodes[i].self > 0 || t->nodes[i].self_hits > 0 || t->nodes[i].end == i + 1;
}

static int reserve(struct bottomup *b, size_t n)
{
	b->stacks = malloc((n + 1) * sizeof(*b->stacks));
	b->work = malloc((n + 1) * sizeof(*b->work));
	return b->stacks && b->work ? 0 : -1;
}

static int gather_stacks(struct bottomup *b)
{
	const struct tree *t = b->tree;
	size_t i, n = 0;

	for (i = 1; i < t->n_nodes; i++)
		n += is_stack(t, i);
	if (reserve(b, n))
		return -1;
	for (i = 1; i < t->n_nodes; i++)
		if (is_stack(t, i))
			b->stacks[b->n_stacks++] = (struct stack){
				.at = (uint32_t)i,
				.name = t->nodes[i].name,
				.leaf = (uint32_t)i,
				.weight = t->nodes[i].self,
				.hits = t->nodes[i].self_hits,
			};
	return 0;
}

/* ---- root functions -------------------------------------------------------------------------- */

/* Move what is no root function's to the next one above it; what has none comes to node 0. */
static void cut(const struct tree *t, const bool *is_root, struct part *parts)
{
	for (size_t i = t->n_nodes; i-- > 1;) {
		const struct tree_node *node = &t->nodes[i];
		struct part *part = &parts[i], *parent = &parts[node->parent];

		part->weight += node->self;
		part->hits += node->self_hits;
		part->squares += t->squares ? t->squares[i].self : 0;
		if (is_root[node->name])
			continue;
		parent->weight += part->weight;
		parent->hits += part->hits;
		parent->squares += part->squares;
	}
}

/* Whether there is a root function below each node. Returns the number of nodes of root functions. */
static size_t find_roots(const struct tree *t, const bool *is_root, bool *has_root)
{
	size_t n = 0;

	for (size_t i = t->n_nodes; i-- > 1;) {
		bool is = is_root[t->nodes[i].name];

		has_root[t->nodes[i].parent] |= has_root[i] || is;
		n += is;
	}
	return n;
}

static bool is_rooted_stack(const struct bottomup *b, size_t i, const bool *has_root)
{
	const struct tree *t = b->tree;

	for (size_t k = 0; k <= t->n_others; k++)
		if (b->parts[k * t->n_nodes + i].weight || b->parts[k * t->n_nodes + i].hits)
			return true;
	return !has_root[i];
}

/* The stacks end at the innermost root functions. */
static int gather_roots(struct bottomup *b, const bool *is_root)
{
	const struct tree *t = b->tree;
	bool *has_root = calloc(t->n_nodes, sizeof(*has_root));

	b->parts = calloc(t->n_nodes, (1 + t->n_others) * sizeof(*b->parts));
	if (!has_root || !b->parts || reserve(b, find_roots(t, is_root, has_root))) {
		free(has_root);
		return -1;
	}
	for (size_t k = 0; k <= t->n_others; k++)
		cut(tree_column(t, k), is_root, b->parts + k * t->n_nodes);
	for (size_t i = 1; i < t->n_nodes; i++)
		if (is_root[t->nodes[i].name] && is_rooted_stack(b, i, has_root))
			b->stacks[b->n_stacks++] = (struct stack){
				.at = (uint32_t)i,
				.name = t->nodes[i].name,
				.leaf = (uint32_t)i,
				.weight = b->parts[i].weight,
				.hits = b->parts[i].hits,
			};
	free(has_root);
	return 0;
}

static int gather_all(struct bottomup *b, const uint32_t *roots, size_t n_roots)
{
	bool *is_root;
	int status;

	if (!n_roots)
		return gather_stacks(b);
	is_root = calloc(strings_count(b->tree->strings) + 1, sizeof(*is_root));
	if (!is_root)
		return -1;
	for (size_t i = 0; i < n_roots; i++)
		is_root[roots[i]] = true;
	status = gather_roots(b, is_root);
	free(is_root);
	return status;
}

struct bottomup *bottomup_new(const struct tree *t, const uint32_t *roots, size_t n_roots,
			      struct error *err)
{
	struct bottomup *b = calloc(1, sizeof(*b));

	if (b)
		b->tree = t;
	if (!b || gather_all(b, roots, n_roots)) {
		bottomup_free(b);
		error_memory(err);
		return NULL;
	}
	split(b, 0, b->n_stacks, 0);
	return b;
}

void bottomup_free(struct bottomup *b)
{
	if (!b)
		return;
	free(b->parts);
	free(b->stacks);
	free(b->work);
	free(b);
}
