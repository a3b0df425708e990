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

/*
 * [signal] Stop recording for good; the target runs on. The first reason is kept: `what` is a
 * literal, `error` a -errno or 0.
 */
void cps_fuse_blow(const char *what, int error);

/* [signal] NULL while all is well; else the reason, and the error that goes with it. */
const char *cps_fuse_reason(int *error);

#endif
