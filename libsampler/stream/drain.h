/* SPDX-License-Identifier: MIT */
/*
 * drain.h - what waits in the journal goes to the stream.
 */
#ifndef CPS_DRAIN_H
#define CPS_DRAIN_H

#include "stream/journal.h"
#include "stream/record.h"

/* [signal] Empty an acquired buffer. 0; -EBUSY when another thread is deflating; or -errno, now
 * and for ever, and if it is the limit of the file's size the fuse is blown. */
int cps_drain(struct cps_buffer *b);

/* [signal] Are all buffers acquired by cps_drain_all? Waits for those that were not. */
bool cps_drain_is_complete(void);

/*
 * [signal] Empty all buffers, write the end record, finish the stream; nothing can be added
 * afterwards. Waits, a second at most, for handlers in other threads. 0 or -errno, and the fuse is
 * blown: the journal, if it is a file, has what the stream has not; else that is counted as lost.
 * end->bytes, end->ticks, and if it has none the reason why it ends, are filled in here.
 */
int cps_drain_all(struct cps_ending *end);

/* [signal] Begin anew, in a child. */
void cps_drain_reset(void);

#endif
