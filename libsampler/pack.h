/* SPDX-License-Identifier: MIT */
/*
 * pack.h - records become deflated bytes at the end of the stream file.
 *
 * Locks: one, which is tried and never waited for; all functions below cps_pack_try need it held.
 * The file is opened for each append and closed again: the target may close or inherit any
 * descriptor.
 */
#ifndef CPS_PACK_H
#define CPS_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [signal] Take the lock; false: another thread is deflating. */
bool cps_pack_try(void);
/* [signal] */
void cps_pack_release(void);

/* [signal] Create the file (it must not exist) with the plain head. 0 or -errno. The path stays the
 * caller's and must last. */
int cps_pack_create(const char *path);

enum cps_pack_end { CPS_PACK_SYNC, CPS_PACK_FINISH };

/* [signal] Append these bytes; afterwards all of them can be read back. 0 or -errno; after an error
 * nothing more may be appended. */
int cps_pack_append(const uint8_t *bytes, size_t n, enum cps_pack_end end);

/* [signal] Bytes so far, before compression. */
uint64_t cps_pack_bytes(void);

#endif
