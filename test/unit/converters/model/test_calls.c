/* SPDX-License-Identifier: MIT */
/*
 * test_calls.c - call graphs that come without stacks: how they are merged, called and totalled.
 */
#include <math.h>
#include <stdlib.h>

#include "folded_text.h"
#include "graph/graph.h"
#include "graph/propagate.h"
#include "random_stacks.h"

#define HEAD "events: Ir\n"

/* ---- building -------------------------------------------------------------------------------- */

/* Several texts, each a file. NULL: refused, with this in the message. */
static struct profile *profile_of_texts(const char *const *texts, const char *message)
{
	struct error err = {0};
	struct profile_builder *b = profile_builder_new(&err);
	int status = 0;

	for (; !status && *texts; texts++) {
		char path[64];
		int fd = memfd_create("text", 0);

		cr_assert_eq(write(fd, *texts, strlen(*texts)), (ssize_t)strlen(*texts));
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		status = decode_file(path, profile_builder_sink(b), &err);
		close(fd);
	}
	if (!message) {
		cr_assert_eq(status, 0, "%s", err.text);
		return profile_builder_finish(b, &err);
	}
	cr_assert_eq(status, -1);
	cr_assert(strstr(err.text, message), "%s", err.text);
	profile_builder_free(b);
	return NULL;
}

static struct graph *graph_of(const struct profile *p)
{
	struct error err;
	struct graph *g = graph_of_calls(p, TREE_GTICKS, &err);

	cr_assert(g, "%s", err.text);
	return g;
}

static uint32_t find(const struct graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->n_functions; i++)
		if (strcmp(strings_get(g->strings, g->functions[i].name, NULL), name) == 0)
			return i;
	cr_assert(false, "no function %s", name);
	return 0;
}

static const struct graph_arc *find_arc(const struct graph *g, const char *caller,
					const char *callee)
{
	uint32_t from = find(g, caller), to = find(g, callee);

	for (size_t i = 0; i < g->n_arcs; i++)
		if (g->arcs[i].caller == from && g->arcs[i].callee == to)
			return &g->arcs[i];
	cr_assert(false, "no call of %s by %s", callee, caller);
	return NULL;
}

/* The names, in the graph's order, separated by bars. */
static void expect_names_in(struct profile *p, const char *names)
{
	struct graph *g = graph_of(p);
	char seen[1000] = "";

	for (size_t i = 0; i < g->n_functions; i++)
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s%s", i ? "|" : "",
			 strings_get(g->strings, g->functions[i].name, NULL));
	cr_assert_str_eq(seen, names);
	graph_free(g);
	profile_free(p);
}

static void expect_names(const char *const *texts, const char *names)
{
	expect_names_in(profile_of_texts(texts, NULL), names);
}

static struct profile *profile_of_functions(const struct event_function *functions, size_t n)
{
	struct error err = {0};
	struct profile_builder *b = profile_builder_new(&err);
	const struct event_sink *sink = profile_builder_sink(b);
	const struct event_process process = {
		.kind = &decode_pstats.kind,
		.file = "functions",
		.resource = event_text_of("real"),
		.unit = event_text_of("ns"),
		.scale = 1,
	};

	cr_assert_eq(event_push_process(&sink, &process, &err), 0, "%s", err.text);
	for (size_t i = 0; i < n; i++) {
		const struct event_self self = {
			.function = functions[i], .weight = 1, .hits = 1, .inclusive_weight = 1};

		cr_assert_eq(sink->self(sink->context, &self, &err), 0, "%s", err.text);
	}
	cr_assert_eq(
		sink->end(sink->context, &(struct event_end){.ticks = n, .has_totals = true}, &err),
		0, "%s", err.text);
	return profile_builder_finish(b, &err);
}

static void expect_names_of(const struct event_function *functions, size_t n, const char *names)
{
	expect_names_in(profile_of_functions(functions, n), names);
}

#define NAMES(names, ...) expect_names((const char *const[]){__VA_ARGS__, NULL}, names)

Test(calls, names_are_told_apart_only_where_they_must)
{
	NAMES("f|g", HEAD "ob=o\nfl=a.c\nfn=f\n1 1\nfl=b.c\nfn=g\n1 1\n");
	NAMES("f (a.c)|f (b.c)|g",
	      HEAD "ob=o\nfl=x/a.c\nfn=f\n1 1\nfl=x/b.c\nfn=f\n1 1\nfn=g\n1 1\n");
	/* A file that is not known tells nothing. */
	NAMES("f (a.so)|f (b.so)",
	      HEAD "ob=/l/a.so\nfl=???\nfn=f\n1 1\nob=/l/b.so\nfl=b.c\nfn=f\n1 1\n");
	NAMES("f (a.so)|f (b.so)", HEAD "ob=/l/a.so\nfl=a.c\nfn=f\n1 1\nob=/l/b.so\nfn=f\n1 1\n");
	NAMES("f (???, a.so)|f (b.c, a.so)",
	      HEAD "ob=a.so\nfl=???\nfn=f\n1 1\nfl=b.c\nfn=f\n1 1\n");
	NAMES("f (x/a.c, o)|f (y/a.c, o)", HEAD "ob=o\nfl=x/a.c\nfn=f\n1 1\nfl=y/a.c\nfn=f\n1 1\n");
}

/* Functions with lines are told apart by these beside others that have none, as C functions in what profile.py writes. Seen to fail:
 * "f (/x/a.py, ???)" for both. */
Test(calls, names_of_a_script_beside_others)
{
#define F(path, at)                                                                                \
	{                                                                                          \
		.name = {"f", 1}, .file = {path, sizeof(path) - 1}, .line = (at)                   \
	}
	static const struct event_function one_other[] = {F("/x/a.py", 1), F("", 0),
							  F("/x/a.py", 2), F("b.py", 1)};
	static const struct event_function others[] = {F("a.py", 0), F("b.py", 0), F("a.py", 1)};
#undef F

	expect_names_of(one_other, 4, "f|f (a.py:1)|f (a.py:2)|f (b.py)");
	expect_names_of(others, 3, "f (a.py)|f (a.py:1)|f (b.py)");
}

/* Names and files of a profile of Python may have any bytes. Seen to fail: "f (a" and "f (b:1". */
Test(calls, names_of_any_bytes)
{
	static const struct event_function functions[] = {
		{.name = {"f", 1}, .file = {"/\0/a\0b", 6}, .line = 1},
		{.name = {"g\0", 2}, .file = {"/x/c", 4}, .line = 1},
		{.name = {"g\0", 2}, .file = {"/x/\0c", 5}, .line = 1},
		{.name = {"g\0", 2}, .file = {"/y/\0c", 5}, .line = 1},
	};
	static const struct event_text want[] = {
		{"f (a\0b)", 7}, {"g\0 (c)", 6}, {"g\0 (x/\0c:1)", 11}, {"g\0 (y/\0c:1)", 11}};
	struct profile *p = profile_of_functions(functions, 4);
	struct graph *g = graph_of(p);

	cr_assert_eq(g->n_functions, 4);
	for (size_t i = 0; i < 4; i++) {
		size_t n, found = 0;

		for (size_t k = 0; k < 4; k++) {
			const char *name = strings_get(g->strings, g->functions[k].name, &n);

			found += n == want[i].length && !memcmp(name, want[i].bytes, n);
		}
		cr_expect_eq(found, 1, "name %zu", i);
	}
	graph_free(g);
	profile_free(p);
}

/* ... also when the second of them comes with the second file. */
Test(calls, files_are_merged_by_function)
{
	static const char *const texts[] = {
		HEAD "fl=a.c\nfn=f\n1 5\ncfn=g\ncalls=2 1\n1 10\nfn=g\n1 10\n",
		HEAD "fl=b.c\nfn=f\n1 7\nfl=a.c\nfn=f\n1 1\ncfn=g\ncalls=3 1\n1 20\nfn=g\n1 20\n",
		NULL,
	};
	struct profile *p = profile_of_texts(texts, NULL);
	struct graph *g = graph_of(p);

	cr_assert_eq(g->n_functions, 3);
	cr_assert_eq(g->functions[find(g, "f (a.c)")].self, 6);
	cr_assert_eq(g->functions[find(g, "f (a.c)")].total, 36);
	cr_assert_eq(g->functions[find(g, "f (b.c)")].self, 7);
	cr_assert_eq(g->functions[find(g, "g")].self, 30);
	cr_assert_eq(find_arc(g, "f (a.c)", "g")->calls, 5);
	cr_assert_eq(find_arc(g, "f (a.c)", "g")->weight, 30);
	cr_assert_eq(g->total, 43);
	cr_assert_eq(p->n_processes, 2);
	cr_assert_eq(p->processes[1].weight, 28);
	graph_free(g);
	profile_free(p);
}

Test(calls, stacks_and_calls_do_not_mix)
{
	static const char *const before[] = {"a;b 1\n", HEAD "fn=f\n1 1\n", NULL};
	static const char *const after[] = {HEAD "fn=f\n1 1\n", "a;b 1\n", NULL};
	static const char *const other[] = {HEAD "fn=f\n1 1\n", "events: Dr\nfn=f\n1 1\n", NULL};

	profile_of_texts(before, "it has calls without stacks, but /proc/self/fd/");
	profile_of_texts(after, "it has stacks, but /proc/self/fd/");
	profile_of_texts(other, "it counts \"Dr\" in \"Dr\"");
}

Test(calls, sums_that_do_not_fit)
{
	static const char *const self[] = {HEAD "fn=f\n1 18446744073709551615\n",
					   HEAD "fn=f\n1 1\n", NULL};
	static const char *const inclusive[] = {
		HEAD "fn=f\n1 0\ncfn=g\ncalls=1 1\n1 18446744073709551615\nfn=f\n1 1\n", NULL};
	static const char *const weight[] = {
		HEAD
		"fn=f\n1 0\ncfn=g\ncalls=1 1\n1 18446744073709551615\nfn=f'2\ncfn=g\ncalls=1 1\n"
		"1 1\n",
		NULL};
	static const char *const count[] = {
		HEAD "fn=f\n1 0\ncfn=g\ncalls=18446744073709551615 1\n1 1\ncfn=g\ncalls=1 1\n1 1\n",
		NULL};

	profile_of_texts(self, "overflow: the sum of weights does not fit 64 bits");
	profile_of_texts(inclusive, "overflow: the inclusive weight of a function");
	profile_of_texts(weight, "overflow: the inclusive weight of a call");
	profile_of_texts(count, "overflow: the number of calls");
}

/* ---- totals ---------------------------------------------------------------------------------- */

/* Totals as a view has them. */
static void set_totals(struct graph *g)
{
	struct error err;

	cr_assert_eq(propagate_totals(g, &err), 0, "%s", err.text);
	cr_assert(g->propagation, "views do not propagate them once more");
}

static const char blocks[] = "index % time    self  children    called     name\n"
			     "                0.01    0.02       2/8           main [2]\n"
			     "                0.01    0.02       6/8           help [3]\n"
			     "[1]     50.0    0.80    0.00       8         work [1]\n----\n"
			     "                                                 <spontaneous>\n"
			     "[2]     50.0    0.00    0.08                 main [2]\n"
			     "                0.01    0.02       2/8           work [1]\n"
			     "                0.01    0.02       3/3           help [3]\n----\n"
			     "                0.01    0.02       3/3           main [2]\n"
			     "[3]     50.0    0.20    0.08       3+5       help [3]\n"
			     "                0.01    0.02       6/8           work [1]\n"
			     "                                   5             help [3]\n----\n";

/* A call of work costs the same whoever calls it: help's six calls 0.6 s. */
Test(calls, id_table_of_calls_divide_time)
{
	struct profile *p = profile_of(blocks);
	struct graph *g = graph_of(p);

	cr_assert(g->has_calls && !g->has_weights && !g->has_totals);
	cr_assert(!g->tree);
	set_totals(g);
	cr_assert_eq(g->total, 1000000000);
	cr_assert_eq(g->functions[find(g, "main")].total, 1000000000);
	cr_assert_eq(g->functions[find(g, "help")].total, 800000000);
	cr_assert_eq(g->functions[find(g, "work")].total, 800000000);
	cr_assert_eq(find_arc(g, "help", "work")->occurrences, 6);
	cr_assert_eq(find_arc(g, "help", "work")->weight, 600000000);
	cr_assert_eq(find_arc(g, "main", "work")->weight, 200000000);
	cr_assert_eq(find_arc(g, "help", "help")->calls, 5);
	cr_assert_eq(find_arc(g, "help", "help")->weight, 0);
	cr_assert(g->starts[find(g, "main")].is_start);
	cr_assert(!g->starts[find(g, "help")].is_start);
	graph_free(g);
	profile_free(p);
}

/* What the library calls back seems to be called by nobody: of the cycle of a and b, a is called
 * less by the other. Only c calls itself: it is no cycle. */
Test(calls, a_cycle_that_nobody_calls_is_entered_where_it_is_called_least)
{
	struct profile *p =
		profile_of("index % time    self  children    called     name\n"
			   "[1]     50.0    0.30    0.00       2         a <cycle 1> [1]\n"
			   "                                   9             b <cycle 1> [2]\n"
			   "----\n"
			   "[2]     50.0    0.50    0.00       9         b <cycle 1> [2]\n"
			   "                                   2             a <cycle 1> [1]\n"
			   "----\n"
			   "[3]     50.0    0.20    0.00     0+7         c [3]\n"
			   "                                   7             c [3]\n"
			   "----\n");
	struct graph *g = graph_of(p);

	cr_assert(g->starts[find(g, "a")].is_start);
	cr_assert(!g->starts[find(g, "b")].is_start);
	cr_assert(g->starts[find(g, "c")].is_start);
	set_totals(g);
	cr_assert_eq(g->functions[find(g, "a")].total, 800000000);
	cr_assert_eq(g->functions[find(g, "b")].total, 500000000);
	cr_assert_eq(g->functions[find(g, "c")].total, 200000000);
	graph_free(g);
	profile_free(p);
}

/* One call of work is dear: what was measured divides its time, not the numbers. */
Test(calls, measured_costs_divide_time)
{
	struct profile *p =
		profile_of(HEAD "fn=main\n1 0\ncfn=work\ncalls=1 1\n1 90\ncfn=help\n"
				"calls=1 1\n1 10\nfn=help\n1 0\ncfn=work\ncalls=9 1\n1 10\n"
				"fn=work\n1 100\n");
	struct graph *g = graph_of(p);

	cr_assert(g->has_calls && g->has_weights && g->has_totals);
	cr_assert_eq(g->functions[find(g, "help")].total, 10);
	cr_assert_eq(find_arc(g, "help", "work")->occurrences, 10);
	set_totals(g);
	cr_assert_eq(g->functions[find(g, "help")].total, 10);
	cr_assert_eq(g->functions[find(g, "main")].total, 100);
	graph_free(g);
	profile_free(p);
}

/* A cycle of functions that never run twice is one of the graph only, but the file does not say so. */
Test(calls, totals_of_cycles_need_levels)
{
	static const char cycle[] =
		HEAD "fn=main\n1 0\ncfn=a\ncalls=1 1\n1 30\ncfn=b\ncalls=1 1\n1 70\n"
		     "fn=a\n1 10\ncfn=b\ncalls=1 1\n1 20\n"
		     "fn=b\n1 30\ncfn=a\ncalls=1 1\n1 40\n"
		     "fn=a\n1 40\nfn=b\n1 20\n";
	char *levels;
	struct profile *p = profile_of(cycle);
	struct graph *g = graph_of(p);

	cr_assert(!g->has_totals);
	graph_free(g);
	profile_free(p);
	cr_assert_gt(asprintf(&levels, "%sfn=c'2\n1 0\n", cycle), 0);
	p = profile_of(levels);
	g = graph_of(p);
	cr_assert(g->has_totals);
	cr_assert_eq(g->functions[find(g, "a")].total, 70);
	cr_assert_eq(g->functions[find(g, "b")].total, 90);
	graph_free(g);
	profile_free(p);
	free(levels);
}

/* ---- what callgrind would have written of stacks ------------------------------------------------ */

/* f, or f'2 if it stands further out already. */
static void put_name(FILE *f, const char *key, char *const *frames, int i)
{
	int k = 0;

	while (k < i && strcmp(frames[k], frames[i]) != 0)
		k++;
	fprintf(f, "%s=%s%s\n", key, frames[i], k < i ? "'2" : "");
}

static void put_stack(FILE *f, char *line)
{
	char *frames[100], *count = strrchr(line, ' ') + 1, *rest = line;
	int n = 0;

	count[-1] = '\0';
	while (rest)
		frames[n++] = strsep(&rest, ";");
	put_name(f, "fn", frames, n - 1);
	fprintf(f, "1 %s\n", count);
	for (int i = 1; i < n; i++) {
		put_name(f, "fn", frames, i - 1);
		put_name(f, "cfn", frames, i);
		fprintf(f, "calls=1 1\n1 %s\n", count);
	}
}

static char *callgrind_of(const char *folded)
{
	char *copy = strdup(folded), *text = NULL, *rest = copy, *line;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	fputs("# callgrind format\n" HEAD, f);
	while ((line = strsep(&rest, "\n")) && *line)
		put_stack(f, line);
	fputs("fn=(other)'2\n1 0\n", f); /* so that it has levels */
	fclose(f);
	free(copy);
	return text;
}

static void compare(const struct graph *stacks, const struct graph *calls)
{
	cr_assert_eq(stacks->total, calls->total);
	cr_assert(calls->has_totals);
	cr_assert_eq(stacks->n_functions + 1, calls->n_functions);
	cr_assert_eq(stacks->n_arcs, calls->n_arcs);
	for (size_t i = 0; i < stacks->n_functions; i++) {
		const struct tree_function *f = &stacks->functions[i];
		const char *name = strings_get(stacks->strings, f->name, NULL);
		uint32_t k = find(calls, name);

		cr_assert_eq(f->self, calls->functions[k].self, "%s", name);
		cr_assert_eq(f->total, calls->functions[k].total, "%s", name);
		cr_assert_eq(f->hits, calls->functions[k].hits, "%s", name);
		cr_assert_eq(stacks->starts[i].weight, calls->starts[k].weight, "%s", name);
	}
}

/* Exact totals, with any recursion. */
Test(calls, totals_are_those_of_the_stacks)
{
	for (unsigned seed = 0; seed < 60; seed++) {
		srand(seed);
		char *folded = random_stacks(40, 12, 2 + (int)(seed % 6), seed % 3 == 0);
		char *text = callgrind_of(folded);
		struct error err;
		struct profile *p = profile_of(folded), *q = profile_of(text);
		struct tree *t = tree_of(p);
		struct graph *stacks = graph_build(t, &err), *calls = graph_of(q);

		compare(stacks, calls);
		graph_free(stacks);
		graph_free(calls);
		tree_free(t);
		profile_free(p);
		profile_free(q);
		free(folded);
		free(text);
	}
}
