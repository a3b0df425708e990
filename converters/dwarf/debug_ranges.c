/* SPDX-License-Identifier: MIT */
/*
 * debug_ranges.c - finds the innermost address range of the debug information that covers an
 * address.
 *
 * In: the address ranges of entries. Out: the innermost range at an address.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dwarf/debug_scopes.h"
#include "elf/address_sort.h"

/* The linker gives functions that it has dropped the address 0 or 1. */
#define DROPPED_MAX 1u

static int add(struct debug_ranges *r, uint64_t start, uint64_t end, uint32_t owner)
{
	if (start <= DROPPED_MAX || start >= end)
		return 0;
	if (!array_reserve(&r->list, &r->room, r->n + 1, sizeof(*r->list)))
		return -ENOMEM;
	r->list[r->n++] = (struct debug_range){start, end, owner};
	return 0;
}

int debug_ranges_add(struct debug_ranges *r, Dwarf_Die *die, uint32_t owner,
		     struct debug_budget *budget)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (*budget->ranges == 0)
			return 0;
		(*budget->ranges)--;
		if (add(r, start, end, owner))
			return -ENOMEM;
	}
	return 0;
}

/* Sorts outer ranges before inner ones. Of equal ranges that with the higher owner is the inner
 * one, because a parent has a lower number than what it contains. */
static int compare(const void *left, const void *right, void *unused)
{
	(void)unused;
	const struct debug_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->owner > b->owner) - (a->owner < b->owner);
}

int debug_ranges_sort(struct debug_ranges *r)
{
	if (address_sort(r->list, sizeof(*r->list), r->n, compare, NULL))
		return -ENOMEM;
	return address_ranges_cut(&r->pieces, r->list, sizeof(*r->list), r->n);
}

const struct debug_range *debug_ranges_find(const struct debug_ranges *r, uint64_t address)
{
	uint32_t range = address_ranges_find(&r->pieces, address);

	return range == ADDRESS_RANGES_NONE ? NULL : &r->list[range];
}

void debug_ranges_clear(struct debug_ranges *r)
{
	free(r->list);
	address_ranges_clear(&r->pieces);
	memset(r, 0, sizeof(*r));
}
