/* SPDX-License-Identifier: MIT */
/*
 * peek.h - reads the target's stack without ever faulting.
 *
 * Between the interrupted stack pointer and the known top of the thread's stack everything is
 * mapped. There the words that unwind tables speak of are read directly. What is only guessed is
 * not: a page in the middle of a stack may be protected. Where the bounds are not known (alternate
 * stacks, coroutines), nothing is read directly (doc/decisions/0045).
 */
#ifndef CPS_PEEK_H
#define CPS_PEEK_H

#include <stdbool.h>
#include <stdint.h>

struct cps_peek_copy;

struct cps_peek {
	uintptr_t low, high;	    /* the stack is [low, high); 0, 0: nothing is known */
	uintptr_t direct;	    /* bytes from `low` on that may be read directly */
	bool is_guess;		    /* the walk does not follow unwind tables any more */
	struct cps_peek_copy *copy; /* of the page that was read last otherwise */
};

/* A copy of one page of memory. */
struct cps_peek_copy {
	uintptr_t page; /* its address; 0: none */
	uint64_t word[512];
};

/* [signal] Whatever is read from now on is a guess: nothing is read directly. */
static inline void cps_peek_guess(struct cps_peek *k)
{
	k->direct = 0;
	k->is_guess = true;
}

/* [signal] The walk has left the stack whose bounds were known. */
static inline void cps_peek_leave(struct cps_peek *k)
{
	k->low = k->high = k->direct = 0;
}

/* [signal] Read eight bytes at an aligned address that must not be read directly. */
bool cps_peek_copied(const struct cps_peek *k, uintptr_t address, uint64_t *value);

/* [signal] Read eight bytes at an aligned address. False if they cannot be read. */
static inline bool cps_peek(const struct cps_peek *k, uintptr_t address, uint64_t *value)
{
	if (address & 7)
		return false;
	if (address - k->low >= k->direct)
		return cps_peek_copied(k, address, value);
	*value = *(const volatile uint64_t *)address;
	return true;
}

#endif
