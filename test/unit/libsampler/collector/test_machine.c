/* SPDX-License-Identifier: MIT */
/*
 * test_machine.c - the machine of calls leads to the histories that steps A1 to A5 make, and to one state for each.
 *
 * Seen to fail: when A4 took away all between marked entries; when A5 left two alike; when a table that had grown lost what was in
 * it; and when a state that was made beyond the limit had the history of its caller.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "libsampler/collector/machine.h"

enum { DEEPEST = 64, STEPS = 3000, PROGRAMS = 1000 };

struct history {
	uint32_t function[2 * DEEPEST];
	bool is_marked[2 * DEEPEST];
	uint32_t n;
};

static void take_out(struct history *h, uint32_t i)
{
	memmove(h->function + i, h->function + i + 1, (h->n - i - 1) * sizeof(h->function[0]));
	memmove(h->is_marked + i, h->is_marked + i + 1, (h->n - i - 1) * sizeof(h->is_marked[0]));
	h->n--;
}

/* Steps A1 to A5, as the paper has them. */
static void call(struct history *h, uint32_t p)
{
	if (h->n && h->function[h->n - 1] == p)
		return;
	h->function[h->n] = p;
	h->is_marked[h->n++] = true;
	for (uint32_t i = 0; i + 1 < h->n; i++)
		if (h->function[i] == p)
			h->is_marked[i] = false;
	for (uint32_t i = 1; i + 1 < h->n;)
		if (!h->is_marked[i - 1] && !h->is_marked[i] && !h->is_marked[i + 1])
			take_out(h, i);
		else
			i++;
	for (uint32_t i = 0; i + 1 < h->n;)
		if (h->function[i] == h->function[i + 1] && !h->is_marked[i] &&
		    !h->is_marked[i + 1])
			take_out(h, i);
		else
			i++;
}

static uintptr_t address(uint32_t function)
{
	return 0x555500001000u + 16 * function + 5;
}

static bool is_that(const struct cps_machine *m, const struct cps_state *s, const struct history *h)
{
	bool is_same = s->origin->n == h->n;

	for (uint32_t i = 0; i < h->n && is_same; i++)
		is_same =
			m->called[s->origin->history[i] >> 1].address == address(h->function[i]) &&
			(s->origin->history[i] & 1) == !h->is_marked[i];
	return is_same;
}

static struct cps_machine *begin(void)
{
	struct cps_machine *m = cps_machine_pages(sizeof(*m));

	cr_assert(m && cps_machine_begin(m));
	return m;
}

/* Calls and returns of a program of so many functions. */
static void run(struct cps_machine *m, uint32_t functions)
{
	static struct history histories[DEEPEST];
	struct cps_state *states[DEEPEST] = {cps_machine_state(m, 0)};
	uint32_t depth = 0;

	histories[0].n = 0;
	for (int i = 0; i < STEPS; i++) {
		uint32_t p = (uint32_t)rand() % functions;

		if (depth && (depth + 1 == DEEPEST || rand() % 2)) {
			depth -= 1 + (uint32_t)rand() % depth % 3;
			continue;
		}
		histories[depth + 1] = histories[depth];
		call(&histories[depth + 1], p);
		states[depth + 1] = states[depth]->address == address(p)
					    ? states[depth]
					    : cps_machine_call(m, states[depth], address(p));
		depth++;
		cr_assert(states[depth] && is_that(m, states[depth], &histories[depth]));
	}
}

static int by_history(const void *a, const void *b)
{
	const struct cps_state *s = *(struct cps_state *const *)a,
			       *t = *(struct cps_state *const *)b;

	if (s->origin->n != t->origin->n)
		return s->origin->n < t->origin->n ? -1 : 1;
	return memcmp(s->origin->history, t->origin->history,
		      s->origin->n * sizeof(*s->origin->history));
}

static void check_that_each_history_has_one_state(const struct cps_machine *m)
{
	struct cps_state **all = malloc(m->n_states * sizeof(*all));

	for (uint32_t i = 0; i < m->n_states; i++) {
		all[i] = cps_machine_state(m, i);
		cr_assert_eq(all[i]->origin->number, i);
		cr_assert(i == 0 || all[i]->origin->from < i);
	}
	qsort(all, m->n_states, sizeof(*all), by_history);
	for (uint32_t i = 1; i < m->n_states; i++)
		cr_assert_neq(by_history(&all[i - 1], &all[i]), 0);
	free(all);
}

Test(machine, histories_are_those_of_the_paper)
{
	srand(4);
	for (uint32_t i = 0; i < PROGRAMS; i++) {
		struct cps_machine *m = begin();

		run(m, 2 + i % 9);
		check_that_each_history_has_one_state(m);
	}
}

/* Main calls P, Q and R in turn, and P calls S at the end: nine contexts (Spivey 2004). */
Test(machine, the_papers_program)
{
	enum { MAIN, P, Q, R, S };
	struct cps_machine *m = begin();
	struct cps_state *top = cps_machine_call(m, cps_machine_state(m, 0), address(MAIN));

	for (uint32_t i = 0; i < 30; i++) {
		top = cps_machine_call(m, top, address(P + i % 3));
		if (i % 3 == 0)
			cps_machine_call(m, top, address(S));
	}
	cr_assert_eq(m->n_states - 1, 9);
}

Test(machine, many_states_are_found_again)
{
	struct cps_machine *m = begin();
	uint32_t n;

	srand(5);
	for (int i = 0; i < 40; i++)
		run(m, 60);
	n = m->n_states;
	cr_assert_gt(n, 10000);
	check_that_each_history_has_one_state(m);
	cps_machine_renew(m); /* no transitions any more */
	for (uint32_t i = 1; i < n; i++) {
		const struct cps_state *s = cps_machine_state(m, i);

		cr_assert_eq(cps_machine_call(m, cps_machine_state(m, s->origin->from), s->address),
			     s);
	}
	cr_assert_eq(m->n_states, n);
}

/* Beyond the limit only the caller and the function are known. */
Test(machine, arcs_are_counted_beyond_the_limit)
{
	struct cps_machine *m = begin();
	struct cps_state *a = cps_machine_call(m, cps_machine_state(m, 0), address(1)), *b, *c;

	b = cps_machine_call(m, a, address(2));
	m->is_full = true;
	c = cps_machine_call(m, b, address(3));
	cr_assert_eq(c->origin->function & 1, 1);
	cr_assert_eq(c->origin->n, 2);
	cr_assert_eq(m->called[c->origin->history[0] >> 1].address, address(2));
	/* Another one that is called by the same function in other contexts leads there, too. */
	cr_assert_eq(cps_machine_call(m, cps_machine_call(m, c, address(2)), address(3)), c);
	cr_assert_eq(cps_machine_call(m, a, address(2)), b);
}

/* What a handler calls while a state is being made cannot be counted. */
/* As with a library that is loaded again and again. Seen to fail: when functions were numbered that no state could have. */
Test(machine, functions_have_a_limit)
{
	struct cps_machine *m = begin();
	struct cps_state *from[512] = {cps_machine_state(m, 0)};

	for (unsigned i = 1; i < CPS_MACHINE_STATES; i++) {
		struct cps_state *to = cps_machine_call(m, from[i < 512 ? 0 : i % 512], address(i));

		cr_assert(to, "%u", i);
		if (i < 512)
			from[i] = to;
	}
	for (unsigned i = 0; i < 1000; i++)
		cr_assert_null(cps_machine_call(m, from[1], address(CPS_MACHINE_STATES + i)));
	cr_assert_leq(m->n_functions, CPS_MACHINE_STATES);
}

Test(machine, who_makes_a_state_is_not_disturbed)
{
	struct cps_machine *m = begin();
	struct cps_state *a = cps_machine_call(m, cps_machine_state(m, 0), address(1));

	m->busy_at = 1;
	cr_assert_null(cps_machine_call(m, a, address(2)));
	m->busy_at = 0;
	cr_assert_not_null(cps_machine_call(m, a, address(2)));
}
