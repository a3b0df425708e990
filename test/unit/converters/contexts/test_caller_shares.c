/* SPDX-License-Identifier: MIT */
/* test_caller_shares.c - callers' shares by calls and by time, with the paper's own examples. */
#include <stdlib.h>

#include "contexts/arc_times.h"
#include "folded_text.h"
#include "random_stacks.h"

/* No arcs may be NULL, which malloc may return for them. */
static void build(struct caller_shares *s, const struct caller_shares_arc *arcs, size_t n)
{
	struct caller_shares_arc *copy = n ? malloc(n * sizeof(*copy)) : NULL;
	struct error err;
	size_t i;

	for (i = 0; i < n; i++)
		copy[i] = arcs[i];
	cr_assert_eq(caller_shares_build(s, copy, n, &err), 0, "%s", err.text);
}

static const struct caller_shares_arc *arc_of(const struct caller_shares *s, size_t function,
					      size_t arc)
{
	return &s->arcs[s->functions[function].first + arc];
}

enum { FINISH, OUTPUT_INLINE, INSERT, LOOKUP, GLOBAL_ALLOC, OTHERS, REST, SPLAY, QSORT };

/* Section "Results and evaluation": output_inline_function makes 13 of 76 calls (17 %) and has 0.20
 * of 7.62 s (2.6 %); splay_tree_insert 18 % of the calls and 32 % of 0.19 s; global_alloc 0.32 % and
 * 26 % of 0.19 s. What is at stake decides the order: 1.1 s, 0.05 s, 0.03 s. */
Test(caller_shares, the_papers_examples)
{
	static const struct caller_shares_arc arcs[] = {
		{INSERT, SPLAY, 61, 18},       {LOOKUP, SPLAY, 129, 82},
		{FINISH, REST, 7420, 63},      {OUTPUT_INLINE, REST, 200, 13},
		{GLOBAL_ALLOC, QSORT, 49, 32}, {OTHERS, QSORT, 141, 9968},
	};
	const struct caller_shares_function *f;
	struct caller_shares s;

	build(&s, arcs, sizeof(arcs) / sizeof(arcs[0]));
	cr_assert_eq(s.n, 3);
	f = s.functions;
	cr_assert_eq(f[0].function, REST);
	cr_assert_eq(f[1].function, QSORT);
	cr_assert_eq(f[2].function, SPLAY);
	cr_assert_eq(f[0].time, 7620);
	cr_assert(f[0].calls == 76);
	cr_assert_float_eq(f[0].misplaced, 7620 * (13 / 76. - 200 / 7620.), 1e-9);
	cr_assert_float_eq(f[1].misplaced, 190 * (49 / 190. - 0.0032), 1e-9);
	cr_assert_eq(arc_of(&s, 0, 1)->caller, OUTPUT_INLINE);
	cr_assert_float_eq(caller_shares_of_calls(&f[0], arc_of(&s, 0, 1)), 0.17, 0.005);
	cr_assert_float_eq(caller_shares_of_time(&f[0], arc_of(&s, 0, 1)), 0.026, 0.0005);
	cr_assert_eq(caller_shares_by_calls(&f[0], arc_of(&s, 0, 1)), 1303); /* 1303.4 */
	cr_assert_eq(caller_shares_by_calls(&f[0], arc_of(&s, 0, 0)), 6317); /* 6316.6 */
	caller_shares_free(&s);
}

/* Of two callers both are off by the same: the first one comes first. Of three, the one that is off
 * by most. */
Test(caller_shares, order)
{
	static const struct caller_shares_arc arcs[] = {
		{2, 9, 1, 70}, {1, 9, 3, 10}, {4, 8, 50, 1}, {3, 8, 30, 1}, {5, 8, 10, 1},
	};
	struct caller_shares s;

	build(&s, arcs, 5);
	cr_assert_eq(s.n, 2);
	cr_assert_eq(s.functions[0].function, 8); /* 20 of 90, more than 2.5 of 4 */
	cr_assert_eq(arc_of(&s, 0, 0)->caller, 4);
	cr_assert_eq(arc_of(&s, 0, 1)->caller, 5);
	cr_assert_eq(arc_of(&s, 0, 2)->caller, 3);
	cr_assert_eq(arc_of(&s, 1, 0)->caller, 1);
	cr_assert_eq(arc_of(&s, 1, 1)->caller, 2);
	caller_shares_free(&s);
}

/* A call of itself is not shared, nor is a function with one caller; callers that never were. */
Test(caller_shares, several_callers)
{
	static const struct caller_shares_arc arcs[] = {
		{1, 2, 5, 5}, {2, 2, 5, 5}, {3, 3, 1, 1}, {1, 4, 1, 1}, {2, 4, 0, 0},
	};
	struct caller_shares s;

	build(&s, arcs, 5);
	cr_assert_eq(s.n, 0);
	caller_shares_free(&s);
	build(&s, NULL, 0);
	cr_assert_eq(s.n, 0);
	caller_shares_free(&s);
}

Test(caller_shares, without_calls_or_time)
{
	static const struct caller_shares_arc arcs[] = {
		{1, 3, 7, 0},
		{2, 3, 9, 0},
		{1, 4, 0, 7},
		{2, 4, 0, 9},
	};
	struct caller_shares s;

	build(&s, arcs, 4);
	cr_assert_eq(s.n, 2);
	cr_assert_eq(s.functions[0].function, 3);
	cr_assert_eq(s.functions[0].misplaced, 7);
	cr_assert_eq(caller_shares_of_calls(&s.functions[0], arc_of(&s, 0, 0)), 0);
	cr_assert_eq(caller_shares_by_calls(&s.functions[0], arc_of(&s, 0, 0)), 0);
	cr_assert_eq(s.functions[1].misplaced, 0);
	cr_assert_eq(caller_shares_of_time(&s.functions[1], arc_of(&s, 1, 0)), 0);
	caller_shares_free(&s);
}

/* Calls of more than 64 bits, as occurrences in deep recursion are. */
Test(caller_shares, large_counts)
{
	const unsigned __int128 many = (unsigned __int128)UINT64_MAX << 20;
	const struct caller_shares_arc arcs[] = {
		{1, 3, UINT64_MAX / 4, many},
		{2, 3, UINT64_MAX / 4 * 3, 3 * many},
	};
	struct caller_shares_arc *over = calloc(2, sizeof(*over));
	struct caller_shares s;
	struct error err;

	build(&s, arcs, 2);
	cr_assert_eq(s.n, 1);
	cr_assert_float_eq(s.functions[0].misplaced, 0, 4);
	cr_assert_leq(caller_shares_by_calls(&s.functions[0], arc_of(&s, 0, 0)),
		      UINT64_MAX / 4 + 2);
	cr_assert_geq(caller_shares_by_calls(&s.functions[0], arc_of(&s, 0, 0)),
		      UINT64_MAX / 4 - 2);
	caller_shares_free(&s);
	over[0] = (struct caller_shares_arc){1, 3, UINT64_MAX, 1};
	over[1] = (struct caller_shares_arc){2, 3, 1, 1};
	cr_assert_eq(caller_shares_build(&s, over, 2, &err), -1);
	cr_assert(strstr(err.text, "64 bits"), "%s", err.text);
	caller_shares_free(&s);
}

static struct caller_shares of_folded(const char *folded, struct profile **p, struct graph **g)
{
	struct caller_shares s;
	struct error err;

	*p = profile_of(folded);
	*g = graph_build(tree_of(*p), &err);
	cr_assert(*g, "%s", err.text);
	cr_assert_eq(caller_shares_of_graph(&s, *g, &err), 0, "%s", err.text);
	return s;
}

static void free_graph(struct profile *p, struct graph *g)
{
	tree_free((struct tree *)(uintptr_t)g->tree);
	graph_free(g);
	profile_free(p);
}

/* f is called by m, and twice by g before that: of its 10 samples, g's last call has all. */
Test(caller_shares, occurrences_and_times_of_stacks)
{
	struct profile *p;
	struct graph *g;
	struct caller_shares s = of_folded("m;f;g;f;g;f 10\n", &p, &g);
	const struct caller_shares_arc *a;

	cr_assert_eq(s.n, 1);
	a = arc_of(&s, 0, 0);
	cr_assert_eq(s.functions[0].time, 10);
	cr_assert(s.functions[0].calls == 30);
	cr_assert_str_eq(name_of(g->tree, g->functions[a[0].caller].name), "g");
	cr_assert(a[0].calls == 20 && a[0].time == 10);
	cr_assert(a[1].calls == 10 && a[1].time == 0);
	caller_shares_free(&s);
	free_graph(p, g);
}

/* What is charged to too many callers is missing from others; without recursion nothing is. */
static void check_random(int n_names)
{
	char *folded = random_stacks(40, n_names == (int)RANDOM_NAMES ? 3 : 30, n_names, false);
	struct profile *p;
	struct graph *g;
	struct caller_shares s = of_folded(folded, &p, &g);
	size_t i, k;

	for (i = 0; i < s.n; i++) {
		const struct caller_shares_function *f = &s.functions[i];
		double calls = 0, time = 0;

		cr_assert(i == 0 || f[-1].misplaced >= f->misplaced);
		cr_assert_geq(f->n, 2);
		cr_assert_leq(f->time, g->functions[f->function].total);
		for (k = 0; k < f->n; k++) {
			calls += caller_shares_of_calls(f, arc_of(&s, i, k));
			time += caller_shares_of_time(f, arc_of(&s, i, k));
			cr_assert_leq(caller_shares_misplaced(f, arc_of(&s, i, k)), f->misplaced);
		}
		cr_assert_float_eq(calls, 1, 1e-9);
		cr_assert_float_eq(time, f->time ? 1 : 0, 1e-9);
	}
	caller_shares_free(&s);
	free_graph(p, g);
	free(folded);
}

Test(caller_shares, sums)
{
	int round;

	srand(2004);
	for (round = 0; round < 200; round++)
		check_random(1 + round % (int)RANDOM_NAMES);
}

/* Without recursion, occurrences are the time. */
Test(caller_shares, nothing_is_misplaced_without_recursion)
{
	struct profile *p;
	struct graph *g;
	struct caller_shares s =
		of_folded("m;a;x 3\nm;b;x 1\nm;b;y;x 7\nm;x;x 5\nm;a;y 8\n", &p, &g);
	size_t i;

	cr_assert_eq(s.n, 2);
	for (i = 0; i < s.n; i++)
		cr_assert_eq(s.functions[i].misplaced, 0);
	caller_shares_free(&s);
	free_graph(p, g);
}
