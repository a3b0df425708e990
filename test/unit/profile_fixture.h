/* SPDX-License-Identifier: MIT */
/*
 * profile_fixture.h - profiles out of events by hand, for tests.
 *
 * The functions that return int return what the sink's callback did; b->err has its error.
 */
#ifndef PROFILE_FIXTURE_H
#define PROFILE_FIXTURE_H

#include "profile.h"

struct build {
	struct profile_builder *builder;
	const struct event_sink *sink;
	struct error err;
};

void build_begin(struct build *b);
int build_process(struct build *b, const char *file, const char *resource, const char *unit);
int build_module(struct build *b, uint32_t id, const char *path, const char *build_id,
		 uint64_t bias);
/* A stack is written "MMAA...", two digits each: module, address; module "--": none. */
int build_sample_marked(struct build *b, uint32_t thread, uint32_t mark, uint64_t weight,
			const char *stack);
int build_sample(struct build *b, uint64_t weight, const char *stack);
int build_end(struct build *b);
struct profile *build_finish(struct build *b);

/* The string, "-" for none. */
const char *profile_text(const struct profile *p, uint32_t number);
/* The frames of a node from the outside, "/bin/a+17 ?+2". */
void profile_path(const struct profile *p, uint32_t node, char *to, size_t size);
/* The weight of the node with that path; there must be only one. UINT64_MAX: none. */
uint64_t profile_weight(const struct profile *p, const char *path);

#endif
