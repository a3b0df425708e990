/* SPDX-License-Identifier: MIT */
/* test_function_names.c - what the text of --root means, in a tree and in its graph. */
#include "folded_text.h"
#include "graph/function_names.h"

static const char *const perl = "main;Perl_run;Perl_pp_add 3\n"
				"main;Perl_run;S_add;Perl_pp_add 2\n"
				"main;Perl_runops 1\n"
				"main;f(int) 1\n"
				"main;a.b 1\n"
				"main;axb 1\n";

/* The names that were found, or the error; `title` is what they are called. */
static char *text_of(int status, struct function_names *f, const struct strings *strings,
		     const char *title, const struct error *err)
{
	static char text[1024];

	*text = '\0';
	if (status)
		return strcpy(text, err->text);
	for (size_t i = 0; i < f->n; i++)
		sprintf(text + strlen(text), "%s%s", i ? "|" : "",
			strings_get(strings, f->list[i], NULL));
	cr_assert_str_eq(f->title, title);
	for (size_t i = 0; i < f->n; i++)
		cr_assert(function_names_has(f, f->list[i]));
	cr_assert_not(function_names_has(f, STRINGS_NONE));
	function_names_free(f);
	return text;
}

static void means_titled(const char *folded, bool has_places, const char *wanted, const char *title,
			 const char *want)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct error err;
	struct graph *g;
	struct function_names f;
	char *text;
	int status;

	t->has_places = has_places;
	g = graph_build(t, &err);
	cr_assert(g, "%s", err.text);
	status = function_names_of_tree(&f, t, wanted, &err);
	text = text_of(status, &f, t->strings, title, &err);
	cr_assert_str_eq(text, want, "%s: %s", wanted, text);
	status = function_names_of_graph(&f, g, wanted, &err);
	text = text_of(status, &f, t->strings, title, &err);
	cr_assert_str_eq(text, want, "%s in the graph: %s", wanted, text);
	graph_free(g);
	tree_free(t);
	profile_free(p);
}

static void means(const char *wanted, const char *want)
{
	means_titled(perl, false, wanted, wanted, want);
}

static void means_one(const char *wanted, const char *want)
{
	means_titled(perl, false, wanted, want, want);
}

Test(function_names, a_name_is_that_function_alone)
{
	means("main", "main");
	means("Perl_run", "Perl_run");
	means("f(int)", "f(int)");
	means("a.b", "a.b");
}

Test(function_names, a_pattern_is_of_whole_names)
{
	means("Perl_*", "Perl_run|Perl_pp_add|Perl_runops");
	means("*_add", "Perl_pp_add|S_add");
	means("[mS]*", "main|S_add");
	means_one("Perl_ru?", "Perl_run");
	means_one("*ops", "Perl_runops");
}

Test(function_names, an_expression_is_searched)
{
	means("^Perl_", "Perl_run|Perl_pp_add|Perl_runops");
	means("_(add|runops)$", "Perl_pp_add|S_add|Perl_runops");
	means_one("a[x]b$", "axb");
	means_one("ops$", "Perl_runops");
}

Test(function_names, a_part_is_of_one_function)
{
	means_one("pp_", "Perl_pp_add");
	means_one("f(", "f(int)");
	means("add", "\"add\" is in the names of 2 functions: Perl_pp_add, S_add");
	means_titled("f1 1\nf2 1\nf3 1\nf4 1\nf5 1\nf6 1\n", false, "f", "",
		     "\"f\" is in the names of 6 functions: f1, f2, f3, f4, f5, ...");
}

Test(function_names, what_means_none)
{
	means("Perl_rnu", "no function \"Perl_rnu\" in the profile; similar: Perl_run");
	means("z*", "no function \"z*\" in the profile; the view functions lists all");
	means_titled("fun 1\n", false, "(", "",
		     "no function \"(\" in the profile; the view functions lists all");
	means("", "no function \"\" in the profile; the view functions lists all");
}

Test(function_names, places_in_functions)
{
	static const char *const places = "m;qsort 1\nm;qsort q.c:1;less q.c:9 1\nm;qsort q.c:2 1\n"
					  "m;new less+0x1f 1\n";

	means_titled(places, true, "qsort", "qsort", "qsort|qsort q.c:1|qsort q.c:2");
	means_titled(places, false, "qsort", "qsort", "qsort");
	means_titled(places, true, "qs?rt", "qsort", "qsort|qsort q.c:1|qsort q.c:2");
	means_titled(places, true, "sort$", "qsort", "qsort|qsort q.c:1|qsort q.c:2");
	means_titled(places, true, "sor", "qsort", "qsort|qsort q.c:1|qsort q.c:2");
	means_titled(places, true, "q.c:2", "qsort q.c:2", "qsort q.c:2");
	means_titled(places, true, "less", "less", "less q.c:9");
	means_titled(places, true, "new less", "new less", "new less+0x1f");
	means_titled(places, true, "les", "",
		     "\"les\" is in the names of 2 functions: less q.c:9, new less+0x1f");
}

static void default_is(const char *folded, const char *want)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct function_names f;
	struct error err;

	cr_assert_eq(function_names_default(&f, t, &err), 0);
	cr_assert_str_eq(text_of(0, &f, t->strings, "main", &err), want);
	tree_free(t);
	profile_free(p);
}

Test(function_names, default_root)
{
	default_is("x;main;a 1\n", "main");
	default_is("x 1\ny;b 3\n", "y");
	default_is("x 9\nmain m.c:1 1\nmain m.c:2 1\n", "main m.c:1|main m.c:2");
}
