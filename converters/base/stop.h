/* SPDX-License-Identifier: MIT */
/*
 * stop.h - the user's wish that what is being done ends.
 *
 * In: a signal. Out: an error of what takes long, which then frees what it has made.
 */
#ifndef STOP_H
#define STOP_H

#include <stdbool.h>

#include "base/error.h"

/* From now on until stop_forget, loops that take long end with an error, and no struct out (out.h)
 * writes anything. [async-signal-safe] */
void stop_request(void);
void stop_forget(void);
bool stop_is_requested(void);

/* Returns -1 and sets the error "interrupted" if a stop is requested. */
int stop_check(struct error *err);

#endif
