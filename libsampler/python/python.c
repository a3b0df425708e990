/* SPDX-License-Identifier: MIT */
/*
 * python.c - finds the interpreter's frames on the stack, and reads its memory.
 *
 * In: a stack of the machine's. Out: addresses, some of which stand for Python functions.
 *
 * The handler may have interrupted the evaluator while it changes its list of frames, where a
 * pointer may lead to memory that is not used any more. So only what lies in the thread's memory
 * for frames is read without asking the kernel whether it is there, and the list is believed only
 * if it leads, frame by frame, to the frame that the next outer evaluator is in. Where each evaluator has one
 * frame, it is believed if there are as many frames as evaluators.
 */
#include <stdatomic.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "base/moment.h"
#include "base/sys.h"
#include "python/copies.h"
#include "python/functions.h"
#include "python/lines.h"
#include "python/path.h"
#include "python/python.h"
#include "unwind/fde.h"
#include "unwind/module.h"
#include "base/poison.h"

#define ENTRY_BYTES 256 /* in the first of which the evaluator enters itself into its list */
#define PAGE_BYTES  4096u
#define CHUNKS_MAX  16	  /* pieces of the interpreter's stack that are looked at for one frame */
#define PAGES	    8u	  /* that are remembered to be readable */
#define KEY_NEAR    1024u /* bytes around the known place of the key in which it is looked for */
#define KEYS	    1024u /* PTHREAD_KEYS_MAX of Linux */
#define LASTING	    0x400000 /* bytes behind _PyRuntime within which its first interpreter is */
#define CFA_OFFSET  0x0e     /* DW_CFA_def_cfa_offset */
#define CFA	    0x0c     /* DW_CFA_def_cfa */
#define FRAMES_MAX  1048576u /* of the interpreter, that are followed: a list may be a circle */
#define STEPS	    4096u    /* frames of the interpreter between two looks at the time */

static struct cps_python_start symbols;
static uintptr_t evaluator_start,
	evaluator_end;		       /* its code, without the parts that are rarely run */
static uintptr_t code_start, code_end; /* of the file that it is in */
static uint32_t evaluator_module;
static bool is_on;
static struct cps_python_layout layout;
static struct cps_python_types types;
/* Where the interpreter has its key, and its lock, once that is known: the lock when a thread was met that has it. */
static _Atomic uintptr_t key_at, lock_at;
static _Atomic uint64_t unnamed;
/* From the structure of an evaluator to the end of its frame, and the bytes of its whole frame, which are the same in
 * all calls; 0: not known yet. */
static _Atomic uint64_t cframe_depth, evaluator_bytes;

struct walk {
	struct cps_peek peek,
		elsewhere[2]; /* the machine's stack; pages that are not on it, even and odd */
	struct cps_peek_copy copy, copy_elsewhere[2];
	struct cps_python_path *path;
	bool has_lock;		       /* this thread has the interpreter lock */
	bool names_later;	       /* code objects stay in the path until all are there */
	bool has_all;		       /* each of those got its name then */
	uint32_t unnamed;	       /* evaluators that stay as they are */
	struct cps_python_stack stack; /* memory for frames, if has_lock */
	uint64_t cframe;  /* the structure of the next evaluator outwards; 0: there is none */
	uint64_t current; /* the frame that comes next, unless the structure leads to it */
	uint64_t root;	  /* the outermost one, which is in the thread's state */
	struct cps_python_cframe root_cframe; /* a copy, if not has_lock */
	uint64_t pages[PAGES];		      /* numbers of some that can be read; 0: none */
	const struct cps_stack *machine;      /* the machine's stack */
	uint32_t most; /* frames of one evaluator that are kept, half of them at each end */
	uint64_t code; /* the code object that was met last, and what is known of it */
	struct cps_python_known known;
	uint32_t number;
	struct cps_python_memo memo;
};

/* What a frame of the interpreter says. */
struct frame {
	uint64_t code, previous, instruction;
	bool is_entry; /* the evaluator was called for it; else it runs in its caller's evaluator */
	bool is_machine; /* it lies in the machine's frame, and is no function's */
};

void cps_python_init(const struct cps_python_start *start)
{
	uint32_t number = cps_module_find(start->evaluate);
	const struct cps_module *m;
	struct cps_fde fde;

	if (number == CPS_MODULE_NONE ||
	    !cps_python_layout_find(&layout, start->version, (const void *)start->runtime))
		return;
	m = cps_module_get(number);
	if (!m->is_lasting || !cps_fde_find(m, start->evaluate, NULL, &fde))
		return;
	evaluator_start = fde.start;
	evaluator_end = fde.end;
	code_start = m->start;
	code_end = m->end;
	evaluator_module = number;
	symbols = *start;
	types = (struct cps_python_types){start->code_type, start->unicode_type, start->bytes_type,
					  &layout};
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

void cps_python_leave(void)
{
	atomic_fetch_add_explicit(&unnamed, 1, memory_order_relaxed);
}

void cps_python_reset(void)
{
	atomic_store(&unnamed, 0);
	cps_python_functions_reset();
}

/* ---- the thread's state ---------------------------------------------------------------------- */

#define STATE_WORDS 48

static uint64_t word_at(const uint64_t *words, size_t offset)
{
	uint64_t word;

	memcpy(&word, (const uint8_t *)words + offset, sizeof(word));
	return word;
}

static uint32_t half_at(const uint64_t *words, size_t offset)
{
	uint32_t half;

	memcpy(&half, (const uint8_t *)words + offset, sizeof(half));
	return half;
}

/* Looks for the lock of the interpreter that the calling thread's state is of. It is believed if it is the first
 * interpreter's, whose memory lasts, and this thread has it now. False: it has not, or has another one. */
static bool find_lock(uintptr_t state)
{
	uint64_t lock, words[STATE_WORDS], taken[CPS_PYTHON_LOCK_BYTES / 8];

	if (!cps_python_read(words, state, sizeof(words), false) ||
	    !(half_at(words, layout.status) & CPS_PYTHON_IS_ACTIVE) ||
	    !cps_python_read(&lock, word_at(words, layout.interpreter) + layout.lock, 8, false) ||
	    lock - symbols.runtime > LASTING ||
	    !cps_python_read(taken, lock, sizeof(taken), false) ||
	    word_at(taken, layout.lock_holder) != state || half_at(taken, layout.lock_taken) != 1)
		return false;
	atomic_store_explicit(&lock_at, lock, memory_order_relaxed);
	return true;
}

/* Whether the key is the interpreter's: the calling thread finds a state with it, and the state names the thread. A
 * wrong layout does not come through this. */
static bool is_key(const struct cps_python_key *key)
{
	uint64_t words[STATE_WORDS];
	uintptr_t state;

	if (key->is_made != 1 || key->key >= KEYS)
		return false;
	state = (uintptr_t)symbols.get_specific(key->key);
	return state && cps_python_read(words, state, sizeof(words), false) &&
	       word_at(words, layout.thread) == cps_sys_self();
}

/* Looks for the key, which other releases may have a little before or after. */
static uintptr_t find_key(void)
{
	uintptr_t known = symbols.runtime + layout.key;
	uintptr_t begin = layout.key < KEY_NEAR ? symbols.runtime : known - KEY_NEAR;
	struct cps_python_key key;

	for (uintptr_t at = known; at < known + KEY_NEAR; at += 4) {
		memcpy(&key, (const void *)at, sizeof(key));
		if (is_key(&key))
			return at;
	}
	for (uintptr_t at = begin; at < known; at += 4) {
		memcpy(&key, (const void *)at, sizeof(key));
		if (is_key(&key))
			return at;
	}
	return 0;
}

/* The state of the calling thread, or 0. */
static uintptr_t get_state(void)
{
	uintptr_t at = atomic_load_explicit(&key_at, memory_order_relaxed);
	struct cps_python_key key;

	if (!at)
		at = find_key();
	if (!at)
		return 0;
	atomic_store_explicit(&key_at, at, memory_order_relaxed);
	memcpy(&key, (const void *)at, sizeof(key));
	return key.is_made == 1 && key.key < KEYS ? (uintptr_t)symbols.get_specific(key.key) : 0;
}

/* Whether the calling thread, whose state this is, has the interpreter's lock. Where only the lock says so, that may
 * be out of date by an instruction of who has just taken it; what the state says is never. */
static bool has_lock(uintptr_t state)
{
	const uint8_t *lock;
	uint64_t holder;
	int32_t taken;
	uint32_t status;

	if (layout.current) {
		memcpy(&holder, (const uint8_t *)symbols.runtime + layout.current, sizeof(holder));
		return holder == state;
	}
	lock = (const uint8_t *)atomic_load_explicit(&lock_at, memory_order_relaxed);
	if (!lock)
		return find_lock(state);
	memcpy(&holder, lock + layout.lock_holder, sizeof(holder));
	memcpy(&taken, lock + layout.lock_taken, sizeof(taken));
	if (holder != state || taken != 1)
		return false;
	memcpy(&status, (const uint8_t *)state + layout.status, sizeof(status));
	return status & CPS_PYTHON_IS_ACTIVE;
}

static bool begin(struct walk *w)
{
	uint64_t words[STATE_WORDS];
	uintptr_t state = get_state();
	size_t n = layout.root ? layout.root - layout.frame + 24u : 8;
	uint64_t first;

	if (!state)
		return false;
	w->root = layout.root ? state + layout.root : 0;
	w->has_lock = has_lock(state);
	w->names_later = w->names_later && !w->has_lock;
	if (w->has_lock) {
		if (!cps_python_read(&first, state + layout.frame, 8, true) ||
		    (layout.chunk &&
		     !cps_python_read(&w->stack, state + layout.chunk, sizeof(w->stack), true)))
			return false;
	} else {
		/* All that is needed of the state, in one copy. */
		if (n > sizeof(words) || !cps_python_read(words, state + layout.frame, n, false))
			return false;
		first = words[0];
		if (layout.root) {
			size_t root = layout.root - layout.frame;

			w->root_cframe.current = word_at(words, root + layout.cframe_current);
			w->root_cframe.previous = word_at(words, root + layout.cframe_previous);
		}
	}
	w->cframe = layout.kind == CPS_PYTHON_CFRAMES ? first : 0;
	w->current = first;
	return true;
}

static bool is_in_evaluator(const struct cps_stack *s, uint32_t i)
{
	return cps_stack_frame(s, i)->pc - evaluator_start < evaluator_end - evaluator_start;
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
		    end - frame >= layout.frame_bytes) {
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
		if (page == w->pages[page % PAGES])
			continue;
		if (!cps_sys_readable(page * PAGE_BYTES))
			return false;
		w->pages[page % PAGES] = page;
	}
	return true;
}

static bool is_on_machine(const struct walk *w, uint64_t at)
{
	return at - w->peek.low < w->peek.direct && w->peek.high - at >= layout.frame_bytes;
}

static bool read_frame(struct walk *w, uint64_t at, uint64_t *words)
{
	if (at & 7)
		return false;
	if (w->has_lock)
		return (is_on_machine(w, at) || (layout.chunk && is_on_stack(&w->stack, at)) ||
			is_there(w, at, layout.frame_bytes)) &&
		       cps_python_read(words, at, layout.frame_bytes, true);
	/* Several frames lie in one page, and one may lie in two. */
	for (uint32_t i = 0; i < layout.frame_bytes / 8u; i++)
		if (!cps_peek(is_on_machine(w, at) ? &w->peek
						   : &w->elsewhere[(at + 8 * i) / PAGE_BYTES % 2],
			      at + 8 * i, &words[i]))
			return false;
	return true;
}

static bool take_frame(struct walk *w, uint64_t at, struct frame *frame)
{
	uint64_t words[CPS_PYTHON_FRAME_BYTES / 8];
	uint8_t owner = 0, entry = 1;

	if (!read_frame(w, at, words))
		return false;
	*frame = (struct frame){.code = word_at(words, layout.frame_code),
				.previous = word_at(words, layout.frame_previous)};
	frame->instruction = layout.unit ? half_at(words, layout.frame_instruction)
					 : word_at(words, layout.frame_instruction);
	if (layout.kind == CPS_PYTHON_FRAMES)
		return word_at(words, CPS_PYTHON_TYPE) == symbols.frame_type;
	owner = ((const uint8_t *)words)[layout.frame_owner];
	if (layout.frame_entry)
		entry = ((const uint8_t *)words)[layout.frame_entry];
	frame->is_machine = !layout.frame_entry && owner == CPS_PYTHON_OWNER_MACHINE;
	frame->is_entry = layout.frame_entry ? entry : frame->is_machine;
	return entry <= 1 && owner < CPS_PYTHON_OWNER_MACHINE + !layout.frame_entry;
}

/* Whether it would take too long to follow more frames of an evaluator than these. */
static bool is_late(const struct walk *w, uint32_t n)
{
	uint64_t until = w->machine->until;

	return n > w->most && n % STEPS == 0 && until && cps_moment_ns() >= until;
}

/* Puts the code objects of one evaluator into the path, up to where the next one outwards has its frame, or until that
 * has taken too long. */
static enum cps_python_outcome take_codes(struct walk *w, uint64_t at, uint64_t outer)
{
	struct cps_python_chain chain = {.begin = w->path->depth, .most = w->most};
	struct frame frame;

	for (;;) {
		if (!take_frame(w, at, &frame))
			return CPS_PYTHON_ABSENT;
		if (!frame.is_machine &&
		    !cps_python_chain_put(w->path, &chain, frame.code, frame.instruction))
			return CPS_PYTHON_TOO_DEEP;
		if (frame.is_entry ? frame.previous != outer : chain.n == FRAMES_MAX)
			return CPS_PYTHON_ABSENT;
		if (frame.is_entry || is_late(w, chain.n))
			break;
		at = frame.previous;
	}
	cps_python_chain_close(w->path, &chain);
	return CPS_PYTHON_SHOWN;
}

/* What stands for a function in a path. The interpreter has frames of its own that are no function's: their file and
 * their name are one string. False: it has none, or no number. */
static bool address_of(const struct cps_python_known *known, uint32_t number, uint64_t instruction,
		       bool is_alive, uint64_t *address)
{
	if (number == CPS_PYTHON_NONE)
		return false;
	*address = CPS_PYTHON_NOWHERE;
	if (known->file == known->name)
		return true;
	*address =
		cps_python_address(number) + cps_python_line(known, &types, instruction, is_alive);
	cps_python_function_use(number);
	return true;
}

/* Replaces the code objects of the path from this place on by the addresses that stand for them, or marks
 * them. */
static bool name_codes(struct walk *w, uint32_t from)
{
	struct cps_python_path *path = w->path;
	uint32_t n = from;

	for (uint32_t i = from; i < path->depth; i++) {
		uint64_t code = path->addresses[i], instruction = path->addresses[path->room + i];

		if (code == CPS_CUT_ADDRESS && path->is_cut) {
			path->addresses[w->names_later ? i : n++] = code;
			continue;
		}
		if (w->names_later) {
			if (code >= CPS_PYTHON_NAMED_LATER)
				return false;
			path->addresses[i] = CPS_PYTHON_NAMED_LATER + code;
			continue;
		}
		if (code != w->code) {
			w->number =
				cps_python_function(code, &types, w->has_lock, &w->memo, &w->known);
			w->code = code;
		}
		if (!address_of(&w->known, w->number, instruction, w->has_lock,
				&path->addresses[n]))
			return false;
		n += path->addresses[n] != CPS_PYTHON_NOWHERE;
	}
	if (!w->names_later)
		path->depth = n;
	return true;
}

static bool take_cframe(struct walk *w, uint64_t at, uint64_t *current, uint64_t *previous)
{
	if (at == w->root && !w->has_lock) {
		*current = w->root_cframe.current;
		*previous = w->root_cframe.previous;
		return true;
	}
	if (at == w->root)
		return cps_python_read(current, at + layout.cframe_current, 8, true) &&
		       cps_python_read(previous, at + layout.cframe_previous, 8, true);
	return cps_peek(&w->peek, at + layout.cframe_current, current) &&
	       cps_peek(&w->peek, at + layout.cframe_previous, previous);
}

/* The next outer frame of an evaluator that lies where it always does in the machine's frame. */
static void guess_entry(struct walk *w, uint64_t inner)
{
	uint64_t depth = atomic_load_explicit(&cframe_depth, memory_order_relaxed);
	const struct cps_stack *s = w->machine;
	struct frame frame;

	for (uint32_t i = 0; depth && i + 1 < s->depth && !w->cframe; i++) {
		uint64_t at = cps_stack_frame(s, i + 1)->sp - depth;

		if (at > inner && is_in_evaluator(s, i) && is_on_machine(w, at) &&
		    take_frame(w, at, &frame) && frame.is_machine)
			w->cframe = at;
	}
}

/* Finds the outermost frame of the evaluator whose innermost one is current: it lies in the machine's. If too many are
 * in between, it is looked for there. */
static void find_entry(struct walk *w)
{
	uint64_t at = w->current, inner = w->cframe;
	bool is_known = atomic_load_explicit(&cframe_depth, memory_order_relaxed);
	uint32_t most = is_known ? w->most : CPS_DEPTH_MAX;
	struct frame frame;

	w->cframe = 0;
	for (uint32_t i = 0; at && i < most && take_frame(w, at, &frame); i++) {
		if (frame.is_machine) {
			w->cframe = is_on_machine(w, at) ? at : 0;
			return;
		}
		at = frame.previous;
	}
	if (at)
		guess_entry(w, inner);
	w->unnamed += at && !w->cframe;
}

static enum cps_python_outcome take_by_cframe(struct walk *w)
{
	uint64_t current, previous, outer, rest;

	if (!take_cframe(w, w->cframe, &current, &previous)) {
		w->cframe = 0;
		return CPS_PYTHON_ABSENT;
	}
	w->cframe = previous;
	if (!take_cframe(w, previous, &outer, &rest))
		return CPS_PYTHON_ABSENT;
	return take_codes(w, current, outer);
}

static enum cps_python_outcome take_by_entry(struct walk *w)
{
	uint64_t at = w->current;
	struct frame entry;
	enum cps_python_outcome outcome;

	if (!take_frame(w, w->cframe, &entry)) {
		w->cframe = 0;
		return CPS_PYTHON_ABSENT;
	}
	outcome = take_codes(w, at, entry.previous);
	w->current = entry.previous;
	find_entry(w);
	return outcome;
}

static enum cps_python_outcome take_one(struct walk *w)
{
	struct frame frame;

	if (w->path->depth == w->path->room)
		return CPS_PYTHON_TOO_DEEP;
	if (!w->current || !take_frame(w, w->current, &frame)) {
		w->current = 0;
		return CPS_PYTHON_ABSENT;
	}
	w->current = frame.previous;
	return cps_python_path_put(w->path, frame.code, frame.instruction) ? CPS_PYTHON_SHOWN
									   : CPS_PYTHON_TOO_DEEP;
}

/* Puts the Python functions of the evaluator that is next into the path, and goes on to the evaluator
 * that comes after it. The outermost structure may lie in the thread's state, and not on its stack. */
static enum cps_python_outcome put_evaluator(struct walk *w)
{
	uint32_t depth = w->path->depth;
	bool was_cut = w->path->is_cut;
	enum cps_python_outcome outcome = layout.kind == CPS_PYTHON_FRAMES    ? take_one(w)
					  : layout.kind == CPS_PYTHON_ENTRIES ? take_by_entry(w)
									      : take_by_cframe(w);

	if (outcome == CPS_PYTHON_SHOWN && !name_codes(w, depth))
		outcome = CPS_PYTHON_ABSENT;
	if (outcome == CPS_PYTHON_ABSENT) {
		w->path->depth = depth;
		w->path->is_cut = was_cut;
	}
	return outcome;
}

/* ---- the stack ------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct cps_stack *s, uint32_t i)
{
	const struct cps_frame *frame = cps_stack_frame(s, i);

	return i + 1 < s->depth && frame->sp ? cps_stack_frame(s, i + 1)->sp - frame->sp : 0;
}

/* Whether the frame is of a part of the evaluator that the compiler has moved away. Such a part begins with the frame
 * made, as its unwind information says, and the frame has as many bytes as the evaluator's. */
static bool is_in_part(const struct cps_stack *s, uint32_t i)
{
	uint64_t pc = cps_stack_frame(s, i)->pc,
		 bytes = atomic_load_explicit(&evaluator_bytes, memory_order_relaxed);
	struct cps_fde fde;

	return bytes && bytes_of(s, i) == bytes && pc - code_start < code_end - code_start &&
	       cps_fde_find(cps_module_get(evaluator_module), pc, NULL, &fde) &&
	       fde.program.p < fde.program.end && *fde.program.p >> 6 != 1 &&
	       (*fde.program.p == CFA_OFFSET || *fde.program.p == CFA);
}

/* Whether the frame is that of the evaluator whose frames come next. */
static bool is_evaluator(const struct walk *w, const struct cps_stack *s, uint32_t i)
{
	if (layout.kind == CPS_PYTHON_FRAMES)
		return is_in_evaluator(s, i) || is_in_part(s, i);
	return w->cframe && i + 1 < s->depth && w->cframe >= cps_stack_frame(s, i)->sp &&
	       w->cframe < cps_stack_frame(s, i + 1)->sp && cps_stack_frame(s, i)->sp;
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

/* Counts evaluators and frames; both are as many, or the innermost evaluator begins or ends. Else there is no telling
 * which is whose: no evaluator gets functions. *is_beginning is whether the innermost one has none. */
static bool count(struct walk *w, const struct cps_stack *s, bool *is_beginning)
{
	uint32_t evaluators = 0, n = 0;
	uint64_t at = w->current;
	struct frame frame;

	for (uint32_t i = 0; i < s->depth; i++) {
		if (is_in_evaluator(s, i) && bytes_of(s, i) && i)
			atomic_store_explicit(&evaluator_bytes, bytes_of(s, i),
					      memory_order_relaxed);
		evaluators += is_evaluator(w, s, i);
	}
	for (; s->mark == CPS_MARK_COMPLETE && at && n <= evaluators && take_frame(w, at, &frame);
	     at = frame.previous)
		n++;
	*is_beginning = !at && n + 1 == evaluators && is_in_evaluator(s, 0);
	return s->mark == CPS_MARK_COMPLETE && !at && (n == evaluators || *is_beginning);
}

/* The evaluator was interrupted where it begins or ends, so that it runs no Python function. */
static bool is_beginning(struct walk *w, const struct cps_stack *s)
{
	uint64_t current, previous, outer, rest;

	if (s->depth < 2 || !is_in_evaluator(s, 0))
		return false;
	if (layout.kind == CPS_PYTHON_ENTRIES)
		return !w->cframe || w->cframe >= cps_stack_frame(s, 1)->sp;
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

	while (layout.kind == CPS_PYTHON_ENTRIES && w->cframe && w->cframe < sp) {
		struct frame entry;

		current = w->cframe;
		w->current = take_frame(w, current, &entry) ? entry.previous : 0;
		find_entry(w);
		if (w->cframe <= current)
			w->cframe = 0;
	}
	while (w->cframe && w->cframe < sp) {
		if (!take_cframe(w, w->cframe, &current, &previous) || previous <= w->cframe)
			previous = 0;
		w->cframe = previous;
	}
}

static enum cps_python_outcome show(struct walk *w, const struct cps_stack *s)
{
	enum cps_python_outcome outcome;
	bool is_shown = false, begins = false;

	if (layout.kind == CPS_PYTHON_ENTRIES)
		find_entry(w);
	if (layout.kind == CPS_PYTHON_FRAMES) {
		if (!count(w, s, &begins))
			w->current = 0;
	} else {
		begins = is_beginning(w, s);
	}
	for (uint32_t i = begins; i < s->depth; i++) {
		if (is_evaluator(w, s, i)) {
			uint64_t depth = w->cframe ? cps_stack_frame(s, i + 1)->sp - w->cframe : 0;

			outcome = put_evaluator(w);
			if (outcome == CPS_PYTHON_TOO_DEEP)
				return outcome;
			if (outcome == CPS_PYTHON_SHOWN) {
				is_shown = true;
				if (depth && is_in_evaluator(s, i))
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
	return address >> 48 == CPS_PYTHON_NAMED_LATER >> 48;
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
		cps_python_copies_add(&copies, path->addresses[i] - CPS_PYTHON_NAMED_LATER)))
		i++;
	cps_python_copies_make(&copies);
	*end = i;
	for (i = begin; i < *end; i++) {
		uint64_t code = path->addresses[i] - CPS_PYTHON_NAMED_LATER;
		const struct cps_python_known *known;
		uint32_t number;

		if (!is_named_later(path->addresses[i]))
			continue;
		number = cps_python_copies_number(&copies, code, &types, &known);
		if (!address_of(known, number, path->addresses[path->room + i], false,
				&path->addresses[i]))
			return false;
	}
	return true;
}

static bool name_all(struct walk *w)
{
	for (uint32_t i = 0; i < w->path->depth;)
		if (!name_some(w, i, &i))
			return false;
	cps_python_path_close_up(w->path);
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
	memset(w->pages, 0, sizeof(w->pages));
	w->code = 0;
	w->memo.file = 0;
	w->number = CPS_PYTHON_NONE;
	w->unnamed = 0;
	w->machine = stack;
	w->most = (stack->keep ? stack->keep : CPS_DEPTH_MAX) / 2;
	path->depth = 0;
	path->is_cut = false;
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
