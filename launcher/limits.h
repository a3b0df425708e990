/* SPDX-License-Identifier: MIT */
/*
 * limits.h - bounds what the launcher uses: what a process says of itself may be forged so that reading it takes all memory, or no
 * end.
 */
#ifndef LAUNCHER_LIMITS_H
#define LAUNCHER_LIMITS_H

/* Limit the memory of this process, and its time. When that is over SIGXCPU ends it. */
void limits_set(void);

/* From here on its time has no limit: it reads what it knows. */
void limits_lift_time(void);

#endif
