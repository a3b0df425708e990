/* SPDX-License-Identifier: MIT */
/*
 * test_modules.c - modules are recognised across inputs, and call paths with them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_fixture.h"

Test(modules, modules_may_come_after_samples)
{
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	build_sample(&b, 5, "03010702");
	build_sample(&b, 7, "0301--09");
	build_module(&b, 3, "/bin/three", "id", 0);
	cr_assert_eq(build_end(&b), 0);
	struct profile *p = build_finish(&b);
	cr_assert_eq(profile_weight(p, "/bin/three+1 -+2"), 5, "no record said what 7 is");
	cr_assert_eq(profile_weight(p, "/bin/three+1 ?+9"), 7);
	cr_assert_eq(p->n_modules, 2);
	cr_assert_eq(p->modules[p->processes[0].modules[0]].n_segments, 1);
	cr_assert_eq(p->modules[p->processes[0].modules[1]].path, STRINGS_NONE);
	profile_free(p);
}

/* Two inputs give the same modules other numbers, before and after the samples, or twice. */
Test(modules, equal_modules_are_one)
{
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	build_module(&b, 0, "/bin/x", "1", 0x1000);
	build_module(&b, 1, "/bin/x", "2", 0x1000);
	build_sample(&b, 1, "00010102");
	build_end(&b);
	build_process(&b, "b", "cpu", "ns");
	build_sample(&b, 10, "01010002");
	build_sample(&b, 100, "07010002");
	build_module(&b, 1, "/bin/x", "1", 0x2000);
	build_module(&b, 0, "/bin/x", "2", 0x2000);
	build_module(&b, 7, "/bin/x", "1", 0x9000);
	build_end(&b);
	struct profile *p = build_finish(&b);
	cr_assert_eq(p->n_modules, 2);
	cr_assert_eq(p->n_frames, 2);
	cr_assert_eq(p->n_nodes, 3);
	cr_assert_eq(p->nodes[2].self_weight, 111);
	cr_assert_eq(p->weight, 111);
	cr_assert_eq(p->n_processes, 2);
	cr_assert(p->processes[0].weight == 1 && p->processes[1].weight == 110);
	cr_assert(p->processes[1].n_modules == 2 && p->processes[1].modules[0] == 0 &&
		  p->processes[1].modules[1] == 1);
	profile_free(p);
}

Test(modules, unknown_modules_of_two_inputs_are_two)
{
	struct build b;

	build_begin(&b);
	for (unsigned i = 0; i < 2; i++) {
		build_process(&b, "a", "cpu", "ns");
		build_sample(&b, 1, "0501");
		build_end(&b);
	}
	struct profile *p = build_finish(&b);
	cr_assert_eq(p->n_modules, 2);
	cr_assert_eq(p->n_nodes, 3);
	profile_free(p);
}

Test(modules, a_vdso_is_no_file)
{
	struct event_module e = {.id = 1, .path = {"[vdso]", 6}, .is_vdso = true};
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	build_module(&b, 0, "[vdso]", "", 0);
	b.sink->module(b.sink->context, &e, &b.err);
	build_sample(&b, 1, "00010101");
	build_end(&b);
	struct profile *p = build_finish(&b);
	cr_assert_eq(p->n_modules, 2);
	cr_assert(!p->modules[0].is_vdso && p->modules[1].is_vdso);
	profile_free(p);
}

Test(modules, a_module_does_not_change)
{
	struct build b;

	build_begin(&b);
	build_process(&b, "a.cps", "cpu", "ns");
	cr_assert_eq(build_module(&b, 1, "/bin/x", "1", 0x1000), 0);
	cr_assert_eq(build_module(&b, 1, "/bin/x", "1", 0x1000), 0, "the same again");
	cr_assert_eq(build_module(&b, 1, "/bin/x", "1", 0x2000), -1);
	cr_assert_str_eq(b.err.text, "a.cps: module 1 is described twice, differently");
	cr_assert_eq(build_module(&b, 1, "/bin/x", "2", 0x1000), -1);
	cr_assert_eq(build_module(&b, 1, "/bin/y", "1", 0x1000), -1);
	profile_builder_free(b.builder);
}

/* ---- against a simple model ------------------------------------------------------------------ */

#define MODEL_PATHS 20000

/* Weights by path, as text. */
struct model {
	struct strings *paths;
	uint64_t weights[MODEL_PATHS];
};

static void random_input(struct build *b, struct model *m, unsigned input)
{
	char stack[64], path[1024], name[64];

	build_process(b, "a", "cpu", "ns");
	for (unsigned i = 0; i < 2000; i++) {
		unsigned depth = 1 + (unsigned)rand() % 8, weight = (unsigned)rand() % 100;
		char *to = stack, *at = path;
		for (unsigned k = 0; k < depth; k++) {
			unsigned id = (unsigned)rand() % 4, address = (unsigned)rand() % 3;
			to += sprintf(to, "%02u%02u", id, address);
			at += sprintf(at, "%s/m%u+%u", k ? " " : "", (id + input) % 3, address);
		}
		build_sample(b, weight, stack);
		uint32_t number = strings_add(m->paths, path, (size_t)(at - path));
		cr_assert_lt(number, MODEL_PATHS);
		m->weights[number] += weight;
	}
	for (unsigned id = 0; id < 4; id++) { /* 0 and 3 are the same */
		sprintf(name, "/m%u", (id + input) % 3);
		build_module(b, id, name, "", 0);
	}
	build_end(b);
}

Test(modules, random_samples_of_many_inputs)
{
	static struct model m;
	struct build b;
	char path[1024];
	size_t n, found = 0;

	srand(3);
	m.paths = strings_new();
	build_begin(&b);
	for (unsigned input = 0; input < 6; input++)
		random_input(&b, &m, input);
	struct profile *p = build_finish(&b);
	cr_assert_eq(p->n_modules, 3);
	cr_assert_eq(p->n_frames, 9);
	for (uint32_t i = 1; i < p->n_nodes; i++) {
		profile_path(p, i, path, sizeof(path));
		uint32_t number = strings_find(m.paths, path, strlen(path));
		cr_assert_eq(p->nodes[i].self_weight,
			     number == STRINGS_NONE ? 0 : m.weights[number], "%s", path);
		found += number != STRINGS_NONE;
	}
	n = strings_count(m.paths);
	cr_assert_eq(found, n, "each path once");
	profile_free(p);
	strings_free(m.paths);
}
