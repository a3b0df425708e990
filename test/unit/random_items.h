/* SPDX-License-Identifier: MIT */
/*
 * random_items.h - random samples for stream_writer.c, whose paths repeat.
 */
#ifndef RANDOM_ITEMS_H
#define RANDOM_ITEMS_H

#include <stdlib.h>

#include "libsampler/format.h"
#include "stream_writer.h"

#define MODULES 5u

__attribute__((unused)) static unsigned below(unsigned n)
{
	return (unsigned)rand() % n;
}

__attribute__((unused)) static uint64_t random_wide(void)
{
	uint64_t bits = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();

	return bits >> below(64);
}

/* Few addresses, so that paths repeat and successors move. */
__attribute__((unused)) static struct writer_frame random_frame(void)
{
	struct writer_frame f = {below(MODULES), 0x1000 + below(12)};

	if (below(10) == 0)
		f.module = WRITER_NO_MODULE;
	if (below(50) == 0)
		f.address = random_wide();
	return f;
}

__attribute__((unused)) static void random_item(struct writer_item *item)
{
	size_t keep = below(3) ? item->depth - below((unsigned)item->depth / 8 + 1) : 0;
	unsigned more = below(4) ? below(4) : below(WRITER_DEPTH - (unsigned)keep);

	item->depth = keep;
	for (unsigned i = 0; i < more && item->depth < WRITER_DEPTH; i++)
		item->stack[item->depth++] = random_frame();
	if (below(4) == 0)
		item->thread = below(3) ? below(4) : (uint32_t)random_wide();
	item->mark = below(5) ? 0 : below(CPS_MARK_COUNT);
	item->tail = below(20) == 0;
	item->weight = below(3) ? 10000 : random_wide() % (UINT64_C(1) << 40);
	item->time_us += below(3) ? item->weight : random_wide() % (UINT64_C(1) << 40);
}

#endif
