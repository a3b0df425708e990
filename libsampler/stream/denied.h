/* SPDX-License-Identifier: MIT */
/*
 * denied.h - a child of fork that cannot write its recording leaves word in its parent's.
 *
 * Such a child has given up its rights (setuid, chroot), so the word goes through a page of memory
 * that both share.
 */
#ifndef CPS_DENIED_H
#define CPS_DENIED_H

#include <stdint.h>

/* [signal] To be called when recording begins, and again in a child of fork: children made from now
 * on can leave word. */
void cps_denied_begin(void);

/* [signal] Tell the parent, if this is a child of fork, that n more processes could not write their
 * recordings, and the latest -errno. */
void cps_denied_tell(uint64_t n, int error);

/* [signal] How many of the children, and of theirs, have told so; and the latest errno. */
uint64_t cps_denied_count(uint32_t *error);

#endif
