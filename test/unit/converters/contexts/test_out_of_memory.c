/* SPDX-License-Identifier: MIT */
/* test_out_of_memory.c - wherever memory runs out, an analysis says so and has given back all it had;
 * and so it has when memory did not run out, and when somebody stops it. Seen to fail: a walk that
 * goes on; one that keeps its table. */
#include "base/stop.h"
#include "contexts/arc_times.h"
#include "contexts/contexts.h"
#include "contexts/history.h"
#include "folded_text.h"
#include "graph/function_names.h"
#include "graph/graph.h"
#include "graph/propagate.h"
#include "random_stacks.h"
#include "scarce_memory.h"
#include "tree/bottomup.h"
#include "tree/callpath.h"
#include "tree/recurring.h"

/* What analyses are made of. */
struct given {
	struct profile *stacks, *calls;
	struct tree *tree;
	struct graph *graph;
	uint32_t root;
};

static int a_tree(const struct given *g, struct error *err)
{
	struct tree *t =
		tree_build(g->stacks, NULL, &(struct tree_options){.unit = TREE_HITS}, err);

	tree_free(t);
	return t ? 0 : -1;
}

static int a_filtered_tree(const struct given *g, struct error *err)
{
	struct filter f = {0}, copy = {0};
	struct tree *t = NULL;

	if (!filter_add(&f, FILTER_IGNORE, "b", err) &&
	    !filter_add(&f, FILTER_HIDE, "a,main", err) && !filter_copy(&copy, &f, err))
		t = tree_build(g->stacks, NULL, &(struct tree_options){.filter = &copy}, err);
	tree_free(t);
	filter_clear(&copy);
	filter_clear(&f);
	return t ? 0 : -1;
}

static int a_tree_with_symbols(const struct given *g, struct error *err)
{
	const struct symbols_options by_line = {.granularity = SYMBOLS_BY_LINE};
	struct symbols *s = symbols_new(g->stacks, &by_line, err);
	struct tree *t = s ? tree_build(g->stacks, s, &(struct tree_options){0}, err) : NULL;

	tree_free(t);
	symbols_free(s);
	return t ? 0 : -1;
}

static int functions(const struct given *g, struct error *err)
{
	size_t n;
	struct tree_function *f = tree_functions(g->tree, &n, err);

	free(f);
	return f ? 0 : -1;
}

static int roots(const struct given *g, struct error *err)
{
	struct function_names f;

	if (function_names_of_tree(&f, g->tree, "main", err))
		return -1;
	function_names_free(&f);
	return 0;
}

static int a_subtree(const struct given *g, struct error *err)
{
	struct tree *t = subtree_build(g->tree, &g->root, 1, err);

	tree_free(t);
	return t ? 0 : -1;
}

static int call_paths(const struct given *g, struct error *err)
{
	struct callpaths *c = callpath_down(g->tree, &g->root, 1, err);

	callpath_free(c);
	return c ? 0 : -1;
}

static int upward_call_paths(const struct given *g, struct error *err)
{
	const struct callpath_limits limits = {0, CALLPATH_UP_MOST};
	struct callpaths *c = callpath_up(g->tree, &g->root, 1, &limits, err);

	callpath_free(c);
	return c ? 0 : -1;
}

static int sequences(const struct given *g, struct error *err)
{
	struct recurring *r = recurring_find(g->tree, 0, err);

	recurring_free(r);
	return r ? 0 : -1;
}

static int walk(struct bottomup *b)
{
	struct bottomup_node node;

	while (b && bottomup_next(b, &node))
		;
	bottomup_free(b);
	return b ? 0 : -1;
}

static int callers(const struct given *g, struct error *err)
{
	return walk(bottomup_new(g->tree, NULL, 0, err));
}

static int callers_of_a_function(const struct given *g, struct error *err)
{
	return walk(bottomup_new(g->tree, &g->root, 1, err));
}

static int a_graph(const struct given *g, struct error *err)
{
	struct graph *graph = graph_build(g->tree, err);

	graph_free(graph);
	return graph ? 0 : -1;
}

static int a_graph_of_calls(const struct given *g, struct error *err)
{
	struct graph *graph = graph_of_calls(g->calls, TREE_GTICKS, err);

	graph_free(graph);
	return graph ? 0 : -1;
}

static int propagated_totals(const struct given *g, struct error *err)
{
	struct propagation p;
	int status = propagate_graph(&p, g->graph, err);

	if (!status)
		propagate_free(&p);
	return status;
}

static int distances(const struct given *g, struct error *err)
{
	uint32_t calls[RANDOM_NAMES] = {0};

	return call_distance_spread(calls, g->graph, true, err);
}

/* What is suggested is an error, too. */
static int suggestions(const struct given *g, struct error *err)
{
	int status = suggest_functions(g->tree, "mian", err);

	return strcmp(err->text, "no function \"mian\" in the profile; similar: main") == 0
		       ? 0
		       : status;
}

static int suggestions_for_a_filter(const struct given *g, struct error *err)
{
	struct filter f = {0};
	int status = filter_add(&f, FILTER_FOCUS, "mian", err);

	if (!status)
		status = suggest_focus(&f, g->stacks, NULL, err);
	filter_clear(&f);
	return strstr(err->text, "; similar: main") ? 0 : status;
}

static int contexts(const struct given *g, struct error *err)
{
	struct contexts *c = contexts_build(g->tree, true, err);

	contexts_free(c);
	return c ? 0 : -1;
}

static int histories(const struct given *g, struct error *err)
{
	const struct history_item items[] = {{1, 1}, {2, 1}, {1, 1}};
	struct history_reader r;
	struct history h;
	int status = history_open(&r, g->tree, items, 3, err);

	while (!status && (status = history_next(&r, &h, err)) > 0)
		status = 0;
	history_close(&r);
	return status;
}

static int a_report(const struct given *g, struct error *err)
{
	struct gprof_report r;
	int status = gprof_report_open(&r, g->tree, err);

	gprof_report_close(&r);
	return status;
}

static int shares(const struct given *g, struct error *err)
{
	struct caller_shares s;
	int status = caller_shares_of_graph(&s, g->graph, err);

	caller_shares_free(&s);
	return status;
}

/* One of its allocations after the other fails, until all of them succeed. */
static void starve(const char *name, int (*analysis)(const struct given *, struct error *),
		   const struct given *g)
{
	struct error err = {0};
	bool has_failed = true;
	size_t at;
	int status;

	cr_assert_eq(analysis(g, &err), 0, "%s: %s", name, err.text);
	for (at = 0; has_failed; at++) {
		err.text[0] = '\0';
		scarce_begin(at);
		status = analysis(g, &err);
		has_failed = scarce_end();
		cr_assert_eq(status, has_failed ? -1 : 0, "%s, allocation %zu: %d, %s", name, at,
			     status, err.text);
		if (has_failed)
			cr_assert(strstr(err.text, "out of memory"), "%s, allocation %zu: %s", name,
				  at, err.text);
		cr_assert_eq(memory.held, 0, "%s, allocation %zu: %ld are held", name, at,
			     memory.held);
	}
	cr_assert_gt(at, 1, "%s takes no memory", name);
}

#define STARVE(analysis) starve(#analysis, analysis, g)

static void starve_all(const struct given *g)
{
	STARVE(a_tree);
	STARVE(a_filtered_tree);
	STARVE(a_tree_with_symbols);
	STARVE(functions);
	STARVE(roots);
	STARVE(a_subtree);
	STARVE(call_paths);
	STARVE(upward_call_paths);
	STARVE(callers);
	STARVE(callers_of_a_function);
	STARVE(sequences);
	STARVE(a_graph);
	STARVE(a_graph_of_calls);
	STARVE(propagated_totals);
	STARVE(distances);
	STARVE(suggestions);
	STARVE(suggestions_for_a_filter);
	STARVE(contexts);
	STARVE(histories);
	STARVE(a_report);
	STARVE(shares);
}

/* Three functions, of which main is the last one and two call each other. */
static const char calls[] =
	"# callgrind format\nevents: Ir\nfn=a\n1 5\ncfn=b\ncalls=3 1\n1 4\n"
	"fn=b\n1 5\ncfn=a\ncalls=1 1\n1 2\nfn=main\n1 3\ncfn=a\ncalls=1 1\n1 10\n";

Test(out_of_memory, is_an_error_everywhere, .timeout = 60)
{
	int round;

	if (!MEMORY_CAN_BE_SCARCE)
		cr_skip_test("the sanitizer has its own malloc");
	srand(5);
	for (round = 0; round < 10; round++) {
		char *folded = random_stacks(5 + round * 5, 2 + round, 3, false);
		struct given g = {.stacks = profile_of(folded), .calls = profile_of(calls)};
		struct error err;

		g.tree = tree_of(g.stacks);
		g.graph = graph_build(g.tree, &err);
		g.root = number_of(g.tree, "main");
		if (g.root != STRINGS_NONE)
			starve_all(&g);
		graph_free(g.graph);
		tree_free(g.tree);
		profile_free(g.calls);
		profile_free(g.stacks);
		free(folded);
	}
}

/* Somebody stops it; then it is run again. */
static void stop(const char *name, int (*analysis)(const struct given *, struct error *),
		 const struct given *g)
{
	struct error err = {0};
	int status;

	scarce_begin(SIZE_MAX);
	stop_request();
	status = analysis(g, &err);
	stop_forget();
	scarce_end();
	cr_assert_eq(status, -1, "%s goes on", name);
	cr_assert_str_eq(err.text, "interrupted", "%s", name);
	cr_assert_eq(memory.held, 0, "%s: %ld are held", name, memory.held);
	cr_assert_eq(analysis(g, &err), 0, "%s: %s", name, err.text);
}

#define STOP(analysis) stop(#analysis, analysis, &g)

Test(out_of_memory, stopped)
{
	char *folded = random_stacks(50, 8, 3, false);
	struct given g = {.stacks = profile_of(folded)};

	g.tree = tree_of(g.stacks);
	g.root = g.tree->nodes[1].name;
	STOP(a_tree);
	STOP(a_filtered_tree);
	STOP(call_paths);
	STOP(upward_call_paths);
	STOP(a_graph);
	STOP(contexts);
	STOP(a_report);
	tree_free(g.tree);
	profile_free(g.stacks);
	free(folded);
}
