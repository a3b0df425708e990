/* SPDX-License-Identifier: MIT */
/* test_summary.c - --summary is one page whatever it is about, and has the heaviest paths. Seen to fail: with
 * the lines of a terminal's width only; with names of threads of any length; with a path that counts for another
 * one, too; with the functions below the outermost one left out last. */
#include "view/summary.h"
#include "view_text.h"

#define HOSTILE                                                                                    \
	"a\x1b[31m\n\t\xff\xc2\x9b\"</script> (anonymous namespace)::x<y<z>>::operator()(int)"

static void is_page(char *text)
{
	int lines = 0;
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest), lines++) {
		int columns = 0;

		for (const char *c = line; *c; c++)
			columns += (*c & 0xc0) != 0x80;
		cr_assert_leq(columns, 80, "%s", line);
		for (const char *c = line; *c; c++)
			cr_assert((unsigned char)*c >= ' ', "%s", line);
	}
	cr_assert_leq(lines, 60);
	cr_assert_geq(lines, 5);
}

/* Each process has these resources, of which each has these states. */
static void add_resources(struct profile *p, size_t n)
{
	struct profile_process *to = &p->processes[0];
	char name[300];

	to->resources = calloc(n, sizeof(*to->resources));
	to->n_resources = n;
	for (size_t i = 0; i < n; i++) {
		struct profile_resource *r = &to->resources[i];

		snprintf(name, sizeof(name), "r%zu %s%s%s", i, HOSTILE, HOSTILE, HOSTILE);
		*r = (struct profile_resource){
			.name = strings_add(p->strings, name, strlen(name)),
			.unit = strings_add(p->strings, "bytes", 5),
			.engine = STRINGS_NONE,
			.why = STRINGS_NONE,
			.credited = UINT64_MAX,
			.samples = UINT64_MAX,
			.states = calloc(9, sizeof(*r->states)),
			.n_states = 9,
		};
		for (size_t k = 0; k < 9; k++) {
			snprintf(name, sizeof(name), "s%zu %s%s", k, HOSTILE, HOSTILE);
			r->states[k].name = strings_add(p->strings, name, strlen(name));
			r->states[k].credited = UINT64_MAX / 9;
		}
	}
}

static void add_threads(struct profile *p, size_t n)
{
	struct profile_process *to = &p->processes[0];

	to->threads = calloc(n, sizeof(*to->threads));
	to->n_threads = n;
	for (size_t i = 0; i < n; i++)
		to->threads[i] = (struct profile_thread){
			.name = strings_add(p->strings, HOSTILE HOSTILE HOSTILE,
					    strlen(HOSTILE HOSTILE HOSTILE)),
			.weight = 1 + i,
			.shown_weight = 1 + i};
}

/* Long names, deep stacks, many paths, resources, threads and losses. */
Test(summary, is_one_page)
{
	char *folded = malloc(1 << 20), *end = folded, *text;
	struct view_options options = defaults;
	struct profile *p;

	for (int i = 0; i < 300; i++) {
		end += sprintf(end, "main;");
		for (int k = 0; k < i; k++)
			end += sprintf(end, "f%d%s;", k % 7,
				       k % 5 ? "" : "_a_long_name::of<a, b>::something");
		end += sprintf(end, "%.*s\xe2\x82\xac%d %d\n", 40,
			       "x::\x1b\x02yz<ab, c> (d, e) -> f", i, 1000 + i);
	}
	p = profile_of(folded);
	add_resources(p, 30);
	add_threads(p, 50);
	for (size_t i = 0; i <= CPS_LOSS_COUNT; i++)
		p->processes[0].losses[i] = UINT64_MAX / 100;
	p->by_name = NULL;
	p->processes[0].ended = true;
	p->processes[0].cpu_ns = UINT64_MAX;
	p->processes[0].own_ns = UINT64_MAX / 3;
	text = show(&view_summary, p, &options);
	cr_assert(strstr(text, "and others (cpconv --info)"), "%s", text);
	cr_assert(strstr(text, "lost: "), "%s", text);
	cr_assert(strstr(text, "threads: 0.0 % ..::operator().., 0.0 % "), "%s", text);
	is_page(text);
	free(text);
	profile_free(p);
	free(folded);
}

static void has(const char *folded, const char *want)
{
	struct view_options options = defaults;
	struct profile *p = profile_of(folded);
	char *text = show(&view_summary, p, &options);

	cr_assert(strstr(text, want), "%s\nis not in\n%s", want, text);
	free(text);
	profile_free(p);
}

/* No path is a part of another one, and what they have in common stands above them. */
Test(summary, paths)
{
	has("s;m;a;b 40\ns;m;a;c 30\ns;m;a 6\ns;m;d 20\ns;m;a;b;x 2\ns;m;e 1\ns;m;f 1\n",
	    "(99.0 % of all)\n"
	    "   below  s -> m\n"
	    "   40.00  a -> b\n"
	    "   30.00  a -> c\n"
	    "   20.00  d\n"
	    "    6.00  a\n"
	    "    2.00  a -> b -> x\n");
	has("m;r;r;r;r;r;r;r;r;r;r;r;x 5\n", "\n  100.00  m -> r (x11) -> x\n");
	has("m;hot 96\nm;hot;g 4\n", "   below  m\n   96.00  hot\n    4.00  hot -> g\n");
}

/* Of a long path the first function and as many of the last ones as fit are shown. */
Test(summary, long_path)
{
	has("main;aaaaaaaaaaaaaaaaaaa;bbbbbbbbbbbbbbbbbbb;ccccccccccccccccccc;ddddddddddddddddddd;"
	    "eeeeeeeeeeeeeeeeeee;fffffffffffffffffff;ggggggggggggggggggg 1\n",
	    "  100.00  main -> ... 3 more -> ddddddddddddddddddd -> eeeeeeeeeeeeeeeeeee\n"
	    "             -> fffffffffffffffffff -> ggggggggggggggggggg\n");
}

/* Between a path's ends the function of the script is shown, and where it parts from others. Seen to fail: with as many of the last
 * functions as fit. */
Test(summary, long_paths_of_a_script)
{
#define EVALS                                                                                      \
	"py_evaluate_frame_default_%1$d;py_object_call_prepend_%1$d;py_vectorcall_method_%1$d;"
	char folded[2000];
	struct view_options options = defaults;
	struct profile *p;
	char *text;

	snprintf(folded, sizeof(folded),
		 "py_main;<module> (app.py);py_run;load (app.py);" EVALS
		 "parse (app.py);py_a_b_c_d_e_f_g_h;" EVALS
		 "py_list_sort_of_a_long_name;py_free 6\n"
		 "py_main;<module> (app.py);py_run;save (app.py);" EVALS
		 "write (app.py);py_a_b_c_d_e_f_g_h;" EVALS
		 "py_list_sort_of_a_long_name;py_free 4\n",
		 1);
	p = profile_of(folded);
	put_into_module(p, "py_", "/usr/bin/python3.11", true);
	text = show(&view_summary, p, &options);
	cr_assert(strstr(text,
			 "   below  py_main -> <module> (app.py) -> py_run\n"
			 "   60.00  load (app.py) -> ... 3 more -> parse (app.py) -> ... 3 more\n"
			 "             -> py_vectorcall_method_1 -> py_list_sort_of_a_long_name -> "
			 "py_free\n"
			 "   40.00  save (app.py) -> ... 3 more -> write (app.py) -> ... 3 more\n"
			 "             -> py_vectorcall_method_1 -> py_list_sort_of_a_long_name -> "
			 "py_free\n"),
		  "%s", text);
	free(text);
	profile_free(p);
}

/* Give the tree the modules of its functions, as from symbols. */
static void with_modules(const struct profile *p, struct tree *t)
{
	t->n_modules = strings_count(t->strings);
	t->modules = calloc(t->n_modules, sizeof(*t->modules));
	for (size_t i = 0; i < p->n_frames; i++)
		if (p->frames[i].module != PROFILE_NO_MODULE)
			t->modules[p->frames[i].name] = p->frames[i].module + 1;
}

/* Where functions of C++ libraries have used much, the heading says where their callers are. Seen to fail: not said; said of a
 * program in C; said where self is of the program. */
Test(summary, callers_of_libraries)
{
	static const char line[] = " % is in functions of libraries: --tree shows who calls them\n";
	static const struct {
		const char *folded, *share;
		int self;
	} cases[] = {
		{"main;prog_f;std::sort 2\nmain;prog_f;memcpy 1\nmain;prog_f 7\n", "\n30",
		 VIEW_SELF_DEFAULT},
		{"main;prog_f;std::sort 2\nmain;prog_f;memcpy 1\nmain;prog_f 8\n", NULL,
		 VIEW_SELF_DEFAULT},
		{"main;prog_f;operator new;malloc 2\n", "\n100", VIEW_SELF_DEFAULT},
		{"main;prog_f;memcpy 9\n", NULL, VIEW_SELF_DEFAULT},
		{"main;prog_f;std::sort 9\n", NULL, VIEW_SELF_PROGRAM},
		{"main;prog_f;std::sort 9\n", NULL, VIEW_SELF_LEAF},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct view_options options = defaults;
		struct profile *p = profile_of(cases[i].folded);
		const char *at;
		char *text;

		options.self = cases[i].self;
		put_into_module(p, "main", "/home/me/prog", true);
		put_into_module(p, "prog_", "/home/me/prog", true);
		put_into_module(p, "std::", "/home/me/prog", true);
		put_into_module(p, "operator", "/lib/libstdc++.so.6", false);
		put_into_module(p, "m", "/lib/libc.so.6", false);
		text = show(&view_flat, p, &options);
		at = strstr(text, line);
		cr_expect_eq(at != NULL, cases[i].share != NULL, "case %zu: %s", i, text);
		cr_expect(!at || !cases[i].share ||
				  !strncmp(at - strlen(cases[i].share), cases[i].share,
					   strlen(cases[i].share)),
			  "case %zu: %s", i, text);
		free(text);
		profile_free(p);
	}
}

/* Where an interpreter has used most, the heading says how the script's functions are had. Seen to fail: not said. */
Test(summary, whose_self_of_a_script)
{
	static const char line[] = "\nself is of the innermost functions (--self program: of the "
				   "script's functions)\n";
	static const struct view *const all[] = {&view_flat, &view_bodies, &view_summary};
	const char *const folded[] = {
		"py_main;<module> (app.py);py_eval 6\npy_main;<module> (app.py) 4\npy_main 1\n",
		"py_main;<module> (app.py);py_eval 6\npy_main;<module> (app.py) 7\n",
		"py_main;py_eval 6\n",
	};

	for (size_t i = 0; i < 3 * 3; i++) {
		struct view_options options = defaults;
		struct profile *p = profile_of(folded[i / 3]);

		put_into_module(p, "py_", "/usr/bin/python3.11", true);
		for (options.self = VIEW_SELF_DEFAULT; options.self <= VIEW_SELF_PROGRAM;
		     options.self++) {
			struct tree *t = tree_of(p);
			struct out *o = open_text();
			struct error err;
			char *text;

			with_modules(p, t);
			show_tree(o, all[i % 3], p, t, &options);
			cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
			tree_free(t);
			text = text_of_file("text");
			cr_assert_eq(strstr(text, line) != NULL,
				     i / 3 == 0 && options.self == VIEW_SELF_DEFAULT, "%s", text);
			free(text);
		}
		profile_free(p);
	}
}
