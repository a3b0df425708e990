/* SPDX-License-Identifier: MIT */
/* test_moments.c - samples with their times: joined lists, and why there are none.
 * Seen to fail: with nodes translated to 0 kept, a sample of a dropped thread is at the root. */
#include <criterion/criterion.h>

#include "model/moments.h"

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
