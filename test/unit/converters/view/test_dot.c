/* SPDX-License-Identifier: MIT */
/* test_dot.c - pictures of call graphs: what labels say, and how much is seen. */
#include <stdlib.h>
#include <string.h>

#include "view_text.h"
#include "write/colour.h"

static char *draw_totals(const char *folded, struct view_dot_options dot, int totals)
{
	struct view_options options = {.threshold = -1, .dot = dot, .totals = totals};
	struct profile *p = profile_of(folded);
	char *text = show(&view_dot, p, &options);

	profile_free(p);
	return text;
}

static char *draw(const char *folded, struct view_dot_options dot)
{
	return draw_totals(folded, dot, VIEW_TOTALS_DEFAULT);
}

static void draws(const char *folded, struct view_dot_options dot, const char *want)
{
	char *text = draw(folded, dot);

	cr_assert(strstr(text, want), "%s is not in\n%s", want, text);
	free(text);
}

static const struct view_dot_options plain = {.colormap = COLOUR_TEMPERATURE, .skew = 1};

/* R's call of P leads back: if totals are propagated, it has none. Q and R are one box. */
static const char cycle[] = "m;P;S 1\nm;P;Q;R 2\nm;P;Q;R;P;S 1\n";

Test(dot, labels)
{
	draws(cycle, plain,
	      "\t\"P\" [label=\"P\\n100.00%\\n(0.00%)\", color=\"#ff0000\", "
	      "fontcolor=\"#ffffff\"];\n");
	draws(cycle, plain, "\t\"P\" -> \"Q\" [label=\"75.00%\", ");
	draws(cycle, plain, "\t\"Q\" -> \"P\" [label=\"25.00%\", ");
}

/* The label says what part of the run is shown. Seen to fail: it did not. */
Test(dot, part_of_the_run)
{
	struct view_options options = {.threshold = -1, .dot = plain};
	struct profile *p = profile_of("m;f 3\n");
	char *text;

	p->from_ns = 1000000000;
	p->to_ns = 2500000000;
	p->threads = strdup("a\"b");
	text = show(&view_dot, p, &options);
	cr_assert(strstr(text, "\\lonly threads: a\\\"b\\lonly from 1 s to 2.5 s into the run\\l"),
		  "%s", text);
	free(text);
	profile_free(p);
}

/* Functions that only call the next one are one box. Seen to fail: with chains in large pictures alone. */
Test(dot, chains)
{
	char *text = draw("m;a;b;c 3\nm;d 1\n", plain);

	cr_assert(strstr(text, "\t\"a\" [label=\"a\\nb\\nc\\n75.00%\\n(75.00%)\""), "%s", text);
	cr_assert(strstr(text, "\t\"m\" -> \"a\" ["), "%s", text);
	cr_assert_null(strstr(text, "\t\"b\""), "%s", text);
	free(text);
}

/* Thin, and it does not decide what is above what. */
Test(dot, edge_without_a_total)
{
	char *text = draw_totals(cycle, plain, VIEW_PROPAGATED);
	char *edge = strstr(text, "\"Q\" -> \"P\" [label=\"\", ");

	cr_assert(edge, "%s", text);
	*strchr(edge, '\n') = '\0';
	cr_assert(strstr(edge, "penwidth=\"0.50\"") && strstr(edge, "constraint=\"false\""), "%s",
		  edge);
	free(text);
	text = draw_totals(cycle, plain, VIEW_PROPAGATED);
	*strstr(text, "\"Q\" -> \"P\"") = '\0';
	cr_assert_null(strstr(text, "constraint"));
	free(text);
}

Test(dot, samples)
{
	struct view_dot_options dot = plain;

	dot.show_samples = true;
	draws("m;f 3\nm 1\n", dot, "label=\"m\\n100.00%\\n(25.00%)\\n4 (1) samples\"");
}

/* The largest self that is shown has the last colour. Seen to fail: that was 100 %. */
Test(dot, colours_by_self)
{
	struct view_dot_options dot = plain;

	dot.by_self = true;
	draws("m;f 3\ng 0\nm;g 3\n", dot, "\"m\\n100.00%\\n(0.00%)\", color=\"#0d0d73\"");
	draws("f 3\n", dot, "\"f\\n100.00%\\n(100.00%)\", color=\"#ff0000\"");
	draws("m;f 3\nm 1\nm;g 1\nm;h 1\n", dot, "\"f\\n50.00%\\n(50.00%)\", color=\"#ff0000\"");
}

/* Seen to fail: with the percentages in place of what is asked for; in an order of their own. */
Test(dot, measures)
{
	struct view_dot_options dot = plain;

	dot.labels = VIEW_LABEL_TOTAL | VIEW_LABEL_SELF << VIEW_LABEL_BITS;
	draws("m;f 3\nm 1\n", dot, "label=\"m\\n4\\n(1)\", color");
	dot.labels = VIEW_LABEL_SELF | VIEW_LABEL_TOTAL_PERCENT << VIEW_LABEL_BITS |
		     VIEW_LABEL_SELF << 2 * VIEW_LABEL_BITS;
	draws("m;f 3\nm 1\n", dot, "label=\"m\\n(1)\\n100.00%\\n(1)\", color");
	dot.labels = VIEW_LABEL_SELF_PERCENT;
	draws("m;f 3\nm 1\n", dot, "label=\"m\\n(25.00%)\", color");
}

Test(dot, short_names)
{
	static const char folded[] =
		"m;ns::f<int>(char) 1\nm;ns::a_long_name::of_a_function::of_mine 1\n";
	struct view_dot_options dot = plain;

	draws(folded, dot, "\t\"ns::f<int>(char)\" [label=\"ns::f<int>(char)\\n50.00%");
	dot.wrap = true;
	draws(folded, dot, "[label=\"ns::a_long_name::of_a_function\\n::of_mine\\n50.00%");
}

/* In black and white a share is seen by the size of letters and the width of lines. */
Test(dot, print)
{
	struct view_dot_options dot = {.colormap = COLOUR_PRINT, .skew = 1};

	draws("m;f 3\n", dot, "style=\"solid\"");
	draws("m;f 1\nm 1\n", dot,
	      "\"f\\n50.00%\\n(50.00%)\", color=\"#000000\", "
	      "fontcolor=\"#000000\", fontsize=\"24.0\", penwidth=\"3.25\"];");
	draws("m;f 1\nm 1\n", dot, "penwidth=\"3.25\", arrowsize=\"0.90\", fontsize=\"24.0\"];");
}

/* What the view makes of a call graph as callgrind writes it; free() it. */
static char *show_calls(const struct view *v, const char *callgrind)
{
	static const struct view_options options = {.threshold = -1};
	struct error err;
	struct profile *p = profile_of(callgrind);
	struct graph *g = graph_of_calls(p, TREE_GTICKS, &err);
	struct view_input in = {.profile = p, .graph = g, .options = &options};
	struct out *o = open_text();

	cr_assert(g, "%s", err.text);
	cr_assert_eq(v->emit(&in, o, &err), 0, "%s", err.text);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	graph_free(g);
	profile_free(p);
	return text_of_file("text");
}

/* Without stacks it is known how often functions were called. */
Test(dot, calls)
{
	static const char callgrind[] = "events: Ir\n"
					"fn=m\n1 10\ncfn=f\ncalls=3 0\n1 90\n\n"
					"fn=f\n1 90\ncfn=f\ncalls=4 0\n1 60\n";
	char *text = show_calls(&view_dot, callgrind);

	cr_assert(strstr(text, "[label=\"f\\n90.00%\\n(90.00%)\\n7\xc3\x97\""), "%s", text);
	cr_assert(strstr(text, "[label=\"m\\n100.00%\\n(10.00%)\""), "%s", text);
	cr_assert(strstr(text, "\"m\" -> \"f\" [label=\"90.00%\\n3\xc3\x97\""), "%s", text);
	free(text);
	text = show_calls(&view_graph, callgrind);
	cr_assert(strstr(text, "   100.00    10.00                    0   m\n"
			       "    90.00            100.00           3     -> f\n"
			       "    90.00    90.00                    7   f\n"
			       "        -                 -           4     -> f\n"),
		  "%s", text);
	free(text);
}

/* A long text of --focus does not make the picture wide. Seen to fail: with all of it in one line. */
Test(dot, long_filters)
{
	struct view_options options = {.threshold = -1, .dot = plain};
	struct profile *p = profile_of("m;f 3\n");
	char threads[3001], *text, *line, *end;

	for (int i = 0; i < 3000; i += 2) /* U+00E4 */
		memcpy(threads + i, "\xc3\xa4", 3);
	memcpy(threads + 2998, "xy", 3);
	p->threads = strdup(threads);
	text = show(&view_dot, p, &options);
	line = strstr(text, "\\lonly threads: \xc3\xa4");
	cr_assert(line, "%s", text);
	end = strstr(line + 2, "\\l");
	cr_assert(end && end - line < 110 && !memcmp(end - 4, "\xc3\xa4xy", 4), "%s", line);
	cr_assert(strstr(line, "\xc3\xa4 ... \xc3\xa4"), "%s", line);
	free(text);
	profile_free(p);
}
