/* SPDX-License-Identifier: MIT */
/*
 * test_selection.c - the processes that are asked for, and the groups that stacks are told apart by.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "libsampler/format.h"
#include "options/selection.h"
#include "out_text.h"
#include "profile_fixture.h"
#include "read/decode.h"
#include "read_part.h"
#include "resource_stream.h"
#include "stream_writer.h"

/* ---- selection ------------------------------------------------------------------------------- */
/* The processes that are asked for, and the groups that stacks are told apart by. */

/* A recording of a process with one stack in each of two threads. */
static const char *make(const char *name, uint64_t pid, const char *exe)
{
	static struct batch_writer w;
	static struct writer_item item;
	struct bytes records = {0}, payload = {0}, file = {0};

	bytes_process(&payload, pid, 1, 0);
	bytes_field_text(&payload, CPS_PROCESS_EXE, exe);
	if (pid != 1235)
		bytes_field(&payload, CPS_PROCESS_RANK, 0);
	bytes_record(&records, CPS_TAG_PROCESS, payload.at, payload.n);
	memset(&item, 0, sizeof(item));
	batch_writer_begin(&w, WRITER_SHORT, 1, 0, 0);
	item.depth = 2;
	item.stack[0] = (struct writer_frame){0, 10};
	item.stack[1] = (struct writer_frame){0, 20};
	for (item.thread = 0; item.thread < 3; item.thread++) {
		item.weight = item.time_us += 1;
		item.mark = item.thread == 2;
		batch_writer_item(&w, &item);
	}
	bytes_record(&records, CPS_TAG_SAMPLES, w.payload.at, w.payload.n);
	payload.n = 0;
	bytes_thread(&payload, 1, 1235, "worker"); /* after its samples */
	bytes_record(&records, CPS_TAG_THREAD, payload.at, payload.n);
	payload.n = 0;
	bytes_thread(&payload, 2, 1236, "");
	bytes_record(&records, CPS_TAG_THREAD, payload.at, payload.n);
	bytes_record(&records, CPS_TAG_END, NULL, 0);
	writer_stream(&file, &records, 1000, true);
	writer_file(name, file.at, file.n);
	bytes_free(&records), bytes_free(&payload), bytes_free(&file);
	batch_writer_free(&w);
	return name;
}

static void make_three(void)
{
	enter_new_directory();
	make("1.cps", 1234, "/usr/lib/gcc/cc1");
	make("2.cps", 1235, "/usr/bin/as");
	make("3.cps", 1236, "/usr/lib/gcc/cc1");
}

/* The profile of "1.cps", "2.cps", ...; NULL with the error. */
static struct profile *read_them(struct selection *s, enum profile_by by, int n, struct error *err)
{
	char *files[] = {(char[]){"1.cps"}, (char[]){"2.cps"}, (char[]){"3.cps"}};

	return read_part(s, by, files, (size_t)n, err);
}

/* Which processes are taken with these options? Their ids, or the error. */
static void takes(const char *pids, const char *exe, const char *want)
{
	struct selection s = {0};
	struct error err = {0};
	char got[1100] = "";
	struct profile *p = NULL;

	if ((!pids || !selection_add_pids(&s, pids, &err)) &&
	    (!exe || !selection_set_exe(&s, exe, &err)))
		p = read_them(&s, PROFILE_BY_NOTHING, 3, &err);
	for (size_t i = 0; p && i < p->n_processes; i++)
		sprintf(got + strlen(got), "%s%d", i ? " " : "", (int)p->processes[i].pid);
	cr_assert_str_eq(p ? got : err.text, want);
	profile_free(p);
	selection_free(&s);
}

Test(selection, processes)
{
	make_three();
	takes(NULL, NULL, "1234 1235 1236");
	takes("1235", NULL, "1235");
	takes("1236,1234", NULL, "1234 1236");
	takes(NULL, "cc1$", "1234 1236");
	takes(NULL, "/(as|ld)$", "1235");
	takes("1234,1235", "gcc", "1234");
}

Test(selection, what_there_is)
{
	static const char callgrind[] = "# callgrind format\nevents: Ir\npid: 77\nfn=f\n1 2\n";

	make_three();
	takes("5", NULL, "no process matches --pid; there are: 1234 cc1, 1235 as, 1236 cc1");
	takes(NULL, "^cc1",
	      "no process matches --exe ^cc1; there are: 1234 cc1, 1235 as, 1236 cc1");
	takes("1235", "cc1",
	      "no process matches --pid and --exe cc1; there are: 1234 cc1, 1235 as, 1236 cc1");
	takes("12x", NULL, "--pid: \"12x\" is not a process id, or several with commas");
	takes("1,", NULL, "--pid: \"1,\" is not a process id, or several with commas");
	takes("", NULL, "--pid: \"\" is not a process id, or several with commas");
	takes("99999999999999999999", NULL,
	      "--pid: \"99999999999999999999\" is not a process id, or several with commas");
	takes(NULL, "(", "--exe: \"(\" is not a regular expression: Unmatched ( or \\(");
	writer_file("3.cps", "main 5\n", 7);
	takes("1234", NULL, "3.cps: does not say which process it is of: --pid needs recordings");
	writer_file("3.cps", callgrind, strlen(callgrind));
	takes("77", NULL, "77");
	takes("78", NULL,
	      "no process matches --pid; there are: 1234 cc1, 1235 as, 77 [unknown program]");
	takes("77", "p", "3.cps: does not say which process it is of: --exe needs recordings");
}

Test(selection, the_first_of_many)
{
	struct shortlist l = {0};
	struct error err;

	error_set(&err, "nothing");
	shortlist_append(&l, SHORTLIST_FEW, &err);
	cr_assert_str_eq(err.text, "nothing; there are: none");
	for (int i = 0; i < 24; i++)
		shortlist_add(&l, "%d", i % 12);
	error_set(&err, "no x");
	cr_assert_eq(shortlist_append(&l, SHORTLIST_FEW, &err), -1);
	cr_assert_str_eq(err.text, "no x; there are: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more");
	shortlist_clear(&l);
}

/* What is passed over may be broken behind its process record. */
Test(selection, reads_no_further)
{
	struct bytes records = {0}, payload = {0}, file = {0};

	make_three();
	bytes_process(&payload, 9, 1, 0);
	bytes_record(&records, CPS_TAG_PROCESS, payload.at, payload.n);
	bytes_record(&records, CPS_TAG_SAMPLES, "\1\1\1\1\1", 5);
	writer_stream(&file, &records, 1000, true);
	writer_file("2.cps", file.at, file.n);
	takes("1236", NULL, "1236");
	bytes_free(&records), bytes_free(&payload), bytes_free(&file);
}

/* The weight of the only node with that path. */
static void weighs(struct profile *p, const char *path, uint64_t weight)
{
	cr_assert_eq(profile_weight(p, path), weight, "%s: %d", path, (int)profile_weight(p, path));
}

Test(groups, by_process)
{
	struct selection all = {0};
	struct error err;
	struct profile *p;

	make_three();
	p = read_them(&all, PROFILE_BY_PROCESS, 3, &err);
	cr_assert(p->by);
	weighs(p, "cc1 [1234] -+10 -+20", 1 + 2);
	weighs(p, "cc1 [1236] [incomplete] -+10 -+20", 3);
	weighs(p, "cc1 [1234]", 0);
	weighs(p, "as [1235] [incomplete]", 0);
	cr_assert_eq(p->weight, 3 * 6);
	profile_free(p);
	p = read_them(&all, PROFILE_BY_EXE, 3, &err);
	weighs(p, "cc1 [incomplete]", 0);
	weighs(p, "as -+10 -+20", 1 + 2);
	weighs(p, "as", 0);
	weighs(p, "cc1 [1234]", UINT64_MAX);
	cr_assert_eq(p->weight, 3 * 6);
	profile_free(p);
}

Test(groups, by_thread)
{
	struct selection all = {0};
	struct error err;
	struct profile *p;

	make_three();
	p = read_them(&all, PROFILE_BY_THREAD, 1, &err);
	weighs(p, "worker (tid 1235)", 0);
	weighs(p, "worker (tid 1235) -+10 -+20", 2);
	weighs(p, "(thread 0)", 0);
	weighs(p, "(tid 1236) [incomplete]", 0);
	profile_free(p);
	p = read_them(&all, PROFILE_BY_THREAD, 3, &err);
	weighs(p, "cc1 [1234] worker (tid 1235)", 0);
	weighs(p, "cc1 [1236] worker (tid 1235)", 0);
	weighs(p, "as [1235] (thread 0)", 0);
	profile_free(p);
}

/* Two processes have the same rank, which is 0; another one has none. Seen to fail: with the rank alone, without asking
 * whether there is one. */
Test(groups, by_rank)
{
	struct selection all = {0};
	struct error err;
	struct profile *p;

	make_three();
	p = read_them(&all, PROFILE_BY_RANK, 3, &err);
	weighs(p, "rank 0", 0); /* one node, of both */
	weighs(p, "rank 0 [incomplete]", 0);
	weighs(p, "[no rank] -+10 -+20", 1 + 2);
	cr_assert_eq(p->weight, 3 * 6);
	profile_free(p);
	p = read_them(&all, PROFILE_BY_RANK, 1, &err);
	weighs(p, "rank 0 -+10 -+20", 1 + 2);
	profile_free(p);
}

Test(groups, folded_stacks_have_none)
{
	struct profile_builder *b;
	struct error err;

	enter_new_directory();
	writer_file("1.folded", "main 5\n", 7);
	b = profile_builder_new(&err);
	profile_builder_group(b, PROFILE_BY_EXE);
	cr_assert_eq(decode_file("1.folded", profile_builder_sink(b), &err), -1);
	cr_assert_str_eq(err.text, "1.folded: folded stacks do not say which process they are of: "
				   "--by needs recordings");
	profile_builder_free(b);
}

/* ---- resources and states -------------------------------------------------------------------- */

static const char *make_resources(struct selection *s, const char *resource, const char *states)
{
	struct bytes file = {0};

	enter_new_directory();
	resource_demo_file(&file, 1000);
	writer_file("1.cps", file.at, file.n);
	bytes_free(&file);
	*s = (struct selection){.resource = resource, .states = states};
	return "1.cps";
}

static void has_weight(const char *resource, const char *states, uint64_t weight, uint64_t hits)
{
	struct selection s;
	struct error err = {0};

	make_resources(&s, resource, states);
	struct profile *p = read_them(&s, PROFILE_BY_NOTHING, 1, &err);
	cr_assert(p, "%s", err.text);
	cr_assert_eq(p->weight, weight);
	cr_assert_eq(p->hits, hits);
	profile_free(p);
	selection_free(&s);
}

/* Seen to fail: states not looked at. */
Test(selection, of_states)
{
	has_weight(NULL, NULL, 500000, 4);
	has_weight("real", NULL, 2000000, 5);
	has_weight("real", "io", 1500000, 1);
	has_weight("real", "running", 500000, 4);
	has_weight("real", "io,running", 2000000, 5);
	has_weight("alloc", NULL, 1065, 3);
}

static void has_no_state(const char *resource, const char *states, const char *want)
{
	struct selection s;
	struct error err = {0};

	make_resources(&s, resource, states);
	cr_assert_null(read_them(&s, PROFILE_BY_NOTHING, 1, &err));
	cr_assert_str_eq(err.text, want);
	selection_free(&s);
}

Test(selection, of_states_that_are_not_there)
{
	has_no_state("real", "io,i",
		     "no sample of real has the state \"i\"; there are: running, io");
	has_no_state("cpu", "io",
		     "no sample of cpu has the state \"io\"; there are: running; "
		     "it is a state of: real");
	has_no_state("alloc", "io", "--state: alloc has no states; io is a state of: real");
	has_no_state(NULL, "io",
		     "no sample of cpu has the state \"io\"; there are: running; "
		     "it is a state of: real");
	has_no_state(
		"real:1ms", NULL,
		"no input counts the resource \"real:1ms\"; name it without its interval: real");
	has_no_state("none:1", NULL,
		     "no input counts the resource \"none:1\"; there are: cpu, real, alloc, "
		     "alloc-live");
	has_no_state(
		"wait", "io",
		"no input counts the resource \"wait\"; there are: cpu, real, alloc, alloc-live");
}

/* ---- shortlist ------------------------------------------------------------------------------- */
/* What there is, at the end of an error. */

static void add_numbers(struct shortlist *l, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		shortlist_add(l, "name-%02u", i);
}

/* Seen to fail: "and 1 more" instead of the eleventh. */
Test(shortlist, of_all)
{
	struct shortlist l = {0};
	struct error err;

	add_numbers(&l, 12);
	shortlist_add(&l, "name-00");
	error_set(&err, "no");
	cr_assert_eq(shortlist_append(&l, SHORTLIST_ALL, &err), -1);
	cr_assert_str_eq(err.text, "no; there are: name-00, name-01, name-02, name-03, name-04, "
				   "name-05, name-06, name-07, name-08, name-09, name-10, name-11");
	cr_assert_eq(err.list, strlen("no; there are:"));
	error_set(&err, "no");
	shortlist_append(&l, 2, &err);
	cr_assert_str_eq(err.text, "no; there are: name-00, name-01 and 10 more");
	shortlist_clear(&l);
	error_set(&err, "no");
	shortlist_append(&l, 2, &err);
	cr_assert_str_eq(err.text, "no; there are: none");
	cr_assert_eq(err.list, 0);
}

/* No name is cut, and the number of the others is right. */
Test(shortlist, that_is_too_long)
{
	struct shortlist l = {0};
	struct error err;
	const char *and;
	unsigned shown = 1;

	add_numbers(&l, 99);
	for (unsigned i = 0; i < 40; i++)
		shortlist_add(&l, "%0100u", i);
	error_set(&err, "no");
	shortlist_append(&l, SHORTLIST_ALL, &err);
	and = strstr(err.text, " and ");
	cr_assert(and, "%s", err.text);
	for (const char *c = err.text; c < and; c++)
		shown += *c == ',';
	cr_assert_eq(atoi(and+strlen(" and ")), 139 - (int)shown);
	cr_assert_str_eq(strstr(and, " more"), " more");
	shortlist_clear(&l);
}
