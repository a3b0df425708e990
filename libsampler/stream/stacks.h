/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - the numbers of stacks that the stream contains (doc/format.md, "Samples in columns").
 *
 * Locks: all functions need the lock of pack.h, as all coding of the stream does.
 */
#ifndef CPS_STACKS_H
#define CPS_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "format.h"

/* A hash of a sequence of numbers, of 128 bits: any two sequences that a program could have differ
 * in it. */
struct cps_stack_key {
	uint64_t a, b;
};

/* The key of the empty sequence. It is not 0, because then a 0 in the sequence would not change
 * it. */
#define CPS_STACK_KEY_EMPTY                                                                        \
	((struct cps_stack_key){UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)})

/* [signal] The key of a sequence that is longer by one number. */
static inline struct cps_stack_key cps_stack_key_with(struct cps_stack_key key, uint64_t number)
{
	key.a = (key.a ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	key.a ^= key.a >> 32;
	key.b = (key.b + number) * UINT64_C(0xd6e8feb86659fd93);
	key.b ^= key.b >> 29;
	return key;
}

/* [signal] Get the memory. False if there is none. */
bool cps_stacks_prepare(void);

/* [signal] Forget all numbers. */
void cps_stacks_forget(void);

/* [signal] Give the next number to this stack. After the highest number come the lowest ones again,
 * which are taken from the stacks that have had them longest. */
void cps_stacks_add(struct cps_stack_key key);

/*
 * [signal] Find a stack that comes again. *place is how many other stacks were used since it was
 * used last, if they are fewer than CPS_RECENT. Otherwise *place is CPS_RECENT, and *number is the
 * stack's number. False: it has no number.
 */
bool cps_stacks_again(struct cps_stack_key key, uint32_t *place, uint32_t *number);

#endif
