/* SPDX-License-Identifier: MIT */
/*
 * upward_order.c - sorts the nodes of the sample tree by the names on the way to the root.
 *
 * In: struct tree. Out: struct upward_order.
 *
 * In round k nodes have ranks by the first 2^k names of their stacks. A pair of ranks, of the node
 * and of the one 2^k levels above it, is the rank by 2^(k + 1) names. The root, above the outermost
 * functions, has rank 0. All rounds are kept: two nodes are compared by the largest round first.
 */
#include "tree/upward_order.h"

#include <stdlib.h>
#include <string.h>

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
