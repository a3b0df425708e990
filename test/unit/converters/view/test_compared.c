/* SPDX-License-Identifier: MIT */
/*
 * test_compared.c - two programs are compared function by function.
 *
 * Seen to fail: a run of the base counted as one of the others; rows with the mark behind those without; squares of
 * weights lost where inputs are joined; amounts where shares were asked for; callers that are not shown, and rows that
 * are and count as left out; what was used before counted as used after, too; what is gone in red; a column too many.
 */
#include "options/options.h"
#include "options/options_table.h"
#include "out_text.h"
#include "pipeline/report.h"
#include "pipeline/runs.h"
#include "resource_stream.h"
#include "terminal_text.h"

#define ARGS_MAX 24

static void put(const char *name, const char *text)
{
	enter_new_directory();
	writer_file(name, text, strlen(text));
}

static int width;	      /* of the terminal that is written to; 0: a file */
static char *terminal_output; /* to be freed */

static void close_output(struct terminal *terminal, struct out *o)
{
	if (width)
		terminal_output = terminal_close(terminal, o);
	else
		cr_assert_eq(out_close(o, true, &(struct error){0}), 0);
}

static int write_view(const struct options *opt, struct sources *from, struct error *err)
{
	struct terminal terminal;
	struct analysis s = {0};
	struct out *o = width ? terminal_open(&terminal, width) : open_text();
	int status = report_read(&s, from, opt, err);

	if (!status)
		status = report_shape(&s, opt->view->needs, opt, err);
	if (!status) {
		const struct view_input in = analysis_input(&s, &opt->of_view);

		status = view_show(opt->view, &in, o, err);
	}
	close_output(&terminal, o);
	analysis_free(&s);
	return status;
}

/* What the words of a command line with a --base write, or the error; to be freed. */
static char *text_of(const char *line)
{
	char copy[512], *words[ARGS_MAX] = {(char[]){"cpconv"}};
	struct sources from = {0}, later = {0};
	struct runs runs = {0};
	struct options opt;
	struct error err = {0};
	int n = 1, status;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[n++] = word;
	status = options_parse(&opt, n, words, &err);
	if (!status)
		status = sources_find(&from, opt.bases, opt.n_bases, NULL, &err) ||
			 sources_find(&later, opt.files, opt.n_files, NULL, &err) ||
			 runs_compare(&runs, &from, &later, &err) || write_view(&opt, &from, &err);
	sources_free(&from);
	sources_free(&later);
	runs_free(&runs);
	options_free(&opt);
	if (status)
		return strdup(err.text);
	return width ? terminal_output : text_of_file("text");
}

static void shows(const char *line, const char *want)
{
	char *text = text_of(line);

	cr_assert(strstr(text, want), "%s: %s", line, text);
	free(text);
}

static void make_single(void)
{
	put("o", "main;a 500\nmain;b;c 300\nmain;gone 20\n");
	put("n", "main;a 600\nmain;b;c 310\nmain;new 5\n");
}

/* Seen to fail: nothing said it. */
Test(compared, what_recording_took)
{
	enter_new_directory();
	resource_dear_file("o", 0);
	resource_dear_file("n", 100);
	shows("--base o n", "took 0 % of the CPU time before, 5 % after; no row has it\n");
	shows("--base n o", "took 5 % of the CPU time before, 0 % after; no row has it\n");
}

Test(compared, one_run_each)
{
	make_single();
	shows("--base o n",
	      "Flat Profile, before and after, for resource: Samples\n"
	      "before: 1 run, 820 samples: o\n"
	      "after: 1 run, 915 samples: n\n"
	      "total: 820 -> 915, +95 (+11.6 %)\n"
	      "one run on each side: +- (95 %) and * know the error of sampling alone, not how\n"
	      "much runs differ by themselves; cpsample --repeat 10 records what they need\n"
	      "* changed: of the functions with this mark one in twenty may be chance\n"
	      "\n"
	      "   before     after     change       +-     in %   function (self)\n"
	      "-----------------------------------------------------\n"
	      "      500       600       +100       65    +20.0 * a\n"
	      "       20         0        -20        9     gone * gone\n"
	      "      300       310        +10       48     +3.3   c\n"
	      "        0         5         +5        5      new   new\n"
	      "-----------------------------------------------------\n");
	/* 500 and 600 samples have the variances 500 and 600: 1.95996 * sqrt(1100). */
	shows("--flat --tsv --base o n", "500\t600\t100\t65.004651393");
	shows("--functions --base o n", "      300       310        +10       48     +3.3   b\n");
	shows("--functions --base o n", "  function (total)\n");
	shows("--bodies --base o n", "  function (self)\n");
	shows("--flat --sort total --base o n", "+95       82    +11.6 * main\n");
	shows("--top 1 --base o n", "not shown: 3 functions beyond the first 1\n");
	shows("--threshold 2 --base o n",
	      "not shown: 2 functions without * whose change is below 2 % of the total;\n"
	      "  of these are new 1, gone 0\n");
	shows("--focus b --base o n", "focus on b\n");
}

/* The shares of 500 of 820 and 600 of 915 are 500 and 537.7 of 820. */
Test(compared, shares)
{
	make_single();
	shows("--normalize --base o n", "each run is scaled to the total before");
	shows("--normalize --base o n", "      500       538        +38       37     +7.5   a\n");
	shows("--normalize --functions --tsv --base o n",
	      "820\t820\t0\t0\t1\tunclear\t1\t1\tmain\n");
}

Test(compared, json)
{
	make_single();
	shows("--json --base o n",
	      "{\"version\": 1, \"view\": \"comparison\", \"resource\": \"samples\", \"unit\": "
	      "\"samples\", \"comparison\": {\"view\": \"flat\", \"runs_before\": 1, "
	      "\"runs_after\": 1, \"total_before\": 820, \"total_after\": 915, \"normalized\": "
	      "false}, \"rows\": [\n {\"before\": 500, \"after\": 600, \"change\": 100, ");
	shows("--json --base o n",
	      "\"verdict\": \"less\", \"before_fraction\": 0.02439024390243902");
}

/* Means of a run: the total by Welch, -20 +- 2.776 * sqrt(100 / 3 + 100 / 3). Of f sampling makes the variances 100 and 80, and
 * runs have 100 on both sides, which is (100 / 100 + 100 / 80) / 2 = 1.125 times as much: -20 +- t * sqrt(1.125 * (100 + 80) / 3)
 * with 4 * (1.125 / 0.125)^2 = 324 degrees of freedom, of which t is 1.9673. */
Test(compared, several_runs)
{
	put("o1", "main;f 90\nmain;g 1000\n");
	put("o2", "main;f 110\nmain;g 1000\n");
	put("o3", "main;f 100\nmain;g 1000\n");
	put("n1", "main;f 70\nmain;g 1000\n");
	put("n2", "main;f 90\nmain;g 1000\n");
	put("n3", "main;f 80\nmain;g 1000\n");
	shows("--base o1 --base o2 --base o3 n1 n2 n3",
	      "before: 3 runs, 3300 samples: o1\n"
	      "after: 3 runs, 3240 samples: n1\n"
	      "total of a run: 1100.0 -> 1080.0, -20.0 +- 22.7 (-1.8 %): may be chance\n"
	      "figures are of a run on the average; +- is a 95 % interval\n");
	shows("--base o1 --base o2 --base o3 n1 n2 n3",
	      "    100.0      80.0      -20.0     16.2    -20.0 * f\n");
	shows("--tsv --base o1 --base o2 --base o3 n1 n2 n3", "100\t80\t-20\t16.163");
	shows("--base o1 --base o2 --base o3 n1", "the single run of one side is taken\n");
	shows("--jobs 4 --tsv --base o1 --base o2 --base o3 n1 n2 n3", "100\t80\t-20\t16.163");
	/* What is on both sides is refused, by whatever name, and not a copy. Seen to fail: when it was compared. */
	shows("--base o1 ./o1", "--base: both sides are the same recording");
	shows("--base o1 --base o2 o2 o1", "--base: both sides are the same recordings");
	shows("--base o1 --base o2 o3 o2", "--base: o2 is on both sides; name those before and ");
	put("copy", "main;f 90\nmain;g 1000\n");
	shows("--tsv --base o1 copy", "90\t90\t0\t26.2956");
}

/* The figures are those of functions, with what makes a part of the tree unlike them. */
Test(compared, parts_of_the_tree)
{
	make_single();
	shows("--tree --base o n", "      820       915        +95       82    +11.6 * main\n"
				   "      500       600       +100       65    +20.0 *   a\n"
				   "      300       310        +10       48     +3.3     b\n"
				   "      300       310        +10       48     +3.3       c\n"
				   "       20         0        -20        9     gone *   gone\n");
	/* b is shown because of what is below it. */
	put("p", "main;b 100\nmain;b;c 100\n");
	put("q", "main;b 200\nmain;b;c 1\n");
	shows("--tree --threshold 5 --base p q",
	      "      200       201         +1       39     +0.5   main\n"
	      "      200       201         +1       39     +0.5     b\n"
	      "      100         1        -99       20    -99.0 *     c\n"
	      "-----------------------------------------------------\n");
	char *text = text_of("--tree --threshold 5 --base p q");

	cr_assert(!strstr(text, "not shown"), "%s", text);
	free(text);
	shows("--tree --depth 2 --base p q", "-----\nnot shown: 2 call paths without *");
	shows("--tree --json --base o n", "\"depth\": 2, \"name\": \"c\"}");
	shows("--edges --base o n", "      300       310        +10       48     +3.3   b -> c\n");
	shows("--edges --json --base o n", "\"caller\": \"main\", \"callee\": \"gone\"}");
	shows("--callpath --base o n",
	      "      500       600       +100       65    +20.0 * (main a)\n"
	      "      820       915        +95       82    +11.6 * (main)\n");
	shows("--callpath --up --root c --base o n", "+3.3   (main b c)\n");
	shows("--callpath --depth 1 --base o n",
	      "-----\n      820       915        +95       82    +11.6 * (main)\n---");
	shows("--callpath --json --base o n", "\"path\": [\"main\", \"b\", \"c\"]}");
}

/* On a terminal a recursion is one line, as in the tree of one program, unless its parts have changed unlike; what is shown for
 * the sake of a line below it is not among the first ones. Seen to fail: with a line for each; with chains over what was the same
 * before and is another afterwards; without a word of those above. */
Test(compared, chains_of_the_tree)
{
	put("o",
	    "main;f;g;f;g;h 500\nmain;f;g;h 100\nmain;a;b;a 40\nmain;a;b;a;x 40\nmain;k;l 30\n");
	put("n", "main;f;g;f;g;h 900\nmain;f;g;h 110\nmain;a;b;a 20\nmain;a;b;a;x 80\nmain;k;l "
		 "9\nmain;k 90\n");
	width = 80;
	setenv("NO_COLOR", "1", 1);
	shows("--tree --base o n",
	      "      710      1209       +499       86    +70.3 * main\n"
	      "      600      1010       +410       79    +68.3 *   f ... g, 2 functions\n"
	      "      500       900       +400       73    +80.0 *     f ... h, 3 functions\n"
	      "      100       110        +10       28    +10.0       h\n"
	      "       80       100        +20       26    +25.0     a ... a, 3 functions\n"
	      "       40        80        +40       21   +100.0 *   > x\n"
	      "       30        99        +69       22   +230.0 *   k\n"
	      "       30         9        -21       12    -70.0 *   > l\n"
	      "-----------------------------------------------------\n");
	shows("--tree --top 1 --base o n", "\nnot shown: 12 call paths beyond the first 1\n");
	shows("--tree --top 9 --base o n",
	      "\nnot shown: 1 call path beyond the first 9 and the 3 above them\n");
	width = 40;
	shows("--tree --base o n", "   600   1010    +410 * [1] ... g (2)\n");
	width = 0;
	shows("--tree --base o n", "      500       900       +400       73    +80.0 *       f\n");
}

/* What is below a function, or who calls it, has the figures that it has in the whole tree. Seen to fail: without the
 * squares of weights, which makes +- 0. */
Test(compared, root_functions)
{
	make_single();
	shows("--tree --root b --base o n", "after: 1 run, 915 samples: n\n"
					    "root function: b\n"
					    "total: 820 -> 915, +95 (+11.6 %)\n");
	shows("--tree --root b --base o n",
	      "      300       310        +10       48     +3.3   b\n"
	      "      300       310        +10       48     +3.3     c\n"
	      "-----");
	shows("--bottomup --root b --base o n",
	      "      300       310        +10       48     +3.3   b\n"
	      "      300       310        +10       48     +3.3     main\n"
	      "-----");
	shows("--bottomup --root b --tsv --base o n",
	      "0.36585365853658536\t0.33879781420765026\t0\tb\n");
	/* Seen to fail: with the functions of all stacks. */
	shows("--functions --root b --base o n",
	      "root function: b\ntotal: 820 -> 915, +95 (+11.6 %)\n");
	shows("--functions --root b --tsv --base o n", "0.33879781420765026\tb\n300\t310\t10\t");
	shows("--edges --root b --json --base o n", "\"caller\": \"b\", \"callee\": \"c\"}\n]}");
	shows("--contexts --root b --base o n",
	      "      300       310        +10       48     +3.3   b c\n-----");
}

/* Seen to fail: with branches that are below the threshold; with the calls of functions that are not shown;
 * with calls of gprof's report as they are in the other function's block. */
Test(compared, callers)
{
	put("o",
	    "main;a 500\nmain;b;c 300\nmain;gone 20\nmain;b;a 100\nmain;b;c;b;a 40\nmain;one 3\n");
	put("n",
	    "main;a 600\nmain;b;c 310\nmain;new 5\nmain;b;a 190\nmain;b;c;b;a 50\nmain;one 4\n");
	shows("--bottomup --base o n", "      640       840       +200       75    +31.2 * a\n"
				       "      500       600       +100       65    +20.0 *   main\n"
				       "      140       240       +100       38    +71.4 *   b\n");
	shows("--bottomup --base o n",
	      "not compared: call paths below 0.5 % of the total before and after\n");
	shows("--bottomup --json --base o n", "\"depth\": 1, \"name\": \"b\"}");
	shows("--bottomup --top 1 --base o n",
	      "     640       840       +200       75    +31.2 * a\n---");
	shows("--contexts --base o n",
	      "      500       600       +100       65    +20.0 * main a\n"
	      "      100       190        +90       33    +90.0 * main b a\n");
	shows("--contexts --base o n",
	      "       40        50        +10       19    +25.0   main (b) c b a\n");
	shows("--contexts --tsv --base o n", "\tTFTTT\tmain;b;c;b;a\n");
	/* Seen to fail: with the self of cycles. */
	shows("--cycles --base o n", "       40        50        +10       19    +25.0   b c b\n");
	shows("--cycles --json --base o n", "\"path\": [\"b\", \"c\", \"b\"]}");
	shows("--graph --base o n",
	      " * b\n      140       240       +100       38    +71.4 *   -> a\n");
	shows("--graph --tsv --base o n", "\tmain\tgone\n");
	/* Seen to fail: with the functions and calls that are not reached. */
	shows("--graph --root c --base o n",
	      "-----\n"
	      "      640       840       +200       75    +31.2 * a\n"
	      "      440       550       +110       62    +25.0 * b\n"
	      "      140       240       +100       38    +71.4 *   -> a\n"
	      "      340       360        +20       52     +5.9     -> c\n"
	      "      340       360        +20       52     +5.9   c\n"
	      "       40        50        +10       19    +25.0     -> b\n"
	      "-----");
	shows("--graph --root c --depth 1 --json --base o n",
	      "\"caller\": \"c\", \"callee\": \"b\"}\n]}");
	shows("--graph --leaf c --base o n", "+5.9     -> c\n      340");
	shows("--callgraph --base o n",
	      "      500       600       +100       65    +20.0 *     main\n"
	      "      140       240       +100       38    +71.4 *     b\n"
	      "      640       840       +200       75    +31.2 * a\n---");
	/* The stacks of the inner b are those of main's call of it, but not those that c's has led to. */
	shows("--callgraph --base o n", "      440       550       +110       62    +25.0 * b\n");
	shows("--callgraph --base o n",
	      "       40        50        +10       19    +25.0       c\n      440");
	/* Seen to fail: with the blocks of all functions; without calls of functions that are not meant. */
	shows("--callgraph --root one --base o n",
	      "-----\n"
	      "        3         4         +1        5    +33.3       main\n"
	      "        3         4         +1        5    +33.3   one\n"
	      "-----");
	shows("--callgraph --root one --json --base o n",
	      "\"name\": \"one\"},\n {\"before\": 3, \"after\": 4, ");
	shows("--callgraph --root one --json --base o n",
	      "\"caller\": \"main\", \"callee\": \"one\"}\n]}");
}

/* A branch stays if one below it has changed, and is not compared if it is small on both sides. */
Test(compared, branches)
{
	char *text;

	put("o", "p;x 5000\nz 95000\n");
	put("n", "q;x 5000\nz 95000\nt 200\n");
	shows("--bottomup --base o n", "     5000      5000         +0      196      0.0   x\n"
				       "     5000         0      -5000      139     gone *   p\n"
				       "        0      5000      +5000      139      new *   q\n");
	shows("--base o n", "     new * t\n");
	text = text_of("--bottomup --base o n");
	cr_assert(!strstr(text, "* t\n"), "%s", text);
	free(text);
}

Test(compared, stacks)
{
	make_single();
	shows("--folded --base o n",
	      "main;a 500 600\nmain;b;c 300 310\nmain;gone 20 0\nmain;new 0 5\n");
	shows("--folded --base o n --normalize", "main;a 500 538\nmain;b;c 300 278\n");
	put("m", "main;a 600\nmain;b;c 310\nmain;new 5\n");
	shows("--folded --base o --base m n",
	      "main;a 550 600\nmain;b;c 305 310\nmain;gone 10 0\nmain;new 3 5\n");
	shows("--folded --top 1 --base o n", "main;a 500 600\n");
}

/* The longest line of a text, without escape sequences. */
static size_t longest(const char *text)
{
	size_t most = 0, n = 0;

	for (; *text; text++) {
		n = *text == '\n' ? 0 : n + 1;
		if (*text == '\033') {
			text += strcspn(text, "m");
			n--;
		}
		most = n > most ? n : most;
	}
	return most;
}

#define DEEP                                                                                       \
	"a_function_with_a_long_name;another_of_these_functions;and_a_third_one_of_them;f;g;h;i;"  \
	"j;k;l;m;n;o;p"

/* On a terminal lines end at its edge, and what may be chance is dim. */
Test(compared, on_a_terminal)
{
	static const char *const lines[] = {"--flat --base o n",
					    "--tree --base o n",
					    "--edges --base o n",
					    "--callpath --root f --base o n",
					    "--functions --base o --base m n",
					    "--bottomup --base o n",
					    "--contexts --base o n",
					    "--graph --base o n",
					    "--callgraph --base o n"};

	unsetenv("NO_COLOR");
	put("o", DEEP " 1000\n" DEEP ";new 20\n");
	put("n", DEEP " 2000\n" DEEP ";new 31\n");
	put("m", DEEP " 2000\n" DEEP ";new 31\n");
	width = 80;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *text = text_of(lines[i]);

		cr_assert_leq(longest(text), 80, "%s: %s", lines[i], text);
		cr_assert(strstr(text, "\033[2m       20        31 ") || i == 4, "%s: %s", lines[i],
			  text);
		free(text);
	}
}

/* Nine samples are not tested, ten are. Seen to fail: gone, with a mark. */
Test(compared, few_samples)
{
	put("o", "main;a 1000\nmain;nine 9\nmain;ten 10\n");
	put("n", "main;a 1000\n");
	shows("--threshold 0 --base o n", "     gone   nine\n");
	shows("--threshold 0 --base o n", "     gone * ten\n");
}

/* Red and blue, and the mark; dashed lines are gone; the label says what is left out. Seen to fail: it did not. */
Test(compared, picture)
{
	make_single();
	shows("--dot --base o n",
	      "\t\"a\" [label=\"a\\n500 \xe2\x86\x92 600\\n+100 \xc2\xb1 65 *\", fillcolor=\"#ff");
	shows("--dot --base o n",
	      "+10 \xc2\xb1 48\", fillcolor=\"#ffffff\", color=\"#888888\"];\n");
	shows("--dot --base o n", "\"main\" -> \"gone\" [label=\"-20 *\", color=\"#0000c0\", ");
	shows("--dot --base o n", "style=\"dashed\"];\n\t\"main\" -> \"new\"");
	shows("--dot -n 10 -e 60 --base o n",
	      "];\n\t\"main\" -> \"a\" [label=\"+100 *\", color=\"#c00000\", penwidth=\"2.80\", "
	      "arrowsize=\"0.81\"];\n}\n");
	shows("--dot --root new --base o n", "[fontname=\"Arial\", fontsize=\"10\"];\n\t\"new\" [");
	shows("--dot --focus b --base o n", "white: may be chance\\lfocus on b\\l\", labelloc");
	shows("--dot --base o n", "white: may be chance\", labelloc");
	shows("--dot --totals propagated --base o n", "exact totals are compared");
}

/* Each option of the picture changes it, or is refused in one line; none is ignored. Seen to fail: --top drew all, and four of the
 * colours and figures were ignored. */
Test(compared, options_of_the_picture)
{
	static const struct {
		const char *option, *value, *error;
	} cases[] = {
		{"root", "b", NULL},
		{"leaf", "b", NULL},
		{"depth", "2", NULL},
		{"totals", "propagated", "--totals propagated: exact totals are compared"},
		{"node-thres", "20", NULL},
		{"edge-thres", "50", NULL},
		{"colormap", "soft", "--colormap: a comparison has figures and colours of its own"},
		{"colormap", "gray", "--colormap: a comparison has figures and colours of its own"},
		{"skew", "1", "--skew: a comparison has figures and colours of its own"},
		{"skew", "0.5", "--skew: a comparison has figures and colours of its own"},
		{"color-nodes-by-selftime", "",
		 "--color-nodes-by-selftime: a comparison has figures and colours of its own"},
		{"show-samples", "",
		 "--show-samples: a comparison has figures and colours of its own"},
		{"node-label", "self-time",
		 "--node-label: a comparison has figures and colours of its own"},
		{"time-format", "%f", "--time-format: is of --node-label total-time and self-time"},
		{"path", "/src", "--path: nothing in the input says in which file a function is"},
		{"calls-from", "x", "--calls-from"},
		{"wrap", "", NULL},
		{"top", "2", NULL},
		{"normalize", "", NULL},
		{"focus", "b", NULL},
		{"ignore", "b", NULL},
		{"hide", "b", NULL},
		{"collapse", "b,c", NULL},
		{"percent", "parent", "--dot takes no --percent"},
	};
	const size_t n = sizeof(cases) / sizeof(*cases);
	char *plain;

	make_single();
	put("o", "main;a "
		 "500\nmain;b;c;outer::middle_part_of_it::inner_function_of_a_long_name::last_one "
		 "300\nmain;gone 20\n");
	put("n", "main;a "
		 "600\nmain;b;c;outer::middle_part_of_it::inner_function_of_a_long_name::last_one "
		 "310\nmain;new 5\n");
	plain = text_of("--dot --base o n");
	for (size_t i = 0; i < n; i++) {
		char line[128], *text;

		snprintf(line, sizeof(line), "--dot --%s %s --base o n", cases[i].option,
			 cases[i].value);
		text = text_of(line);
		if (cases[i].error)
			cr_assert(strstr(text, cases[i].error) == text, "%s: %s", line, text);
		else
			cr_assert(strstr(text, "digraph") == text && strcmp(text, plain) != 0,
				  "%s: %s", line, text);
		free(text);
	}
	free(plain);
	for (size_t i = 0; i < options_table_count; i++) {
		bool is_known = !view_names_option(&view_dot, options_table[i].name);

		for (size_t k = 0; k < n; k++)
			is_known |= !strcmp(options_table[i].name, cases[k].option);
		cr_assert(is_known, "--%s: no case", options_table[i].name);
	}
	shows("--dot --top 2 --base o n",
	      "may be chance\\lnot shown: 5 functions beyond the 2 heaviest\"");
}

/* A whole number of more digits than a double has is exact. */
Test(compared, exact_counts)
{
	put("o", "main 9007199254740993\n");
	put("n", "main 9007199254740995\n");
	shows("--tsv --base o n", "9007199254740993\t9007199254740995\t");
}

Test(compared, errors)
{
	make_single();
	shows("--average-time --base o n",
	      "--average-time cannot be compared with a --base; these can: --flat, --tree, "
	      "--bottomup, "
	      "--callpath, --functions, --bodies, --contexts, --callgraph, --cycles, --edges, "
	      "--folded, --graph, --dot");
	shows("--tree --percent parent --base o n", "--percent parent: ");
	shows("--normalize n", "--normalize: only with --base");
	shows("--base - -", "standard input can be read once, and cannot be compared with itself");
	shows("--base o --resource cpu,real n",
	      "no input counts the resource \"cpu\"; there are: samples");
	shows("--pprof --base o --resource cpu,real n",
	      "--pprof compares one resource, not \"cpu,real\"; tables compare several");
	shows("--base o --granularity address n", "--base compares by name");
	put("c", "# callgrind format\nevents: Ir\nfn=main\n1 10\n");
	shows("--base o c", "c: it has calls without stacks, and comparing needs stacks");
}

/* ---- several resources ----------------------------------------------------------------------- */

/* A recording of cpu and, if it is not 0, of alloc: of these weights, some of which have no sample of the other. */
static void put_run(const char *name, unsigned cpu, unsigned alloc)
{
	static const char names[] = "1000 10 main\n1010 10 compute\n1020 10 wait\n1030 10 grow\n";
	static struct batch_writer w;
	struct bytes records = {0}, thread = {0}, file = {0};

	resource_process(&records, 1);
	resource_atom(&records, 0, "running", "0", 16, CPS_ATOM_IS_TIME);
	bytes_thread(&thread, 1, 4242, "worker");
	bytes_record(&records, CPS_TAG_THREAD, thread.at, thread.n);
	bytes_record(&records, CPS_TAG_JIT, names, sizeof(names) - 1);
	if (alloc) {
		resource_add(&records, 1, "alloc", "bytes", 1);
		resource_atom(&records, 1, "", "1", 1, 0);
	}
	batch_writer_begin(&w, WRITER_SHORT, 1, 0, 0);
	for (unsigned i = 0; i < 20; i++) {
		resource_sample(&w, 0, cpu + i, "1000 1010", 0);
		resource_sample(&w, 0, 100 + i % 3, "1000 1020", 0);
		resource_sample(&w, 0, cpu, "1000 1010 1030 1010", 0);
		if (alloc) {
			resource_sample(&w, 1, alloc, "1000 1030", 2 * i + 1);
			resource_sample(&w, 1, 8 + i, "1000 1010", 2 * i + 2);
		}
	}
	bytes_record(&records, CPS_TAG_SAMPLES, w.payload.at, w.payload.n);
	batch_writer_free(&w);
	resource_file(&file, &records, 1000, false);
	writer_file(name, file.at, file.n);
	bytes_free(&records);
	bytes_free(&thread);
	bytes_free(&file);
}

/* Two runs on each side, so that sums of means are exact. */
static void put_runs(void)
{
	enter_new_directory();
	put_run("o1", 200, 1000);
	put_run("o2", 211, 1040);
	put_run("n1", 500, 300);
	put_run("n2", 507, 350);
}

#define RUNS	" --base o1 --base o2 n1 n2"
#define SEVERAL " --resource cpu,alloc" RUNS
#define FIGURES 8

static const char *const tables[] = {"flat",	 "functions", "bodies", "tree",
				     "bottomup", "callpath",  "edges",	"contexts",
				     "cycles",	 "callgraph", "graph"};
static const char *const resources[] = {"cpu", "alloc"};

#define N_TABLES (sizeof(tables) / sizeof(tables[0]))

static char *table_of(const char *format, const char *view, const char *end)
{
	char line[256];

	snprintf(line, sizeof(line), "--%s %s --threshold 0%s%s", view, format,
		 strcmp(view, "callpath") ? "" : " --root main", end);
	return text_of(line);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines in order, of a row of several resources without the figures of the others. Rows of which the resource has nothing
 * are left out. */
static char *sorted_rows(const char *text, int resource, int n)
{
	char *copy = strdup(text), *rows = calloc(1, strlen(text) + 1), *lines[64], *line = copy;
	size_t n_lines = 0;

	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		char *label = line, *from = line;

		*end = '\0';
		for (int i = 0; i < n * FIGURES; i++) {
			from = i == resource * FIGURES ? label : from;
			label = strchr(label, '\t') + 1;
		}
		if (strncmp(from, "0\t0\t", 4) == 0)
			continue;
		char *next = from;
		for (int i = 0; i < FIGURES; i++)
			next = strchr(next, '\t') + 1;
		memmove(next, label, strlen(label) + 1);
		cr_assert_lt(n_lines, sizeof(lines) / sizeof(lines[0]));
		lines[n_lines++] = from;
	}
	qsort(lines, n_lines, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < n_lines; i++)
		strcat(strcat(rows, lines[i]), "\n");
	cr_assert_gt(n_lines, 0, "%s", text);
	free(copy);
	return rows;
}

/* Seen to fail: with the runs of the first resource for both; with a row left out because the first resource has nothing of
 * it; with parts compared by the first resource alone. */
Test(compared, each_resource_as_alone)
{
	static const char *const ends[] = {"", " --normalize", " --unit samples"};

	put_runs();
	for (size_t i = 0; i < N_TABLES * 3; i++) {
		char end[128], *both, *alone;

		snprintf(end, sizeof(end), "%s" SEVERAL, ends[i / N_TABLES]);
		both = table_of("--tsv", tables[i % N_TABLES], end);
		for (int k = 0; k < 2; k++) {
			/* Cycles have nothing of alloc. */
			if (k && !strcmp(tables[i % N_TABLES], "cycles"))
				continue;
			snprintf(end, sizeof(end), "%s --resource %s" RUNS, ends[i / N_TABLES],
				 resources[k]);
			alone = table_of("--tsv", tables[i % N_TABLES], end);
			char *want = sorted_rows(alone, 0, 1), *got = sorted_rows(both, k, 2);

			cr_assert_str_eq(got, want, "--%s: %s", tables[i % N_TABLES], both);
			free(want);
			free(got);
			free(alone);
		}
		free(both);
	}
}

static double hundredths(double value)
{
	return (double)(long long)(value * 100 + (value < 0 ? -0.5 : 0.5));
}

/* The sums of three figures in the rows of a text, from the number `first` of each line on. */
static void sum_text(const char *text, int first, double sums[3])
{
	const char *line = strstr(strstr(text, "-----"), "\n") + 1;

	sums[0] = sums[1] = sums[2] = 0;
	for (; line && *line && strncmp(line, "not ", 4); line = strchr(line, '\n') + 1) {
		char *at = (char *)(uintptr_t)line;

		if (*line == '-')
			continue;
		for (int i = 0; i < first + 3; i++) {
			double value = strtod(at, &at);

			at += i % 3 == 2 ? 2 : 0; /* the mark */
			if (i >= first)
				sums[i - first] += hundredths(value);
		}
	}
}

/* The same of JSON, by the beginning of the keys. */
static void sum_json(const char *text, const char *key, double sums[3])
{
	static const char *const figures[] = {"before", "after", "change"};

	for (int i = 0; i < 3; i++) {
		char name[64];
		const char *at = strstr(text, "\"rows\"");

		snprintf(name, sizeof(name), "\"%s%s\": ", key, figures[i]);
		for (sums[i] = 0; (at = strstr(at, name));)
			sums[i] += strtod(at += strlen(name), NULL);
	}
}

static void sums_are_equal(const char *view, const char *format)
{
	static const char *const keys[] = {"cpu_ns_", "alloc_bytes_"};
	char *both = table_of(format, view, SEVERAL);

	for (int k = 0; k < 2; k++) {
		char end[128];
		double got[3], want[3];

		snprintf(end, sizeof(end), " --resource %s" RUNS, resources[k]);
		char *alone = table_of(format, view, end);

		if (*format) {
			sum_json(both, keys[k], got);
			sum_json(alone, "", want);
		} else {
			sum_text(both, 3 * k, got);
			sum_text(alone, 0, want);
		}
		cr_assert(want[0] || !strcmp(view, "cycles"), "%s", alone);
		for (int i = 0; i < 3; i++)
			cr_assert_eq(got[i], want[i], "--%s %s: %s%s", view, format, both, alone);
		free(alone);
	}
	free(both);
}

/* Seen to fail: with the figures of the first resource in all columns. */
Test(compared, sums_of_each_resource)
{
	put_runs();
	for (size_t i = 0; i < N_TABLES; i++) {
		sums_are_equal(tables[i], "");
		sums_are_equal(tables[i], "--json");
	}
}

/* A group of columns for each resource, under its name, and a label behind them. Seen to fail: with the runs of the first resource
 * for both. */
Test(compared, heading_of_each_resource)
{
	put_runs();
	shows("--flat" SEVERAL,
	      "Flat Profile, before and after, for resources: CPU Time, Alloc\n"
	      "before: 2 runs, 200 samples: demo \"\"\n"
	      "after: 2 runs, 200 samples: demo \"\"\n"
	      "cpu of a run: 10429.0 -> 22349.0 us, +11920.0 +- 1338.8 us (+114.3 %): changed\n"
	      "alloc of a run: 20750 -> 6850 B, -13900 +- 2886 B (-67.0 %): changed\n");
	shows("--flat" SEVERAL,
	      "         cpu us                   alloc B\n"
	      " before   after   change   before  after  change   function (self)\n"
	      "-----------------------------------------------------\n"
	      " 8410.0 20330.0 +11920.0 *    350    350      +0   compute\n"
	      "    0.0     0.0     +0.0    20400   6500  -13900 * grow\n");
	shows("--flat --json" SEVERAL,
	      "{\"version\": 1, \"view\": \"comparison\", \"columns\": [{\"key\": \"cpu_ns\", "
	      "\"resource\": \"cpu\", \"gtick\": \"ns\", \"total_before\": 10429000, "
	      "\"total_after\": 22349000}, {\"key\": \"alloc_bytes\", \"resource\": \"alloc\", "
	      "\"gtick\": \"bytes\", \"total_before\": 20750, \"total_after\": 6850}], "
	      "\"comparison\": {\"view\": \"flat\", \"runs_before\": 2, \"runs_after\": 2, "
	      "\"normalized\": false}, \"rows\": [\n {\"cpu_ns_before\": 8410000, ");
	shows("--flat --json" SEVERAL, "\"alloc_bytes_verdict\": \"less\", ");
	/* The threshold is of each resource; what is new is of none before. */
	shows("--flat --threshold 99" SEVERAL,
	      "not shown: 1 function without * whose change is below 99 % of the total\n");
	shows("--flat --jobs 4 --tsv" SEVERAL, "8410000\t20330000\t11920000\t");
}

/* A run that does not count a resource has used nothing of it, if another one does. Seen to fail: with the name that such a run has
 * for it, none. */
Test(compared, resource_of_some_runs)
{
	put_runs();
	put_run("none", 200, 0);
	put_run("also", 200, 0);
	shows("--flat --resource alloc,cpu --base none n1", "alloc: 0 -> 6350 B, +6350 B\ncpu: ");
	shows("--flat --resource alloc,cpu --base o1 none", "alloc: 20350 -> 0 B, -20350 B\n");
	shows("--flat --resource cpu,alloc --base also none",
	      "no input counts the resource \"alloc\" (cpsample -r alloc PROGRAM records it); "
	      "there are: cpu");
}
