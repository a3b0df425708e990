/* SPDX-License-Identifier: MIT */
/*
 * recurring.c - finds sequences of calls that recur under several callers.
 *
 * In the order of bottomup.h the nodes at which a sequence ends are a range. The ranges of
 * nodes whose texts have l names in common, and that are not parts of a larger such range, form a
 * tree (the intervals of Abouelhoda, Kurtz and Ohlebusch, Replacing suffix trees with enhanced
 * suffix arrays, 2004): a *group* is such a range, and stands for the one sequence of l names that
 * has several callers there. The groups directly in it, and its nodes that are in no other group,
 * are told apart by their next name, which is the caller's.
 *
 * A stack that has a sequence twice has two nodes in its group, one below the other. To count it
 * once, the lower one is taken out of all groups that it shares with a node above it: the smallest
 * of these is found by the nearest neighbours of the node among those above it, as an order of
 * texts has the longest common beginning with a neighbour.
 *
 * The group of a sequence without its last name is where the parents of the nodes are. Larger
 * groups come after those within them, so that weights are added up in one pass; and longer
 * sequences are judged before shorter ones.
 */
#include "tree/recurring.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "tree/bottomup.h"

#define NONE UINT32_MAX

struct group {
	uint32_t parent; /* the smallest group that it is a part of, or NONE */
	uint32_t length; /* of the sequence */
	uint32_t
		place; /* in the order: this node and the one before have just the sequence in common */
	uint32_t split; /* a place like that, but their next names differ; NONE: there is none */
	uint32_t callers;
	/* Sums are modulo 2^64 until what is counted twice has been taken out. */
	uint64_t weight, hits;
	uint64_t heaviest; /* of the sequences with one caller more */
	uint64_t longer;   /* of the sequences that go on behind it and are listed */
	bool is_listed;
};

struct search {
	const struct tree *tree;
	struct upward_order nodes;
	struct range_least least; /* of the numbers of common names */
	struct group *groups;
	uint32_t n_groups;
	uint32_t *of_place; /* by place: the group of its common names, or NONE if there are none */
	uint32_t *inner;    /* the groups, each before those that it is a part of */
	uint64_t longest;
};

/* ---- groups ---------------------------------------------------------------------------------- */

static void open_group(struct search *s, uint32_t place)
{
	s->groups[s->n_groups] = (struct group){
		.parent = NONE, .length = s->nodes.common[place], .place = place, .split = NONE};
	s->of_place[place] = s->n_groups++;
}

/* Go through the places with a stack of the groups that are open, which get longer and longer. */
static void find_groups(struct search *s, uint32_t *stack)
{
	const uint32_t *common = s->nodes.common;
	uint32_t height = 0, closed = 0;

	for (uint32_t i = 1; i <= s->nodes.n; i++) {
		uint32_t length = i < s->nodes.n ? common[i] : 0, last = NONE;

		s->of_place[i] = NONE;
		while (height && s->groups[stack[height - 1]].length > length) {
			last = stack[--height];
			s->inner[closed++] = last;
			if (height && s->groups[stack[height - 1]].length >= length)
				s->groups[last].parent = stack[height - 1];
		}
		if (!length)
			continue;
		if (height && s->groups[stack[height - 1]].length == length) {
			s->of_place[i] = stack[height - 1];
		} else {
			open_group(s, i);
			stack[height++] = s->of_place[i];
			if (last != NONE)
				s->groups[last].parent = s->of_place[i];
		}
		if (s->nodes.differs[i])
			s->groups[s->of_place[i]].split = i;
	}
}

/* The smallest group that has both nodes, of places a < b; NONE: their names differ. */
static uint32_t shared_group(const struct search *s, uint32_t a, uint32_t b)
{
	return s->of_place[range_least_find(&s->least, a + 1, b + 1)];
}

static uint32_t smallest_group(const struct search *s, uint32_t place)
{
	const uint32_t *common = s->nodes.common;
	uint32_t of_next = place + 1 < s->nodes.n ? common[place + 1] : 0;

	return s->of_place[common[place] >= of_next ? place : place + 1];
}

/* ---- weights --------------------------------------------------------------------------------- */

static void add_node(struct search *s, uint32_t node)
{
	const struct tree_node *n = &s->tree->nodes[node];
	uint32_t number = smallest_group(s, s->nodes.place[node]);
	struct group *g;

	if (number == NONE)
		return;
	g = &s->groups[number];
	g->weight += n->total;
	g->hits += n->hits;
	/* The node is what one caller has called, or where the sequence is outermost. */
	if (s->nodes.reach[node] > g->length)
		g->callers++;
	if ((s->nodes.reach[node] > g->length || n->depth + 1 == g->length) &&
	    n->total > g->heaviest)
		g->heaviest = n->total;
}

/* Take the node out of the groups that it shares with a node above it, all of which are in `above`.
 * */
static void take_out(struct search *s, const struct number_set *above, uint32_t node)
{
	uint32_t place = s->nodes.place[node], number = NONE, other;
	uint32_t below = number_set_below(above, place), beyond = number_set_above(above, place);

	if (below != NUMBER_SET_NONE)
		number = shared_group(s, below, place);
	other = beyond != NUMBER_SET_NONE ? shared_group(s, place, beyond) : NONE;
	if (number == NONE || (other != NONE && s->groups[other].length > s->groups[number].length))
		number = other;
	if (number == NONE)
		return;
	s->groups[number].weight -= s->tree->nodes[node].total;
	s->groups[number].hits -= s->tree->nodes[node].hits;
}

static int weigh_nodes(struct search *s)
{
	const struct tree_node *nodes = s->tree->nodes;
	struct number_set above;
	uint32_t i, at = 0; /* the last node; it and those above it are in the set */

	if (number_set_begin(&above, s->nodes.n)) {
		number_set_free(&above);
		return -1;
	}
	for (i = 1; i <= s->nodes.n; i++) {
		for (; at != nodes[i].parent; at = nodes[at].parent)
			number_set_remove(&above, s->nodes.place[at]);
		add_node(s, i);
		take_out(s, &above, i);
		number_set_add(&above, s->nodes.place[i]);
		at = i;
	}
	number_set_free(&above);
	return 0;
}

static void weigh_groups(struct search *s)
{
	for (uint32_t i = 0; i < s->n_groups; i++) {
		const struct group *g = &s->groups[s->inner[i]];
		struct group *parent;

		if (g->parent == NONE)
			continue;
		parent = &s->groups[g->parent];
		parent->weight += g->weight;
		parent->hits += g->hits;
		parent->callers++;
		if (g->weight > parent->heaviest)
			parent->heaviest = g->weight;
	}
}

/* ---- which ones are listed ------------------------------------------------------------------- */

/* Whether the part is nine tenths of the whole, or more. */
static bool is_most(uint64_t part, uint64_t whole)
{
	return (unsigned __int128)part * 10 >= (unsigned __int128)whole * 9;
}

/* The group of the sequence without its last name; NONE: it has one caller only. */
static uint32_t shorter_group(const struct search *s, const struct group *g)
{
	const struct upward_order *u = &s->nodes;
	uint32_t a, b;

	if (g->split == NONE || g->length < 2)
		return NONE;
	a = u->place[s->tree->nodes[u->order[g->split - 1]].parent];
	b = u->place[s->tree->nodes[u->order[g->split]].parent];
	return a < b ? shared_group(s, a, b) : shared_group(s, b, a);
}

static void judge(struct search *s, struct group *g)
{
	uint32_t shorter = shorter_group(s, g);
	uint64_t explains;

	g->is_listed = g->length >= 2 && (!s->longest || g->length <= s->longest) &&
		       g->callers >= 2 && !is_most(g->heaviest, g->weight) &&
		       !is_most(g->longer, g->weight);
	explains = g->is_listed ? g->weight : g->longer;
	if (shorter != NONE && explains > s->groups[shorter].longer)
		s->groups[shorter].longer = explains;
}

/* Judge the groups by their lengths, the longest first: a counting sort. */
static int judge_all(struct search *s)
{
	uint32_t i, most = 0, *start;

	for (i = 0; i < s->n_groups; i++)
		if (s->groups[i].length > most)
			most = s->groups[i].length;
	start = calloc((size_t)most + 2, sizeof(*start));
	if (!start)
		return -1;
	for (i = 0; i < s->n_groups; i++)
		start[most - s->groups[i].length + 1]++;
	for (i = 1; i <= most; i++)
		start[i] += start[i - 1];
	for (i = 0; i < s->n_groups; i++)
		s->inner[start[most - s->groups[i].length]++] = i;
	free(start);
	for (i = 0; i < s->n_groups; i++)
		judge(s, &s->groups[s->inner[i]]);
	return 0;
}

static int search(struct search *s)
{
	size_t n = s->nodes.n;
	uint32_t *stack = calloc(n + 1, sizeof(*stack));
	int status = -1;

	s->groups = calloc(n + 1, sizeof(*s->groups));
	s->inner = calloc(n + 1, sizeof(*s->inner));
	s->of_place = calloc(n + 1, sizeof(*s->of_place));
	if (stack && s->groups && s->inner && s->of_place &&
	    !range_least_begin(&s->least, s->nodes.common, n)) {
		s->of_place[0] = NONE;
		find_groups(s, stack);
		status = 0;
	}
	free(stack);
	if (status || weigh_nodes(s))
		return -1;
	weigh_groups(s);
	return judge_all(s);
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Of two sequences of the same length the outermost names that differ decide, which come last. */
static int compare_names(const struct tree *t, const struct recurring_sequence *x,
			 const struct recurring_sequence *y)
{
	uint32_t a = x->node, b = y->node, of_a = 0, of_b = 0;

	for (uint32_t i = 0; i < x->length; i++) {
		if (t->nodes[a].name != t->nodes[b].name) {
			of_a = a;
			of_b = b;
		}
		a = t->nodes[a].parent;
		b = t->nodes[b].parent;
	}
	return of_a == of_b ? 0
			    : strings_compare(t->strings, t->nodes[of_a].name, t->nodes[of_b].name);
}

static int compare(const void *a, const void *b, void *context)
{
	const struct recurring_sequence *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return compare_names(context, x, y);
}

static int list(struct recurring *r, const struct search *s)
{
	for (uint32_t i = 0; i < s->n_groups; i++)
		r->n += s->groups[i].is_listed;
	r->list = calloc(r->n + 1, sizeof(*r->list));
	if (!r->list)
		return -1;
	r->n = 0;
	for (uint32_t i = 0; i < s->n_groups; i++) {
		const struct group *g = &s->groups[i];

		if (g->is_listed)
			r->list[r->n++] = (struct recurring_sequence){
				.node = s->nodes.order[g->place],
				.length = g->length,
				.callers = g->callers,
				.weight = g->weight,
				.hits = g->hits,
			};
	}
	/* The comparison only reads; qsort_r has no const context. */
	qsort_r(r->list, r->n, sizeof(*r->list), compare, (void *)(uintptr_t)r->tree);
	return 0;
}

struct recurring *recurring_find(const struct tree *t, uint64_t longest, struct error *err)
{
	struct search s = {.tree = t, .longest = longest};
	struct recurring *r = calloc(1, sizeof(*r));
	int status = r ? 0 : -1;

	if (r)
		r->tree = t;
	/* One name more, to see the callers of the longest ones. */
	if (!status)
		status = upward_order_begin(&s.nodes, t, longest ? longest + 1 : 0, err);
	if (!status)
		status = search(&s) || list(r, &s) ? -1 : 0;
	upward_order_free(&s.nodes);
	range_least_free(&s.least);
	free(s.groups);
	free(s.inner);
	free(s.of_place);
	if (!status)
		return r;
	recurring_free(r);
	error_memory(err);
	return NULL;
}

void recurring_free(struct recurring *r)
{
	if (r)
		free(r->list);
	free(r);
}

void recurring_names(const struct recurring *r, const struct recurring_sequence *s, uint32_t *names)
{
	uint32_t node = s->node;

	for (uint32_t i = s->length; i-- > 0; node = r->tree->nodes[node].parent)
		names[i] = r->tree->nodes[node].name;
}
