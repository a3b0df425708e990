/* SPDX-License-Identifier: MIT */
/*
 * test_profile.c - events become a profile.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo_stream.h"
#include "export/firefox.h"
#include "libsampler/format.h"
#include "out_text.h"
#include "profile_fixture.h"
#include "read/decode.h"

/* ---- what counts ----------------------------------------------------------------------------- */

Test(profile, incomplete_stacks_stand_apart)
{
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	build_sample_marked(&b, 0, CPS_MARK_COMPLETE, 1, "--01--02");
	build_sample_marked(&b, 0, CPS_MARK_NO_RECIPE, 2, "--01--02");
	build_sample_marked(&b, 0, CPS_MARK_BAD_MEMORY, 4, "--01--02");
	build_sample_marked(&b, 0, CPS_MARK_NO_PROGRESS, 8, "--01");
	build_sample_marked(&b, 0, CPS_MARK_TOO_DEEP, 16, "--01--00--02");
	build_sample_marked(&b, 0, CPS_MARK_BOUNDED, 32, "--01--02--03");
	build_sample_marked(&b, 0, CPS_MARK_NOT_SAMPLED, 64, "--07--01");
	build_sample_marked(&b, 0, CPS_MARK_COPIED, 128, "--04--05");
	build_sample_marked(&b, 0, CPS_MARK_COMPLETE, 1000, "");
	build_end(&b);
	struct profile *p = build_finish(&b);
	cr_assert_eq(profile_weight(p, "?+1 ?+2"), 1);
	cr_assert_eq(profile_weight(p, "[incomplete] ?+1 ?+2"), 6);
	cr_assert_eq(profile_weight(p, "[incomplete] ?+1"), 8);
	cr_assert_eq(profile_weight(p, "?+1 ?+0 ?+2"), 16);
	cr_assert_eq(profile_weight(p, "[incomplete] ?+1 ?+2 ?+3"), 32);
	cr_assert_eq(profile_weight(p, "?+7 ?+1"), 64);
	cr_assert_eq(profile_weight(p, "[incomplete] ?+4 ?+5"), 128);
	cr_assert_eq(profile_weight(p, "[incomplete]"), 1000, "nothing is known of an empty stack");
	cr_assert_eq(p->processes[0].weight_complete, 1001);
	for (unsigned mark = 1; mark < CPS_MARK_COUNT; mark++)
		cr_assert_eq(p->processes[0].weight_by_mark[mark], 1u << mark);
	cr_assert_eq(p->processes[0].deepest, 3);
	profile_free(p);
}

/* A frame's id stands for it as long as the generation is the same. */
Test(profile, ids_of_frames)
{
	struct event_frame frames[] = {{EVENT_NO_MODULE, 7, 1, {NULL, 0}},
				       {EVENT_NO_MODULE, CPS_COLUMN_IDS, 2, {NULL, 0}}};
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	for (uint32_t i = 0; i < 6; i++) {
		struct event_sample e = {
			.depth = 2, .frames = frames, .weight = 1, .hits = 1, .generation = i / 2};

		frames[0].address = frames[1].address = 1 + i / 2;
		cr_assert_eq(b.sink->sample(b.sink->context, &e, &b.err), 0);
	}
	build_end(&b);
	struct profile *p = build_finish(&b);
	cr_assert_eq(profile_weight(p, "?+1 ?+1"), 2);
	cr_assert_eq(profile_weight(p, "?+2 ?+2"), 2);
	cr_assert_eq(profile_weight(p, "?+3 ?+3"), 2);
	cr_assert_eq(p->n_frames, 3);
	profile_free(p);
}

/* `keep` of an event holds only if both samples stand on the same base. */
Test(profile, kept_frames)
{
	struct event_frame frames[] = {{EVENT_NO_MODULE, 0, 1, {NULL, 0}},
				       {EVENT_NO_MODULE, 0, 2, {NULL, 0}},
				       {EVENT_NO_MODULE, 0, 3, {NULL, 0}}};
	static const struct {
		uint32_t mark;
		size_t keep, depth;
	} steps[] = {{0, 0, 2}, {0, 2, 3}, {1, 3, 3}, {1, 2, 2}, {0, 2, 2}, {0, 99, 3}, {0, 1, 1}};
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct event_sample e = {.mark = steps[i].mark,
					 .keep = steps[i].keep,
					 .depth = steps[i].depth,
					 .weight = UINT64_C(1) << i,
					 .frames = frames};
		cr_assert_eq(b.sink->sample(b.sink->context, &e, &b.err), 0);
	}
	build_end(&b);
	build_process(&b, "b", "cpu", "ns");
	frames[0].address = 7;
	struct event_sample e = {.keep = 1, .depth = 2, .weight = 128, .frames = frames};
	cr_assert_eq(b.sink->sample(b.sink->context, &e, &b.err), 0);
	build_end(&b);
	struct profile *p = build_finish(&b);
	cr_assert_eq(profile_weight(p, "?+1 ?+2"), 1 + 16);
	cr_assert_eq(profile_weight(p, "?+1 ?+2 ?+3"), 2 + 32);
	cr_assert_eq(profile_weight(p, "[incomplete] ?+1 ?+2 ?+3"), 4);
	cr_assert_eq(profile_weight(p, "[incomplete] ?+1 ?+2"), 8);
	cr_assert_eq(profile_weight(p, "?+1"), 64);
	cr_assert_eq(p->processes[0].tails, 7, "a sample without a hit is a tail");
	cr_assert_eq(profile_weight(p, "?+7 ?+2"), 128, "nothing is kept from another input");
	profile_free(p);
}

Test(profile, threads_and_losses)
{
	const struct event_thread first = {7, 70, 1, {"one", 3}}, second = {7, 70, 1, {"two", 3}};
	const struct event_loss losses[] = {{1, 5}, {99, 2}, {1, 6}, {98, 4}, {99, 3}};
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	b.sink->thread(b.sink->context, &first, &b.err);
	build_sample_marked(&b, 7, 0, 10, "--01");
	build_sample_marked(&b, 4000000000u, 0, 20, "--01");
	build_sample_marked(&b, 7, 0, 30, "--02");
	b.sink->thread(b.sink->context, &second, &b.err);
	for (unsigned i = 0; i < 5; i++)
		b.sink->loss(b.sink->context, &losses[i], &b.err);
	build_end(&b);
	struct profile *p = build_finish(&b);
	const struct profile_process *q = &p->processes[0];
	cr_assert_eq(q->n_threads, 2);
	cr_assert(q->threads[0].weight == 40 && q->threads[0].hits == 2);
	cr_assert_str_eq(profile_text(p, q->threads[0].name), "two");
	cr_assert(q->threads[1].id == 4000000000u && q->threads[1].weight == 20);
	cr_assert_str_eq(profile_text(p, q->threads[1].name), "");
	cr_assert_eq(q->losses[CPS_LOSS_BUSY], 6);
	cr_assert_eq(q->losses[CPS_LOSS_COUNT], 4 + 3);
	cr_assert_eq(profile_process_lost(q), 13);
	profile_free(p);
}

Test(profile, losses_that_overflow)
{
	const struct event_loss losses[] = {{1, UINT64_MAX}, {2, 1}};
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	b.sink->loss(b.sink->context, &losses[0], &b.err);
	b.sink->loss(b.sink->context, &losses[1], &b.err);
	cr_assert_eq(build_end(&b), -1);
	cr_assert(strstr(b.err.text, "a: overflow"));
	profile_builder_free(b.builder);
}

Test(profile, different_resources_do_not_add_up)
{
	const struct event_cut cut = {.offset = 3, .why = "cut"};
	struct build b;

	build_begin(&b);
	cr_assert_eq(build_process(&b, "empty.cps", "", ""), 0);
	cr_assert_eq(b.sink->cut(b.sink->context, &cut, &b.err), 0);
	cr_assert_eq(build_process(&b, "a.cps", "cpu", "ns"), 0);
	cr_assert_eq(build_end(&b), 0);
	cr_assert_eq(build_process(&b, "empty.cps", "", ""), 0);
	cr_assert_eq(build_end(&b), 0);
	cr_assert_eq(build_process(&b, "b.cps", "signals", "signals"), -1);
	cr_assert_str_eq(b.err.text,
			 "b.cps: it counts \"signals\" in \"signals\", but a.cps \"cpu\" "
			 "in \"ns\": choose one with --resource");
	profile_builder_free(b.builder);
}

Test(profile, nothing_but_cut_inputs)
{
	const struct event_cut cut = {.offset = 3, .why = "the reason"};
	struct build b;

	build_begin(&b);
	build_process(&b, "empty.cps", "", "");
	b.sink->cut(b.sink->context, &cut, &b.err);
	struct profile *p = build_finish(&b);
	cr_assert_str_eq(profile_text(p, p->resource), "");
	cr_assert_str_eq(profile_text(p, p->processes[0].file), "empty.cps");
	cr_assert_str_eq(profile_text(p, p->processes[0].cut_why), "the reason");
	cr_assert(!p->processes[0].ended && p->processes[0].cut_offset == 3);
	cr_assert_eq(p->n_nodes, 1);
	profile_free(p);
}

Test(profile, an_input_without_end)
{
	struct build b;

	build_begin(&b);
	build_process(&b, "a", "cpu", "ns");
	cr_assert_null(profile_builder_finish(b.builder, &b.err));
	build_begin(&b);
	struct profile *p = build_finish(&b);
	cr_assert(p->n_nodes == 1 && p->n_processes == 0, "no input at all");
	profile_free(p);
}

/* ---- whole files ----------------------------------------------------------------------------- */

static int add(struct build *b, const char *name, const char *content)
{
	const char *path = writer_path(name);

	writer_file(path, content, strlen(content));
	return decode_file(path, b->sink, &b->err);
}

Test(profile, totals_that_overflow)
{
	struct build b;

	build_begin(&b);
	cr_assert_eq(add(&b, "a", "a 9223372036854775808\n"), 0);
	cr_assert_eq(add(&b, "b", "a;b 9223372036854775807\n"), 0);
	struct profile *p = build_finish(&b);
	cr_assert_eq(p->weight, UINT64_MAX);
	cr_assert_eq(p->hits, UINT64_MAX);
	cr_assert(p->by_name && p->processes[1].samples == INT64_MAX && !p->processes[1].tails);
	profile_free(p);
	build_begin(&b);
	add(&b, "a", "a 9223372036854775808\n");
	cr_assert_eq(add(&b, "b", "a 0\na 9223372036854775808\n"), -1);
	cr_assert(strstr(b.err.text, "/b: overflow: the sum of weights does not fit 64 bits at "
				     "byte 4"),
		  "%s", b.err.text);
	profile_builder_free(b.builder);
}

/* Makes a sample of a builder's input one of a stack that came before, though none did. */
static int damage_sample(void *context, const struct event_sample *e, struct error *err)
{
	const struct event_sink *sink = context;
	struct event_sample damaged = *e;

	damaged.is_again = true;
	damaged.stack = 7;
	return sink->sample(sink->context, &damaged, err);
}

Test(profile, a_stack_that_comes_again_was_there)
{
	const char *path = writer_path("damaged");
	struct event_sink damaging;
	struct build b;

	build_begin(&b);
	cr_assert_eq(build_process(&b, "damaged", "samples", "samples"), 0);
	cr_assert_eq(damage_sample((void *)b.sink, &(struct event_sample){.weight = 1}, &b.err),
		     -1);
	cr_assert_str_eq(b.err.text,
			 "damaged: a sample repeats stack 7, which did not come before");
	profile_builder_free(b.builder);

	build_begin(&b);
	damaging = (struct event_sink){.context = (void *)b.sink, .sample = damage_sample};
	writer_file(path, "a;b 1\n", 6);
	b.sink->process(b.sink->context,
			&(struct event_process){.kind = &decode_folded.kind, .file = path}, &b.sink,
			&b.err);
	cr_assert_eq(decode_file(path, &damaging, &b.err), -1);
	cr_assert(strstr(b.err.text, "/damaged: a sample repeats stack 7, which did not come "
				     "before at byte 0"),
		  "%s", b.err.text);
	profile_builder_free(b.builder);
}

Test(profile, a_count_of_zero_is_no_tail)
{
	struct build b;

	build_begin(&b);
	cr_assert_eq(add(&b, "a", "a;b 0\nc 3\n"), 0);
	struct profile *p = build_finish(&b);
	cr_assert(p->processes[0].tails == 0 && p->processes[0].samples == 3);
	cr_assert_eq(profile_weight(p, "a b"), 0, "and still a path");
	profile_free(p);
}

Test(profile, recordings_and_texts_do_not_add_up)
{
	struct bytes file = {0};
	struct build b;

	demo_stream(&file, 100, true);
	writer_file(writer_path("demo.cps"), file.at, file.n);
	build_begin(&b);
	cr_assert_eq(add(&b, "a", "a 1\n"), 0);
	cr_assert_eq(decode_file(writer_path("demo.cps"), b.sink, &b.err), -1);
	cr_assert(strstr(b.err.text, "/demo.cps: it counts \"cpu\""), "%s", b.err.text);
	cr_assert(strstr(b.err.text, "--resource") + 10 == strchr(b.err.text, '\0'));
	profile_builder_free(b.builder);
	bytes_free(&file);
}

/* A name may also be a number's bytes: frames by name, many of them, against plain sums. */
Test(profile, random_lines)
{
	enum { NAMES = 30 };
	uint64_t sums[NAMES][NAMES] = {{0}};
	struct bytes text = {0};
	struct build b;
	char line[64];

	srand(4);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned outer = (unsigned)rand() % NAMES, inner = (unsigned)rand() % NAMES;
		bytes_put(&text, line, (size_t)sprintf(line, "f%u;f%u %u\n", outer, inner, i));
		sums[outer][inner] += i;
	}
	bytes_byte(&text, '\0');
	build_begin(&b);
	cr_assert_eq(add(&b, "a", (char *)text.at), 0);
	struct profile *p = build_finish(&b);
	cr_assert_eq(p->n_nodes, 1 + NAMES + NAMES * NAMES);
	for (unsigned i = 0; i < NAMES * NAMES; i += 7) {
		sprintf(line, "f%u f%u", i / NAMES, i % NAMES);
		cr_assert_eq(profile_weight(p, line), sums[i / NAMES][i % NAMES]);
	}
	profile_free(p);
	bytes_free(&text);
}

Test(profile, a_recording)
{
	struct bytes file = {0};
	struct build b;

	demo_stream(&file, 100, true);
	writer_file(writer_path("demo.cps"), file.at, file.n);
	build_begin(&b);
	cr_assert_eq(decode_file(writer_path("demo.cps"), b.sink, &b.err), 0);
	cr_assert_eq(decode_file(writer_path("demo.cps"), b.sink, &b.err), 0);
	struct profile *p = build_finish(&b);
	const struct profile_process *q = &p->processes[1];
	cr_assert(q->ended && q->pid == 77 && q->samples == DEMO_SAMPLES && q->ticks == 95);
	cr_assert(q->n_args == 2 && !strcmp(profile_text(p, q->args[1]), ""));
	cr_assert_str_eq(profile_text(p, q->exe), "/bin/demo");
	cr_assert_eq(q->host, STRINGS_NONE);
	cr_assert(q->n_threads == 4 && !strcmp(profile_text(p, q->threads[1].name), "worker"));
	cr_assert_eq(p->hits, 2 * DEMO_SAMPLES);
	cr_assert_eq(p->weight, 2 * q->weight);
	cr_assert_eq(q->deepest, 5);
	cr_assert(q->losses[CPS_LOSS_BUSY] == 3 && profile_process_lost(q) == 3);
	profile_free(p);
	bytes_free(&file);
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* A profile with a process recorded on each of these machines; "": it does not say. */
static struct profile *recorded_on(const char *const machines[], size_t n)
{
	struct build b;

	build_begin(&b);
	for (size_t i = 0; i < n; i++) {
		const struct event_process e = {.kind = &decode_stream.kind,
						.file = "a",
						.resource = {"cpu", 3},
						.unit = {"ns", 2},
						.machine = {machines[i], strlen(machines[i])},
						.scale = 1};

		cr_assert_eq(event_push_process(&b.sink, &e, &b.err), 0);
		build_module(&b, 1, "/bin/a", "", 0);
		build_sample(&b, 1, "0101");
		build_end(&b);
	}
	return build_finish(&b);
}

static void is_arch(const char *const machines[], size_t n, const char *want)
{
	struct profile *p = recorded_on(machines, n);
	struct firefox_tables t = {.profile = p};
	struct out *o = open_text();
	struct error err;
	char *text;

	firefox_write_libs(&t, o);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	text = text_of_file("text");
	cr_assert(text && strstr(text, want), "%s", text);
	free(text);
	profile_free(p);
}

/* Seen to fail: "x86_64", wherever the recording was made. */
Test(profile, a_machine_is_the_recordings)
{
	is_arch((const char *const[]){"aarch64"}, 1, "{\"arch\":\"aarch64\"");
	is_arch((const char *const[]){"", "x86_64", "x86_64"}, 3, "{\"arch\":\"x86_64\"");
	is_arch((const char *const[]){"x86_64", "aarch64"}, 2, "{\"arch\":\"\"");
	is_arch((const char *const[]){""}, 1, "{\"arch\":\"\"");
}
