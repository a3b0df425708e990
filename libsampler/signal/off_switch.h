/* SPDX-License-Identifier: MIT */
/*
 * off_switch.h - a file whose presence turns all recording off.
 */
#ifndef CPS_OFF_SWITCH_H
#define CPS_OFF_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Set the file's path, which must stay valid. */
void cps_off_switch_set(const char *path);

/* [signal] Whether the file is there now. False, too, if opening files is forbidden. */
bool cps_off_switch_is_on(void);

/* [signal] The same, but looks only once a second, in one of the threads that ask. `now` is the time
 * of cps_moment_ns. Once it was true it stays so. */
bool cps_off_switch_was_seen(uint64_t now);

#endif
