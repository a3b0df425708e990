/* SPDX-License-Identifier: MIT */
/*
 * announce.h - threads and modules get their records once samples speak of them.
 */
#ifndef CPS_ANNOUNCE_H
#define CPS_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/thread.h"

/* [signal] A whole record. False: the buffer is busy, or full for ever. */
bool cps_announce_record(const uint8_t *record, size_t n);

/* [signal] The thread, unless the stream has it with the name that it has now. */
void cps_announce_thread(struct cps_thread *t);

/* [signal] All modules that are used and not announced yet. */
void cps_announce_modules(void);

#endif
