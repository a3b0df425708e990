/* SPDX-License-Identifier: MIT */
/*
 * loss.h - counts what is missing from the stream and why, and stops recording for good.
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

/* [signal] Call f now, and whenever a counter or the reason of a stop has changed; NULL: do not. */
void cps_loss_mirror(void (*f)(void));

/* [signal] Stop recording for good, while the target runs on. Only the first reason is kept.
 * `error` is a -errno or 0. */
void cps_loss_stop(enum cps_stop why, int error);

/* [signal] The reason why recording was stopped, and the errno that goes with it. CPS_STOP_NONE: it
 * was not stopped. */
enum cps_stop cps_loss_stop_reason(int *error);

/* [signal] Nothing is lost and recording is not stopped, for a child, which begins anew. */
void cps_loss_reset(void);

#endif
