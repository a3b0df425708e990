/* SPDX-License-Identifier: MIT */
/*
 * test_totals.c - the totals of --graph and --dot are those of --flat and --edges, each stack once.
 *
 * Seen to fail: with totals that are propagated by default; with an arc's occurrences for its weight;
 * with numbers of calls only on edges that have a total.
 */
#include "graph/propagate.h"
#include "random_stacks.h"
#include "view_text.h"

#define FIELDS 6

/* The lines of a table, cut into fields. */
struct table {
	char *text;
	size_t n;
	char *rows[1000][FIELDS];
};

/* Read the lines of `kind`, or all if it is NULL. */
static void read_table(struct table *t, char *text, const char *kind)
{
	char *line, *rest = text;
	size_t k;

	*t = (struct table){.text = text};
	while ((line = strsep(&rest, "\n")) && *line) {
		char **row = t->rows[t->n];

		for (k = 0; k < FIELDS && line; k++)
			row[k] = strsep(&line, "\t");
		if (!kind || strcmp(row[0], kind) == 0)
			cr_assert_lt(++t->n, sizeof(t->rows) / sizeof(t->rows[0]));
	}
}

static void show_table(struct table *t, const struct view *v, struct profile *p,
		       struct view_options options, const char *kind)
{
	options.format = VIEW_TSV;
	read_table(t, show(v, p, &options), kind);
}

static struct view_options everything(int totals)
{
	struct view_options options = defaults;

	options.node_threshold = options.edge_threshold = 0;
	options.totals = totals;
	options.dot.skew = 1;
	return options;
}

static char **row_of(struct table *t, const char *name)
{
	size_t i = 0;

	while (i < t->n && strcmp(t->rows[i][4], name) != 0)
		i++;
	cr_assert_lt(i, t->n, "%s is missing", name);
	return t->rows[i];
}

/* --flat: self, total, share of self, share of total, name. --graph: func, total, self, cycle,
 * name. The texts are the same to the last digit. */
static void check_nodes(struct table *flat, struct table *nodes)
{
	cr_assert_eq(flat->n, nodes->n);
	for (size_t i = 0; i < nodes->n; i++) {
		char **row = row_of(flat, nodes->rows[i][4]);

		cr_assert_str_eq(nodes->rows[i][1], row[3], "total of %s", row[4]);
		cr_assert_str_eq(nodes->rows[i][2], row[2], "self of %s", row[4]);
	}
}

/* --edges: caller, callee, weight. --graph: edge, total, ratio, occurrences, caller, callee. */
static void check_edges(struct table *arcs, struct table *edges, uint64_t whole)
{
	cr_assert_eq(arcs->n, edges->n);
	for (size_t i = 0; i < arcs->n; i++) {
		char **arc = arcs->rows[i], **edge = edges->rows[i];

		cr_assert(strcmp(arc[0], edge[4]) == 0 && strcmp(arc[1], edge[5]) == 0);
		if (strcmp(arc[0], arc[1]) == 0)
			cr_assert_str_eq(edge[1], "-");
		else
			cr_assert(strtod(edge[1], NULL) ==
					  (double)strtoull(arc[2], NULL, 10) / (double)whole,
				  "%s -> %s: %s of %llu", arc[0], arc[1], edge[1],
				  (unsigned long long)whole);
	}
}

/* Whether a function may be in the box of others, a chain of calls, of which a long one does not name all. */
static bool in_chain(const char *picture, const char *name)
{
	char box[100];

	snprintf(box, sizeof(box), "\\n%s\\n", name);
	return strstr(picture, box) || strstr(picture, " more ...\\n");
}

/* The box of a function, behind its name; NULL: it is a chain, or it stands in one. */
static const char *box_of(const char *picture, const char *name)
{
	char box[100];
	const char *at;

	if (strcmp(name, "\xff") == 0)
		name = "\\\\xff";
	snprintf(box, sizeof(box), "\t\"%s\" [label=\"%s\\n", name, name);
	at = strstr(picture, box);
	cr_assert(at || in_chain(picture, name), "%s is not in\n%s", name, picture);
	if (!at)
		return NULL;
	at += strlen(box);
	return at[strspn(at, "0123456789.")] == '%' ? at : NULL;
}

/* JSON and the picture have the same functions. */
static void check_others(struct profile *p, struct table *nodes, struct view_options options)
{
	char *picture = show(&view_dot, p, &options), *json, *at, want[100];

	options.format = VIEW_JSON;
	at = json = show(&view_graph, p, &options);
	for (size_t i = 0; i < nodes->n; i++) {
		snprintf(want, sizeof(want),
			 "{\"row\": \"func\", \"total_fraction\": %s, \"self_fraction\": %s,",
			 nodes->rows[i][1], nodes->rows[i][2]);
		at = strstr(at, "{\"row\": \"func\"");
		cr_assert(at && strncmp(at, want, strlen(want)) == 0, "%s is not in\n%s", want, at);
		at++;
		snprintf(want, sizeof(want), "%.2f%%\\n(%.2f%%)\"",
			 strtod(nodes->rows[i][1], NULL) * 100,
			 strtod(nodes->rows[i][2], NULL) * 100);
		const char *node = box_of(picture, nodes->rows[i][4]);
		cr_assert(!node || strncmp(node, want, strlen(want)) == 0, "%s is not in\n%s", want,
			  node);
	}
	free(picture);
	free(json);
}

static void check(int depth, int n_names, bool huge)
{
	static struct table flat, arcs, nodes, edges;
	char *folded = random_stacks(50, depth, n_names, huge);
	struct profile *p = profile_of(folded);
	struct view_options options = everything(rand() % 2 ? VIEW_EXACT : VIEW_TOTALS_DEFAULT);

	options.threshold = 0;
	show_table(&flat, &view_flat, p, options, NULL);
	show_table(&arcs, &view_edges, p, options, NULL);
	show_table(&nodes, &view_graph, p, options, "func");
	show_table(&edges, &view_graph, p, options, "edge");
	check_nodes(&flat, &nodes);
	check_edges(&arcs, &edges, p->weight);
	check_others(p, &nodes, options);
	free(flat.text);
	free(arcs.text);
	free(nodes.text);
	free(edges.text);
	profile_free(p);
	free(folded);
}

Test(totals, are_those_of_flat_and_edges)
{
	srand(62);
	for (int round = 0; round < 120; round++)
		check(1 + rand() % 30, 1 + round % (int)RANDOM_NAMES, rand() % 2);
}

/* ---- what is said about them ---- */

static void says(const struct view *v, const char *folded, int totals, const char *want)
{
	struct view_options options = everything(totals);
	struct profile *p = profile_of(folded);
	char *text = show(v, p, &options);

	cr_assert(strstr(text, want), "%s is not in\n%s", want, text);
	free(text);
	profile_free(p);
}

Test(totals, which_they_are_is_said)
{
	static const char exact[] = "totals: exact, each stack once";
	static const char propagated[] = "totals: propagated, cycles split";

	for (int k = 0; k < 2; k++) {
		const struct view *v = k ? &view_dot : &view_graph;

		says(v, "a;b;a 3\n", VIEW_TOTALS_DEFAULT, exact);
		says(v, "a;b;a 3\n", VIEW_EXACT, exact);
		says(v, "a;b;a 3\n", VIEW_PROPAGATED, propagated);
	}
}

/* ---- calls without stacks ---- */

/* As the programs do it. Returns NULL if it is an error, which is then in *err. */
static char *show_calls(const struct view *v, const char *calls, int totals, struct error *err)
{
	struct view_options options = everything(totals);
	struct profile *p = profile_of(calls);
	struct graph *g = graph_of_calls(p, TREE_GTICKS, err);
	struct view_input in = {.profile = p, .graph = g, .options = &options};
	struct out *o = open_text();
	struct error unused;
	char *text = NULL;
	bool good;

	cr_assert(g && (g->has_totals || propagate_totals(g, err) == 0), "%s", err->text);
	good = v->emit(&in, o, err) == 0;
	cr_assert_eq(out_close(o, good, good ? err : &unused), 0);
	if (good)
		text = text_of_file("text");
	graph_free(g);
	profile_free(p);
	return text;
}

static void calls_say(const struct view *v, const char *calls, int totals, const char *want)
{
	struct error err;
	char *text = show_calls(v, calls, totals, &err);

	cr_assert(text, "%s", err.text);
	cr_assert(strstr(text, want), "%s is not in\n%s", want, text);
	free(text);
}

/* a and b call each other, and b calls itself. Only main calls a. */
static const char counts[] = "index % time    self  children    called     name\n"
			     "                                                 <spontaneous>\n"
			     "[1]     50.0    0.10    0.90                 main [1]\n"
			     "                0.30    0.60       2/2           a <cycle 1> [2]\n"
			     "----\n"
			     "                0.30    0.60       2/2           main [1]\n"
			     "[2]     50.0    0.30    0.00       2         a <cycle 1> [2]\n"
			     "                                   9             b <cycle 1> [3]\n"
			     "----\n"
			     "                                   9             a <cycle 1> [2]\n"
			     "[3]     50.0    0.60    0.00     9+4         b <cycle 1> [3]\n"
			     "                                   7             a <cycle 1> [2]\n"
			     "                                   4             b <cycle 1> [3]\n"
			     "----\n";

/* A call that leads back has no total, but its number is known. */
Test(totals, of_counts_are_propagated)
{
	struct error err;

	calls_say(&view_graph, counts, VIEW_TOTALS_DEFAULT, "totals: propagated, cycles split");
	calls_say(&view_graph, counts, VIEW_TOTALS_DEFAULT,
		  "        -             77.78           7     -> a\n");
	calls_say(&view_dot, counts, VIEW_TOTALS_DEFAULT, "totals: propagated, cycles split");
	calls_say(&view_dot, counts, VIEW_PROPAGATED,
		  "\"a\" -> \"b\" [label=\"60.00%\\n9\xc3\x97\"");
	calls_say(&view_dot, counts, VIEW_PROPAGATED, "\"b\" -> \"a\" [label=\"7\xc3\x97\"");
	calls_say(&view_dot, counts, VIEW_PROPAGATED, "\"b\" -> \"b\" [label=\"4\xc3\x97\"");
	cr_assert_null(show_calls(&view_dot, counts, VIEW_EXACT, &err));
	cr_assert(err.is_usage && strstr(err.text, "propagated"), "%s", err.text);
}

/* callgrind measured what a uses with all that it calls, each cost once. What the call of a that
 * leads back cost is a part of the outer call. */
static const char measured[] = "# callgrind format\nevents: Ir\n"
			       "fn=main\n1 10\ncfn=a\ncalls=1 1\n1 90\n"
			       "fn=a\n1 20\ncfn=b\ncalls=1 1\n1 70\n"
			       "fn=b\n1 40\ncfn=a'2\ncalls=3 1\n1 30\n"
			       "fn=a'2\n1 30\n";

Test(totals, that_were_measured_are_shown)
{
	for (int totals = VIEW_TOTALS_DEFAULT; totals <= VIEW_EXACT; totals++) {
		calls_say(&view_graph, measured, totals, "totals: exact, as recorded");
		calls_say(&view_dot, measured, totals, "totals: exact, as recorded");
		calls_say(&view_dot, measured, totals, "[label=\"a\\n90.00%\\n(50.00%)");
		calls_say(&view_dot, measured, totals, "\"b\" -> \"a\" [label=\"3\xc3\x97\"");
		calls_say(&view_dot, measured, totals,
			  "\"a\" -> \"b\" [label=\"70.00%\\n1\xc3\x97\"");
	}
	calls_say(&view_dot, measured, VIEW_PROPAGATED, "totals: propagated, cycles split");
}
