/* SPDX-License-Identifier: MIT */
/*
 * recode.h - writes a batch again as a columnar one, which deflates better.
 */
#ifndef CPS_RECODE_H
#define CPS_RECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "stream/batch.h"
#include "stream/deflate_out.h"
#include "format.h"

/* ---- columnar -------------------------------------------------------------------------------- */
/*
 * Codes columnar batches, whose samples are in columns, against all that the stream has said before.
 *
 * The format is in doc/format.md, "Samples in columns". Locks: all functions need the lock of
 * deflate_out.h, because there is one stream with one coding state.
 */

/* [signal] Make the next record begin anew, because its reader does not have the earlier ones. */
void cps_columnar_forget(void);

/* [signal] Set the grain: weights of ticks are multiples of so many units. And the step, a multiple
 * of the grain: times are rounded down to so many microseconds. */
void cps_columnar_set_grain(uint32_t units, uint32_t step_us);
/* [signal] Set both for samples in microseconds of CPU time, one per interval; 0: there is none. The grain is a fiftieth of it at
 * most, and times are rounded to four grains. */
static inline void cps_columnar_set_interval(uint64_t interval_ns)
{
	uint32_t grain = 1;

	while (grain * UINT64_C(2) * 50000 <= interval_ns && grain < 1u << 16)
		grain *= 2;
	cps_columnar_set_grain(grain, interval_ns ? 4 * grain : 1);
}
/* [signal] */
uint32_t cps_columnar_grain(void);

/* ---- recode ---------------------------------------------------------------------------------- */
/*
 * Makes a batch of the journal a record of the stream.
 */

#define CPS_RECODE_PIECES (CPS_COLUMNS + 2)

/*
 * [signal] Make a columnar batch that says the same as the payload of a batch. It
 * comes as pieces for cps_deflate_out_append_pieces, which are valid until the next call. Needs the pack's
 * lock. Returns the number of pieces; 0: the batch has to go into the stream as it is. `latest` says
 * what was taken back of its samples; NULL: nothing.
 */
size_t cps_recode(const uint8_t *payload, size_t n, const struct cps_latest *latest,
		  struct cps_piece pieces[CPS_RECODE_PIECES]);

#endif
