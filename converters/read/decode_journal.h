/* SPDX-License-Identifier: MIT */
/*
 * decode_journal.h - decodes what a journal has that its stream lacks, and knows whether somebody
 * still writes it.
 */
#ifndef READ_DECODE_JOURNAL_H
#define READ_DECODE_JOURNAL_H

#include <stdbool.h>

#include "read/event.h"

/* ---- process life ---------------------------------------------------------------------------- */

/*
 * Whether a process with the number `pid` runs on this machine and was there when the recording
 * began. So a later process that happens to have the same number is not taken for it. `host` is the
 * recording's: with another name, or none, nothing is known.
 */
bool process_life_goes_on(uint64_t pid, uint64_t start_ns, struct event_text host);

/* What the journal of a recording says. */
enum process_life_use { PROCESS_LIFE_NOT_KNOWN, PROCESS_LIFE_IN_USE, PROCESS_LIFE_AT_REST };

#endif
