/* SPDX-License-Identifier: MIT */
/*
 * test_counted_contexts.c - calls that a machine has counted by addresses, against a replay of all of them by names.
 *
 * A random program calls and returns. The machine of call_machine.h counts its calls and writes the records of a recording. The
 * replay has the whole history of each call of the stack, by names, as the steps A1 to A5 make it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_machine.h"
#include "contexts/contexts.h"
#include "contexts/history.h"
#include "demo_stream.h"
#include "graph/call_counts.h"
#include "model/builder_join.h"
#include "read/decode.h"

#define PROGRAMS 1400
#define EVENTS	 250
#define CONTEXTS 8192

/* ---- the replay ------------------------------------------------------------------------------ */

struct context_count {
	struct call_history history;
	uint64_t entered, direct;
};

struct replay {
	unsigned n, depth;
	struct context_count contexts[CONTEXTS];
	struct call_history stack[CALL_DEPTH + 1];	   /* by names; the first is empty */
	uint64_t arcs[CALL_FUNCTIONS + 1][CALL_FUNCTIONS]; /* the last caller is none */
};

static struct context_count *replay_context(struct replay *r, const struct call_history *h)
{
	for (unsigned i = 0; i < r->n; i++)
		if (call_history_is(&r->contexts[i].history, h))
			return &r->contexts[i];
	cr_assert_lt(r->n, CONTEXTS);
	r->contexts[r->n].history = *h;
	return &r->contexts[r->n++];
}

static void replay_call(struct replay *r, unsigned name)
{
	const struct call_history *top = &r->stack[r->depth];
	struct call_history *h = &r->stack[r->depth + 1];

	r->arcs[top->n ? top->at[top->n - 1].function : CALL_FUNCTIONS][name]++;
	*h = *top;
	if (call_history_step(h, name))
		replay_context(r, h)->entered++;
	else
		replay_context(r, h)->direct++;
	r->depth++;
}

/* ---- programs -------------------------------------------------------------------------------- */

static uint64_t seed;
static unsigned compared; /* programs by their contexts */

static unsigned chance(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

/* The name of a function. Of some programs two functions have one name. */
static unsigned name_of(unsigned function, unsigned names)
{
	return function % names;
}

/* A program of some shape: mostly few functions call each other, deeply. */
static void run(struct call_machine *m, struct replay *r, unsigned functions, unsigned names)
{
	unsigned deep = 2 + chance(40);

	for (unsigned i = 0; i < EVENTS; i++) {
		if (m->depth && (m->depth >= deep || chance(5) < 2)) {
			call_machine_return(m);
			r->depth--;
			continue;
		}
		unsigned f = chance(functions);

		call_machine_call(m, f);
		replay_call(r, name_of(f, names));
	}
	while (m->depth) {
		call_machine_return(m);
		r->depth--;
	}
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void write_recording(const char *path, struct call_machine *const *machines, unsigned n,
			    unsigned functions)
{
	struct bytes records = {0}, file = {0};

	demo_process(&records);
	call_machine_functions(&records, functions);
	for (unsigned i = 0; i < n; i++)
		call_machine_states(&records, machines[i], i, 1 + chance(50));
	bytes_record(&records, CPS_TAG_END, "\2\1", 2);
	writer_stream(&file, &records, 1000, true);
	writer_file(path, file.at, file.n);
	bytes_free(&records), bytes_free(&file);
}

/* Give the frames names, as symbols would. */
static void name_frames(struct profile *p, unsigned names)
{
	for (size_t i = 0; i < p->counted->n_frames; i++) {
		struct profile_frame *f = &p->counted->frames[i];
		char text[16];

		if (f->address == CPS_CUT_ADDRESS)
			continue;
		snprintf(text, sizeof(text), "f%u",
			 name_of((unsigned)(f->address - CALL_ADDRESS(0)) / 0x100, names));
		*f = (struct profile_frame){PROFILE_NO_MODULE,
					    strings_add(p->strings, text, strlen(text)), 0};
	}
}

/* Of two recordings, by one builder, or by two that are joined. */
static struct profile *read_both(char paths[2][256], bool joined)
{
	struct error err = {0};
	struct profile_builder *b = profile_builder_new(&err), *c = profile_builder_new(&err);
	struct profile *p;

	cr_assert_eq(decode_file(paths[0], profile_builder_sink(b), &err), 0, "%s", err.text);
	cr_assert_eq(decode_file(paths[1], profile_builder_sink(joined ? c : b), &err), 0, "%s",
		     err.text);
	if (joined) {
		cr_assert(profile_builder_can_join(b, c));
		cr_assert_eq(profile_builder_join(b, c, &err), 0);
	}
	profile_builder_free(c);
	p = profile_builder_finish(b, &err);
	cr_assert(p && p->counted, "%s", err.text);
	return p;
}

static unsigned number_of(const struct tree *t, uint32_t name)
{
	return (unsigned)atoi(strings_get(t->strings, name, NULL) + 1);
}

/* ---- contexts -------------------------------------------------------------------------------- */

static void find_history(const struct tree *t, const struct history *h, struct call_history *to)
{
	to->n = h->length;
	for (uint32_t i = 0; i < h->length; i++)
		to->at[i] = (struct call_entry){number_of(t, h->entries[i].name),
						h->entries[i].is_marked};
}

static void same_contexts(const struct tree *t, struct replay *r)
{
	struct error err;
	struct contexts *c = contexts_build(t, false, &err);
	struct history_item *items = calloc(c->n + 1, sizeof(*items));
	struct history_reader reader;
	struct history h;
	unsigned n = 0;

	for (size_t i = 0; i < c->n; i++)
		items[i] = (struct history_item){c->contexts[i].node, c->contexts[i].length};
	cr_assert_eq(history_open(&reader, t, items, c->n, &err), 0);
	for (size_t i = 0; i < c->n; i++) {
		struct call_history wanted;
		const struct context_count *found;

		cr_assert_eq(history_next(&reader, &h, &err), 1);
		find_history(t, &h, &wanted);
		found = replay_context(r, &wanted);
		cr_assert_eq(found->entered, c->contexts[i].samples);
		cr_assert_eq(found->direct, c->contexts[i].hits);
		n++;
	}
	cr_assert_eq(n, r->n, "%u contexts, and the replay has %u", n, r->n);
	history_close(&reader);
	free(items);
	contexts_free(c);
}

/* The calls that closed the cycle: those that led to contexts which end with its path, and had its function before that just
 * there. */
static uint64_t replay_cycle(const struct replay *r, const struct call_history *path)
{
	uint64_t entered = 0;

	for (unsigned i = 0; i < r->n; i++) {
		const struct call_history *h = &r->contexts[i].history;
		unsigned from = h->n - path->n, k = 0;

		if (h->n < path->n)
			continue;
		while (k < path->n && h->at[from + k].function == path->at[k].function)
			k++;
		entered += k == path->n ? r->contexts[i].entered : 0;
	}
	return entered;
}

/* The path of a cycle goes from the last entry before the end, so it has its function at both ends and nowhere else. */
static void same_cycles(const struct tree *t, const struct replay *r)
{
	struct error err;
	struct contexts *sampled = contexts_build(t, true, &err);
	struct history_item *items = calloc(sampled->n_cycles + 1, sizeof(*items));
	struct counted_cycles cycles;
	struct history_reader reader;
	struct history h;
	uint64_t closed = 0, sum = 0;

	cr_assert_eq(counted_cycles_build(&cycles, sampled, t, &err), 0);
	cr_assert_eq(cycles.counted->n_cycles, sampled->n_cycles);
	for (size_t i = 0; i < sampled->n_cycles; i++)
		items[i] =
			(struct history_item){sampled->cycles[i].node, sampled->cycles[i].length};
	cr_assert_eq(history_open(&reader, t, items, sampled->n_cycles, &err), 0);
	for (size_t i = 0; i < sampled->n_cycles; i++) {
		struct call_history path;

		cr_assert_eq(cycles.of[i], i);
		cr_assert(cycles.is_there[i]);
		cr_assert_eq(history_next(&reader, &h, &err), 1);
		find_history(t, &h, &path);
		cr_assert_eq(cycles.counted->cycles[i].samples, replay_cycle(r, &path));
		sum += cycles.counted->cycles[i].samples;
	}
	for (unsigned i = 0; i < r->n; i++) {
		const struct call_history *at = &r->contexts[i].history;
		bool is_again = false;

		for (unsigned k = 0; k + 1 < at->n; k++)
			is_again |= at->at[k].function == at->at[at->n - 1].function;
		closed += is_again ? r->contexts[i].entered : 0;
	}
	cr_assert_eq(sum, closed);
	history_close(&reader);
	free(items);
	counted_cycles_free(&cycles);
	contexts_free(sampled);
}

static void same_arcs(const struct tree *t, const struct replay *r)
{
	struct call_counts counts;
	struct error err;
	uint64_t all = 0, sum = 0;

	cr_assert_eq(call_counts_build(&counts, t, &err), 0);
	for (size_t i = 0; i < counts.n_arcs; i++) {
		const struct call_count *a = &counts.arcs[i];
		unsigned caller =
			a->caller == STRINGS_NONE ? CALL_FUNCTIONS : number_of(t, a->caller);

		cr_assert_eq(a->calls, r->arcs[caller][number_of(t, a->callee)]);
		sum += a->calls;
	}
	for (unsigned i = 0; i <= CALL_FUNCTIONS; i++)
		for (unsigned k = 0; k < CALL_FUNCTIONS; k++)
			all += r->arcs[i][k];
	cr_assert_eq(sum, all);
	call_counts_free(&counts);
}

/* Two recordings, the first one of up to three machines. With a limit, most of their states are cut: then arcs are all that is
 * known. */
static void check_program(unsigned number, unsigned limit)
{
	struct replay *r = calloc(1, sizeof(*r));
	unsigned functions = 1 + chance(number % 4 ? 8 : 20);
	unsigned names = number % 4 || functions < 2 ? functions : functions - 1;
	unsigned n = 1 + chance(3);
	struct call_machine *machines[4];
	char paths[2][256];
	struct profile *p;
	struct tree *t;
	struct error err = {0};

	for (unsigned i = 0; i <= n; i++) {
		machines[i] = call_machine_new(limit);
		run(machines[i], r, functions, names);
	}
	snprintf(paths[0], sizeof(paths[0]), "%s", writer_path("one.cps"));
	snprintf(paths[1], sizeof(paths[1]), "%s", writer_path("two.cps"));
	write_recording(paths[0], machines, n, functions);
	write_recording(paths[1], machines + n, 1, functions);
	p = read_both(paths, number % 2);
	name_frames(p, names);
	t = counted_tree_build(p, NULL, NULL, &err);
	cr_assert(t, "%s", err.text);
	same_arcs(t, r);
	compared += !p->counted->has_cut && !counted_tree_has_runs(t);
	if (!p->counted->has_cut && !counted_tree_has_runs(t)) {
		same_contexts(t, r);
		same_cycles(t, r);
	}
	tree_free(t);
	profile_free(p);
	for (unsigned i = 0; i <= n; i++)
		free(machines[i]);
	free(r);
}

/* Seen to fail: with a tree that did not take a call of another function of the same name for a direct recursion, or trusted runs of these; with a join that
 * left out the second recording; with a machine that forgot step A5; with cycles that have what their contexts' direct recursions were, too. */
Test(counted_contexts, random_programs, .timeout = 600)
{
	seed = 28;
	for (unsigned i = 0; i < PROGRAMS; i++)
		check_program(i, 0);
	cr_assert_geq(compared, 1000);
}

/* Seen to fail: with a reader that took the root for `from`. */
Test(counted_contexts, random_programs_with_a_limit, .timeout = 600)
{
	seed = 82;
	for (unsigned i = 0; i < PROGRAMS / 4; i++)
		check_program(i, 1 + chance(10));
}

/* ---- the paper's program --------------------------------------------------------------------- */

enum { MAIN, P, Q, R, S };

/* Main -> (P -> Q -> R)^n -> P -> S has Main, C1 to C6, and two with S. Seen to fail: with a machine that forgot step A5. */
Test(counted_contexts, of_the_paper)
{
	struct call_machine *machines[2] = {call_machine_new(0), call_machine_new(0)};
	struct replay *r = calloc(1, sizeof(*r));
	char paths[2][256];
	struct error err = {0};
	struct contexts *c;
	struct profile *p;
	struct tree *t;

	for (unsigned turns = 0; turns < 50; turns++) {
		unsigned n = 0;

		for (unsigned i = 0; i < 3 * turns + 3; i++, n++) {
			static const unsigned cycle[] = {P, Q, R};
			unsigned f = i == 0 ? MAIN : i == 3 * turns + 2 ? S : cycle[(i - 1) % 3];

			call_machine_call(machines[0], f);
			replay_call(r, f);
		}
		while (n--) {
			call_machine_return(machines[0]);
			r->depth--;
		}
	}
	cr_assert_eq(machines[0]->n - 1, 9);
	snprintf(paths[0], sizeof(paths[0]), "%s", writer_path("one.cps"));
	snprintf(paths[1], sizeof(paths[1]), "%s", writer_path("two.cps"));
	write_recording(paths[0], machines, 1, S + 1);
	write_recording(paths[1], machines + 1, 1, S + 1);
	p = read_both(paths, true);
	name_frames(p, S + 1);
	t = counted_tree_build(p, NULL, NULL, &err);
	c = contexts_build(t, false, &err);
	cr_assert_eq(c->n, 9);
	same_contexts(t, r);
	contexts_free(c);
	tree_free(t);
	profile_free(p);
	free(machines[0]), free(machines[1]), free(r);
}
