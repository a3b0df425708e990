/* SPDX-License-Identifier: MIT */
/*
 * test_runs.c - recordings of one process tree are one run, others are runs of their own.
 *
 * Seen to fail: with the runs of the base searched for those of the others; with all files without a tree as one run.
 */
#include "libsampler/format.h"
#include "out_text.h"
#include "pipeline/runs.h"
#include "stream_writer.h"

/* Make a recording of a process that began at start_ns; tree 0: the record names none. */
static void make(const char *name, uint64_t tree, uint64_t start_ns)
{
	struct bytes records = {0}, payload = {0}, file = {0};

	enter_new_directory();
	bytes_process(&payload, 77, 1000, 0);
	bytes_field_text(&payload, CPS_PROCESS_HOST, "here");
	bytes_field(&payload, CPS_PROCESS_START_NS, start_ns);
	if (tree)
		bytes_field(&payload, CPS_PROCESS_TREE_PID, tree);
	bytes_field(&payload, CPS_PROCESS_TREE_START, 5);
	bytes_record(&records, CPS_TAG_PROCESS, payload.at, payload.n);
	writer_stream(&file, &records, 1000, false);
	writer_file(name, file.at, file.n);
	bytes_free(&records), bytes_free(&payload), bytes_free(&file);
}

Test(runs, of_process_trees)
{
	char *base[] = {(char[]){"1"}, (char[]){"2"}, (char[]){"3"}, (char[]){"4"}, (char[]){"5"}};
	char *others[] = {(char[]){"7"}, (char[]){"6"}};
	static const uint32_t want[] = {0, 1, 0, 2, 3, 4, 4};
	struct sources from, later;
	struct runs runs;
	struct error err;

	make("1", 10, 700), make("2", 11, 600), make("3", 10, 500);
	make("4", 0, 400), make("5", 0, 300), make("6", 10, 200), make("7", 10, 700);
	cr_assert_eq(sources_find(&from, base, 5, NULL, &err), 0);
	cr_assert_eq(sources_find(&later, others, 2, NULL, &err), 0);
	cr_assert_eq(runs_compare(&runs, &from, &later, &err), 0);
	cr_assert_eq(from.n, 7);
	cr_assert_eq(later.n, 0);
	cr_assert_eq(runs.n, 5);
	cr_assert_eq(runs.n_base, 4);
	cr_assert_arr_eq(runs.of, want, sizeof(want));
	cr_assert_eq(runs.starts_ns[0], 500);
	cr_assert_eq(runs.starts_ns[4], 200);
	runs_free(&runs);
	sources_free(&from);
	sources_free(&later);
}
