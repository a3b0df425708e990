/* SPDX-License-Identifier: MIT */
/*
 * own_stack.c - hands out stacks for the handler.
 *
 * In: a function. Out: its call on another stack. There are as many stacks as buffers, because more
 * handlers could not work at the same time.
 *
 * Order: a stack belongs to who has acquired its flag, and is released by clearing it; its address is read and made
 * in between.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "base/arena.h"
#include "signal/own_stack.h"
#include "unwind/regs.h"
#include "base/poison.h"

#define STACKS	    17u
#define STACK_BYTES (64u << 10)

static struct {
	atomic_flag lock;
	_Atomic(char *) bytes; /* NULL until it is first used */
} stacks[STACKS];

static char *bytes_of(uint32_t i)
{
	char *bytes = atomic_load_explicit(&stacks[i].bytes, memory_order_relaxed);

	if (!bytes) {
		bytes = cps_arena_pages(STACK_BYTES);
		atomic_store_explicit(&stacks[i].bytes, bytes, memory_order_relaxed);
	}
	return bytes;
}

bool cps_own_stack_call(uint32_t wish, void (*f)(void *), void *argument)
{
	for (uint32_t k = 0; k < STACKS; k++) {
		uint32_t i = (wish + k) % STACKS;
		char *bytes;

		if (atomic_flag_test_and_set_explicit(&stacks[i].lock, memory_order_acquire))
			continue;
		bytes = bytes_of(i);
		if (bytes)
			cps_regs_call_on_stack(bytes + STACK_BYTES - 64, f, argument);
		atomic_flag_clear_explicit(&stacks[i].lock, memory_order_release);
		return bytes != NULL;
	}
	return false;
}

void cps_own_stack_reset(void)
{
	for (uint32_t i = 0; i < STACKS; i++)
		atomic_flag_clear(&stacks[i].lock);
}
