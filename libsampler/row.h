/* SPDX-License-Identifier: MIT */
/*
 * row.h - the unwinder's rows by address, a word each, in a table that all threads share.
 *
 * A row has a tag of its address, so that two threads that write one slot at the same time cannot
 * make a false pair:
 *
 *   63        40 39       25 24          5   4     3    2   0
 *   | tag (24) | fp/8 (15) | cfa (20)     | own | fp | kind |
 */
#ifndef CPS_ROW_H
#define CPS_ROW_H

#include <stdatomic.h>
#include <stdint.h>

#define CPS_ROW_BITS	15 /* of the table's size */
#define CPS_ROW_KIND	7u /* enum cps_row_kind */
#define CPS_ROW_FROM_FP 8u
#define CPS_ROW_OWN	16u /* a frame of the recorder itself */

struct cps_row_slot {
	_Atomic uint64_t key; /* address and, in the upper 16 bits, the module table's generation */
	_Atomic uint64_t row;
};

extern struct cps_row_slot cps_row_table[1u << CPS_ROW_BITS];

/* [signal] The offset of the CFA from its register. */
static inline int64_t cps_row_cfa(uint64_t row)
{
	return (int64_t)(row << 39) >> 44;
}

/* [signal] Where the caller's fp is, from the CFA; 0: in its register. */
static inline int64_t cps_row_fp(uint64_t row)
{
	return ((int64_t)(row << 24) >> 49) * 8;
}

/* [signal] */
static inline uint64_t cps_row_hash(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

/* [signal] What the table does not have. */
uint64_t cps_row_learn(uint64_t key, uintptr_t pc, uint64_t tag);

/* [signal] The row for an address; key_high is the generation. */
static inline uint64_t cps_row_of(uint64_t key_high, uintptr_t pc)
{
	uint64_t key = key_high | pc, hash = cps_row_hash(key);
	uint64_t tag = hash >> (64 - CPS_ROW_BITS - 24) & 0xffffff;
	struct cps_row_slot *slot = &cps_row_table[hash >> (64 - CPS_ROW_BITS)];

	if (atomic_load_explicit(&slot->key, memory_order_acquire) == key) {
		uint64_t row = atomic_load_explicit(&slot->row, memory_order_relaxed);

		if (row >> 40 == tag)
			return row;
	}
	return cps_row_learn(key, pc, tag);
}

#endif
