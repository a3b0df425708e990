/* SPDX-License-Identifier: MIT */
/*
 * overflow.c - the engine of resources that the kernel's perf subsystem counts in each thread.
 *
 * In: threads that begin and end, signals of events. Out: credits for samples, with the periods that have
 * passed as their weights.
 *
 * An event gives one signal and is then disabled by the kernel, so nothing that the handler does is counted by
 * it. The next event is made before the last one is ended: the kernel changes its own code when the first event
 * of a kind is made and when the last one is ended, which takes 80 us; another one takes 15. If it cannot be
 * made, because the target has used up its descriptors, it is tried again at later ticks of the clock.
 *
 * What the recorder does elsewhere, in the handler of the clock's ticks, is taken off the period in which it
 * happens.
 *
 * Order: a place is complete before their number is stored, and all that is known of the engine before its signals are used
 * (signal/other_signals.h). A thread's events are its own; who else ends one exchanges its page first.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>

#include "base/sys.h"
#include "clock/perf.h"
#include "resource/overflow.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/other_signals.h"
#include "stream/loss.h"
#include "base/poison.h"

#define NOWHERE (-1)
#define LEAST	50u /* of a period that the recorder's own work may pass */

/* A resource's place in struct cps_thread. */
struct place {
	uint32_t number;
	struct cps_overflow_kind kind;
	_Atomic uint64_t since;	 /* what getrusage had counted when this went on */
	_Atomic uint64_t used;	 /* what it has counted up to the last pause */
	_Atomic uint64_t own;	 /* of that the recorder's */
	_Atomic uint64_t passed; /* the sum of all periods */
};

_Static_assert(CPS_THREAD_OVERFLOWS >= CPS_ATOMS_RESOURCES, "each resource may have a place");

static struct place places[CPS_THREAD_OVERFLOWS];
static _Atomic uint32_t n_places;
static bool has_usage, counts_calls;
static int owner;		       /* the process of which something was counted */
static __thread uint32_t calls_before; /* of the recorder's, when its present work began */
static __thread uint32_t
	last_counted; /* of these, when an event was over whose signal has to wait; 0: none is */
static atomic_bool is_going; /* neither paused nor ended */

static uint64_t used(const struct cps_overflow_kind *kind, const struct cps_other_signals_use *use)
{
	return (kind->is_minor ? use->minor_faults : 0) + (kind->is_major ? use->major_faults : 0);
}

static void read_usage(int whose, struct cps_other_signals_use *use)
{
	struct rusage usage = {.ru_minflt = 0};

	CPS_SYS(getrusage, whose, &usage, 0, 0);
	use->minor_faults = (uint64_t)usage.ru_minflt;
	use->major_faults = (uint64_t)usage.ru_majflt;
}

struct cps_perf_event cps_overflow_event(const struct cps_overflow_kind *kind, uint64_t period)
{
	return (struct cps_perf_event){.type = kind->type,
				       .config = kind->config,
				       .config1 = kind->config1,
				       .config2 = kind->config2,
				       .period = period,
				       .without_kernel = kind->without_kernel};
}

/* Of the resource in this place; false also while another thread ends or pauses the recording. */
static bool is_counted(uint32_t i)
{
	return atomic_load(&is_going) && cps_resource_is_counted(places[i].number);
}

/* ---- one event ------------------------------------------------------------------------------- */
/* What is traced in the kernel may happen in the handler, too, after an event was made there: its signals would
 * have no end if periods were as short. */
static uint64_t next_period(struct cps_thread *t, const struct place *place)
{
	uint64_t period = cps_point_next(t, place->number);

	while (place->kind.type == PERF_TYPE_TRACEPOINT && period < LEAST)
		period += cps_point_next(t, place->number);
	return period;
}

/* A thread that begins, or goes on after a pause, is somewhere in an interval (point.c): it is credited with what was
 * before, and not with what is left at its end. */
static int make(struct cps_thread *t, struct cps_overflow *o, const struct place *place,
		bool is_first)
{
	uint64_t weight = 0, period = is_first ? cps_point_first(t, place->number, &weight)
					       : next_period(t, place);
	const struct cps_perf_event event = cps_overflow_event(&place->kind, period);
	int fd = cps_perf_open(&event, t), error;
	void *page;

	if (fd < 0)
		return fd;
	error = cps_perf_address(fd, t->tid);
	if (!error)
		error = cps_perf_raise(fd);
	if (!error)
		error = cps_perf_map(fd, &page);
	if (!error) {
		o->fd = fd;
		o->weight = is_first ? weight : period;
		o->is_fresh = true;
		cps_perf_end(atomic_exchange(&o->page, page));
		error = cps_perf_begin(fd, 1);
		/* The call that has begun it ends after that. */
		o->calls = cps_sys_calls - place->kind.is_at_exit;
	}
	cps_sys_close(fd);
	return error;
}

static void end(struct cps_overflow *o)
{
	cps_perf_end(atomic_exchange(&o->page, NULL));
	o->is_missing = false;
}

/* Another thread may have stopped the engine meanwhile, or be about to do so. */
static void renew(struct cps_thread *t, uint32_t i, bool is_first)
{
	struct cps_overflow *o = &cps_state_of(t)->overflows[i];

	o->is_missing = make(t, o, &places[i], is_first) != 0;
	if (o->is_missing)
		cps_loss_add(CPS_LOSS_MEMORY, 1);
	if (!is_counted(i))
		end(o);
}

static void renew_all(struct cps_thread *t)
{
	for (uint32_t i = 0; i < atomic_load(&n_places); i++)
		if (is_counted(i))
			renew(t, i, true);
}

/* ---- its signals ----------------------------------------------------------------------------- */
static int place_of(const struct cps_thread *t, const siginfo_t *info)
{
	for (uint32_t i = 0; t && i < atomic_load(&n_places); i++)
		if (atomic_load(&cps_state_of(t)->overflows[i].page) &&
		    cps_state_of(t)->overflows[i].fd == info->si_fd)
			return (int)i;
	return NOWHERE;
}

/* An event that gives one signal says that it was its last. If there is a clock with events, too, only those that
 * are known are ours: the others of that kind end an event of the clock. */
static bool is_mine(const siginfo_t *info)
{
	bool is_event = info->si_code == POLL_IN || info->si_code == POLL_HUP;

	if (!is_event || place_of(cps_thread_self(), info) != NOWHERE)
		return is_event;
	return !cps_sample_meter()->is_mine(info);
}

/* What the event has counted of the recorder's doing. */
static void take_off_calls(struct place *place, struct cps_overflow *o)
{
	uint32_t last = last_counted ? last_counted : calls_before;
	uint32_t own =
		(int32_t)(last - o->calls) > 0 ? last - o->calls : 0; /* it may be made since */

	if (!place->kind.is_calls)
		return;
	last_counted = 0;
	atomic_fetch_add(&place->own, own);
	o->own += own;
}

static bool credit(struct cps_thread *t, const siginfo_t *info, struct cps_credit *credit)
{
	int i = place_of(t, info);
	struct cps_overflow *o = &cps_state_of(t)->overflows[i < 0 ? 0 : i];
	uint32_t number = places[i < 0 ? 0 : i].number;
	int64_t due, grain;

	if (i < 0 || !cps_resource_is_counted(number))
		return false;
	grain = (int64_t)cps_resource_grain(number);
	take_off_calls(&places[i], o);
	atomic_fetch_add(&places[i].passed, o->weight);
	due = (int64_t)(o->weight + cps_state_of(t)->points[number].rest) - o->own;
	*credit = cps_resource_credit(number, 0, due > 0 ? (uint64_t)(due - due % grain) : 0);
	cps_state_of(t)->points[number].rest = 0;
	o->own = (int64_t)credit->weight - due;
	return credit->weight > 0;
}

static void keep(struct cps_thread *t, const siginfo_t *info, const struct cps_credit *credit)
{
	if (place_of(t, info) != NOWHERE)
		cps_resource_keep(t, credit);
}

static void rearm(struct cps_thread *t, const siginfo_t *info)
{
	int i = place_of(t, info);

	if (i >= 0)
		renew(t, (uint32_t)i, false);
}

static void enter(struct cps_other_signals_use *use)
{
	calls_before = cps_sys_calls;
	if (has_usage)
		read_usage(RUSAGE_THREAD, use);
}

/* In what the recorder does elsewhere, signals are blocked. If an event is over in it, it counts no more, and its signal
 * waits. At which of the recorder's calls that was, nobody knows: each is as likely. */
static void note_waiting(void)
{
	uint64_t pending = 0;

	if (!counts_calls)
		return;
	CPS_SYS(rt_sigpending, &pending, sizeof(pending), 0, 0);
	if (!(pending >> (CPS_SIGNAL_OWN - 1) & 1))
		last_counted = 0;
	else if (!last_counted)
		last_counted = calls_before + 1 + (cps_sys_calls - calls_before) / 2;
}

static void leave(struct cps_thread *t, const struct cps_other_signals_use *before)
{
	struct cps_other_signals_use use = {0, 0};

	if (has_usage)
		read_usage(RUSAGE_THREAD, &use);
	use.minor_faults -= before->minor_faults;
	use.major_faults -= before->major_faults;
	for (uint32_t i = 0; i < atomic_load(&n_places); i++) {
		struct cps_overflow *o = t ? &cps_state_of(t)->overflows[i] : NULL;
		uint64_t own = used(&places[i].kind, &use);

		if (atomic_load(&is_going))
			atomic_fetch_add(&places[i].own, own);
		if (o && !o->is_fresh)
			o->own += (int64_t)own;
		if (o)
			o->is_fresh = false;
		if (o && o->is_missing && cps_gate_is_open())
			renew(t, i, true);
	}
	note_waiting();
}

static const struct cps_other_signals signals = {is_mine, credit, keep, rearm, enter, leave};

/* ---- threads --------------------------------------------------------------------------------- */
static void arm(struct cps_thread *t, void *context)
{
	(void)context;
	for (uint32_t i = 0; i < atomic_load(&n_places); i++)
		if (is_counted(i) && !atomic_load(&cps_state_of(t)->overflows[i].page))
			renew(t, i, true);
}

void cps_overflow_arm(struct cps_thread *t)
{
	arm(t, NULL);
}

static void disarm(struct cps_thread *t, void *context)
{
	(void)context;
	for (uint32_t i = 0; i < CPS_THREAD_OVERFLOWS; i++)
		end(&cps_state_of(t)->overflows[i]);
}

void cps_overflow_disarm(struct cps_thread *t)
{
	disarm(t, NULL);
}

/* ---- the process ----------------------------------------------------------------------------- */
static bool find_kind(uint32_t number, struct cps_overflow_kind *kind)
{
	const struct cps_resource *r = cps_resource_of(number);
	char why[160];

	if (!cps_resource_is_counted(number))
		return false;
	if (r->overflow)
		*kind = *r->overflow;
	return r->overflow || (r->find_overflow && r->find_overflow(cps_resource_name(number), kind,
								    why, sizeof(why)) == 0);
}

static bool has_place(uint32_t number)
{
	for (uint32_t i = 0; i < atomic_load(&n_places); i++)
		if (places[i].number == number)
			return true;
	return false;
}

static void place_one(uint32_t number, const struct cps_overflow_kind *kind)
{
	uint32_t n = atomic_load(&n_places);

	if (n == CPS_THREAD_OVERFLOWS)
		return;
	places[n].number = number;
	places[n].kind = *kind;
	has_usage |= kind->is_minor || kind->is_major;
	counts_calls |= kind->is_calls;
	atomic_store(&n_places, n + 1);
}

/* Gives each kind of event of the resources that are counted its place. The ones that have theirs keep it. */
static void place_all(void)
{
	for (uint32_t number = 0; number < CPS_THREAD_POINTS; number++) {
		struct cps_overflow_kind found;
		const struct cps_overflow_kind *kind = &found;

		if (has_place(number) || !find_kind(number, &found))
			continue;
		for (; kind; kind = kind->also)
			place_one(number, kind);
	}
}

/* The first sample, which costs the recorder many faults, may come while threads are armed. */
void cps_overflow_resume(void)
{
	struct cps_other_signals_use use;

	if (atomic_load(&is_going))
		return;
	read_usage(RUSAGE_SELF, &use);
	for (uint32_t i = 0; i < atomic_load(&n_places); i++)
		atomic_store(&places[i].since, used(&places[i].kind, &use));
	if (!atomic_exchange(&is_going, true))
		cps_thread_each(arm, NULL);
}

void cps_overflow_pause(void)
{
	struct cps_other_signals_use use;

	if (!atomic_exchange(&is_going, false))
		return;
	read_usage(RUSAGE_SELF, &use);
	cps_thread_each(disarm, NULL);
	for (uint32_t i = 0; i < atomic_load(&n_places); i++)
		atomic_fetch_add(&places[i].used,
				 used(&places[i].kind, &use) - atomic_load(&places[i].since));
}

/* A child of fork has counted nothing. What goes on after its end, because an exec has failed, has. */
static void begin_anew(void)
{
	if (owner == cps_sys_getpid())
		return;
	owner = cps_sys_getpid();
	for (uint32_t i = 0; i < atomic_load(&n_places); i++) {
		atomic_store(&places[i].used, 0);
		atomic_store(&places[i].own, 0);
		atomic_store(&places[i].passed, 0);
	}
}

void cps_overflow_reset(void)
{
	owner = 0;
	has_usage = counts_calls = false;
	atomic_store(&n_places, 0);
}

/* Whether an event of the thread has this number. */
static bool is_number_of(const struct cps_thread *t, int fd)
{
	const struct cps_overflow *list = cps_state_of(t)->overflows;

	for (uint32_t i = 0; i < CPS_THREAD_OVERFLOWS; i++)
		if (atomic_load(&list[i].page) && list[i].fd == fd)
			return true;
	return false;
}

int cps_overflow_start(uint64_t interval)
{
	int error = 0;

	(void)interval;
	if (!cps_disposition_is_taken(CPS_SIGNAL_OWN))
		error = cps_disposition_take(CPS_SIGNAL_OWN, cps_sample_handler);
	if (!error)
		error = cps_perf_watch_loss(renew_all);
	if (error)
		return error;
	cps_perf_ask_too(is_number_of);
	cps_overflow_pause(); /* of those that have started before */
	place_all();
	cps_other_signals_use_this(&signals);
	begin_anew();
	if (!cps_gate_is_paused())
		cps_overflow_resume();
	return 0;
}

void cps_overflow_stop(void)
{
	cps_overflow_pause();
	cps_perf_ignore_loss(renew_all);
}

static uint64_t counted(const struct place *p)
{
	bool is_usage = p->kind.is_minor || p->kind.is_major;
	uint64_t all = atomic_load(is_usage ? &p->used : &p->passed), own = atomic_load(&p->own);

	return all > own ? all - own : 0;
}

uint64_t cps_overflow_counted(uint32_t number)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < atomic_load(&n_places); i++)
		n += places[i].number == number ? counted(&places[i]) : 0;
	return n;
}
