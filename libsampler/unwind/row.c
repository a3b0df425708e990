/* SPDX-License-Identifier: MIT */
/*
 * row.c - learns the row of an address and puts it into the table.
 *
 * In: addresses, call frame information. Out: one-word rows. A range of addresses is searched in
 * .eh_frame once, and again when its line of the table was given to other code. A thread that finds
 * a line locked does not use the table. So a line that stays locked for ever does no harm, as
 * happens when a child is forked at that moment.
 *
 * Order: a fence keeps the entries that are written to a line behind the key LOCKED, and the new key releases them. A
 * reader acquires the key, reads an entry, and has a fence before it looks at the key again. If the entry is
 * of a later key, the key that is seen then is none that was before it. That the line may have been given to another
 * key and back again is what the tag is for.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "unwind/cfi.h"
#include "unwind/module.h"
#include "unwind/registered.h"
#include "unwind/row.h"
#include "base/poison.h"

#define LOCKED UINT64_MAX

#define NONE_BITS 13

struct tables {
	struct cps_row_line line[1u << CPS_ROW_LINES];
	/* Addresses without unwind information, together with the generation. Generated code has many of
	 * them side by side, and no range is known in which all are without. */
	_Atomic uint64_t nothing_at[1u << NONE_BITS];
};

struct cps_row_line *_Atomic cps_row_table;

/* Not .bss, since most processes of a tree end before they have a sample, and a limit of data counts
 * all of it. */
bool cps_row_map(void)
{
	struct tables *fresh = cps_arena_pages(sizeof(*fresh));
	struct cps_row_line *none = NULL;

	if (!fresh)
		return false;
	if (!atomic_compare_exchange_strong(&cps_row_table, &none, fresh->line))
		cps_arena_unmap(fresh, sizeof(*fresh));
	return true;
}

static uint64_t pack(const struct cps_row *row, bool own)
{
	int32_t cfa = row->cfa_offset, fp = row->fp_offset;
	uint64_t kind = row->kind;

	if (row->kind == CPS_ROW_FAST &&
	    (cfa < -(1 << 19) || cfa >= 1 << 19 || fp % 8 || fp / 8 < -(1 << 14) ||
	     fp / 8 >= 1 << 14 || (CPS_REGS_HAS_LINK && cfa % 16))) {
		kind = CPS_ROW_SLOW;
		cfa = fp = 0;
	}
	if (CPS_REGS_HAS_LINK && kind == CPS_ROW_FAST)
		cfa |= row->ra;
	return kind | (uint64_t)row->from_fp << 3 | (uint64_t)own << 4 |
	       ((uint64_t)cfa & 0xfffff) << 5 | ((uint64_t)(fp / 8) & 0x7fff) << 25;
}

static _Atomic uint64_t *nothing(uint64_t address)
{
	struct tables *t = (struct tables *)cps_row_table_now();

	return &t->nothing_at[address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NONE_BITS)];
}

/* Adds the part of the row's range that lies in the line of pc. */
static uint64_t pack_range(uint64_t packed, const struct cps_row *row, uintptr_t pc)
{
	uintptr_t first = pc >> CPS_ROW_BITS << CPS_ROW_BITS;
	uintptr_t last = first + ((1u << CPS_ROW_BITS) - 1);
	uintptr_t from = row->from > first ? row->from : first;
	uintptr_t to = row->until - 1 < last ? row->until - 1 : last;

	return packed | (uint64_t)(from - first) << 40 | (uint64_t)(to - from) << 49;
}

/* The line that has the key, or that is to be given to it: an empty one, or one of an older
 * generation. If both lines of the pair are in use, the lowest bit of the key chooses, which is as
 * good as chance. */
static struct cps_row_line *line_for(uint64_t key)
{
	struct cps_row_line *pair = cps_row_line_of(key);

	for (uint64_t want = key;; want = 0) {
		for (int i = 0; i < 2; i++)
			if (atomic_load_explicit(&pair[i].key, memory_order_relaxed) == want)
				return &pair[i];
		for (int i = 0; !want && i < 2; i++) /* of an older generation */
			if ((atomic_load_explicit(&pair[i].key, memory_order_relaxed) ^ key) >>
			    CPS_ROW_GENERATION_SHIFT)
				return &pair[i];
		if (!want)
			return &pair[key & 1];
	}
}

static void put(uint64_t key, uint64_t entry)
{
	struct cps_row_line *line = line_for(key);
	uint64_t before = atomic_load_explicit(&line->key, memory_order_relaxed);
	unsigned i = 0;

	if (!key || key == LOCKED || before == LOCKED ||
	    !atomic_compare_exchange_strong(&line->key, &before, LOCKED))
		return;
	atomic_thread_fence(memory_order_release);
	for (unsigned k = 0; before != key && k < CPS_ROW_ENTRIES; k++)
		atomic_store_explicit(&line->entry[k], 0, memory_order_relaxed);
	while (i < CPS_ROW_ENTRIES && atomic_load_explicit(&line->entry[i], memory_order_relaxed))
		i++;
	if (i == CPS_ROW_ENTRIES)
		i = (unsigned)(entry >> 40) % CPS_ROW_ENTRIES;
	atomic_store_explicit(&line->entry[i], entry, memory_order_relaxed);
	atomic_store_explicit(&line->key, key, memory_order_release);
}

/* An address that is nothing now may belong to a library that is loaded later, or get unwind information. */
static uint64_t nothing_key(uint64_t key, uintptr_t pc)
{
	uint64_t state =
		(key >> CPS_ROW_GENERATION_SHIFT) + cps_module_count() + cps_registered_count();

	return pc ^ (state * UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t cps_row_learn(uint64_t key, uintptr_t pc, bool is_guess)
{
	struct cps_row row = {.kind = CPS_ROW_NONE, .from = pc, .until = pc + 1};
	uint64_t address = nothing_key(key, pc), packed;
	bool own = false, is_sure;
	uintptr_t there = pc;
	struct cps_registered registered;
	const struct cps_module *m;
	uint32_t number;

	if (atomic_load_explicit(nothing(address), memory_order_relaxed) == address)
		return CPS_ROW_NONE;
	number = cps_module_find_now(pc, &is_sure);
	m = cps_registered_module(number, &there, &registered);
	if (m) {
		cps_cfi_row(m, there, is_guess, &row);
		row.from += pc - there;
		row.until += pc - there;
		own = m->is_own;
	}
	if (!is_sure && row.kind == CPS_ROW_FAST)
		row.kind = CPS_ROW_SLOW; /* the quick step by it must not be kept in a trail */
	packed = pack(&row, own);
	if (is_sure && packed && !(pc >> CPS_ROW_ADDRESS_BITS))
		put(key, pack_range(packed, &row, pc) | cps_row_tag(key) << 58);
	else if (is_sure && !packed)
		atomic_store_explicit(nothing(address), address, memory_order_relaxed);
	return packed;
}
