/* SPDX-License-Identifier: MIT */
/*
 * call_names.h - names of system calls in which threads wait.
 */
#ifndef LAUNCHER_CALL_NAMES_H
#define LAUNCHER_CALL_NAMES_H

/* NULL: it is none of those. */
const char *call_names_find(long number);

#endif
