/* SPDX-License-Identifier: MIT */
/*
 * profile_check.h - reads any file, and asserts what must hold of its profile.
 *
 * In: a file. Out: nothing, or the end of the process.
 */
#ifndef FUZZ_PROFILE_CHECK_H
#define FUZZ_PROFILE_CHECK_H

#include "libsampler/format.h"
#include "model/builder_join.h"
#include "model/profile.h"
#include "read/decode.h"
#include "test/fuzz/check.h"

static inline void profile_check(const struct profile *p)
{
	uint64_t weight = 0, hits = 0, of_processes = 0;

	CHECK(p->n_nodes >= 1);
	for (size_t i = 0; i < p->n_nodes; i++) {
		CHECK(!i || p->nodes[i].parent < i);
		CHECK(!i || p->nodes[i].frame < p->n_frames);
		weight += p->nodes[i].self_weight;
		hits += p->nodes[i].self_hits;
	}
	for (size_t i = 0; i < p->n_frames; i++) {
		const struct profile_frame *f = &p->frames[i];
		CHECK(f->module == PROFILE_NO_MODULE || f->module < p->n_modules);
		CHECK(f->name == STRINGS_NONE || f->name < strings_count(p->strings));
	}
	for (size_t i = 0; i < p->n_processes; i++) {
		const struct profile_process *q = &p->processes[i];
		uint64_t marks = 0, threads = 0;
		for (unsigned mark = 0; mark < CPS_MARK_COUNT; mark++)
			marks += q->weight_by_mark[mark];
		for (size_t t = 0; t < q->n_threads; t++)
			threads += q->threads[t].weight;
		CHECK(marks == q->weight && threads == q->weight);
		CHECK(q->ended == (q->cut_why == STRINGS_NONE));
		of_processes += q->weight;
	}
	CHECK(weight == p->weight && of_processes == p->weight && hits == p->hits);
}

/* ---- which resource is read -------------------------------------------------------------------- */

static struct {
	const struct event_sink *to;
	unsigned declines;
	bool has_chosen;
} chooser;

static inline int chooser_process(void *context, const struct event_process *e,
				  const struct event_sink **next, struct error *err)
{
	(void)context;
	if (chooser.declines) {
		chooser.declines--;
		return EVENT_DECLINED;
	}
	chooser.has_chosen = true;
	*next = chooser.to;
	return event_push_process(next, e, err);
}

static inline int decode_chosen(const char *path, unsigned declines, struct error *err)
{
	const struct event_sink sink = {.at = {EVENT_AT_PEAK, 0, 0}, .process = chooser_process};

	chooser.declines = declines;
	chooser.has_chosen = false;
	return decode_file(path, &sink, err);
}

/* ---- a file ------------------------------------------------------------------------------------ */

/* It is read twice, for what is merged. The sink declines so many resources, and is told what was in the kernel. */
static inline void profile_check_file(const char *path, unsigned declines, bool shows_kernel)
{
	struct error err = {0};
	struct profile_builder *b = profile_builder_new(&err);
	struct profile *p;

	CHECK(b);
	profile_builder_show_kernel(b, shows_kernel);
	chooser.to = profile_builder_sink(b);
	if (decode_chosen(path, declines, &err) || decode_chosen(path, declines, &err)) {
		CHECK(err.text[0]);
		profile_builder_free(b);
		return;
	}
	p = profile_builder_finish(b, &err);
	CHECK(p && p->n_processes == (chooser.has_chosen ? 2 : 0));
	profile_check(p);
	profile_free(p);
}

#endif
