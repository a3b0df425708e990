/* SPDX-License-Identifier: MIT */
/*
 * test_call_views.c - what views show of calls that were counted beside samples.
 */
#include "graph/call_counts.h"
#include "view_text.h"

/* ---- a profile with calls -------------------------------------------------------------------- */

/* The child with that name, which is added if it is new. */
static uint32_t child(struct profile *p, uint32_t parent, const char *name)
{
	struct profile_counted *c = p->counted;
	uint32_t string = strings_add(p->strings, name, strlen(name));
	bool is_cut = strcmp(name, "[cut]") == 0;

	for (uint32_t i = 1; i < c->n_nodes; i++)
		if (c->nodes[i].parent == parent && c->frames[c->nodes[i].frame].name == string)
			return i;
	c->frames = realloc(c->frames, (c->n_frames + 1) * sizeof(*c->frames));
	c->nodes = realloc(c->nodes, (c->n_nodes + 1) * sizeof(*c->nodes));
	c->frames[c->n_frames] = (struct profile_frame){PROFILE_NO_MODULE, string, 0};
	c->nodes[c->n_nodes] =
		(struct profile_node){.parent = parent, .frame = (uint32_t)c->n_frames++};
	c->has_cut |= is_cut;
	return (uint32_t)c->n_nodes++;
}

/* Lines "PATH ENTERED DIRECT", a path as folded stacks have it. */
static void count(struct profile *p, const char *calls)
{
	char *text = strdup(calls), *rest = text, *line;

	p->counted = calloc(1, sizeof(*p->counted));
	p->counted->nodes = calloc(1, sizeof(*p->counted->nodes));
	p->counted->n_nodes = 1;
	while ((line = strsep(&rest, "\n")) && *line) {
		unsigned long long led, direct;
		char *space = strchr(line, ' '), *path = line, *name;
		uint32_t node = 0;

		*space = '\0';
		cr_assert_eq(sscanf(space + 1, "%llu %llu", &led, &direct), 2);
		while ((name = strsep(&path, ";")))
			node = child(p, node, name);
		p->counted->nodes[node].self_weight = led;
		p->counted->nodes[node].self_hits = direct;
	}
	free(text);
}

/* The output of the view; to be freed. */
static char *text_of(const struct view *v, struct profile *p, const struct view_options *options)
{
	struct out *o = open_text();
	struct error err;
	struct tree *t = tree_build(p, NULL, &(struct tree_options){0}, &err);
	struct tree *calls = p->counted ? counted_tree_build(p, NULL, NULL, &err) : NULL;
	struct graph *g = graph_build(t, &err);
	struct view_input in = {
		.profile = p, .options = options, .tree = t, .graph = g, .calls = calls};

	cr_assert_eq(view_show(v, &in, o, &err), 0, "%s", err.text);
	graph_free(g);
	tree_free(calls);
	tree_free(t);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	return text_of_file("text");
}

static void counts(const struct view *v, const char *folded, const char *calls,
		   struct view_options options, const char *want)
{
	struct profile *p = profile_of(folded);
	char *text;

	if (calls)
		count(p, calls);
	text = text_of(v, p, &options);
	cr_assert_str_eq(text, want);
	free(text);
	profile_free(p);
}

/* _start and memcpy are not compiled to be counted; f calls itself; h was never sampled. */
static const char stacks[] = "_start;main 1\n_start;main;f;f 5\n_start;main;f;g;memcpy 4\n";
static const char called[] = "main 1 0\nmain;f 10 7\nmain;f;g 300 0\nmain;f;g;h 2 0\n";

/* Seen to fail: before there were calls. */
Test(call_views, edges)
{
	struct view_options options = defaults;

	options.format = VIEW_TSV;
	counts(&view_edges, stacks, called, options,
	       "_start\tmain\t10\t10\t10\t\n"
	       "f\tf\t0\t5\t5\t7\n"
	       "f\tg\t4\t4\t4\t300\n"
	       "g\th\t0\t0\t0\t2\n"
	       "g\tmemcpy\t4\t4\t4\t\n"
	       "main\tf\t9\t9\t9\t10\n");
	options.root = "f";
	counts(&view_edges, stacks, called, options,
	       "f\tf\t0\t5\t5\t7\n"
	       "f\tg\t4\t4\t4\t300\n"
	       "g\th\t0\t0\t0\t2\n"
	       "g\tmemcpy\t4\t4\t4\t\n");
}

/* Of a path that was cut the caller counts. Seen to fail: with a tree in which what was cut is a caller. */
Test(call_views, edges_of_cut_paths)
{
	struct view_options options = defaults;

	options.format = VIEW_TSV;
	counts(&view_edges, "main;f 3\n", "main 1 0\nmain;f 2 0\n[cut];main;f 5 1\n[cut];f 4 0\n",
	       options, "f\tf\t0\t0\t0\t1\nmain\tf\t3\t3\t3\t7\n");
	counts(&view_functions, "main;f 3\n",
	       "main 1 0\nmain;f 2 0\n[cut];main;f 5 1\n[cut];f 4 0\n", options,
	       "3\t1\tf\t12\n3\t1\tmain\t1\n");
}

/* Seen to fail: before there were calls. */
Test(call_views, functions)
{
	struct view_options options = defaults;

	options.format = VIEW_TSV;
	counts(&view_functions, stacks, called, options,
	       "10\t1\t_start\t\n10\t1\tmain\t1\n9\t0.9\tf\t17\n4\t0.4\tg\t300\n"
	       "4\t0.4\tmemcpy\t\n0\t0\th\t2\n");
	counts(&view_functions, stacks, NULL, options,
	       "10\t1\t_start\t\n10\t1\tmain\t\n9\t0.9\tf\t\n4\t0.4\tg\t\n4\t0.4\tmemcpy\t\n");
}

/* What is compiled anew under one name, as a clone, is one function: a call of the other is a direct recursion. Seen to
 * fail: before there were calls. */
Test(call_views, functions_of_one_name)
{
	struct view_options options = defaults;

	options.format = VIEW_TSV;
	counts(&view_edges, "main;f 3\n", "main 1 0\nmain;f 2 0\nmain;f;f 6 0\n", options,
	       "f\tf\t0\t0\t0\t6\nmain\tf\t3\t3\t3\t2\n");
}

/* Seen to fail: before there were calls. */
Test(call_views, contexts)
{
	struct view_options options = defaults;
	struct profile *p = profile_of(stacks);
	char *text;

	options.format = VIEW_TSV;
	count(p, called);
	text = text_of(&view_contexts, p, &options);
	*strstr(text, "func\t") = '\0';
	cr_assert_str_eq(text, "summary\tcontexts\t5\t3\n"
			       "context\t5\tTTT\t_start;main;f\t10\t7\n"
			       "context\t4\tTTTTT\t_start;main;f;g;memcpy\t\t\n"
			       "context\t1\tTT\t_start;main\t1\t0\n"
			       "context\t0\tT\t_start\t\t\n"
			       "context\t0\tTTTT\t_start;main;f;g\t300\t0\n"
			       "context\t0\tTTTT\tmain;f;g;h\t2\t0\n");
	free(text);
	profile_free(p);
}

/* qsort is not counted, so that main calls cmp in both contexts: the numbers stand beside neither. Seen to fail: with a view that
 * gave them to both. */
Test(call_views, contexts_that_cannot_be_told_apart)
{
	struct view_options options = defaults;
	struct profile *p = profile_of("main;qsort;cmp 3\nmain;cmp 2\n");
	char *text;

	options.format = VIEW_TSV;
	count(p, "main 1 0\nmain;cmp 50 0\n");
	text = text_of(&view_contexts, p, &options);
	*strstr(text, "func\t") = '\0';
	cr_assert_str_eq(text, "summary\tcontexts\t4\t2\n"
			       "context\t3\tTTT\tmain;qsort;cmp\t\t\n"
			       "context\t2\tTT\tmain;cmp\t\t\n"
			       "context\t0\tT\tmain\t1\t0\n"
			       "context\t0\tTT\tmain;qsort\t\t\n"
			       "context\t0\tTT\tmain;cmp\t50\t0\n");
	free(text);
	profile_free(p);
}

/* f takes 9 of 10 for a, which makes 1 of 10 calls; g is called by qsort, too, whose calls are not counted, so that it is not
 * compared. Seen to fail: with a view that compared g. */
Test(call_views, average_time)
{
	struct view_options options = defaults;

	options.format = VIEW_TSV;
	counts(&view_average_time,
	       "main;a;f 9\nmain;b;f 1\nmain;a;g 1\nmain;a;qsort;g 5\nmain;b;g 3\n",
	       "main 1 0\nmain;a 1 0\nmain;b 1 0\nmain;a;f 1 0\nmain;b;f 9 0\nmain;a;g 10 0\n"
	       "main;b;g 1 0\n",
	       options,
	       "f\ta\t1\t0.1\t9\t0.9\t0.8\t0.42105263157894735\n"
	       "f\tb\t9\t0.9\t1\t0.1\t-0.8\t0.42105263157894735\n");
}

/* What people read of the view, from the function on. */
static void average_of(const char *folded, const char *calls, const char *root, double threshold,
		       const char *want)
{
	struct view_options options = defaults;
	struct profile *p = profile_of(folded);
	char *text;

	options.root = root;
	options.threshold = threshold;
	count(p, calls);
	text = text_of(&view_average_time, p, &options);
	cr_assert(strstr(text, want), "%s", text);
	free(text);
	profile_free(p);
}

/* A caller without time makes one of 90,001 calls. Seen to fail: when it had a row of 0.00 and 0.00. */
Test(call_views, average_time_of_next_to_nothing)
{
	average_of(
		"main;a;f 9\nmain;b;f 1\n",
		"main 1 0\nmain;a 1 0\nmain;b 1 0\nmain;c 1 0\nmain;a;f 50000 0\nmain;b;f 40000 0\n"
		"main;c;f 1 0\n",
		"f", 0, "1 caller off by less than 0.005 %\n");
}

/* Seen to fail: when it was said that f has not got several callers. */
Test(call_views, average_time_of_callers_unlike)
{
	struct view_options options = defaults;
	struct profile *p = profile_of("main;qsort;f 9\n");
	struct out *o = open_text();
	struct error err;
	struct tree *t = tree_of(p), *calls;
	struct graph *g = graph_build(t, &err);
	struct view_input in = {.profile = p, .options = &options, .tree = t, .graph = g};

	count(p, "main 1 0\nmain;a 1 0\nmain;a;f 3 0\nmain;f 9 0\n");
	in.calls = calls = counted_tree_build(p, NULL, NULL, &err);
	options.root = "f";
	cr_assert_eq(view_show(&view_average_time, &in, o, &err), -1);
	cr_assert_str_eq(err.text,
			 "--root: the callers of \"f\" in samples are not those that were "
			 "counted: some of who calls it does not tell of calls");
	out_close(o, false, &err);
	tree_free(calls);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}

/* Seen to fail: before its format said so. */
Test(call_views, format_of_functions)
{
	struct view_options options = defaults;
	struct profile *p = profile_of(stacks);
	char *text;

	count(p, called);
	text = text_of(&view_functions, p, &options);
	cr_assert(strstr(text, "\nformat: usage_fraction function_name [#raw_samples] #calls\n"),
		  "%s", text);
	cr_assert(strstr(text, "\n0.9000 f [9] 17 calls\n"), "%s", text);
	free(text);
	profile_free(p);
}

/* Seen to fail: before there were calls. */
Test(call_views, callgraph)
{
	struct view_options options = defaults;
	struct profile *p = profile_of(stacks);
	char *text;

	count(p, called);
	text = text_of(&view_callgraph, p, &options);
	cr_assert(strstr(text, "[3]    90.00       5.0      4.0     10+7  f [3]\n"), "%s", text);
	cr_assert(strstr(text, " 300/300    f [3]\n"), "%s", text);
	cr_assert(strstr(text, " 300/300    g [4]\n"), "%s", text);
	free(text);
	options.format = VIEW_TSV;
	text = text_of(&view_callgraph, p, &options);
	cr_assert_str_eq(text, "func\t_start\t0\t10\t10\t\nfunc\tmain\t1\t9\t10\t1\n"
			       "func\tf\t5\t4\t9\t17\nfunc\tg\t0\t4\t4\t300\n"
			       "func\tmemcpy\t4\t0\t4\t\n"
			       "arc\t_start\tmain\t1\t9\t1\t9\t\n"
			       "arc\tf\tg\t0\t4\t0\t4\t300\n"
			       "arc\tg\tmemcpy\t4\t0\t4\t0\t\n"
			       "arc\tmain\tf\t5\t4\t5\t4\t10\n"
			       "arc\tf\tf\t0\t0\t0\t0\t7\narc\tg\th\t0\t0\t0\t0\t2\n");
	free(text);
	profile_free(p);
}

/* Also on what calls itself. A function has all of its calls, also those by what no sample has met as its caller.
 * Seen to fail: before there were calls; and with the sum of the calls on edges. */
Test(call_views, dot)
{
	struct view_options options = defaults;
	struct profile *p = profile_of(stacks);
	struct error err;
	struct tree *t = tree_of(p), *calls;
	struct graph *g = graph_build(t, &err);
	struct view_input in = {.profile = p, .options = &options, .tree = t, .graph = g};
	struct out *o = open_text();
	char *text;

	count(p, "main 1 0\nmain;f 10 7\nmain;f;g 300 0\nmain;f;g;h 2 0\nmain;g 20 0\n");
	calls = counted_tree_build(p, NULL, NULL, &err);
	cr_assert_eq(call_counts_mark(g, calls, &err), 0);
	cr_assert_eq(view_show(&view_dot, &in, o, &err), 0, "%s", err.text);
	cr_assert_eq(out_close(o, true, &err), 0);
	text = text_of_file("text");
	cr_assert(strstr(text, "\"f\" -> \"f\" [label=\"7\xc3\x97\""), "%s", text);
	cr_assert(strstr(text, "\"f\" -> \"g\" [label=\"40.00%\\n300\xc3\x97\""), "%s", text);
	cr_assert(strstr(text, "40.00%\\n(40.00%)\\n320\xc3\x97\""), "%s", text);
	free(text);
	tree_free(calls);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}
