/* SPDX-License-Identifier: MIT */
/* test_subtree.c - the tree below root functions is that of the stacks cut off there. */
#include <stdlib.h>
#include <time.h>

#include "folded_text.h"
#include "random_stacks.h"
#include "tree/bottomup.h"

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
