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
/* [signal] The same, but wait for it, a second at most: not for the handler. */
bool cps_pack_wait(void);
/* [signal] */
void cps_pack_release(void);

/* [signal] Create the file (it must not exist) with the plain head. It is never to have more
 * bytes than `limit`; 0: no limit. 0 or -errno. The path stays the caller's and must last. */
int cps_pack_create(const char *path, uint64_t limit);

#define CPS_PACK_LIMIT                                                                             \
	(-4096) /* the limit is reached; no errno, for a file system may have one, too */

/* [signal] Can something be appended at this moment? 0; -EBUSY: not now, the target has no
 * descriptor left; or the error that every append gives. */
int cps_pack_ready(void);

struct cps_piece {
	const uint8_t *bytes;
	size_t n;
};

/* [signal] Append these bytes; afterwards all of them can be read back. 0, CPS_PACK_LIMIT or
 * -errno. After an error the file is as it was before, and every further append fails likewise. */
int cps_pack_append(const uint8_t *bytes, size_t n);

/* [signal] The same for several pieces, of which each that is long enough gets codes of its own. */
int cps_pack_append_pieces(const struct cps_piece *pieces, size_t n);

/* [signal] Append these bytes, at most 1,000, as the last ones, even after an error. 0 or -errno. */
int cps_pack_finish(const uint8_t *bytes, size_t n);

/* [signal] They were not the last ones after all: take away what cps_pack_finish has written. */
int cps_pack_unfinish(void);

/* [signal] May files be opened? If not, whatever is asked for fails with -EPERM, without a
 * system call. Waits for whoever has the lock. Returns what was allowed before. */
bool cps_pack_allow(bool is_allowed);
/* [signal] */
bool cps_pack_is_allowed(void);

/* [signal] Nothing is to come any more after an error: take the file away, for it says nothing. */
void cps_pack_discard(void);

/* [signal] Why nothing can be appended any more: CPS_PACK_LIMIT, -errno; or 0. Needs no lock. */
int cps_pack_error(void);

/* [signal] Bytes so far, before compression. */
uint64_t cps_pack_bytes(void);

/* [signal] Forget the file, in a child that has none yet: it closes what another thread of its
 * parent had open. Needs no lock. */
void cps_pack_reset(void);

#endif
