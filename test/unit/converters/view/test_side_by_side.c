/* SPDX-License-Identifier: MIT */
/*
 * test_side_by_side.c - several resources in one table.
 *
 * Seen to fail: weights of a column added to those of the first, a line hidden that only the last column
 * brings above the threshold, stacks that only the second column has left out bottom up; rows of 0.00 shown; no word of
 * the moment at which memory was live.
 */
#include "options/options.h"
#include "out_text.h"
#include "pipeline/load.h"
#include "pipeline/report.h"
#include "resource_stream.h"

#define ARGS_MAX 12

static void make(const char *name)
{
	struct bytes file = {0};

	enter_new_directory();
	resource_demo_file(&file, 1000);
	writer_file(name, file.at, file.n);
	bytes_free(&file);
}

/* What the words of a command line write, or the error; to be freed. */
static char *text_of(const char *line)
{
	char copy[256], *words[ARGS_MAX] = {(char[]){"cpconv"}}, *text = NULL;
	struct analysis s = {0};
	struct load_result result;
	struct options opt;
	struct error err = {0};
	struct out *o;
	int n = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[n++] = word;
	if (options_parse(&opt, n, words, &err)) {
		options_free(&opt);
		return strdup(err.text);
	}
	const struct sources from = {
		.files = opt.files,
		.n = opt.n_files,
		.is_read_once_only = opt.n_files && !strcmp(opt.files[0], "-"),
	};
	if (load_profiles(&from, &opt, LOAD_AS_COLUMNS, &result, &err)) {
		options_free(&opt);
		return strdup(err.text);
	}
	s.profile = result.list[0];
	o = open_text();
	if (!analysis_shape(&s, opt.view->needs, &opt, &err)) {
		const struct view_input in = analysis_input(&s, &opt.of_view);

		cr_assert_eq(opt.view->emit(&in, o, &err), 0, "%s", err.text);
	}
	cr_assert_eq(out_close(o, true, &err), 0);
	text = text_of_file("text");
	analysis_free(&s);
	free(result.list);
	selection_match_free(&result.match);
	options_free(&opt);
	return text;
}

static void shows(const char *line, const char *want)
{
	make("1.cps");
	char *text = text_of(line);

	cr_assert(strstr(text, want), "%s: %s", line, text);
	free(text);
}

#define ALL " --resource real,alloc,cpu 1.cps"

Test(side_by_side, functions)
{
	shows("--flat" ALL, "Flat Profile for resources: Real, Alloc, CPU Time\n"
			    "real: 2.000 ms credited, 5 samples\n"
			    "alloc: 1.065 KB credited of 1.065 KB counted, 3 samples\n"
			    "cpu: 500.000 us credited of 550.000 us counted, 4 samples\n"
			    "process 77: demo \"\"\n"
			    "\n"
			    "  real %  alloc %    cpu %  function (self)\n"
			    "-----------------------------------------------------\n"
			    "   80.00     0.00    20.00  wait\n"
			    "   15.00     6.01    60.00  compute\n"
			    "    5.00     0.09    20.00  main\n"
			    "    0.00    93.90     0.00  grow\n");
	shows("--functions --tsv" ALL, "2000000\t1065\t500000\tmain\n"
				       "1600000\t0\t100000\twait\n"
				       "300000\t64\t300000\tcompute\n"
				       "0\t1000\t0\tgrow\n");
	shows("--bodies --tsv --resource cpu,alloc 1.cps", "300000\t64\tcompute\n"
							   "100000\t1\tmain\n"
							   "100000\t0\twait\n"
							   "0\t1000\tgrow\n");
	shows("--flat --tsv --unit samples" ALL, "2\t1\t2\tcompute\n2\t0\t1\twait\n"
						 "1\t1\t1\tmain\n0\t1\t0\tgrow\n");
}

Test(side_by_side, call_paths)
{
	shows("--tree --tsv" ALL, "0\t2000000\t1065\t500000\tmain\n"
				  "1\t1600000\t0\t100000\twait\n"
				  "1\t300000\t64\t300000\tcompute\n"
				  "1\t0\t1000\t0\tgrow\n");
	shows("--tree --percent parent" ALL, "   80.00     0.00    20.00    wait\n");
	shows("--bottomup --tsv" ALL, "0\t1600000\t0\t100000\twait\n"
				      "1\t1600000\t0\t100000\tmain\n"
				      "0\t300000\t64\t300000\tcompute\n"
				      "1\t300000\t64\t300000\tmain\n"
				      "0\t100000\t1\t100000\tmain\n"
				      "0\t0\t1000\t0\tgrow\n"
				      "1\t0\t1000\t0\tmain\n");
	shows("--bottomup --percent parent" ALL, "  100.00     0.00   100.00    main\n");
	shows("--callpath --tsv" ALL, "2000000\t1065\t500000\tmain\n"
				      "1600000\t0\t100000\tmain;wait\n"
				      "300000\t64\t300000\tmain;compute\n"
				      "0\t1000\t0\tmain;grow\n");
	shows("--callpath --up --root compute" ALL, "   15.00     6.01    60.00  (main compute)\n");
}

/* Seen to fail: with the weights of the first resource in all columns, and of the caller's total in the first one. */
Test(side_by_side, calls_and_contexts)
{
	shows("--edges" ALL, "  real %  alloc %    cpu %  caller -> callee\n"
			     "-----------------------------------------------------\n"
			     "   80.00     0.00    20.00  main -> wait\n"
			     "   15.00     6.01    60.00  main -> compute\n"
			     "    0.00    93.90     0.00  main -> grow\n"
			     "-----");
	shows("--edges --focus compute --percent parent" ALL,
	      "  100.00   100.00   100.00  main -> compute\n");
	shows("--edges --json --resource cpu,alloc 1.cps",
	      " {\"cpu_ns\": 300000, \"alloc_bytes\": 64, \"caller\": \"main\", "
	      "\"callee\": \"compute\"},\n");
	shows("--contexts --tsv --resource cpu,alloc 1.cps", "300000\t64\tTT\tmain;compute\n"
							     "100000\t1\tT\tmain\n"
							     "100000\t0\tTT\tmain;wait\n"
							     "0\t1000\tTT\tmain;grow\n");
	shows("--contexts --resource alloc,cpu 1.cps", "   93.90     0.00  main grow\n");
	/* Seen to fail: with the functions of all stacks. */
	shows("--flat --root compute --tsv --resource cpu,alloc 1.cps", "300000\t64\tcompute\n");
	shows("--contexts --root compute --json --resource cpu,alloc 1.cps",
	      "\"rows\": [\n {\"cpu_ns\": 300000, \"alloc_bytes\": 64, \"marks\": \"T\", "
	      "\"history\": [\"compute\"]}\n]}");
}

/* Seen to fail: with callees in the place of callers; with calls of functions that are not reached. */
Test(side_by_side, blocks)
{
	shows("--callgraph" ALL, "  real %  alloc %    cpu %  callers, function, callees\n"
				 "-----------------------------------------------------\n"
				 "  100.00   100.00   100.00  main\n"
				 "   80.00     0.00    20.00      wait\n"
				 "   15.00     6.01    60.00      compute\n"
				 "    0.00    93.90     0.00      grow\n"
				 "-----------------------------------------------------\n"
				 "   80.00     0.00    20.00      main\n"
				 "   80.00     0.00    20.00  wait\n");
	shows("--callgraph --root grow" ALL,
	      "root function: grow\n"
	      "\n"
	      "  real %  alloc %    cpu %  callers, function, callees\n"
	      "-----------------------------------------------------\n"
	      "    0.00    93.90     0.00      main\n"
	      "    0.00    93.90     0.00  grow\n"
	      "-----");
	shows("--graph" ALL, "   80.00     0.00    20.00    -> wait\n");
	shows("--graph --root grow --json --resource cpu,alloc 1.cps",
	      "\"rows\": [\n {\"cpu_ns\": 0, \"alloc_bytes\": 1000, \"name\": \"grow\"}\n]}");
	shows("--graph --json --resource cpu,alloc 1.cps",
	      " {\"cpu_ns\": 300000, \"alloc_bytes\": 64, \"caller\": \"main\", "
	      "\"callee\": \"compute\"},\n");
}

/* main calls compute, which calls main: 300 us and 64 bytes when that call was running. */
static void make_recursive(const char *name)
{
	static const char names[] = "1000 10 main\n1010 10 compute\n";
	struct bytes records = {0}, file = {0};
	struct batch_writer w = {0};

	enter_new_directory();
	resource_process(&records, 2);
	resource_add(&records, 1, "alloc", "bytes", 1);
	resource_atom(&records, 0, "running", "0", 16, CPS_ATOM_IS_TIME);
	resource_atom(&records, 2, "", "1", 1, 0);
	bytes_record(&records, CPS_TAG_JIT, names, sizeof(names) - 1);
	batch_writer_begin(&w, WRITER_SHORT, 1, 0, 0);
	resource_sample(&w, 0, 100, "1000", 0);
	resource_sample(&w, 0, 300, "1000 1010 1000", 0);
	resource_sample(&w, 2, 64, "1000 1010 1000", 0);
	resource_sample(&w, 2, 936, "1000 1010 1000 1010", 0);
	bytes_record(&records, CPS_TAG_SAMPLES, w.payload.at, w.payload.n);
	batch_writer_free(&w);
	resource_file(&file, &records, 1000, true);
	writer_file(name, file.at, file.n);
	bytes_free(&records);
	bytes_free(&file);
}

/* Seen to fail: with what ran when the cycle was closed, in the place of what ran in it. */
Test(side_by_side, cycles)
{
	make_recursive("2.cps");
	char *text = text_of("--cycles --resource cpu,alloc 2.cps");
	const char *want = "   cpu %  alloc %  cycle (total)\n"
			   "-----------------------------------------------------\n"
			   "   75.00   100.00  main compute main\n"
			   "    0.00    93.60  compute main compute\n"
			   "-----";

	cr_assert(strstr(text, want), "%s", text);
	free(text);
	text = text_of("--cycles --json --resource cpu,alloc 2.cps");
	want = " {\"cpu_ns\": 0, \"alloc_bytes\": 936, "
	       "\"path\": [\"compute\", \"main\", \"compute\"]}";
	cr_assert(strstr(text, want), "%s", text);
	free(text);
}

/* Seen to fail: with the weights of the first resource in all columns. */
Test(side_by_side, root_functions)
{
	shows("--tree --root main" ALL, "root function: main\n"
					"\n"
					"  real %  alloc %    cpu %  function (total)\n"
					"-----------------------------------------------------\n"
					"  100.00   100.00   100.00  main\n"
					"   80.00     0.00    20.00    wait\n");
	shows("--tree --tsv --root compute" ALL, "0\t300000\t64\t300000\tcompute\n");
	shows("--bottomup --tsv --root wait" ALL, "0\t1600000\t0\t100000\twait\n"
						  "1\t1600000\t0\t100000\tmain\n");
	/* All stacks are in main, which then has its callees' weights. */
	shows("--bottomup --tsv --root main" ALL, "0\t2000000\t1065\t500000\tmain\n");
}

/* The first resource has nothing at main itself, which is not the end of a branch. */
Test(side_by_side, what_only_another_resource_has)
{
	shows("--bottomup --tsv --resource alloc-live,real --at 0.0002 1.cps",
	      "0\t64\t300000\tcompute\n1\t64\t300000\tmain\n"
	      "0\t0\t100000\tmain\n0\t0\t1600000\twait\n"
	      "1\t0\t1600000\tmain\n");
}

/* wait has 20 % of cpu and nothing of alloc, grow the other way round. */
Test(side_by_side, limits)
{
	shows("--tree --tsv --threshold 61 --resource cpu,alloc 1.cps",
	      "0\t500000\t1065\tmain\n1\t0\t1000\tgrow\n");
	shows("--flat --threshold 61 --resource cpu,alloc 1.cps",
	      "not shown: 3 functions below 61 %\n");
	/* main has 20 % of cpu itself, and all of it in total. Seen to fail: shown because of the total. */
	shows("--flat --threshold 21 --resource cpu,alloc 1.cps",
	      "not shown: 2 functions below 21 %\n");
	shows("--functions --threshold 21 --resource cpu,alloc 1.cps",
	      "not shown: 1 function below 21 %\n");
	/* Nothing is live then. Seen to fail: all rows are shown, because nothing is less than 40 % of 0. */
	shows("--flat --threshold 40 --resource cpu,alloc-live --at 0 1.cps",
	      "not shown: 2 functions below 40 %\n");
	shows("--tree --threshold 40 --resource cpu,alloc-live --at 0 1.cps",
	      "not shown: 1 call path below 40 %\n");
	shows("--tree --top 2" ALL, "not shown: 2 call paths beyond the 2 heaviest\n");
	shows("--bottomup --depth 1" ALL, "not shown: 3 branches of more than 1 function\n");
	shows("--flat --focus compute" ALL, "focus on compute: 15.00 %, 6.01 %, 60.00 %\n");
	shows("--tree --by thread --tsv" ALL, "0\t2000000\t1065\t500000\tworker (tid 4242)\n"
					      "1\t2000000\t1065\t500000\tmain\n");
	shows("--flat --tsv --state io --resource real,cpu 1.cps",
	      "1500000\t0\twait\n0\t0\tmain\n");
	shows("--flat --tsv --jobs 2 --resource alloc,cpu 1.cps 1.cps",
	      "2000\t0\tgrow\n128\t600000\tcompute\n2\t200000\tmain\n0\t200000\twait\n");
}

/* With the focus main has no self of its own. */
Test(side_by_side, rows_of_nothing)
{
	shows("--flat --focus compute --resource cpu,alloc 1.cps",
	      "not shown: 1 function of 0.00 % in each column (--threshold 0 shows them)\n");
	shows("--flat --focus compute --threshold 0 --resource cpu,alloc 1.cps",
	      "    0.00     0.00  main\n");
	shows("--flat --focus compute --tsv --resource cpu,alloc 1.cps", "0\t0\tmain\n");
}

Test(side_by_side, when_memory_is_live)
{
	shows("--flat --resource cpu,alloc-live 1.cps", "live at the end (--at peak: when there");
	shows("--flat --resource alloc-live --at peak 1.cps",
	      "live when each process had the most of it\n");
	shows("--flat --resource alloc-live --at 0.0002 1.cps", "live 200 us into the run\n");
}

Test(side_by_side, json_names_each_column)
{
	shows("--flat --json --resource cpu,alloc 1.cps",
	      "{\"version\": 1, \"view\": \"columns\", \"columns\": [{\"key\": \"cpu_ns\", "
	      "\"resource\": \"cpu\", \"gtick\": \"ns\", \"samples\": 4, \"total\": 500000, "
	      "\"kept\": 500000}, {\"key\": \"alloc_bytes\", \"resource\": \"alloc\", "
	      "\"gtick\": \"bytes\", \"samples\": 3, \"total\": 1065, \"kept\": 1065}], "
	      "\"rows\": [\n"
	      " {\"cpu_ns\": 300000, \"alloc_bytes\": 64, \"name\": \"compute\"},\n");
}

Test(side_by_side, what_cannot_be_shown)
{
	shows("--dot" ALL, "--dot shows one resource, not \"real,alloc,cpu\"; several are shown "
			   "by --flat, --tree, ");
	shows("--flat --resource cpu,cpu 1.cps", "--resource: \"cpu\" comes twice");
	shows("--flat --resource cpu, 1.cps", "--resource: a name in \"cpu,\" is empty");
	shows("--flat --resource cpu,wait 1.cps",
	      "no input counts the resource \"wait\"; there are: cpu, real, alloc");
	shows("--flat --resource cpu,real -", "can be read only once");
}
