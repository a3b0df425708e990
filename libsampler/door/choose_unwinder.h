/* SPDX-License-Identifier: MIT */
/*
 * choose_unwinder.h - brings libunwind into the process, if it is asked for and can be had.
 */
#ifndef CPS_CHOOSE_UNWINDER_H
#define CPS_CHOOSE_UNWINDER_H

#include "door/config.h"
#include "stream/record.h"

/* Open libunwind if the settings want it. It stays loaded. Not in a handler, and before the table of
 * modules is made. NULL; or why that is not possible, a text that stays valid. */
const char *cps_choose_unwinder_open(const struct cps_config *config);

/* Let it follow the stacks from now on, if it was opened, and note in the identity which unwinder does
 * so. The table of modules must have been made. */
void cps_choose_unwinder(const struct cps_config *config, struct cps_identity *identity);

/* For a child made by fork: the native one, if the child cannot use libunwind. */
void cps_choose_unwinder_child(struct cps_identity *identity);

#endif
