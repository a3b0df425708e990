/* SPDX-License-Identifier: MIT */
/*
 * builder_cct.c - credits samples to call paths.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/builder.h"

/* ---- cct ------------------------------------------------------------------------------------- */
/*
 * Finds or adds the node of a call path.
 *
 * In: a parent and a frame. Out: the number of the child. Frames are numbered first, so that a
 * child is found by a pair of numbers. A stack that is as the previous one needs no search: most
 * nodes are asked for the child that they were asked for the last time.
 */

void cct_free(struct cct *p)
{
	if (!p)
		return;
	index_clear(&p->numbers);
	pair_table_clear(&p->pairs);
	free(p->frames);
	free(p->nodes);
	squares_free(&p->squares);
	free(p);
}

struct cct *cct_new(void)
{
	struct cct *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (!array_reserve(&p->nodes, &p->nodes_size, 1, sizeof(*p->nodes))) {
		cct_free(p);
		return NULL;
	}
	p->secret = hash_secret();
	p->nodes[0] = (struct profile_node){.parent = CCT_NONE, .frame = CCT_NONE};
	p->n_nodes = 1;
	return p;
}

static uint64_t frame_tag(const struct cct *p, struct profile_frame f)
{
	uint64_t place = f.name == STRINGS_NONE ? f.module : f.name;

	return hash_pair(&p->secret, f.address, place);
}

static bool frame_is_equal(const void *frames, uint32_t number, const void *frame)
{
	const struct profile_frame *f = frame;

	return cct_frame_equal((const struct profile_frame *)frames + number, *f);
}

/* Search for a frame that is not in `recent`, and add it if it is new. */
uint32_t cct_frame_search(struct cct *p, struct profile_frame f)
{
	uint64_t tag = frame_tag(p, f);
	struct index_slot *slot;

	if (index_reserve(&p->numbers, 1))
		return CCT_NONE;
	slot = index_slot(&p->numbers, tag, frame_is_equal, p->frames, &f);
	if (slot->number != INDEX_NONE)
		return slot->number;
	if (p->n_frames >= CCT_NONE - 1 ||
	    !array_reserve(&p->frames, &p->frames_size, p->n_frames + 1, sizeof(*p->frames)))
		return CCT_NONE;
	p->frames[p->n_frames] = f;
	index_fill(&p->numbers, slot, tag, (uint32_t)p->n_frames);
	return (uint32_t)p->n_frames++;
}

static uint32_t node_append(struct cct *p, uint32_t parent, uint32_t frame)
{
	if (!array_reserve(&p->nodes, &p->nodes_size, p->n_nodes + 1, sizeof(*p->nodes)))
		return CCT_NONE;
	p->nodes[p->n_nodes] = (struct profile_node){.parent = parent, .frame = frame};
	return (uint32_t)p->n_nodes++;
}

/* A new child of `parent` that has no frame (CCT_NONE) and is found only by its number; CCT_NONE when
 * memory is out. */
static uint32_t cct_child_apart(struct cct *p, uint32_t parent)
{
	if (p->n_nodes >= CCT_NONE - 1 || pair_table_skip(&p->pairs) == PAIR_TABLE_NONE)
		return CCT_NONE;
	return node_append(p, parent, CCT_NONE);
}

/* Find or add a child that is not the latest one of its parent. */
uint32_t cct_add(struct cct *p, uint32_t parent, uint32_t frame)
{
	uint32_t node;

	if (frame == CCT_NONE || p->n_nodes >= CCT_NONE - 1)
		return CCT_NONE;
	node = pair_table_child_other(&p->pairs, parent, frame) + 1; /* PAIR_TABLE_NONE becomes 0 */
	if (node < p->n_nodes)
		return node ? node : CCT_NONE;
	return node_append(p, parent, frame);
}

/* The frame of the child that `parent` was asked for last; NULL if it has no child. */
static const struct profile_frame *cct_latest(const struct cct *p, uint32_t parent)
{
	const struct pair_table_latest latest = pair_table_latest(&p->pairs, parent);

	return latest.number == PAIR_TABLE_NONE ? NULL : &p->frames[latest.b];
}

/* Index the frames again after they were rewritten in place. False: some are equal now, and
 * nothing may be added to the tree. Nodes refer to frames by number, so that nodes need not
 * change. */
static bool cct_reindex(struct cct *p)
{
	memset(p->recent, 0, sizeof(p->recent));
	index_empty(&p->numbers);
	for (size_t i = 0; i < p->n_frames; i++) {
		const struct profile_frame *f = &p->frames[i];
		uint64_t tag = frame_tag(p, *f);
		struct index_slot *slot =
			index_slot(&p->numbers, tag, frame_is_equal, p->frames, f);

		if (slot->number != INDEX_NONE)
			return false;
		index_fill(&p->numbers, slot, tag, (uint32_t)i);
	}
	return true;
}

/* ---- builder kernel -------------------------------------------------------------------------- */
/*
 * Shows that a sample was taken in the kernel, and in which of its functions.
 *
 * In: a sample, the node of its stack. Out: the node to which it is credited. The kernel's
 * functions are innermost in the stack, by their addresses. Where they are not known, or have no
 * names, one frame stands for them.
 */

void profile_builder_show_kernel(struct profile_builder *b, bool shows)
{
	b->shows_kernel = shows;
}

static bool is_kernels(const struct event_frame *f)
{
	return f->module == EVENT_NO_MODULE && f->address >= CPS_KERNEL_ADDRESS;
}

/* How many of the sample's frames are shown: the kernel's are not, if time in the kernel is
 * not. Only samples of the kernel may have them. */
static size_t builder_kernel_depth(const struct profile_builder *b, const struct event_sample *e)
{
	size_t depth = e->depth;

	if (b->shows_kernel || b->current.by_name || !e->is_in_kernel)
		return depth;
	while (depth && is_kernels(&e->frames[depth - 1]))
		depth--;
	return depth;
}

/* The node of a sample whose stack leads to `node`, if time in the kernel is shown. CCT_NONE:
 * memory. Where the thread was is not known of the rest of what it has used. */
static uint32_t builder_kernel_node(struct profile_builder *b, const struct event_sample *e,
				    uint32_t node)
{
	const struct profile_frame kernel = {PROFILE_NO_MODULE, STRINGS_NONE,
					     PROFILE_KERNEL_ADDRESS};

	if (!b->shows_kernel || !e->is_in_kernel || e->mark == CPS_MARK_NOT_SAMPLED)
		return node;
	b->profile->has_kernel = true;
	if (e->depth && is_kernels(&e->frames[e->depth - 1]))
		return node;
	return cct_child(b->current.paths, node, &kernel);
}

/* The input is over: one frame stands for all of the kernel's that have no name. Without that
 * no frame of the kernel was asked for. */
static void builder_kernel_resolve(const struct profile_builder *b, struct profile_frame *f)
{
	if (b->profile->has_kernel && f->module == PROFILE_NO_MODULE && f->name == STRINGS_NONE &&
	    f->address >= CPS_KERNEL_ADDRESS)
		f->address = PROFILE_KERNEL_ADDRESS;
}

static bool is_stand_in(const struct profile_frame *f)
{
	return f->module == PROFILE_NO_MODULE && f->name == STRINGS_NONE &&
	       f->address == PROFILE_KERNEL_ADDRESS;
}

/* As cct_child, but such frames that call each other are one. */
static uint32_t builder_kernel_child(struct cct *all, uint32_t parent,
				     const struct profile_frame *f)
{
	if (parent && is_stand_in(f) && all->nodes[parent].frame != CCT_NONE &&
	    is_stand_in(&all->frames[all->nodes[parent].frame]))
		return parent;
	return cct_child(all, parent, f);
}

/* ---- builder cct ----------------------------------------------------------------------------- */
/*
 * Credits samples to call paths.
 *
 * In: samples. Out: weights at the nodes of the calling context tree. The path of the previous
 * sample is kept, so that a sample costs only the frames that differ.
 */

/* ---- one sample ------------------------------------------------------------------------------ */

/* A stack whose outer part is missing is put below a pseudo frame. Otherwise its outermost frame
 * would look like the function where a thread begins. */
static bool is_incomplete(const struct event_sample *e)
{
	return e->depth == 0 || (e->mark != CPS_MARK_COMPLETE && e->mark != CPS_MARK_TOO_DEEP &&
				 e->mark != CPS_MARK_NOT_SAMPLED);
}

/* The number of a name. A path is often continued as it was the time before: comparing with that
 * name is cheaper than a search. */
static uint32_t name_number(struct profile_builder *b, uint32_t parent, const struct event_text *e)
{
	const struct profile_frame *f = cct_latest(b->current.paths, parent);
	const char *name;
	size_t n;

	if (f && f->name != STRINGS_NONE) {
		name = strings_get(b->profile->strings, f->name, &n);
		if (n == e->length && (n == 0 || memcmp(name, e->bytes, n) == 0))
			return f->name;
	}
	return strings_add(b->profile->strings, e->bytes, e->length);
}

/* The entry of an id that is larger than all ids before. The table grows on demand because most
 * recordings are small. NULL: out of memory; then the frame is searched for. */
static uint32_t *ids_extend(struct recording *r, uint32_t id)
{
	if (!array_reserve(&r->of_ids, &r->ids_size, id, sizeof(*r->of_ids)))
		return NULL;
	memset(r->of_ids + r->n_ids, 0, (r->ids_size - r->n_ids) * sizeof(*r->of_ids));
	r->n_ids = r->ids_size;
	return &r->of_ids[id - 1];
}

static inline uint32_t *of_id(struct recording *r, uint32_t id)
{
	return id <= r->n_ids ? &r->of_ids[id - 1] : ids_extend(r, id);
}

/* The number of a frame below `parent`. Its module is still a number of the input. */
static inline uint32_t frame_number(struct profile_builder *b, uint32_t parent,
				    const struct event_frame *e)
{
	struct recording *r = &b->current;
	uint32_t name, number, *known = e->id ? of_id(r, e->id) : NULL;

	if (known && *known)
		return *known - 1;
	if (!r->by_name) {
		number = cct_frame(r->paths,
				   (struct profile_frame){e->module, STRINGS_NONE, e->address});
		if (known)
			*known = number + 1; /* CCT_NONE becomes 0 */
		return number;
	}
	name = name_number(b, parent, &e->name);
	if (name == STRINGS_NONE)
		return CCT_NONE;
	return cct_frame(r->paths, (struct profile_frame){PROFILE_NO_MODULE, name, 0});
}

/* The node below the root for the stacks of a thread. */
static uint32_t thread_base(struct recording *r, uint32_t thread)
{
	size_t n = id_table_count(r->bases);
	uint32_t place;

	if (!array_reserve(&r->base_nodes, &r->base_nodes_size, n + 1, sizeof(*r->base_nodes)))
		return CCT_NONE;
	place = id_table_add(r->bases, thread);
	if (place == n)
		r->base_nodes[place] = cct_child_apart(r->paths, 0);
	return place == ID_TABLE_NONE ? CCT_NONE : r->base_nodes[place];
}

uint32_t builder_base_thread(const struct recording *r, uint32_t node)
{
	size_t low = 0, high = id_table_count(r->bases);

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (r->base_nodes[middle] <= node)
			low = middle;
		else
			high = middle;
	}
	return id_table_get(r->bases, (uint32_t)low);
}

/* Set walk[0], the node from which the stack's frames are followed. */
static int walk_base(struct profile_builder *b, uint32_t thread, bool incomplete)
{
	const struct profile_frame frame = {PROFILE_NO_MODULE, b->incomplete, 0};
	const struct profile_frame group = builder_group_input(b);
	struct recording *r = &b->current;
	uint32_t node = 0;

	r->depth = 0;
	r->has_incomplete = incomplete;
	r->group_thread = thread;
	if (builder_has_threads(b))
		node = thread_base(r, thread);
	else if (b->by != PROFILE_BY_NOTHING)
		node = cct_child(r->paths, node, &group);
	if (incomplete && node != CCT_NONE)
		node = cct_child(r->paths, node, &frame);
	r->walk[0] = node;
	return node == CCT_NONE ? -1 : 0;
}

/* Does the sample's stack begin where the previous one's did? */
static bool base_holds(const struct profile_builder *b, const struct event_sample *e,
		       bool incomplete)
{
	return incomplete == b->current.has_incomplete &&
	       (!builder_has_threads(b) || e->thread == b->current.group_thread);
}

/* How many outermost frames e certainly shares with the latest sample that was not left out. */
static size_t frames_kept(const struct recording *r, const struct event_sample *e)
{
	return e->keep < r->keep ? e->keep : r->keep;
}

/* Find the sample's node: follow the frames that the previous sample did not have. */
static int walk_stack(struct profile_builder *b, const struct event_sample *e)
{
	struct recording *r = &b->current;
	size_t i = frames_kept(r, e), depth = builder_kernel_depth(b, e);
	bool incomplete = is_incomplete(e);

	if (!array_reserve(&r->walk, &r->walk_size, depth + 1, sizeof(*r->walk)))
		return -1;
	if (r->generation != e->generation) /* the ids mean other frames now */
		r->n_ids = 0;
	r->generation = e->generation;
	if (!i || !base_holds(b, e, incomplete)) {
		if (walk_base(b, e->thread, incomplete))
			return -1;
		i = 0;
	}
	if (i > depth)
		i = depth;
	for (uint32_t node = r->walk[i]; i < depth; i++) {
		node = cct_step(r->paths, node, frame_number(b, node, &e->frames[i]));
		if (node == CCT_NONE)
			return -1;
		r->walk[i + 1] = node;
	}
	r->depth = r->keep = depth;
	return 0;
}

static struct profile_thread *sample_thread(struct profile_builder *b, uint32_t id)
{
	struct recording *r = &b->current;

	if (r->last_thread != ID_TABLE_NONE && r->process.threads[r->last_thread].id == id)
		return &r->process.threads[r->last_thread];
	struct profile_thread *t = builder_thread(b, id);
	if (t)
		r->last_thread = (uint32_t)(t - r->process.threads);
	return t;
}

/* All other sums are parts of the two totals, so that only these can overflow. */
static int totals_add(struct profile_builder *b, const struct event_sample *e, struct error *err)
{
	if (__builtin_add_overflow(b->weight, e->weight, &b->weight))
		return error_set(err, "%s: overflow: the sum of weights does not fit 64 bits",
				 builder_file(b));
	if (__builtin_add_overflow(b->hits, e->hits, &b->hits))
		return error_set(err, "%s: overflow: the number of samples does not fit 64 bits",
				 builder_file(b));
	return 0;
}

/* Add a weight to the process and to one of its threads. */
static int process_add(struct profile_builder *b, uint32_t thread, uint32_t mark, uint64_t weight,
		       uint64_t hits)
{
	struct profile_process *p = &b->current.process;
	struct profile_thread *t = sample_thread(b, thread);

	if (!t)
		return -1;
	t->weight += weight;
	t->hits += hits;
	p->samples += hits;
	p->weight += weight;
	p->weight_by_mark[mark] += weight;
	if (mark == CPS_MARK_COMPLETE)
		p->weight_complete += weight;
	return 0;
}

/* Note what tells how exact the totals are. A record of several samples has their mean. */
static inline void spread_add(struct profile *p, const struct event_sample *e)
{
	p->total_squares = squares_sum(p->total_squares, squares_of(e->weight, e->hits));
	if (e->hits <= 1 && e->weight > p->heaviest)
		p->heaviest = e->weight;
}

/* Add the weight of a known stack, whose samples are selected, to a node of the profile and to its thread. -1:
 * memory. */
static int node_add(struct profile_builder *b, const struct known_stack *s)
{
	struct profile_node *node = &b->current.paths->nodes[s->node];
	struct profile_thread *t = sample_thread(b, s->thread);

	if (!t)
		return -1;
	t->shown_weight += s->weight;
	t->shown_hits += s->hits;
	node->self_weight += s->weight;
	node->self_hits += s->hits;
	b->profile->weight += s->weight;
	b->profile->hits += s->hits;
	return squares_add(&b->current.paths->squares, s->node, s->squares);
}

/* ---- stacks that come again ------------------------------------------------------------------ */

/* Credit what has been added up for a stack. */
static int stack_settle(struct profile_builder *b, struct known_stack *s)
{
	if (!s->hits)
		return 0;
	if (process_add(b, s->thread, s->mark, s->weight, s->hits) || node_add(b, s))
		return -1;
	s->weight = s->hits = s->squares = 0;
	return 0;
}

static int stacks_settle(struct profile_builder *b)
{
	struct recording *r = &b->current;

	for (size_t i = 0; i < r->n_stacks; i++)
		if (stack_settle(b, &r->stacks[i]))
			return -1;
	return 0;
}

static int stacks_extend(struct recording *r, size_t n)
{
	if (!array_reserve(&r->stacks, &r->stacks_size, n, sizeof(*r->stacks)))
		return -1;
	for (; r->n_stacks < n; r->n_stacks++)
		r->stacks[r->n_stacks] = (struct known_stack){.node = CCT_NONE};
	return 0;
}

/* Remember the node of a stack that later samples may repeat. */
static int stack_remember(struct profile_builder *b, const struct event_sample *e, uint32_t node)
{
	struct recording *r = &b->current;

	if (r->stacks_generation != e->generation) {
		if (stacks_settle(b))
			return -1;
		r->n_stacks = 0;
	}
	r->stacks_generation = e->generation;
	if (stacks_extend(r, e->stack) || stack_settle(b, &r->stacks[e->stack - 1]))
		return -1;
	r->stacks[e->stack - 1] =
		(struct known_stack){.node = node, .thread = e->thread, .mark = e->mark};
	return 0;
}

/* The stack that the sample repeats. NULL: no sample before had a stack of that number. */
static inline struct known_stack *stack_find(struct recording *r, const struct event_sample *e)
{
	if (!e->stack || e->stack > r->n_stacks || e->generation != r->stacks_generation ||
	    r->stacks[e->stack - 1].node == CCT_NONE)
		return NULL;
	return &r->stacks[e->stack - 1];
}

static inline int stack_again(struct profile_builder *b, const struct event_sample *e,
			      struct error *err)
{
	struct known_stack *s = stack_find(&b->current, e);

	if (!s)
		return error_set(err, "%s: a sample repeats stack %u, which did not come before",
				 builder_file(b), (unsigned)e->stack);
	if (!builder_part_takes(b, e))
		return process_add(b, s->thread, s->mark, e->weight, e->hits) ? error_memory(err)
									      : 0;
	s->weight += e->weight;
	s->hits += e->hits;
	spread_add(b->profile, e);
	if (b->wants_squares)
		s->squares = squares_sum(s->squares, squares_of(e->weight, e->hits));
	return builder_time(b, e, s->thread, s->node) ? error_memory(err) : 0;
}

/* ---- any sample ------------------------------------------------------------------------------ */

static int stack_once(struct profile_builder *b, const struct event_sample *e)
{
	struct recording *r = &b->current;
	bool is_taken = builder_part_takes(b, e);
	struct known_stack own = {.weight = e->weight, .hits = e->hits, .thread = e->thread};

	if (process_add(b, e->thread, e->mark, e->weight, e->hits))
		return -1;
	r->process.tails += !e->hits && !r->by_name;
	if (e->depth > r->process.deepest)
		r->process.deepest = e->depth;
	if (!is_taken && !e->stack) {
		r->keep = frames_kept(r, e);
		return 0;
	}
	if (walk_stack(b, e))
		return -1;
	own.node = builder_kernel_node(b, e, r->walk[r->depth]);
	if (own.node == CCT_NONE || (e->stack && stack_remember(b, e, own.node)))
		return -1;
	if (b->wants_squares)
		own.squares = squares_of(e->weight, e->hits);
	if (is_taken && node_add(b, &own))
		return -1;
	if (is_taken)
		spread_add(b->profile, e);
	return is_taken ? builder_time(b, e, e->thread, own.node) : 0;
}

int builder_sample(void *context, const struct event_sample *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile_process *p = &b->current.process;

	if (e->mark >= CPS_MARK_COUNT)
		return error_set(err, "%s: unknown mark %u", builder_file(b), (unsigned)e->mark);
	if (totals_add(b, e, err))
		return -1;
	if (e->time_us > p->last_us)
		p->last_us = e->time_us;
	if (e->is_again)
		return stack_again(b, e, err);
	return stack_once(b, e) ? error_memory(err) : 0;
}

/* ---- the end of an input --------------------------------------------------------------------- */

/* Replace the input's number of a module by the index in the list of all modules. */
static int frame_resolve(struct profile_builder *b, struct profile_frame *f)
{
	if (builder_jit_name(b, f))
		return -1;
	builder_kernel_resolve(b, f);
	if (f->module == EVENT_NO_MODULE)
		return 0;
	f->module = modules_resolve(b->modules, f->module);
	return f->module == PROFILE_NO_MODULE ? -1 : 0;
}

static int frames_resolve(struct profile_builder *b)
{
	struct cct *paths = b->current.paths;

	if (builder_jit_open(b))
		return -1;
	for (size_t i = 0; i < paths->n_frames; i++)
		if (frame_resolve(b, &paths->frames[i]))
			return -1;
	return 0;
}

/* The node in the tree of all inputs for the current input's node i. map[] has it for the node's
 * parent already. */
static uint32_t merged_node(struct profile_builder *b, const uint32_t *map, size_t i)
{
	const struct cct *input = b->current.paths;
	const struct profile_node *node = &input->nodes[i];
	struct profile_frame group = builder_group_input(b);

	if (node->frame != CCT_NONE)
		return builder_kernel_child(b->all, map[node->parent], &input->frames[node->frame]);
	if (b->by == PROFILE_BY_NOTHING) /* threads were selected, but are not shown apart */
		return 0;
	if (b->by == PROFILE_BY_THREAD &&
	    builder_group_thread(b, builder_base_thread(&b->current, (uint32_t)i), &group))
		return CCT_NONE;
	return cct_child(b->all, 0, &group);
}

/* Parents come before children, so that map[parent] is always known. */
static int nodes_merge(struct profile_builder *b, const unsigned char *dropped)
{
	const struct cct *input = b->current.paths;
	uint32_t *map = calloc(input->n_nodes, sizeof(*map));
	int status = 0;

	if (!map)
		return -1;
	for (size_t i = 1; !status && i < input->n_nodes; i++) {
		if (dropped && dropped[i])
			continue;
		map[i] = merged_node(b, map, i);
		if (map[i] == CCT_NONE) {
			status = -1;
			break;
		}
		b->all->nodes[map[i]].self_weight += input->nodes[i].self_weight;
		b->all->nodes[map[i]].self_hits += input->nodes[i].self_hits;
		status = squares_add(&b->all->squares, map[i], squares_get(&input->squares, i));
	}
	status = status || builder_moments_merge(b, map) ? -1 : 0;
	free(map);
	return status;
}

/* Merge the input's call paths into the tree of all inputs. The tree of the first input becomes
 * that tree without a copy. */
static int cct_merge(struct profile_builder *b, const unsigned char *dropped)
{
	struct recording *r = &b->current;

	if (frames_resolve(b))
		return -1;
	if (dropped || builder_has_threads(b) || b->all->n_nodes > 1 ||
	    !(r->by_name || cct_reindex(r->paths)))
		return nodes_merge(b, dropped);
	cct_free(b->all);
	b->all = r->paths;
	r->paths = NULL;
	return builder_moments_merge(b, NULL);
}

int builder_merge(struct profile_builder *b, struct error *err)
{
	struct recording *r = &b->current;
	unsigned char *dropped;
	int status;

	if (stacks_settle(b))
		return error_memory(err);
	if (builder_part_nodes(b, &dropped, err))
		return -1;
	status = cct_merge(b, dropped);
	free(dropped);
	if (status)
		return error_memory(err);
	return modules_close(b->modules, &r->process.modules, &r->process.n_modules, err);
}
