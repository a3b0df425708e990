/* SPDX-License-Identifier: MIT */
/*
 * test_peek.c - what is read is what is there, and what cannot be read is not given.
 *
 * Each property is asked with the copy in every state that a walk can leave it in.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "libsampler/base/memory.h"

#define PAGE 4096u

static uint8_t *pages; /* one that can be read, one that cannot, one that can */

static void start(void)
{
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(pages, MAP_FAILED);
	for (size_t i = 0; i < 3 * PAGE; i++)
		pages[i] = (uint8_t)(i * 7 + i / 256);
	cr_assert_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
}

/* Whether the word at an address is given if it can be read, and not otherwise. */
static bool is_right(const struct cps_peek *peek, uintptr_t address)
{
	uintptr_t offset = address - (uintptr_t)pages;
	bool is_there = address % 8 == 0 && offset < 3 * PAGE && offset / PAGE != 1;
	uint64_t word = 0, there = 0;

	if (cps_peek(peek, address, &word) != is_there)
		return false;
	if (is_there)
		memcpy(&there, (void *)address, 8);
	return word == there;
}

Test(peek, every_address_after_every_other)
{
	struct cps_peek_copy copy;
	struct cps_peek peek = {.copy = &copy};
	uintptr_t first, addresses[20];
	size_t n = 0;

	start();
	first = (uintptr_t)pages;
	for (uintptr_t i = 0; i < 3; i++) {
		addresses[n++] = first + i * PAGE;
		addresses[n++] = first + i * PAGE + 4;
		addresses[n++] = first + i * PAGE + PAGE - 8;
	}
	/* The first page of memory, and what no program has. */
	for (uintptr_t i = 0; i < 5; i++)
		addresses[n++] = i * 8;
	addresses[n++] = PAGE - 8;
	addresses[n++] = PAGE;
	addresses[n++] = UINTPTR_MAX - 7;
	addresses[n++] = (uintptr_t)1 << 63;
	for (int guess = 0; guess < 2; guess++) {
		memset(&copy, 0x5a, sizeof(copy)); /* as memory that nobody has set */
		copy.page = 0;
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < n; k++) {
				cr_assert(is_right(&peek, addresses[i]), "%zu", i);
				cr_assert(is_right(&peek, addresses[k]), "%zu after %zu", k, i);
			}
		}
		cps_peek_guess(&peek);
	}
}

/* What lies outside of a known stack is only read where a copy cannot fault, and that is not known
 * of bounds: it is left alone. */
Test(peek, only_the_stack_if_it_is_known)
{
	struct cps_peek_copy copy = {.page = 0};
	struct cps_peek peek = {.copy = &copy};
	uint64_t word;

	start();
	peek.low = (uintptr_t)pages + 64;
	peek.high = (uintptr_t)pages + 128;
	for (size_t i = 0; i < 256; i += 8)
		cr_assert_eq(cps_peek(&peek, (uintptr_t)pages + i, &word), i >= 64 && i < 128);
	cps_peek_leave(&peek);
	cr_assert(cps_peek(&peek, (uintptr_t)pages, &word));
}
