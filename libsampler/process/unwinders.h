/* SPDX-License-Identifier: MIT */
/*
 * unwinders.h - chooses what follows the stacks of samples.
 */
#ifndef CPS_UNWINDERS_H
#define CPS_UNWINDERS_H

#include "process/config.h"
#include "stream/record.h"

/* ---- choose unwinder ------------------------------------------------------------------------- */
/*
 * Brings libunwind into the process, if it is asked for and can be had.
 */

/* Open libunwind if the settings want it. It stays loaded. Not in a handler, and before the table of
 * modules is made. NULL; or why that is not possible, a text that stays valid. */
const char *cps_choose_unwinder_open(const struct cps_config *config);

/* Let it follow the stacks from now on, if it was opened, and note in the identity which unwinder does
 * so. The table of modules must have been made. */
void cps_choose_unwinder(const struct cps_config *config, struct cps_identity *identity);

/* For a child made by fork: the native one, if the child cannot use libunwind. */
void cps_choose_unwinder_child(struct cps_identity *identity);

/* ---- interpreter ----------------------------------------------------------------------------- */
/*
 * Finds a Python interpreter among what is loaded.
 */

/* To be called once, outside handlers, when the modules are known (cps_module_init). */
void cps_interpreter_find(void);

#endif
