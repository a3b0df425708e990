/* SPDX-License-Identifier: MIT */
/*
 * resource.c - reads the meters of the resources, and credits what they say.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "arch/arch.h"
#include "base/sys.h"
#include "resource/alloc.h"
#include "resource/lock.h"
#include "resource/off_cpu.h"
#include "resource/overflow.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "resource/switches.h"
#include "stream/atoms.h"
#include "stream/recode.h"
#include "stream/record.h"
#include "stream/recording.h"
#include "base/poison.h"

/* ---- left over ------------------------------------------------------------------------------- */
/*
 * Credits what threads were due and could not be credited with before their end.
 *
 * In: threads that end, or the end of the recording. Out: credits without a place.
 *
 * Order: a sum needs none.
 */

static _Atomic uint64_t kept[CPS_THREAD_POINTS]; /* gticks of each resource */

void cps_left_over_keep(uint32_t number, uint64_t gticks)
{
	atomic_fetch_add(&kept[number], gticks);
}

uint64_t cps_left_over_kept(uint32_t number)
{
	return atomic_load(&kept[number]);
}

/* Keep nothing any more, in a child made by fork. */
static void cps_left_over_reset(void)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		atomic_store(&kept[i], 0);
}

void cps_left_over_credit(struct cps_thread *t, uint32_t number, uint32_t state, uint64_t gticks)
{
	struct cps_credit credit;

	gticks += atomic_exchange(&kept[number], 0);
	credit = cps_resource_credit(number, state, gticks);
	credit.is_tail = true;
	if (credit.weight && !cps_sleeper_take_nowhere(t, &credit))
		cps_left_over_keep(number, gticks);
}

/* Less than a grain is no sample's weight. */
static void credit_point(struct cps_thread *t, uint32_t number)
{
	uint64_t grain = cps_resource_grain(number), rest = cps_state_of(t)->points[number].rest;

	rest = rest < grain ? 0 : rest;
	cps_state_of(t)->points[number].rest -= rest;
	if (rest || cps_left_over_kept(number))
		cps_left_over_credit(t, number, 0, rest);
}

/* The thread ends, and has said what it is due of each resource: credit what its points keep. */
static void cps_left_over_hand_on(struct cps_thread *t)
{
	uint64_t mask = cps_sys_block_signals();

	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (cps_resource_is_counted(i) && !cps_resource_of(i)->part)
			credit_point(t, i);
	cps_sys_set_mask(mask);
}

/* ---- resource -------------------------------------------------------------------------------- */
/*
 * Begins and ends the counting of resources.
 *
 * In: what is wanted, threads that begin and end. Out: numbers for samples (atoms.h), engines that
 * count, and what was counted.
 */

#define NAME_BYTES 64
#define TIME_SCALE 1000	      /* times are recorded in us */
#define GRAIN_MOST (1u << 16) /* units */
#define GRAIN_PART 50	      /* of an interval */
#define RUNNING	   "running"  /* the state of what a clock measures, beside others */

/* Order: all of it is complete before `was_started` and `is_counted` are released (resource.h). Threads that end meanwhile
 * look at the first. Who makes a counter has set `making`. */
struct use {
	atomic_bool is_counted, was_started;
	uint32_t id, atom;
	uint64_t interval; /* gticks */
	uint64_t scale;
	uint32_t grain; /* units */
	const struct cps_resource *resource;
	const char *name;
	char counter[NAME_BYTES]; /* its name, if it is one of the program's */
};

static struct use uses[CPS_THREAD_POINTS];
static uint32_t clock_id = CPS_ATOMS_NONE; /* the resource that the clock measures */
static struct cps_atoms_resource of_clock; /* what it is */
static uint32_t n_spare;		   /* numbers that were given away */
static uint32_t n_counters, n_calls;
static atomic_bool has_counters;
static uint64_t counters_interval;
static atomic_flag making = ATOMIC_FLAG_INIT;
static char whys[CPS_THREAD_POINTS][160];

/* Whether it ever was counted. */
static bool was_started(uint32_t i)
{
	return atomic_load_explicit(&uses[i].was_started, memory_order_acquire);
}

static uint32_t grain_of(uint64_t interval, uint64_t scale)
{
	uint32_t grain = 1;

	while (grain < GRAIN_MOST && grain * UINT64_C(2) * GRAIN_PART * scale <= interval)
		grain *= 2;
	return grain;
}

static const struct cps_resource whole = {.part = CPS_RESOURCE_NO_PART}; /* of the clock */

/* Lets what the clock measures count in that resource, too. */
static void join_clock(const struct cps_resource *r, uint32_t id)
{
	if (r->part != CPS_RESOURCE_IN_KERNEL)
		cps_atoms_join(0, id);
	if (r->part != CPS_RESOURCE_IN_PROGRAM && cps_atoms_kernel())
		cps_atoms_join(cps_atoms_kernel(), id);
}

/* Numbers a resource and its atoms. False: there are too many. */
static bool number(struct use *u, const char *unit, const char *why)
{
	const struct cps_resource *r = u->resource;
	bool is_time = r->kind == CPS_RESOURCE_TIME;
	struct cps_atoms_resource in = {u->name, unit,	      r->engine, why,
					0,	 u->interval, is_time,	 r->counted_by};
	const char *const *state = r->states;

	in.scale = u->scale = is_time ? TIME_SCALE : 1;
	u->grain = grain_of(u->interval, u->scale);
	if (r->part) {
		in = of_clock;
		in.name = u->name;
		in.why = why ? why : of_clock.why;
	}
	u->id = cps_atoms_add_resource(&in);
	if (u->id == CPS_ATOMS_NONE)
		return false;
	if (!why && cps_resource_has_clocks(r))
		join_clock(r, u->id);
	if (r->counted_by || r->part)
		return true;
	u->atom = cps_atoms_add(state ? *state : NULL, 1u << u->id, u->grain, is_time);
	while (state && *state && *++state)
		cps_atoms_add(*state, 1u << u->id, u->grain, is_time);
	return u->atom != CPS_ATOMS_NONE;
}

int cps_resource_probe(const struct cps_wanted_resource *w, char *why, size_t bytes)
{
	const struct cps_resource *r = w->resource;
	struct cps_overflow_kind kind;

	if (!r)
		return 0;
	if (*w->name && r->find_overflow)
		return r->find_overflow(w->name, &kind, why, bytes);
	return r->probe ? r->probe(why, bytes) : 0;
}

static void begin_one(uint32_t i, const struct cps_wanted_resource *w)
{
	const struct cps_resource *r = w->resource;
	struct use *u = &uses[i];
	int error = cps_resource_probe(w, whys[i], sizeof(whys[i]));

	u->resource = r;
	u->name = *w->name ? w->name : r->name;
	u->interval = w->interval;
	if (i == CPS_RESOURCE_OF_count) {
		counters_interval = w->interval;
		atomic_store(&has_counters, true);
		return;
	}
	if (number(u, r->unit, *whys[i] ? whys[i] : NULL) && !error)
		atomic_store(&u->was_started, true);
}

static void start(void)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++) {
		struct use *u = &uses[i];

		if (!was_started(i))
			continue;
		atomic_store(&u->is_counted, true);
		if (u->resource->start && u->resource->start(u->interval) != 0)
			atomic_store(&u->is_counted, false);
	}
}

static bool joins_clock(const struct cps_wanted_resources *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->list[i].resource && wanted->list[i].resource->joins_clock)
			return true;
	return false;
}

bool cps_resource_needs_clock(const struct cps_wanted_resources *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (!wanted->list[i].resource || cps_resource_has_clocks(wanted->list[i].resource))
			return true;
	return false;
}

static bool wants_parts(const struct cps_wanted_resources *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->list[i].resource && wanted->list[i].resource->part)
			return true;
	return false;
}

/* The atoms of the clock's samples are the first, wherever its resource stands in the list. */
static void add_clock(const struct cps_wanted_resources *wanted)
{
	const char *state = joins_clock(wanted) ? RUNNING : NULL;
	uint32_t grain = of_clock.is_time ? cps_columnar_grain() : 1;

	if (!cps_resource_needs_clock(wanted))
		return;
	cps_atoms_add(state, 0, grain, of_clock.is_time);
	if (of_clock.is_time && wants_parts(wanted))
		cps_atoms_split_clock(cps_atoms_add(state, 0, grain, true));
}

/* The number of a line of the table: its own, the one that it was given, or CPS_ATOMS_NONE. */
static uint32_t number_of(const struct cps_resource *r)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (i < CPS_RESOURCE_NUMBERS ? cps_resource_table[i] == r : uses[i].resource == r)
			return i;
	return CPS_ATOMS_NONE;
}

/* Samples of another resource count in those that have none of their own. */
static void join(void)
{
	for (uint32_t i = 0; i < CPS_RESOURCE_NUMBERS; i++)
		if (was_started(i) && uses[i].resource->counted_by)
			cps_atoms_join(uses[number_of(uses[i].resource->counted_by)].atom,
				       uses[i].id);
}

static void begin_with(const struct cps_wanted_resource *w)
{
	const struct cps_resource *r = w->resource;
	uint32_t i = number_of(r);

	if (r == &cps_resource_calls) {
		i = CPS_CALLS_FIRST + n_calls++;
	} else if (i == CPS_ATOMS_NONE || *w->name) {
		if (n_spare == CPS_RESOURCE_SPARE)
			return;
		i = CPS_RESOURCE_NUMBERS + n_spare++;
	}
	if (uses[i].resource)
		return;
	begin_one(i, w);
	if (r->with)
		begin_with(&(struct cps_wanted_resource){r->with, w->interval, "", w->is_given});
}

void cps_resource_begin(const struct cps_wanted_resources *wanted,
			const struct cps_identity *identity)
{
	of_clock = (struct cps_atoms_resource){identity->resource,     identity->unit,
					       identity->engine,       identity->engine_why,
					       identity->scale,	       identity->interval,
					       identity->interval > 0, false};
	if (wanted->n <= 1 && (wanted->has_clock || !wanted->n) && !wanted->has_more)
		return;
	add_clock(wanted);
	for (size_t i = 0; i < wanted->n; i++) {
		const struct cps_wanted_resource *w = &wanted->list[i];

		if (w->resource)
			begin_with(w);
		else
			join_clock(&whole, clock_id = cps_atoms_add_resource(&of_clock));
	}
	join();
	start();
}

void cps_resource_end(void)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (atomic_exchange(&uses[i].is_counted, false) && uses[i].resource->stop)
			uses[i].resource->stop();
}

void cps_resource_pause(void)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (cps_resource_is_counted(i) && uses[i].resource->pause)
			uses[i].resource->pause();
}

void cps_resource_resume(void)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (cps_resource_is_counted(i) && uses[i].resource->resume)
			uses[i].resource->resume();
}

void cps_resource_again(void)
{
	start();
}

/* Another thread of the parent's may have been about to make a counter. */
void cps_resource_child(void)
{
	struct cps_thread *t = cps_thread_self();
	struct cps_resource_state *s = t ? cps_state_of(t) : NULL;

	atomic_flag_clear(&making);
	cps_left_over_reset();
	if (!s || cps_thread_is_gone(t))
		return;
	memset(s->points, 0, sizeof(s->points));
	memset(s->overflows, 0, sizeof(s->overflows));
	memset(&s->off_cpu, 0, sizeof(s->off_cpu));
	memset(&s->switches, 0, sizeof(s->switches));
}

void cps_resource_reset(void)
{
	cps_left_over_reset();
	memset(uses, 0, sizeof(uses));
	memset(whys, 0, sizeof(whys));
	clock_id = CPS_ATOMS_NONE;
	n_spare = n_counters = n_calls = 0;
	has_counters = false;
	cps_atoms_reset();
	cps_live_reset();
	cps_lock_reset();
	cps_off_cpu_reset();
	cps_overflow_reset();
	cps_switches_reset();
}

void cps_resource_arm(struct cps_thread *t)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (cps_resource_is_counted(i) && uses[i].resource->arm)
			uses[i].resource->arm(t);
}

static void count(struct cps_thread *t, void *context)
{
	(void)context;
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++) {
		if (!was_started(i) || uses[i].resource->counted || uses[i].resource->part)
			continue;
		cps_atoms_count(uses[i].id,
				uses[i].resource->take_counted ? uses[i].resource->take_counted(t)
							       : cps_point_consumed(t, i),
				0);
		cps_state_of(t)->points[i] = (struct cps_point){.left = 0};
	}
}

void cps_resource_disarm(struct cps_thread *t)
{
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (cps_resource_is_counted(i) && uses[i].resource->disarm)
			uses[i].resource->disarm(t);
	cps_left_over_hand_on(t);
	count(t, NULL);
}

/* The time since it was seen last is nobody's. */
void cps_resource_bury(struct cps_thread *t)
{
	cps_state_of(t)->off_cpu.settled_at = 0;
	cps_resource_disarm(t);
}

/* The recording may go on after its end, because an exec has failed. */
void cps_resource_settle(uint64_t cpu_ns, uint64_t system_ns)
{
	if (clock_id != CPS_ATOMS_NONE && of_clock.is_time)
		cps_atoms_set_count(clock_id, cpu_ns);
	cps_thread_each(count, NULL);
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++) {
		const struct cps_resource *r = was_started(i) ? uses[i].resource : NULL;

		if (r && r->counted)
			cps_atoms_set_count(uses[i].id, r->counted(i));
		if (r && r->part)
			cps_atoms_set_count(uses[i].id, r->part == CPS_RESOURCE_IN_KERNEL
								? system_ns
								: cpu_ns - system_ns);
	}
}

static uint32_t find_counter(const char *name)
{
	for (uint32_t i = CPS_RESOURCE_NUMBERS; i < CPS_RESOURCE_NUMBERS + n_spare; i++)
		if (uses[i].resource == &cps_resource_count &&
		    strncmp(uses[i].counter, name, NAME_BYTES - 1) == 0)
			return i;
	return CPS_ATOMS_NONE;
}

/* The stream may have begun without it. */
static void announce(const struct use *u)
{
	uint8_t bytes[512];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};

	cps_atoms_write(&w, u->id, u->atom);
	if (cps_recording_path() && !w.full)
		cps_recording_tell(bytes, (size_t)(w.p - bytes));
}

static uint32_t make_counter(const char *name)
{
	uint32_t i = CPS_RESOURCE_NUMBERS + n_spare;
	struct use *u = &uses[i];

	if (n_counters == CPS_RESOURCE_COUNTERS || n_spare == CPS_RESOURCE_SPARE)
		return CPS_ATOMS_NONE;
	memcpy(u->counter, name, strnlen(name, NAME_BYTES - 1));
	u->name = u->counter;
	u->resource = &cps_resource_count;
	u->interval = counters_interval;
	if (!number(u, u->name, NULL)) {
		u->resource = NULL;
		return CPS_ATOMS_NONE;
	}
	announce(u);
	n_spare++;
	n_counters++;
	atomic_store(&u->was_started, true);
	atomic_store(&u->is_counted, true);
	return i;
}

/* All signals are blocked meanwhile, because a handler of the target's may make a counter, too. */
uint32_t cps_resource_counter(const char *name)
{
	uint64_t mask, until = 0;
	uint32_t found = CPS_ATOMS_NONE;
	bool is_busy;

	if (!atomic_load(&has_counters))
		return found;
	mask = cps_sys_block_signals();
	while ((is_busy = atomic_flag_test_and_set(&making)) && cps_sys_patience(&until))
		;
	if (!is_busy) {
		found = find_counter(name);
		if (found == CPS_ATOMS_NONE)
			found = make_counter(name);
		atomic_flag_clear(&making);
	}
	cps_sys_set_mask(mask);
	return found;
}

void cps_resource_explain(uint32_t i, const char *why)
{
	uint8_t bytes[1024];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};

	cps_atoms_explain(uses[i].id, why);
	cps_record_resource(&w, uses[i].id, cps_atoms_resource(uses[i].id));
	if (cps_recording_path() && !w.full)
		cps_recording_tell(bytes, (size_t)(w.p - bytes));
}

const char *cps_resource_refusal(const struct cps_wanted_resource *w)
{
	const char *name = *w->name ? w->name : w->resource->name;

	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (uses[i].resource == w->resource && strcmp(uses[i].name, name) == 0)
			return *whys[i] && !was_started(i) ? whys[i] : NULL;
	return NULL;
}

bool cps_resource_is_counted(uint32_t i)
{
	return atomic_load_explicit(&uses[i].is_counted, memory_order_acquire);
}

const struct cps_resource *cps_resource_of(uint32_t i)
{
	return i < CPS_THREAD_POINTS ? uses[i].resource : NULL;
}

const char *cps_resource_name(uint32_t i)
{
	return uses[i].name;
}

uint32_t cps_resource_id(uint32_t i)
{
	return uses[i].id;
}

uint64_t cps_resource_interval(uint32_t i)
{
	return uses[i].interval;
}

uint64_t cps_resource_grain(uint32_t i)
{
	return uses[i].grain * uses[i].scale;
}

struct cps_credit cps_resource_credit(uint32_t i, uint32_t state, uint64_t gticks)
{
	return (struct cps_credit){.weight = gticks / uses[i].scale,
				   .atom = uses[i].atom + state,
				   .resource = i,
				   .gticks = gticks};
}

void cps_resource_credit_rest_of(struct cps_thread *t, void *context)
{
	(void)context;
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++)
		if (cps_resource_is_counted(i) && cps_resource_of(i)->credit_rest)
			cps_resource_of(i)->credit_rest(t);
}

static void hand_on(struct cps_thread *t, void *context)
{
	(void)context;
	cps_left_over_hand_on(t);
}

void cps_resource_credit_rest(void)
{
	cps_thread_each(cps_resource_credit_rest_of, NULL);
	cps_thread_each(hand_on, NULL);
}

static bool is_worth(uint32_t i, uint64_t counted, uint64_t cpu_ns)
{
	const struct cps_resource *r = cps_resource_of(i);

	if (r->is_worth)
		return r->is_worth(counted, cpu_ns);
	if (r->any_is_worth)
		return counted > 0;
	switch (r->kind) {
	case CPS_RESOURCE_TIME:
		return counted >= CPS_RECORDING_WORTH_NS;
	case CPS_RESOURCE_BYTES:
		return counted >= CPS_RESOURCE_WORTH_BYTES;
	default:
		return counted >= CPS_RESOURCE_WORTH * cps_resource_interval(i);
	}
}

bool cps_resource_is_worth(uint64_t cpu_ns)
{
	uint32_t error;

	if (cps_recording_is_kept() || cpu_ns >= CPS_RECORDING_WORTH_NS || cps_denied_count(&error))
		return true;
	for (uint32_t i = 0; i < CPS_THREAD_POINTS; i++) {
		const struct cps_resource *r = was_started(i) ? cps_resource_of(i) : NULL;

		if (r && !r->part && !r->counted_by &&
		    is_worth(i, cps_atoms_counted(cps_resource_id(i)), cpu_ns))
			return true;
	}
	return false;
}

/* ---- resource sample ------------------------------------------------------------------------- */
/*
 * Samples the function whose event has met a point.
 *
 * In: a resource and a weight, from a wrapper. Out: a sample.
 */

/* It is left for the thread's next sample, as it is with clocks. */
void cps_resource_keep(struct cps_thread *t, const struct cps_credit *credit)
{
	cps_single_add((int64_t *)&cps_state_of(t)->points[credit->resource].rest,
		       (int64_t)credit->gticks);
}

bool cps_resource_sample_block(uint32_t i, uint64_t gticks, uint64_t block)
{
	return cps_event_take(i, 0, gticks, 0, block, NULL);
}

void cps_resource_sample_in(uint32_t i, uint32_t state, uint64_t gticks, uint64_t leaf)
{
	cps_event_take(i, state, gticks, leaf, 0, NULL);
}

void cps_resource_sample_outside(uint32_t i, uint64_t gticks, const struct cps_code_range *code)
{
	cps_event_take(i, 0, gticks, 0, 0, code);
}

void cps_resource_sample(uint32_t i, uint32_t state, uint64_t gticks)
{
	cps_event_take(i, state, gticks, 0, 0, NULL);
}
