/* SPDX-License-Identifier: MIT */
/*
 * builder_join.c - makes one profile of the events of several inputs.
 *
 * In: two builders. Out: one, as if it had read the inputs of both. Everything is numbered in order
 * of arrival, and joining keeps that order.
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

	if (b->current.open || other->current.open || p->given_calls || q->given_calls)
		return false;
	if (p->resource != b->empty && q->resource != other->empty &&
	    !(is_same_text(p, p->resource, q, q->resource) && is_same_text(p, p->unit, q, q->unit)))
		return false;
	return !__builtin_add_overflow(b->n_calls, other->n_calls, &sum) &&
	       !__builtin_add_overflow(b->weight, other->weight, &sum) &&
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
		uint32_t file, line;

		if (f->module != PROFILE_NO_MODULE)
			f->module = maps->modules[f->module];
		if (f->name != STRINGS_NONE)
			f->name = maps->strings[f->name];
		if (profile_has_line(f, &file, &line))
			f->address = (uint64_t)maps->strings[file] << 32 | line;
	}
}

/* Add the other tree below a node. Parents come before their children, so that maps->nodes has the
 * parent's node already. */
static int cct_join(struct cct *all, uint32_t below, struct cct *other, struct maps *maps)
{
	frames_translate(other, maps);
	maps->nodes = calloc(other->n_nodes, sizeof(*maps->nodes));
	if (!maps->nodes)
		return -1;
	for (size_t i = 0; i < other->n_nodes; i++) {
		const struct profile_node *n = &other->nodes[i];
		uint32_t node = i ? cct_child(all, maps->nodes[n->parent], &other->frames[n->frame])
				  : below;

		if (node == CCT_NONE)
			return -1;
		maps->nodes[i] = node;
		all->nodes[node].self_weight += n->self_weight;
		all->nodes[node].self_hits += n->self_hits;
		if (squares_add(&all->squares, node, squares_get(&other->squares, i)))
			return -1;
	}
	return 0;
}

/* ---- processes ------------------------------------------------------------------------------- */

static void process_translate(struct profile_process *p, const struct maps *maps)
{
	uint32_t *const texts[] = {&p->file,	   &p->exe,	     &p->cwd,	 &p->host,
				   &p->machine,	   &p->recorder,     &p->engine, &p->engine_why,
				   &p->unwinder,   &p->unwinder_why, &p->note,	 &p->cut_why,
				   &p->started_as, &p->launched};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (*texts[i] != STRINGS_NONE)
			*texts[i] = maps->strings[*texts[i]];
	for (size_t i = 0; i < p->n_args; i++)
		p->args[i] = maps->strings[p->args[i]];
	for (size_t i = 0; i < p->n_threads; i++)
		p->threads[i].name = maps->strings[p->threads[i].name];
	for (size_t i = 0; i < p->n_resources; i++) {
		struct profile_resource *r = &p->resources[i];
		uint32_t *const of[] = {&r->name, &r->unit, &r->engine, &r->why};

		for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++)
			if (*of[k] != STRINGS_NONE)
				*of[k] = maps->strings[*of[k]];
		for (size_t k = 0; k < r->n_states; k++)
			r->states[k].name = maps->strings[r->states[k].name];
	}
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
	p->total_squares = squares_sum(p->total_squares, q->total_squares);
	if (q->heaviest > p->heaviest)
		p->heaviest = q->heaviest;
	p->has_kernel |= q->has_kernel;
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

static int moments_take(struct moments *m, const struct moments *other, const struct maps *maps)
{
	size_t first = m->n_threads;

	return moments_join_threads(m, other, maps->strings) ||
			       moments_join(m, other, first, maps->nodes, maps->strings)
		       ? -1
		       : 0;
}

static int counted_join(struct profile_builder *b, struct profile_builder *other,
			const struct maps *maps)
{
	struct maps own = {maps->strings, maps->modules, NULL};
	int status;

	if (!other->counted)
		return 0;
	if (!b->counted)
		b->counted = cct_new();
	if (!b->counted)
		return -1;
	b->n_calls += other->n_calls;
	status = cct_join(b->counted, 0, other->counted, &own);
	free(own.nodes);
	return status;
}

static int join(struct profile_builder *b, struct profile_builder *other, struct maps *maps)
{
	if (strings_join(b, other->profile->strings, &maps->strings) ||
	    modules_join(b->modules, other->modules, maps->strings, &maps->modules) ||
	    cct_join(b->all, 0, other->all, maps) || counted_join(b, other, maps) ||
	    processes_join(b, other->profile, maps) ||
	    moments_take(&b->profile->moments, &other->profile->moments, maps))
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

/* ---- columns --------------------------------------------------------------------------------- */

/* Processes are those of the first resource, of a comparison in all runs. */
static int column_join(struct profile_builder *all, struct profile_builder *other, size_t column,
		       struct maps *maps)
{
	const struct profile_frame frame = {PROFILE_NO_MODULE, STRINGS_NONE, column};
	struct profile *q = other->profile;
	struct profile_column *c = &all->profile->columns[column];
	uint32_t node = cct_child(all->all, 0, &frame);

	c->weight = q->weight;
	c->hits = q->hits;
	c->has_counted = profile_counted(q, &c->counted);
	all->profile->has_times |= q->has_times;
	if (builder_time_column(c, q))
		return -1;
	if (strings_join(all, q->strings, &maps->strings) ||
	    modules_join(all->modules, other->modules, maps->strings, &maps->modules))
		return -1;
	c->resource = maps->strings[q->resource];
	c->unit = maps->strings[q->unit];
	c->moments.kept = q->moments.kept;
	if (node == CCT_NONE || cct_join(all->all, node, other->all, maps) ||
	    moments_take(&c->moments, &q->moments, maps))
		return -1;
	all->profile->has_kernel |= q->has_kernel;
	if (column >= (all->profile->n_base ? all->profile->n_runs : 1))
		return 0;
	c->first_process = all->profile->n_processes;
	c->n_processes = q->n_processes;
	totals_join(all, other, maps);
	return processes_join(all, q, maps);
}

static int columns_join(struct profile_builder *all, struct profile_builder **list, size_t n,
			struct error *err)
{
	struct profile *p = all->profile;
	int status = 0;

	p->columns = calloc(n, sizeof(*p->columns));
	if (!p->columns)
		return error_memory(err);
	for (; !status && p->n_columns < n; p->n_columns++) {
		struct maps maps = {0};

		status = column_join(all, list[p->n_columns], p->n_columns, &maps);
		free(maps.strings);
		free(maps.modules);
		free(maps.nodes);
	}
	return status ? error_memory(err) : 0;
}

int profile_builder_columns(struct profile_builder *all, struct profile_builder **list, size_t n,
			    struct error *err)
{
	for (size_t i = 0; i < n; i++)
		if (list[i]->profile->given_calls)
			return error_set(err, "the input has calls without stacks, of which one "
					      "resource at a time can be shown");
	return columns_join(all, list, n, err);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const char *first_file(const struct profile *p)
{
	return p->n_processes ? strings_get(p->strings, p->processes[0].file, NULL) : "an input";
}

/* Check that the weights of two runs can be compared. A run that says no resource has no samples. */
static int check_run(const struct profile_builder *b, const struct profile_builder *first,
		     struct error *err)
{
	const struct profile *p = b->profile, *q = first->profile;

	if (p->given_calls)
		return error_set(err, "%s: it has calls without stacks, and comparing needs stacks",
				 first_file(p));
	if (p->resource == b->empty || q->resource == first->empty ||
	    (is_same_text(p, p->resource, q, q->resource) && is_same_text(p, p->unit, q, q->unit)))
		return 0;
	return error_set(
		err,
		"%s counts \"%.40s\" in \"%.40s\", but %s \"%.40s\" in \"%.40s\": only the same "
		"resource can be compared; choose it with --resource",
		first_file(p), strings_get(p->strings, p->resource, NULL),
		strings_get(p->strings, p->unit, NULL), first_file(q),
		strings_get(q->strings, q->resource, NULL), strings_get(q->strings, q->unit, NULL));
}

static int check_runs(struct profile_builder *const *list, size_t n, struct error *err)
{
	const struct profile_builder *first = list[0];
	uint64_t weight = 0, hits = 0;

	for (size_t i = 0; i < n; i++) {
		if (first->profile->resource == first->empty)
			first = list[i];
		if (check_run(list[i], first, err))
			return -1;
		if (__builtin_add_overflow(weight, list[i]->weight, &weight) ||
		    __builtin_add_overflow(hits, list[i]->hits, &hits))
			return error_set(err, "the counts of all runs do not fit in 64 bits");
	}
	return 0;
}

/* A run that has used nothing may not say what that would be of. */
static void name_columns(struct profile_column *c, size_t n, uint32_t empty)
{
	size_t first = 0;

	while (first + 1 < n && c[first].resource == empty)
		first++;
	for (size_t i = 0; i < n; i++) {
		if (c[i].resource != empty)
			continue;
		c[i].resource = c[first].resource;
		c[i].unit = c[first].unit;
	}
}

int profile_builder_runs(struct profile_builder *all, struct profile_builder **list,
			 size_t n_resources, size_t n, size_t n_base, struct error *err)
{
	struct profile *p = all->profile;

	for (size_t k = 0; k < n_resources; k++)
		if (check_runs(list + k * n, n, err))
			return -1;
	p->n_base = n_base;
	p->n_runs = n;
	if (columns_join(all, list, n_resources * n, err))
		return -1;
	for (size_t k = 0; k < n_resources; k++)
		name_columns(p->columns + k * n, n, all->empty);
	return 0;
}
