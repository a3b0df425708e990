/* SPDX-License-Identifier: MIT */
/*
 * live_heap.c - pushes the samples of memory that was allocated and not freed at a moment.
 *
 * Whoever reads a recording collects numbers, times and weights of blocks, and when they were freed. At
 * its end the moment is known, and so are the blocks that were live. A second reading pushes their
 * samples, if these are what is to be read. It reads the recording as any sink does.
 */
#include "read/decode_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/decode.h"

#define SOURCE "alloc"
#define NAME   DECODE_LIVE
#define NEVER  UINT64_MAX

struct heap {
	struct event_sink sink;
	const struct event_sink *to;	    /* the sink of the live samples */
	const struct decode_blocks *blocks; /* of the first reading */
	size_t keep; /* how many frames of the latest sample pushed all later ones have kept */
};

/* ---- what there was -------------------------------------------------------------------------- */

static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	(void)context;
	(void)next;
	(void)err;
	return e->resource.length == strlen(SOURCE) &&
			       !memcmp(e->resource.bytes, SOURCE, strlen(SOURCE))
		       ? 0
		       : EVENT_DECLINED;
}

int live_heap_block(struct decode_blocks *b, const struct event_sample *e, unsigned atom)
{
	if (!array_reserve(&b->list, &b->size, b->n + 1, sizeof(*b->list)))
		return -1;
	b->list[b->n++] = (struct decode_block){
		.number = e->block,
		.time_us = e->time_us,
		.weight = e->weight,
		.hits = e->hits,
		.freed_us = NEVER,
		.atom = atom,
	};
	return 0;
}

int live_heap_freed(struct decode_blocks *b, const struct event_freed *e)
{
	if (!array_reserve(&b->freed, &b->freed_size, b->n_freed + 1, sizeof(*b->freed)))
		return -1;
	b->freed[b->n_freed++] = *e;
	return 0;
}

void live_heap_clear(struct decode_blocks *b)
{
	free(b->list);
	free(b->freed);
	*b = (struct decode_blocks){0};
}

static int compare_numbers(const void *a, const void *b)
{
	const struct decode_block *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static struct decode_block *find_block(const struct decode_blocks *b, uint64_t number)
{
	const struct decode_block key = {.number = number};

	return b->n ? bsearch(&key, b->list, b->n, sizeof(key), compare_numbers) : NULL;
}

/* Sort the blocks, and note when each was freed: never before it was there. Returns the first number
 * that two samples have, or 0. */
static uint64_t settle(struct decode_blocks *b)
{
	uint64_t twice = 0;

	if (b->n)
		qsort(b->list, b->n, sizeof(*b->list), compare_numbers);
	for (size_t i = 1; i < b->n && !twice; i++)
		twice = b->list[i].number == b->list[i - 1].number ? b->list[i].number : 0;
	for (size_t i = 0; i < b->n_freed; i++) {
		struct decode_block *block = find_block(b, b->freed[i].number);
		uint64_t time_us = b->freed[i].time_us;

		if (block && time_us < block->freed_us)
			block->freed_us = time_us > block->time_us ? time_us : block->time_us;
	}
	return twice;
}

/* ---- the moment ------------------------------------------------------------------------------ */

struct change {
	uint64_t time_us;
	struct decode_block *block;
	bool is_free;
};

/* At the same time, blocks are first allocated, then freed. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->time_us != y->time_us)
		return x->time_us < y->time_us ? -1 : 1;
	if (x->is_free != y->is_free)
		return x->is_free ? 1 : -1;
	return compare_numbers(x->block, y->block);
}

/* All changes in the order of time. */
static struct change *list_changes(const struct decode_blocks *blocks, size_t *n)
{
	struct change *list = calloc(2 * blocks->n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < blocks->n; i++) {
		struct decode_block *b = &blocks->list[i];

		list[(*n)++] = (struct change){b->time_us, b, false};
		if (b->freed_us != NEVER)
			list[(*n)++] = (struct change){b->freed_us, b, true};
	}
	if (list)
		qsort(list, *n, sizeof(*list), compare_changes);
	return list;
}

/* How many changes there are before the moment when most memory was live. The sum is a part of that of
 * all samples, which fits. */
static size_t find_peak(const struct change *list, size_t n)
{
	uint64_t live = 0, most = 0;
	size_t peak = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t weight = list[i].block->weight;

		live = list[i].is_free ? live - weight : live + weight;
		if (live <= most)
			continue;
		most = live;
		peak = i + 1;
	}
	return peak;
}

/* The moment in the time of a process that began at start_ns. False: it was before that. */
static bool moment_us(const struct event_at *at, uint64_t start_ns, uint64_t *us)
{
	uint64_t late = at->run_ns && start_ns > at->run_ns ? start_ns - at->run_ns : 0;

	*us = at->ns < late ? 0 : (at->ns - late) / 1000;
	return at->ns >= late;
}

static int mark_live(const struct decode_blocks *blocks, const struct event_at *at,
		     uint64_t start_ns)
{
	size_t n, end = 0;
	struct change *list = list_changes(blocks, &n);
	uint64_t us;

	if (!list)
		return -1;
	if (at->what == EVENT_AT_END)
		end = n;
	else if (at->what == EVENT_AT_PEAK)
		end = find_peak(list, n);
	else if (moment_us(at, start_ns, &us))
		while (end < n && list[end].time_us <= us)
			end++;
	for (size_t i = 0; i < end; i++)
		list[i].block->is_live = !list[i].is_free;
	free(list);
	return 0;
}

/* The number of the resource that blocks are of; r->n: there is none. */
static uint32_t source_of(const struct decode_resources *r)
{
	uint32_t i = 0;

	while (i < r->n && strcmp(r->list[i].name, SOURCE) != 0)
		i++;
	return i;
}

int live_heap_amounts(const struct decode_stream *s, struct decode_amount amounts[DECODE_ATOMS])
{
	struct decode_resources *r = s->resources;
	uint32_t source = source_of(r);

	memset(amounts, 0, DECODE_ATOMS * sizeof(*amounts));
	settle(&r->blocks);
	if (source == r->n)
		return 0;
	if (mark_live(&r->blocks, &r->first->at, s->start_ns))
		return -1;
	for (size_t i = 0; i < r->blocks.n; i++) {
		const struct decode_block *b = &r->blocks.list[i];

		if (!b->is_live || !decode_atom_has(&r->atoms[b->atom], source))
			continue;
		amounts[b->atom].weight += b->weight; /* no more than that of all samples */
		amounts[b->atom].hits += b->hits;
	}
	return 0;
}

/* ---- what was live --------------------------------------------------------------------------- */

static int on_live(void *context, const struct event_sample *e, struct error *err)
{
	struct heap *h = context;
	struct event_sample live = *e;
	const struct decode_block *b = e->block ? find_block(h->blocks, e->block) : NULL;

	if (e->is_again)
		return 0;
	if (live.keep > h->keep)
		live.keep = h->keep;
	h->keep = b && b->is_live ? e->depth : live.keep;
	return b && b->is_live && h->to->sample ? h->to->sample(h->to->context, &live, err) : 0;
}

#define FORWARD(kind)                                                                              \
	static int on_##kind(void *context, const struct event_##kind *e, struct error *err)       \
	{                                                                                          \
		const struct event_sink *to = ((struct heap *)context)->to;                        \
                                                                                                   \
		return to->kind ? to->kind(to->context, e, err) : 0;                               \
	}

FORWARD(module)
FORWARD(thread)
FORWARD(state)
FORWARD(called)
FORWARD(machine)
FORWARD(counted)
FORWARD(loss)
FORWARD(mark)
FORWARD(engine)
FORWARD(jit)
FORWARD(resource)
FORWARD(end)
FORWARD(cut)

static int read_live(struct heap *h, const char *path, const struct event_at *at, struct error *err)
{
	h->sink = (struct event_sink){
		.context = h,
		.at = *at,
		.process = on_process,
		.module = on_module,
		.thread = on_thread,
		.state = on_state,
		.sample = on_live,
		.called = on_called,
		.machine = on_machine,
		.counted = on_counted,
		.loss = on_loss,
		.mark = on_mark,
		.engine = on_engine,
		.jit = on_jit,
		.resource = on_resource,
		.end = on_end,
		.cut = on_cut,
	};
	return decode_file(path, &h->sink, err);
}

static int read_heap(struct decode_stream *s, const char *path, const struct event_at *at)
{
	struct decode_blocks *blocks = &s->resources->blocks;
	struct heap h = {.to = s->sink, .blocks = blocks};
	uint64_t twice;

	if (!strcmp(path, "-"))
		return error_set(s->err, "standard input can be read only once, and " NAME
					 " needs a recording that can be read again");
	twice = settle(blocks);
	if (twice)
		return error_set(s->err, "%s: two samples have the block %llu", s->name,
				 (unsigned long long)twice);
	if (mark_live(blocks, at, s->start_ns))
		return error_memory(s->err);
	return read_live(&h, path, at, s->err);
}

/* ---- the offer ------------------------------------------------------------------------------- */

/* The number of the resource that has blocks, or NULL. */
static const struct decode_resource *find_source(const struct decode_resources *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (decode_resources_is_live(&r->list[i]))
			return NULL; /* it was offered */
	for (uint32_t i = 0; i < r->n; i++) {
		if (strcmp(r->list[i].name, SOURCE) != 0)
			continue;
		for (unsigned k = 0; k < DECODE_ATOMS; k++)
			if (r->atoms[k].has_blocks && decode_atom_has(&r->atoms[k], i))
				return &r->list[i];
	}
	return NULL;
}

int live_heap_offer(struct decode_stream *s, const char *path)
{
	struct decode_resources *r = s->resources;
	const struct decode_resource *source = find_source(r);
	struct decode_resource live;
	static char name[] = NAME;
	int result;

	if (r->live && r->live->process == on_process)
		return error_set(s->err, "%s: the resource " SOURCE " is said to be live itself",
				 s->name);
	if (r->live) {
		s->sink = r->live;
		return read_heap(s, path, &r->first->at);
	}
	if (!source)
		return 0;
	live = *source;
	live.name = name;
	s->sink = r->first;
	result = decode_record_offer(s, r->process, r->process_bytes, &live);
	if (result)
		return result > 0 ? 0 : -1;
	return read_heap(s, path, &r->first->at);
}
