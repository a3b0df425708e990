/* SPDX-License-Identifier: MIT */
/*
 * calls.h - where the functions are called whose calls are counted.
 */
#ifndef CPS_DOOR_CALLS_H
#define CPS_DOOR_CALLS_H

#include "resource/resource.h"

/* Lead the calls of all that is wanted to what counts them, in all files that are loaded, and from now on in those
 * that will be. To be called when the resources have begun. */
void cps_calls_begin(const struct cps_wanted_resources *wanted);

/* For a child made by fork: no other thread is looking at files. */
void cps_calls_child(void);

/* A file has been unloaded. */
void cps_calls_closed(void);

#endif
