/* SPDX-License-Identifier: MIT */
/* test_view_limits.c - what views show with --top, --percent and thresholds, and what they say that
 * they do not. */
#include "view_text.h"

static const char stacks[] = "m;a;x 40\nm;a 10\nm;b;x 30\nm;b;y 15\nm;c;c 5\nm;z 0\n";

static struct view_options tsv(void)
{
	struct view_options options = defaults;

	options.format = VIEW_TSV;
	return options;
}

/* What stands between the first rule and the end. */
static void lines_are(const struct view *v, const char *folded, struct view_options options,
		      const char *want)
{
	struct profile *p = profile_of(folded);
	char *text = show(v, p, &options), *lines = strstr(text, "-----\n");

	cr_assert(lines, "%s", text);
	cr_assert_str_eq(lines + strlen("-----\n"), want);
	free(text);
	profile_free(p);
}

#define RULE "-----------------------------------------------------\n"

/* Bodies are functions that were running, though it be in a stack without weight. */
Test(functions_view, functions_and_bodies)
{
	shows(&view_functions, stacks, tsv(),
	      "100\t1\tm\t\n70\t0.7\tx\t\n50\t0.5\ta\t\n45\t0.45\tb\t\n15\t0.15\ty\t\n5\t0."
	      "05\tc\t\n0\t0\tz\t\n");
	shows(&view_bodies, stacks, tsv(),
	      "70\t0.7\tx\n15\t0.15\ty\n10\t0.1\ta\n5\t0.05\tc\n0\t0\tz\n");
	lines_are(&view_functions, "m;op<(x) y> 3\n", defaults,
		  "1.0000 m [3]\n1.0000 op<(x) y> [3]\n" RULE);
}

Test(functions_view, limits)
{
	struct view_options options = defaults;

	options.top = 2;
	options.threshold = 5.1;
	lines_are(&view_functions, stacks, options,
		  "1.0000 m [100]\n0.7000 x [70]\n" RULE "not shown: 2 functions below 5.1 %\n"
		  "not shown: 3 functions beyond the 2 heaviest\n");
	lines_are(&view_bodies, stacks, options,
		  "0.7000 x [70]\n0.1500 y [15]\n" RULE "not shown: 2 functions below 5.1 %\n"
		  "not shown: 1 function beyond the 2 heaviest\n");
}

Test(flat_view, limits)
{
	struct view_options options = tsv();

	options.top = 2;
	shows(&view_flat, stacks, options, "70\t70\t0.7\t0.7\tx\n15\t15\t0.15\t0.15\ty\n");
	options.by_total = 1;
	shows(&view_flat, stacks, options, "0\t100\t0\t1\tm\n70\t70\t0.7\t0.7\tx\n");
	options.threshold = 80;
	shows(&view_flat, stacks, options, "0\t100\t0\t1\tm\n");
}

/* The heaviest nodes hang together; of equal ones the first in the tree. */
Test(tree_view, top)
{
	struct view_options options = tsv();

	options.top = 4;
	shows(&view_tree, stacks, options,
	      "0\t100\t0\tm\n1\t50\t10\ta\n2\t40\t40\tx\n1\t45\t0\tb\n");
	shows(&view_tree, "m;a;b 5\nm;c;d 5\n", options,
	      "0\t10\t0\tm\n1\t5\t0\ta\n2\t5\t5\tb\n1\t5\t0\tc\n");
	options.depth = 2;
	options.top = 3;
	shows(&view_tree, stacks, options, "0\t100\t0\tm\n1\t50\t10\ta\n1\t45\t0\tb\n");
	options.format = VIEW_TEXT;
	options.of_parent = 1;
	lines_are(&view_tree, stacks, options,
		  "  100.00     0.00       100  m\n"
		  "   50.00    10.00        50    a\n"
		  "   45.00     0.00        45    b\n" RULE "not shown: 1 call path below 0.5 %\n"
		  "not shown: 3 call paths of more than 2 functions\n"
		  "not shown: 2 call paths beyond the 3 heaviest\n");
}

Test(tree_view, of_parent)
{
	struct view_options options = defaults;

	options.of_parent = 1;
	options.top = 4;
	options.threshold = 0;
	lines_are(&view_tree, stacks, options,
		  "  100.00     0.00       100  m\n"
		  "   50.00    10.00        50    a\n"
		  "   80.00    80.00        40      x\n"
		  "   45.00     0.00        45    b\n" RULE
		  "not shown: 5 call paths beyond the 4 heaviest\n");
	lines_are(&view_tree, "m;a 60\nm 20\nn 20\n", options,
		  "   80.00    20.00        80  m\n"
		  "   75.00    75.00        60    a\n"
		  "   20.00    20.00        20  n\n" RULE);
}

/* A function that does nine tenths of its total itself has a mark, and the table says what it means. Seen to
 * fail: with the mark at more than half; without what it means. */
Test(flat_view, marks_what_works_itself)
{
	struct view_options options = defaults;

	lines_are(&view_flat, "m;a 50\nm;b 9\nm;b;c 1\nm 40\n", options,
		  "   50.00 =  50.00           50        50  a\n"
		  "   40.00   100.00           40        40  m\n"
		  "    9.00 =  10.00            9         9  b\n"
		  "    1.00 =   1.00            1         1  c\n" RULE
		  "= self is nine tenths of the total or more: it does the work itself\n");
	options.top = 1;
	lines_are(&view_flat, "m;a 50\nm 60\n", options,
		  "   54.55   100.00           60        60  m\n" RULE
		  "not shown: 1 function beyond the 1 heaviest\n");
}

Test(bottomup_view, limits)
{
	struct view_options options = tsv();

	shows(&view_bottomup, "m;a;x 4\nm;x 3\n", options,
	      "0\t7\t0\tx\n1\t4\t0\ta\n2\t4\t4\tm\n1\t3\t3\tm\n");
	options.top = 3;
	shows(&view_bottomup, stacks, options, "0\t70\t0\tx\n1\t40\t0\ta\n2\t40\t40\tm\n");
	options.top = 0;
	options.depth = 1;
	options.threshold = 10;
	shows(&view_bottomup, stacks, options, "0\t70\t0\tx\n0\t15\t0\ty\n0\t10\t0\ta\n");
	options.format = VIEW_TEXT;
	options.depth = 2;
	options.of_parent = 1;
	options.top = 5;
	lines_are(&view_bottomup, stacks, options,
		  "   70.00     0.00        70  x\n"
		  "   57.14     0.00        40    a\n"
		  "   42.86     0.00        30    b\n"
		  "   15.00     0.00        15  y\n"
		  "  100.00     0.00        15    b\n" RULE "not shown: 2 branches below 10 %\n"
		  "not shown: 3 branches of more than 2 functions\n"
		  "not shown: 1 branch beyond the 5 heaviest\n");
}

Test(edges_view, limits)
{
	struct view_options options = tsv();

	shows(&view_edges, "m;r;r;r 2\nm;a 1\n", options,
	      "m\ta\t1\t1\t1\t\nm\tr\t2\t2\t2\t\nr\tr\t0\t2\t4\t\n");
	options.top = 2;
	shows(&view_edges, stacks, options, "m\ta\t50\t50\t50\t\nm\tb\t45\t45\t45\t\n");
	options.format = VIEW_TEXT;
	options.of_parent = 1;
	options.top = 3;
	lines_are(&view_edges, stacks, options,
		  "   50.00           50           50  m -> a\n"
		  "   45.00           45           45  m -> b\n"
		  "   80.00           40           40  a -> x\n" RULE
		  "not shown: 1 edge below 0.5 %\n"
		  "not shown: 4 edges beyond the 3 heaviest\n");
}

/* Paths of the same weight, and a path's parent upward is the path without its first name. */
Test(callpath_view, limits)
{
	struct view_options options = tsv();

	options.top = 3;
	shows(&view_callpath, stacks, options, "100\t1\tm\n50\t0.5\tm;a\n45\t0.45\tm;b\n");
	options.of_parent = 1;
	options.depth = 3;
	options.top = 4;
	shows(&view_callpath, stacks, options,
	      "100\t1\tm\n50\t0.5\tm;a\n45\t0.45\tm;b\n40\t0.8\tm;a;x\n");
	options.top = 3;
	options.up = true;
	options.root = "x";
	shows(&view_callpath, stacks, options,
	      "70\t0.7\tx\n40\t0.5714285714285714\ta;x\n"
	      "40\t1\tm;a;x\n");
	options.format = VIEW_TEXT;
	options.depth = 2;
	options.threshold = 35;
	options.top = 1;
	lines_are(&view_callpath, stacks, options,
		  "0.7000 (x) [70]\n" RULE "not shown: 1 call path below 35 %\n"
		  "not shown: 1 call path beyond the 1 heaviest\n"
		  "not shown: call paths of more than 2 functions\n");
}

/* Limits of the paths from any root: with --depth, longer ones explain nothing. */
Test(callpath_view, recurring)
{
	static const char folded[] =
		"m;a;f;g;h 40\nm;b;f;g;h 30\nm;b;f;g 5\nm;a;x;y 1\nm;b;x;y 1\nm 23\n";
	struct view_options options = tsv();

	options.root = "*";
	shows(&view_callpath, folded, options, "70\t0.7\tf;g;h\t2\n2\t0.02\tx;y\t2\n");
	options.depth = 2;
	shows(&view_callpath, folded, options, "75\t0.75\tf;g\t2\n2\t0.02\tx;y\t2\n");
	options.format = VIEW_TEXT;
	options.threshold = 3;
	lines_are(
		&view_callpath, folded, options,
		"0.75000 (f g) [75] 2 callers\n" RULE "not shown: 1 call path below 3 %\n"
		"who makes these calls: --callpath --up --root NAME, or --bottomup --root NAME\n");
	options.threshold = 0;
	options.top = 1;
	lines_are(
		&view_callpath, folded, options,
		"0.75000 (f g) [75] 2 callers\n" RULE
		"not shown: 1 call path beyond the 1 heaviest\n"
		"who makes these calls: --callpath --up --root NAME, or --bottomup --root NAME\n");
	lines_are(
		&view_callpath, "m;a 1\n", options,
		RULE
		"no sequence of calls recurs: each has one caller that makes nine tenths of it\n");
}

/* The heaviest stacks, in the order of all. */
Test(folded, top)
{
	struct view_options options = defaults;

	options.top = 2;
	shows(&view_folded, stacks, options, "m;a;x 40\nm;b;x 30\n");
	shows(&view_folded, "b 1\na 1\nc 1\n", options, "a 1\nb 1\n");
}
