/* SPDX-License-Identifier: MIT */
/*
 * quota.h - keeps the recordings in a directory below a size.
 */
#ifndef CPS_QUOTA_H
#define CPS_QUOTA_H

#include <stdint.h>

/*
 * Remove the oldest recordings of this user from the directory until all of them together have at
 * most so many bytes. The recording `kept`, a path, stays. A recording is a regular file NAME.cps
 * that begins as recordings do, with its journal if it has one; a journal that has been left alone is
 * treated as one, too. What is being written stays. May be called in a signal handler.
 */
void cps_quota_keep(const char *directory, uint64_t bytes, const char *kept);

#endif
