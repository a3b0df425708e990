/* SPDX-License-Identifier: MIT */
/*
 * peek.c - reads words by copying their page.
 *
 * In: an address. Out: a word. The next words of a stack most often lie in the same page.
 */
#include "base/copy.h"
#include "unwind/peek.h"
#include "base/poison.h"

/* Where the copy could fault, an address outside of the known stack is not tried if it was guessed:
 * that memory may belong to anything, which may be gone the next moment. A guess that lies within
 * the stack is tried, because the thread is using it. */
bool cps_peek_copied(const struct cps_peek *k, uintptr_t address, uint64_t *value)
{
	uintptr_t page = address & ~(uintptr_t)4095;

	if (k->high && address - k->low >= k->high - k->low)
		return false;
	if (!k->high && k->is_guess && !cps_copy_is_safe())
		return false;
	if (!page) /* as is the page of a copy that could not be made */
		return false;
	if (page != k->copy->page) {
		k->copy->page = 0;
		if (!cps_copy(k->copy->word, page, sizeof(k->copy->word)))
			return false;
		k->copy->page = page;
	}
	*value = k->copy->word[(address & 4095) / 8];
	return true;
}
