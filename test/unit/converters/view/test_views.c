/* SPDX-License-Identifier: MIT */
/* test_views.c - the table of views, and what single views do with odd names and deep stacks. */
#include <ctype.h>

#include "view_text.h"

Test(views, table)
{
	size_t i, k;

	cr_assert_eq(views[0], &view_flat, "the default");
	for (i = 0; views[i]; i++) {
		cr_assert_eq(view_find(views[i]->name), views[i]);
		cr_assert_leq(strlen(views[i]->name), 12, "--help's column");
		cr_assert_leq(strlen(views[i]->help) + strlen(" (default)"), 80 - 17, "%s",
			      views[i]->name);
		for (k = 0; k < i; k++)
			cr_assert_str_neq(views[i]->name, views[k]->name);
	}
	cr_assert_null(view_find("nonsense"));
}

/* Tables hide nothing unless they are asked to. */
Test(views, tables_are_whole)
{
	struct view_options tsv = defaults;

	tsv.format = VIEW_TSV;
	shows(&view_tree, "m;a 999\nm;b 1\n", tsv, "0\t1000\t0\tm\n1\t999\t999\ta\n1\t1\t1\tb\n");
	shows(&view_callpath, "m;a 999\nm;b 1\n", tsv,
	      "1000\t1\tm\n999\t0.999\tm;a\n1\t0.001\tm;b\n");
}

/* A recording without a single stack: every view comes out, whatever the root function. */
Test(views, no_stacks)
{
	struct profile_node root = {0};
	struct profile p = {.strings = strings_new(), .nodes = &root, .n_nodes = 1};
	struct view_options options = defaults;
	char *text;

	p.resource = p.unit = strings_add(p.strings, "things", 6);
	options.root = "f";
	text = show(&view_callpath, &p, &options);
	cr_assert(strstr(text, "Downward Call Path Profile for resource: Things\n0 samples\n"),
		  "%s", text);
	free(text);
	text = show(&view_dot, &p, &options);
	cr_assert(strstr(text, "digraph {\n"));
	free(text);
	options.format = VIEW_TSV;
	text = show(&view_callpath, &p, &options);
	cr_assert_str_eq(text, "");
	free(text);
	strings_free(p.strings);
}

/* Every view of nothing is valid. */
Test(views, no_samples)
{
	struct profile *p = profile_of("a;b 0\n");
	struct view_options tsv = defaults;
	char *text;

	tsv.format = VIEW_TSV;
	shows(&view_folded, "a;b 0\n", defaults, "");
	shows(&view_flat, "a;b 0\n", tsv, "0\t0\t0\t0\ta\n0\t0\t0\t0\tb\n");
	shows(&view_tree, "a;b 0\n", tsv, "0\t0\t0\ta\n1\t0\t0\tb\n");
	shows(&view_callpath, "a;b 0\n", tsv, "0\t0\ta\n0\t0\ta;b\n");
	text = show(&view_flat, p, &defaults);
	cr_assert(strstr(text, "\nno samples"), "%s", text);
	free(text);
	profile_free(p);
}

/* Lines, not paths, are sorted: a space comes before a semicolon. */
Test(folded, lines_are_sorted_bytewise)
{
	shows(&view_folded, "a;x 1\na b;y 2\na 3\na b 4\na!;z 5\na 6\n", defaults,
	      "a 9\na b 4\na b;y 2\na!;z 5\na;x 1\n");
}

static int compare_stacks(const char *a, const char *b)
{
	size_t n_a = (size_t)(strrchr(a, ' ') - a), n_b = (size_t)(strrchr(b, ' ') - b);
	int order = memcmp(a, b, n_a < n_b ? n_a : n_b);

	return order ? order : (n_a > n_b) - (n_a < n_b);
}

/* Folding what was folded changes nothing, and the lines ascend, whatever the names. */
Test(folded, round_trip)
{
	static const char letters[] = "ab !:;<\xc3";
	char folded[8192], *end, *once, *twice, *line, *rest, *before;
	int round, i, k;

	srand(3);
	for (round = 0; round < 200; round++) {
		struct profile *p;

		end = folded;
		for (i = 0; i < 30; i++) {
			for (k = rand() % 12; k >= 0; k--)
				*end++ = letters[rand() % (int)(sizeof(letters) - 1)];
			end += sprintf(end, "x %d\n", rand() % 4);
		}
		p = profile_of(folded);
		once = show(&view_folded, p, &defaults);
		profile_free(p);
		p = profile_of(once);
		twice = show(&view_folded, p, &defaults);
		profile_free(p);
		cr_assert_str_eq(once, twice);
		before = NULL;
		for (line = strtok_r(twice, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest)) {
			if (before)
				cr_assert_lt(compare_stacks(before, line), 0, "%s, %s", before,
					     line);
			before = line;
		}
		free(once);
		free(twice);
	}
}

/* A profile of one stack, main and two functions of odd names. */
static struct profile *odd_names(const char *f, size_t n_f, const char *g, size_t n_g)
{
	static struct profile_frame frames[3];
	static struct profile_node nodes[4] = {
		{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, 2, 1}, {2, 2, 6, 3}};
	static struct profile p;

	p = (struct profile){.strings = strings_new(),
			     .frames = frames,
			     .n_frames = 3,
			     .nodes = nodes,
			     .n_nodes = 4,
			     .weight = 8,
			     .hits = 4};
	p.resource = p.unit = strings_add(p.strings, "things", 6);
	frames[0] = (struct profile_frame){PROFILE_NO_MODULE, strings_add(p.strings, "main", 4), 0};
	frames[1] = (struct profile_frame){PROFILE_NO_MODULE, strings_add(p.strings, f, n_f), 0};
	frames[2] = (struct profile_frame){PROFILE_NO_MODULE, strings_add(p.strings, g, n_g), 0};
	return &p;
}

static void odd_shows(const struct view *v, bool tsv, const char *want)
{
	struct profile *p = odd_names("a;b\tc\n", 6, "op<(int)1>(x \"\\y\")", 18);
	struct view_options options = defaults;
	char *text, *part;

	options.format = tsv ? VIEW_TSV : VIEW_TEXT;
	text = show(v, p, &options);
	part = strstr(text, want);
	cr_assert(part, "%s", text);
	free(text);
	strings_free(p->strings);
}

Test(views, odd_names)
{
	odd_shows(&view_folded, false, "main;a:b?c? 1\nmain;a:b?c?;op<(int)1>(x \"\\y\") 3\n");
	odd_shows(&view_flat, true,
		  "6\t6\t0.75\t0.75\top<(int)1>(x \"\\y\")\n2\t8\t0.25\t1\ta;b\\x09c\\x0a\n");
	odd_shows(&view_tree, true, "1\t8\t2\ta;b\\x09c\\x0a\n2\t6\t6\top<(int)1>(x \"\\y\")\n");
	odd_shows(&view_callpath, true,
		  "8\t1\tmain;a:b?c?\n6\t0.75\tmain;a:b?c?;op<(int)1>(x \"\\y\")\n");
	odd_shows(&view_callpath, false,
		  "\n0.75000 (main a;b\\x09c\\x0a \"op<(int)1>(x \\\"\\\\y\\\")\") [3]\n");
	odd_shows(&view_dot, false, "\"main\" [label=\"main\\na;b\\\\x09c\\\\x0a\\n100.00%");
	odd_shows(&view_dot, false,
		  "\"op<(int)1>(x \\\"\\\\y\\\")\" [label=\"op<(int)1>(x "
		  "\\\"\\\\y\\\")\\n75.00%\\n(75.00%)\"");
}

Test(dot, bytes_that_are_no_utf8)
{
	struct profile *p =
		odd_names("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9,
			  "\xff\xc3(\xed\xa0\x80\xc0\x80\xe0\x80\x80\xf5\x80\x80\x80", 15);
	char *text = show(&view_dot, p, &defaults);

	cr_assert(strstr(text, "\"main\\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\\n100.00%"), "%s",
		  text);
	cr_assert(strstr(text, "\"\\\\xff\\\\xc3(\\\\xed\\\\xa0\\\\x80\\\\xc0\\\\x80"
			       "\\\\xe0\\\\x80\\\\x80\\\\xf5\\\\x80\\\\x80\\\\x80\" ["),
		  "%s", text);
	free(text);
	strings_free(p->strings);
}

Test(views, raw_samples)
{
	struct profile *p = odd_names("f", 1, "g", 1);
	struct view_options options = defaults;
	char *text;

	options.unit = TREE_HITS;
	text = show(&view_folded, p, &options);
	cr_assert_str_eq(text, "main;f 1\nmain;f;g 3\n");
	free(text);
	strings_free(p->strings);
}

static int count(const char *text, const char *what)
{
	int n = 0;

	for (text = strstr(text, what); text; text = strstr(text + 1, what))
		n++;
	return n;
}

/* Where the names begin, below the heading's last word, in the first table that is `text`. */
static void has_columns(const char *text, const char *heading)
{
	const char *rule, *line, *title = strstr(text, heading);
	size_t column;

	cr_assert(title, "%s", text);
	for (line = title; line[-1] != '\n';)
		line--;
	column = (size_t)(title - line);
	rule = strstr(title, "\n---") + 1;
	for (line = strchr(rule, '\n') + 1; *line && *line != '-'; line = strchr(line, '\n') + 1) {
		cr_assert(strlen(line) > column, "%s", text);
		cr_assert(isalnum((unsigned char)line[column - 3]), "%s", text);
		cr_assert(line[column - 2] == ' ' && line[column - 1] == ' ', "%s", text);
	}
}

/* Of callgrind's instructions, or nanoseconds in folded stacks, there are more than a billion. */
Test(views, columns_hold_any_count)
{
	static const struct {
		const struct view *view;
		const char *last;
	} all[] = {
		{&view_flat, "function"},     {&view_tree, "function"},
		{&view_bottomup, "function"}, {&view_contexts, "history\n"},
		{&view_cycles, "cycle\n"},    {&view_callgraph, "function\n--"},
		{&view_edges, "caller"},
	};
	static const char *const counts[] = {"7", "12345678901", "1844674407370955161"};
	char folded[200];
	size_t i, k;

	for (k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
		struct profile *p;

		snprintf(folded, sizeof(folded), "m;a;b;a %s\nm;b 3\nm;b;a %s\nm;c;a 1\n",
			 counts[k], counts[k]);
		p = profile_of(folded);
		for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
			struct view_options options = defaults;
			char *text;

			options.threshold = 0;
			text = show(all[i].view, p, &options);
			has_columns(text, all[i].last);
			free(text);
		}
		profile_free(p);
	}
}

/* Thresholds drop what is strictly below. */
Test(views, thresholds)
{
	struct profile *p = profile_of("m;a 50\nm;b 30\nm;c 15\nm;d 5\n");
	struct view_options options = defaults;
	char *text;

	options.format = VIEW_TSV;
	options.threshold = 15;
	text = show(&view_tree, p, &options);
	cr_assert_eq(count(text, "\n"), 4, "%s", text);
	free(text);
	text = show(&view_flat, p, &options);
	cr_assert_eq(count(text, "\n"), 4, "%s", text);
	free(text);
	text = show(&view_callpath, p, &options);
	cr_assert_eq(count(text, "\n"), 4, "%s", text);
	free(text);
	options.format = VIEW_TEXT;
	options.node_threshold = 5;
	options.edge_threshold = 15.1;
	text = show(&view_dot, p, &options);
	cr_assert_eq(count(text, "[label="), 5 + 2, "%s", text);
	free(text);
	options.node_threshold = 30.1;
	options.edge_threshold = 0;
	text = show(&view_dot, p, &options);
	cr_assert_eq(count(text, "[label="), 2 + 1, "edges without an end go too: %s", text);
	free(text);
	profile_free(p);
}

Test(views, depth)
{
	struct profile *p = profile_of("m;a;b;c 1\nm;b 1\nx;c;b 1\n");
	struct view_options options = defaults;
	char *text;

	options.depth = 1; /* in a graph the number of calls, not of functions */
	text = show(&view_dot, p, &options);
	cr_assert_eq(count(text, "\t\"m\" ["), 1);
	cr_assert_eq(count(text, "\t\"c\" ["), 1, "one call below x: %s", text);
	cr_assert_eq(count(text, "\t\"b\" ["), 1, "one call below m: %s", text);
	free(text);
	options.format = VIEW_TSV;
	text = show(&view_tree, p, &options);
	cr_assert_str_eq(text, "0\t2\t0\tm\n0\t1\t0\tx\n");
	free(text);
	options.depth = 2;
	text = show(&view_callpath, p, &options);
	cr_assert_eq(count(text, "\n"), 3, "m, m;a and m;b, not m;a;b: %s", text);
	free(text);
	profile_free(p);
}

/* Deep levels are numbered, not indented: the width of a line does not grow with the depth. */
Test(tree_view, deep_recursion)
{
	char *folded = malloc(5000 * 4 + 100), *end = folded, *text, *line, *rest;
	struct profile *p;
	size_t longest = 0;
	int i;

	end += sprintf(end, "main");
	for (i = 0; i < 5000; i++)
		end += sprintf(end, ";fib");
	sprintf(end, " 7\n");
	p = profile_of(folded);
	text = show(&view_tree, p, &defaults);
	cr_assert(strstr(text, " [21] fib\n") && strstr(text, " [5000] fib\n"));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		longest = strlen(line) > longest ? strlen(line) : longest;
	cr_assert_leq(longest, 80);
	free(text);
	free(folded);
	profile_free(p);
}

static void error_is(const char *folded, const char *root, const char *want)
{
	struct profile *p = profile_of(folded);
	struct tree *t = tree_of(p);
	struct view_options options = defaults;
	struct view_input in = {.profile = p, .tree = t, .options = &options};
	struct error err, unused;
	struct out *o = open_text();

	options.root = root;
	cr_assert_eq(view_callpath.emit(&in, o, &err), -1);
	cr_assert_str_eq(err.text, want);
	out_close(o, false, &unused);
	tree_free(t);
	profile_free(p);
}

Test(callpath_view, unknown_root)
{
	const char folded[] = "main;quicksort 5\nmain;merge_sort 7\nmain;heapsort;Main 1\nmani 0\n";

	error_is(folded, "mian", "no function \"mian\" in the profile; similar: main, Main, mani");
	error_is(folded, "MAIN", "no function \"MAIN\" in the profile; similar: main, Main");
	error_is(folded, "sort",
		 "\"sort\" is in the names of 3 functions: heapsort, merge_sort, quicksort");
	error_is("long_Sort_name 9\nsort 1\n", "SORT",
		 "no function \"SORT\" in the profile; similar: sort, long_Sort_name");
	error_is(folded, "zzz", "no function \"zzz\" in the profile; the view functions lists all");
	error_is(folded, "", "no function \"\" in the profile; the view functions lists all");
}

/* Without --root: main; else the heaviest outermost function. */
Test(callpath_view, default_root)
{
	struct view_options tsv = defaults;

	tsv.format = VIEW_TSV;
	shows(&view_callpath, "x;main;a 1\n", tsv, "1\t1\tmain\n1\t1\tmain;a\n");
	shows(&view_callpath, "x 1\ny 3\n", tsv, "3\t0.75\ty\n");
}

static void rest_is(const char *folded, const char *root, const char *want)
{
	struct view_options options = defaults;
	struct profile *p = profile_of(folded);
	char *text, *at;

	options.root = root;
	text = show(&view_callpath, p, &options);
	at = strstr(text, "not shown: ");
	cr_expect_str_eq(at ? at : "", want);
	free(text);
	profile_free(p);
}

/* Threads have no main: that their time is in no path is said, unless the root was chosen. */
Test(callpath_view, stacks_without_the_default_root)
{
	static const char folded[] = "main;main;f 3\nclone;main;f 2\nclone;f 15\n";

	rest_is(folded, NULL,
		"not shown: 75.00 % of all, in stacks without main; --root chooses others\n");
	rest_is(folded, "main", "");
	rest_is("main;f 3\nx;main 1\n", NULL, "");
	rest_is("main 199\nx 1\n", NULL, "");
	rest_is("x y 3\nz 1\n", NULL,
		"not shown: 25.00 % of all, in stacks without \"x y\"; --root chooses others\n");
}

/* In a pipe a path says the file of Python's functions once. Seen to fail: with the file behind each. */
Test(views, files_of_paths)
{
	struct profile *p = profile_of("<module> (app.py);f (app.py);sorted;g (app.py);h (lib.py);"
				       "k (lib.py:7) 1\n");
	char *text = show(&view_callpath, p, &defaults);

	cr_assert(
		strstr(text,
		       "(\"<module> (app.py)\" f sorted g \"h (lib.py)\" \"k (lib.py:7)\") [1]\n"),
		"%s", text);
	free(text);
	profile_free(p);
}

/* Groups have no self, and --top counts them by themselves: with the heaviest functions there are the heaviest groups. Seen to fail:
 * with none of them. */
Test(views, groups_of_a_flat_profile)
{
	struct profile *p = profile_of("cc1;main;f 60\ncc1;main;g 20\nld;main;h 15\nas;main;k 5\n");
	struct view_options options = defaults;
	char *text;

	p->by = PROFILE_BY_COMMAND;
	options.format = VIEW_TSV;
	options.top = 2;
	text = show(&view_flat, p, &options);
	cr_assert_str_eq(text, "60\t60\t0.6\t0.6\tf\n20\t20\t0.2\t0.2\tg\n"
			       "0\t80\t0\t0.8\tcc1\n0\t15\t0\t0.15\tld\n");
	free(text);
	/* What fits a terminal is for both. */
	options.top = 4;
	options.top_fits = true;
	text = show(&view_flat, p, &options);
	cr_assert_eq(count(text, "\n"), 4, "%s", text);
	cr_assert(strstr(text, "cc1") && strstr(text, "ld") && !strstr(text, "\th\n"), "%s", text);
	free(text);
	profile_free(p);
}

/* All headings say what recording took if that is much. Seen to fail: without the line. */
Test(views, what_recording_took)
{
	static const struct view *const all[] = {
		&view_flat,  &view_functions, &view_bodies, &view_tree,	   &view_bottomup,
		&view_edges, &view_callpath,  &view_graph,  &view_summary, &view_html,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct profile *p = profile_of("main;f 60\nmain;g 40\n");
		char *text;

		p->processes[0].ended = true;
		p->processes[0].cpu_ns = 1000000000;
		p->processes[0].own_ns = 300000000;
		text = show(all[i], p, &defaults);
		cr_assert(strstr(text, "recording itself took 300.000 ms, 30 % of the CPU time"),
			  "--%s: %s", all[i]->name, text);
		free(text);
		profile_free(p);
	}
}

/* What a Python program holds in its own arenas is not counted, which is said where memory is. Seen to fail: without the line. */
Test(views, memory_of_python)
{
	static const char line[] =
		"\nPython's blocks of up to 512 bytes count only with PYTHONMALLOC=malloc\n";
	static const char *const resources[] = {"alloc", "allocs", "alloc-live", "cpu", "write"};

	for (size_t i = 0; i < 2 * sizeof(resources) / sizeof(*resources); i++) {
		struct profile *p = profile_of("main;f (app.py) 60\nmain;g (app.py) 40\n");
		const char *name = resources[i / 2];
		bool is_python = i % 2;
		char *text;

		p->processes[0].python = is_python;
		p->resource = strings_add(p->strings, name, strlen(name));
		text = show(&view_flat, p, &defaults);
		cr_assert_eq(!strstr(text, line), !is_python || i / 2 > 2, "%s: %s", name, text);
		free(text);
		profile_free(p);
	}
}
