/* SPDX-License-Identifier: MIT */
/*
 * row.c - learns the row of an address and puts it into the table.
 *
 * Room: signal. In: addresses, call frame information. Out: one-word rows. An address costs its
 * search in .eh_frame once, or again when another one has taken its slot.
 */
#include <stdbool.h>

#include "cfi.h"
#include "module.h"
#include "row.h"
#include "poison.h"

struct cps_row_slot cps_row_table[1u << CPS_ROW_BITS];

static uint64_t pack(const struct cps_row *row, bool own, uint64_t tag)
{
	int32_t cfa = row->cfa_offset, fp = row->fp_offset;
	uint64_t kind = row->kind;

	if (row->kind == CPS_ROW_FAST && (cfa < -(1 << 19) || cfa >= 1 << 19 || fp % 8 ||
					  fp / 8 < -(1 << 14) || fp / 8 >= 1 << 14)) {
		kind = CPS_ROW_SLOW;
		cfa = fp = 0;
	}
	return kind | (uint64_t)row->from_fp << 3 | (uint64_t)own << 4 |
	       ((uint64_t)cfa & 0xfffff) << 5 | ((uint64_t)(fp / 8) & 0x7fff) << 25 | tag << 40;
}

uint64_t cps_row_learn(uint64_t key, uintptr_t pc, uint64_t tag)
{
	struct cps_row_slot *slot = &cps_row_table[cps_row_hash(key) >> (64 - CPS_ROW_BITS)];
	struct cps_row row = {.kind = CPS_ROW_NONE};
	bool own = false, is_sure;
	uint32_t number = cps_module_find_now(pc, &is_sure);
	uint64_t packed;

	if (number != CPS_MODULE_NONE) {
		const struct cps_module *m = cps_module_get(number);

		if (!cps_module_read_begin(m))
			return pack(&row, false, tag);
		cps_cfi_row(m, pc, &row);
		own = m->is_own;
		cps_module_read_end(m);
	}
	if (!is_sure && row.kind == CPS_ROW_FAST)
		row.kind = CPS_ROW_SLOW; /* its step is not one to be remembered */
	packed = pack(&row, own, tag);
	if (!is_sure)
		return packed;
	atomic_store_explicit(&slot->key, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->row, packed, memory_order_release);
	atomic_store_explicit(&slot->key, key, memory_order_release);
	return packed;
}
