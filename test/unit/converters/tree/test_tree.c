/* SPDX-License-Identifier: MIT */
/* test_tree.c - the tree of functions: sums, each stack once, below roots, with inlined calls. */
#include <stdlib.h>
#include <time.h>

#include "folded_text.h"
#include "graph/graph.h"
#include "random_stacks.h"
#include "tree/bottomup.h"

/* ---- tree ------------------------------------------------------------------------------------ */
/* The tree of functions, and sums by function. */

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

/* ---- origins --------------------------------------------------------------------------------- */
/* Whose a function is, and the selfs of the program's functions. */

static void is_library(const char *name, bool want)
{
	cr_assert_eq(tree_origin_is_library(name, strlen(name)), want, "%s", name);
}

/* Seen to fail: with a name that is looked at from its first byte on, "void std::sort" was the program's. */
Test(origins, libraries_that_are_in_programs)
{
	is_library("std::vector<int>::push_back(int&&)", true);
	is_library("void std::__sort<int*>(int*, int*)", true);
	is_library("operator new(unsigned long)", true);
	is_library("__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)", true);
	is_library("_ZNSt6vectorIiSaIiEE9push_backEOi", true);
	is_library("cpsample_call_count", true);
	is_library("alloc::raw_vec::finish_grow", true);
	is_library("<alloc::vec::Vec<T,A> as core::clone::Clone>::clone", true);
	is_library("alloc::mine(int)", false);
	is_library("sort(std::vector<int>&)", false);
	is_library("std::vector<int> make<std::string>(int)", false);
	is_library("(anonymous namespace)::f(std::string)", false);
	is_library("my::operator new_thing(int)", false);
	is_library("stdx::f()", false);
	is_library("main", false);
}

static uint64_t self_of(const struct tree *t, const struct tree_function *f, size_t n,
			const char *name)
{
	return find(t, f, n, name)->self;
}

/* The innermost function of the program has what libraries below it have; totals are as they were. Seen to fail: with
 * selfs of the nodes themselves, libc_malloc had all. */
Test(origins, selfs_of_the_program)
{
	struct profile *p = profile_of("prog_main;std::sort;prog_compare 3\n"
				       "prog_main;std::push;libc_malloc 5\n"
				       "prog_main;libmine_f;libc_malloc 7\n"
				       "prog_main;libc_qsort;prog_less;libc_strcmp 11\n"
				       "libc_clone;libc_malloc 13\n"
				       "prog_main 17\n");
	struct tree_function *f, *leaf;
	struct tree *t;
	struct error err;
	uint64_t sum = 0;
	size_t n, i;

	put_into_module(p, "prog_", "/home/me/prog", true);
	put_into_module(p, "std::", "/home/me/prog", true);
	put_into_module(p, "libmine_", "/home/me/libmine.so", false);
	put_into_module(p, "libc_", "/usr/lib/x86_64-linux-gnu/libc.so.6", false);
	t = tree_of(p);
	f = tree_functions_of_program(t, &n, &err);
	leaf = tree_functions(t, &n, &err);
	cr_assert_eq(self_of(t, f, n, "prog_compare"), 3);
	cr_assert_eq(self_of(t, f, n, "prog_main"), 5 + 17);
	cr_assert_eq(self_of(t, f, n, "libmine_f"), 7);
	cr_assert_eq(self_of(t, f, n, "prog_less"), 11);
	cr_assert_eq(self_of(t, f, n, "libc_malloc"), 13, "there is none of the program");
	cr_assert_eq(self_of(t, leaf, n, "libc_malloc"), 5 + 7 + 13);
	cr_assert_not(find(t, f, n, "libc_strcmp")->is_innermost);
	for (i = 0; i < n; i++) {
		sum += f[i].self;
		cr_assert_eq(f[i].total, leaf[i].total);
		cr_assert_leq(f[i].self, f[i].total);
	}
	cr_assert_eq(sum, t->total);
	free(f);
	free(leaf);
	tree_free(t);
	profile_free(p);
}

/* A function of two builds of a program has the module that people see; one of a program and a library has none. Seen to
 * fail: in the page of a comparison only functions of one side had a module. */
Test(origins, modules_of_one_name)
{
	struct profile *p = profile_of("a;b 3\nc;d 5\n");
	const struct symbols_options options = {.names = SYMBOLS_FULL};
	uint32_t f = strings_add(p->strings, "f", 1), g = strings_add(p->strings, "g", 1);
	struct symbols *symbols;
	struct tree *t;
	struct error err;

	put_into_module(p, "a", "/old/prog", true);
	put_into_module(p, "c", "/new/prog", true);
	put_into_module(p, "b", "/old/prog", true);
	put_into_module(p, "d", "/lib/mine.so", false);
	for (size_t i = 0; i < p->n_frames; i++)
		if (p->frames[i].name != STRINGS_NONE && p->frames[i].module != PROFILE_NO_MODULE)
			p->frames[i].name = p->frames[i].module < 2 ? f : g;
	symbols = symbols_new(p, &options, &err);
	cr_assert(symbols);
	t = tree_build(p, symbols, &(struct tree_options){0}, &err);
	cr_assert(t);
	cr_assert_gt(t->n_modules, f);
	cr_assert_gt(t->n_modules, g);
	cr_assert_eq(t->modules[f], 1);
	cr_assert_eq(t->modules[g], TREE_SEVERAL_MODULES);
	tree_free(t);
	symbols_free(symbols);
	profile_free(p);
}

/* A command of the system has what it does itself, but no function of its own below a function that is interpreted, or of a
 * library of the user's. Seen to fail: with the nearest function of any executable, python_eval had all; while a module of the
 * interpreter counted as the user's, hash_update had what g has. */
Test(origins, commands_of_the_system)
{
	struct profile *p = profile_of("python_main;f (app.py);python_eval;libc_malloc 3\n"
				       "python_main;libc_malloc 5\n"
				       "python_main;numpy_add;python_new;libc_malloc 7\n"
				       "python_main;g (app.py);hash_update 11\n");
	struct tree_function *f;
	struct tree *t;
	struct error err;
	size_t n;

	put_into_module(p, "python_", "/home/me/.pyenv/bin/python3.11", true);
	put_into_module(p, "numpy_", "/home/me/numpy.so", false);
	put_into_module(p, "hash_", "/home/me/.pyenv/lib/python3.11/lib-dynload/_hashlib.so",
			false);
	put_into_module(p, "libc_", "/lib/x86_64-linux-gnu/libc.so.6", false);
	t = tree_of(p);
	f = tree_functions_of_program(t, &n, &err);
	cr_assert_eq(self_of(t, f, n, "f (app.py)"), 3);
	cr_assert_eq(self_of(t, f, n, "g (app.py)"), 11);
	cr_assert_eq(self_of(t, f, n, "python_main"), 5);
	cr_assert_eq(self_of(t, f, n, "numpy_add"), 7);
	free(f);
	tree_free(t);
	profile_free(p);
}

/* ---- once ------------------------------------------------------------------------------------ */
/* Each stack counts once: functions and arcs of random stacks, each stack by itself. */

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

/* ---- subtree --------------------------------------------------------------------------------- */
/* The tree below root functions is that of the stacks cut off there. */

/* Where the first frame of that name begins in a stack; NULL: it has none. */
static const char *find_frame(const char *stack, const char *name)
{
	size_t n = strlen(name);
	const char *at;

	for (at = stack; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL)
		if (!strncmp(at, name, n) && (at[n] == ';' || at[n] == '\0'))
			return at;
	return NULL;
}

/* The lines with what is outside of the outermost a or b cut off; those without any are empty. */
static char *cut(const char *text, const char *a, const char *b)
{
	char *copy = strdup(text), *result = NULL, *line, *rest;
	size_t size;
	FILE *f = open_memstream(&result, &size);

	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *space = strrchr(line, ' ');
		const char *at, *other;

		*space = '\0';
		at = find_frame(line, a);
		other = find_frame(line, b);
		if (!at || (other && other < at))
			at = other;
		if (at)
			fprintf(f, "%s %s\n", at, space + 1);
	}
	fclose(f);
	free(copy);
	return result;
}

static void is_same(const struct tree *x, const struct tree *y)
{
	size_t i;

	cr_assert_eq(x->n_nodes, y->n_nodes);
	for (i = 0; i < x->n_nodes; i++) {
		const struct tree_node *a = &x->nodes[i], *b = &y->nodes[i];

		cr_assert_eq(a->parent, b->parent);
		cr_assert_eq(a->end, b->end);
		cr_assert_eq(a->depth, b->depth);
		cr_assert_eq(a->self, b->self);
		cr_assert_eq(a->total, b->total);
		cr_assert_eq(a->self_hits, b->self_hits);
		cr_assert_eq(a->hits, b->hits);
		if (i > 0)
			cr_assert_str_eq(name_of(x, a->name), name_of(y, b->name));
	}
}

static void check(const char *text, const char *a, const char *b)
{
	struct profile *p = profile_of(text), *q;
	struct tree *t = tree_of(p), *below, *want;
	uint32_t roots[2] = {number_of(t, a), number_of(t, b)};
	char *rest = cut(text, a, b);
	struct error err;

	if (*rest && roots[0] != STRINGS_NONE && roots[1] != STRINGS_NONE) {
		q = profile_of(rest);
		want = tree_of(q);
		below = subtree_build(t, roots, 2, &err);
		cr_assert(below, "%s", err.text);
		is_same(below, want);
		cr_assert_eq(below->total, t->total, "100 %% stay those of all");
		tree_free(below);
		tree_free(want);
		profile_free(q);
	}
	tree_free(t);
	profile_free(p);
	free(rest);
}

Test(subtree, is_the_tree_of_stacks_cut_at_the_outermost_root)
{
	unsigned seed = (unsigned)time(NULL);
	int i;

	srand(seed);
	for (i = 0; i < 200; i++) {
		int n_names = 2 + i % 8;
		char *text = random_stacks(2 + i % 40, 12, n_names, i % 9 == 0);

		cr_log_info("seed %u, round %d", seed, i);
		check(text, random_names[rand() % n_names], random_names[rand() % n_names]);
		free(text);
	}
}

Test(subtree, of_a_root_that_is_everywhere_is_the_whole)
{
	struct profile *p = profile_of("main;a;b 3\nmain;c 2\nmain 1\n");
	struct tree *t = tree_of(p), *below;
	uint32_t root = number_of(t, "main");
	struct error err;

	below = subtree_build(t, &root, 1, &err);
	cr_assert(below);
	is_same(below, t);
	tree_free(below);
	tree_free(t);
	profile_free(p);
}

/* ---- inlined --------------------------------------------------------------------------------- */
/* What is made of several frames is inlined if all of these frames are. */

enum { DEPTH = 10, KEYS = 1 << 14, KEY_BYTES = 32 * DEPTH };

/* By key, a text of names: whether all frames are inlined that were noted for it. */
struct notes {
	struct strings *keys;
	bool all[KEYS];
};

static void note(struct notes *n, const char *key, bool is_inline)
{
	size_t before = strings_count(n->keys);
	uint32_t number = strings_add(n->keys, key, strlen(key));

	cr_assert_lt(number, KEYS);
	n->all[number] = (number == before || n->all[number]) && is_inline;
}

static bool is_noted(const struct notes *n, const char *key)
{
	uint32_t number = strings_find(n->keys, key, strlen(key));

	cr_assert_neq(number, STRINGS_NONE, "%s", key);
	return n->all[number];
}

/* A tree of random stacks, some of whose frames are inlined. */
static struct tree *random_tree(struct profile **p)
{
	char *folded = random_stacks(40, DEPTH, 1 + rand() % 5, false);
	struct tree *t;
	size_t i;

	*p = profile_of(folded);
	t = tree_of(*p);
	t->inlined = calloc(t->n_nodes, sizeof(*t->inlined));
	for (i = 1; i < t->n_nodes; i++)
		t->inlined[i] = rand() % 4 != 0;
	free(folded);
	return t;
}

/* ---- functions, bottom-up tree, subtree ---- */

static void inlined_check_functions(const struct tree *t, struct notes *notes)
{
	struct error err;
	size_t i, n;
	struct tree_function *functions = tree_functions(t, &n, &err);

	for (i = 1; i < t->n_nodes; i++)
		note(notes, name_of(t, t->nodes[i].name), t->inlined[i]);
	cr_assert_eq(n, strings_count(notes->keys));
	for (i = 0; i < n; i++)
		cr_assert_eq(functions[i].is_inline,
			     is_noted(notes, name_of(t, functions[i].name)));
	free(functions);
}

/* All frames of a stack, each known by the names from the innermost one out to it. */
static void note_outwards(struct notes *notes, const struct tree *t, uint32_t node)
{
	char key[KEY_BYTES] = "";

	for (; node; node = t->nodes[node].parent) {
		strcat(strcat(key, name_of(t, t->nodes[node].name)), "\n");
		note(notes, key, t->inlined[node]);
	}
}

static void check_bottomup(const struct tree *t, struct notes *notes)
{
	struct error err;
	struct bottomup *b = bottomup_new(t, NULL, 0, &err);
	struct bottomup_node node;
	size_t ends[DEPTH + 1] = {0}, n = 0;
	char key[KEY_BYTES];
	uint32_t i;

	for (i = 1; i < t->n_nodes; i++)
		if (t->nodes[i].self || t->nodes[i].self_hits || t->nodes[i].end == i + 1)
			note_outwards(notes, t, i);
	for (; bottomup_next(b, &node); n++) {
		ends[node.depth + 1] =
			ends[node.depth] +
			(size_t)sprintf(key + ends[node.depth], "%s\n", name_of(t, node.name));
		cr_assert_eq(node.is_inline, is_noted(notes, key), "%s", key);
	}
	cr_assert_eq(n, strings_count(notes->keys));
	bottomup_free(b);
}

/* The names from the outermost frame of this name in to the node; false: there is none. */
static bool key_below(char *key, const struct tree *t, uint32_t node, const char *root)
{
	uint32_t stack[DEPTH], n = 0;

	for (; node; node = t->nodes[node].parent)
		stack[n++] = t->nodes[node].name;
	while (n > 0 && strcmp(name_of(t, stack[n - 1]), root) != 0)
		n--;
	for (*key = '\0'; n > 0; n--)
		strcat(strcat(key, name_of(t, stack[n - 1])), "\n");
	return *key;
}

static void check_subtree(const struct tree *t, struct notes *notes)
{
	uint32_t i, root = t->nodes[1 + (uint32_t)rand() % (t->n_nodes - 1)].name;
	struct error err;
	struct tree *below = subtree_build(t, &root, 1, &err);
	char key[KEY_BYTES];

	for (i = 1; i < t->n_nodes; i++)
		if (key_below(key, t, i, name_of(t, root)))
			note(notes, key, t->inlined[i]);
	cr_assert_eq(below->n_nodes - 1, strings_count(notes->keys));
	for (i = 1; i < below->n_nodes; i++) {
		cr_assert(key_below(key, below, i, name_of(t, root)));
		cr_assert_eq(tree_is_inline(below, i), is_noted(notes, key), "%s", key);
	}
	tree_free(below);
}

static void check_all(void (*check_one)(const struct tree *, struct notes *))
{
	int round;

	srand(21);
	for (round = 0; round < 100; round++) {
		struct notes *notes = calloc(1, sizeof(*notes));
		struct profile *p;
		struct tree *t = random_tree(&p);

		notes->keys = strings_new();
		check_one(t, notes);
		strings_free(notes->keys);
		free(notes);
		tree_free(t);
		profile_free(p);
	}
}

Test(inlined, functions)
{
	check_all(inlined_check_functions);
}

Test(inlined, bottom_up)
{
	check_all(check_bottomup);
}

Test(inlined, below_a_root)
{
	check_all(check_subtree);
}
