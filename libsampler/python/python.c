/* SPDX-License-Identifier: MIT */
/*
 * python.c - finds the interpreter's frames on the stack, and reads its memory.
 *
 * In: a stack of the machine's. Out: addresses, some of which stand for Python functions.
 *
 * The handler may have interrupted the evaluator while it changes its list of frames, where a
 * pointer may lead to memory that is not used any more. So only what lies in the thread's memory
 * for frames is read without asking the kernel whether it is there, and the list is believed only
 * if it leads, frame by frame, to the frame that the next outer evaluator is in.
 */
#include <stdatomic.h>

#include "base/memory.h"
#include "base/sys.h"
#include "python/copies.h"
#include "python/functions.h"
#include "python/python.h"
#include "unwind/fde.h"
#include "unwind/module.h"
#include "base/poison.h"

#define ENTRY_BYTES 256 /* in the first of which the evaluator enters itself into its list */
#define PAGE_BYTES  4096u
#define CHUNKS_MAX  16 /* pieces of the interpreter's stack that are looked at for one frame */
#define NAMED_LATER                                                                                \
	UINT64_C(0x507a000000000000) /* added to code objects in a path; no address is so high */

static struct cps_python_start symbols;
static uintptr_t evaluator_start,
	evaluator_end;		       /* its code, without the parts that are rarely run */
static uintptr_t code_start, code_end; /* of the file that it is in */
static bool is_on;
static _Atomic uint64_t unnamed;
/* From the structure of an evaluator to the end of its frame, which is the same in all calls; 0: not
 * known yet. */
static _Atomic uint64_t cframe_depth;

struct walk {
	struct cps_peek peek,
		elsewhere[2]; /* the machine's stack; pages that are not on it, even and odd */
	struct cps_peek_copy copy, copy_elsewhere[2];
	struct cps_python_path *path;
	struct cps_python_types types;
	bool has_lock;		       /* this thread has the interpreter lock */
	bool names_later;	       /* code objects stay in the path until all are there */
	bool has_all;		       /* each of those got its name then */
	uint32_t unnamed;	       /* evaluators that stay as they are */
	struct cps_python_stack stack; /* memory for frames, if has_lock */
	uint64_t cframe;	       /* of the next evaluator outwards; 0: there is none */
	uint64_t root;		       /* the outermost one, which is in the thread's state */
	struct cps_python_cframe root_cframe; /* a copy, if not has_lock */
	uint64_t page;			      /* number of one that can be read; 0: none is known */
	uint64_t code; /* the code object that was met last, and its number */
	uint32_t number;
	struct cps_python_memo memo;
};

void cps_python_init(const struct cps_python_start *start)
{
	uint32_t number = cps_module_find(start->evaluate);
	const struct cps_module *m;
	struct cps_fde fde;

	if (start->version < CPS_PYTHON_VERSION_FIRST ||
	    start->version >= CPS_PYTHON_VERSION_LIMIT || number == CPS_MODULE_NONE)
		return;
	m = cps_module_get(number);
	if (!m->is_lasting || !cps_fde_find(m, start->evaluate, NULL, &fde))
		return;
	evaluator_start = fde.start;
	evaluator_end = fde.end;
	code_start = m->start;
	code_end = m->end;
	symbols = *start;
	is_on = true;
}

bool cps_python_is_on(void)
{
	return is_on;
}

uint64_t cps_python_unnamed(void)
{
	return atomic_load(&unnamed);
}

void cps_python_reset(void)
{
	atomic_store(&unnamed, 0);
	cps_python_functions_reset();
}

/* ---- the thread's state ---------------------------------------------------------------------- */

static bool begin(struct walk *w)
{
	const uint8_t *runtime = (const uint8_t *)symbols.runtime;
	struct cps_python_key key;
	uint64_t words[(CPS_PYTHON_STATE_ROOT - CPS_PYTHON_STATE_CFRAME) / 8 + 3];
	uintptr_t state, current;

	memcpy(&key, runtime + CPS_PYTHON_RUNTIME_KEY, sizeof(key));
	if (!key.is_made)
		return false;
	state = (uintptr_t)symbols.get_specific(key.key);
	if (!state)
		return false;
	memcpy(&current, runtime + CPS_PYTHON_RUNTIME_CURRENT, sizeof(current));
	w->root = state + CPS_PYTHON_STATE_ROOT;
	w->has_lock = state == current;
	w->names_later = w->names_later && !w->has_lock;
	if (w->has_lock)
		return cps_python_read(&w->cframe, state + CPS_PYTHON_STATE_CFRAME, 8, true) &&
		       cps_python_read(&w->stack, state + CPS_PYTHON_STATE_CHUNK, sizeof(w->stack),
				       true);
	/* All that is needed of the state, in one copy. */
	if (!cps_python_read(words, state + CPS_PYTHON_STATE_CFRAME, sizeof(words), false))
		return false;
	w->cframe = words[0];
	memcpy(&w->root_cframe, &words[(CPS_PYTHON_STATE_ROOT - CPS_PYTHON_STATE_CFRAME) / 8],
	       sizeof(w->root_cframe));
	return true;
}

/* ---- the frames of one evaluator ------------------------------------------------------------- */

/* Whether the frame lies in the thread's memory for frames. *stack is then where to look for the next
 * one outwards. */
static bool is_on_stack(struct cps_python_stack *stack, uint64_t frame)
{
	uint64_t at = stack->chunk, end = stack->top;

	for (int i = 0; i < CHUNKS_MAX && at; i++) {
		const struct cps_python_chunk *chunk = (const void *)at;

		if (!end)
			end = at + chunk->bytes;
		if (frame >= at + sizeof(*chunk) && frame < end &&
		    end - frame >= sizeof(struct cps_python_frame)) {
			*stack = (struct cps_python_stack){at, i ? 0 : stack->top};
			return true;
		}
		at = chunk->previous;
		end = 0;
	}
	return false;
}

/* Whether an object outside of that memory can be read: a generator has its frame in itself. */
static bool is_there(struct walk *w, uint64_t object, size_t n)
{
	if (object < PAGE_BYTES || object > UINT64_MAX - n)
		return false;
	for (uint64_t page = object / PAGE_BYTES; page <= (object + n - 1) / PAGE_BYTES; page++) {
		if (page == w->page)
			continue;
		if (!cps_sys_readable(page * PAGE_BYTES))
			return false;
		w->page = page;
	}
	return true;
}

static bool take_frame(struct walk *w, uint64_t at, struct cps_python_frame *frame)
{
	uint64_t word[sizeof(*frame) / 8];

	if (at & 7)
		return false;
	if (w->has_lock)
		return (is_on_stack(&w->stack, at) || is_there(w, at, sizeof(*frame))) &&
		       cps_python_read(frame, at, sizeof(*frame), true);
	/* Several frames lie in one page, and one may lie in two. */
	for (size_t i = 0; i < sizeof(word) / 8; i++)
		if (!cps_peek(&w->elsewhere[(at + 8 * i) / PAGE_BYTES % 2], at + 8 * i, &word[i]))
			return false;
	memcpy(frame, word, sizeof(word));
	return true;
}

/* Puts the code objects of one evaluator into the path. */
static enum cps_python_outcome take_codes(struct walk *w, uint64_t at, uint64_t outer)
{
	struct cps_python_path *path = w->path;
	struct cps_python_frame frame;

	for (;;) {
		if (path->depth == path->room)
			return CPS_PYTHON_TOO_DEEP;
		if (!take_frame(w, at, &frame) || frame.is_entry > 1 ||
		    frame.owner > CPS_PYTHON_OWNER_MAX)
			return CPS_PYTHON_ABSENT;
		path->addresses[path->depth++] = frame.code;
		if (frame.is_entry)
			return frame.previous == outer ? CPS_PYTHON_SHOWN : CPS_PYTHON_ABSENT;
		at = frame.previous;
	}
}

/* Replaces the code objects of the path from this place on by the addresses that stand for them, or marks
 * them. */
static bool name_codes(struct walk *w, uint32_t from)
{
	for (uint32_t i = from; i < w->path->depth; i++) {
		uint64_t code = w->path->addresses[i];

		if (w->names_later) {
			if (code >= NAMED_LATER)
				return false;
			w->path->addresses[i] = NAMED_LATER + code;
			continue;
		}
		if (code != w->code) {
			w->number = cps_python_function(code, &w->types, w->has_lock, &w->memo);
			w->code = code;
		}
		if (w->number == CPS_PYTHON_NONE)
			return false;
		w->path->addresses[i] = CPS_PYTHON_ADDRESS + w->number;
		cps_python_function_use(w->number);
	}
	return true;
}

static bool take_cframe(struct walk *w, uint64_t at, uint64_t *current, uint64_t *previous)
{
	struct cps_python_cframe cframe;

	if (at == w->root) {
		if (!w->has_lock)
			cframe = w->root_cframe;
		else if (!cps_python_read(&cframe, at, sizeof(cframe), true))
			return false;
	} else if (!cps_peek(&w->peek, at + CPS_PYTHON_CFRAME_CURRENT, &cframe.current) ||
		   !cps_peek(&w->peek, at + CPS_PYTHON_CFRAME_PREVIOUS, &cframe.previous)) {
		return false;
	}
	*current = cframe.current;
	*previous = cframe.previous;
	return true;
}

/* Puts the Python functions of the evaluator that is next into the path, and goes on to the evaluator
 * that comes after it. The outermost structure lies in the thread's state, and not on its stack. */
static enum cps_python_outcome put_evaluator(struct walk *w)
{
	uint64_t current, previous, outer, rest;
	uint32_t depth = w->path->depth;
	enum cps_python_outcome outcome;

	if (!take_cframe(w, w->cframe, &current, &previous)) {
		w->cframe = 0;
		return CPS_PYTHON_ABSENT;
	}
	w->cframe = previous;
	if (!take_cframe(w, previous, &outer, &rest))
		return CPS_PYTHON_ABSENT;
	outcome = take_codes(w, current, outer);
	if (outcome == CPS_PYTHON_SHOWN && !name_codes(w, depth))
		outcome = CPS_PYTHON_ABSENT;
	if (outcome == CPS_PYTHON_ABSENT)
		w->path->depth = depth;
	return outcome;
}

/* ---- the stack ------------------------------------------------------------------------------- */

/* Whether the next evaluator's structure lies in frame i. */
static bool is_evaluator(const struct walk *w, const struct cps_stack *s, uint32_t i)
{
	return i + 1 < s->depth && w->cframe >= cps_stack_frame(s, i)->sp &&
	       w->cframe < cps_stack_frame(s, i + 1)->sp && cps_stack_frame(s, i)->sp;
}

static bool is_in_evaluator(const struct cps_stack *s, uint32_t i)
{
	return cps_stack_frame(s, i)->pc - evaluator_start < evaluator_end - evaluator_start;
}

/* While an evaluator begins, its structure is in the list already, but does not lead on. The next one is
 * then where it always is in an evaluator's frame. */
static void look_for_next(struct walk *w, const struct cps_stack *s)
{
	uint64_t depth = atomic_load_explicit(&cframe_depth, memory_order_relaxed);

	w->cframe = 0;
	for (uint32_t i = 1; depth && i + 1 < s->depth && !w->cframe; i++)
		if (is_in_evaluator(s, i))
			w->cframe = cps_stack_frame(s, i + 1)->sp - depth;
}

/* The evaluator was interrupted where it begins or ends, so that it runs no Python function. */
static bool is_beginning(struct walk *w, const struct cps_stack *s)
{
	uint64_t current, previous, outer, rest;

	if (s->depth < 2 || !is_in_evaluator(s, 0))
		return false;
	if (w->cframe >= cps_stack_frame(s, 1)->sp)
		return true;
	if (!is_evaluator(w, s, 0) || cps_stack_frame(s, 0)->pc - evaluator_start >= ENTRY_BYTES)
		return false;
	if (take_cframe(w, w->cframe, &current, &previous) &&
	    previous >= cps_stack_frame(s, 1)->sp && take_cframe(w, previous, &outer, &rest))
		return false;
	look_for_next(w, s);
	return true;
}

/* The interpreter's function that has called the evaluator says nothing that the Python function does
 * not. */
static bool is_caller(const struct walk *w, const struct cps_stack *s, uint32_t i)
{
	return i < s->depth && cps_stack_frame(s, i)->pc - code_start < code_end - code_start &&
	       !is_evaluator(w, s, i);
}

/* The middle of the stack is left out, up to this stack pointer. */
static void skip(struct walk *w, uint64_t sp)
{
	uint64_t current, previous;

	while (w->cframe && w->cframe < sp) {
		if (!take_cframe(w, w->cframe, &current, &previous) || previous <= w->cframe)
			previous = 0;
		w->cframe = previous;
	}
}

static enum cps_python_outcome show(struct walk *w, const struct cps_stack *s)
{
	enum cps_python_outcome outcome;
	bool is_shown = false;

	for (uint32_t i = is_beginning(w, s); i < s->depth; i++) {
		if (w->cframe && is_evaluator(w, s, i)) {
			uint64_t depth = cps_stack_frame(s, i + 1)->sp - w->cframe;

			outcome = put_evaluator(w);
			if (outcome == CPS_PYTHON_TOO_DEEP)
				return outcome;
			if (outcome == CPS_PYTHON_SHOWN) {
				is_shown = true;
				if (is_in_evaluator(s, i))
					atomic_store_explicit(&cframe_depth, depth,
							      memory_order_relaxed);
				i += is_caller(w, s, i + 1);
				continue;
			}
			w->unnamed++;
		}
		if (cps_stack_frame(s, i)->pc == CPS_CUT_ADDRESS && i + 1 < s->depth)
			skip(w, cps_stack_frame(s, i + 1)->sp);
		if (w->path->depth == w->path->room)
			return CPS_PYTHON_TOO_DEEP;
		w->path->addresses[w->path->depth++] = cps_stack_frame(s, i)->pc;
	}
	return is_shown ? CPS_PYTHON_SHOWN : CPS_PYTHON_ABSENT;
}

static bool is_named_later(uint64_t address)
{
	return address >> 48 == NAMED_LATER >> 48;
}

/* Names the code objects from this place on that are marked, as many as there is room for; *end is where to go
 * on. False: one of them has no name. */
static bool name_some(struct walk *w, uint32_t begin, uint32_t *end)
{
	struct cps_python_path *path = w->path;
	struct cps_python_copies copies;
	uint32_t i = begin;

	cps_python_copies_begin(&copies);
	while (i < path->depth &&
	       (!is_named_later(path->addresses[i]) ||
		cps_python_copies_add(&copies, path->addresses[i] - NAMED_LATER)))
		i++;
	cps_python_copies_make(&copies);
	*end = i;
	for (i = begin; i < *end; i++) {
		uint64_t code = path->addresses[i] - NAMED_LATER;
		uint32_t number;

		if (!is_named_later(path->addresses[i]))
			continue;
		number = cps_python_copies_number(&copies, code, &w->types);
		if (number == CPS_PYTHON_NONE)
			return false;
		path->addresses[i] = CPS_PYTHON_ADDRESS + number;
		cps_python_function_use(number);
	}
	return true;
}

static bool name_all(struct walk *w)
{
	for (uint32_t i = 0; i < w->path->depth;)
		if (!name_some(w, i, &i))
			return false;
	return true;
}

static enum cps_python_outcome walk(struct walk *w, const struct cps_stack *stack,
				    const struct cps_peek *bounds, struct cps_python_path *path)
{
	enum cps_python_outcome outcome;

	w->peek = (struct cps_peek){.low = bounds->low,
				    .high = bounds->high,
				    .direct = bounds->high - bounds->low,
				    .copy = &w->copy};
	w->copy.page = 0;
	for (int i = 0; i < 2; i++) {
		w->elsewhere[i] = (struct cps_peek){.copy = &w->copy_elsewhere[i]};
		w->copy_elsewhere[i].page = 0;
	}
	w->path = path;
	w->types = (struct cps_python_types){symbols.code_type, symbols.unicode_type};
	w->code = w->page = 0;
	w->memo.file = 0;
	w->number = CPS_PYTHON_NONE;
	w->unnamed = 0;
	path->depth = 0;
	w->has_all = true;
	outcome = begin(w) ? show(w, stack) : CPS_PYTHON_ABSENT;
	if (outcome == CPS_PYTHON_SHOWN && w->names_later)
		w->has_all = name_all(w);
	return outcome;
}

enum cps_python_outcome cps_python_show(const struct cps_stack *stack,
					const struct cps_peek *bounds, struct cps_python_path *path)
{
	enum cps_python_outcome outcome;
	struct walk w;

	w.names_later = cps_copy_is_safe();
	outcome = walk(&w, stack, bounds, path);
	if (!w.has_all) {
		w.names_later = false;
		outcome = walk(&w, stack, bounds, path);
	}
	atomic_fetch_add_explicit(&unnamed, w.unnamed, memory_order_relaxed);
	return outcome;
}
