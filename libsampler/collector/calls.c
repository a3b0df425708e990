/* SPDX-License-Identifier: MIT */
/*
 * calls.c - from the entry of a function to a count in its context.
 *
 * In: an address in the function, and where its return address lies. Out: a state that has counted.
 *
 * Handlers: a call that is counted while its thread is counting another one may push its frame where the other one is just
 * pushing. So the other one looks at its frame again before it counts, and begins anew if that is another one. A handler's call that
 * would have to change tables or frames which are just being changed is counted as missed.
 *
 * Order: who reads the counts of another thread finds its entry behind all that is in it. That a library has gone is counted
 * before all threads are told to look, and a thread has taken that back before it looks.
 */
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "arch/arch.h"
#include "base/moment.h"
#include "collector/caller.h"
#include "collector/calls.h"
#include "stream/thread.h"
#include "unwind/module.h"
#include "base/poison.h"

#define RARE(x) __builtin_expect(!!(x), 0)

/* Where the section of the hooks is; the linker's names. */
extern const char __start_cps_hooks[] __attribute__((visibility("hidden")));
extern const char __stop_cps_hooks[] __attribute__((visibility("hidden")));

bool cps_calls_is_hook(uintptr_t pc)
{
	return pc >= (uintptr_t)__start_cps_hooks && pc < (uintptr_t)__stop_cps_hooks;
}

/* ---- frames ---------------------------------------------------------------------------------- */
/*
 * Which calls are active is known from where their return addresses lie: those at or below the new one are over, and so
 * are those whose place has something else by now. So a call's end is not needed, which exceptions and longjmp leave out.
 */

#define FRAME_BYTES                                                                                \
	32u /* of the program's stack, at least: a call has its return address and more */
#define FRAMES_MOST (1u << 20)
#define FAR	    1024u /* a handler's call is further from what it has interrupted */
#define PAGE	    4096u
#define PAGE_OF	    (~(uintptr_t)(PAGE - 1))
#define BELOW_ALL   UINTPTR_MAX

/* Memory for the thread's own stack, which is not backed before it is used. */
static CPS_HOOK bool make_frames(struct cps_calls *c)
{
	size_t n = c->own_bytes / FRAME_BYTES;

	n = n < FRAMES_MOST ? n : FRAMES_MOST;
	if (n > c->room) {
		c->first = cps_machine_pages(n * sizeof(*c->first));
		c->room = c->first ? (uint32_t)n : 0;
	}
	if (c->room < 2)
		return false;
	c->end = c->first + c->room - 1;
	*c->first = (struct cps_calls_frame){BELOW_ALL, 0, cps_machine_state(&c->machine, 0), 0};
	c->top = c->first;
	return true;
}

static inline CPS_HOOK bool is_over(const struct cps_calls_frame *f, uintptr_t place)
{
	return f->at <= place || cps_calls_is_left(f);
}

/* Of a handler's call, whose return address is the kernel's way back: the stack pointer that was interrupted. 0: it is
 * no handler's. The frame that the kernel has made would be above, which on the thread's own stack can be read. */
static CPS_HOOK uintptr_t interrupted_sp(const struct cps_calls *c, const uintptr_t *at)
{
	uintptr_t back = *at, far = (uintptr_t)at + CPS_REGS_NEAR / 2;

	if ((far - c->low >= c->own_bytes && !cps_sys_readable(far)) ||
	    !cps_regs_may_be_handler(at) || (back & ~PAGE_OF) > PAGE - CPS_REGS_RESTORER_BYTES ||
	    !cps_sys_readable(back & ~(uintptr_t)7) || !cps_regs_is_restorer((const uint8_t *)back))
		return 0;
	return cps_regs_interrupted_sp(
		(const ucontext_t *)cps_regs_handlers_context((uintptr_t)at));
}

/* The latest call that is active above this stack pointer. */
static CPS_HOOK struct cps_calls_frame *active_at(struct cps_calls_frame *f, uintptr_t sp)
{
	while (f->at < sp || cps_calls_is_left(f))
		f--;
	return f;
}

/* How many words behind the hook's frame the function that has called it has its return address: most have few below it, and those of
 * one function as many each time, so `latest` is tried first. It is needed to know calls that are left by longjmp. */
#define WORDS 64u /* that are looked at */

static inline CPS_HOOK uint64_t find_site(const struct cps_calls *c, const uintptr_t *at,
					  uint64_t site, uint16_t *latest)
{
	uintptr_t end = ((uintptr_t)at | (PAGE - 1)) + 1;
	uint64_t words = *latest, most;

	if ((uintptr_t)at - c->low < c->own_bytes)
		end = c->low + c->own_bytes;
	most = (end - (uintptr_t)at) / sizeof(*at);
	most = most < WORDS ? most : WORDS;
	if (words < most && at[words] == site)
		return site | words << 48;
	for (words = 0; words < most && at[words] != site;)
		words++;
	*latest = (uint16_t)words;
	return words < most ? site | words << 48 : CPS_CALLS_SITE;
}

/* What a handler has interrupted lies above its stack pointer, and below that is what was over. */
static CPS_HOOK_KEEPS __attribute__((noinline)) struct cps_calls_frame *
look_at_far(struct cps_calls *c, const uintptr_t *at)
{
	uintptr_t sp;

	if (cps_caller_has(c->top->state, *at)) /* no handler has been called from there */
		return c->top;
	sp = interrupted_sp(c, at);
	return sp - c->low < c->bytes ? active_at(c->top, sp) : c->top;
}

/* ---- other stacks ---------------------------------------------------------------------------- */
/*
 * Of these nobody says where they end, so that the kernel is asked about another page than that of the new call. An alternate stack
 * for signals begins with what has been interrupted, a coroutine's with nothing.
 */

#define FRAMES	256u   /* to begin with */
#define DEEPEST 65536u /* frames */
#define NEAR	16384u /* a call is on the stack of another one if it is not further below */

static CPS_HOOK bool is_near(const struct cps_calls_stack *s, uintptr_t at)
{
	return at >= s->low - NEAR && at <= s->high + NEAR / 4;
}

/* The stack that is known to be there. NULL: there is none. */
static CPS_HOOK struct cps_calls_stack *known_stack(struct cps_calls *c, uintptr_t at)
{
	for (uint32_t i = 0; i < c->n_stacks; i++)
		if (is_near(&c->stacks[i], at))
			return &c->stacks[i];
	return NULL;
}

static CPS_HOOK bool is_over_elsewhere(const struct cps_calls_frame *f, uintptr_t place)
{
	if (f->at > place && (f->back || f->site) && ((f->at ^ place) & PAGE_OF) &&
	    !cps_sys_readable(f->at))
		return true;
	return is_over(f, place);
}

static CPS_HOOK bool begin_stack(struct cps_calls *c, struct cps_calls_stack *s, uintptr_t at)
{
	if (!s->first) {
		s->first = cps_machine_take(&c->machine, FRAMES * sizeof(*s->first));
		s->end = s->first ? s->first + FRAMES - 1 : NULL;
	}
	if (!s->first)
		return false;
	*s->first = (struct cps_calls_frame){BELOW_ALL, 0, cps_machine_state(&c->machine, 0), 0};
	s->top = s->first;
	s->low = s->high = at;
	return true;
}

/* The stack on which this return address lies. NULL: there is no memory. */
static CPS_HOOK struct cps_calls_stack *find_stack(struct cps_calls *c, uintptr_t at)
{
	struct cps_calls_stack *s = known_stack(c, at);
	uint32_t i = c->n_stacks;

	if (s)
		return s;
	if (i == CPS_CALLS_STACKS)
		i = c->next_stack++ % CPS_CALLS_STACKS;
	if (!begin_stack(c, &c->stacks[i], at))
		return NULL;
	c->n_stacks += i == c->n_stacks;
	return &c->stacks[i];
}

/* The state of what the handler has interrupted whose first call this is. */
static CPS_HOOK struct cps_state *interrupted_state(struct cps_calls *c, const uintptr_t *at)
{
	uintptr_t sp = interrupted_sp(c, at);
	const struct cps_calls_stack *s;

	if (sp && sp - c->low < c->own_bytes)
		return active_at(c->top, sp)->state;
	s = sp ? known_stack(c, sp) : NULL;
	return s ? s->top->state : cps_machine_state(&c->machine, 0);
}

static CPS_HOOK bool deepen(struct cps_calls *c, struct cps_calls_stack *s)
{
	size_t n = (size_t)(s->end - s->first) + 1, top = (size_t)(s->top - s->first);
	struct cps_calls_frame *new = NULL;

	if (n < DEEPEST)
		new = cps_machine_take(&c->machine, 2 * n * sizeof(*new));
	if (!new)
		return false;
	for (size_t i = 0; i <= top; i++)
		new[i] = s->first[i];
	s->first = new;
	s->top = new + top;
	s->end = new + 2 * n - 1;
	return true;
}

/* Its top is a call that is active, or what was interrupted. */
static CPS_HOOK struct cps_calls_stack *look_at_stack(struct cps_calls *c, const uintptr_t *at,
						      uint64_t site)
{
	struct cps_calls_stack *s = find_stack(c, (uintptr_t)at);

	if (!s)
		return NULL;
	s->low = (uintptr_t)at < s->low ? (uintptr_t)at : s->low;
	s->high = (uintptr_t)at > s->high ? (uintptr_t)at : s->high;
	while (is_over_elsewhere(s->top, (uintptr_t)at))
		s->top--;
	if (s->top == s->first)
		s->first->state = interrupted_state(
			c, site && site != CPS_CALLS_SITE ? at + (site >> 48) : at);
	return s->top < s->end || deepen(c, s) ? s : NULL;
}

/* The memory of a table that was not finished is lost, so that this is forgiven so often. */
#define FORGIVEN 16u

/* Whether who was changing tables was left by longjmp: its part of the stack was given back. */
static CPS_HOOK bool forget_who_was_left(struct cps_calls *c, const uintptr_t *at)
{
	uintptr_t here = (uintptr_t)at - c->low;
	bool was_left = here < c->own_bytes && c->machine.busy_at - c->low < here;

	if (!was_left || c->forgiven == FORGIVEN)
		return false;
	c->forgiven++;
	c->is_elsewhere = false;
	c->machine.busy_at = 0;
	return true;
}

/* Where the call leads. The latest active call, *f, becomes the one that has made it. */
static inline __attribute__((always_inline)) CPS_HOOK struct cps_state *
follow(struct cps_calls *c, const struct cps_calls_frame *first, struct cps_calls_frame **f,
       uintptr_t function, const uintptr_t *at, uint64_t site)
{
	uintptr_t room = (uintptr_t)at - c->low;
	struct cps_state *from = (*f)->state, *to;

	if (RARE(!site && *at - from->code >= from->code_bytes)) {
		*f = cps_caller_find(&c->machine, first, *f, *at);
		from = (*f)->state;
	}
	to = from->address == function ? from : cps_machine_call(&c->machine, from, function);
	if (RARE(!to) && forget_who_was_left(c, at))
		to = cps_machine_call(&c->machine, from, function);
	if (RARE(!site && to && !to->code))
		cps_caller_learn(&c->machine, to, room < c->own_bytes ? room : 0);
	return to;
}

static CPS_HOOK bool count_elsewhere(struct cps_calls *c, uintptr_t function, const uintptr_t *at,
				     uintptr_t as_deep, uint64_t site)
{
	struct cps_calls_stack *s = look_at_stack(c, at, site);
	struct cps_state *to;
	bool is_direct;

	if (!s)
		return false;
	c->machine.busy_at = 0; /* for the machine's own work */
	to = follow(c, s->first, &s->top, function, at, site);
	c->machine.busy_at = (uintptr_t)at;
	if (!to)
		return false;
	is_direct = to == s->top->state;
	if (!is_direct || site)
		*++s->top = (struct cps_calls_frame){as_deep, site ? 0 : *at, to, 0};
	cps_single_count(is_direct ? &to->direct : &to->entered);
	return true;
}

static void renew(struct cps_calls *c);

/* A call that is not on the thread's own stack; or one that is, after a library was unloaded. False: that is so, and it is to be counted
 * as others are. A handler's call while this is done is missed. */
static CPS_HOOK_KEEPS __attribute__((noinline)) bool
enter_elsewhere(struct cps_calls *c, uintptr_t function, const uintptr_t *at, uintptr_t as_deep,
		uint64_t site)
{
	bool is_own = (uintptr_t)at - c->low < c->own_bytes;
	uint16_t latest = 0;

	forget_who_was_left(c, at);
	if (c->is_elsewhere || c->machine.busy_at) {
		cps_single_count(&c->missed);
		return true;
	}
	c->is_elsewhere = true;
	c->machine.busy_at = (uintptr_t)at;
	atomic_signal_fence(memory_order_seq_cst);
	renew(c);
	site = site ? find_site(c, at, site, &latest) : 0;
	if (!is_own && !count_elsewhere(c, function, at, as_deep, site))
		cps_single_count(&c->missed);
	atomic_signal_fence(memory_order_seq_cst);
	c->is_elsewhere = false;
	c->machine.busy_at = 0;
	return !is_own;
}

/* ---- machines -------------------------------------------------------------------------------- */

#define MOST 4096u

/* Of all threads; made with the first. */
struct all {
	_Atomic(struct cps_calls *) of[MOST];
};

static _Atomic(struct all *) all;
static _Atomic uint32_t n_all;
static _Atomic uint64_t missed;
static _Atomic uint32_t closed; /* how many libraries were unloaded */
__thread struct cps_calls *cps_calls_mine __attribute__((visibility("hidden")));

unsigned char cps_calls_are_counted;
static struct cps_calls_moment begun; /* of 0: there are no times */

static CPS_HOOK struct cps_calls *new_calls(void)
{
	struct cps_calls *c = cps_machine_pages(sizeof(*c));

	if (!c)
		return NULL;
	c->machine.is_timed = begun.cycles;
	if (!cps_machine_begin(&c->machine))
		return NULL;
	c->closed = atomic_load(&closed);
	return c;
}

static CPS_HOOK struct all *make_all(void)
{
	struct all *entries = atomic_load(&all), *none = NULL;

	if (entries)
		return entries;
	entries = cps_machine_pages(sizeof(*entries));
	return atomic_compare_exchange_strong(&all, &none, entries) ? entries : none;
}

static CPS_HOOK struct cps_calls *entry(uint32_t number)
{
	struct all *entries = atomic_load(&all);

	return entries && number < MOST ? atomic_load(&entries->of[number]) : NULL;
}

/* Prefers one that another thread has left. */
static CPS_HOOK struct cps_calls *take_calls(void)
{
	struct all *entries = make_all();
	struct cps_calls *c;

	for (uint32_t i = 0; entries && i < MOST; i++) {
		c = atomic_load(&entries->of[i]);
		if (c && !__atomic_exchange_n(&c->is_in_use, true, __ATOMIC_ACQ_REL))
			return c;
		if (c)
			continue;
		struct cps_calls *none = NULL, *new = new_calls();

		if (!new)
			return NULL;
		new->is_in_use = true;
		if (atomic_compare_exchange_strong(&entries->of[i], &none, new)) {
			atomic_fetch_add(&n_all, 1);
			return new;
		}
		/* Another thread was faster, and this one's memory is lost. */
	}
	return NULL;
}

static CPS_HOOK bool begin_own(struct cps_calls *c, const struct cps_thread *t)
{
	c->low = t->stack_low;
	c->own_bytes = t->stack_high - t->stack_low;
	c->bytes = 0; /* until it has looked */
	c->n_stacks = 0;
	c->running = NULL;
	renew(c);
	return make_frames(c);
}

/* What the calling thread has from now on. NULL: it can have nothing. */
static CPS_HOOK_KEEPS __attribute__((noinline)) struct cps_calls *begin_thread(void)
{
	const struct cps_thread *t = cps_thread_self();
	struct cps_calls *c = t && !cps_thread_is_gone(t) ? take_calls() : NULL;

	if (c && begin_own(c, t)) {
		cps_calls_mine = c;
		return c;
	}
	atomic_fetch_add(&missed, 1);
	return NULL;
}

void cps_calls_thread_ends(void)
{
	struct cps_calls *c = cps_calls_mine;

	if (!c)
		return;
	cps_calls_mine = NULL;
	c->running = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	__atomic_store_n(&c->is_in_use, false, __ATOMIC_RELEASE);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A call of the function with this return address there, which is `as_deep` as frames are whose calls are over. `site`: its end is
 * told, so that direct recursions are frames, too, and this is its return address, which lies elsewhere. */
static inline __attribute__((always_inline)) CPS_HOOK void
enter(uintptr_t function, const uintptr_t *at, uintptr_t as_deep, uint64_t site)
{
	struct cps_calls *c = cps_calls_mine;
	struct cps_calls_frame *f;
	struct cps_state *from, *to;

	if (RARE(!c) && !(c = begin_thread()))
		return;
	do {
		if (RARE((uintptr_t)at - c->low >= c->bytes) &&
		    enter_elsewhere(c, function, at, as_deep, site))
			return;
		f = c->top;
		if (RARE(f->at - (uintptr_t)at > FAR))
			f = look_at_far(c, at);
		while (is_over(f, (uintptr_t)at))
			f--;
		to = follow(c, c->first, &f, function, at, site);
		from = f->state;
		c->top = f;
		if (RARE(!to || f >= c->end)) {
			cps_single_count(&c->missed);
			return;
		}
		if (to == from && !site)
			break;
		f[1].at = as_deep;
		atomic_signal_fence(memory_order_seq_cst);
		f[1].back = site ? 0 : *at;
		f[1].state = to;
		f[1].site = site ? find_site(c, at, site, &to->words) : 0;
		atomic_signal_fence(memory_order_seq_cst);
		c->top = f + 1;
		atomic_signal_fence(memory_order_seq_cst);
	} while (RARE(*(volatile uintptr_t *)&f[1].at !=
		      as_deep)); /* a handler has had this place */
	cps_single_count(to == from ? &to->direct : &to->entered);
}

/* Called by the hooks at the entry of functions: an address in the function, and where its return address lies. */
static __attribute__((used)) CPS_HOOK_KEEPS void cps_calls_enter(uintptr_t function,
								 const uintptr_t *at)
{
	enter(function, at, (uintptr_t)at, 0);
}

/* What compilers call with -finstrument-functions. It is deeper than the function itself, which may have others that were inlined
 * in the same frame: so the place is one byte higher than what is below it. */
#define HERE ((uintptr_t)__builtin_frame_address(0) + sizeof(void *))

/* ---- times ----------------------------------------------------------------------------------- */
/*
 * What passes between two hooks is the time of the state that runs then. It is known only where the ends of calls are told. After a
 * longjmp the time up to the next hook is the abandoned call's.
 */

static uint64_t
	reading; /* cycles that it takes to read the counter: the least that is between two hooks */

static CPS_HOOK void stop_watch(struct cps_calls *c)
{
	uint64_t now = cps_entry_cycles(), since = c->since + reading;

	c->since = now; /* a handler's calls begin here */
	if (c->running && now > since)
		cps_single_add((int64_t *)c->running, (int64_t)(now - since));
}

static void find_reading(void)
{
	uint64_t before, gap;

	reading = UINT64_MAX;
	for (int i = 0; i < 1000; i++) {
		before = cps_entry_cycles();
		gap = cps_entry_cycles() - before;
		reading = gap < reading ? gap : reading;
	}
}

static CPS_HOOK void start_watch(struct cps_calls *c, uintptr_t place)
{
	const struct cps_calls_frame *top = c->top;
	const struct cps_calls_stack *s;

	if (place - c->low >= c->own_bytes) {
		s = known_stack(c, place);
		top = s ? s->top : NULL;
	}
	c->running = top ? cps_machine_cycles(&c->machine, top->state->origin->number) : NULL;
	c->since = cps_entry_cycles();
}

__attribute__((visibility("default"))) CPS_HOOK void __cyg_profile_func_enter(void *function,
									      void *site)
{
	if (!cps_calls_are_counted)
		return;
	if (RARE(begun.cycles) && cps_calls_mine)
		stop_watch(cps_calls_mine);
	enter((uintptr_t)function, (const uintptr_t *)HERE, HERE + 1,
	      (uintptr_t)site & CPS_CALLS_SITE);
	if (RARE(begun.cycles) && cps_calls_mine)
		start_watch(cps_calls_mine, HERE);
}

/* The end of a call of whose entry the compiler has told. Calls that are deeper were left by longjmp. */
static inline CPS_HOOK struct cps_calls_frame *leave(struct cps_calls_frame *f, uintptr_t function,
						     uintptr_t place)
{
	while (f->at <= place)
		f--;
	return f->state->address == function && !f->back && f->at != BELOW_ALL ? f - 1 : f;
}

static CPS_HOOK void leave_elsewhere(struct cps_calls *c, uintptr_t function, uintptr_t place)
{
	struct cps_calls_stack *s = known_stack(c, place);

	if (s && !c->is_elsewhere)
		s->top = leave(s->top, function, place);
}

__attribute__((visibility("default"))) CPS_HOOK void __cyg_profile_func_exit(void *function,
									     void *site)
{
	struct cps_calls *c = cps_calls_mine;
	uintptr_t place = HERE;

	(void)site;
	if (!cps_calls_are_counted || !c)
		return;
	if (RARE(begun.cycles))
		stop_watch(c);
	if (place - c->low < c->own_bytes)
		c->top = leave(c->top, (uintptr_t)function, place);
	else
		leave_elsewhere(c, (uintptr_t)function, place);
	if (RARE(begun.cycles))
		start_watch(c, place);
}

const struct cps_calls_moment *cps_calls_timed_since(void)
{
	return begun.cycles ? &begun : NULL;
}

uint64_t cps_calls_cycles(const struct cps_calls *c, uint32_t state, uint64_t now)
{
	const uint64_t *cycles = cps_machine_cycles(&c->machine, state);
	uint64_t since = __atomic_load_n(&c->since, __ATOMIC_RELAXED);
	bool is_running = __atomic_load_n(&c->running, __ATOMIC_RELAXED) == cycles;

	return __atomic_load_n(cycles, __ATOMIC_RELAXED) +
	       (is_running && now > since ? now - since : 0);
}

/* ---- hooks ----------------------------------------------------------------------------------- */

static CPS_HOOK void do_nothing(void)
{
}

__attribute__((visibility("hidden"))) void (*cps_calls_mcount_instead)(void) = do_nothing;
__attribute__((visibility("hidden"))) void (*cps_calls_fentry_instead)(void) = do_nothing;

CPS_ENTRY_CALL_HOOKS;
_Static_assert(offsetof(struct cps_calls, top) == 0 && offsetof(struct cps_calls, end) == 8 &&
		       offsetof(struct cps_calls, low) == 24 &&
		       offsetof(struct cps_calls, bytes) == 32,
	       "the hooks know it");
_Static_assert(sizeof(struct cps_calls_frame) == 32 &&
		       offsetof(struct cps_calls_frame, back) == 8 &&
		       offsetof(struct cps_calls_frame, state) == 16,
	       "the hooks know it");
_Static_assert(offsetof(struct cps_state, direct) == 8 &&
		       offsetof(struct cps_state, address) == 16 &&
		       offsetof(struct cps_state, next) == 24 &&
		       offsetof(struct cps_state, mask) == 32 &&
		       offsetof(struct cps_state, code) == 40 &&
		       offsetof(struct cps_state, code_bytes) == 48 &&
		       CPS_MACHINE_FACTOR + UINT64_C(1640531535) == UINT64_C(1) << 32,
	       "the hooks know it");

/* ---- libraries that come and go -------------------------------------------------------------- */

uint32_t cps_calls_module(struct cps_called *called)
{
	bool is_sure;

	if (called->module == CPS_MODULE_NONE && !called->is_closed)
		called->module = cps_module_find_now(called->address, &is_sure);
	return called->module;
}

void cps_calls_close(void)
{
	for (uint32_t i = 0; i < cps_calls_count(); i++) {
		struct cps_calls *c = entry(i);

		uint32_t n = c ? __atomic_load_n(&c->machine.n_functions, __ATOMIC_ACQUIRE) : 0;

		for (uint32_t k = 0; k < n; k++)
			cps_calls_module(&c->machine.called[k]);
	}
}

void cps_calls_closed(void)
{
	atomic_fetch_add(&closed, 1);
	/* Each machine looks at this when it changes its stack, which it does for its next call. */
	for (uint32_t i = 0; i < cps_calls_count(); i++) {
		struct cps_calls *c = entry(i);

		if (c)
			__atomic_store_n(&c->bytes, 0, __ATOMIC_SEQ_CST);
	}
}

/* Forgets by which addresses functions of unloaded libraries are known. */
static CPS_HOOK void renew(struct cps_calls *c)
{
	uint32_t now;

	if (c->bytes != c->own_bytes)
		__atomic_store_n(&c->bytes, c->own_bytes, __ATOMIC_SEQ_CST);
	now = atomic_load(&closed);
	if (c->closed == now)
		return;
	c->closed = now;
	for (uint32_t i = 0; i < c->machine.n_functions; i++) {
		struct cps_called *called = &c->machine.called[i];

		if (called->module != CPS_MODULE_NONE && !cps_module_get(called->module)->end)
			called->is_closed = true;
	}
	cps_machine_renew(&c->machine);
}

/* ---- all ------------------------------------------------------------------------------------- */

void cps_calls_begin(bool is_timed)
{
	cps_entry_measure_vectors();
	if (is_timed && !begun.cycles) {
		find_reading();
		begun = (struct cps_calls_moment){cps_entry_cycles(), cps_moment_ns()};
	}
	__atomic_store_n(&cps_calls_are_counted, 1, __ATOMIC_RELEASE);
}

void cps_calls_end(void)
{
	__atomic_store_n(&cps_calls_are_counted, 0, __ATOMIC_RELEASE);
}

uint32_t cps_calls_count(void)
{
	return atomic_load(&n_all);
}

const struct cps_calls *cps_calls_of(uint32_t number)
{
	return entry(number);
}

uint64_t cps_calls_missed(void)
{
	return atomic_load(&missed);
}

/* The parent's frames lead through the same functions in a machine of the child's own. */
static void copy_frames(struct cps_calls *c, const struct cps_calls *parent)
{
	for (const struct cps_calls_frame *f = parent->first + 1;
	     f <= parent->top && c->top < c->end; f++) {
		struct cps_state *from = c->top->state, *to;
		uintptr_t function = f->state->address;

		to = from->address == function || !function
			     ? from
			     : cps_machine_call(&c->machine, from, function);
		if (!to)
			return;
		*++c->top = (struct cps_calls_frame){f->at, f->back, to, f->site};
	}
}

void cps_calls_child(void)
{
	const struct cps_calls *parent = cps_calls_mine;
	struct cps_calls *c;

	atomic_store(&all, NULL);
	atomic_store(&n_all, 0);
	atomic_store(&missed, 0);
	cps_calls_mine = NULL;
	c = parent ? begin_thread() : NULL;
	if (c)
		copy_frames(c, parent);
}
