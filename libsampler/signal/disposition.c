/* SPDX-License-Identifier: MIT */
/*
 * disposition.c - keeps the target's dispositions of signals that the recorder uses.
 *
 * In: what the target asks for. Out: what it is told, and what is done with a signal that is not a
 * tick. All system calls are made directly, because the C library lets nobody touch the signals
 * that it keeps for itself.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "arch/arch.h"
#include "base/sys.h"
#include "signal/disposition.h"
#include "base/poison.h"

#define TAKEN_MAX 6
#define SLOTS	  8u /* one more than threads can change a disposition at the same time */

/* The kernel's struct sigaction. */
struct kernel_action {
	void *handler;
	unsigned long flags;
#if CPS_SA_RESTORER
	void (*restorer)(void);
#endif
	uint64_t mask;
#if !CPS_SA_RESTORER
	uint64_t qemus_mask; /* qemu 7.2 takes what is before it for a restorer */
#endif
};

#define MASK_WORDS (sizeof(sigset_t) / sizeof(uint64_t))

/* struct sigaction, a word at a time. */
struct words {
	_Atomic(sighandler_t) handler;
	_Atomic(void (*)(void)) restorer;
	_Atomic int flags;
	_Atomic uint64_t mask[MASK_WORDS];
};

/* A disposition. Its writer has set `is_busy`, and increments `changes` before it writes. */
struct slot {
	atomic_flag is_busy;
	_Atomic unsigned changes;
	struct words action;
};

/* The target's disposition of a signal is that of the slot `current`. It is changed by writing
 * another slot, which is then made the current one. So nobody waits for a thread that was put aside
 * while it was writing. A reader that finds that its slot has been written again reads anew. While a
 * thread is writing it has all signals blocked.
 *
 * Order: a fence keeps what is written into a slot behind the increment of `changes`, and one of the reader's keeps
 * what it has read before its second look at `changes`. So if it has read any word of a later writer's, `changes`
 * has changed. The store of the current slot's number releases the slot, and who loads that acquires it; so it is with the
 * number of the signal and all that is stored before that. */
struct taken {
	_Atomic int number; /* 0: free */
	_Atomic unsigned current;
	struct slot slots[SLOTS];
	void (*handler)(int, siginfo_t *, void *);
	bool only_default; /* the kernel has the target's, unless that is the default */
};

static struct taken all[TAKEN_MAX];

CPS_REGS_RESTORER;
void cps_regs_restore(void);

/* ---- words ------------------------------------------------------------------------------------- */

#define GET(word)	 atomic_load_explicit(&(word), memory_order_relaxed)
#define SET(word, value) atomic_store_explicit(&(word), value, memory_order_relaxed)

static void store(struct words *to, const struct sigaction *action)
{
	uint64_t mask[MASK_WORDS] = {0};

	memcpy(mask, &action->sa_mask, sizeof(mask));
	SET(to->handler, action->sa_handler);
	SET(to->restorer, action->sa_restorer);
	SET(to->flags, action->sa_flags);
	for (size_t i = 0; i < MASK_WORDS; i++)
		SET(to->mask[i], mask[i]);
}

static void load(struct sigaction *action, const struct words *from)
{
	uint64_t mask[MASK_WORDS] = {0};

	memset(action, 0, sizeof(*action));
	action->sa_handler = GET(from->handler);
	action->sa_restorer = GET(from->restorer);
	action->sa_flags = GET(from->flags);
	for (size_t i = 0; i < MASK_WORDS; i++)
		mask[i] = GET(from->mask[i]);
	memcpy(&action->sa_mask, mask, sizeof(mask));
}

/* ---- who has what ------------------------------------------------------------------------------ */

static struct taken *find(int number)
{
	for (int i = 0; i < TAKEN_MAX; i++)
		if (atomic_load_explicit(&all[i].number, memory_order_acquire) == number)
			return &all[i];
	return NULL;
}

bool cps_disposition_is_taken(int number)
{
	return number > 0 && find(number);
}

bool cps_disposition_is_default_only(int number)
{
	const struct taken *t = find(number);

	return t && t->only_default;
}

static int ask_kernel(int number, const struct kernel_action *new, struct kernel_action *old)
{
	return (int)CPS_SYS(rt_sigaction, number, new, old, sizeof(new->mask));
}

/* What handlers return to: the kernel of some machines has its own function, and is not told of any. */
static void (*restorer_of(const struct kernel_action *k))(void)
{
#if CPS_SA_RESTORER
	return k->restorer;
#else
	(void)k;
	return NULL;
#endif
}

/* To be called when flags and mask are there. */
static void set_restorer(struct kernel_action *k)
{
#if CPS_SA_RESTORER
	k->flags |= CPS_SA_RESTORER;
	k->restorer = cps_regs_restore;
#else
	k->qemus_mask = k->mask;
#endif
}

static void to_libc(const struct kernel_action *k, struct sigaction *a)
{
	memset(a, 0, sizeof(*a));
	a->sa_handler = (sighandler_t)k->handler;
	a->sa_flags = (int)k->flags;
	memcpy(&a->sa_mask, &k->mask, sizeof(k->mask));
	a->sa_restorer = restorer_of(k);
}

/* The C library sets the restorer, too: what the target says there means nothing. */
static void to_kernel(const struct sigaction *a, struct kernel_action *k)
{
	k->handler = (void *)a->sa_handler;
	k->flags = (unsigned)a->sa_flags;
	memcpy(&k->mask, &a->sa_mask, sizeof(k->mask));
	set_restorer(k);
}

/* Our handler blocks all signals but those of faults, which are the target's to handle: a handler
 * of the target's that leaves with longjmp would leave a buffer acquired for ever. It runs on the
 * alternate stack, if there is one, for threads that have hardly any stack of their own
 * (doc/decisions/0006). */
static int install(const struct taken *t, struct kernel_action *old)
{
	struct kernel_action action = {
		.handler = (void *)t->handler,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK,
		.mask = ~(UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1) |
			  UINT64_C(1) << (SIGILL - 1) | UINT64_C(1) << (SIGFPE - 1) |
			  UINT64_C(1) << (SIGTRAP - 1)),
	};

	set_restorer(&action);
	return ask_kernel(t->number, &action, old);
}

static int take(int number, void (*handler)(int, siginfo_t *, void *), bool only_default)
{
	struct taken *t = find(0);
	struct kernel_action old;
	struct sigaction theirs;
	int error;

	if (cps_disposition_is_taken(number))
		return -EBUSY;
	if (!t)
		return -ENOSPC;
	t->handler = handler;
	t->only_default = only_default;
	error = ask_kernel(number, NULL, &old);
	if (error)
		return error;
	to_libc(&old, &theirs);
	store(&t->slots[atomic_load(&t->current)].action, &theirs);
	atomic_store(&t->number, number);
	if (!only_default || old.handler == (void *)SIG_DFL)
		error = install(t, &old);
	if (error)
		atomic_store(&t->number, 0);
	return error;
}

int cps_disposition_take(int number, void (*handler)(int, siginfo_t *, void *))
{
	return take(number, handler, false);
}

int cps_disposition_take_default(int number, void (*handler)(int, siginfo_t *, void *))
{
	return take(number, handler, true);
}

bool cps_disposition_retake(int number)
{
	struct taken *t = find(number);
	struct kernel_action now;
	struct sigaction action;

	if (!t || t->only_default || ask_kernel(number, NULL, &now) != 0 ||
	    now.handler == (void *)t->handler)
		return false;
	to_libc(&now, &action);
	cps_disposition_set(number, &action);
	install(t, &now);
	return true;
}

void cps_disposition_give_back(int number)
{
	static const struct kernel_action ignore = {.handler = (void *)SIG_IGN};
	struct taken *t = find(number);
	struct kernel_action action;
	struct sigaction wanted;

	if (!t)
		return;
	cps_disposition_get(number, &wanted);
	to_kernel(&wanted, &action);
	atomic_store(&t->number, 0);
	if (t->only_default && wanted.sa_handler != SIG_DFL)
		return;			   /* the kernel has it already */
	ask_kernel(number, &ignore, NULL); /* what is pending is ours */
	ask_kernel(number, &action, NULL);
}

static bool is_ours(const struct taken *t)
{
	struct kernel_action now;

	return t->number && ask_kernel(t->number, NULL, &now) == 0 &&
	       now.handler == (void *)t->handler;
}

static struct slot *slot_to_write(struct taken *t)
{
	static const struct timespec moment = {0, 100000};

	for (;;) {
		for (unsigned i = 0; i < SLOTS; i++) {
			struct slot *slot = &t->slots[i];

			if (atomic_flag_test_and_set(&slot->is_busy))
				continue;
			if (i != atomic_load(&t->current))
				return slot;
			atomic_flag_clear(&slot->is_busy);
		}
		CPS_SYS(nanosleep, &moment, NULL, 0, 0);
	}
}

static void change(struct taken *t, const struct sigaction *action)
{
	uint64_t mask = cps_sys_block_signals();
	struct slot *slot = slot_to_write(t);

	atomic_fetch_add(&slot->changes, 1);
	atomic_thread_fence(memory_order_release);
	store(&slot->action, action);
	atomic_store(&t->current, (unsigned)(slot - t->slots));
	atomic_flag_clear(&slot->is_busy);
	cps_sys_set_mask(mask);
}

void cps_disposition_reset(void)
{
	for (struct taken *t = all; t < all + TAKEN_MAX; t++)
		for (unsigned i = 0; i < SLOTS; i++)
			atomic_flag_clear(&t->slots[i].is_busy);
}

static void recall(const struct taken *t, struct sigaction *action)
{
	const struct slot *slot;
	unsigned current, before;

	do {
		current = atomic_load(&t->current);
		slot = &t->slots[current];
		before = atomic_load(&slot->changes);
		if (atomic_load(&t->current) != current)
			before--; /* a writer may have the slot already: read anew */
		load(action, &slot->action);
		atomic_thread_fence(memory_order_acquire);
	} while (atomic_load(&slot->changes) != before);
}

static bool is_to_be_ignored(const struct taken *t)
{
	return GET(t->slots[atomic_load(&t->current)].action.handler) == SIG_IGN;
}

void cps_disposition_leave(int number)
{
	static const struct kernel_action ignore = {.handler = (void *)SIG_IGN};
	struct kernel_action old;

	for (struct taken *t = all; t < all + TAKEN_MAX; t++) {
		bool stays = is_to_be_ignored(t);

		if (!is_ours(t) || !(stays || t->number == number))
			continue;
		ask_kernel(t->number, &ignore, &old);
		if (!stays)
			install(t, &old);
	}
}

void cps_disposition_return(void)
{
	struct kernel_action old;

	for (struct taken *t = all; t < all + TAKEN_MAX; t++)
		if (t->number && !t->only_default && is_to_be_ignored(t))
			install(t, &old);
}

void cps_disposition_set(int number, const struct sigaction *action)
{
	struct taken *t = find(number);
	struct kernel_action old, new;
	struct sigaction set = *action;

	set.sa_flags |= CPS_SA_RESTORER; /* as the C library does */
	if (t && (!t->only_default || action->sa_handler == SIG_DFL))
		change(t, &set);
	if (t && !t->only_default)
		return;
	if (t && action->sa_handler == SIG_DFL) {
		install(t, &old);
	} else {
		to_kernel(&set, &new);
		ask_kernel(number, &new, NULL);
	}
}

void cps_disposition_get(int number, struct sigaction *action)
{
	const struct taken *t = find(number);
	struct kernel_action now;

	if (t && !t->only_default)
		recall(t, action);
	else if (ask_kernel(number, NULL, &now) != 0)
		return;
	else if (t && now.handler == (void *)t->handler)
		recall(t, action); /* the default */
	else
		to_libc(&now, action);
}

/* The kernel keeps such a signal pending as long as it is blocked, and discards it then. */
bool cps_disposition_is_ignored(int number)
{
	struct kernel_action now;

	if (ask_kernel(number, NULL, &now) != 0)
		return false;
	if (now.handler == (void *)SIG_DFL)
		return number == SIGCHLD || number == SIGCONT || number == SIGURG ||
		       number == SIGWINCH;
	return now.handler == (void *)SIG_IGN;
}

/* Does what the signal does by default, which is to end the process: sends it again with the
 * default in place. */
static void end_process(int number)
{
	static const struct kernel_action by_default;

	ask_kernel(number, &by_default, NULL);
	CPS_SYS(tgkill, cps_sys_getpid(), cps_sys_gettid(), number, 0);
}

/* Sets the mask that the target's handler would run with: the mask of the interrupted code, the
 * handler's, and the signal itself. When we return, the kernel restores the first. */
static void mask_for(const struct sigaction *action, int number, const ucontext_t *context)
{
	uint64_t interrupted, own;

	memcpy(&interrupted, &context->uc_sigmask, sizeof(interrupted));
	memcpy(&own, &action->sa_mask, sizeof(own));
	interrupted |= own;
	/* The C library's handler of this signal does not need it blocked, and may not return: a
	 * thread that is cancelled calls cleanup handlers. */
	if (!(action->sa_flags & SA_NODEFER) && number != CPS_SIGNAL_OWN)
		interrupted |= UINT64_C(1) << (number - 1);
	CPS_SYS(rt_sigprocmask, SIG_SETMASK, &interrupted, 0, sizeof(interrupted));
}

void cps_disposition_pass_on(int number, siginfo_t *info, void *context)
{
	static const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct sigaction action;

	if (!find(number))
		return; /* the signal was given back while this one was on its way */
	cps_disposition_get(number, &action);
	if (action.sa_handler == SIG_IGN)
		return;
	if (action.sa_handler == SIG_DFL) {
		end_process(number);
		return;
	}
	if (action.sa_flags & SA_RESETHAND)
		cps_disposition_set(number, &by_default);
	mask_for(&action, number, context);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(number, info, context);
	else
		action.sa_handler(number);
}
