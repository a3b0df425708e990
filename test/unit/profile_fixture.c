/* SPDX-License-Identifier: MIT */
/*
 * profile_fixture.c - builds profiles out of events by hand.
 *
 * In: short calls. Out: a profile, and its parts as text.
 */
#include "profile_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

void build_begin(struct build *b)
{
	b->builder = profile_builder_new(&b->err);
	b->sink = profile_builder_sink(b->builder);
}

static struct event_text text(const char *s)
{
	return (struct event_text){s, strlen(s)};
}

int build_process(struct build *b, const char *file, const char *resource, const char *unit)
{
	const struct event_process e = {
		.file = file, .resource = text(resource), .unit = text(unit), .scale = 1};

	return b->sink->process(b->sink->context, &e, &b->err);
}

int build_module(struct build *b, uint32_t id, const char *path, const char *build_id,
		 uint64_t bias)
{
	const struct event_segment segment = {0, 4096, 0, 4096, 5};
	const struct event_module e = {id, text(path), text(build_id), bias, false, &segment, 1};

	return b->sink->module(b->sink->context, &e, &b->err);
}

int build_sample_marked(struct build *b, uint32_t thread, uint32_t mark, uint64_t weight,
			const char *stack)
{
	struct event_frame frames[16];
	struct event_sample e = {
		.thread = thread, .mark = mark, .weight = weight, .hits = 1, .frames = frames};

	for (; *stack; stack += 4) {
		unsigned address, id = EVENT_NO_MODULE;
		cr_assert_eq(sscanf(stack + 2, "%2u", &address), 1);
		if (*stack != '-')
			sscanf(stack, "%2u", &id);
		frames[e.depth++] = (struct event_frame){id, 0, address, {NULL, 0}};
	}
	return b->sink->sample(b->sink->context, &e, &b->err);
}

int build_sample(struct build *b, uint64_t weight, const char *stack)
{
	return build_sample_marked(b, 0, 0, weight, stack);
}

int build_end(struct build *b)
{
	const struct event_end e = {0};

	return b->sink->end(b->sink->context, &e, &b->err);
}

const char *profile_text(const struct profile *p, uint32_t number)
{
	return number == STRINGS_NONE ? "-" : strings_get(p->strings, number, NULL);
}

void profile_path(const struct profile *p, uint32_t node, char *to, size_t size)
{
	const struct profile_frame *f = &p->frames[p->nodes[node].frame];

	*to = '\0';
	if (!node)
		return;
	cr_assert_lt(p->nodes[node].parent, node);
	profile_path(p, p->nodes[node].parent, to, size);
	size_t n = strlen(to);
	const char *blank = n ? " " : "";
	if (f->name != STRINGS_NONE)
		snprintf(to + n, size - n, "%s%s", blank, profile_text(p, f->name));
	else if (f->module == PROFILE_NO_MODULE)
		snprintf(to + n, size - n, "%s?+%llu", blank, (unsigned long long)f->address);
	else
		snprintf(to + n, size - n, "%s%s+%llu", blank,
			 profile_text(p, p->modules[f->module].path),
			 (unsigned long long)f->address);
}

uint64_t profile_weight(const struct profile *p, const char *path)
{
	uint64_t weight = UINT64_MAX;
	char at[1024];

	for (uint32_t i = 0; i < p->n_nodes; i++) {
		profile_path(p, i, at, sizeof(at));
		if (strcmp(at, path))
			continue;
		cr_assert_eq(weight, UINT64_MAX, "two nodes for %s", path);
		weight = p->nodes[i].self_gticks;
	}
	return weight;
}

struct profile *build_finish(struct build *b)
{
	struct profile *p = profile_builder_finish(b->builder, &b->err);

	cr_assert(p, "%s", b->err.text);
	return p;
}
