/* SPDX-License-Identifier: MIT */
/*
 * subject.h - the process that is recorded.
 *
 * In the recorder that is the process which it is in. What it says of its memory is in memory.h (copy, peek).
 */
#ifndef CPS_SUBJECT_H
#define CPS_SUBJECT_H

#define CPS_SUBJECT_PATH 32

/* [signal] Its number. */
int cps_subject_pid(void);

/* [signal] The user that it runs as. */
unsigned cps_subject_user(void);

/* [signal] Make the path "/proc/self" + `file`, of that process; `path` has room for CPS_SUBJECT_PATH bytes more than `file`. Returns `path`. */
const char *cps_subject_path(char *path, const char *file);

#endif
