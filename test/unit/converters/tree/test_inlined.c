/* SPDX-License-Identifier: MIT */
/* test_inlined.c - what is made of several frames is inlined if all of these frames are. */
#include <stdlib.h>

#include "folded_text.h"
#include "random_stacks.h"
#include "tree/bottomup.h"

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

static void check_functions(const struct tree *t, struct notes *notes)
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

static void check_all(void (*check)(const struct tree *, struct notes *))
{
	int round;

	srand(21);
	for (round = 0; round < 100; round++) {
		struct notes *notes = calloc(1, sizeof(*notes));
		struct profile *p;
		struct tree *t = random_tree(&p);

		notes->keys = strings_new();
		check(t, notes);
		strings_free(notes->keys);
		free(notes);
		tree_free(t);
		profile_free(p);
	}
}

Test(inlined, functions)
{
	check_all(check_functions);
}

Test(inlined, bottom_up)
{
	check_all(check_bottomup);
}

Test(inlined, below_a_root)
{
	check_all(check_subtree);
}
