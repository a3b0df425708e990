/* SPDX-License-Identifier: MIT */
/* test_bottomup.c - the bottom-up tree, against the top-down tree of the reversed stacks. */
#include "folded_text.h"
#include "random_stacks.h"
#include "tree/bottomup.h"

/* The walk that walk_of returns next; NULL: that of all stacks. */
static struct bottomup *rooted;

static struct bottomup *walk_of(const struct tree *t)
{
	struct error err;
	struct bottomup *b = rooted ? rooted : bottomup_new(t, NULL, 0, &err);

	rooted = NULL;
	cr_assert(b, "%s", err.text);
	return b;
}

/* The nodes as text, "DEPTH WEIGHT OUTERMOST NAME" a line; what is below `skipped` is left out. */
static char *text_of(const struct tree *t, const char *skipped)
{
	struct bottomup *b = walk_of(t);
	struct bottomup_node node;
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	while (bottomup_next(b, &node)) {
		const char *name = name_of(t, node.name);

		fprintf(f, "%u %llu %llu %s\n", node.depth, (unsigned long long)node.weight,
			(unsigned long long)node.outermost, name);
		if (skipped && strcmp(name, skipped) == 0)
			bottomup_skip(b);
	}
	cr_assert_not(bottomup_next(b, &node), "it stays at its end");
	fclose(f);
	bottomup_free(b);
	return text;
}

static void walk_is(const char *folded, const char *skipped, const char *want)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	char *text = text_of(t, skipped);

	cr_assert_str_eq(text, want);
	free(text);
	tree_free(t);
	profile_free(p);
}

Test(bottomup, callers_by_weight_then_name)
{
	walk_is("main;a;x 1\nmain;b;x 3\nc;x 1\nx 2\n", NULL,
		"0 7 2 x\n1 3 0 b\n2 3 3 main\n1 1 0 a\n2 1 1 main\n1 1 1 c\n");
	walk_is("r;r;r 1\nr 2\n", NULL, "0 3 2 r\n1 1 0 r\n2 1 1 r\n");
}

Test(bottomup, branches_can_be_skipped)
{
	walk_is("main;a;x 1\nmain;b;x 3\nc;a 1\n", "b",
		"0 4 0 x\n1 3 0 b\n1 1 0 a\n2 1 1 main\n"
		"0 1 0 a\n1 1 1 c\n");
	walk_is("main;a;x 1\nmain;b;x 3\nc;a 1\n", "x", "0 4 0 x\n0 1 0 a\n1 1 1 c\n");
	walk_is("main;a 1\n", "main", "0 1 0 a\n1 1 1 main\n");
}

/* As in the paper of process_db: the stack was seen, without samples. */
Test(bottomup, stacks_without_weight)
{
	walk_is("m;p;q 0\nm;q 5\nm 0\n", NULL, "0 5 0 q\n1 5 5 m\n1 0 0 p\n2 0 0 m\n");
}

Test(bottomup, of_nothing)
{
	struct profile_node root = {0};
	struct profile p = {.strings = strings_new(), .nodes = &root, .n_nodes = 1};
	struct tree *t = tree_of(&p);
	char *text = text_of(t, NULL);

	cr_assert_str_eq(text, "");
	free(text);
	tree_free(t);
	strings_free(p.strings);
}

/* Those with a count, turned around. */
static char *reversed(const char *folded, bool turn)
{
	char *copy = strdup(folded), *text, *line, *rest, *frames[64], *rest_of_line;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *count = strrchr(line, ' ');
		int depth = 0, i;

		if (strcmp(count, " 0") == 0)
			continue;
		*count = '\0';
		for (frames[0] = strtok_r(line, ";", &rest_of_line); frames[depth];
		     frames[depth] = strtok_r(NULL, ";", &rest_of_line))
			depth++;
		for (i = 0; i < depth; i++)
			fprintf(f, "%s%s", i ? ";" : "", frames[turn ? depth - 1 - i : i]);
		fprintf(f, " %s\n", count + 1);
	}
	fclose(f);
	free(copy);
	return text;
}

static void check_random(int depth, int n_names)
{
	char *folded = random_stacks(60, depth, n_names, rand() % 2);
	char *there = reversed(folded, false), *back = reversed(folded, true), *text, *want;
	struct profile *p = profile_of(there), *q = profile_of(back);
	struct tree *t = tree_of(p), *u = tree_of(q);
	size_t i, n;
	FILE *f = open_memstream(&want, &n);

	for (i = 1; i < u->n_nodes; i++)
		fprintf(f, "%u %llu %llu %s\n", u->nodes[i].depth,
			(unsigned long long)u->nodes[i].total, (unsigned long long)u->nodes[i].self,
			name_of(u, u->nodes[i].name));
	fclose(f);
	text = text_of(t, NULL);
	cr_assert_str_eq(text, want);
	free(text);
	free(want);
	tree_free(t);
	tree_free(u);
	profile_free(p);
	profile_free(q);
	free(there);
	free(back);
	free(folded);
}

Test(bottomup, is_the_tree_of_reversed_stacks)
{
	int round;

	srand(7);
	for (round = 0; round < 300; round++)
		check_random(1 + rand() % 20, 1 + round % (int)RANDOM_NAMES);
}

/* The sums that the article names. */
Test(bottomup, sums)
{
	int round;

	srand(8);
	for (round = 0; round < 100; round++) {
		char *folded = random_stacks(60, 12, 1 + round % (int)RANDOM_NAMES, true);
		struct profile *p = profile_of(folded);
		struct tree *t = tree_of(p);
		struct bottomup *b = walk_of(t);
		struct bottomup_node node;
		struct error err;
		size_t i, n;
		struct tree_function *functions = tree_functions(t, &n, &err);
		uint64_t outermost = 0, top = 0;

		while (bottomup_next(b, &node)) {
			outermost += node.outermost;
			top += node.depth == 0 ? node.weight : 0;
			for (i = 0; node.depth == 0 && i < n; i++)
				if (functions[i].name == node.name)
					cr_assert_eq(functions[i].self, node.weight);
		}
		cr_assert_eq(outermost, t->total);
		cr_assert_eq(top, t->total);
		free(functions);
		bottomup_free(b);
		tree_free(t);
		profile_free(p);
		free(folded);
	}
}

/* Many deep stacks that differ at their outer end only, and at their inner end: the tree of the
 * first has as many nodes as there are frames, and takes no memory for them. */
Test(bottomup, deep_stacks, .timeout = 30)
{
	enum { STACKS = 200, FRAMES = 2000 };
	char *folded, *text;
	size_t n, lines = 0, i;
	FILE *f = open_memstream(&folded, &n);
	struct profile *p;
	struct tree *t;

	for (i = 0; i < STACKS; i++) {
		fprintf(f, "top%zu", i);
		for (n = 0; n < FRAMES; n++)
			fputs(";f", f);
		fprintf(f, ";leaf%zu 1\n", i % 2);
	}
	fclose(f);
	p = profile_of(folded);
	t = tree_of(p);
	text = text_of(t, NULL);
	for (i = 0; text[i]; i++)
		lines += text[i] == '\n';
	cr_assert_eq(lines, 2 * (1 + FRAMES) + STACKS);
	free(text);
	free(folded);
	tree_free(t);
	profile_free(p);
}

/* ---- root functions -------------------------------------------------------------------------- */

/* The stacks cut off below their innermost "a"; those without it are left out. */
static char *cut_below_a(const char *folded)
{
	char *copy = strdup(folded), *text, *line, *rest;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *count = strrchr(line, ' '), *end = count;

		while (end > line &&
		       !(end - line >= 1 && end[-1] == 'a' && (*end == ';' || end == count) &&
			 (end - 1 == line || end[-2] == ';')))
			end--;
		if (end > line)
			fprintf(f, "%.*s%s\n", (int)(end - line), line, count);
	}
	fclose(f);
	free(copy);
	return text;
}

/* Seen to fail: with the self of the root functions alone; with all of what is below them, also what
 * another one has; with a root function all of whose stacks go on to another one. */
Test(bottomup, with_a_root_it_is_the_tree_of_stacks_that_end_there)
{
	srand(11);
	for (int i = 0; i < 300; i++) {
		char *folded = random_stacks(40, 2 + i % 20, 2 + i % 5, i % 2),
		     *cut = cut_below_a(folded);
		struct profile *p = profile_of(folded), *q = profile_of(*cut ? cut : "x 1\n");
		struct tree *t = tree_of(p), *u = tree_of(q);
		uint32_t root = number_of(t, "a");
		char *want = *cut ? text_of(u, NULL) : strdup(""), *text;
		struct error err;

		rooted = bottomup_new(t, &root, 1, &err);
		cr_assert(rooted, "%s", err.text);
		text = text_of(t, NULL);
		cr_assert_str_eq(text, want);
		free(text);
		free(want);
		tree_free(t);
		tree_free(u);
		profile_free(p);
		profile_free(q);
		free(folded);
		free(cut);
	}
}
