/* SPDX-License-Identifier: MIT */
/*
 * decode_columnar.c - decodes a columnar batch.
 */
#include <stdlib.h>
#include <string.h>

#include "read/decode_stream.h"

/* An address, with the addresses that have followed it on stacks, most likely first. */
struct known {
	uint64_t address;
	uint32_t module;
	bool is_leaf;
	uint8_t n_successors;
	uint16_t successor[CPS_COLUMN_SUCCESSORS];
};

/* What samples that repeat a stack have in common beside the stack. */
struct stack {
	uint32_t thread;
	uint8_t mark, atom;
};

/* How samples of an atom are coded in the current record. Before version 4 there is one. */
struct column_atom {
	uint64_t weight;     /* of the previous item of this atom, in grains */
	uint64_t weight_max; /* in grains */
	uint64_t grain, scale;
	bool is_known;
	bool is_time; /* weights predict times */
};

struct decode_columnar {
	struct cursor column[CPS_COLUMNS];
	uint64_t grain, step;
	unsigned step_shift; /* the step's logarithm if it is a power of two, else 64 */
	uint64_t time;	     /* of the previous item, in steps */
	unsigned atom_bits;
	bool has_numbers;	 /* samples may have numbers of blocks */
	struct column_atom *now; /* the atom of the current item */
	uint32_t thread;
	bool has_thread;
	size_t depth, keep;
	size_t deepest; /* how many frames have had their name set to none */
	size_t n_ids;
	uint32_t generation;	 /* of ids */
	uint64_t latest_address; /* that was new */
	uint32_t latest_module;	 /* likewise */
	size_t n_stacks;	 /* that have a number */
	uint32_t next_stack;	 /* number */
	uint32_t n_recent;
	struct column_atom atoms[DECODE_ATOMS];
	uint16_t recent[CPS_RECENT];		/* numbers of stacks, the latest first */
	struct known known[CPS_COLUMN_IDS + 1]; /* by id */
	struct stack stacks[CPS_STACKS];	/* by number */
	uint16_t ids[CPS_DEPTH_MAX];
	struct event_frame frames[CPS_DEPTH_MAX];
};

/* What is wrong is kept at the first column, whichever column it is in. */
static inline bool columnar_wrong(struct decode_columnar *c, const char *why)
{
	c->column[0].wrong = why;
	return false;
}

static inline bool columnar_number(struct decode_columnar *c, enum cps_column column,
				   uint64_t *value)
{
	return cursor_varint(&c->column[column], value) ||
	       columnar_wrong(c, c->column[column].wrong);
}

static inline bool columnar_signed(struct decode_columnar *c, enum cps_column column,
				   int64_t *value)
{
	return cursor_zigzag(&c->column[column], value) ||
	       columnar_wrong(c, c->column[column].wrong);
}

/* Read a number of n bytes, the lowest first, each from a column of its own. */
static inline bool columnar_bytes(struct decode_columnar *c, enum cps_column first, int n,
				  uint32_t *value)
{
	*value = 0;
	for (int i = 0; i < n; i++) {
		struct cursor *from = &c->column[(int)first + i];

		if (from->at == from->end)
			return columnar_wrong(c, CURSOR_SHORT);
		*value |= (uint32_t)*from->at++ << 8 * i;
	}
	return true;
}

/* ---- decode frames --------------------------------------------------------------------------- */
/*
 * Decodes the frames of samples in columns.
 *
 * In: codes, and the numbers that belong to them. Out: frames on the stack. Addresses, and which
 * addresses followed them, are kept from record to record.
 */

#define OUTSIDE	 CPS_COLUMN_IDS /* the place before the outermost frame */
#define TOO_DEEP "a stack is too deep"

static void decode_frames_forget(struct decode_columnar *c)
{
	c->n_ids = 0;
	c->latest_address = 0;
	c->latest_module = EVENT_NO_MODULE;
	c->known[OUTSIDE].n_successors = 0;
}

static int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

static inline void frame_push(struct decode_columnar *c, uint32_t id)
{
	struct event_frame *f = &c->frames[c->depth];

	c->ids[c->depth++] = (uint16_t)id;
	f->module = c->known[id].module;
	f->id = id + 1;
	f->address = c->known[id].address;
}

/* The frame that the next frame follows. */
static inline struct known *innermost(struct decode_columnar *c)
{
	return &c->known[c->depth ? c->ids[c->depth - 1] : OUTSIDE];
}

static bool id_new(struct decode_columnar *c, uint32_t module, uint64_t address, bool is_leaf,
		   uint32_t *id)
{
	struct known *k = &c->known[c->n_ids];

	if (c->n_ids == CPS_COLUMN_IDS)
		return columnar_wrong(c, "too many addresses");
	*id = (uint32_t)c->n_ids++;
	k->address = c->latest_address = address;
	k->module = c->latest_module = module;
	k->is_leaf = is_leaf;
	k->n_successors = 0;
	return true;
}

/* Add a new address near that of the first successor. */
static bool id_near(struct decode_columnar *c, const struct known *before, bool is_leaf,
		    uint32_t *id)
{
	const struct known *beside;
	uint32_t value;

	if (!columnar_bytes(c, CPS_COLUMN_NEAR, 2, &value))
		return false;
	if (!before->n_successors)
		return columnar_wrong(c, "a new address is near none");
	beside = &c->known[before->successor[0]];
	return id_new(c, beside->module, beside->address + (uint64_t)unzigzag(value), is_leaf, id);
}

static bool id_far(struct decode_columnar *c, bool is_leaf, uint32_t *id)
{
	uint64_t number_plus_1, rest, address;
	uint32_t low, module;

	if (!columnar_bytes(c, CPS_COLUMN_FAR, 3, &low) ||
	    !columnar_number(c, CPS_COLUMN_FAR_REST, &number_plus_1) ||
	    !columnar_number(c, CPS_COLUMN_FAR_REST, &rest))
		return false;
	if (number_plus_1 > CPS_MODULES_MAX)
		return columnar_wrong(c, "a frame's module number is too large");
	if (rest >> 40)
		return columnar_wrong(c, "an address does not fit 64 bits");
	address = (uint64_t)unzigzag(rest << 24 | low);
	module = number_plus_1 ? (uint32_t)number_plus_1 - 1 : EVENT_NO_MODULE;
	if (module == c->latest_module)
		address += c->latest_address;
	return id_new(c, module, address, is_leaf, id);
}

/* The id that a code stands for, other than a successor's, a run's or a flip's. */
static bool id_read(struct decode_columnar *c, struct known *before, unsigned code, uint32_t *id)
{
	switch (code) {
	case CPS_CODE_KNOWN:
		if (!columnar_bytes(c, CPS_COLUMN_KNOWN, 2, id))
			return false;
		return *id < c->n_ids || columnar_wrong(c, "a frame's address is unknown");
	case CPS_CODE_NEAR:
	case CPS_CODE_NEAR_LEAF:
		return id_near(c, before, code == CPS_CODE_NEAR_LEAF, id);
	case CPS_CODE_FAR:
	case CPS_CODE_FAR_LEAF:
		return id_far(c, code == CPS_CODE_FAR_LEAF, id);
	default:
		return columnar_wrong(c, "a frame has no such successor");
	}
}

static inline void move(uint16_t *list, uint32_t place, uint32_t to, uint32_t id)
{
	for (; place > to; place--)
		list[place] = list[place - 1];
	list[to] = (uint16_t)id;
}

/* Add an address to the successors. It is put behind three quarters of them, so that it does not
 * displace those that came often. */
static void successor_add(struct known *k, uint32_t id)
{
	uint32_t n = k->n_successors;

	n -= n == CPS_COLUMN_SUCCESSORS; /* the last one falls off */
	k->n_successors = (uint8_t)(n + 1);
	move(k->successor, n, n * 3 / 4, id);
}

/* Read a run: frames that are each the first successor of the one before. *is_over: the last one is
 * a leaf. */
static bool run_read(struct decode_columnar *c, bool *is_over)
{
	uint64_t n;

	if (!columnar_number(c, CPS_COLUMN_EXTRA, &n))
		return false;
	if (n > CPS_DEPTH_MAX - c->depth)
		return columnar_wrong(c, TOO_DEEP);
	for (const struct known *k = innermost(c); n--; k = innermost(c)) {
		if (!k->n_successors)
			return columnar_wrong(c, "a frame has no such successor");
		frame_push(c, k->successor[0]);
		*is_over = c->known[k->successor[0]].is_leaf;
		if (*is_over && n)
			return columnar_wrong(c, "a run of frames has a wrong length");
	}
	return true;
}

/* Read a frame that is not among the successors, or is new. */
static bool stranger_read(struct decode_columnar *c, struct known *before, unsigned code,
			  uint32_t *id)
{
	if (!id_read(c, before, code, id))
		return false;
	successor_add(before, *id);
	return true;
}

/* Read the frames that a sample pushes, up to a leaf. False: something is wrong. */
static bool decode_frames_read(struct decode_columnar *c)
{
	struct cursor *codes = &c->column[CPS_COLUMN_CODE];
	struct known *before = innermost(c);
	bool is_over = false, is_flipped = false;

	while (!is_over) {
		unsigned code;
		uint32_t id;

		if (codes->at == codes->end)
			return columnar_wrong(c, CURSOR_SHORT);
		code = *codes->at++;
		if (code < before->n_successors) {
			/* The successor moves half of the way to the front. */
			id = before->successor[code];
			move(before->successor, code, code / 2, id);
		} else if (code == CPS_CODE_FLIP) {
			is_flipped = !is_flipped;
			continue;
		} else if (code == CPS_CODE_RUN) {
			if (!run_read(c, &is_over))
				return false;
			before = innermost(c);
			continue;
		} else if (!stranger_read(c, before, code, &id)) {
			return false;
		}
		if (c->depth == CPS_DEPTH_MAX)
			return columnar_wrong(c, TOO_DEEP);
		frame_push(c, id);
		before = &c->known[id];
		before->is_leaf ^= is_flipped;
		is_flipped = false;
		is_over = before->is_leaf;
	}
	return true;
}

/* ---- columnar batch -------------------------------------------------------------------------- */
/*
 * Decodes a columnar batch.
 *
 * In: the payload of such a record. Out: sample events. The numbers of stacks are kept from record
 * to record.
 */

/* The structure has megabytes, of which a short recording uses little. So only its beginning is set
 * to zero; nothing of the rest is read before it is set. */
static struct decode_columnar *columnar_new(void)
{
	struct decode_columnar *c = malloc(sizeof(*c));

	if (c)
		memset(c, 0, offsetof(struct decode_columnar, known));
	return c;
}

void decode_columnar_free(struct decode_columnar *c)
{
	free(c);
}

/* ---- items ----------------------------------------------------------------------------------- */

/* Below the number of a thread there may be an atom. */
static bool thread_set(struct decode_columnar *c, uint64_t thread)
{
	struct column_atom *atom = &c->atoms[thread & ((1u << c->atom_bits) - 1)];

	thread >>= c->atom_bits;
	if (thread > UINT32_MAX)
		return columnar_wrong(c, "a number does not fit 32 bits");
	if (!atom->is_known)
		return columnar_wrong(c, "a sample is of an unknown atom");
	c->thread = (uint32_t)thread;
	c->now = atom;
	c->has_thread = true;
	return true;
}

/* Read what few samples have into *e. *rest is the part of the weight that is less than a grain. */
static bool extra_read(struct decode_columnar *c, struct event_sample *e, uint64_t *rest)
{
	uint64_t flags, thread, mark = CPS_MARK_COMPLETE;

	if (!columnar_number(c, CPS_COLUMN_EXTRA, &flags))
		return false;
	if (flags & CPS_ITEM_THREAD) {
		if (!columnar_number(c, CPS_COLUMN_EXTRA, &thread))
			return false;
		if (!thread_set(c, thread))
			return false;
	}
	if (flags & CPS_ITEM_MARK &&
	    !decode_mark_read(&c->column[CPS_COLUMN_EXTRA], c->has_numbers, &mark, &e->block))
		return columnar_wrong(c, c->column[CPS_COLUMN_EXTRA].wrong);
	if (flags & CPS_ITEM_REST && !columnar_number(c, CPS_COLUMN_EXTRA, rest))
		return false;
	e->mark = (uint32_t)mark;
	e->hits = !(flags & CPS_ITEM_TAIL);
	return true;
}

/* The time that a weight takes, which is at most CPS_WEIGHT_MAX units. A shift replaces the
 * division, which would take a tenth of the time of a sample: our recorder's steps are powers of
 * two. */
static inline uint64_t steps_of(const struct decode_columnar *c, uint64_t grains)
{
	uint64_t units = grains * c->now->grain + c->step / 2;

	return c->step_shift < 64 ? units >> c->step_shift : units / c->step;
}

/* Read the weight in grains and the time in steps. The time is coded as the difference from the
 * expected time: a sample stands for the time since the one before. Both differences are added
 * modulo 2^64, so that a negative result shows as one that is too large. */
static inline bool weight_and_time_read(struct decode_columnar *c)
{
	struct column_atom *atom = c->now;
	int64_t more, early;
	uint64_t weight, steps;

	if (!columnar_signed(c, CPS_COLUMN_WEIGHT, &more) ||
	    !columnar_signed(c, CPS_COLUMN_TIME, &early))
		return false;
	weight = atom->weight + (uint64_t)more;
	if (weight > atom->weight_max)
		return columnar_wrong(c, "a sample's weight is out of range");
	steps = (atom->is_time ? steps_of(c, weight) : 0) + (uint64_t)early;
	if (steps > INT64_MAX || __builtin_add_overflow(c->time, steps, &c->time))
		return columnar_wrong(c, "a sample's time is out of range");
	atom->weight = weight;
	return true;
}

/* ---- stacks that come again ------------------------------------------------------------------ */

/* Move the number of the latest stack to the front; it was `place` numbers behind it. */
static void recent_put(struct decode_columnar *c, uint32_t place, uint32_t number)
{
	if (place < 32) /* mostly so: memmove would have to wait for the stores just before it */
		for (; place > 0; place--)
			c->recent[place] = c->recent[place - 1];
	else
		memmove(c->recent + 1, c->recent, place * sizeof(*c->recent));
	c->recent[0] = (uint16_t)number;
}

/* Number the stack of a sample that has a head. The number may have been that of an older stack. */
static void stack_add(struct decode_columnar *c, struct event_sample *e)
{
	for (; c->deepest < c->depth; c->deepest++)
		c->frames[c->deepest].name = (struct event_text){NULL, 0};
	e->frames = c->frames;
	e->depth = c->depth;
	e->keep = c->keep;
	c->keep = c->depth;
	e->stack = c->next_stack + 1;
	e->is_again = false;
	c->stacks[c->next_stack] =
		(struct stack){c->thread, (uint8_t)e->mark, (uint8_t)(c->now - c->atoms)};
	c->n_recent += c->n_recent < CPS_RECENT;
	recent_put(c, c->n_recent - 1, c->next_stack);
	c->next_stack = (c->next_stack + 1) % CPS_STACKS;
	c->n_stacks += c->n_stacks < CPS_STACKS;
}

static inline bool stack_known(struct decode_columnar *c, unsigned code, uint32_t *number)
{
	uint32_t place = code - 1;

	if (code == CPS_AGAIN_NUMBER) {
		if (!columnar_bytes(c, CPS_COLUMN_NUMBER, 2, number))
			return false;
		c->n_recent += c->n_recent < CPS_RECENT;
		place = c->n_recent - 1;
	} else if (place < c->n_recent) {
		*number = c->recent[place];
	} else {
		return columnar_wrong(c, "a stack is not among the recent ones");
	}
	if (*number >= c->n_stacks)
		return columnar_wrong(c, "a stack's number is unknown");
	recent_put(c, place, *number);
	return true;
}

/* Read a sample that repeats an earlier stack. */
static inline bool again_read(struct decode_columnar *c, unsigned code, struct event_sample *e)
{
	uint32_t number;

	if (!stack_known(c, code, &number))
		return false;
	c->now = &c->atoms[c->stacks[number].atom];
	if (!weight_and_time_read(c))
		return false;
	e->frames = NULL;
	e->depth = e->keep = 0;
	e->stack = number + 1;
	e->is_again = true;
	e->block = 0;
	e->hits = 1;
	e->mark = c->stacks[number].mark;
	c->thread = c->stacks[number].thread;
	c->has_thread = true;
	return true;
}

/* Read a sample that has a head, into c and *e. */
static bool whole_read(struct decode_columnar *c, struct event_sample *e, uint64_t *rest)
{
	uint64_t head, pop;

	if (!columnar_number(c, CPS_COLUMN_HEAD, &head))
		return false;
	e->mark = 0;
	e->block = 0;
	e->hits = 1;
	if (head & CPS_HEAD_EXTRA && !extra_read(c, e, rest))
		return false;
	if (!c->has_thread)
		return columnar_wrong(c, "a sample has no thread");
	if (!weight_and_time_read(c))
		return false;
	pop = head >> CPS_HEAD_POP_SHIFT;
	if (pop > c->depth)
		return columnar_wrong(c, "more frames leave the stack than it has");
	c->depth -= pop;
	if (c->depth < c->keep)
		c->keep = c->depth;
	if (!(head & CPS_HEAD_NO_FRAMES) && !decode_frames_read(c))
		return false;
	stack_add(c, e);
	return true;
}

/* Read an item into c and *e. */
static inline bool item_read(struct decode_columnar *c, struct event_sample *e, uint64_t *rest)
{
	struct cursor *again = &c->column[CPS_COLUMN_AGAIN];
	unsigned code = again->at == again->end ? CPS_AGAIN_NOT : *again->at++;

	*rest = 0;
	return code == CPS_AGAIN_NOT ? whole_read(c, e, rest) : again_read(c, code, e);
}

static inline int item_push(struct decode_stream *s, struct event_sample *e, uint64_t rest)
{
	struct decode_columnar *c = s->columnar;
	const struct column_atom *atom = c->now;
	uint64_t units = atom->weight * atom->grain; /* at most CPS_WEIGHT_MAX */

	if (rest >= atom->grain || __builtin_mul_overflow(units + rest, atom->scale, &e->weight) ||
	    __builtin_mul_overflow(c->time, c->step, &e->time_us)) {
		s->wrong = rest >= atom->grain
				   ? "a sample's weight is out of range"
				   : "overflow: a sample's weight or time does not fit 64 bits";
		return -1;
	}
	e->thread = c->thread;
	decode_sample_count(s, e);
	if (s->resources)
		return decode_resources_sample(s, e, (unsigned)(atom - c->atoms));
	return s->sink->sample ? s->sink->sample(s->sink->context, e, s->err) : 0;
}

/* ---- the record ------------------------------------------------------------------------------ */

static void begin_anew(struct decode_columnar *c)
{
	decode_frames_forget(c);
	c->n_stacks = c->n_recent = c->next_stack = 0;
	c->generation++;
}

/* Weights begin anew in each record. */
static void atoms_begin(const struct decode_stream *s)
{
	const struct decode_resources *r = s->resources;
	struct decode_columnar *c = s->columnar;

	c->atom_bits = r ? r->atom_bits : 0;
	c->has_numbers = r;
	for (unsigned i = 0; i >> c->atom_bits == 0; i++) {
		const struct decode_atom *a = r ? &r->atoms[i] : NULL;
		uint64_t grain = a && a->is_known ? a->grain : c->grain;

		c->atoms[i] = (struct column_atom){
			.weight_max = CPS_WEIGHT_MAX / grain,
			.grain = grain,
			.scale = a ? a->scale : s->scale,
			.is_known = !i || a->is_known,
			.is_time = a ? a->is_time : true,
		};
	}
}

/* Read the numbers before the columns, and find where each column is. */
static const char *head_read(struct decode_stream *s, struct cursor *from, int n_columns,
			     struct decode_batch_id *id)
{
	struct decode_columnar *c = s->columnar;
	uint64_t anew, length[CPS_COLUMNS] = {0};

	if (!cursor_varint(from, &id->buffer) || !cursor_varint(from, &id->sequence) ||
	    !cursor_varint(from, &c->time) || !cursor_varint(from, &c->grain) ||
	    !cursor_varint(from, &c->step) || !cursor_varint(from, &anew))
		return from->wrong;
	if (!c->grain || c->grain > UINT32_MAX || !c->step || c->step > UINT32_MAX)
		return "its grain or step is out of range";
	c->step_shift = c->step & (c->step - 1) ? 64 : (unsigned)__builtin_ctzll(c->step);
	if (!anew && !s->has_columnar)
		return "it builds on a record that is not there";
	for (int i = 0; i < n_columns; i++)
		if (!cursor_varint(from, &length[i]))
			return from->wrong;
	for (int i = 0; i < CPS_COLUMNS; i++) {
		if (length[i] > (size_t)(from->end - from->at))
			return CURSOR_SHORT;
		c->column[i] = (struct cursor){from->at, from->at + length[i], NULL};
		from->at += length[i];
	}
	if (from->at != from->end)
		return "it has bytes behind its columns";
	if (anew)
		begin_anew(c);
	s->has_columnar = true;
	return NULL;
}

/* Decode all items. `each` is a column that has an entry for each sample. */
static int items_decode(struct decode_stream *s, const struct cursor *each)
{
	struct decode_columnar *c = s->columnar;
	struct event_sample e = {.generation = c->generation};
	uint64_t rest;

	atoms_begin(s);
	c->has_thread = false;
	c->depth = c->keep = 0;
	while (each->at != each->end) {
		if (!item_read(c, &e, &rest)) {
			s->wrong = c->column[0].wrong;
			return -1;
		}
		if (item_push(s, &e, rest))
			return -1;
	}
	for (int i = 0; i < CPS_COLUMNS; i++)
		if (c->column[i].at != c->column[i].end)
			s->wrong = "a column has too many bytes";
	return s->wrong ? -1 : 0;
}

int decode_columnar(struct decode_stream *s, uint64_t tag, const unsigned char *payload, size_t n,
		    struct decode_batch_id *id)
{
	bool is_old = tag == CPS_TAG_COLUMNAR_2;
	struct cursor c = {payload, payload + n, NULL};

	if (!s->columnar)
		s->columnar = columnar_new();
	if (!s->columnar)
		return error_memory(s->err);
	s->wrong = head_read(s, &c, is_old ? CPS_COLUMNS_2 : CPS_COLUMNS, id);
	if (s->wrong ||
	    items_decode(s, &s->columnar->column[is_old ? CPS_COLUMN_HEAD : CPS_COLUMN_AGAIN])) {
		if (s->wrong == CURSOR_SHORT)
			s->wrong = "a column ends too early";
		return -1;
	}
	return 0;
}
