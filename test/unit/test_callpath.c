/* SPDX-License-Identifier: MIT */
/* test_callpath.c - call path profiles, against the paper and against a fold of each stack by
 * itself. */
#include <stdlib.h>

#include "callpath.h"
#include "folded_text.h"

static struct callpaths *fold(const struct tree *t, const char *root)
{
	struct error err;
	struct callpaths *c = callpath_down(t, number_of(t, root), &err);

	cr_assert(c, "%s", err.text);
	return c;
}

/* The profile as text: "WEIGHT a b c" lines. */
static char *text_of(const struct callpaths *c)
{
	uint32_t names[4096], k;
	char *text;
	size_t i, n;
	FILE *f = open_memstream(&text, &n);

	for (i = 0; i + 1 < c->n_paths; i++) {
		const struct callpath *path = &c->paths[c->order[i]];

		fprintf(f, "%llu", (unsigned long long)path->weight);
		callpath_names(c, c->order[i], names);
		for (k = 0; k < path->length; k++)
			fprintf(f, " %s", name_of(c->tree, names[k]));
		fputc('\n', f);
	}
	fclose(f);
	return text;
}

static void profile_is(const char *folded, const char *root, const char *want)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct callpaths *c = fold(t, root);
	char *text = text_of(c);

	cr_assert_str_eq(text, want);
	free(text);
	callpath_free(c);
	tree_free(t);
	profile_free(p);
}

/* Section 4 prints 2676, 2355, 1820, 303, 303 and 0. */
Test(callpath, the_papers_process_db)
{
	profile_is("main;read_db 18\nmain;uniquify_db 20\nmain;uniquify_db;qsort 1820\n"
		   "main;uniquify_db;rest 515\nmain;print_salary_list;extract_salary_fields 303\n"
		   "main;print_salary_list;qsort 0\n",
		   "main",
		   "2676 main\n2355 main uniquify_db\n1820 main uniquify_db qsort\n"
		   "515 main uniquify_db rest\n303 main print_salary_list\n"
		   "303 main print_salary_list extract_salary_fields\n18 main read_db\n"
		   "0 main print_salary_list qsort\n");
}

/* Recursion: the path notes its last name twice, then is cut back; a stack counts once for a path. */
Test(callpath, recursion)
{
	profile_is("main;f;f;f 5\nmain;f 2\n", "main", "7 main\n7 main f\n5 main f f\n");
	profile_is("main;a;b;a;c 1\n", "main",
		   "1 main\n1 main a\n1 main a b\n1 main a c\n1 main a b a\n");
	profile_is("main;a;b;a;b;a;b 1\n", "a", "1 a\n1 a b\n1 a b a\n");
}

/* The outermost root function takes the whole subtree, a root function below it is recursion. */
Test(callpath, root_below_itself)
{
	profile_is("x;r;y;r;z 3\ny;r;z 4\n", "r", "7 r\n7 r z\n3 r y\n3 r y r\n");
	profile_is("r;r;r 1\n", "r", "1 r\n1 r r\n");
}

Test(callpath, unknown_root)
{
	profile_is("a;b 1\n", "nothing", "");
}

/* Ties: shorter first, then names bytewise, name by name: "a" before "a b", not the line's bytes. */
Test(callpath, order_of_ties)
{
	profile_is("m;b;c 1\nm;a\x01;c 1\nm;a;d 1\n", "m",
		   "3 m\n1 m a\n1 m a\x01\n1 m b\n1 m a d\n1 m a\x01 c\n1 m b c\n");
}

/* ---- the fold of each stack by itself, with strings
 * ------------------------------------------------ */

enum { DEPTH = 24, STACKS = 40, PATHS = 40000 };

struct naive {
	char path[PATHS][2 * DEPTH]; /* "a b c" */
	unsigned long long weight[PATHS];
	int last[PATHS]; /* the stack that was counted last */
	int n;
};

static void note(struct naive *all, const char *state, int length, char g, int stack,
		 unsigned long long weight)
{
	char path[2 * DEPTH];
	int i;

	for (i = 0; i < length; i++) {
		path[2 * i] = state[i];
		path[2 * i + 1] = ' ';
	}
	path[2 * i] = g;
	path[2 * i + 1] = '\0';
	for (i = 0; i < all->n; i++)
		if (strcmp(all->path[i], path) == 0)
			break;
	if (i == all->n) {
		cr_assert_lt(all->n++, PATHS);
		strcpy(all->path[i], path);
		all->weight[i] = 0;
		all->last[i] = -1;
	}
	if (all->last[i] != stack)
		all->weight[i] += weight;
	all->last[i] = stack;
}

static void fold_stack(struct naive *all, const char *stack, char root, int number,
		       unsigned long long weight)
{
	char state[DEPTH + 1];
	const char *g = strchr(stack, root), *at;
	int length = 0;

	for (; g && *g; g++) {
		note(all, state, length, *g, number, weight);
		at = memchr(state, *g, (size_t)length);
		if (at)
			length = (int)(at - state) + 1;
		else
			state[length++] = *g;
	}
}

/* `letters` functions: the fewer, the more recursion. */
static void check_random(struct naive *all, int letters)
{
	char stacks[STACKS][DEPTH + 1], folded[STACKS * (2 * DEPTH + 8)] = "", *end = folded;
	struct profile *p;
	struct tree *t;
	struct callpaths *c;
	char *text, *line, *rest;
	int i, k, n = 0;

	all->n = 0;
	for (i = 0; i < STACKS; i++) {
		int depth = 1 + rand() % DEPTH;

		for (k = 0; k < depth; k++) {
			stacks[i][k] = (char)('a' + rand() % letters);
			end += sprintf(end, "%s%c", k ? ";" : "", stacks[i][k]);
		}
		stacks[i][depth] = '\0';
		end += sprintf(end, " %d\n", i % 5);
		fold_stack(all, stacks[i], 'a', i, (unsigned)i % 5);
	}
	p = profile_of(folded);
	t = tree_of(p);
	c = fold(t, "a");
	text = text_of(c);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), n++) {
		char *path = strchr(line, ' ') + 1;

		for (k = 0; k < all->n && strcmp(all->path[k], path) != 0; k++)
			;
		cr_assert_lt(k, all->n, "only in the profile: %s", path);
		cr_assert_eq(all->weight[k], strtoull(line, NULL, 10), "%s: want %llu in\n%s", line,
			     all->weight[k], folded);
	}
	cr_assert_eq(n, all->n, "%d paths, want %d in\n%s", n, all->n, folded);
	free(text);
	callpath_free(c);
	tree_free(t);
	profile_free(p);
}

Test(callpath, equals_the_fold_of_each_stack)
{
	struct naive *all = malloc(sizeof(*all));
	int round;

	srand(1993);
	for (round = 0; round < 400; round++)
		check_random(all, 1 + round % 8);
	free(all);
}

/* As deep as the format allows, with as many names as frames: each name's path is one node. */
Test(callpath, deepest_stack, .timeout = 20)
{
	enum { FRAMES = CPS_DEPTH_MAX };
	struct profile_frame *frames = calloc(FRAMES, sizeof(*frames));
	struct profile_node *nodes = calloc(FRAMES + 1, sizeof(*nodes));
	struct profile p = {.strings = strings_new(), .frames = frames, .nodes = nodes};
	struct callpaths *c;
	struct tree *t;
	char name[16];
	uint32_t i;

	for (i = 0; i < FRAMES; i++) {
		frames[i] = (struct profile_frame){
			PROFILE_NO_MODULE,
			strings_add(p.strings, name, (size_t)sprintf(name, "f%u", i)), i};
		nodes[i + 1] = (struct profile_node){i, i, 0, 0};
	}
	nodes[FRAMES].self_gticks = 3;
	p.n_frames = FRAMES;
	p.n_nodes = FRAMES + 1;
	t = tree_of(&p);
	c = fold(t, "f0");
	cr_assert_eq(c->n_paths, FRAMES + 1);
	for (i = 0; i < FRAMES; i++) {
		cr_assert_eq(c->paths[c->order[i]].length, i + 1);
		cr_assert_eq(c->paths[c->order[i]].weight, 3);
	}
	callpath_free(c);
	tree_free(t);
	strings_free(p.strings);
	free(frames);
	free(nodes);
}
