/* SPDX-License-Identifier: MIT */
/* test_part.c - which samples of recordings are taken: by thread, by time, by resource. */
#include <stdlib.h>

#include "libsampler/format.h"
#include "out_text.h"
#include "profile_fixture.h"
#include "read/decode.h"
#include "read_part.h"
#include "stream_writer.h"

/* What a recording of the tests says of itself. */
struct recipe {
	uint64_t pid, start_ns;
	const char *resource;
};

/* Thread 1 is "worker" and 2 "worker-2", their ids pid + 1 and pid + 2; thread 0 has no record. Sample
 * i of n is of thread i % 3, taken after i ms with the weight 1 << i, and its innermost frame is i. */
static void make(const char *name, struct recipe r, int n, bool finished)
{
	static struct batch_writer w;
	static struct writer_item item;
	struct bytes records = {0}, payload = {0}, file = {0};

	bytes_process(&payload, r.pid, 1, 0);
	bytes_field(&payload, CPS_PROCESS_START_NS, r.start_ns);
	if (r.resource)
		bytes_field_text(&payload, CPS_PROCESS_RESOURCE, r.resource);
	bytes_record(&records, CPS_TAG_PROCESS, payload.at, payload.n);
	memset(&item, 0, sizeof(item));
	batch_writer_begin(&w, WRITER_SHORT, 1, 0, 0);
	for (int i = 0; i < n; i++) {
		item.thread = (uint32_t)i % 3;
		item.time_us = 1000 * (uint64_t)i;
		item.weight = UINT64_C(1) << i;
		item.depth = 3;
		item.stack[0] = (struct writer_frame){0, 10};
		item.stack[1] = (struct writer_frame){0, i < 6 ? 20 : 30};
		item.stack[2] = (struct writer_frame){0, 100 + (uint64_t)i};
		batch_writer_item(&w, &item);
	}
	bytes_record(&records, CPS_TAG_SAMPLES, w.payload.at, w.payload.n);
	payload.n = 0;
	bytes_module(&payload, 0, "/a", "id");
	bytes_record(&records, CPS_TAG_MODULE, payload.at, payload.n);
	for (uint32_t i = 1; i < 3; i++) {
		payload.n = 0;
		bytes_thread(&payload, i, r.pid + i, i == 1 ? "worker" : "worker-2");
		bytes_record(&records, CPS_TAG_THREAD, payload.at, payload.n);
	}
	if (finished)
		bytes_record(&records, CPS_TAG_END, NULL, 0);
	writer_stream(&file, &records, 1000, finished);
	writer_file(name, file.at, file.n);
	bytes_free(&records), bytes_free(&payload), bytes_free(&file);
	batch_writer_free(&w);
}

/* "1.cps" begins 5 ms after "2.cps". */
static char *both[] = {(char[]){"1.cps"}, (char[]){"2.cps"}};

static void make_both(void)
{
	enter_new_directory();
	make("1.cps", (struct recipe){100, 1000005000000, NULL}, 9, true);
	make("2.cps", (struct recipe){200, 1000000000000, NULL}, 12, true);
}

/* All weights; what the nodes have is the same. */
static uint64_t sum(const struct profile *p)
{
	uint64_t weight = 0, hits = 0;

	for (size_t i = 0; i < p->n_nodes; i++) {
		weight += p->nodes[i].self_weight;
		hits += p->nodes[i].self_hits;
	}
	cr_assert_eq(p->weight, weight);
	cr_assert_eq(p->hits, hits);
	return weight;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* The weight of "1.cps" that these threads have, or the error. */
static void threads_weigh(const char *value, uint64_t want, const char *error)
{
	struct selection s = {0};
	struct error err = {0};
	struct profile *p;

	cr_assert_eq(selection_add_threads(&s, value, &err), 0);
	p = read_part(&s, PROFILE_BY_NOTHING, both, 1, &err);
	cr_assert_str_eq(p ? "" : err.text, error);
	if (p) {
		cr_assert_eq(sum(p), want, "%s: %llx", value, (unsigned long long)sum(p));
		cr_assert_str_eq(p->threads, value);
		cr_assert_eq(p->processes[0].weight, 0777, "processes are whole");
		cr_assert_not(p->by);
		cr_assert_eq(p->frames[p->nodes[1].frame].name, STRINGS_NONE, "no group");
	}
	profile_free(p);
	selection_free(&s);
}

Test(part, threads)
{
	make_both();
	threads_weigh("worker", 0222, "");
	threads_weigh("101", 0222, "");
	threads_weigh("worker-2", 0444, "");
	threads_weigh("101,102", 0666, "");
	threads_weigh("work", 0666, "");
	threads_weigh("-[0-9]$", 0444, "");
	threads_weigh("worker-?", 0444, "");
	threads_weigh("101,nobody", 0222, "");
	threads_weigh("2,10", 0,
		      "no thread matches --thread 2,10; there are: 0, worker 101, worker-2 102");
	threads_weigh("worker,(x", 0,
		      "--thread: \"(x\" is no name, and not a regular expression: Unmatched "
		      "( or \\(");
}

/* The stacks are as without the choice, or in the groups that were asked for. */
Test(part, threads_and_groups)
{
	struct selection s = {0};
	struct error err = {0};
	struct profile *p;

	make_both();
	cr_assert_eq(selection_add_threads(&s, "worker", &err), 0);
	p = read_part(&s, PROFILE_BY_NOTHING, both, 2, &err);
	cr_assert(p, "%s", err.text);
	cr_assert_eq(profile_weight(p, "/a+10 /a+20 /a+104"), 2 * 16);
	cr_assert_eq(profile_weight(p, "/a+10 /a+20 /a+103"), UINT64_MAX);
	profile_free(p);
	p = read_part(&s, PROFILE_BY_PROCESS, both, 2, &err);
	cr_assert_eq(profile_weight(p, "demo [100] /a+10 /a+20 /a+104"), 16);
	cr_assert_eq(profile_weight(p, "demo [200] /a+10 /a+30 /a+110"), 1024);
	cr_assert_eq(profile_weight(p, "demo [200] /a+10 /a+30 /a+111"), UINT64_MAX);
	profile_free(p);
	p = read_part(&s, PROFILE_BY_THREAD, both, 2, &err);
	cr_assert_eq(profile_weight(p, "demo [100] worker (tid 101) /a+10 /a+20 /a+104"), 16);
	cr_assert_eq(profile_weight(p, "demo [100] worker-2 (tid 102)"), UINT64_MAX);
	profile_free(p);
	p = read_part(&s, PROFILE_BY_THREAD, both, 1, &err);
	cr_assert_eq(profile_weight(p, "worker (tid 101) /a+10 /a+20 /a+104"), 16);
	profile_free(p);
	selection_free(&s);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* The innermost frames whose samples are taken have these weights in all files together. */
static void times_weigh(double from_ms, double to_ms, size_t files, uint64_t want)
{
	struct selection s = {.from_ns = (uint64_t)(from_ms * 1e6),
			      .to_ns = (uint64_t)(to_ms * 1e6)};
	struct error err = {0};
	struct profile *p = read_part(&s, PROFILE_BY_NOTHING, both, files, &err);

	cr_assert(p, "%s", err.text);
	cr_assert_eq(p->weight, want, "%g to %g: %llo", from_ms, to_ms,
		     (unsigned long long)p->weight);
	cr_assert_eq(p->from_ns, s.from_ns);
	cr_assert_eq(p->to_ns, s.to_ns);
	profile_free(p);
	selection_free(&s);
}

/* From the first instant on, and up to before the last. */
Test(part, times_of_one)
{
	make_both();
	times_weigh(0, 0, 1, 0777);
	times_weigh(1, 0, 1, 0776);
	times_weigh(1.5, 0, 1, 0774);
	times_weigh(0, 1, 1, 0001);
	times_weigh(2, 7.000001, 1, 0374);
	times_weigh(2, 7, 1, 0174);
	times_weigh(9, 0, 1, 0);
}

/* The run begins when the first of its processes does. */
Test(part, times_of_two)
{
	make_both();
	times_weigh(0, 5, 2, 0037);
	times_weigh(5, 0, 2, 07740 + 0777);
	times_weigh(6, 8, 2, 0300 + 0006);
	times_weigh(12, 0, 2, 0600);
}

/* Also when the process that began first is passed over. */
Test(part, times_are_the_runs)
{
	struct selection s = {.from_ns = 6000000, .to_ns = 8000000};
	struct error err = {0};
	struct profile *p;

	make_both();
	cr_assert_eq(selection_add_pids(&s, "100", &err), 0);
	p = read_part(&s, PROFILE_BY_NOTHING, both, 2, &err);
	cr_assert(p, "%s", err.text);
	cr_assert_eq(p->weight, 0006);
	cr_assert_eq(p->n_processes, 1);
	profile_free(p);
	selection_free(&s);
}

/* Nothing else changes: all slices of all threads add up to the tree of all, node by node. */
Test(part, slices_add_up)
{
	static const char *const threads[] = {"worker", "worker-2"};
	struct error err = {0};
	struct selection none = {0};
	struct profile *all;
	uint64_t total = 0;
	char path[256];

	make_both();
	all = read_part(&none, PROFILE_BY_NOTHING, both, 2, &err);
	for (uint64_t from = 0; from < 16; from += 2)
		for (int t = 0; t < 2; t++) {
			struct selection s = {.from_ns = from * 1000000};
			struct profile *p;

			s.to_ns = s.from_ns + 2000000;
			cr_assert_eq(selection_add_threads(&s, threads[t], &err), 0);
			p = read_part(&s, PROFILE_BY_NOTHING, both, 2, &err);
			cr_assert(p, "%s", err.text);
			total += p->weight;
			for (uint32_t i = 1; i < p->n_nodes; i++) {
				profile_path(p, i, path, sizeof(path));
				cr_assert_leq(p->nodes[i].self_weight, profile_weight(all, path),
					      "%s", path);
			}
			profile_free(p);
			selection_free(&s);
		}
	cr_assert_eq(total + 01111 + 0111, sum(all), "the thread without a name has the rest");
	profile_free(all);
}

/* A recording that was cut, and one with a journal, are as good. */
Test(part, cut_ones)
{
	struct selection s = {.to_ns = 3000000};
	struct error err = {0};
	struct profile *p;

	make_both();
	make("1.cps", (struct recipe){100, 1000005000000, NULL}, 9, false);
	cr_assert_eq(selection_add_threads(&s, "worker", &err), 0);
	p = read_part(&s, PROFILE_BY_NOTHING, both, 1, &err);
	cr_assert(p, "%s", err.text);
	cr_assert_eq(p->weight, 2);
	profile_free(p);
	selection_free(&s);
}

/* One process with one module, of which a part is asked for. */
static void build_part(struct build *b, const struct profile_part *part)
{
	build_begin(b);
	cr_assert_eq(profile_builder_part(b->builder, part, &b->err), 0);
	cr_assert_eq(build_process(b, "x.cps", "cpu", "ns"), 0);
	cr_assert_eq(build_module(b, 0, "/a", "id", 0), 0);
}

/* What is passed over may have other frames than what came before it and comes after it. */
Test(part, stacks_around_one_that_is_passed_over)
{
	static const uint64_t stacks[][3] = {{10, 20, 1}, {10, 30, 2}, {10, 30, 3}};
	static const uint64_t times_us[] = {1, 9, 2}, keeps[] = {0, 1, 2};
	const struct profile_part part = {.to_ns = 5000};
	struct build b;
	struct profile *p;

	build_part(&b, &part);
	for (int i = 0; i < 3; i++) {
		struct event_frame frames[3] = {{0}};
		const struct event_sample e = {.time_us = times_us[i],
					       .weight = 1,
					       .hits = 1,
					       .depth = 3,
					       .keep = keeps[i],
					       .frames = frames};

		for (int k = 0; k < 3; k++)
			frames[k].address = stacks[i][k];
		cr_assert_eq(b.sink->sample(b.sink->context, &e, &b.err), 0);
	}
	cr_assert_eq(build_end(&b), 0);
	p = build_finish(&b);
	cr_assert_eq(profile_weight(p, "/a+10 /a+20 /a+1"), 1);
	cr_assert_eq(profile_weight(p, "/a+10 /a+30 /a+3"), 1);
	cr_assert_eq(p->weight, 2);
	cr_assert_eq(p->processes[0].weight, 3);
	profile_free(p);
}

/* A stack that comes again counts where it is asked for, also if only its first sample is not; one
 * of which no sample was taken is not there. */
Test(part, stacks_that_come_again)
{
	static const struct {
		uint64_t time_us;
		uint32_t stack, thread;
		bool is_again;
	} steps[] = {{9, 1, 0, false}, {10, 2, 1, false}, {1, 1, 0, true}, {2, 3, 2, false},
		     {3, 1, 0, true},  {9, 3, 2, true},	  {4, 3, 2, true}, {9, 4, 2, false}};
	const struct profile_part part = {.to_ns = 5000};
	struct build b;
	struct profile *p;

	build_part(&b, &part);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct event_frame frames[2] = {{.address = 10}, {.address = steps[i].stack}};
		struct event_sample e = {.time_us = steps[i].time_us,
					 .thread = steps[i].thread,
					 .weight = UINT64_C(1) << i,
					 .hits = 1,
					 .generation = 1,
					 .stack = steps[i].stack,
					 .is_again = steps[i].is_again};

		if (!e.is_again) {
			e.depth = 2;
			e.frames = frames;
		}
		cr_assert_eq(b.sink->sample(b.sink->context, &e, &b.err), 0);
	}
	cr_assert_eq(build_end(&b), 0);
	p = build_finish(&b);
	cr_assert_eq(profile_weight(p, "/a+10 /a+1"), 4 + 16);
	cr_assert_eq(profile_weight(p, "/a+10 /a+3"), 8 + 64);
	cr_assert_eq(p->n_nodes, 4); /* the root, a+10, and these two */
	cr_assert_eq(p->weight, 92);
	cr_assert_eq(p->processes[0].weight, 255);
	profile_free(p);
}

static void fails(struct selection *s, char **files, size_t n, bool is_usage, const char *want)
{
	struct error err = {0};

	cr_assert_null(read_part(s, PROFILE_BY_NOTHING, files, n, &err));
	cr_assert_str_eq(err.text, want);
	cr_assert_eq(err.is_usage, is_usage);
	selection_free(s);
}

Test(part, what_cannot_be)
{
	char *folded[] = {(char[]){"1.folded"}};
	char *pipe[] = {(char[]){"1.cps"}, (char[]){"-"}};
	struct selection s = {.from_ns = 1};
	struct error err;

	make_both();
	writer_file("1.folded", "main 5\n", 7);
	fails(&s, folded, 1, false, "1.folded: has no times: --from and --to need recordings");
	cr_assert_eq(selection_add_threads(&s, "main", &err), 0);
	fails(&s, folded, 1, false, "1.folded: has no threads: --thread needs recordings");
	s.from_ns = 1;
	fails(&s, pipe, 2, false,
	      "standard input: cannot be read twice, which --from and --to need when there are "
	      "several inputs");
	s.from_ns = s.to_ns = 1;
	fails(&s, both, 2, true, "--to: must be later than --from");
}

/* ---- resources ------------------------------------------------------------------------------- */

Test(part, resources)
{
	char *three[] = {(char[]){"1.cps"}, (char[]){"2.cps"}, (char[]){"3.folded"}};
	struct selection s = {0};
	struct error err = {0};
	struct profile *p;

	make_both();
	make("2.cps", (struct recipe){200, 0, "signals"}, 12, true);
	writer_file("3.folded", "main 5\n", 7);
	fails(&s, both, 2, false,
	      "2.cps: it counts \"signals\" in \"ns\", but 1.cps \"cpu\" in \"ns\": choose one "
	      "with --resource");
	s.resource = "signals";
	p = read_part(&s, PROFILE_BY_NOTHING, three, 3, &err);
	cr_assert(p, "%s", err.text);
	cr_assert_eq(p->weight, 07777);
	profile_free(p);
	selection_free(&s);
	s.resource = "samples";
	p = read_part(&s, PROFILE_BY_NOTHING, three, 3, &err);
	cr_assert(p, "%s", err.text);
	cr_assert_eq(p->weight, 5);
	profile_free(p);
	selection_free(&s);
	s.resource = "sample";
	fails(&s, three, 3, false,
	      "no input counts the resource \"sample\"; there are: cpu, signals, samples");
	s.resource = "signals";
	cr_assert_eq(selection_add_pids(&s, "100", &err), 0);
	fails(&s, both, 2, false, "no process matches --pid; there are: 200 demo");
}
