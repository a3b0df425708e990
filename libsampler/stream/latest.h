/* SPDX-License-Identifier: MIT */
/*
 * latest.h - remembers what the latest samples of a batch weigh, and takes a part of it back.
 *
 * A clock may credit a sample ahead, with what its thread is going to use. A thread that ends sooner has
 * been credited too much. That is taken back from its latest samples, as long as their batch is in memory.
 * A copy in the journal keeps the weight that they had.
 *
 * Locks: the caller holds the lock of the buffer that the batch is in. cps_latest_take_back takes it.
 */
#ifndef CPS_LATEST_H
#define CPS_LATEST_H

#include <stdint.h>

#define CPS_LATEST     64u
#define CPS_LATEST_ANY UINT32_MAX /* instead of a thread: all of them */

struct cps_latest_item {
	uint32_t thread;
	uint64_t weight, taken; /* what it still weighs; and what was taken back of it */
};

struct cps_latest {
	uint32_t n; /* items of the batch so far */
	struct cps_latest_item item[CPS_LATEST];
};

/* [signal] The batch begins. */
void cps_latest_begin(struct cps_latest *l);

/* [signal] The batch has one more item, of which so much may be taken back. */
void cps_latest_add(struct cps_latest *l, uint32_t thread, uint64_t weight);

/* [signal] What was taken back of item i of the batch. 0 for l NULL. */
uint64_t cps_latest_taken(const struct cps_latest *l, uint32_t i);

/* [signal] Take back so much, or as much as there is, of the batch's items of that thread, from the last one
 * on. Returns how much that was. */
uint64_t cps_latest_take(struct cps_latest *l, uint32_t thread, uint64_t weight);

/* [signal] The same, of all batches that are in memory and that nobody uses now. */
uint64_t cps_latest_take_back(uint32_t thread, uint64_t weight);

#endif
