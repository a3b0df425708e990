/* SPDX-License-Identifier: MIT */
/*
 * announce.h - writes the record of a thread, module or Python function once samples mention it.
 */
#ifndef CPS_ANNOUNCE_H
#define CPS_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/thread.h"

/* [signal] Add a whole record. False: the buffer is busy, or full for ever. */
bool cps_announce_record(const uint8_t *record, size_t n);

/* [signal] Write the record of a thread, unless the stream already has one with its present
 * name. */
void cps_announce_thread(struct cps_thread *t);

/* [signal] The same for a thread that ends, which may be any, if it has a sample: its name may have changed. */
void cps_announce_thread_end(struct cps_thread *t);

/* [signal] Write the records of all modules and Python functions that are used and not announced
 * yet. */
void cps_announce_news(void);

#endif
