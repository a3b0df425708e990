/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - the numbers of stacks that the stream has had (doc/format.md, "Samples in columns").
 *
 * Locks: the pack's (pack.h), as for all of the stream's coding.
 */
#ifndef CPS_STACKS_H
#define CPS_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "format.h"

/* A sequence of numbers as 128 bits: two sequences that a program could ever have differ in them. */
struct cps_stack_key {
	uint64_t a, b;
};

/* Of the empty sequence. Were it 0, a 0 would not change it. */
#define CPS_STACK_KEY_EMPTY                                                                        \
	((struct cps_stack_key){UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)})

/* [signal] The key of a sequence with one number more. */
static inline struct cps_stack_key cps_stack_key_with(struct cps_stack_key key, uint64_t number)
{
	key.a = (key.a ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	key.a ^= key.a >> 32;
	key.b = (key.b + number) * UINT64_C(0xd6e8feb86659fd93);
	key.b ^= key.b >> 29;
	return key;
}

/* [signal] Memory for it: false if there is none. */
bool cps_stacks_prepare(void);

/* [signal] No stack has a number. */
void cps_stacks_forget(void);

/* [signal] The next number is this stack's. It takes the place of the one that had it longest ago. */
void cps_stacks_add(struct cps_stack_key key);

/*
 * [signal] A stack that comes again: how many others were there since it was there last, if these
 * are fewer than CPS_RECENT; else CPS_RECENT, and *number is the stack's. False: it has no number.
 */
bool cps_stacks_again(struct cps_stack_key key, uint32_t *place, uint32_t *number);

#endif
