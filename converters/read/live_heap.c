/* SPDX-License-Identifier: MIT */
/*
 * live_heap.c - pushes the samples of memory that was allocated and not freed at a moment.
 *
 * The first reading collects numbers, times and weights of blocks, and when they were freed. Then the
 * moment is known, and so are the blocks that were live. The second one pushes their samples. Both
 * read the recording as any sink does.
 */
#include "read/decode_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/decode.h"

#define SOURCE "alloc"
#define NAME   DECODE_LIVE
#define NEVER  UINT64_MAX

struct block {
	uint64_t number, time_us, weight;
	uint64_t freed_us; /* or NEVER */
	bool is_live;	   /* at the moment */
};

struct heap {
	struct event_sink sink;
	const struct event_sink *to; /* the sink of the live samples */
	const char *file;	     /* for messages */
	struct block *blocks;	     /* by number, when all are there */
	size_t n, size;
	struct event_freed *freed;
	size_t n_freed, freed_size;
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

static int on_block(void *context, const struct event_sample *e, struct error *err)
{
	struct heap *h = context;

	if (!e->block)
		return 0;
	if (!array_reserve(&h->blocks, &h->size, h->n + 1, sizeof(*h->blocks)))
		return error_memory(err);
	h->blocks[h->n++] = (struct block){e->block, e->time_us, e->weight, NEVER, false};
	return 0;
}

static int on_freed(void *context, const struct event_freed *e, struct error *err)
{
	struct heap *h = context;

	if (!array_reserve(&h->freed, &h->freed_size, h->n_freed + 1, sizeof(*h->freed)))
		return error_memory(err);
	h->freed[h->n_freed++] = *e;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static struct block *find_block(const struct heap *h, uint64_t number)
{
	const struct block key = {.number = number};

	return h->n ? bsearch(&key, h->blocks, h->n, sizeof(key), compare_numbers) : NULL;
}

/* Sort the blocks, and note when each was freed: never before it was there. */
static int settle(struct heap *h, struct error *err)
{
	if (h->n)
		qsort(h->blocks, h->n, sizeof(*h->blocks), compare_numbers);
	for (size_t i = 1; i < h->n; i++)
		if (h->blocks[i].number == h->blocks[i - 1].number)
			return error_set(err, "%s: two samples have the block %llu", h->file,
					 (unsigned long long)h->blocks[i].number);
	for (size_t i = 0; i < h->n_freed; i++) {
		struct block *b = find_block(h, h->freed[i].number);
		uint64_t time_us = h->freed[i].time_us;

		if (b && time_us < b->freed_us)
			b->freed_us = time_us > b->time_us ? time_us : b->time_us;
	}
	return 0;
}

/* ---- the moment ------------------------------------------------------------------------------ */

struct change {
	uint64_t time_us;
	struct block *block;
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
static struct change *list_changes(const struct heap *h, size_t *n)
{
	struct change *list = calloc(2 * h->n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < h->n; i++) {
		struct block *b = &h->blocks[i];

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

static int mark_live(struct heap *h, const struct event_at *at, uint64_t start_ns)
{
	size_t n, end = 0;
	struct change *list = list_changes(h, &n);
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

/* ---- what was live --------------------------------------------------------------------------- */

static int on_live(void *context, const struct event_sample *e, struct error *err)
{
	struct heap *h = context;
	struct event_sample live = *e;
	const struct block *b = e->block ? find_block(h, e->block) : NULL;

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
FORWARD(loss)
FORWARD(mark)
FORWARD(engine)
FORWARD(jit)
FORWARD(resource)
FORWARD(end)
FORWARD(cut)

static int read_live(struct heap *h, const char *path, struct error *err)
{
	h->sink = (struct event_sink){
		.context = h,
		.process = on_process,
		.module = on_module,
		.thread = on_thread,
		.state = on_state,
		.sample = on_live,
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

static int read_blocks(struct heap *h, const char *path, struct error *err)
{
	h->sink = (struct event_sink){
		.context = h,
		.process = on_process,
		.sample = on_block,
		.freed = on_freed,
	};
	return decode_file(path, &h->sink, err);
}

static int read_heap(struct decode_stream *s, const char *path, const struct event_at *at)
{
	struct heap h = {.to = s->sink, .file = s->name};
	int status = -1;

	if (!strcmp(path, "-"))
		return error_set(s->err, "standard input can be read only once, and " NAME
					 " needs a recording that can be read again");
	if (!read_blocks(&h, path, s->err) && !settle(&h, s->err))
		status = mark_live(&h, at, s->start_ns) ? error_memory(s->err)
							: read_live(&h, path, s->err);
	free(h.blocks);
	free(h.freed);
	return status;
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
