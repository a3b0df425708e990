/* SPDX-License-Identifier: MIT */
/*
 * fuzz_calls.c - any file that looks like gprof's, callgrind's or cProfile's becomes a call graph, a cut one or
 * an error.
 *
 * The first byte chooses what is put before the other bytes: 0 nothing, 1 the heading of gprof's
 * call graph, 2 that of its flat profile, 3 the heading of a callgrind file, 4 that of one that cpconv has
 * written, up to its events, 5 a profile of cProfile, up to its second function.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "graph/graph.h"
#include "graph/propagate.h"
#include "model/builder_join.h"
#include "model/profile.h"
#include "read/decode.h"
#include "test/fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A head, which may have any bytes. */
static const struct {
	const char *bytes;
	size_t n;
} heads[] = {
#define HEAD(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}
	HEAD(""),
	HEAD("index % time    self  children    called     name\n"),
	HEAD("Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
	     " time   seconds   seconds    calls  us/call  us/call  name    \n"),
	HEAD("# callgrind format\npositions: line\nevents: Ir Dr\n"),
	HEAD("# callgrind format\ncreator: libcpsample 1\npositions: line\ndesc: Unit of "),
	HEAD("\xfb\xa9\3\xfa\1ai\1\0\0\0\xfa\1f)\5i\1\0\0\0i\2\0\0\0g\0\0\0\0\0\0\xe0?"
	     "g\0\0\0\0\0\0\xe8?\xfb"
	     "0"),
#undef HEAD
};

static void calls_check(const struct profile *p)
{
	const struct given_calls *c = p->given_calls;
	uint64_t weight = 0, hits = 0, processes = 0;

	for (size_t i = 0; i < c->n_functions; i++) {
		weight += c->functions[i].self_weight;
		hits += c->functions[i].self_hits;
		CHECK(c->functions[i].name < strings_count(p->strings));
	}
	for (size_t i = 0; i < p->n_processes; i++)
		processes += p->processes[i].weight;
	CHECK(weight == p->weight && hits == p->hits && processes == p->weight);
	for (size_t i = 0; i < c->n_arcs; i++)
		CHECK(c->arcs[i].caller < c->n_functions && c->arcs[i].callee < c->n_functions);
}

static void graph_check(const struct graph *g)
{
	for (size_t i = 0; i < g->n_functions; i++)
		CHECK(g->functions[i].total <= g->total);
	for (size_t i = 1; i < g->n_arcs; i++) {
		const struct graph_arc *a = &g->arcs[i - 1], *b = &g->arcs[i];

		CHECK(a->caller < b->caller || (a->caller == b->caller && a->callee < b->callee));
	}
}

static void graph_make(const struct profile *p)
{
	struct error err = {0};
	struct propagation totals;
	struct graph *g = graph_of_calls(p, TREE_GTICKS, &err);

	CHECK(g && !propagate_graph(&totals, g, &err));
	for (size_t i = 0; i < g->n_functions; i++)
		CHECK(isfinite(totals.totals[i]) && totals.totals[i] >= 0);
	if (!g->has_totals)
		graph_set_totals(g, totals.totals, totals.call_totals);
	graph_check(g);
	propagate_free(&totals);
	graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t head = size ? data[0] % (sizeof(heads) / sizeof(*heads)) : 0;
	struct error err = {0};
	struct profile_builder *b = profile_builder_new(&err);
	int fd = memfd_create("text", 0), status = 0;
	char path[64];

	CHECK(b && fd >= 0);
	CHECK(write(fd, heads[head].bytes, heads[head].n) == (ssize_t)heads[head].n);
	if (size > 1)
		CHECK(write(fd, data + 1, size - 1) == (ssize_t)size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* Twice, for what is merged. */
	for (int i = 0; !status && i < 2; i++)
		status = decode_file(path, profile_builder_sink(b), &err);
	close(fd);
	if (status) {
		CHECK(err.text[0]);
		profile_builder_free(b);
		return 0;
	}
	struct profile *p = profile_builder_finish(b, &err);
	CHECK(p);
	if (p->given_calls) {
		calls_check(p);
		graph_make(p);
	}
	profile_free(p);
	return 0;
}
