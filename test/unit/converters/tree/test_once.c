/* SPDX-License-Identifier: MIT */
/* test_once.c - each stack counts once: functions and arcs of random stacks, each stack by itself. */
#include "folded_text.h"
#include "graph/graph.h"
#include "random_stacks.h"

enum { NAMES = (int)RANDOM_NAMES };

/* What Naganov's definitions give, by the names' places in random_names. */
struct naive {
	uint64_t total, self[NAMES], totals[NAMES];
	uint64_t weight[NAMES][NAMES], stacks[NAMES][NAMES];
	unsigned __int128 occurrences[NAMES][NAMES];
};

static int place_of(const char *name)
{
	int i = 0;

	while (strcmp(random_names[i], name) != 0)
		i++;
	return i;
}

static void count_stack(struct naive *all, const int *stack, int depth, uint64_t weight)
{
	bool seen[NAMES] = {false}, has_arc[NAMES][NAMES] = {{false}};
	int i;

	all->total += weight;
	all->self[stack[depth - 1]] += weight;
	for (i = 0; i < depth; i++) {
		int f = stack[i], caller = i ? stack[i - 1] : -1;

		if (!seen[f])
			all->totals[f] += weight;
		seen[f] = true;
		if (caller < 0)
			continue;
		all->occurrences[caller][f] += weight;
		if (has_arc[caller][f])
			continue;
		has_arc[caller][f] = true;
		all->stacks[caller][f] += weight;
		all->weight[caller][f] += caller == f ? 0 : weight;
	}
}

static void count_stacks(struct naive *all, const char *folded)
{
	char *text = strdup(folded), *line, *rest, *count, *name, *rest_of_line;
	int stack[64], depth;

	*all = (struct naive){0};
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		count = strrchr(line, ' ');
		*count = '\0';
		depth = 0;
		for (name = strtok_r(line, ";", &rest_of_line); name;
		     name = strtok_r(NULL, ";", &rest_of_line))
			stack[depth++] = place_of(name);
		count_stack(all, stack, depth, strtoull(count + 1, NULL, 10));
	}
	free(text);
}

static void check_functions(const struct tree *t, const struct naive *all)
{
	struct error err;
	size_t i, n;
	struct tree_function *functions = tree_functions(t, &n, &err);
	uint64_t self = 0;

	cr_assert(functions);
	cr_assert_eq(t->total, all->total);
	for (i = 0; i < n; i++) {
		int place = place_of(name_of(t, functions[i].name));

		cr_assert_eq(functions[i].self, all->self[place]);
		cr_assert_eq(functions[i].total, all->totals[place]);
		cr_assert_leq(functions[i].total, t->total);
		if (functions[i].self)
			cr_assert(functions[i].is_innermost);
		self += functions[i].self;
	}
	cr_assert_eq(self, t->total);
	free(functions);
}

/* A function's total is the sum over its nodes that have no equally named ancestor; a node's total is
 * its self and its children's totals. */
static void check_tree(const struct tree *t, const struct naive *all)
{
	uint64_t totals[NAMES] = {0}, below;
	uint32_t i, k;

	for (i = 1; i < t->n_nodes; i++) {
		for (k = t->nodes[i].parent; k != 0 && t->nodes[k].name != t->nodes[i].name;)
			k = t->nodes[k].parent;
		if (k == 0)
			totals[place_of(name_of(t, t->nodes[i].name))] += t->nodes[i].total;
		below = t->nodes[i].self;
		for (k = i + 1; k < t->nodes[i].end; k = t->nodes[k].end)
			below += t->nodes[k].total;
		cr_assert_eq(below, t->nodes[i].total);
	}
	cr_assert_arr_eq(totals, all->totals, sizeof(totals));
}

static void check_arcs(const struct tree *t, const struct naive *all)
{
	struct error err;
	struct graph *g = graph_build(t, &err);
	size_t i;

	cr_assert(g, "%s", err.text);
	for (i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *arc = &g->arcs[i];
		int caller = place_of(name_of(t, g->functions[arc->caller].name));
		int callee = place_of(name_of(t, g->functions[arc->callee].name));

		cr_assert_eq(arc->weight, all->weight[caller][callee]);
		cr_assert_eq(arc->stacks, all->stacks[caller][callee]);
		cr_assert(arc->occurrences == all->occurrences[caller][callee]);
		cr_assert_leq(arc->weight, g->functions[arc->caller].total);
		cr_assert_leq(arc->weight, g->functions[arc->callee].total);
	}
	graph_free(g);
}

static void check_random(int depth, int n_names, bool huge)
{
	char *folded = random_stacks(50, depth, n_names, huge);
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct naive all;

	count_stacks(&all, folded);
	check_functions(t, &all);
	check_tree(t, &all);
	check_arcs(t, &all);
	tree_free(t);
	profile_free(p);
	free(folded);
}

Test(once, each_stack_counts_once)
{
	int round;

	srand(11);
	for (round = 0; round < 400; round++)
		check_random(1 + rand() % 30, 1 + round % NAMES, rand() % 2);
}
