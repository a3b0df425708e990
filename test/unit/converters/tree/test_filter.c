/* SPDX-License-Identifier: MIT */
/* test_filter.c - the filtered tree, against the tree of stacks that were filtered one by one. */
#include <stdlib.h>

#include "folded_text.h"
#include "graph/function_names.h"
#include "profile_fixture.h"
#include "symbols/symbols.h"
#include "tree/tree_fold.h"

static void add(struct filter *f, enum filter_kind kind, const char *value)
{
	struct error err;

	cr_assert_eq(filter_add(f, kind, value, &err), 0);
}

static struct tree *filtered(struct profile *p, struct filter *f)
{
	const struct tree_options options = {.filter = f};
	struct error err;
	struct tree *t = tree_build(p, NULL, &options, &err);

	cr_assert(t, "%s", err.text);
	return t;
}

/* "NAME(TOTAL SELF)" of each node, children in brackets behind their parent. */
static char *text_of(const struct tree *t)
{
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	uint32_t i, depth = 0;

	for (i = 1; i < t->n_nodes; i++) {
		const struct tree_node *node = &t->nodes[i];

		for (; depth > node->depth; depth--)
			fputc(']', f);
		for (; depth < node->depth; depth++)
			fputc('[', f);
		cr_assert_eq(node->total, node->hits);
		cr_assert_eq(node->self, node->self_hits);
		fprintf(f, " %s(%llu %llu)", name_of(t, node->name),
			(unsigned long long)node->total, (unsigned long long)node->self);
	}
	fclose(f);
	return text;
}

static void gives(const char *folded, const char *focus, const char *ignore, const char *hide,
		  const char *want)
{
	struct profile *p = profile_of(folded);
	struct filter f = {0};
	struct tree *t;
	char *text;

	if (focus)
		add(&f, FILTER_FOCUS, focus);
	if (ignore)
		add(&f, FILTER_IGNORE, ignore);
	if (hide)
		add(&f, FILTER_HIDE, hide);
	t = filtered(p, &f);
	text = text_of(t);
	cr_assert_str_eq(text, want);
	cr_assert_eq(t->total, p->weight);
	cr_assert_eq(t->hits, p->hits);
	cr_assert_eq(t->filter, focus || ignore || hide ? &f : NULL);
	free(text);
	tree_free(t);
	filter_clear(&f);
	profile_free(p);
}

static void collapses(const char *folded, const char *which, const char *hide, const char *want)
{
	struct profile *p = profile_of(folded);
	struct filter f = {0};
	struct tree *t;
	char *text;

	add(&f, FILTER_COLLAPSE, which);
	if (hide)
		add(&f, FILTER_HIDE, hide);
	t = filtered(p, &f);
	text = text_of(t);
	cr_assert_str_eq(text, want);
	free(text);
	tree_free(t);
	filter_clear(&f);
	profile_free(p);
}

static const char stacks[] = "m;a;b 1\nm;a;c 2\nm;b;a 4\nm;d 8\nm 16\nz 32\nm;d;e 0\n";

Test(filter, keeps_all_without_values)
{
	gives(stacks, NULL, NULL, NULL,
	      " z(32 32) m(31 16)[ d(8 8)[ e(0 0)] b(4 0)[ a(4 4)] a(3 0)[ c(2 2) b(1 1)");
}

Test(filter, focus)
{
	gives(stacks, "a", NULL, NULL, " m(7 0)[ b(4 0)[ a(4 4)] a(3 0)[ c(2 2) b(1 1)");
	gives(stacks, "c,z", NULL, NULL, " z(32 32) m(2 0)[ a(2 0)[ c(2 2)");
	gives(stacks, "e", NULL, NULL, " m(0 0)[ d(0 0)[ e(0 0)");
	gives(stacks, "nobody", NULL, NULL, "");
}

Test(filter, ignore)
{
	gives(stacks, NULL, "[zd]|b", NULL, " m(18 16)[ a(2 0)[ c(2 2)");
	gives(stacks, "a", "b", NULL, " m(2 0)[ a(2 0)[ c(2 2)");
	gives(stacks, NULL, "m,z", NULL, "");
}

/* What is hidden is its caller's; equal names that then stand side by side become one. */
Test(filter, hide)
{
	gives(stacks, NULL, NULL, "a", " z(32 32) m(31 16)[ d(8 8)[ e(0 0)] b(5 5) c(2 2)");
	gives(stacks, NULL, NULL, "m",
	      " z(32 32) [hidden](16 16) d(8 8)[ e(0 0)] b(4 0)[ a(4 4)] a(3 0)[ c(2 2) b(1 1)");
	gives(stacks, NULL, NULL, ".", " [hidden](63 63)");
	gives("a;x;a 1\na;a 2\n", NULL, NULL, "x", " a(3 0)[ a(3 3)");
	gives("a;b 0\n", NULL, NULL, "a,b", " [hidden](0 0)");
}

/* Hidden functions are there for the others. */
Test(filter, all_of_them)
{
	gives(stacks, "a", "c", "a,b", " m(5 5)");
	gives(stacks, "a", NULL, "m,a,b,c", " [hidden](7 7)");
}

/* Of functions that call each other the first one stays, also if hidden ones are between them. */
Test(filter, collapse)
{
	collapses("m;a;b;c 1\nm;a;c;d 2\nm;b 4\nm;a;x;b 8\n", "a,b,c", NULL,
		  " m(15 0)[ a(11 1)[ x(8 0)[ b(8 8)] d(2 2)] b(4 4)");
	collapses("m;a;x;b 8\n", "a,b", "x", " m(8 0)[ a(8 8)");
	collapses("a;a;a 1\na;b;a;a 2\n", "a", NULL, " a(3 1)[ b(2 0)[ a(2 2)");
	collapses("m;a 1\nm 2\n", ".", NULL, " m(3 3)");
}

/* ---- against stacks that were filtered by themselves ------------------------------------------- */

enum { STACKS = 40, DEPTH = 8 };

struct stack {
	char frames[DEPTH + 1]; /* a letter each */
	unsigned count;
};

/* Stacks of few functions; some of them begin as others do, some have no count. */
static void make_stacks(struct stack *list, int letters)
{
	int i, k;

	for (i = 0; i < STACKS; i++) {
		int depth = 1 + rand() % DEPTH;

		for (k = 0; k < depth; k++)
			list[i].frames[k] = (char)('a' + rand() % letters);
		list[i].frames[depth] = '\0';
		list[i].count = (unsigned)(rand() % 4);
	}
}

static char *folded_of(const struct stack *list)
{
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	int i;

	for (i = 0; i < STACKS; i++) {
		const char *c = list[i].frames;

		if (!*c)
			continue;
		for (; *c; c++)
			fprintf(f, "%s%c", c > list[i].frames ? ";" : "", *c);
		fprintf(f, " %u\n", list[i].count);
	}
	fclose(f);
	return text;
}

/* A stack without weight that another one goes through is no stack of its own in a profile. */
static bool is_way(const struct stack *list, int i)
{
	size_t n = strlen(list[i].frames);
	unsigned count = 0;
	bool goes_on = false;
	int k;

	for (k = 0; k < STACKS; k++) {
		if (strncmp(list[k].frames, list[i].frames, n) != 0)
			continue;
		if (list[k].frames[n])
			goes_on = true;
		else
			count += list[k].count;
	}
	return goes_on && !count;
}

/* Each stack as it is or empty, and without what is hidden, or collapsed behind another that is; H stands for nothing that
 * is left. */
static void sift(const struct stack *from, struct stack *to, const char *focus, const char *ignore,
		 const char *hide, const char *collapse)
{
	int i;

	for (i = 0; i < STACKS; i++) {
		const char *c;
		char *end = to[i].frames;

		to[i].count = from[i].count;
		if ((!*focus || strpbrk(from[i].frames, focus)) &&
		    !strpbrk(from[i].frames, ignore) && !is_way(from, i)) {
			for (c = from[i].frames; *c; c++)
				if (!strchr(hide, *c) &&
				    (end == to[i].frames || !strchr(collapse, end[-1]) ||
				     !strchr(collapse, *c)))
					*end++ = *c;
			if (end == to[i].frames)
				*end++ = 'H';
		}
		*end = '\0';
	}
}

/* Some letters; the values that mean them. */
static void choose(struct filter *f, enum filter_kind kind, char *letters, int n)
{
	char value[4];
	int i;

	for (i = 0; i < n; i++) {
		letters[i] = (char)('a' + rand() % 6);
		sprintf(value, "^%c", letters[i]);
		add(f, kind, rand() % 2 ? value : value + 1);
	}
	letters[n] = '\0';
}

static char *sifted_text(const struct stack *list, const char *focus, const char *ignore,
			 const char *hide, const char *collapse)
{
	struct stack left[STACKS];
	struct profile *p;
	struct tree *t;
	char *folded, *text;

	sift(list, left, focus, ignore, hide, collapse);
	folded = folded_of(left);
	if (!*folded)
		return folded;
	p = profile_of(folded);
	t = tree_of(p);
	text = text_of(t);
	tree_free(t);
	profile_free(p);
	free(folded);
	return text;
}

/* "H" becomes "[hidden]" where a name begins. Siblings with equal totals go by name: both stand
 * before the letters. */
static char *named(char *text)
{
	char *out, *c;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	for (c = text; *c; c++)
		fputs(*c == 'H' ? PROFILE_HIDDEN : (char[]){*c, '\0'}, f);
	fclose(f);
	free(text);
	return out;
}

Test(filter, equals_the_tree_of_filtered_stacks)
{
	char focus[4], ignore[4], hide[4], collapse[4], *folded, *got, *want;
	struct stack list[STACKS];
	int round;

	srand(2004);
	for (round = 0; round < 3000; round++) {
		struct filter f = {0};
		struct profile *p;
		struct tree *t;

		make_stacks(list, 2 + round % 6);
		choose(&f, FILTER_FOCUS, focus, rand() % 3);
		choose(&f, FILTER_IGNORE, ignore, rand() % 2);
		choose(&f, FILTER_HIDE, hide, rand() % 4);
		choose(&f, FILTER_COLLAPSE, collapse, rand() % 4);
		folded = folded_of(list);
		p = profile_of(folded);
		t = filtered(p, &f);
		got = text_of(t);
		want = named(sifted_text(list, focus, ignore, hide, collapse));
		cr_assert_str_eq(got, want, "focus %s, ignore %s, hide %s, collapse %s:\n%s", focus,
				 ignore, hide, collapse, folded);
		cr_assert_eq(t->total, p->weight);
		free(folded);
		free(want);
		free(got);
		tree_free(t);
		profile_free(p);
		filter_clear(&f);
	}
}

/* ---- files ------------------------------------------------------------------------------------ */

Test(filter, names_of_modules)
{
	static const char libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6",
			  cxx[] = "/opt/lib/libstdc++.so.6.0.30", old[] = "/lib/libm-2.31.so";

	cr_assert(filter_means_module(libc, "libc.so.6"));
	cr_assert(filter_means_module(libc, "./libc.so.6"));
	cr_assert(filter_means_module(libc, "libc.so"));
	cr_assert(filter_means_module(libc, "libc"));
	cr_assert(filter_means_module(libc, libc));
	cr_assert(filter_means_module(libc, "/lib/x86_64-linux-gnu/libc.so.6"));
	cr_assert(filter_means_module("/lib/x86_64-linux-gnu/libc.so.6", libc));
	cr_assert(filter_means_module(libc, "x86_64-linux-gnu/libc.so.6"));
	cr_assert(filter_means_module(cxx, "libstdc++.so.6"));
	cr_assert(filter_means_module(cxx, "libstdc++.so.6.0"));
	cr_assert(filter_means_module(cxx, "/opt/lib/libstdc++"));
	cr_assert(filter_means_module(old, "libm"));
	cr_assert(filter_means_module("/usr/bin/python3.11", "python3"));
	cr_assert_not(filter_means_module(libc, ""));
	cr_assert_not(filter_means_module(libc, "lib"));
	cr_assert_not(filter_means_module(libc, "bc.so.6"));
	cr_assert_not(filter_means_module(libc, "libc.s"));
	cr_assert_not(filter_means_module(libc, "libc.so.60"));
	cr_assert_not(filter_means_module("/lib/libc.so.60", "libc.so.6"));
	cr_assert_not(filter_means_module(libc, "64-linux-gnu/libc.so.6"));
	cr_assert_not(filter_means_module(libc, "/x86_64-linux-gnu/libc.so.6"));
	cr_assert_not(filter_means_module(cxx, "/lib/libstdc++.so.6"));
	cr_assert_not(filter_means_module(old, "libmvec"));
	cr_assert_not(filter_means_module("/bin/prog.c", "prog"));
}

Test(filter, names_of_source_files)
{
	cr_assert(filter_means_source("/src/x.c", "x.c"));
	cr_assert(filter_means_source("/src/x.c", "./x.c"));
	cr_assert(filter_means_source("/src/x.c", "src/x.c"));
	cr_assert(filter_means_source("/src/x.c", "/src/x.c"));
	cr_assert(filter_means_source("x.c", "x.c"));
	cr_assert_not(filter_means_source("/src/max.c", "x.c"));
	cr_assert_not(filter_means_source("/src/x.c", "/x.c"));
	cr_assert_not(filter_means_source("/src/x.cc", "x.c"));
	cr_assert_not(filter_means_source("/src/x.c", ""));
}

/* What calls a thread's function is of the C library, and begins the stacks. */
static struct profile *of_modules(void)
{
	static const char *const paths[] = {
		"/bin/prog",	       "/usr/lib/libc.so.6", "/usr/lib/libstdc++.so.6.0.30",
		"/opt/x/libz-ng.so.2", "linux-vdso.so.1",    NULL};
	struct profile *p;
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	for (uint32_t i = 0; paths[i]; i++)
		build_module(&b, i + 1, paths[i], "", 0);
	build_sample(&b, 1, "021002200130");
	build_sample(&b, 2, "0210022001300240");
	build_sample(&b, 4, "021001300350");
	build_sample(&b, 8, "02100130035002600170");
	build_sample(&b, 16, "02100220");
	build_sample(&b, 32, "01300480");
	build_sample(&b, 64, "01300590");
	build_end(&b);
	p = build_finish(&b);
	for (size_t i = 0; i < p->n_modules; i++)
		p->modules[i].is_vdso =
			strcmp(profile_text(p, p->modules[i].path), "linux-vdso.so.1") == 0;
	return p;
}

/* The weight that is left, and the number of nodes; for an error -1. */
static int left(enum filter_kind kind, const char *value, int granularity, unsigned nodes,
		struct error *err)
{
	const struct symbols_options of_names = {.granularity = granularity};
	struct tree_options options = {.unit = TREE_GTICKS};
	struct profile *p = of_modules();
	struct symbols *s = symbols_new(p, &of_names, err);
	struct filter f = {0};
	struct tree *t;
	int weight;

	options.filter = &f;
	cr_assert(s);
	add(&f, kind, value);
	t = tree_build(p, s, &options, err);
	cr_assert(t, "%s", err->text);
	weight = suggest_focus(&f, p, s, err) ? -1 : (int)t->nodes[0].total;
	cr_assert(!nodes || t->n_nodes - 1 == nodes, "%s: %zu nodes", value, t->n_nodes - 1);
	tree_free(t);
	symbols_free(s);
	filter_clear(&f);
	profile_free(p);
	return weight;
}

/* Seen to fail: libc.so.6 began all stacks. */
Test(filter, modules)
{
	struct error err;

	for (int g = SYMBOLS_BY_FUNCTION; g <= SYMBOLS_BY_MODULE; g++) {
		cr_expect_eq(left(FILTER_FOCUS, "libc.so.6", g, 0, &err), 26);
		cr_expect_eq(left(FILTER_FOCUS, "libc", g, 0, &err), 26);
		cr_expect_eq(left(FILTER_IGNORE, "/lib/libc.so.6", g, 0, &err), 101);
		cr_expect_eq(left(FILTER_FOCUS, "libstdc++.so.6", g, 0, &err), 12);
		cr_expect_eq(left(FILTER_FOCUS, "libstdc++,libc.so", g, 0, &err), 30);
		cr_expect_eq(left(FILTER_FOCUS, "x/libz-ng.so.2", g, 0, &err), 32);
		cr_expect_eq(left(FILTER_FOCUS, "[vdso]", g, 0, &err), 64);
		cr_expect_eq(left(FILTER_FOCUS, "/bin/prog", g, 0, &err), 111);
		cr_expect_eq(left(FILTER_FOCUS, "libz-ng.so.1", g, 0, &err), -1);
		cr_expect_str_eq(err.text, "--focus: no function or file \"libz-ng.so.1\" in the "
					   "profile; similar: libz-ng.so.2");
	}
	/* prog, libstdc++ and prog; prog, libz-ng; prog, vdso; and what is hidden alone */
	cr_expect_eq(left(FILTER_HIDE, "libc.so.6", SYMBOLS_BY_FUNCTION, 6, &err), 127);
	/* libc, prog, libc, libstdc++, libc, prog; prog, libz-ng, vdso */
	cr_expect_eq(left(FILTER_COLLAPSE, "libc.so.6", SYMBOLS_BY_FUNCTION, 9, &err), 127);
	cr_expect_eq(left(FILTER_COLLAPSE, "libc.so.6,libstdc++", SYMBOLS_BY_FUNCTION, 8, &err),
		     127);
	cr_expect_eq(left(FILTER_HIDE, "libz.so", SYMBOLS_BY_FUNCTION, 11, &err), 127);
}

/* ---- values that mean nothing ------------------------------------------------------------------ */

Test(filter, focus_on_nothing_is_an_error)
{
	struct profile *p = profile_of("main;qsort 3\n");
	struct filter f = {0};
	struct error err;

	add(&f, FILTER_FOCUS, "qsrot,^x");
	tree_free(filtered(p, &f));
	cr_assert_eq(suggest_focus(&f, p, NULL, &err), -1);
	cr_assert_str_eq(err.text, "--focus: no function \"qsrot\" in the profile; similar: qsort");
	add(&f, FILTER_FOCUS, "^m");
	tree_free(filtered(p, &f));
	cr_assert_eq(suggest_focus(&f, p, NULL, &err), 0);
	filter_clear(&f);
	add(&f, FILTER_IGNORE, "x");
	tree_free(filtered(p, &f));
	cr_assert_eq(suggest_focus(&f, p, NULL, &err), 0);
	cr_assert_str_eq(patterns_unmatched(&f.of[FILTER_IGNORE], 0), "x");
	filter_clear(&f);
	profile_free(p);
}

Test(filter, wrong_expressions_are_wrong_usage)
{
	struct profile *p = profile_of("main;a(b 3\n");
	struct filter f = {0};
	struct error err;

	add(&f, FILTER_HIDE, "a(b");
	tree_free(filtered(p, &f));
	add(&f, FILTER_HIDE, "a(");
	tree_free(filtered(p, &f));
	add(&f, FILTER_HIDE, "c(");
	cr_assert_null(tree_build(p, NULL, &(const struct tree_options){.filter = &f}, &err));
	cr_assert(err.is_usage);
	cr_assert_str_eq(err.text, "--hide: \"c(\" is no name, and not a regular expression: "
				   "Unmatched ( or \\(");
	filter_clear(&f);
	profile_free(p);
}

/* No recursion, and each expression looks at a name once. */
Test(filter, deepest_stack, .timeout = 20)
{
	enum { FRAMES = 200000 };
	char *folded = malloc(FRAMES * 8), *end = folded;
	struct filter f = {0};
	struct profile *p;
	struct tree *t;
	int i;

	for (i = 0; i < FRAMES; i++)
		end += sprintf(end, "f%d;", i);
	strcpy(end - 1, " 7\n");
	p = profile_of(folded);
	add(&f, FILTER_FOCUS, "^f199999$");
	add(&f, FILTER_HIDE, "[13579]$");
	t = filtered(p, &f);
	cr_assert_eq(t->n_nodes, 1 + FRAMES / 2);
	cr_assert_eq(t->nodes[FRAMES / 2].self, 7);
	tree_free(t);
	profile_free(p);
	filter_clear(&f);
	free(folded);
}
