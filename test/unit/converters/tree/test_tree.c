/* SPDX-License-Identifier: MIT */
/* test_tree.c - the tree of functions, and sums by function. */
#include <stdlib.h>

#include "folded_text.h"

static void check_ranges(const struct tree *t)
{
	uint32_t i, child;

	cr_assert_eq(t->nodes[0].end, t->n_nodes);
	cr_assert_eq(t->nodes[0].depth, UINT32_MAX);
	cr_assert_eq(t->nodes[0].total, t->total);
	for (i = 0; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		uint64_t total = n->self, hits = n->self_hits;

		for (child = i + 1; child < n->end; child = t->nodes[child].end) {
			const struct tree_node *c = &t->nodes[child];

			cr_assert_eq(c->parent, i);
			cr_assert_eq(c->depth, n->depth + 1);
			total += c->total;
			hits += c->hits;
			if (c->end < n->end) {
				const struct tree_node *next = &t->nodes[c->end];

				cr_assert(c->total > next->total ||
					  (c->total == next->total &&
					   strings_compare(t->strings, c->name, next->name) < 0));
			}
		}
		cr_assert_eq(child, n->end);
		cr_assert_eq(n->total, total, "total = self + children");
		cr_assert_eq(n->hits, hits);
	}
}

/* One line of the tree: depth, total, self, name. */
static void line_is(const struct tree *t, uint32_t i, uint32_t depth, uint64_t total, uint64_t self,
		    const char *name)
{
	cr_assert_lt(i, t->n_nodes);
	cr_assert_eq(t->nodes[i].depth, depth, "node %u", i);
	cr_assert_eq(t->nodes[i].total, total, "node %u", i);
	cr_assert_eq(t->nodes[i].self, self, "node %u", i);
	cr_assert_str_eq(name_of(t, t->nodes[i].name), name);
}

Test(tree, siblings_by_total_then_name)
{
	struct profile *p = profile_of("m;b 3\nm;a 3\nm;c 1\nm;c;d 9\nm 2\nz 18\nm;a;e 0\n");
	struct tree *t = tree_of(p);

	check_ranges(t);
	cr_assert_eq(t->n_nodes, 8);
	line_is(t, 1, 0, 18, 2, "m");
	line_is(t, 2, 1, 10, 1, "c");
	line_is(t, 3, 2, 9, 9, "d");
	line_is(t, 4, 1, 3, 3, "a");
	line_is(t, 5, 2, 0, 0, "e");
	line_is(t, 6, 1, 3, 3, "b");
	line_is(t, 7, 0, 18, 18, "z");
	cr_assert_eq(tree_height(t), 3);
	tree_free(t);
	profile_free(p);
}

Test(tree, no_samples)
{
	struct profile p = {.strings = strings_new()};
	struct profile_node root = {0};
	struct tree *t;
	struct tree_function *f;
	struct error err;
	size_t n;

	p.nodes = &root;
	p.n_nodes = 1;
	t = tree_of(&p);
	cr_assert_eq(t->n_nodes, 1);
	cr_assert_eq(t->total, 0);
	cr_assert_eq(tree_height(t), 0);
	f = tree_functions(t, &n, &err);
	cr_assert(f);
	cr_assert_eq(n, 0);
	free(f);
	tree_free(t);
	strings_free(p.strings);
}

/* Two addresses of one function are one node, under each caller for itself. */
Test(tree, addresses_fold_into_functions)
{
	struct strings *s = strings_new();
	uint32_t f = strings_add(s, "f", 1), g = strings_add(s, "g", 1);
	struct profile_frame frames[] = {
		{PROFILE_NO_MODULE, f, 1},
		{PROFILE_NO_MODULE, f, 2},
		{PROFILE_NO_MODULE, g, 3},
		{PROFILE_NO_MODULE, STRINGS_NONE, CPS_CUT_ADDRESS},
	};
	struct profile_node nodes[] = {
		{0, 0, 0, 0},  {0, 0, 10, 1}, {0, 1, 20, 2}, {1, 2, 30, 3},
		{2, 2, 40, 4}, {4, 3, 50, 5}, {5, 0, 60, 6},
	};
	struct profile p = {
		.strings = s, .frames = frames, .n_frames = 4, .nodes = nodes, .n_nodes = 7};
	struct error err;
	struct tree *t = tree_of(&p),
		    *hits = tree_build(&p, NULL, &(struct tree_options){.unit = TREE_HITS}, &err);

	check_ranges(t);
	cr_assert_eq(t->n_nodes, 5);
	line_is(t, 1, 0, 210, 30, "f");
	line_is(t, 2, 1, 180, 70, "g");
	line_is(t, 3, 2, 110, 50, PROFILE_CUT);
	line_is(t, 4, 3, 60, 60, "f");
	cr_assert_eq(t->nodes[1].hits, 21);
	cr_assert_eq(t->nodes[2].self_hits, 7);
	check_ranges(hits);
	line_is(hits, 1, 0, 21, 3, "f");
	tree_free(hits);
	tree_free(t);
	strings_free(s);
}

Test(tree, sums_that_do_not_fit_are_an_error)
{
	struct strings *s = strings_new();
	uint32_t f = strings_add(s, "f", 1), g = strings_add(s, "g", 1);
	struct profile_frame frames[] = {{PROFILE_NO_MODULE, f, 0}, {PROFILE_NO_MODULE, g, 0}};
	struct profile_node nodes[] = {{0, 0, 0, 0}, {0, 0, UINT64_MAX, 1}, {1, 1, 1, 1}};
	struct profile p = {
		.strings = s, .frames = frames, .n_frames = 2, .nodes = nodes, .n_nodes = 3};
	struct error err;

	cr_assert_null(tree_build(&p, NULL, &(struct tree_options){0}, &err));
	cr_assert(strstr(err.text, "64 bits"), "%s", err.text);
	strings_free(s);
}

/* A stack as deep as the format allows, of one function and of as many as there are frames. */
Test(tree, deepest_stacks)
{
	enum { DEPTH = CPS_DEPTH_MAX };
	struct profile_frame *frames = calloc(DEPTH, sizeof(*frames));
	struct profile_node *nodes = calloc(DEPTH + 1, sizeof(*nodes));
	struct profile p = {.strings = strings_new(), .frames = frames, .nodes = nodes};
	uint32_t i, distinct;
	char name[16];

	for (distinct = 0; distinct < 2; distinct++) {
		struct tree *t;
		struct tree_function *f;
		struct error err;
		size_t n;

		for (i = 0; i < DEPTH; i++) {
			size_t length = (size_t)sprintf(name, "f%u", distinct ? i : 0);

			frames[i] = (struct profile_frame){PROFILE_NO_MODULE,
							   strings_add(p.strings, name, length), i};
			nodes[i + 1] = (struct profile_node){i, i, 1, 1};
		}
		p.n_frames = DEPTH;
		p.n_nodes = DEPTH + 1;
		t = tree_of(&p);
		check_ranges(t);
		cr_assert_eq(t->n_nodes, DEPTH + 1);
		cr_assert_eq(tree_height(t), DEPTH);
		f = tree_functions(t, &n, &err);
		cr_assert_eq(n, distinct ? DEPTH : 1);
		cr_assert_eq(f[0].total, DEPTH, "recursion counts a stack once");
		free(f);
		tree_free(t);
	}
	strings_free(p.strings);
	free(frames);
	free(nodes);
}

static const struct tree_function *find(const struct tree *t, const struct tree_function *f,
					size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n && strcmp(name_of(t, f[i].name), name) != 0; i++)
		;
	cr_assert_lt(i, n, "no function %s", name);
	return &f[i];
}

Test(functions, each_stack_counts_once)
{
	struct profile *p = profile_of("m;a;b;a 4\nm;a;a;a 5\nm;b;a;b 6\na 1\n");
	struct tree *t = tree_of(p);
	struct error err;
	size_t n;
	struct tree_function *f = tree_functions(t, &n, &err);

	cr_assert_eq(n, 3);
	cr_assert_eq(find(t, f, n, "m")->total, 15);
	cr_assert_eq(find(t, f, n, "a")->total, 16);
	cr_assert_eq(find(t, f, n, "a")->self, 10);
	cr_assert_eq(find(t, f, n, "b")->total, 10);
	cr_assert_eq(find(t, f, n, "b")->self, 6);
	free(f);
	tree_free(t);
	profile_free(p);
}
