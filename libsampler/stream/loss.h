/* SPDX-License-Identifier: MIT */
/*
 * loss.h - why something is missing: counters that travel in the stream, and the fuse.
 */
#ifndef CPS_LOSS_H
#define CPS_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "format.h"

/* [signal] */
void cps_loss_add(enum cps_loss reason, uint64_t n);
/* [signal] */
uint64_t cps_loss_get(enum cps_loss reason);
/* [signal] */
uint64_t cps_loss_sum(void);

/* [signal] From now on the counters and the fuse are also written there; NULL: no more. */
void cps_loss_mirror(struct cps_journal_head *head, struct cps_journal_buffer *first);

/* [signal] Stop recording for good; the target runs on. The first reason is kept; `error` is a
 * -errno or 0. */
void cps_loss_fuse_blow(enum cps_stop why, int error);

/* [signal] CPS_STOP_NONE while all is well; else the reason, and the errno that goes with it. */
enum cps_stop cps_loss_fuse_reason(int *error);

/* [signal] All is well, nothing is lost: a child begins anew. */
void cps_loss_reset(void);

#endif
