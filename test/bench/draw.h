/* SPDX-License-Identifier: MIT */
/*
 * draw.h - numbers drawn by chance, other ones in each run, so that nothing falls in step with a clock.
 */
#ifndef DRAW_H
#define DRAW_H

#include <stdint.h>
#include <time.h>

/* A number below `below` (xorshift64*). */
static __attribute__((unused)) uint64_t draw(uint64_t below)
{
	static uint64_t state;

	if (!state) {
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		state = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) | 1;
	}
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * UINT64_C(2685821657736338717) >> 32) % below;
}

#endif
