/* SPDX-License-Identifier: MIT */
/*
 * drain.h - moves what waits in the journal to the stream.
 */
#ifndef CPS_DRAIN_H
#define CPS_DRAIN_H

#include "stream/journal.h"
#include "stream/record.h"

/* [signal] Empty an acquired buffer. 0; -EBUSY when another thread is deflating; or -errno, now and
 * for ever. If the limit of the file's size is reached, recording is stopped (loss.h). */
int cps_drain(struct cps_buffer *b);

/* [signal] Whether cps_drain_all has acquired all buffers. Waits for those that it has not. */
bool cps_drain_is_complete(void);

/*
 * [signal] Empty all buffers, write the end record, finish the stream. Nothing can be added
 * afterwards. Waits, a second at most, for handlers in other threads.
 *
 * Returns 0; or -errno, and recording is stopped (loss.h). The journal then keeps what the stream
 * does not have if it is a file; otherwise that is counted as lost. end->bytes, end->ticks, the own
 * time, and the reason of the end if it has none, are filled in here.
 */
int cps_drain_all(struct cps_ending *end);

/* [signal] Remove the stream and the journal instead. Waits in the same way. False: that cannot be done. */
bool cps_drain_discard(void);

/* [signal] Go on with the stream whose end was removed again. */
void cps_drain_continue(void);

/* [signal] Begin anew, in a child. */
void cps_drain_reset(void);

#endif
