/* SPDX-License-Identifier: MIT */
/* test_moments.c - weights by slices of time, and samples with their times. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "model/moments.h"

/* ---- slices ---------------------------------------------------------------------------------- */
/*
 * Weights by slices of time.
 *
 * Seen to fail: with what is spread rounded down everywhere; when tables that begin earlier were
 * not moved; with slices that coarsen from an odd number.
 */

#define MS UINT64_C(1000000)

static uint64_t sum(const struct slices *s)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < s->n; i++)
		all += s->weights[i];
	return all;
}

Test(slices, nothing_is_lost)
{
	for (unsigned seed = 0; seed < 200; seed++) {
		struct slices s = {0}, joined = {0};
		uint64_t all = 0, most = seed % 2 ? 100 * MS : UINT64_C(1) << (seed % 60 + 1);

		srand(seed);
		for (int i = 0; i < 50; i++) {
			uint64_t to = ((uint64_t)rand() << 31 ^ (uint64_t)rand()) % most;
			uint64_t from = rand() % 3 ? to - (uint64_t)rand() % (to + 1) : to;
			uint64_t weight = (uint64_t)rand() % 1000000;

			cr_assert_eq(slices_add(&s, from, to, weight), 0);
			all += weight;
			cr_assert_eq(sum(&s), all);
			cr_assert_leq(s.n, SLICES_MOST);
		}
		cr_assert_eq(slices_join(&joined, &s), 0);
		cr_assert_eq(sum(&joined), all);
		cr_assert_float_eq(slices_between(&s, 0, UINT64_MAX), (double)all,
				   (double)all * 1e-9);
		slices_clear(&s);
		slices_clear(&joined);
	}
}

/* What was used evenly between two times is there, and nowhere else. */
Test(slices, are_where_they_were)
{
	struct slices s = {0};
	uint64_t day = UINT64_C(1700000000000000000);

	cr_assert_eq(slices_add(&s, day + 300 * MS, day + 400 * MS, 1000), 0);
	cr_assert_eq(slices_add(&s, day + 100 * MS, day + 150 * MS, 500), 0);
	cr_assert_float_eq(slices_between(&s, day, day + 90 * MS), 0, 0.01);
	cr_assert_float_eq(slices_between(&s, day + 90 * MS, day + 160 * MS), 500, 0.01);
	cr_assert_float_eq(slices_between(&s, day + 320 * MS, day + 340 * MS), 200, 20);
	/* Seconds of it make slices longer. */
	cr_assert_eq(slices_add(&s, day + 5000 * MS, day + 5001 * MS, 7), 0);
	cr_assert_gt(s.shift, 20);
	cr_assert_float_eq(slices_between(&s, day + 280 * MS, day + 420 * MS), 1000, 0.01);
	cr_assert_float_eq(slices_between(&s, day + 4900 * MS, day + 5100 * MS), 7, 0.01);
	slices_clear(&s);
}

Test(slices, any_time)
{
	struct slices s = {0};

	cr_assert_eq(slices_add(&s, UINT64_MAX, UINT64_MAX, 1), 0);
	cr_assert_eq(slices_add(&s, 0, 0, 2), 0);
	cr_assert_eq(slices_add(&s, 0, UINT64_MAX, UINT64_MAX / 2), 0);
	cr_assert_eq(sum(&s), 3 + UINT64_MAX / 2);
	slices_clear(&s);
}

/* ---- moments --------------------------------------------------------------------------------- */
/*
 * Samples with their times: joined lists, and why there are none. Seen to fail: with nodes
 * translated to 0 kept, a sample of a dropped thread is at the root.
 */

static void add(struct moments *m, uint64_t time_ns, uint32_t node, uint32_t thread, uint32_t state)
{
	const struct moment sample = {
		.time_ns = time_ns, .weight = 1, .node = node, .thread = thread, .state = state};

	cr_assert_eq(moments_add(m, &sample), 0);
}

Test(moments, joined)
{
	struct moments a = {.kept = MOMENTS_KEPT}, b = {.kept = MOMENTS_KEPT};
	const struct moments_thread thread = {.tid = 7, .name = 1, .program = 0};
	const uint32_t nodes[] = {0, 4, 0}, strings[] = {5, 6};

	add(&a, 30, 1, 0, STRINGS_NONE);
	cr_assert_eq(moments_add_thread(&a, &thread), 0);
	add(&b, 10, 1, 0, 1);
	add(&b, 20, 2, 0, 1); /* is left out */
	cr_assert_eq(moments_add_thread(&b, &thread), 0);
	cr_assert_eq(moments_join_threads(&a, &b, strings), 0);
	cr_assert_eq(moments_join(&a, &b, 1, nodes, strings), 0);
	cr_assert_eq(a.n, 2);
	cr_assert_eq(a.list[0].state, STRINGS_NONE);
	cr_assert_eq(a.list[1].time_ns, 10);
	cr_assert_eq(a.list[1].node, 4);
	cr_assert_eq(a.list[1].thread, 1);
	cr_assert_eq(a.list[1].state, 6);
	cr_assert_eq(a.n_threads, 2);
	cr_assert_eq(a.threads[1].name, 6);
	cr_assert_eq(a.threads[1].program, 5);
	moments_clear(&a);
	moments_clear(&b);
	cr_assert_eq(a.kept, MOMENTS_KEPT);
}

Test(moments, not_kept)
{
	struct moments none = {0}, a = {.kept = MOMENTS_KEPT}, b = {.kept = MOMENTS_KEPT};

	add(&none, 1, 1, 0, 0);
	cr_assert_eq(none.n, 0);
	add(&a, 1, 1, 0, 0);
	moments_drop(&b, MOMENTS_UNTIMED);
	cr_assert_eq(moments_join(&a, &b, 0, NULL, NULL), 0);
	cr_assert_eq(a.kept, MOMENTS_UNTIMED);
	cr_assert_eq(a.n, 0);
	add(&a, 1, 1, 0, 0);
	cr_assert_eq(a.n, 0);
	moments_drop(&a, MOMENTS_TOO_MANY);
	moments_drop(&a, MOMENTS_UNTIMED);
	cr_assert_eq(a.kept, MOMENTS_TOO_MANY, "the reason that a reader can change");
}

Test(moments, too_many)
{
	struct moments m = {.kept = MOMENTS_KEPT};

	for (size_t i = 0; i < MOMENTS_MOST; i++)
		add(&m, i, 1, 0, 0);
	cr_assert_eq(m.n, MOMENTS_MOST);
	add(&m, 0, 1, 0, 0);
	cr_assert_eq(m.kept, MOMENTS_TOO_MANY);
	cr_assert_null(m.list);
}
