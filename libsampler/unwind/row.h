/* SPDX-License-Identifier: MIT */
/*
 * row.h - rows of unwind information by address, a word each, in a table that all threads share.
 *
 * A line of the table is a line of the processor's cache. It holds what is known of 512 bytes of
 * code. A row holds for a range of addresses, mostly for the whole body of a function, and so also
 * for calls in it that were never met. An entry is a row with its range: the range's offset in the
 * line's code (`from`), and how many addresses follow (`more`).
 *
 *    63     58 57     49 48      40 39       25 24          5   4     3    2   0
 *    | tag (6) | more (9) | from (9) | fp/8 (15) | cfa (20)     | own | fp | kind |
 *
 * Where calls leave the return address in a register the CFA is a multiple of 16, and its lowest bits say where it is now.
 *
 * The tag is computed from the line's key. While a reader is kept waiting, its line may be given to
 * another key and back again. The tag lets the reader notice an entry of the other key in 63 of 64
 * such cases.
 */
#ifndef CPS_ROW_H
#define CPS_ROW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "unwind/cfi.h"

#define CPS_ROW_BITS		 9  /* bits of the addresses that share a line */
#define CPS_ROW_LINES		 14 /* bits of the number of lines */
#define CPS_ROW_ENTRIES		 7u
#define CPS_ROW_ADDRESS_BITS	 48 /* those of programs; they may ask for more */
#define CPS_ROW_GENERATION_SHIFT (CPS_ROW_ADDRESS_BITS - CPS_ROW_BITS)
#define CPS_ROW_KIND		 7u /* enum cps_row_kind */
#define CPS_ROW_FROM_FP		 8u
#define CPS_ROW_OWN		 16u /* a frame of the recorder itself */

struct cps_row_line {
	/* Address / 512 and, in the upper 25 bits, the module table's generation; 0: empty. */
	_Atomic uint64_t key;
	_Atomic uint64_t entry[CPS_ROW_ENTRIES]; /* 0: none */
};

/* NULL until cps_row_prepare. Order: the table begins as pages that the kernel has cleared, so that who has its address
 * sees nothing older than that. */
extern struct cps_row_line *_Atomic cps_row_table;

/* [signal] */
static inline struct cps_row_line *cps_row_table_now(void)
{
	return atomic_load_explicit(&cps_row_table, memory_order_relaxed);
}

/* [signal] Map the table, which is then empty. False if there is no memory. */
bool cps_row_map(void);

/* [signal] Get memory for the table, if it has none yet. False if there is none. */
static inline bool cps_row_prepare(void)
{
	return cps_row_table_now() || cps_row_map();
}

/* [signal] The offset of the CFA from its register. */
static inline int64_t cps_row_cfa(uint64_t row)
{
	int64_t cfa = (int64_t)(row << 39) >> 44;

	return CPS_REGS_HAS_LINK ? cfa & -16 : cfa;
}

/* [signal] Where the return address is. */
static inline enum cps_row_ra cps_row_ra(uint64_t row)
{
	return CPS_REGS_HAS_LINK ? (enum cps_row_ra)(row >> 5 & 15) : CPS_RA_BELOW_CFA;
}

/* [signal] Where the caller's fp is saved, as an offset from the CFA. 0: it is still in its
 * register. If the return address is saved alone: where that is. */
static inline int64_t cps_row_fp(uint64_t row)
{
	return ((int64_t)(row << 24) >> 49) * 8;
}

/* [signal] The first of the two lines, side by side, that may have the key. Neighbouring code has
 * neighbouring lines, on few pages of memory. After each four megabytes of code the order of the
 * lines is shifted, so that code at that distance does not compete for the same line. */
static inline struct cps_row_line *cps_row_line_of(uint64_t key)
{
	uint64_t pair = key + (key >> (CPS_ROW_LINES - 1)) * 2731;

	return &cps_row_table_now()[pair % (1u << (CPS_ROW_LINES - 1)) * 2];
}

/* [signal] Learn the row of an address that the table does not have. The key is that of its generation alone if it has
 * more bits than a key has room for: such a row is not kept. */
uint64_t cps_row_learn(uint64_t key, uintptr_t pc, bool is_guess);

/* [signal] */
static inline uint64_t cps_row_tag(uint64_t key)
{
	return key * UINT64_C(0xd6e8feb86659fd93) >> 58;
}

/* [signal] The entry of the line for the address at this offset in the line's code; 0: there is
 * none. If the line is written to meanwhile, its key is another one afterwards, or was another one
 * for a while before. */
static inline uint64_t cps_row_in(struct cps_row_line *line, uint64_t key, uint64_t offset)
{
	const uint64_t tag = cps_row_tag(key);

	for (unsigned i = 0; i < CPS_ROW_ENTRIES; i++) {
		uint64_t e = atomic_load_explicit(&line->entry[i], memory_order_relaxed);

		if (offset - (e >> 40 & 511) > (e >> 49 & 511) || e >> 58 != tag || !e)
			continue;
		atomic_thread_fence(memory_order_acquire);
		return atomic_load_explicit(&line->key, memory_order_relaxed) == key ? e : 0;
	}
	return 0;
}

/* [signal] The upper bits of the keys of a generation. */
static inline uint64_t cps_row_key_high(uint32_t generation)
{
	return (uint64_t)generation << CPS_ROW_GENERATION_SHIFT;
}

/* [signal] The row for an address. key_high is that of the module table's generation.
 * is_guess: it is not known that the thread runs this code, so that it may be unloaded meanwhile. */
static inline uint64_t cps_row_of(uint64_t key_high, uintptr_t pc, bool is_guess)
{
	uint64_t key = key_high | pc >> CPS_ROW_BITS, row = 0;
	struct cps_row_line *line = cps_row_line_of(key);

	if (__builtin_expect(pc >> CPS_ROW_ADDRESS_BITS, 0))
		return cps_row_learn(key_high, pc, is_guess);
	line += atomic_load_explicit(&line->key, memory_order_relaxed) != key;
	if (atomic_load_explicit(&line->key, memory_order_acquire) == key)
		row = cps_row_in(line, key, pc % (1u << CPS_ROW_BITS));
	return row ? row : cps_row_learn(key, pc, is_guess);
}

#endif
