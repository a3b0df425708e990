/* SPDX-License-Identifier: MIT */
/*
 * recode.h - makes a batch of the journal a record of the stream.
 */
#ifndef CPS_RECODE_H
#define CPS_RECODE_H

#include "stream/latest.h"
#include "stream/pack.h"

#define CPS_RECODE_PIECES (CPS_COLUMNS + 2)

/*
 * [signal] Make a record of samples in columns that says the same as the payload of a batch. It
 * comes as pieces for cps_pack_append_pieces, which are valid until the next call. Needs the pack's
 * lock. Returns the number of pieces; 0: the batch has to go into the stream as it is. `latest` says
 * what was taken back of its samples; NULL: nothing.
 */
size_t cps_recode(const uint8_t *payload, size_t n, const struct cps_latest *latest,
		  struct cps_piece pieces[CPS_RECODE_PIECES]);

#endif
