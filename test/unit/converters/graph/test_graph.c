/* SPDX-License-Identifier: MIT */
/* test_graph.c - arcs of the call graph, against the tables in test/data/cases. */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>

#include "folded_text.h"
#include "graph/graph.h"

static struct graph *graph_of(const struct tree *t)
{
	struct error err;
	struct graph *g = graph_build(t, &err);

	cr_assert(g, "%s", err.text);
	return g;
}

/* The arcs as the tables write them: caller, callee, weight, stacks, occurrences. */
static char *table_of(const struct graph *g)
{
	char *text;
	size_t i, n;
	FILE *f = open_memstream(&text, &n);

	for (i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *a = &g->arcs[i];

		fprintf(f, "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
			name_of(g->tree, g->functions[a->caller].name),
			name_of(g->tree, g->functions[a->callee].name), a->weight, a->stacks,
			(uint64_t)a->occurrences);
	}
	fclose(f);
	return text;
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t n = 0;

	cr_assert(f, "%s", path);
	if (getdelim(&text, &n, '\0', f) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(f);
	return text;
}

static void check_case(const char *name)
{
	char path[512];
	struct profile *p;
	struct tree *t;
	struct graph *g;
	char *want, *got;

	snprintf(path, sizeof(path), "test/data/cases/%s/in.folded", name);
	p = profile_of_file(path);
	t = tree_of(p);
	g = graph_of(t);
	got = table_of(g);
	snprintf(path, sizeof(path), "test/data/cases/%s/edges.tsv", name);
	want = read_text(path);
	cr_assert_str_eq(got, want, "%s", name);
	free(want);
	free(got);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}

Test(graph, cases)
{
	DIR *d = opendir("test/data/cases");
	struct dirent *entry;
	int n = 0;

	cr_assert(d, "run from the top of the tree");
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		check_case(entry->d_name);
		n++;
	}
	closedir(d);
	cr_assert_geq(n, 9);
}

Test(graph, functions_by_name_and_arcs_by_caller)
{
	struct profile *p = profile_of("z;b;a 1\nz;a;b 2\nz;b;b;c 4\n");
	struct tree *t = tree_of(p);
	struct graph *g = graph_of(t);
	char *text = table_of(g);
	size_t i;

	cr_assert_eq(g->n_functions, 4);
	for (i = 1; i < g->n_functions; i++)
		cr_assert_lt(
			strings_compare(t->strings, g->functions[i - 1].name, g->functions[i].name),
			0);
	cr_assert_str_eq(text, "a\tb\t2\t2\t2\n"
			       "b\ta\t1\t1\t1\n"
			       "b\tb\t0\t4\t4\n"
			       "b\tc\t4\t4\t4\n"
			       "z\ta\t2\t2\t2\n"
			       "z\tb\t5\t5\t5\n");
	free(text);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}

Test(graph, occurrences_may_pass_64_bits)
{
	struct profile *p = profile_of("a;b;a;b;a;b;a;b;a;b 9000000000000000000\n");
	struct tree *t = tree_of(p);
	struct graph *g = graph_of(t);

	cr_assert_eq(g->n_arcs, 2);
	cr_assert(g->arcs[0].occurrences == (unsigned __int128)9000000000000000000 * 5);
	cr_assert(g->arcs[1].occurrences == (unsigned __int128)9000000000000000000 * 4);
	cr_assert_eq(g->arcs[0].stacks, 9000000000000000000u);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}

Test(graph, without_arcs)
{
	struct profile *p = profile_of("a 1\nb 2\n");
	struct tree *t = tree_of(p);
	struct graph *g = graph_of(t);

	cr_assert_eq(g->n_functions, 2);
	cr_assert_eq(g->n_arcs, 0);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}
