/* SPDX-License-Identifier: MIT */
/*
 * deflate_out.h - deflates bytes and appends them to the stream.
 *
 * Locks: one, which is tried and never waited for. All functions below cps_deflate_out_try need it. The
 * file is opened for each append and closed again, because the target may close or inherit any
 * descriptor.
 */
#ifndef CPS_DEFLATE_OUT_H
#define CPS_DEFLATE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [signal] Take the lock. False: another thread is deflating. */
bool cps_deflate_out_try(void);
/* [signal] The same, but wait for the lock, a second at most. Not for the handler. */
bool cps_deflate_out_wait(void);
/* [signal] */
void cps_deflate_out_release(void);

/* [signal] Create the file, which must not exist, with the plain head of this version of the format. It will never have more
 * bytes than `limit`; 0: no limit. 0 or -errno. The path stays the caller's and must last. */
int cps_deflate_out_create(const char *path, uint64_t limit, uint8_t version);

#define CPS_PACK_LIMIT                                                                             \
	(-4096) /* the limit is reached; no errno, because a file system may have one, too */

/* [signal] Whether something can be appended now. 0; -EBUSY: not now, because the target has no
 * descriptor left; or the error that every append returns. */
int cps_deflate_out_ready(void);

struct cps_piece {
	const uint8_t *bytes;
	size_t n;
};

/* [signal] Append these bytes; afterwards all of them can be read back. 0, CPS_PACK_LIMIT or
 * -errno. After an error the file is as it was before, and every further append fails, too. */
int cps_deflate_out_append(const uint8_t *bytes, size_t n);

/* [signal] The same for several pieces. Each that is long enough gets its own table of codes. */
int cps_deflate_out_append_pieces(const struct cps_piece *pieces, size_t n);

/* [signal] Whether it is time for a block of the stream: a part that can be read without what is before it. */
bool cps_deflate_out_block_is_full(void);
/* [signal] The number of blocks that were begun; the next one has it plus 1. */
uint64_t cps_deflate_out_blocks(void);
/* [signal] Begin a block with these bytes, otherwise as cps_deflate_out_append. */
int cps_deflate_out_append_block(const uint8_t *bytes, size_t n);

/* [signal] Append these bytes, at most 1,000, as the last ones. This is possible even after an
 * error. 0 or -errno. */
int cps_deflate_out_finish(const uint8_t *bytes, size_t n);

/* The most that cps_deflate_out_finish makes the file grow by. */
#define CPS_PACK_END_MOST 1000

/* [signal] Whether a file with these last bytes has such an end. `n` is CPS_PACK_END_MOST, or less if
 * the file is shorter. */
bool cps_deflate_out_has_end(const uint8_t *last, size_t n);

/* [signal] Remove again what cps_deflate_out_finish has written. */
int cps_deflate_out_unfinish(void);

/* [signal] Remove the file after an error at its beginning: it contains nothing yet. */
void cps_deflate_out_discard(void);

/* [signal] Why nothing can be appended any more: CPS_PACK_LIMIT or -errno; otherwise 0. Needs no
 * lock. */
int cps_deflate_out_error(void);

/* [signal] Whether it was for want of a descriptor that nothing could be appended when this was tried last. Needs
 * no lock. */
bool cps_deflate_out_lacks_descriptor(void);

/* [signal] The number of bytes so far, before compression. */
uint64_t cps_deflate_out_bytes(void);

/* [signal] The number of bytes in the file. */
uint64_t cps_deflate_out_file_bytes(void);

/* [signal] Forget the file, in a child that has none yet, and close it if another thread of the
 * parent had it open. Needs no lock. */
void cps_deflate_out_reset(void);

#endif
