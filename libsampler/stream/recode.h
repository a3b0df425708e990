/* SPDX-License-Identifier: MIT */
/*
 * recode.h - a batch of the journal becomes a record of the stream.
 */
#ifndef CPS_RECODE_H
#define CPS_RECODE_H

#include "stream/pack.h"

#define CPS_RECODE_PIECES (CPS_COLUMNS + 2)

/*
 * [signal] The record of samples in columns that says what the payload of a batch says, as pieces
 * for cps_pack_append_pieces; valid until the next call. Needs the pack's lock. Returns how many
 * pieces; 0: not this one, it has to go into the stream as it is.
 */
size_t cps_recode(const uint8_t *payload, size_t n, struct cps_piece pieces[CPS_RECODE_PIECES]);

#endif
