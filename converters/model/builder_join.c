/* SPDX-License-Identifier: MIT */
/*
 * builder_join.c - adds what one builder has read to another.
 *
 * In: two builders. Out: one, as if it had read the inputs of both. Everything is numbered in
 * order of arrival, and joining keeps that order.
 */
#include <stdlib.h>

#include "base/array.h"
#include "model/builder.h"

/* Translate the other builder's numbers into ours. */
struct maps {
	uint32_t *strings, *modules, *nodes;
};

static bool is_same_text(const struct profile *p, uint32_t a, const struct profile *q, uint32_t b)
{
	size_t n, m;
	const char *x = strings_get(p->strings, a, &n), *y = strings_get(q->strings, b, &m);

	return n == m && !memcmp(x, y, n);
}

/* Calls cannot be joined. Nor can what would be an error: then the inputs are read again, and
 * reading them reports it. */
bool profile_builder_can_join(const struct profile_builder *b, const struct profile_builder *other)
{
	const struct profile *p = b->profile, *q = other->profile;
	uint64_t sum;

	if (b->current.open || other->current.open || p->calls || q->calls)
		return false;
	if (p->resource != b->empty && q->resource != other->empty &&
	    !(is_same_text(p, p->resource, q, q->resource) && is_same_text(p, p->unit, q, q->unit)))
		return false;
	return !__builtin_add_overflow(b->weight, other->weight, &sum) &&
	       !__builtin_add_overflow(b->hits, other->hits, &sum);
}

static int strings_join(const struct profile_builder *b, const struct strings *other,
			uint32_t **map)
{
	size_t n = strings_count(other), length;

	*map = calloc(n, sizeof(**map));
	for (uint32_t i = 0; *map && i < n; i++) {
		const char *bytes = strings_get(other, i, &length);

		(*map)[i] = strings_add(b->profile->strings, bytes, length);
		if ((*map)[i] == STRINGS_NONE)
			return -1;
	}
	return *map ? 0 : -1;
}

/* ---- call paths ------------------------------------------------------------------------------ */

static void frames_translate(struct cct *paths, const struct maps *maps)
{
	for (size_t i = 0; i < paths->n_frames; i++) {
		struct profile_frame *f = &paths->frames[i];

		if (f->module != PROFILE_NO_MODULE)
			f->module = maps->modules[f->module];
		if (f->name != STRINGS_NONE)
			f->name = maps->strings[f->name];
	}
}

/* Parents come before their children, so that maps->nodes has the parent's node already. */
static int cct_join(struct cct *all, struct cct *other, struct maps *maps)
{
	frames_translate(other, maps);
	maps->nodes = calloc(other->n_nodes, sizeof(*maps->nodes));
	if (!maps->nodes)
		return -1;
	for (size_t i = 0; i < other->n_nodes; i++) {
		const struct profile_node *n = &other->nodes[i];
		uint32_t node =
			i ? cct_child(all, maps->nodes[n->parent], &other->frames[n->frame]) : 0;

		if (node == CCT_NONE)
			return -1;
		maps->nodes[i] = node;
		all->nodes[node].self_weight += n->self_weight;
		all->nodes[node].self_hits += n->self_hits;
	}
	return 0;
}

/* ---- processes ------------------------------------------------------------------------------- */

static void process_translate(struct profile_process *p, const struct maps *maps)
{
	uint32_t *const texts[] = {&p->file,	 &p->exe,    &p->cwd,	     &p->host, &p->machine,
				   &p->recorder, &p->engine, &p->engine_why, &p->note, &p->cut_why};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (*texts[i] != STRINGS_NONE)
			*texts[i] = maps->strings[*texts[i]];
	for (size_t i = 0; i < p->n_args; i++)
		p->args[i] = maps->strings[p->args[i]];
	for (size_t i = 0; i < p->n_threads; i++)
		p->threads[i].name = maps->strings[p->threads[i].name];
	for (size_t i = 0; i < p->n_marks; i++)
		p->marks[i].name = maps->strings[p->marks[i].name];
	for (size_t i = 0; i < p->n_modules; i++)
		p->modules[i] = maps->modules[p->modules[i]];
}

/* The other builder's processes move to this one. */
static int processes_join(struct profile_builder *b, struct profile *q, const struct maps *maps)
{
	struct profile *p = b->profile;
	size_t n = p->n_processes + q->n_processes;

	if (!array_reserve(&p->processes, &b->processes_size, n, sizeof(*p->processes)))
		return -1;
	for (size_t i = 0; i < q->n_processes; i++) {
		process_translate(&q->processes[i], maps);
		p->processes[p->n_processes++] = q->processes[i];
	}
	q->n_processes = 0;
	return 0;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void totals_join(struct profile_builder *b, const struct profile_builder *other,
			const struct maps *maps)
{
	struct profile *p = b->profile;
	const struct profile *q = other->profile;

	b->weight += other->weight;
	b->hits += other->hits;
	p->weight += q->weight; /* a part of the sums above */
	p->hits += q->hits;
	if (!p->by_name)
		p->by_name = q->by_name;
	if (other->current.group) /* of its latest process */
		b->current.group = maps->strings[other->current.group];
	if (p->resource != b->empty || q->resource == other->empty)
		return;
	p->resource = maps->strings[q->resource];
	p->unit = maps->strings[q->unit];
	b->resource_file = maps->strings[other->resource_file];
}

static int join(struct profile_builder *b, struct profile_builder *other, struct maps *maps)
{
	if (strings_join(b, other->profile->strings, &maps->strings) ||
	    modules_join(b->modules, other->modules, maps->strings, &maps->modules) ||
	    cct_join(b->all, other->all, maps) || processes_join(b, other->profile, maps))
		return -1;
	totals_join(b, other, maps);
	return 0;
}

int profile_builder_join(struct profile_builder *b, struct profile_builder *other,
			 struct error *err)
{
	struct maps maps = {0};
	int status = join(b, other, &maps);

	free(maps.strings);
	free(maps.modules);
	free(maps.nodes);
	return status ? error_memory(err) : 0;
}
