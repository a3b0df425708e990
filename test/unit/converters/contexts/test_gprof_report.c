/* SPDX-License-Identifier: MIT */
/* test_gprof_report.c - the order of functions, callers and callees in gprof's report. */
#include <stdlib.h>

#include "contexts/arc_times.h"
#include "folded_text.h"

static void put_arcs(FILE *f, const struct gprof_report *r, struct gprof_report_arcs arcs,
		     bool callers)
{
	size_t i;

	for (i = 0; i < arcs.n; i++) {
		const struct arc_time *a = &r->times->arcs[arcs.list[i]];

		fprintf(f, "%s%s", i ? " " : "", name_of(r->tree, callers ? a->caller : a->callee));
	}
}

/* "[CALLERS] FUNCTION [CALLEES]" lines. */
static void report_is(const char *folded, const char *want)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct gprof_report r;
	struct error err;
	char *text;
	size_t i, n;
	FILE *f = open_memstream(&text, &n);

	cr_assert_eq(gprof_report_open(&r, t, &err), 0);
	for (i = 0; i < r.n; i++) {
		cr_assert_eq(r.number[r.functions[i].name], i);
		fputc('[', f);
		put_arcs(f, &r, gprof_report_callers(&r, i), true);
		fprintf(f, "] %s [", name_of(t, r.functions[i].name));
		put_arcs(f, &r, gprof_report_callees(&r, i), false);
		fputs("]\n", f);
	}
	fclose(f);
	cr_assert_str_eq(text, want);
	free(text);
	gprof_report_close(&r);
	tree_free(t);
	profile_free(p);
}

/* What accounts for most stands next to the function: the last caller, the first callee. */
Test(gprof_report, order)
{
	report_is("m;a;x 3\nm;b;x 1\nm;c;x 2\nm;c;y 9\n",
		  "[] m [c a b]\n[m] c [y x]\n[c] y []\n[b c a] x []\n[m] a [x]\n[m] b [x]\n");
}

/* Of equals, the heavier function is nearer; then the one whose name comes first. */
Test(gprof_report, ties)
{
	report_is("m;b;x 1\nm;a;x 1\nm;c;x 1\nm;c 1\n",
		  "[] m [c a b]\n[b a c] x []\n[m] c [x]\n[m] a [x]\n[m] b [x]\n");
}

/* The two times of an arc decide its two places: P calls Q for 60 and S for 21, and is called by
 * Main for 11 and by R for 70. */
Test(gprof_report, recursion)
{
	report_is("Main;P;S 1\nMain;P;Q;R 10\nMain;P;Q;R;P;S 20\nMain;P;Q;R;P;Q;R 50\n",
		  "[] Main [P]\n[Main R] P [Q S]\n[P] Q [R]\n[Q] R [P]\n[P] S []\n");
}

Test(gprof_report, without_arcs)
{
	report_is("a 1\na;a 2\n", "[] a []\n");
}
