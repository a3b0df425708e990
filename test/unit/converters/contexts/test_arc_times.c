/* SPDX-License-Identifier: MIT */
/* test_arc_times.c - times of arcs, against the paper's rules applied to each stack by itself. */
#include <inttypes.h>
#include <stdlib.h>

#include "contexts/arc_times.h"
#include "folded_text.h"

static struct arc_times *times_of(const struct tree *t)
{
	struct error err;
	struct arc_times *a = arc_times_build(t, &err);

	cr_assert(a, "%s", err.text);
	return a;
}

static void times_are(const char *folded, const char *want)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct arc_times *a = times_of(t);
	char *text;
	size_t i, n;
	FILE *f = open_memstream(&text, &n);

	for (i = 0; i < a->n; i++)
		fprintf(f, "%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			name_of(t, a->arcs[i].caller), name_of(t, a->arcs[i].callee),
			a->arcs[i].self1, a->arcs[i].child1, a->arcs[i].self2, a->arcs[i].child2);
	fclose(f);
	cr_assert_str_eq(text, want);
	free(text);
	arc_times_free(a);
	tree_free(t);
	profile_free(p);
}

/* "When there is no mutual recursion, the two sets of times will be the same." */
Test(arc_times, without_recursion)
{
	times_are("main 1\nmain;a 2\nmain;a;c 4\nmain;b;c 8\nmain;a;a;c;c 16\n",
		  "a c 20 0 20 0\nb c 8 0 8 0\nmain a 2 20 2 20\nmain b 0 8 0 8\n");
}

/* Main -> ... -> A -> B -> ... -> A -> C -> ... -> D: the time is D's self time, and child time of
 * the arc out of the most recent A, not of A -> B. B still is an active function: the arc into its
 * most recent activation is A -> B. */
Test(arc_times, most_recent_activation)
{
	times_are("Main;A;B;A;C;D 5\n", "A B 0 0 0 5\nA C 0 5 0 5\nB A 0 5 0 5\nC D 5 0 5 0\n"
					"Main A 0 5 0 0\n");
}

/* The test for self time compares names: a function that is called again below itself is running
 * for both of its callers. */
Test(arc_times, self_by_name)
{
	times_are("m;x;f;y;f 3\n", "f y 0 0 0 3\nm x 0 3 0 3\nx f 3 0 0 0\ny f 3 0 3 0\n");
}

Test(arc_times, large_counts)
{
	times_are("a;b;a;b 9223372036854775807\na;b;c 9223372036854775807\n",
		  "a b 9223372036854775807 9223372036854775807 "
		  "9223372036854775807 9223372036854775807\n"
		  "b a 0 0 0 9223372036854775807\n"
		  "b c 9223372036854775807 0 9223372036854775807 0\n");
}

/* ---- each stack by itself -------------------------------------------------------------------------- */

enum { DEPTH = 40, STACKS = 30, LETTERS = 26 };

struct table {
	uint64_t self1[LETTERS][LETTERS], child1[LETTERS][LETTERS];
	uint64_t self2[LETTERS][LETTERS], child2[LETTERS][LETTERS];
	uint64_t self[LETTERS], total[LETTERS];
	uint64_t outermost[LETTERS]; /* samples where that is the function's last occurrence */
};

static void add(uint64_t self[LETTERS][LETTERS], uint64_t child[LETTERS][LETTERS], char from,
		char to, char running, uint64_t samples)
{
	uint64_t(*times)[LETTERS] = to == running ? self : child;

	times[from - 'a'][to - 'a'] += samples;
}

static void charge(struct table *t, const char *stack, uint64_t samples)
{
	char s[DEPTH + 1], running, letter;
	int i, n = 0;

	for (; *stack; stack++)
		if (n == 0 || s[n - 1] != *stack)
			s[n++] = *stack;
	running = s[n - 1];
	t->self[running - 'a'] += samples;
	for (letter = 'a'; letter <= 'z'; letter++) {
		for (i = n - 1; i >= 0 && s[i] != letter; i--)
			;
		if (i < 0)
			continue;
		t->total[letter - 'a'] += samples;
		if (i > 0)
			add(t->self2, t->child2, s[i - 1], letter, running, samples);
		else
			t->outermost[letter - 'a'] += samples;
		if (i < n - 1)
			add(t->self1, t->child1, letter, s[i + 1], running, samples);
	}
}

/* Sums over a function's arcs: those out of it are its child, those into it its total, but for the
 * stacks in which it has no caller. */
static void check_sums(const struct table *t)
{
	int f, g;

	for (f = 0; f < LETTERS; f++) {
		uint64_t out = 0, in = 0;

		for (g = 0; g < LETTERS; g++) {
			out += t->self1[f][g] + t->child1[f][g];
			in += t->self2[g][f] + t->child2[g][f];
		}
		cr_assert_eq(out, t->total[f] - t->self[f]);
		cr_assert_eq(in, t->total[f] - t->outermost[f]);
	}
}

static void check_random(int letters)
{
	char stack[DEPTH + 1], folded[STACKS * (2 * DEPTH + 8)] = "", *end = folded;
	struct table want = {0}, got = {0};
	struct profile *p;
	struct arc_times *a;
	struct tree *t;
	size_t i;
	int k, n, round;

	for (round = 0; round < STACKS; round++) {
		n = 1 + rand() % DEPTH;
		for (k = 0; k < n; k++) {
			stack[k] = (char)('a' + rand() % letters);
			end += sprintf(end, "%s%c", k ? ";" : "", stack[k]);
		}
		stack[n] = '\0';
		end += sprintf(end, " %d\n", round % 5);
		charge(&want, stack, (unsigned)round % 5);
	}
	p = profile_of(folded);
	t = tree_of(p);
	a = times_of(t);
	for (i = 0; i < a->n; i++) {
		int from = *name_of(t, a->arcs[i].caller) - 'a';
		int to = *name_of(t, a->arcs[i].callee) - 'a';

		got.self1[from][to] = a->arcs[i].self1;
		got.child1[from][to] = a->arcs[i].child1;
		got.self2[from][to] = a->arcs[i].self2;
		got.child2[from][to] = a->arcs[i].child2;
	}
	memcpy(got.self, want.self, sizeof(got.self));
	memcpy(got.total, want.total, sizeof(got.total));
	memcpy(got.outermost, want.outermost, sizeof(got.outermost));
	cr_assert_eq(memcmp(&got, &want, sizeof(got)), 0, "%s", folded);
	check_sums(&got);
	arc_times_free(a);
	tree_free(t);
	profile_free(p);
}

Test(arc_times, equal_each_stack_by_itself, .timeout = 60)
{
	int round;

	srand(2004);
	for (round = 0; round < 500; round++)
		check_random(1 + round % 16);
}
