/* SPDX-License-Identifier: MIT */
/*
 * latest.c - remembers what the latest samples of a batch weigh, and takes a part of it back.
 *
 * In: the weights of samples, and how much of them is too much. Out: what each weighs less when its batch
 * becomes a record of the stream.
 */
#include <stddef.h>

#include "stream/journal.h"
#include "stream/latest.h"
#include "base/poison.h"

void cps_latest_begin(struct cps_latest *l)
{
	l->n = 0;
}

void cps_latest_add(struct cps_latest *l, uint32_t thread, uint64_t weight)
{
	l->item[l->n++ % CPS_LATEST] = (struct cps_latest_item){thread, weight, 0};
}

uint64_t cps_latest_taken(const struct cps_latest *l, uint32_t i)
{
	return l && i < l->n && l->n - i <= CPS_LATEST ? l->item[i % CPS_LATEST].taken : 0;
}

uint64_t cps_latest_take(struct cps_latest *l, uint32_t thread, uint64_t weight)
{
	uint64_t left = weight;

	for (uint32_t k = 1; k <= l->n && k <= CPS_LATEST && left; k++) {
		struct cps_latest_item *i = &l->item[(l->n - k) % CPS_LATEST];
		uint64_t part = i->weight < left ? i->weight : left;

		if (i->thread != thread && thread != CPS_LATEST_ANY)
			continue;
		i->weight -= part;
		i->taken += part;
		left -= part;
	}
	return weight - left;
}

/* A thread's own buffer is the first that is asked (recording.c, `place`). */
uint64_t cps_latest_take_back(uint32_t thread, uint64_t weight)
{
	uint64_t left = weight;

	for (uint32_t i = 0; i < CPS_BUFFERS && left; i++) {
		uint32_t number = 1 + (thread + i) % CPS_BUFFERS;
		struct cps_buffer *b = cps_journal_acquire_number(number);

		if (!b)
			continue;
		if (b->batch && b->is_begun)
			left -= cps_latest_take(&b->batch->latest, thread, left);
		cps_journal_release(b);
	}
	return weight - left;
}
