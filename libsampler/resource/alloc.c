/* SPDX-License-Identifier: MIT */
/*
 * alloc.c - what is allocated, and what of it is still there.
 *
 * In: blocks that are sampled, and freed. Out: numbers, records of freed blocks. The table has open
 * addresses within a window; if there is no room in it, the block is sampled all the same but not
 * followed.
 *
 * Order: a slot, or a place for a freed block, is claimed by an exchange, and what is stored in it
 * then is released by its address or number, which readers acquire. A block is taken out only by
 * who frees it, of whom there is one.
 */
#include <errno.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/sys.h"
#include "resource/alloc.h"
#include "resource/point.h"
#include "stream/loss.h"
#include "stream/record.h"
#include "base/poison.h"

#define SLOT_BITS 17
#define SLOTS	  (1u << SLOT_BITS)
#define WINDOW	  32u
#define HELD	  512u	   /* freed blocks that wait for a record */
#define BATCH	  64u	   /* so many are recorded at once ... */
#define WAIT_US	  1000000u /* ... or those of a second */
#define MOST	  128u	   /* in a record */
#define RECORD	  (20 * MOST + 64)
#define CLAIMED	  UINT64_MAX /* an address, or a number, that is just being written */

struct slot {
	_Atomic uint64_t address; /* 0: free */
	_Atomic uint64_t number;
};

struct held {
	_Atomic uint64_t number; /* 0: free */
	uint64_t time_us;
};

/* All of it is memory that the kernel clears in a child. */
struct live {
	_Atomic uint8_t filter[1u << CPS_LIVE_FILTER_BITS];
	struct slot slots[SLOTS + WINDOW];
	struct held held[HELD];
	_Atomic uint32_t n_held, place;
	_Atomic uint64_t numbers;  /* that were given */
	_Atomic uint64_t since_us; /* when the first of those that wait was freed */
	atomic_flag writing;
};

_Atomic(_Atomic uint8_t *) cps_live_filter;

static struct live *live;

int cps_live_begin(void)
{
	if (!live) {
		struct live *pages = cps_arena_pages(sizeof(*pages));

		if (!pages)
			return -ENOMEM;
		if (CPS_SYS(madvise, pages, (sizeof(*pages) + 4095) & ~4095ul, MADV_WIPEONFORK,
			    0) != 0) {
			cps_arena_unmap(pages, sizeof(*pages));
			return -ENOSYS;
		}
		live = pages;
	}
	atomic_store(&cps_live_filter, live->filter);
	return 0;
}

void cps_live_reset(void)
{
	if (live)
		CPS_SYS(madvise, live, (sizeof(*live) + 4095) & ~4095ul, MADV_DONTNEED, 0);
}

static struct live *in_use(void)
{
	return atomic_load_explicit(&cps_live_filter, memory_order_acquire) ? live : NULL;
}

/* ---- the table ----------------------------------------------------------------------------------- */

/* A counter that is full stays so for ever. */
static void count(struct live *l, const void *block, int change)
{
	_Atomic uint8_t *n = &l->filter[cps_live_hash(block) >> (64 - CPS_LIVE_FILTER_BITS)];
	uint8_t now = atomic_load(n);

	while (now != UINT8_MAX && !atomic_compare_exchange_weak(n, &now, (uint8_t)(now + change)))
		;
}

static struct slot *window_of(struct live *l, const void *block)
{
	return &l->slots[cps_live_hash(block) >> (64 - SLOT_BITS)];
}

static bool put(struct live *l, const void *block, uint64_t number)
{
	struct slot *s = window_of(l, block);

	for (uint32_t i = 0; i < WINDOW; i++) {
		uint64_t none = 0;

		if (atomic_load_explicit(&s[i].address, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&s[i].address, &none, CLAIMED))
			continue;
		atomic_store_explicit(&s[i].number, number, memory_order_relaxed);
		atomic_store_explicit(&s[i].address, (uintptr_t)block, memory_order_release);
		count(l, block, 1);
		return true;
	}
	return false;
}

uint64_t cps_live_take(const void *block)
{
	struct live *l = in_use();
	struct slot *s = l ? window_of(l, block) : NULL;

	for (uint32_t i = 0; s && i < WINDOW; i++) {
		uint64_t number;

		if (atomic_load_explicit(&s[i].address, memory_order_acquire) != (uintptr_t)block)
			continue;
		number = atomic_load_explicit(&s[i].number, memory_order_relaxed);
		atomic_store_explicit(&s[i].address, 0, memory_order_release);
		count(l, block, -1);
		return number;
	}
	return 0;
}

/* If there is a block at this address already, nobody has seen how it was freed. */
uint64_t cps_live_add(const void *block)
{
	struct live *l = in_use();
	uint64_t number;

	if (!l || !block)
		return 0;
	cps_live_freed(cps_live_may_have(block) ? cps_live_take(block) : 0);
	number = atomic_fetch_add(&l->numbers, 1) + 1;
	return put(l, block, number) ? number : 0;
}

void cps_live_put_back(const void *block, uint64_t number)
{
	struct live *l = in_use();

	if (l)
		put(l, block, number);
}

/* ---- those that were freed ----------------------------------------------------------------------- */

struct freed {
	uint64_t number, time_us;
	struct held *from;
};

/* In the order of their times, in which they nearly are. Returns how many. */
static uint32_t collect(struct live *l, struct freed *list)
{
	uint32_t n = 0, k;

	for (uint32_t i = 0; i < HELD && n < MOST; i++) {
		uint64_t number = atomic_load_explicit(&l->held[i].number, memory_order_acquire);
		struct freed one = {number, 0, &l->held[i]};

		if (!number || number == CLAIMED)
			continue;
		one.time_us = l->held[i].time_us;
		for (k = n++; k > 0 && list[k - 1].time_us > one.time_us; k--)
			list[k] = list[k - 1];
		list[k] = one;
	}
	return n;
}

struct job {
	struct live *live;
	bool is_done; /* something was recorded */
};

static void record(void *argument)
{
	struct job *job = argument;
	struct freed list[MOST];
	uint64_t pairs[MOST][2];
	uint8_t bytes[RECORD];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};
	uint32_t n = collect(job->live, list);

	for (uint32_t i = 0; i < n; i++) {
		pairs[i][0] = list[i].number;
		pairs[i][1] = list[i].time_us;
	}
	cps_record_freed(&w, pairs, n);
	if (!n || w.full || !cps_announce_record(bytes, (size_t)(w.p - bytes)))
		return;
	for (uint32_t i = 0; i < n; i++)
		atomic_store_explicit(&list[i].from->number, 0, memory_order_release);
	atomic_fetch_sub(&job->live->n_held, n);
	job->is_done = true;
}

/* One thread at a time; another one leaves it to that, or to a later call. */
static void write_some(struct live *l)
{
	struct job job = {l, false};

	if (!cps_recording_path() || atomic_flag_test_and_set(&l->writing))
		return;
	cps_event_call(record, &job);
	atomic_flag_clear(&l->writing);
}

static bool hold(struct live *l, uint64_t number, uint64_t now_us)
{
	uint32_t first = atomic_fetch_add_explicit(&l->place, 1, memory_order_relaxed);

	for (uint32_t i = 0; i < HELD; i++) {
		struct held *h = &l->held[(first + i) % HELD];
		uint64_t none = 0;

		if (atomic_load_explicit(&h->number, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong(&h->number, &none, CLAIMED))
			continue;
		h->time_us = now_us;
		atomic_store_explicit(&h->number, number, memory_order_release);
		return true;
	}
	return false;
}

/* A handler of the target's that leaves by longjmp must not interrupt this. */
void cps_live_freed(uint64_t number)
{
	struct live *l = in_use();
	uint64_t now_us, mask;
	uint32_t n;

	if (!l || !number)
		return;
	mask = cps_sys_block_signals();
	now_us = cps_recording_now_us();
	if (!hold(l, number, now_us)) {
		cps_loss_add(CPS_LOSS_FREES, 1);
	} else {
		n = atomic_fetch_add(&l->n_held, 1) + 1;
		if (n == 1)
			atomic_store(&l->since_us, now_us);
		if (n >= BATCH || now_us - atomic_load(&l->since_us) >= WAIT_US)
			write_some(l);
	}
	cps_sys_set_mask(mask);
}

/* This may be in a handler, and the gate is closed: so it is done on this stack. */
void cps_live_end(void)
{
	struct live *l = in_use();
	struct job job = {l, true};

	if (!l)
		return;
	atomic_store(&cps_live_filter, NULL);
	while (job.is_done && cps_recording_path()) {
		job.is_done = false;
		record(&job);
	}
}

/* ---- allocations ---- */

atomic_bool cps_alloc_is_on;

static void sample_bytes(const void *block, uint64_t weight)
{
	uint64_t number = cps_live_add(block);

	if (!cps_resource_sample_block(CPS_RESOURCE_OF_alloc, weight, number) && number)
		cps_live_take(block);
}

void cps_alloc_sample(const void *block)
{
	uint64_t weight = cps_point_pass(CPS_RESOURCE_OF_alloc, 0);
	uint64_t calls = cps_point_pass(CPS_RESOURCE_OF_allocs, 0);

	if (weight)
		sample_bytes(block, weight);
	if (calls)
		cps_resource_sample(CPS_RESOURCE_OF_allocs, 0, calls);
}
