/* SPDX-License-Identifier: MIT */
/*
 * shown.h - decides what of a stack is recorded, where that is not the stack itself.
 */
#ifndef CPS_SHOWN_H
#define CPS_SHOWN_H

#include "stream/batch.h"

/* [signal] The stack with Python functions instead of what runs them, for cps_batch_add; it is the
 * batch's. NULL: the stack is recorded as it is. `bounds` are those that it was unwound with; NULL: it
 * was not unwound. */
const struct cps_python_path *cps_shown_path(struct cps_batch *b, const struct cps_stack *stack,
					     const struct cps_peek *bounds);

#endif
